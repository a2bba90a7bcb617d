//! The run's service latency beside the block layer's time: what of the difference lies before the
//! block layer, what after it, and what is left over.
//!
//! Means follow from sums alone. With the same I/Os on both sides and one clock, the mean arrival in
//! the block layer less the mean submission stamp is the time before it; what the service latency
//! has beyond that and the block layer's own time is the time after it. No I/O has to be found again.
//! Quantiles of a sum are not sums of quantiles, so the means say of a quantile's difference only as
//! much as they can: what they leave over is given as a share of the quantile.

use fathom_measure::Histogram;
use fathom_record::witness::{Explanation, QuantileDifference, Stage, WitnessDirection};
use fathom_record::{Direction, LatencySummary, SparseHistogram};

use super::SeenDirection;

/// Quantiles that are set side by side.
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// I/Os beyond a quantile that it takes for it to mean more than one stall.
const BEYOND: f64 = 10.0;

/// Above this share of I/Os that only one side has, the two sides are not compared.
const UNEQUAL: f64 = 0.02;

/// One direction as the run itself saw it, from its start to its end.
#[derive(Debug, Default)]
pub struct Ours {
    /// Submission to reaping, of I/Os that ended well.
    pub service: Histogram,
    /// Sum of their submission stamps from the run's origin, in nanoseconds modulo 2^64.
    pub submitted_sum_ns: u64,
    /// I/Os that failed or came up short: the block layer may have seen them, the histogram has not.
    pub failed: u64,
}

/// How a stamp of the witness's clock, counted from its base, becomes one of the run's, counted from
/// its origin: `run = witness - shift_ns - drift_share * witness`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Relation {
    /// What the witness's clock, from its base, shows when the run's shows zero from its origin.
    pub shift_ns: i64,
    /// By how much the witness's clock runs faster, as a share of its time.
    pub drift_share: f64,
    /// Length of the run, to tell how often a sum has gone round.
    pub span_ns: u64,
}

/// Sets one direction side by side; `None` where neither side finished any I/O.
pub fn direction(
    which: Direction,
    ours: &Ours,
    seen: &SeenDirection,
    relation: &Relation,
) -> Option<WitnessDirection> {
    let operations = ours.service.count() + ours.failed;
    let ios = seen.total.count();
    if operations + ios == 0 {
        return None;
    }
    let obstacle = obstacle(ours, seen);
    let explanation = if obstacle.is_none() { explanation(ours, seen, relation) } else { None };
    let obstacle = obstacle.or_else(|| {
        let (before_ns, after_ns) = explanation.as_ref().and_then(|e| e.before_mean_ns.zip(e.after_mean_ns))?;
        (before_ns < 0.0 || after_ns < 0.0).then(|| {
            format!("the clocks contradict each other: {before_ns:.0} ns before the block layer, {after_ns:.0} ns after it")
        })
    });
    let unseen = ours.service.count().abs_diff(ios);
    let obstacle = obstacle.or_else(|| {
        (unseen > 0)
            .then(|| format!("{unseen} of {operations} I/Os are in one of the two distributions only"))
    });
    Some(WitnessDirection {
        direction: which,
        operations,
        ios,
        merged: seen.merged,
        cuts: seen.cuts,
        unissued: seen.unissued,
        scheduled: seen.scheduled,
        scheduled_mean_ns: (seen.scheduled > 0).then(|| seen.scheduled_sum_ns as f64 / seen.scheduled as f64),
        service: stage(&ours.service),
        queue: stage(&seen.queue),
        device: stage(&seen.device),
        total: stage(&seen.total),
        explanation,
        unexplained: obstacle,
    })
}

fn stage(histogram: &Histogram) -> Option<Stage> {
    let summary = LatencySummary::of(histogram)?;
    Some(Stage { summary, histogram: SparseHistogram::from(histogram) })
}

/// Why the two sides are not the same I/Os.
fn obstacle(ours: &Ours, seen: &SeenDirection) -> Option<String> {
    let (count, ios) = (ours.service.count(), seen.total.count());
    let differ = count.abs_diff(ios) as f64;
    if ours.failed > 0 {
        return Some(format!("{} I/Os failed, so the two sides do not hold the same I/Os", ours.failed));
    }
    if count == 0 || ios == 0 {
        return Some(format!("the run finished {count} I/Os and the block layer {ios}"));
    }
    (differ > UNEQUAL * count as f64)
        .then(|| format!("the run's {count} I/Os were {ios} in the block layer: these are not the same I/Os"))
}

fn explanation(ours: &Ours, seen: &SeenDirection, relation: &Relation) -> Option<Explanation> {
    let (service_mean_ns, block_mean_ns) = (ours.service.mean()?, seen.total.mean()?);
    let explained_ns = service_mean_ns - block_mean_ns;
    // The split needs every arrival: one more on either side outweighs what is looked for.
    let equal = seen.arrivals == ours.service.count();
    let before_mean_ns = equal.then(|| mean_before_ns(ours, seen, relation));
    let after_mean_ns = before_mean_ns.map(|before_ns| explained_ns - before_ns);
    let quantile = |q: f64| {
        if (1.0 - q) * (ours.service.count() as f64) < BEYOND - 1e-6 {
            return None;
        }
        let (service_ns, block_ns) = (ours.service.quantile(q)?, seen.total.quantile(q)?);
        let left_over = service_ns as f64 - block_ns as f64 - explained_ns;
        let left_over_share = left_over / service_ns.max(1) as f64;
        Some(QuantileDifference { q, service_ns, block_ns, explained_ns, left_over_share })
    };
    Some(Explanation {
        service_mean_ns,
        before_mean_ns,
        block_mean_ns,
        after_mean_ns,
        quantiles: QUANTILES.into_iter().filter_map(quantile).collect(),
    })
}

/// Mean arrival in the block layer less the mean submission stamp, of equally many I/Os.
fn mean_before_ns(ours: &Ours, seen: &SeenDirection, relation: &Relation) -> f64 {
    let count = ours.service.count();
    // Both sums are modulo 2^64, and so is their difference; it is small, so its sign is its upper bit.
    let shifted = (relation.shift_ns as u64).wrapping_mul(count);
    let difference = seen.queued_sum_ns.wrapping_sub(ours.submitted_sum_ns).wrapping_sub(shifted) as i64;
    let whole = u128::from(count) * u128::from(relation.span_ns);
    // Where the sum has gone round, the middle of the run stands for the mean.
    let mean_stamp_ns = if whole < u128::from(u64::MAX) {
        ours.submitted_sum_ns as f64 / count as f64
    } else {
        relation.span_ns as f64 / 2.0
    };
    let mean_witness_ns = mean_stamp_ns + relation.shift_ns as f64;
    difference as f64 / count as f64 - relation.drift_share * mean_witness_ns
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Passage, Seen};
    use super::*;

    /// Draws a run whose parts are known, and gives it to both sides.
    fn drawn(ios: &[(u64, u32, u32, u32, u32)], shift_ns: i64) -> (Ours, Seen) {
        let (mut ours, mut seen) = (Ours::default(), Seen::default());
        for &(submitted, before, queue, device, after) in ios {
            let block = u64::from(queue) + u64::from(device);
            ours.service.record(u64::from(before) + block + u64::from(after));
            ours.submitted_sum_ns = ours.submitted_sum_ns.wrapping_add(submitted);
            let queued_ns = (submitted + u64::from(before)).wrapping_add_signed(shift_ns);
            let issued_ns = queued_ns.wrapping_add(u64::from(queue));
            let ended_ns = queued_ns.wrapping_add(block);
            let passage = Passage { queued_ns, inserted_ns: None, issued_ns: Some(issued_ns), ended_ns };
            seen.arrive(Direction::Read, queued_ns);
            seen.count(Direction::Read, &passage);
        }
        (ours, seen)
    }

    proptest! {
        #[test]
        fn means_are_found_again_whatever_the_clocks_zero(
            ios in prop::collection::vec(
                (0..1u64 << 45, 0..100_000u32, 0..1_000_000u32, 0..10_000_000u32, 0..100_000u32), 1..200),
            shift in (1i64 << 46)..1i64 << 50,
        ) {
            let (ours, seen) = drawn(&ios, shift);
            let relation = Relation { shift_ns: shift, drift_share: 0.0, span_ns: 1 << 45 };
            let found = direction(Direction::Read, &ours, &seen.directions[0], &relation).unwrap();
            let found = found.explanation.expect("the same I/Os on both sides");
            let mean = |part: fn(&(u64, u32, u32, u32, u32)) -> u32| {
                ios.iter().map(|io| f64::from(part(io))).sum::<f64>() / ios.len() as f64
            };
            prop_assert!((found.before_mean_ns.unwrap() - mean(|io| io.1)).abs() < 1.0);
            prop_assert!((found.after_mean_ns.unwrap() - mean(|io| io.4)).abs() < 1.0);
            prop_assert!((found.block_mean_ns - mean(|io| io.2) - mean(|io| io.3)).abs() < 1.0);
        }
    }

    fn steady(after_ns: u32) -> Vec<(u64, u32, u32, u32, u32)> {
        (0..20_000u64)
            .map(|i| (i * 50_000, 2_000, 3_000, 60_000 + (i % 500) as u32 * 100, after_ns))
            .collect()
    }

    #[test]
    fn constant_parts_explain_every_quantile() {
        let (ours, seen) = drawn(&steady(5_000), 777);
        let relation = Relation { shift_ns: 777, drift_share: 0.0, span_ns: 1_000_000_000 };
        let found = direction(Direction::Read, &ours, &seen.directions[0], &relation).unwrap();
        assert_eq!(found.unexplained, None);
        let explained = found.explanation.unwrap();
        assert_eq!(explained.quantiles.len(), 3);
        for quantile in explained.quantiles {
            assert_eq!(quantile.explained_ns.round(), 7_000.0);
            assert!(quantile.left_over_share.abs() < 0.008, "{quantile:?}: more than the buckets' width");
        }
    }

    #[test]
    fn a_tail_after_the_block_layer_is_left_over_and_not_explained_away() {
        let mut ios = steady(5_000);
        ios.iter_mut().step_by(50).for_each(|io| io.4 = 300_000);
        let (ours, seen) = drawn(&ios, 0);
        let found = direction(
            Direction::Read,
            &ours,
            &seen.directions[0],
            &Relation { span_ns: 1 << 30, ..Default::default() },
        );
        let explained = found.unwrap().explanation.unwrap();
        assert!(explained.worst_left_over().unwrap().left_over_share > 0.5, "{explained:?}");
    }

    #[test]
    fn drift_between_the_clocks_is_taken_out() {
        // 20 ppm over a second is 10 us in the mean: more than the part that is looked for.
        let (ours, mut seen) = drawn(&steady(5_000), 0);
        let stamps = steady(0).iter().map(|io| (io.0 as f64 * 20e-6) as u64).sum::<u64>();
        seen.directions[0].queued_sum_ns += stamps;
        let relation = Relation { shift_ns: 0, drift_share: 20e-6, span_ns: 1_000_000_000 };
        let found = direction(Direction::Read, &ours, &seen.directions[0], &relation).unwrap();
        let before_ns = found.explanation.unwrap().before_mean_ns.unwrap();
        assert!((before_ns - 2_000.0).abs() < 2.0, "{before_ns}");
    }

    #[test]
    fn unequal_sides_are_counted_and_not_explained() {
        let (ours, mut seen) = drawn(&steady(5_000), 0);
        seen.arrive(Direction::Read, 0);
        seen.count(Direction::Read, &Passage { ended_ns: 1, ..Passage::default() });
        let found = direction(Direction::Read, &ours, &seen.directions[0], &Relation::default()).unwrap();
        let means = found.explanation.expect("one I/O in 20,000 does not hide the distributions");
        assert_eq!((means.before_mean_ns, means.after_mean_ns), (None, None), "a split needs every arrival");
        assert!(found.unexplained.unwrap().starts_with("1 of 20000"));
        (0..500).for_each(|_| seen.count(Direction::Read, &Passage { ended_ns: 1, ..Passage::default() }));
        let found = direction(Direction::Read, &ours, &seen.directions[0], &Relation::default()).unwrap();
        assert!(found.explanation.is_none() && found.unexplained.unwrap().contains("20501"));
        assert!(
            direction(Direction::Trim, &Ours::default(), &SeenDirection::default(), &Relation::default())
                .is_none()
        );
        let clockless = Relation { shift_ns: 10_000, span_ns: 1 << 30, ..Relation::default() };
        let (ours, seen) = drawn(&steady(5_000), 0);
        let found = direction(Direction::Read, &ours, &seen.directions[0], &clockless).unwrap();
        assert!(found.unexplained.unwrap().contains("contradict"));
    }
}
