//! The clients of a run, from flags or a file.

use std::collections::BTreeSet;

use fathom_engine::{EngineError, ErrorKind};
use serde::Deserialize;

use super::reach::{FORMS, Reach};

/// Clients of one run at most: each has a process and three threads here.
const CLIENTS_MAX: usize = 256;

/// One client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name, as no other one's.
    pub name: String,
    /// Where it is.
    pub reach: Reach,
    /// fathom's name there.
    pub program: String,
    /// Its own targets; none: the plan's.
    pub targets: Vec<String>,
    /// The words that permit the loss of data there, beside the plan's.
    pub permits: Vec<String>,
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
    targets: Vec<String>,
    #[serde(default)]
    destroy: Vec<String>,
}

fn refused(place: impl Into<String>, cause: impl Into<String>, remedy: &str) -> EngineError {
    EngineError::new(ErrorKind::Plan, place, cause).with_remedy(remedy)
}

/// From `--client` as it is typed, each `REACH` or `NAME=REACH`.
///
/// # Errors
/// An unknown form, a host that could be an option, or two clients of one name.
pub fn from_arguments(typed: &[String]) -> Result<Vec<Client>, EngineError> {
    let client = |text: &String| {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        };
        let (name, reach) = match text.split_once('=') {
            Some((name, reach)) if is_name(name) => (Some(name.to_owned()), reach),
            _ => (None, text.as_str()),
        };
        let reach = Reach::parse(reach)?;
        let name = name.unwrap_or_else(|| reach.name());
        Ok(Client { name, reach, program: "fathom".to_owned(), targets: Vec::new(), permits: Vec::new() })
    };
    checked(typed.iter().map(client).collect::<Result<_, EngineError>>()?, "--client")
}

/// From the text of a file; `file` is its name in messages.
///
/// # Errors
/// Text that is no list of clients, and as [`from_arguments`].
pub fn from_toml(text: &str, file: &str) -> Result<Vec<Client>, EngineError> {
    let read: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let cause = error.message().trim().replace('\n', ", ");
        refused(
            format!("{file}, line {line}"),
            cause,
            "each client is a table [[client]] with reach = \"ssh:HOST\", and where they differ name, program, \
             targets and destroy",
        )
    })?;
    let client = |entry: Entry| {
        let reach = Reach::parse(&entry.reach)?;
        let program = entry.program.unwrap_or_else(|| "fathom".to_owned());
        if program.starts_with('-') || program.is_empty() {
            let cause = format!("`{program}` is not a valid path of a program");
            return Err(refused(file, cause, "give the path of fathom on that machine"));
        }
        let name = entry.name.unwrap_or_else(|| reach.name());
        Ok(Client { name, reach, program, targets: entry.targets, permits: entry.destroy })
    };
    checked(read.client.into_iter().map(client).collect::<Result<_, EngineError>>()?, file)
}

fn checked(clients: Vec<Client>, place: &str) -> Result<Vec<Client>, EngineError> {
    if clients.is_empty() || clients.len() > CLIENTS_MAX {
        let cause = format!("{} clients: a run has 1 to {CLIENTS_MAX}", clients.len());
        return Err(refused(place, cause, FORMS));
    }
    let mut names = BTreeSet::new();
    for client in &clients {
        let fits =
            !client.name.is_empty() && client.name.len() <= 64 && !client.name.chars().any(char::is_control);
        if !fits {
            return Err(refused(
                place,
                format!("{:?} is not a valid name of a client", client.name),
                "use 1 to 64 letters",
            ));
        }
        if !names.insert(client.name.as_str()) {
            let cause = format!("two clients are called `{}`", client.name);
            return Err(refused(
                place,
                cause,
                "name them: --client a=local --client b=local, or name = in the file",
            ));
        }
    }
    Ok(clients)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_read_from_flags_and_from_a_file() {
        let typed = ["ssh:c1", "b=local", "exec:env A=1 fathom agent"].map(str::to_owned);
        let clients = from_arguments(&typed).unwrap();
        let names: Vec<&str> = clients.iter().map(|client| client.name.as_str()).collect();
        assert_eq!(names, ["c1", "b", "env"]);
        let text = "[[client]]\nreach = 'ssh:c1'\nprogram = '/opt/fathom'\ntargets = ['/dev/nvme1n1']\n\n[[client]]\nname = 'here'\nreach = 'local'\n";
        let clients = from_toml(text, "clients.toml").unwrap();
        assert_eq!((clients[0].program.as_str(), clients[1].name.as_str()), ("/opt/fathom", "here"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let twice = ["local", "local"].map(str::to_owned);
        assert!(from_arguments(&twice).unwrap_err().to_string().contains("a=local"));
        assert!(from_arguments(&[]).is_err());
        let error = from_toml("[[client]]\nreach = 'local'\nspeed = 1\n", "c.toml").unwrap_err();
        assert!(error.place.starts_with("c.toml, line"), "{error}");
        assert!(from_toml("[[client]]\nreach = 'local'\nprogram = '-x'\n", "c.toml").is_err());
    }
}
