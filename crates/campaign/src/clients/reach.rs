//! How an agent is reached: the command whose stdin and stdout it speaks on.

use std::ffi::OsString;
use std::fmt;

use fathom_engine::{EngineError, ErrorKind};
use fathom_record::{shell_word, shell_words};

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

/// The forms, for messages.
pub const FORMS: &str = "local, ssh:HOST, kubectl:NAMESPACE/POD, srun:NODE, or 'exec:COMMAND fathom agent'";

/// What is said to ssh: never ask, keep to the terminal-less channel, and notice a dead peer.
const SSH: [&str; 8] =
    ["-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--"];

impl Reach {
    /// From what is typed.
    ///
    /// # Errors
    /// An unknown form, or a host that a program could take for an option.
    pub fn parse(text: &str) -> Result<Self, EngineError> {
        let refuse = |cause: String, remedy: &str| {
            Err(EngineError::new(ErrorKind::Plan, format!("client `{text}`"), cause).with_remedy(remedy))
        };
        let (form, rest) = text.split_once(':').unwrap_or((text, ""));
        let host = |rest: &str| -> Result<String, EngineError> {
            let harmless = |letter: char| letter.is_ascii_alphanumeric() || "._-@[]:%".contains(letter);
            if rest.is_empty() || rest.starts_with('-') || !rest.chars().all(harmless) {
                let cause =
                    format!("`{rest}` is not a valid name of a host: one begins with a letter or a digit");
                return Err(EngineError::new(ErrorKind::Plan, format!("client `{text}`"), cause)
                    .with_remedy("name the host as ssh takes it; its options belong into ~/.ssh/config"));
            }
            Ok(rest.to_owned())
        };
        match form {
            "local" if rest.is_empty() => Ok(Self::Local),
            "ssh" => Ok(Self::Ssh(host(rest)?)),
            "srun" => Ok(Self::Srun(host(rest)?)),
            "kubectl" => match rest.split_once('/') {
                Some((namespace, pod)) => Ok(Self::Kubectl(host(namespace)?, host(pod)?)),
                None => refuse("a pod needs its namespace".to_owned(), "write kubectl:NAMESPACE/POD"),
            },
            "exec" => {
                let words = shell_words(rest).unwrap_or_default();
                if words.is_empty() {
                    let cause = "there is no command of plain or quoted words".to_owned();
                    return refuse(cause, "write 'exec:COMMAND fathom agent'");
                }
                Ok(Self::Command(words))
            }
            _ => refuse("it is not known how to reach it".to_owned(), FORMS),
        }
    }

    /// The command that starts the agent; `program` is fathom's name there.
    ///
    /// # Errors
    /// When this very program cannot be found.
    pub fn command(&self, program: &str) -> Result<Vec<OsString>, EngineError> {
        let words = |before: &[&str]| -> Vec<OsString> {
            before.iter().copied().chain([program, "agent"]).map(OsString::from).collect()
        };
        Ok(match self {
            Self::Local => {
                let failed = |error| EngineError::system("finding this program", &error);
                vec![std::env::current_exe().map_err(failed)?.into_os_string(), "agent".into()]
            }
            Self::Ssh(host) => {
                let before: Vec<&str> = ["ssh"].into_iter().chain(SSH).chain([host.as_str()]).collect();
                words(&before)
            }
            Self::Kubectl(namespace, pod) => words(&["kubectl", "exec", "-i", "-n", namespace, pod, "--"]),
            Self::Srun(node) => words(&["srun", "-N1", "-n1", "-w", node, "--unbuffered"]),
            Self::Command(typed) => typed.iter().map(OsString::from).collect(),
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_the_command_that_it_says_and_prints_as_it_was_typed() {
        for (typed, command) in [
            (
                "ssh:root@c1",
                "ssh -T -o BatchMode=yes -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -- root@c1 fathom agent",
            ),
            ("kubectl:storage/f-0", "kubectl exec -i -n storage f-0 -- fathom agent"),
            ("srun:n7", "srun -N1 -n1 -w n7 --unbuffered fathom agent"),
            ("exec:docker exec -i x fathom agent", "docker exec -i x fathom agent"),
        ] {
            let reach = Reach::parse(typed).unwrap();
            let words = reach.command("fathom").unwrap();
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!((words.join(" ").as_str(), reach.to_string().as_str()), (command, typed));
        }
    }

    #[test]
    fn what_a_program_could_take_for_an_option_is_no_host() {
        for typed in [
            "ssh:-oProxyCommand=x",
            "ssh:",
            "ssh:a b",
            "ssh:a;b",
            "srun:-w",
            "kubectl:-n/x",
            "kubectl:x",
            "exec:",
            "locale",
            "tcp:c1",
        ] {
            assert!(Reach::parse(typed).is_err(), "{typed}");
        }
    }
}
