//! Where the numbers of a record come from that this program did not measure.

use serde::{Deserialize, Serialize};

/// The file that a record was read from, how it was read, and what it does not say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordOrigin {
    /// Name of the file, without its folders.
    pub file: String,
    /// SHA-256 of the file's bytes, in hexadecimal digits: the same file again is known by it.
    pub sha256: String,
    /// Which of the results in the file, as `document 2, job 1`; empty where it holds one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// What read it, as `fio JSON`.
    pub parser: String,
    /// The format's generation, where its units or names changed, as `nanoseconds`; empty where they never did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub era: String,
    /// Oddities of the file that were seen and handled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<Quirk>,
    /// Fields of the record that the file says nothing of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<AbsentField>,
    /// Totals as the file states them, for checking what was read against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stated: Vec<StatedTotal>,
}

/// An oddity of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quirk {
    /// Its name, as `text_before_json`.
    pub name: String,
    /// What it is, and what was done about it, as a sentence without a full stop.
    pub what: String,
}

/// A field that the file says nothing of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsentField {
    /// Path in the record with dots, as `summary.in_flight_mean`; a path stands for all below it.
    pub field: String,
    /// Why, as `fio 2.1.4 does not report it`. For a part of `workload` the record then holds a guess.
    pub reason: String,
}

/// A total that the file itself states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatedTotal {
    /// Where it stands in the file, as `jobs[0].read.total_ios`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its unit, as the tool means it: `operations`, `bytes`, `KiB/s`, ...
    pub unit: String,
}

impl RecordOrigin {
    /// Why a field is absent, if the file says nothing of it or of what it is part of.
    pub fn why_absent(&self, field: &str) -> Option<&str> {
        let covers = |absent: &&AbsentField| {
            field
                .strip_prefix(absent.field.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.absent.iter().find(covers).map(|absent| absent.reason.as_str())
    }

    /// Notes that the file says nothing of a field.
    pub fn lacks(&mut self, field: impl Into<String>, reason: impl Into<String>) {
        self.absent.push(AbsentField { field: field.into(), reason: reason.into() });
    }

    /// Notes an oddity, once.
    pub fn quirk(&mut self, name: &str, what: impl Into<String>) {
        if !self.quirks.iter().any(|quirk| quirk.name == name) {
            self.quirks.push(Quirk { name: name.to_owned(), what: what.into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_field_covers_what_is_below_it() {
        let mut origin = RecordOrigin::default();
        origin.lacks("summary.cpu", "no reason");
        origin.lacks("environment", "bdevperf does not report it");
        assert_eq!(origin.why_absent("environment.cpus"), Some("bdevperf does not report it"));
        assert_eq!(origin.why_absent("environment"), Some("bdevperf does not report it"));
        assert_eq!(origin.why_absent("environments"), None);
        assert_eq!(origin.why_absent("summary.cpu_user_ns"), None);
    }

    #[test]
    fn a_quirk_is_told_once() {
        let mut origin = RecordOrigin::default();
        origin.quirk("byte_order_mark", "left out");
        origin.quirk("byte_order_mark", "left out");
        assert_eq!(origin.quirks.len(), 1);
    }
}
