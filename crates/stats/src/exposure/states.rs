//! The table of hidden states: when each is used up, how one can know, and where that is known from.

use fathom_record::exposure_guard::HiddenState;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// Which.
    pub state: HiddenState,
    /// When it is used up.
    pub exhausted: &'static str,
    /// How one can know how it stands.
    pub known_by: &'static str,
    /// Where the rule is from, with its date.
    pub source: &'static str,
}

/// Bytes written over the target's size after which a flash device shows its lasting write rate.
pub const WRITTEN_OVER: f64 = 2.0;
/// Size of the touched data, in caches, from which a read cache answers an eighth at most.
pub const OVER_CACHE: f64 = 8.0;
/// Share of the span that must have been touched before reads are not mostly first reads: 1 - 1/e.
pub const COVERED: f64 = 0.63;
/// Rise of a device's temperature in five minutes below which it has warmed up, in degrees Celsius.
pub const THERMAL_RISE_C: f64 = 1.0;
/// Time over which that rise is taken, in seconds.
pub const THERMAL_SPAN_S: f64 = 300.0;

/// All rows, in the order of [`HiddenState::ALL`].
pub const STATES: [StateRow; 6] = [
    StateRow {
        state: HiddenState::VolumeCredits,
        exhausted: "after B / (x - r) seconds at the rate x, for a bucket of B that refills at r",
        known_by: "the volume's type and size; BurstBalance and its kin in the cloud's metrics",
        source: "AWS EC2 user guide (gp2, st1, sc1; 2023-06-15); Azure managed-disks-bursting (2025-01-14)",
    },
    StateRow {
        state: HiddenState::InstanceCredits,
        exhausted: "after about 30 min at the maximum, once in 24 h",
        known_by: "base and maximum of the instance type; EBSIOBalance% and EBSByteBalance%",
        source: "AWS EC2 user guide, EBS-optimized instances (2023-06-15)",
    },
    StateRow {
        state: HiddenState::WriteCache,
        exhausted: "by bytes, not seconds: twice the capacity written",
        known_by: "bytes written over capacity",
        source: "SNIA SSS-PTS 2.0.1, workload-independent preconditioning",
    },
    StateRow {
        state: HiddenState::ReadCache,
        exhausted: "when the data that is read is eight times the cache and 63 % of it was touched",
        known_by: "the cache's size; direct I/O for the host's own; the share of the span that was touched",
        source: "of uniform reads a cache of 1/8 answers 1/8; 1 - 1/e of a set is touched by as many reads as it has blocks",
    },
    StateRow {
        state: HiddenState::LazyLoad,
        exhausted: "when every block was read once",
        known_by: "whether the volume was made from a snapshot; the share of the span that was touched",
        source: "AWS EBS user guide, initialize volumes (2025-10)",
    },
    StateRow {
        state: HiddenState::Thermal,
        exhausted: "when the temperature rises by less than 1 C in 5 min under load",
        known_by: "the device's own temperature (NVMe health log)",
        source: "NVM Express base specification, SMART / health information log; the limit is a convention",
    },
];

/// The row of a state.
pub fn row(state: HiddenState) -> &'static StateRow {
    &STATES[HiddenState::ALL.iter().position(|other| *other == state).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_row() {
        for state in HiddenState::ALL {
            assert_eq!(row(state).state, state);
            assert!(!row(state).source.is_empty());
        }
    }
}
