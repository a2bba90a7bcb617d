//! A campaign whose sides are states of one machine, with a restart between them.

use serde::{Deserialize, Serialize};

use super::compare_record::Setting;

/// How sides are told apart and made, where a restart of the machine lies between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcrossRestarts {
    /// Time that the machine has to be up before a turn is measured, in nanoseconds; 0: none.
    pub settle_ns: u64,
    /// The sides in the order of the plan.
    pub sides: Vec<SideState>,
}

/// A side as a state of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SideState {
    /// What it is called.
    pub name: String,
    /// Facts that hold where it is in force, with their values; `*` in a value stands for anything.
    pub is: Vec<Setting>,
    /// Command that switches to it and restarts the machine, for the shell; absent: somebody does it by hand.
    pub before: Option<String>,
}

/// A side's turn, measured in a boot of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BootTurn {
    /// Number of the round, from 0.
    pub round: u32,
    /// The side.
    pub side: String,
    /// When it was asked for, RFC 3339, UTC.
    pub asked_at: String,
    /// The boot in which it was asked for: a name that no other boot of the machine has.
    pub asked_in: String,
    /// The boots in which it was measured: several, where the machine restarted in the middle; none, where it waits
    /// for a restart.
    pub boots: Vec<String>,
    /// What was found of the facts that tell the side.
    pub found: Vec<Setting>,
    /// How long the machine had been up when it was measured first, in seconds; absent where nothing says it.
    pub up_s: Option<f64>,
    /// Share of its processors that were busy just before, 0 to 1; absent where nothing says it or nothing was waited
    /// for.
    pub busy_share: Option<f64>,
}

/// A fact of the machine that can tell which side is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineFact {
    /// Release of the kernel, e.g. `6.12.9-cloud-amd64`; on Windows the build with its update, e.g. `10.0.26100.1742`.
    Kernel,
    /// Driver of a block device, by the device's name without `/dev/`.
    Driver(String),
    /// First line of a file, by its absolute path.
    File(String),
    /// A parameter of the kernel, as `vm.dirty_ratio`.
    Sysctl(String),
    /// A value of the registry, as `HKLM\SYSTEM\KEY\NAME`.
    Registry(String),
}

impl MachineFact {
    /// How facts are written, for messages.
    pub const FORMS: &'static str =
        "kernel, driver:DEVICE, file:PATH, sysctl:NAME, or on Windows registry:HKLM\\KEY\\NAME";

    /// The fact of that name; `None` for any other word.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "kernel" {
            return Some(Self::Kernel);
        }
        let (kind, name) = text.split_once(':')?;
        let name = name.to_owned();
        match kind {
            _ if name.is_empty() => None,
            // Names of one step: what leads elsewhere is no device or parameter.
            "driver" => (!name.contains(['/', '.'])).then_some(Self::Driver(name)),
            "sysctl" => (!name.contains('/') && !name.contains("..")).then_some(Self::Sysctl(name)),
            "file" => Some(Self::File(name)),
            "registry" => name.contains('\\').then_some(Self::Registry(name)),
            _ => None,
        }
    }
}

impl Setting {
    /// Whether a value is what this one asks for: the same, with `*` for anything.
    pub fn is_met_by(&self, found: &str) -> bool {
        let mut parts = self.value.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = found.strip_prefix(first) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_and_nothing_else_does() {
        let asks = |value: &str| Setting { key: "kernel".to_owned(), value: value.to_owned() };
        for (value, found) in [("6.1", "6.1"), ("6.1*", "6.1.0-9"), ("*cloud*", "6.1-cloud-amd64"), ("*", "")]
        {
            assert!(asks(value).is_met_by(found), "{value} {found}");
        }
        for (value, found) in [("6.1", "6.12"), ("6.1.*", "6.12"), ("a*a", "a"), ("*b*b", "ab"), ("", "x")] {
            assert!(!asks(value).is_met_by(found), "{value} {found}");
        }
    }

    #[test]
    fn facts_have_names_of_one_step() {
        assert_eq!(MachineFact::parse("kernel"), Some(MachineFact::Kernel));
        assert_eq!(MachineFact::parse("driver:nvme0n1"), Some(MachineFact::Driver("nvme0n1".to_owned())));
        assert_eq!(MachineFact::parse("file:C:\\side"), Some(MachineFact::File("C:\\side".to_owned())));
        for wrong in ["", "kernel:", "driver:", "driver:../x", "sysctl:vm/../x", "registry:x", "stack:native"]
        {
            assert_eq!(MachineFact::parse(wrong), None, "{wrong}");
        }
    }
}
