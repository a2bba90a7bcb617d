//! A labelled case: what truly binds, where it is set up, and what fathom is asked there.

use std::fmt;

/// What truly binds. The names are those of `Limit` in fathom's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Any of these named first is right: one cause; two that bind at once; or those that nothing in the
    /// set-up tells apart.
    Binds(Vec<&'static str>),
    /// Everything that was asked for was carried.
    Nothing,
    /// Something that is not in fathom's list of causes binds. These named, which describe its effect, are
    /// not wrong.
    Outside(Vec<&'static str>),
}

/// What fathom says when nothing binds, and when nothing that it knows fits.
pub const DEMAND: &str = "demand";
pub const UNKNOWN: &str = "unknown";

impl Truth {
    /// One cause.
    pub fn one(cause: &'static str) -> Self {
        Self::Binds(vec![cause])
    }

    /// Whether a cause named first is right.
    pub fn allows(&self, cause: &str) -> bool {
        match self {
            Self::Binds(causes) => causes.contains(&cause),
            Self::Nothing => cause == DEMAND,
            Self::Outside(causes) => cause == UNKNOWN || causes.contains(&cause),
        }
    }

    /// Whether a confident verdict of this cause would be a false alarm: nothing binds, or nothing that
    /// fathom knows.
    pub fn is_false_alarm(&self, cause: &str) -> bool {
        !matches!(self, Self::Binds(_)) && cause != UNKNOWN && !self.allows(cause)
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binds(causes) => write!(f, "{}", causes.join(" or ")),
            Self::Nothing => write!(f, "{DEMAND}"),
            Self::Outside(causes) if causes.is_empty() => write!(f, "outside the list"),
            Self::Outside(causes) => write!(f, "outside the list, or {}", causes.join(" or ")),
        }
    }
}

/// Where a case is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Place {
    /// A simulated device, in simulated time.
    Sim,
    /// This machine, with devices and groups made for it.
    Machine,
    /// An emulated virtual machine.
    Vm,
}

impl Place {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Machine => "machine",
            Self::Vm => "vm",
        }
    }
}

/// A case that needs nothing but fathom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Unique; the family, then what tells it apart.
    pub id: String,
    pub truth: Truth,
    pub place: Place,
    /// What `fathom explain` is given: target, workload and ceilings.
    pub arguments: Vec<String>,
}

/// Words of a line as arguments.
pub fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truth_says_what_is_right_and_what_is_a_false_alarm() {
        let two = Truth::Binds(vec!["volume_iops", "volume_throughput"]);
        assert!(two.allows("volume_iops") && two.allows("volume_throughput") && !two.allows("link"));
        assert!(!two.is_false_alarm("link"), "wrong, but something does bind");
        assert!(Truth::Nothing.allows("demand") && Truth::Nothing.is_false_alarm("link"));
        assert!(!Truth::Nothing.is_false_alarm("unknown") && !Truth::Nothing.allows("unknown"));
        let outside = Truth::Outside(vec!["volume_throughput"]);
        assert!(outside.allows("unknown") && outside.allows("volume_throughput"));
        assert!(outside.is_false_alarm("volume_iops") && !outside.is_false_alarm("volume_throughput"));
    }
}
