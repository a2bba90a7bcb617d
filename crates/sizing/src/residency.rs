//! Whether network storage suits a database, by where its reads are served from.
//!
//! Rules of a published right-sizing guide (`evaluations/gp3-vs-local-nvme.toml`): reads from memory and
//! asynchronous writes do not wait for a disk; reads of data far larger than memory do.

use fathom_record::sizing_advice::{ResidencyRecord, Suitability};

use crate::demand::Demand;

/// Data this many times as large as memory are far larger: a cache of a tenth serves few random reads.
const FAR_LARGER: f64 = 10.0;
/// Reads a second from which such data call for local disks, as the guide has it.
const MANY_READS_PER_S: f64 = 50_000.0;

/// The advice for so much data and memory.
pub fn advice(demand: &Demand, size_gib: u64, memory_gib: f64) -> ResidencyRecord {
    let sum = |values: &[u64]| values.iter().map(|&v| u128::from(v)).sum::<u128>();
    let writes_dominate = sum(&demand.write.operations) >= sum(&demand.read.operations);
    let ratio = size_gib as f64 / memory_gib.max(f64::MIN_POSITIVE);
    let resident = ratio <= 1.0;
    let peak = demand.read.operations.iter().copied().max().unwrap_or(0);
    let reads_per_s = peak as f64 / f64::from(demand.tick_s.max(1));
    let (advice, because) = if ratio > FAR_LARGER && reads_per_s > MANY_READS_PER_S {
        (
            Suitability::LocalMayBeNeeded,
            format!(
                "{reads_per_s:.0} reads a second of data {ratio:.0} times as large as memory: local NVMe may be needed, and cheaper"
            ),
        )
    } else {
        let (advice, because) = match (resident, writes_dominate) {
            (true, true) => (Suitability::Suits, "the data fit into memory and writes dominate"),
            (true, false) => (Suitability::Suits, "reads come from memory, which holds all data"),
            (false, true) => (
                Suitability::ProbablySuits,
                "mostly writes, which are usually asynchronous and do not wait for the disk",
            ),
            (false, false) => (
                Suitability::MeasureFirst,
                "reads dominate and the data do not fit into memory: measure both at real block sizes and compare the p99",
            ),
        };
        (advice, because.to_owned())
    };
    ResidencyRecord { memory_gib, data_over_memory: ratio, resident, writes_dominate, advice, because }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Flow;

    #[test]
    fn the_guide_s_table_holds() {
        let flow = |rate: u64| Flow { operations: vec![rate; 10], bytes: vec![rate * 4096; 10] };
        let of = |reads, writes, size_gib| {
            let demand =
                Demand { tick_s: 1, read: flow(reads), write: flow(writes), gaps: vec![], counted: None };
            advice(&demand, size_gib, 128.0).advice
        };
        assert_eq!(of(1, 10, 100), Suitability::Suits);
        assert_eq!(of(10, 1, 100), Suitability::Suits);
        assert_eq!(of(1, 10, 1000), Suitability::ProbablySuits);
        assert_eq!(of(10, 1, 1000), Suitability::MeasureFirst);
        assert_eq!(of(60_000, 1, 2000), Suitability::LocalMayBeNeeded);
        assert_eq!(of(60_000, 1, 1000), Suitability::MeasureFirst, "7.8 times is not far larger");
    }
}
