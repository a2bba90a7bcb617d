//! The run's service latency compared with the block layer's time: how much of it, at the mean and at each
//! quantile, lay before the block layer, inside and after it, and what is left over.
//!
//! Quantiles of a sum are not sums of quantiles, so the parts are those of the very I/Os that make up a
//! quantile: pairs of one I/O as the run and as the block layer saw it. The figure they are held against
//! is not theirs: it is the quantile of all of the run's I/Os, whether they were found again or not.

use fathom_measure::Histogram;
use fathom_record::witness::{
    LatencyParts, QuantileDifference, WitnessDirection, WitnessExplanation, WitnessStage,
};
use fathom_record::{Direction, LatencySummary, SparseHistogram};

use super::{Pair, Pairing, TraceDirection};

/// Quantiles that are set side by side.
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// I/Os beyond a quantile that it takes for it to mean more than one stall.
const BEYOND: f64 = 10.0;

/// Pairs to each side of a quantile that are averaged: at least, and at most as a share of those beyond.
const AROUND: usize = 5;
const AROUND_SHARE: f64 = 0.01;

/// How far from the quantile's own pair the service latency of the others may be, as a share of it, however
/// few they are then: in a steep tail the mean of a wide stretch is not its middle.
const ALIKE: f64 = 0.01;

/// Above this share of I/Os that only one side has, it is said.
const UNEQUAL: f64 = 0.02;

/// One direction as the run itself saw it, from its start to its end.
#[derive(Debug, Default)]
pub struct RunDirection {
    /// Submission to reaping, of I/Os that ended well.
    pub service: Histogram,
    /// I/Os that failed or came up short: the block layer may have seen them, the histogram has not.
    pub failed: u64,
}

/// How I/Os were chosen and how well their stamps compare.
#[derive(Clone, Copy, Debug)]
pub struct SamplingFacts {
    /// One sector in so many was kept.
    pub one_in: u64,
    /// Chosen I/Os that could not be kept, of all directions.
    pub missed: u64,
    /// How far a stamp of one clock may be off on the other.
    pub uncertainty_ns: u64,
}

/// Sets one direction side by side; `None` where neither side finished any I/O.
pub fn direction(
    which: Direction,
    ours: &RunDirection,
    seen: &TraceDirection,
    pairing: &Pairing,
    sampled: SamplingFacts,
) -> Option<WitnessDirection> {
    let operations = operations(ours);
    let ios = seen.total.count();
    if operations + ios == 0 {
        return None;
    }
    let explanation = explanation(ours, seen, pairing, sampled);
    let unexplained = obstacle(which, ours, seen, pairing, explanation.as_ref());
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
        unexplained,
    })
}

fn operations(ours: &RunDirection) -> u64 {
    ours.service.count() + ours.failed
}

fn stage(histogram: &Histogram) -> Option<WitnessStage> {
    let summary = LatencySummary::of(histogram)?;
    Some(WitnessStage { summary, histogram: SparseHistogram::from(histogram) })
}

/// What makes the comparison less than whole.
fn obstacle(
    which: Direction,
    ours: &RunDirection,
    seen: &TraceDirection,
    pairing: &Pairing,
    explanation: Option<&WitnessExplanation>,
) -> Option<String> {
    let (count, ios) = (ours.service.count(), seen.total.count());
    let apart = pairing.run_alone + pairing.ambiguous;
    let whole = pairing.pairs.len() as u64 + apart;
    if which == Direction::Flush && operations(ours) == 0 {
        return Some(format!("the run asked for none: the kernel sent {ios} for its durable writes"));
    }
    if count == 0 || ios == 0 {
        return Some(format!("the run finished {count} I/Os and the block layer {ios}"));
    }
    if explanation.is_none() {
        let why = match which {
            Direction::Flush => "a flush lies nowhere that it could be found again by",
            _ => {
                "none of the run's I/Os was found again: the file system does not say where they lie, or the kernel cut or joined them"
            }
        };
        return Some(why.to_owned());
    }
    if explanation.is_some_and(|e| e.contradictions * 1000 > e.pairs) {
        let many = explanation.map_or(0, |e| e.contradictions);
        return Some(format!("{many} I/Os lie in the block layer outside the run's own stamps"));
    }
    if apart as f64 > UNEQUAL * whole as f64 {
        return Some(format!(
            "{apart} of {whole} I/Os that were looked for were not found again in the block layer"
        ));
    }
    if ours.failed > 0 {
        return Some(format!(
            "{} I/Os failed, which the block layer counts and the run does not",
            ours.failed
        ));
    }
    (count.abs_diff(ios) as f64 > UNEQUAL * count as f64)
        .then(|| format!("the run's {count} I/Os were {ios} in the block layer"))
}

fn explanation(
    ours: &RunDirection,
    seen: &TraceDirection,
    pairing: &Pairing,
    sampled: SamplingFacts,
) -> Option<WitnessExplanation> {
    let mut pairs = pairing.pairs.clone();
    let mean = parts(&pairs)?;
    pairs.sort_unstable_by_key(Pair::service_ns);
    let tolerance = sampled.uncertainty_ns as i64;
    let outside = |pair: &&Pair| pair.before_ns < -tolerance || pair.after_ns < -tolerance;
    let quantile = |q: f64| {
        let (service_ns, block_ns) = (ours.service.quantile(q)?, seen.total.quantile(q)?);
        let fewer = pairs.len().min(ours.service.count() as usize) as f64;
        if (1.0 - q) * fewer < BEYOND - 1e-6 {
            return None;
        }
        let parts = parts(around(&pairs, q))?;
        let left_over_share = (service_ns as f64 - parts.sum_ns()) / service_ns.max(1) as f64;
        let apart = pairing.run_alone + pairing.ambiguous + sampled.missed;
        let parts_range_ns = range_ns(&pairs, q, apart, sampled.one_in > 1);
        Some(QuantileDifference { q, service_ns, block_ns, parts, left_over_share, parts_range_ns })
    };
    let service_mean_ns = ours.service.mean()?;
    Some(WitnessExplanation {
        one_in: sampled.one_in,
        pairs: pairs.len() as u64,
        run_alone: pairing.run_alone,
        block_alone: pairing.block_alone,
        ambiguous: pairing.ambiguous,
        missed: sampled.missed,
        contradictions: pairs.iter().filter(outside).count() as u64,
        mean,
        mean_left_over_share: (service_mean_ns - mean.sum_ns()) / service_mean_ns.max(1.0),
        quantiles: QUANTILES.into_iter().filter_map(quantile).collect(),
    })
}

/// The pairs that make up a quantile, of all in ascending order: some to each side of it.
fn around(pairs: &[Pair], q: f64) -> &[Pair] {
    let many = pairs.len() as f64;
    // The rank that a histogram's quantile has: the first value with a share of q at or below it.
    let rank = ((q * many).ceil() as usize).clamp(1, pairs.len()) - 1;
    let half = (AROUND_SHARE * (1.0 - q) * many) as usize;
    let half = half.max(AROUND).min(rank).min(pairs.len() - 1 - rank);
    let own_ns = pairs[rank].service_ns();
    let alike = |pair: &Pair| own_ns.abs_diff(pair.service_ns()) as f64 <= ALIKE * own_ns as f64;
    let is_flat = |&half: &usize| alike(&pairs[rank - half]) && alike(&pairs[rank + half]);
    let half = (0..=half).rev().find(is_flat).unwrap_or(0);
    &pairs[rank - half..=rank + half]
}

/// Sums of the parts at the first and the last place among the ascending pairs that the quantile `q` of all I/Os
/// can have, of which `apart` are not among them: they may all lie above it, or all below (worst-case bounds of
/// missing data: Manski, *Partial Identification of Probability Distributions*, chapter 1). Where the pairs are a
/// sample, two standard errors of its rank are added to each side. `None` of no pairs.
fn range_ns(pairs: &[Pair], q: f64, apart: u64, is_sample: bool) -> Option<[u64; 2]> {
    let found = pairs.len() as f64;
    let apart_share = apart as f64 / (found + apart as f64);
    let chance = if is_sample { 2.0 * (q * (1.0 - q) / found).sqrt() } else { 0.0 };
    let low = (q - apart_share) / (1.0 - apart_share) - chance;
    let high = q / (1.0 - apart_share) + chance;
    let at = |share: f64| {
        let rank = (share.clamp(0.0, 1.0) * found).ceil() as usize;
        pairs.get(rank.clamp(1, pairs.len().max(1)) - 1).map(|pair| pair.service_ns().max(0) as u64)
    };
    Some([at(low)?, at(high)?])
}

/// Mean parts; `None` of no pairs.
fn parts(pairs: &[Pair]) -> Option<LatencyParts> {
    let mean =
        |part: fn(&Pair) -> i64| pairs.iter().map(|pair| part(pair) as f64).sum::<f64>() / pairs.len() as f64;
    (!pairs.is_empty()).then(|| LatencyParts {
        before_ns: mean(|pair| pair.before_ns),
        inside_ns: mean(|pair| pair.inside_ns as i64),
        after_ns: mean(|pair| pair.after_ns),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Passage, TraceSummary};
    use super::*;

    const SAMPLED: SamplingFacts = SamplingFacts { one_in: 1, missed: 0, uncertainty_ns: 100 };

    /// A run whose parts are known, as both sides see it: before, queue, device, after.
    fn drawn(ios: &[(u32, u32, u32, u32)]) -> (RunDirection, TraceSummary, Pairing) {
        let (mut ours, mut seen, mut pairing) =
            (RunDirection::default(), TraceSummary::default(), Pairing::default());
        for &(before, queue, device, after) in ios {
            let block = u64::from(queue) + u64::from(device);
            ours.service.record(u64::from(before) + block + u64::from(after));
            let issued_ns = Some(u64::from(queue));
            seen.count(Direction::Read, &Passage { issued_ns, ended_ns: block, ..Passage::default() });
            let (before_ns, after_ns) = (i64::from(before), i64::from(after));
            pairing.pairs.push(Pair { before_ns, inside_ns: block, after_ns });
        }
        (ours, seen, pairing)
    }

    fn explained(ours: &RunDirection, seen: &TraceSummary, pairing: &Pairing) -> WitnessDirection {
        direction(Direction::Read, ours, &seen.directions[0], pairing, SAMPLED).unwrap()
    }

    /// 20,000 I/Os of which one in fifty waits long after the block layer.
    fn with_a_tail() -> Vec<(u32, u32, u32, u32)> {
        (0..20_000u32)
            .map(|i| {
                let after = if i % 50 == 0 { 300_000 + i } else { 5_000 };
                (2_000, 3_000, 60_000 + (i % 500) * 100, after)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn means_are_the_truth(
            ios in prop::collection::vec(
                (0..100_000u32, 0..1_000_000u32, 0..10_000_000u32, 0..100_000u32), 1..200),
        ) {
            let (ours, seen, pairing) = drawn(&ios);
            let found = explained(&ours, &seen, &pairing).explanation.expect("pairs");
            let mean = |part: fn(&(u32, u32, u32, u32)) -> u32| {
                ios.iter().map(|io| f64::from(part(io))).sum::<f64>() / ios.len() as f64
            };
            prop_assert!((found.mean.before_ns - mean(|io| io.0)).abs() < 1.0);
            prop_assert!((found.mean.after_ns - mean(|io| io.3)).abs() < 1.0);
            prop_assert!((found.mean.inside_ns - mean(|io| io.1 + io.2)).abs() < 1.0);
            prop_assert!(found.mean_left_over_share.abs() < 1e-6);
        }
    }

    #[test]
    fn a_tail_after_the_block_layer_is_shown_there() {
        let (ours, seen, pairing) = drawn(&with_a_tail());
        let found = explained(&ours, &seen, &pairing);
        assert_eq!(found.unexplained, None);
        let [middle, p99, p999] = found.explanation.unwrap().quantiles[..] else { panic!("three quantiles") };
        assert_eq!((middle.parts.before_ns.round(), middle.parts.after_ns.round()), (2_000.0, 5_000.0));
        for tail in [p99, p999] {
            assert!(tail.parts.after_ns > 300_000.0, "{tail:?}");
            assert!(tail.service_ns > 2 * tail.block_ns, "the block layer's own quantile knows of no wait");
        }
        for quantile in [middle, p99, p999] {
            assert!(quantile.left_over_share.abs() < 0.01, "{quantile:?}: more than the buckets' width");
        }
    }

    #[test]
    fn a_tail_that_was_not_found_again_is_left_over() {
        let (ours, seen, mut pairing) = drawn(&with_a_tail());
        pairing.pairs.retain(|pair| pair.after_ns < 300_000);
        pairing.run_alone = 400;
        let found = explained(&ours, &seen, &pairing).explanation.unwrap();
        let worst = found.worst_left_over().unwrap();
        assert!(worst.left_over_share > 0.5, "{worst:?}");
        assert!(worst.unexplained_share() > 0.5, "nothing that was found is as long: {worst:?}");
        assert!(found.mean_left_over_share > 0.03, "{found:?}");
    }

    #[test]
    fn i_os_that_were_lost_explain_a_cliff_and_no_more() {
        // One in a hundred waits long, so that the 99th percentile lies at the foot of a cliff.
        let ios: Vec<_> = (0..20_000u32)
            .map(|i| (1_000, 2_000, if i % 100 == 0 { 900_000 + i } else { 60_000 + i }, 9_000))
            .collect();
        let (ours, seen, whole) = drawn(&ios);
        let p99 = |pairing: &Pairing| {
            let found = explained(&ours, &seen, pairing).explanation.unwrap();
            *found.quantiles.iter().find(|quantile| quantile.q == 0.99).unwrap()
        };
        let mut lost = whole.clone();
        let mut number = 0;
        lost.pairs.retain(|pair| {
            number += 1;
            pair.inside_ns > 100_000 || number % 100 != 50
        });
        lost.run_alone = (whole.pairs.len() - lost.pairs.len()) as u64;
        assert!(lost.run_alone > 0);
        let found = p99(&lost);
        assert!(found.left_over_share < -1.0 && found.unexplained_share() < 0.02, "{found:?}");
        // The same without a loss that was counted is explained by nothing.
        lost.run_alone = 0;
        let found = p99(&lost);
        assert!(found.unexplained_share() > 1.0, "{found:?}");
    }

    #[test]
    fn what_makes_it_less_than_whole_is_said() {
        let (ours, seen, pairing) = drawn(&with_a_tail());
        let why =
            |ours: &RunDirection, pairing: &Pairing| explained(ours, &seen, pairing).unexplained.unwrap();
        assert!(why(&ours, &Pairing::default()).contains("found again"));
        let apart = Pairing { ambiguous: 300, run_alone: 200, ..pairing.clone() };
        assert!(why(&ours, &apart).starts_with("500 of 20500"));
        let mut outside = pairing.clone();
        outside.pairs.iter_mut().take(40).for_each(|pair| pair.before_ns = -101);
        assert!(why(&ours, &outside).starts_with("40 I/Os lie"));
        let failed = RunDirection { service: ours.service.clone(), failed: 3 };
        assert!(why(&failed, &pairing).starts_with("3 I/Os failed"));
        let nothing = direction(
            Direction::Trim,
            &RunDirection::default(),
            &TraceDirection::default(),
            &Pairing::default(),
            SAMPLED,
        );
        assert!(nothing.is_none());
        let flushes = direction(
            Direction::Flush,
            &RunDirection::default(),
            &seen.directions[0],
            &Pairing::default(),
            SAMPLED,
        );
        let said = flushes.unwrap().unexplained.unwrap();
        assert!(said.contains("sent 20000 for its durable writes"), "{said}");
    }

    #[test]
    fn pairs_around_a_quantile_are_near_it() {
        let pairs: Vec<Pair> =
            (0..10_000).map(|inside_ns| Pair { before_ns: 0, inside_ns, after_ns: 0 }).collect();
        let mean = |q| parts(around(&pairs, q)).unwrap().inside_ns;
        assert_eq!((mean(0.5), mean(0.99), mean(0.999)), (4_999.0, 9_899.0, 9_989.0));
        assert_eq!((mean(0.0), mean(1.0)), (0.0, 9_999.0));
        assert_eq!(around(&pairs, 0.999).len(), 11);
    }

    #[test]
    fn a_quantile_at_a_cliff_is_not_averaged_over_it() {
        let ios: Vec<_> = (0..3_000u32)
            .map(|i| (1_000, 2_000, if i >= 2_968 { 3_900_000 + i * 1_000 } else { 60_000 + i }, 9_000))
            .collect();
        let (ours, seen, pairing) = drawn(&ios);
        let found = explained(&ours, &seen, &pairing).explanation.unwrap();
        let p99 = found.quantiles.last().unwrap();
        assert!(p99.q == 0.99 && p99.left_over_share.abs() < 0.01, "{p99:?}");
    }
}
