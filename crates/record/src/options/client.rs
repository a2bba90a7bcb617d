//! One client of a run: where it is, and what is its own.

use std::fmt;

use serde::Deserialize;

use crate::Fault;
use crate::error::{EngineError, ErrorKind};
use crate::shell::{shell_word, shell_words};

/// What fathom is called there where nothing else is said.
const PROGRAM: &str = "fathom";
/// What to do about a command in which other words cannot stand in the agent's place.
const ENDS_IN_AGENT: &str = "end it in the two words `fathom agent`, as in 'exec:docker exec -i x fathom agent', or put fathom \
                             there by hand";
/// The forms of a reach, for messages.
const FORMS: &str = "local, ssh:HOST, kubectl:NAMESPACE/POD, srun:NODE, or 'exec:COMMAND fathom agent'";

/// Where an agent is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentLocation {
    /// This machine, this very program.
    Local,
    /// Another machine, by the user's own ssh.
    Ssh(String),
    /// A pod, by kubectl: its namespace and its name.
    Kubectl(String, String),
    /// A node of a Slurm allocation, by srun.
    Srun(String),
    /// Whatever this command reaches; it starts the agent itself.
    Command(Vec<String>),
}

impl AgentLocation {
    /// From what is typed.
    ///
    /// # Errors
    /// An unknown form, or a host that a program could take for an option.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (form, rest) = text.split_once(':').unwrap_or((text, ""));
        match form {
            "local" if rest.is_empty() => Ok(Self::Local),
            "ssh" => Ok(Self::Ssh(host(rest)?)),
            "srun" => Ok(Self::Srun(host(rest)?)),
            "kubectl" => match rest.split_once('/') {
                Some((namespace, pod)) => Ok(Self::Kubectl(host(namespace)?, host(pod)?)),
                None => Err(Fault::from("a pod needs its namespace: write kubectl:NAMESPACE/POD")),
            },
            "exec" => match shell_words(rest).unwrap_or_default() {
                words if words.is_empty() => Err(Fault::from(
                    "there is no command of plain or quoted words: write 'exec:COMMAND fathom agent'",
                )),
                words => Ok(Self::Command(words)),
            },
            _ => Err(Fault::from(format!("`{text}` does not say how a client is reached: write {FORMS}"))),
        }
    }

    /// A name for the client where none was given.
    pub fn name(&self) -> String {
        match self {
            Self::Local => "local".to_owned(),
            Self::Ssh(host) | Self::Srun(host) => host.clone(),
            Self::Kubectl(_, pod) => pod.clone(),
            Self::Command(words) => words.first().cloned().unwrap_or_default(),
        }
    }

    /// The user's own words before those that start the agent, in whose place others can stand; none of the other forms.
    ///
    /// # Errors
    /// When nothing is at another end, or the user's command does not show where its own words end.
    pub fn words_before_agent(&self) -> Result<&[String], EngineError> {
        let refuse = |cause: String, remedy: &str| {
            Err(EngineError::new(ErrorKind::Plan, "--push", cause).with_remedy(remedy))
        };
        match self {
            Self::Local => refuse("this machine has this program".to_owned(), "leave --push out"),
            Self::Ssh(_) | Self::Kubectl(..) | Self::Srun(_) => Ok(&[]),
            Self::Command(typed) => match typed.as_slice() {
                [before @ .., _, last] if last == "agent" && !before.is_empty() => Ok(before),
                [_, _, ..] => refuse(format!("`{self}` does not end in an agent's command"), ENDS_IN_AGENT),
                _ => refuse(format!("`{self}` is too short"), ENDS_IN_AGENT),
            },
        }
    }
}

fn host(text: &str) -> Result<String, Fault> {
    let harmless = |letter: char| letter.is_ascii_alphanumeric() || "._-@[]:%".contains(letter);
    if text.is_empty() || text.starts_with('-') || !text.chars().all(harmless) {
        return Err(Fault::from(format!(
            "`{text}` is not a valid name of a host: one begins with a letter or a digit, and options of ssh belong \
             into ~/.ssh/config"
        )));
    }
    Ok(text.to_owned())
}

impl fmt::Display for AgentLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Ssh(host) => write!(f, "ssh:{host}"),
            Self::Kubectl(namespace, pod) => write!(f, "kubectl:{namespace}/{pod}"),
            Self::Srun(node) => write!(f, "srun:{node}"),
            Self::Command(words) => {
                let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
                write!(f, "exec:{}", words.join(" "))
            }
        }
    }
}

/// What a client is to a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientRole {
    /// It measures, and is part of the sum.
    #[default]
    Load,
    /// It is at the machine that serves the target, says what that does meanwhile, and measures nothing.
    Target,
}

impl ClientRole {
    fn parse(text: &str) -> Result<Self, Fault> {
        match text {
            "load" => Ok(Self::Load),
            "target" => Ok(Self::Target),
            _ => Err(Fault::from(format!(
                "unknown role `{text}`: write role=load, which is the default, or role=target"
            ))),
        }
    }
}

/// One client.
///
/// Written as `NAME=REACH`, and behind it what is its own: `c1=ssh:c1 program=/opt/fathom target=/dev/nvme1n1
/// destroy=SERIAL`. A reach with spaces then stands in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name, as no other one's.
    pub name: String,
    /// Where it is.
    pub reach: AgentLocation,
    /// fathom's name there.
    pub program: String,
    /// What it is to the run.
    pub role: ClientRole,
    /// Whether this very program is copied there before it is started, and removed again.
    pub push: bool,
    /// Its own targets; none: the plan's. Of the role `target`: the block devices whose counters it gives.
    pub targets: Vec<String>,
    /// The words that permit the loss of data there, beside the plan's.
    pub permits: Vec<String>,
}

impl Client {
    /// Of a reach, with nothing of its own.
    pub fn at(name: Option<&str>, reach: AgentLocation) -> Self {
        let name = name.map_or_else(|| reach.name(), str::to_owned);
        Self {
            name,
            reach,
            program: PROGRAM.to_owned(),
            role: ClientRole::Load,
            push: false,
            targets: Vec::new(),
            permits: Vec::new(),
        }
    }

    /// From what is typed.
    ///
    /// # Errors
    /// An unknown form, a host that could be an option, or a word that is none of a client's.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        // A bare command takes the rest of the line.
        let (name, rest) = named(text);
        if rest.starts_with("exec:") {
            return Ok(Self::at(name, AgentLocation::parse(rest)?));
        }
        let unreadable = || format!("`{text}` is not a client: write NAME=REACH, where a reach is {FORMS}");
        let words = shell_words(text).ok_or_else(unreadable)?;
        let Some((first, own)) = words.split_first() else { return Err(unreadable().into()) };
        let (name, reach) = named(first);
        let mut client = Self::at(name, AgentLocation::parse(reach)?);
        for word in own {
            match word.split_once('=') {
                Some(("program", program)) => client.program = program_of(program)?,
                Some(("role", role)) => client.role = ClientRole::parse(role)?,
                Some(("push", push)) => {
                    client.push = push
                        .parse()
                        .map_err(|_| Fault::from(format!("`{push}` is not a valid push: write push=true")))?;
                }
                Some(("target", target)) if !target.is_empty() => client.targets.push(target.to_owned()),
                Some(("destroy", words)) if !words.is_empty() => client.permits.push(words.to_owned()),
                _ => {
                    return Err(Fault::from(format!(
                        "`{word}` is nothing of a client: behind its reach stand program=, push=, role=, target= and destroy="
                    )));
                }
            }
        }
        Ok(client)
    }

    /// Whether it names what is started, here or on its machine, or has a program put there.
    pub fn starts_what_it_names(&self) -> bool {
        matches!(self.reach, AgentLocation::Command(_)) || self.program != PROGRAM || self.push
    }

    /// Whether fathom has another name or place there than the usual one.
    pub fn has_program(&self) -> bool {
        self.program != PROGRAM
    }

    /// The same without the permission to destroy data.
    #[must_use]
    pub fn without_permits(&self) -> Self {
        Self { permits: Vec::new(), ..self.clone() }
    }
}

/// The path of a program, from what is typed.
///
/// # Errors
/// One that a shell could take for an option.
pub fn program_of(text: &str) -> Result<String, Fault> {
    if text.starts_with('-') || text.is_empty() {
        return Err(Fault::from(format!(
            "`{text}` is not a valid path of a program: give that of fathom on that machine"
        )));
    }
    Ok(text.to_owned())
}

/// `NAME=REACH` in its parts.
fn named(text: &str) -> (Option<&str>, &str) {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    match text.split_once('=') {
        Some((name, reach)) if is_name(name) => (Some(name), reach),
        _ => (None, text),
    }
}

/// A word in quotes, also where a shell needs none.
fn in_quotes(word: &str) -> String {
    match shell_word(word) {
        plain if plain == word => format!("'{word}'"),
        quoted => quoted,
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reach = self.reach.to_string();
        let says_itself = self.name == self.reach.name() && self.reach != AgentLocation::Local;
        let whole = if says_itself { reach.clone() } else { format!("{}={reach}", self.name) };
        let own = [
            (self.program != PROGRAM).then_some(("program", self.program.as_str())),
            self.push.then_some(("push", "true")),
            (self.role == ClientRole::Target).then_some(("role", "target")),
        ];
        let own = own.into_iter().flatten().chain(self.targets.iter().map(|it| ("target", it.as_str())));
        let own: Vec<_> = own.chain(self.permits.iter().map(|words| ("destroy", words.as_str()))).collect();
        if own.is_empty() {
            return f.write_str(&whole);
        }
        // A command that stands bare would take the rest of the line.
        let first = match self.reach {
            AgentLocation::Command(_) => in_quotes(&format!("{}={reach}", self.name)),
            _ => shell_word(&whole),
        };
        f.write_str(&first)?;
        own.iter().try_for_each(|(key, value)| write!(f, " {}", shell_word(&format!("{key}={value}"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_prints_as_it_was_typed() {
        for typed in [
            "ssh:root@c1",
            "kubectl:storage/f-0",
            "srun:n7",
            "exec:docker exec -i x fathom agent",
            "here=local",
            "b=ssh:c1",
            "c1=ssh:10.0.0.1 program=/opt/fathom target=/dev/nvme1n1 target=/dev/nvme2n1 destroy=S1",
            "store=ssh:t1 push=true role=target target=/dev/nvme1n1",
            "'x=exec:env A=1 fathom agent' 'target=/mnt/a b'",
        ] {
            let client = Client::parse(typed).unwrap();
            assert_eq!(client.to_string(), typed);
            assert_eq!(client.without_permits().permits, [""; 0]);
        }
        // What is its own stands behind a command only where the command is in quotes.
        let client =
            Client { targets: vec!["x".to_owned()], ..Client::parse("exec:env fathom agent").unwrap() };
        assert_eq!(client.to_string(), "'env=exec:env fathom agent' target=x");
        assert_eq!(Client::parse(&client.to_string()), Ok(client));
        let plain = Client { targets: vec!["x".to_owned()], ..Client::parse("c=exec:agent").unwrap() };
        assert_eq!(plain.to_string(), "'c=exec:agent' target=x");
        assert_eq!(Client::parse(&plain.to_string()), Ok(plain));
    }

    #[test]
    fn what_a_program_could_take_for_an_option_is_no_client() {
        for typed in [
            "ssh:-oProxyCommand=x",
            "ssh:",
            "ssh:'a b'",
            "ssh:a;b",
            "srun:-w",
            "kubectl:-n/x",
            "kubectl:x",
            "exec:",
            "locale",
            "tcp:c1",
            "",
            "local program=-x",
            "local speed=1",
            "local target=",
            "local role=server",
            "ssh:a push=maybe",
        ] {
            assert!(Client::parse(typed).is_err(), "{typed}");
        }
    }
}
