//! What other patterns of the same target answer about one: those that differ from it in one property were its experiment.
//!
//! Blocks of another size that are not twice or half as large answer for those that are, where both patterns are full: with
//! larger blocks a target does no more operations and moves no fewer bytes. What neither follows from stays open.

use fathom_attribute::evidence::Feature;
use fathom_attribute::{ExperimentAnswer, InferredAnswer};
use fathom_record::run_record::RunEnding;
use fathom_record::workload::{Addresses, Length, Sizes};
use fathom_record::{RunRecord, Workload};

/// Standard error of a ratio of two patterns' rates, where they were not made for one another.
const RATIO_ERROR: f64 = 0.03;
/// A rate within this share of the highest is as high.
const AS_HIGH: f64 = 0.05;

/// The highest rate of one pattern.
#[derive(Clone, Debug)]
pub struct Peak<'a> {
    workload: &'a Workload,
    operations_per_s: f64,
    /// Whether twice as much in flight was tried and brought no more.
    is_full: bool,
}

impl<'a> Peak<'a> {
    /// Of the runs of one pattern on one target; `None` where there is none.
    pub fn of(runs: &'a [RunRecord]) -> Option<Self> {
        let rate = |run: &RunRecord| run.summary.operations_per_s();
        let in_flight = |run: &RunRecord| u64::from(run.workload.jobs) * u64::from(run.workload.depth);
        // What was cut off has no rate of its own.
        let whole = || runs.iter().filter(|run| run.ending == RunEnding::Complete);
        let fastest = whole().max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
        let as_high = whole().filter(|run| rate(run) >= rate(fastest) * (1.0 - AS_HIGH));
        let least = as_high.map(in_flight).min()?;
        let most = whole().map(in_flight).max()?;
        Some(Self {
            workload: &fastest.workload,
            operations_per_s: rate(fastest),
            is_full: !fastest.workload.arrival.is_open() && most >= 2 * least,
        })
    }
}

/// What the other patterns answer about the one at this place; all are of one target and engine.
pub fn answers(peaks: &[Option<Peak<'_>>], at: usize) -> Vec<ExperimentAnswer> {
    let Some(own) = peaks.get(at).and_then(Option::as_ref) else { return Vec::new() };
    let others =
        || peaks.iter().enumerate().filter(|(index, _)| *index != at).filter_map(|(_, p)| p.as_ref());
    let mut found: Vec<ExperimentAnswer> = Vec::new();
    let measured = others().filter_map(|other| made(own, other));
    let inferred = others().filter_map(|other| inferred(own, other));
    for answer in measured.chain(inferred) {
        // What was measured at that very size comes first, and what is told in full before what is told by a bound.
        match found.iter_mut().find(|known| known.experiment == answer.experiment) {
            None => found.push(answer),
            Some(known) if is_bound(known) && !is_bound(&answer) => *known = answer,
            Some(_) => {}
        }
    }
    found
}

fn is_bound(answer: &ExperimentAnswer) -> bool {
    answer.inferred.is_some_and(|inferred| inferred.is_bound)
}

/// The experiment that leads from one pattern to another, where they differ in its property alone.
fn made(own: &Peak<'_>, other: &Peak<'_>) -> Option<ExperimentAnswer> {
    let (a, b) = (pattern_of(own.workload), pattern_of(other.workload));
    let experiment = if same_but_size(&a, &b) {
        match (block(&a)?, block(&b)?) {
            (own, other) if other * 2 == own => Feature::HalfBlock,
            (own, other) if other == own * 2 => Feature::DoubleBlock,
            _ => return None,
        }
    } else {
        let same_but_order = Workload { addresses: a.addresses.clone(), ..b.clone() } == a;
        let becomes_sequential = a.addresses != Addresses::Sequential && b.addresses == Addresses::Sequential;
        (same_but_order && becomes_sequential).then_some(Feature::Sequential)?
    };
    Some(ExperimentAnswer {
        experiment,
        operations_per_s: other.operations_per_s,
        before_per_s: own.operations_per_s,
        error_share: RATIO_ERROR,
        inferred: None,
    })
}

/// What blocks of any other size say about twice or half the block.
fn inferred(own: &Peak<'_>, other: &Peak<'_>) -> Option<ExperimentAnswer> {
    let (a, b) = (pattern_of(own.workload), pattern_of(other.workload));
    let (from, to) = (block(&a)?, block(&b)?);
    let times = to as f64 / from as f64;
    if !(own.is_full && other.is_full) || (0.5..=2.0).contains(&times) {
        return None;
    }
    let ratio = other.operations_per_s / own.operations_per_s;
    let experiment = if times > 1.0 { Feature::DoubleBlock } else { Feature::HalfBlock };
    let step: f64 = if times > 1.0 { 2.0 } else { 0.5 };
    let is_near = |law: f64| (ratio / law).ln().abs() <= AS_HIGH;
    let in_full = |change: f64| Some((change, false));
    // The same bytes in another order are the same limit too; whatever else differs by order says nothing of size.
    let (change, is_bound) = match same_but_size(&a, &b) {
        _ if same_but_size_and_order(&a, &b) && is_near(1.0 / times) => in_full(1.0 / step),
        true if is_near(1.0) => in_full(1.0),
        // No larger block does more operations: twice the block does as many as one that is larger still, or more.
        true if times > 1.0 && ratio > (1.0 + AS_HIGH) / step => Some((ratio.min(1.0), true)),
        // No smaller block moves more bytes: half the block does at least what a still smaller one moved.
        true if times < 1.0 && ratio * times / step > 1.0 + AS_HIGH => Some((ratio * times / step, true)),
        _ => None,
    }?;
    Some(ExperimentAnswer {
        experiment,
        operations_per_s: own.operations_per_s * change,
        before_per_s: own.operations_per_s,
        error_share: RATIO_ERROR,
        inferred: Some(InferredAnswer {
            block_bytes: to,
            operations_per_s: other.operations_per_s,
            is_bound,
        }),
    })
}

/// A workload without what varies between cells.
pub fn pattern_of(workload: &Workload) -> Workload {
    Workload { jobs: 1, depth: 1, seed: 0, length: Length::default(), ..workload.clone() }
}

fn block(workload: &Workload) -> Option<u64> {
    match (&workload.sizes.read, &workload.sizes.write) {
        (Sizes::Fixed { bytes: read }, Sizes::Fixed { bytes: write }) if read == write => Some(*read),
        _ => None,
    }
}

fn same_but_size(a: &Workload, b: &Workload) -> bool {
    Workload { sizes: a.sizes.clone(), ..b.clone() } == *a
}

fn same_but_size_and_order(a: &Workload, b: &Workload) -> bool {
    same_but_size(a, &Workload { addresses: a.addresses.clone(), ..b.clone() })
}

#[cfg(test)]
mod tests {
    use fathom_record::workload::{Arrival, Data, Mix, SizesByDirection};

    use super::*;

    fn workload(bytes: u64, addresses: Addresses) -> Workload {
        Workload {
            special: None,
            mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
            addresses,
            sizes: SizesByDirection::all(Sizes::Fixed { bytes }),
            offset_bytes: 0,
            span_bytes: None,
            alignment_bytes: None,
            data: Data::default(),
            arrival: Arrival::Closed,
            jobs: 1,
            depth: 1,
            length: Length::default(),
            seed: 0,
        }
    }

    /// Rates of full patterns by block size in KiB; sequential ones are negative.
    fn told(patterns: &[(i64, f64)], at: usize) -> Vec<(Feature, f64, bool)> {
        let workloads: Vec<Workload> = patterns
            .iter()
            .map(|(kib, _)| {
                let order = if *kib < 0 { Addresses::Sequential } else { Addresses::RandomCycle };
                workload(kib.unsigned_abs() << 10, order)
            })
            .collect();
        let peaks: Vec<Option<Peak<'_>>> = workloads
            .iter()
            .zip(patterns)
            .map(|(workload, (_, rate))| Some(Peak { workload, operations_per_s: *rate, is_full: true }))
            .collect();
        let in_short = |answer: ExperimentAnswer| {
            let ratio = answer.operations_per_s / answer.before_per_s;
            (answer.experiment, (ratio * 1000.0).round() / 1000.0, is_bound(&answer))
        };
        answers(&peaks, at).into_iter().map(in_short).collect()
    }

    #[test]
    fn blocks_of_any_other_size_answer_for_twice_and_half_the_block() {
        use Feature::{DoubleBlock, HalfBlock, Sequential};
        // A volume of 3,000 I/Os and 125 MiB a second: small blocks meet the one limit, large ones the other.
        let volume = [(4, 3000.0), (64, 2000.0), (-1024, 125.0)];
        assert_eq!(told(&volume, 0), [(DoubleBlock, 0.667, true)]);
        assert_eq!(told(&volume, 1), [(DoubleBlock, 0.5, false)]);
        assert_eq!(told(&volume, 2), [(HalfBlock, 2.0, false)]);
        // The same operations whatever the size, and the same bytes.
        assert_eq!(told(&[(4, 3000.0), (16, 3010.0)], 0), [(DoubleBlock, 1.0, false)]);
        assert_eq!(told(&[(4, 3000.0), (16, 3010.0)], 1), [(HalfBlock, 1.0, false)]);
        assert_eq!(told(&[(4, 4000.0), (16, 1000.0)], 1), [(HalfBlock, 2.0, false)]);
        // What was measured at that very size comes before what follows from others.
        assert_eq!(told(&[(4, 3000.0), (64, 2000.0), (8, 2900.0)], 0), [(DoubleBlock, 0.967, false)]);
        // A smaller block that moved less than half the bytes says nothing, nor does another order of addresses.
        assert_eq!(told(&[(4, 3000.0), (64, 2000.0)], 1), []);
        assert_eq!(told(&[(4, 3000.0), (-64, 2900.0)], 0), []);
        assert_eq!(told(&[(4, 3000.0), (-4, 9000.0)], 0), [(Sequential, 3.0, false)]);
    }

    #[test]
    fn a_rate_that_still_climbs_says_nothing_of_other_blocks() {
        let (small, large) =
            (workload(4096, Addresses::RandomCycle), workload(65_536, Addresses::RandomCycle));
        let peak = |workload, is_full| Some(Peak { workload, operations_per_s: 3000.0, is_full });
        assert_eq!(answers(&[peak(&small, false), peak(&large, true)], 0), []);
        assert_eq!(answers(&[peak(&small, true), peak(&large, false)], 0), []);
        assert_eq!(answers(&[peak(&small, true), peak(&large, true)], 0).len(), 1);
        assert_eq!(answers(&[None, peak(&large, true)], 0), []);
    }
}
