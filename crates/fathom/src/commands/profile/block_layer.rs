//! What programs in the kernel counted of a device's I/Os, as a profile says it.

use std::collections::BTreeMap;

use fathom_order::InOrder;
use fathom_record::profile_record::{BlockLayer, GapQuantile, ProcessShare, SizeMix};
use fathom_sizing::demand_profile::mix_of_counts;
use fathom_telemetry::blocktrace::block_demand::{BlockDemand, DirectionDemand};

/// Gaps at these shares are told.
const QUANTILES: [f64; 4] = [0.01, 0.5, 0.99, 0.999];
/// Names of processes that are listed.
const LISTED: usize = 16;

/// The sizes of one direction; absent without I/Os.
pub fn sizes(direction: &DirectionDemand) -> Option<SizeMix> {
    mix_of_counts(&direction.sizes, direction.bytes)
}

/// All but the sizes.
pub fn of(asked: &BlockDemand) -> BlockLayer {
    let [reads, writes] = &asked.directions;
    let sequential = |direction: &DirectionDemand| share(direction.sequential, direction.operations);
    let gaps: u64 = asked.gaps.iter().map(|(_, _, count)| count).sum();
    let mean_ns = (gaps > 0).then(|| asked.gap_sum_ns as f64 / gaps as f64);
    BlockLayer {
        operations: reads.operations + writes.operations,
        after_merging: asked.requests,
        read_sequential_share: sequential(reads),
        write_sequential_share: sequential(writes),
        gap_mean_ns: mean_ns,
        gap_variation: mean_ns.filter(|mean| *mean > 0.0).map(|mean| variation(&asked.gaps, mean)),
        gap_quantiles: quantiles(&asked.gaps, gaps),
        processes: processes(asked),
        cost_share: asked.cost_share(),
        run_ns: asked.cost.filter(|cost| cost.runs > 0).map(|cost| cost.time_ns as f64 / cost.runs as f64),
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Variance over squared mean, each gap taken to lie in the middle of its bucket.
fn variation(gaps: &[(u64, u64, u64)], mean_ns: f64) -> f64 {
    let count: u64 = gaps.iter().map(|(_, _, count)| count).sum();
    let squares = gaps.iter().map(|&(low, high, count)| {
        let apart = (low as f64 + high as f64) / 2.0 - mean_ns;
        apart * apart * count as f64
    });
    squares.sum::<f64>() / count.max(1) as f64 / (mean_ns * mean_ns)
}

fn quantiles(gaps: &[(u64, u64, u64)], all: u64) -> Vec<GapQuantile> {
    let at = |q: f64| {
        let rank = (q * all as f64).ceil() as u64;
        let mut below = 0;
        let bucket = gaps.iter().find(|(_, _, count)| {
            below += count;
            below >= rank
        });
        bucket.map(|&(_, at_most_ns, _)| GapQuantile { q, at_most_ns })
    };
    if all == 0 { Vec::new() } else { QUANTILES.into_iter().filter_map(at).collect() }
}

fn processes(asked: &BlockDemand) -> Vec<ProcessShare> {
    // Name: processes, reads, I/Os, bytes.
    let mut names: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for submitter in &asked.submitters {
        let sums = names.entry(&submitter.name).or_default();
        let [reads, writes] = submitter.operations;
        let added = [1, reads, reads + writes, submitter.bytes.iter().sum()];
        sums.iter_mut().zip(added).for_each(|(sum, more)| *sum += more);
    }
    let (operations, bytes) =
        names.values().fold((0, 0), |(operations, bytes), sums| (operations + sums[2], bytes + sums[3]));
    let mut list: Vec<ProcessShare> = names
        .into_iter()
        .filter(|(_, sums)| sums[2] > 0)
        .map(|(name, [processes, reads, of_name, moved])| ProcessShare {
            name: name.to_owned(),
            processes,
            operations_share: share(of_name, operations).unwrap_or(0.0),
            bytes_share: share(moved, bytes).unwrap_or(0.0),
            read_share: share(reads, of_name).unwrap_or(0.0),
        })
        .collect();
    list.put_in_order_by(|a, b| b.operations_share.total_cmp(&a.operations_share));
    list.truncate(LISTED);
    list
}

#[cfg(test)]
mod tests {
    use fathom_telemetry::blocktrace::block_demand::{Submitter, TracingCost};

    use super::*;

    #[test]
    fn counts_become_shares_gaps_and_names() {
        let direction = |operations, sequential| DirectionDemand {
            operations,
            bytes: operations * 4096,
            sequential,
            sizes: vec![(4096, operations)],
        };
        let submitter = |process, name: &str, operations| Submitter {
            process,
            name: name.to_owned(),
            operations,
            bytes: [operations[0] * 4096, operations[1] * 4096],
        };
        let asked = BlockDemand {
            directions: [direction(75, 15), direction(25, 25)],
            gaps: vec![(800, 1000, 98), (8000, 10_000, 1)],
            gap_sum_ns: 99_000,
            submitters: vec![
                submitter(1, "db", [50, 0]),
                submitter(2, "db", [25, 0]),
                submitter(3, "log", [0, 25]),
            ],
            requests: true,
            seconds: 1,
            missed: 0,
            cost: Some(TracingCost { timed_ns: 1_000_000_000, runs: 100, time_ns: 20_000 }),
        };
        let seen = of(&asked);
        assert_eq!((seen.read_sequential_share, seen.write_sequential_share), (Some(0.2), Some(1.0)));
        // Of a device with requests each I/O is a bio and a request.
        assert_eq!((seen.cost_share, seen.run_ns), (Some(4e-5), Some(200.0)));
        let at: Vec<u64> = seen.gap_quantiles.iter().map(|quantile| quantile.at_most_ns).collect();
        assert_eq!(at, [1000, 1000, 10_000, 10_000]);
        let db = &seen.processes[0];
        assert_eq!(
            (db.name.as_str(), db.processes, db.operations_share, db.read_share),
            ("db", 2, 0.75, 1.0)
        );
        assert_eq!(sizes(&asked.directions[0]).map(|mix| mix.mean_bytes), Some(4096.0));
        assert_eq!(of(&BlockDemand::default()).gap_mean_ns, None);
    }
}
