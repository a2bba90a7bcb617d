//! What a run is expected to reach by another one: N drives do N times what one does, as far as the links carry it.

use fathom_record::expectation::Expectation;
use fathom_record::{CeilingRate, CeilingScope, Direction, Fault, KnownCeiling, RunRecord};
use fathom_stats::student;

use crate::cells::rates_by_second;

/// Groups of seconds that an interval is from: seconds follow each other, so that each by itself would say less than it
/// seems to.
const GROUPS: usize = 8;

/// Holds a run against so many times another one; `link_bytes_per_s` is what the links to the target carry together, in
/// place of what is known of them.
///
/// # Errors
/// Where one has no rate, or they are different work.
pub fn expectation(
    run: &RunRecord,
    (of, times): (&RunRecord, u32),
    link_bytes_per_s: Option<f64>,
) -> Result<Expectation, Fault> {
    differs(run, of)?;
    let (rate, one) = (run.summary.operations_per_s(), of.summary.operations_per_s());
    if rate <= 0.0 || one <= 0.0 {
        return Err(Fault::from(format!("run {} or {} has no rate", run.id, of.id)));
    }
    let operations_per_s = one * f64::from(times);
    let throughput_bytes_per_s = of.summary.throughput_bytes_per_s() * f64::from(times);
    let link_bytes_per_s = link_bytes_per_s.or_else(|| link(run));
    let carried = link_bytes_per_s.filter(|bytes| (1.0..throughput_bytes_per_s).contains(bytes));
    let capped_operations_per_s =
        carried.map_or(operations_per_s, |bytes| operations_per_s * bytes / throughput_bytes_per_s);
    let reached_share = rate / capped_operations_per_s;
    // Where the link decides, what the other run's seconds differ by does not.
    let of_other = if carried.is_some() { Some(0.0) } else { error_share(of) };
    let interval = error_share(run).zip(of_other).map(|(own, other)| {
        let half = own.hypot(other).min(1.0);
        [reached_share * (1.0 - half), reached_share * (1.0 + half)]
    });
    let latency = |run: &RunRecord| run.summary.service_mean_ns().filter(|ns| *ns > 0.0);
    Ok(Expectation {
        of: of.id.clone(),
        times,
        operations_per_s,
        throughput_bytes_per_s,
        link_bytes_per_s,
        capped_operations_per_s,
        reached_share,
        interval,
        latency_ratio: latency(run).zip(latency(of)).map(|(own, other)| own / other),
    })
}

/// Refuses work that another run's rate says nothing about.
fn differs(run: &RunRecord, of: &RunRecord) -> Result<(), Fault> {
    let (own, other) = (&run.workload, &of.workload);
    let what = if own.mix != other.mix {
        "directions"
    } else if own.sizes != other.sizes {
        "block sizes"
    } else if own.addresses.is_random() != other.addresses.is_random() {
        "addresses"
    } else {
        return Ok(());
    };
    Err(Fault::from(format!("run {} has other {what}, so that it lets nothing be expected", of.id)))
}

/// Half-width of the interval of a run's mean rate at 95 %, as a share of it.
fn error_share(run: &RunRecord) -> Option<f64> {
    let rates = rates_by_second(run);
    let each = rates.len() / GROUPS;
    let groups: Vec<f64> = rates.chunks_exact(each.max(1)).take(GROUPS).filter_map(student::mean).collect();
    student::mean_interval(&groups).filter(|interval| interval.runs >= 3)?.half_width_share()
}

/// Bytes a second that the links on the way to the target carry: of reads and writes together, as a link carries both
/// at once.
fn link(run: &RunRecord) -> Option<f64> {
    let is_link = |ceiling: &&KnownCeiling| ceiling.scope == CeilingScope::Link && !ceiling.burst;
    let rate = |direction: Option<Direction>| {
        let of = run.ceilings.iter().filter(is_link).filter(|ceiling| ceiling.direction == direction);
        of.filter_map(|ceiling| match ceiling.rate {
            CeilingRate::Throughput { bytes_per_s } => Some(bytes_per_s),
            CeilingRate::Iops { .. } => None,
        })
        .min_by(f64::total_cmp)
    };
    let shares =
        [(Direction::Read, run.workload.mix.read_share), (Direction::Write, run.workload.mix.write_share())];
    // Whichever way fills first bounds both.
    let one_way = shares
        .into_iter()
        .filter(|(_, share)| *share > 0.0)
        .filter_map(|(direction, share)| Some(rate(Some(direction))? / share));
    one_way.chain(rate(None)).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rate: f64, id: &str) -> RunRecord {
        let record = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut run = fathom_record::parse_run(record).expect("a record");
        run.id = id.to_owned();
        run.workload.mix.read_share = 1.0;
        run.workload.mix.trim_share = 0.0;
        run.ceilings.clear();
        run.summary.directions.truncate(1);
        let read = &mut run.summary.directions[0];
        (read.operations_per_s, read.throughput_bytes_per_s) = (rate, rate * 4096.0);
        run
    }

    fn linked(mut run: RunRecord, bytes_per_s: f64) -> RunRecord {
        run.ceilings.push(KnownCeiling {
            scope: CeilingScope::Link,
            direction: Some(Direction::Read),
            ..KnownCeiling::declared(CeilingRate::Throughput { bytes_per_s })
        });
        run
    }

    #[test]
    fn drives_add_up_until_the_link_is_full() {
        let one = run(1_000.0, "r-one");
        let free = expectation(&run(7_600.0, "r-all"), (&one, 8), None).unwrap();
        assert_eq!((free.operations_per_s, free.capped_operations_per_s), (8_000.0, 8_000.0));
        assert!((free.reached_share - 0.95).abs() < 1e-9 && !free.is_capped());
        // The link has room for 7,500 of 4 KiB.
        let full = expectation(&linked(run(7_425.0, "r-all"), 7_500.0 * 4096.0), (&one, 8), None).unwrap();
        assert!((full.capped_operations_per_s - 7_500.0).abs() < 1e-6 && full.is_capped());
        assert!((full.reached_share - 0.99).abs() < 1e-9, "{full:?}");
        let wide = expectation(&linked(run(7_600.0, "r-all"), 1e12), (&one, 8), None).unwrap();
        assert!(!wide.is_capped() && wide.link_bytes_per_s == Some(1e12));
    }

    #[test]
    fn other_work_lets_nothing_be_expected() {
        let mut other = run(1_000.0, "r-one");
        other.workload.mix.read_share = 0.5;
        let fault = expectation(&run(7_600.0, "r-all"), (&other, 8), None).unwrap_err();
        assert!(fault.cause.contains("r-one") && fault.cause.contains("directions"), "{fault}");
        assert!(expectation(&run(0.0, "r-all"), (&run(1.0, "r-one"), 8), None).is_err());
    }
}
