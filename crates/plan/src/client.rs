//! The clients of a plan: where each is, and what is its own.

use std::collections::BTreeSet;
use std::fmt;

use fathom_record::{shell_word, shell_words};
use serde::Deserialize;

use super::error::{Mistake, PlanErrorKind};
use super::raw::RawPlan;

/// Clients of one run at most: each has a process and three threads where the plan is coordinated.
const CLIENTS_MAX: usize = 256;
/// What fathom is called there where nothing else is said.
const PROGRAM: &str = "fathom";
/// The forms of a reach, for messages.
const FORMS: &str = "local, ssh:HOST, kubectl:NAMESPACE/POD, srun:NODE, or 'exec:COMMAND fathom agent'";

/// Where an agent is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
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

impl Reach {
    /// From what is typed.
    ///
    /// # Errors
    /// An unknown form, or a host that a program could take for an option.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (form, rest) = text.split_once(':').unwrap_or((text, ""));
        match form {
            "local" if rest.is_empty() => Ok(Self::Local),
            "ssh" => Ok(Self::Ssh(host(rest)?)),
            "srun" => Ok(Self::Srun(host(rest)?)),
            "kubectl" => match rest.split_once('/') {
                Some((namespace, pod)) => Ok(Self::Kubectl(host(namespace)?, host(pod)?)),
                None => Err("a pod needs its namespace: write kubectl:NAMESPACE/POD".to_owned()),
            },
            "exec" => match shell_words(rest).unwrap_or_default() {
                words if words.is_empty() => {
                    Err("there is no command of plain or quoted words: write 'exec:COMMAND fathom agent'"
                        .to_owned())
                }
                words => Ok(Self::Command(words)),
            },
            _ => Err(format!("`{text}` does not say how a client is reached: write {FORMS}")),
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
}

fn host(text: &str) -> Result<String, String> {
    let harmless = |letter: char| letter.is_ascii_alphanumeric() || "._-@[]:%".contains(letter);
    if text.is_empty() || text.starts_with('-') || !text.chars().all(harmless) {
        return Err(format!(
            "`{text}` is not a valid name of a host: one begins with a letter or a digit, and options of ssh belong \
             into ~/.ssh/config"
        ));
    }
    Ok(text.to_owned())
}

impl fmt::Display for Reach {
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
pub enum Role {
    /// It measures, and is part of the sum.
    #[default]
    Load,
    /// It is at the machine that serves the target, says what that does meanwhile, and measures nothing.
    Target,
}

impl Role {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "load" => Ok(Self::Load),
            "target" => Ok(Self::Target),
            _ => Err(format!("unknown role `{text}`: write role=load, which is the default, or role=target")),
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
    pub reach: Reach,
    /// fathom's name there.
    pub program: String,
    /// What it is to the run.
    pub role: Role,
    /// Whether this very program is copied there before it is started, and removed again.
    pub push: bool,
    /// Its own targets; none: the plan's. Of the role `target`: the block devices whose counters it gives.
    pub targets: Vec<String>,
    /// The words that permit the loss of data there, beside the plan's.
    pub permits: Vec<String>,
}

impl Client {
    /// Of a reach, with nothing of its own.
    fn at(name: Option<&str>, reach: Reach) -> Self {
        let name = name.map_or_else(|| reach.name(), str::to_owned);
        Self {
            name,
            reach,
            program: PROGRAM.to_owned(),
            role: Role::Load,
            push: false,
            targets: Vec::new(),
            permits: Vec::new(),
        }
    }

    /// From what is typed.
    ///
    /// # Errors
    /// An unknown form, a host that could be an option, or a word that is none of a client's.
    pub fn parse(text: &str) -> Result<Self, String> {
        // A bare command takes the rest of the line.
        let (name, rest) = named(text);
        if rest.starts_with("exec:") {
            return Ok(Self::at(name, Reach::parse(rest)?));
        }
        let unreadable = || format!("`{text}` is not a client: write NAME=REACH, where a reach is {FORMS}");
        let words = shell_words(text).ok_or_else(unreadable)?;
        let Some((first, own)) = words.split_first() else { return Err(unreadable()) };
        let (name, reach) = named(first);
        let mut client = Self::at(name, Reach::parse(reach)?);
        for word in own {
            match word.split_once('=') {
                Some(("program", program)) => client.program = program_of(program)?,
                Some(("role", role)) => client.role = Role::parse(role)?,
                Some(("push", push)) => {
                    client.push =
                        push.parse().map_err(|_| format!("`{push}` is not a valid push: write push=true"))?;
                }
                Some(("target", target)) if !target.is_empty() => client.targets.push(target.to_owned()),
                Some(("destroy", words)) if !words.is_empty() => client.permits.push(words.to_owned()),
                _ => {
                    return Err(format!(
                        "`{word}` is nothing of a client: behind its reach stand program=, push=, role=, target= and destroy="
                    ));
                }
            }
        }
        Ok(client)
    }

    /// Whether it names what is started, here or on its machine, or has a program put there.
    pub(super) fn starts_what_it_names(&self) -> bool {
        matches!(self.reach, Reach::Command(_)) || self.program != PROGRAM || self.push
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

fn program_of(text: &str) -> Result<String, String> {
    if text.starts_with('-') || text.is_empty() {
        return Err(format!(
            "`{text}` is not a valid path of a program: give that of fathom on that machine"
        ));
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
        let says_itself = self.name == self.reach.name() && self.reach != Reach::Local;
        let whole = if says_itself { reach.clone() } else { format!("{}={reach}", self.name) };
        let own = [
            (self.program != PROGRAM).then_some(("program", self.program.as_str())),
            self.push.then_some(("push", "true")),
            (self.role == Role::Target).then_some(("role", "target")),
        ];
        let own = own.into_iter().flatten().chain(self.targets.iter().map(|it| ("target", it.as_str())));
        let own: Vec<_> = own.chain(self.permits.iter().map(|words| ("destroy", words.as_str()))).collect();
        if own.is_empty() {
            return f.write_str(&whole);
        }
        // A command that stands bare would take the rest of the line.
        let first = match self.reach {
            Reach::Command(_) => in_quotes(&format!("{}={reach}", self.name)),
            _ => shell_word(&whole),
        };
        f.write_str(&first)?;
        own.iter().try_for_each(|(key, value)| write!(f, " {}", shell_word(&format!("{key}={value}"))))
    }
}

/// The clients that a plan names.
pub(super) fn read(raw: &RawPlan) -> Result<Vec<Client>, Mistake> {
    let refuse = |cause| Mistake::new("client", PlanErrorKind::Value, cause);
    let typed = raw.client.as_deref().unwrap_or_default();
    let clients = typed.iter().map(|text| Client::parse(text)).collect::<Result<Vec<_>, _>>();
    let clients = clients.and_then(checked).map_err(refuse)?;
    let contradiction = |key, cause| Err(Mistake::new(key, PlanErrorKind::Contradiction, cause));
    if clients.is_empty() && raw.partition == Some(true) {
        return contradiction("partition", "there are no clients to share the addresses: add --client");
    }
    if !clients.is_empty() && raw.replay.is_some() {
        return contradiction(
            "client",
            "a trace is replayed by one machine: leave --replay or the clients out",
        );
    }
    Ok(clients)
}

fn checked(clients: Vec<Client>) -> Result<Vec<Client>, String> {
    if clients.len() > CLIENTS_MAX {
        return Err(format!("{} clients are too many: at most {CLIENTS_MAX}", clients.len()));
    }
    let mut names = BTreeSet::new();
    for Client { name, .. } in &clients {
        if name.is_empty() || name.len() > 64 || name.chars().any(char::is_control) {
            return Err(format!("{name:?} is not a valid name of a client: use 1 to 64 letters"));
        }
        if !names.insert(name.as_str()) {
            return Err(format!("two clients are called `{name}`: name them, as a=local and b=local"));
        }
    }
    clients.iter().try_for_each(fitting)?;
    let (load, target): (Vec<&Client>, Vec<&Client>) =
        clients.iter().partition(|client| client.role == Role::Load);
    match (load.as_slice(), target.as_slice()) {
        ([], [only, ..]) => Err(format!(
            "client {} has the role `target` and measures nothing, and nobody else measures: add a client that does, \
             as --client local",
            only.name
        )),
        (_, [one, other, ..]) => Err(format!(
            "clients {} and {} both have the role `target`: one machine serves the target",
            one.name, other.name
        )),
        _ => Ok(clients),
    }
}

/// Refuses what contradicts itself in one client.
fn fitting(client: &Client) -> Result<(), String> {
    let Client { name, program, permits, .. } = client;
    if client.role == Role::Target && !permits.is_empty() {
        return Err(format!(
            "client {name} has the role `target` and writes nothing: leave destroy= out, or role=target"
        ));
    }
    match &client.reach {
        _ if !client.push => Ok(()),
        _ if program != PROGRAM => Err(format!(
            "client {name} has a program of its own, and this one is to be copied there: leave program= or push= out"
        )),
        Reach::Local => {
            Err(format!("client {name} is this machine, which has this program: leave push= out"))
        }
        _ => Ok(()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    client: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    reach: String,
    program: Option<String>,
    #[serde(default)]
    role: Role,
    #[serde(default)]
    push: bool,
    #[serde(default)]
    targets: Vec<String>,
    #[serde(default)]
    destroy: Vec<String>,
}

/// The clients of a file, each as it would be typed.
///
/// # Errors
/// Where the text is no list of clients: the line, where one is to blame, what is wrong, and what to write.
pub fn clients_of_file(text: &str) -> Result<Vec<String>, (Option<usize>, String)> {
    let read: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let cause = error.message().trim().replace('\n', ", ");
        let form = "each client is a table [[client]] with reach = \"ssh:HOST\", and where they differ name, \
                    program, push, role, targets and destroy";
        (Some(line), format!("{cause}: {form}"))
    })?;
    let client = |entry: Entry| {
        let mut client = Client::at(entry.name.as_deref(), Reach::parse(&entry.reach)?);
        (client.targets, client.permits) = (entry.targets, entry.destroy);
        (client.role, client.push) = (entry.role, entry.push);
        client.program = entry.program.as_deref().map_or(Ok(client.program), program_of)?;
        Ok(client)
    };
    let clients = read.client.into_iter().map(client).collect::<Result<Vec<_>, String>>();
    let clients = clients.and_then(checked).map_err(|cause| (None, cause))?;
    if clients.is_empty() {
        return Err((None, "there is no table [[client]]".to_owned()));
    }
    Ok(clients.iter().map(ToString::to_string).collect())
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

    #[test]
    fn one_machine_serves_the_target_and_others_measure() {
        let refusal = |typed: &[&str]| {
            let clients = typed.iter().map(|text| Client::parse(text).unwrap()).collect();
            checked(clients).map(|clients| clients.len())
        };
        assert_eq!(refusal(&["ssh:c1", "ssh:t1 role=target target=/dev/sda"]), Ok(2));
        for (typed, says) in [
            (&["ssh:t1 role=target"][..], "nobody else measures"),
            (&["local", "ssh:t1 role=target", "ssh:t2 role=target"], "t1 and t2 both have the role"),
            (&["local", "ssh:t1 role=target destroy=S1"], "writes nothing"),
            (&["local push=true"], "is this machine"),
            (&["ssh:c1 program=/opt/fathom push=true"], "has a program of its own"),
        ] {
            let said = refusal(typed).unwrap_err();
            assert!(said.contains(says), "{typed:?}: {said}");
        }
    }

    #[test]
    fn a_file_is_read_as_what_would_be_typed() {
        let text = "[[client]]\nreach = 'ssh:c1'\nprogram = '/opt/fathom'\ntargets = ['/dev/nvme1n1']\n\n[[client]]\nname = 'here'\nreach = 'local'\n";
        let typed = clients_of_file(text).unwrap();
        assert_eq!(typed, ["ssh:c1 program=/opt/fathom target=/dev/nvme1n1", "here=local"]);
        let (line, cause) = clients_of_file("[[client]]\nreach = 'local'\nspeed = 1\n").unwrap_err();
        assert_eq!(line, Some(3));
        assert!(cause.contains("[[client]]"), "{cause}");
        let twice = "[[client]]\nreach = 'local'\n\n[[client]]\nreach = 'local'\n";
        assert!(clients_of_file(twice).unwrap_err().1.contains("a=local"));
        let target =
            "[[client]]\nreach = 'local'\n\n[[client]]\nreach = 'ssh:t1'\nrole = 'target'\npush = true\n";
        assert_eq!(clients_of_file(target).unwrap(), ["local=local", "ssh:t1 push=true role=target"]);
        assert!(clients_of_file("client = []").is_err());
        assert!(clients_of_file("[[client]]\nreach = 'local'\nprogram = '-x'\n").is_err());
    }
}
