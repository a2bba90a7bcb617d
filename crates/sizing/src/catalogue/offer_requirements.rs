//! Which types of volumes may be offered: those that were named, within a latency, that boot, and disks with seek
//! times only where the I/Os suit them.

use super::volume::{Fact, Volumes};

/// What an offer has to be beside holding the demand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferRequirements {
    /// Types that may be offered, e.g. `gp3`; empty: all, but for disks with seek times where I/Os are random.
    pub types: Vec<String>,
    /// Documented latency at most, in nanoseconds.
    pub latency_ns: Option<u64>,
    /// Whether a machine has to boot from it.
    pub boots: bool,
}

/// A type that is on offer and was not considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedType {
    /// The type, as `st1`.
    pub volume: &'static str,
    /// Why.
    pub reason: String,
}

/// What is said of disks where nobody named them.
const SEEKS: &str = "a disk with seek times: offered by default only for I/Os of 1 MiB, or that a trace shows to be sequential";

impl OfferRequirements {
    /// Why a type of these facts is left out whatever the demand; `None` where it may be offered.
    pub(super) fn refuses(&self, volume: &str, facts: &str, volumes: &Volumes) -> Option<String> {
        if !self.types.is_empty() && !self.names(volume) {
            return Some("not named by --types".to_owned());
        }
        let fact = |attribute: &str| volumes.fact(facts, attribute);
        if self.boots && fact("boot").or_else(|| fact("os_disk")).is_some_and(|fact| fact.value == "no") {
            return Some("no machine boots from it".to_owned());
        }
        let most_ns = self.latency_ns?;
        let Some(below) = fact("latency_below") else {
            return Some("no latency of it is documented".to_owned());
        };
        let below_us: u64 = below.value.parse().unwrap_or(u64::MAX);
        (below_us.saturating_mul(1000) > most_ns).then(|| documented(below, fact("latency")))
    }

    /// Why a disk with seek times is left out of the offers for a demand.
    pub(super) fn refuses_seeks(&self, volume: &str, sequential: bool) -> Option<String> {
        (!sequential && !self.names(volume)).then(|| SEEKS.to_owned())
    }

    fn names(&self, volume: &str) -> bool {
        self.types.iter().any(|name| name == volume)
    }
}

fn documented(below: &Fact, words: Option<&Fact>) -> String {
    match words {
        Some(words) => format!("documented latency: {}", words.value),
        None => format!("documented latency: below {} {}", below.value, below.unit),
    }
}
