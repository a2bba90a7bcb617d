//! Who this machine is to controllers: the name and the identifier of a host.

use std::fs;

use fathom_fabric::identifier;
use fathom_fabric::namespace_url::Choices;

/// A host's name with its one identifier: controllers refuse a name that comes with several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Name (NQN).
    pub name: String,
    /// Identifier.
    pub id: [u8; 16],
}

/// Where the kernel's own initiator has its name, and its identifier.
const NAME_FILE: &str = "/etc/nvme/hostnqn";
const ID_FILE: &str = "/etc/nvme/hostid";
/// What tells machines apart.
const MACHINE_FILE: &str = "/etc/machine-id";

impl Host {
    /// The host that a target's name asks for: this machine's as the kernel's initiator has it, else one that follows
    /// from the machine's identifier.
    pub fn of(choices: &Choices) -> Self {
        let read = |path| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
        let machine = read(MACHINE_FILE).unwrap_or_else(|| "a machine without an identifier".to_owned());
        Self::from(choices.host.as_deref(), (read(NAME_FILE), read(ID_FILE)), &machine)
    }

    fn from(asked: Option<&str>, (name, id): (Option<String>, Option<String>), machine: &str) -> Self {
        let kept = name.filter(|name| name.starts_with("nqn."));
        let own = || format!("nqn.2014-08.org.nvmexpress:uuid:{}", uuid(&identifier(machine)));
        let name = match asked {
            Some(asked) => asked.to_owned(),
            None => kept.clone().unwrap_or_else(own),
        };
        let id = id.as_deref().and_then(of_uuid).filter(|_| kept.as_deref() == Some(name.as_str()));
        let id = id.unwrap_or_else(|| identifier(&name));
        Self { name, id }
    }
}

/// An identifier as text.
pub fn uuid(id: &[u8; 16]) -> String {
    let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// An identifier from text.
fn of_uuid(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    if digits.len() != 32 {
        return None;
    }
    u128::from_str_radix(&digits, 16).ok().map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_identifier_for_its_name() {
        let kept = || (Some("nqn.kept".to_owned()), Some("00112233-4455-6677-8899-aabbccddeeff".to_owned()));
        let host = Host::from(None, kept(), "m");
        assert_eq!(
            (host.name.as_str(), uuid(&host.id).as_str()),
            ("nqn.kept", "00112233-4455-6677-8899-aabbccddeeff")
        );
        assert_eq!(Host::from(Some("nqn.kept"), kept(), "m"), host);
        let other = Host::from(Some("nqn.other"), kept(), "m");
        assert_eq!(other.id, identifier("nqn.other"));
        let own = Host::from(None, (Some("no name".to_owned()), None), "m");
        assert!(own.name.starts_with("nqn.2014-08.org.nvmexpress:uuid:") && own.name.len() == 68, "{own:?}");
        assert_eq!(own, Host::from(None, (None, None), "m"));
        assert_ne!(own, Host::from(None, (None, None), "n"));
    }
}
