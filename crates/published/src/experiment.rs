//! The experiment that would tell what limits a published row, what each answer would mean, and, where the row
//! states all that it takes, what to type.

use fathom_attribute::evidence::{EXPERIMENTS, Feature, table};
use fathom_attribute::experiment_choice::choose;
use fathom_attribute::posterior::{CauseWeight, supports};
use fathom_attribute::symptoms::Symptom;
use fathom_attribute::{experiments, printed};
use fathom_order::InOrder;
use fathom_record::CeilingRate;
use fathom_record::verdict::{Experiment, Limit};

use super::PublishedRow;
use super::row::{Order, Target};
use super::row_bounds::RowBound;

/// Least probability of a candidate that an experiment is proposed for.
const LEAST_OPEN: f64 = 1e-4;
/// The same of a candidate that comes after the second.
const LEAST_LATER: f64 = 0.02;
/// Answers whose logarithms are nearer than this are one answer.
const APART: f64 = 0.1;
/// The same of a cause that shows either of two answers, of which only one decides.
const FAR: f64 = 0.3;
/// Smallest and largest block that a command is written for; blocks are whole sectors.
const SECTOR_BYTES: u64 = 512;
const MAX_BLOCK_BYTES: u64 = 16 << 20;
/// Most jobs and greatest depth that a command is written for.
const MAX_JOBS: u64 = 256;
const MAX_DEPTH: u64 = 4096;
/// How far rate times latency may be from jobs times depth.
const SAME_CONCURRENCY: f64 = 0.1;
/// Factor of the span that tells a cache from a device.
const SPAN_FACTOR: u64 = 8;
/// Rest after which burst credits and caches show, in seconds.
const REST_S: u32 = 900;

/// The experiment that tells the best candidate from the next one that any experiment tells it from. Candidates are
/// what is probable, and what was reached or passed: a bound that a rate lies at or above has to be spoken of.
/// `None` where no experiment has answers that differ.
pub fn next(
    row: &PublishedRow,
    weighed: &[CauseWeight],
    reached: &[RowBound],
    seen: &[Symptom],
) -> Option<Experiment> {
    let met: Vec<Limit> =
        reached.iter().filter(|found| found.nearness().is_near()).map(|found| found.limit()).collect();
    let mut candidates: Vec<CauseWeight> = weighed
        .iter()
        .filter(|w| w.limit != Limit::Unknown && w.probability >= LEAST_OPEN)
        .copied()
        .collect();
    // A bound that was met comes before a guess that is hardly more probable.
    // What no figure speaks for comes last.
    let is_supported = |limit: Limit| seen.iter().any(|seen| supports(table(), limit, &seen.figure));
    let worth = |w: &CauseWeight| {
        let of_met = if met.contains(&w.limit) { 0.2 } else { 0.0 };
        w.probability + of_met - if is_supported(w.limit) { 0.0 } else { 0.1 }
    };
    candidates.put_in_order_by(|a, b| worth(b).total_cmp(&worth(a)));
    let (best, others) = candidates.split_first()?;
    let is_made = |feature: &Feature| seen.iter().any(|seen| seen.figure.feature == *feature);
    let feasible: Vec<Feature> =
        EXPERIMENTS.into_iter().filter(|feature| !is_made(feature) && can_be_made(row, *feature)).collect();
    others
        .iter()
        .enumerate()
        .filter(|(at, other)| *at == 0 || worth(other) >= LEAST_LATER)
        .find_map(|(_, other)| between(row, [best.limit, other.limit], reached, &feasible))
}

/// What tells two causes apart: rather what always does than what does in half of the cases, and rather what the first
/// one has an answer of its own for, which another answer refutes.
fn between(
    row: &PublishedRow,
    [one, other]: [Limit; 2],
    reached: &[RowBound],
    feasible: &[Feature],
) -> Option<Experiment> {
    let even = [one, other].map(|limit| CauseWeight { limit, probability: 0.5 });
    let is_foretold =
        |feature: &Feature| table().cause(one).is_some_and(|cause| cause.figures[feature.index()].is_some());
    let deciding = |decides: fn(&[Answer], &[Answer]) -> bool| {
        let answers = |limit, feature| answers(limit, feature, reached);
        let telling = feasible.iter().copied();
        let telling: Vec<Feature> =
            telling.filter(|feature| decides(&answers(one, *feature), &answers(other, *feature))).collect();
        let foretold: Vec<Feature> = telling.iter().copied().filter(is_foretold).collect();
        choose(table(), &even, &foretold, |_| None).or_else(|| choose(table(), &even, &telling, |_| None))
    };
    let always = |a: &[Answer], b: &[Answer]| a.iter().all(|a| a.is_apart_from_all(b, APART));
    let sometimes = |a: &[Answer], b: &[Answer]| {
        a.iter().any(|a| a.is_apart_from_all(b, FAR)) || b.iter().any(|b| b.is_apart_from_all(a, FAR))
    };
    let experiment = deciding(always).or_else(|| deciding(sometimes))?.experiment;
    Some(Experiment {
        question: table().trial(experiment)?.question.clone(),
        command: command(row, experiment).unwrap_or_default(),
        reading: reading([one, other], experiment, reached),
    })
}

/// What a cause would answer: logarithm of the rate's factor, and how far it usually is from that.
struct Answer {
    mean: f64,
    deviation: f64,
}

impl Answer {
    fn is_apart_from_all(&self, others: &[Answer], least: f64) -> bool {
        let is_apart = |other: &Answer| {
            (self.mean - other.mean).abs() >= self.deviation.hypot(other.deviation).max(least)
        };
        others.iter().all(is_apart)
    }
}

/// What a cause would answer. A limit that the instance's volumes share is one of operations or of bytes: the bound
/// that the row came nearest to says which.
fn answers(limit: Limit, experiment: Feature, reached: &[RowBound]) -> Vec<Answer> {
    let Some(density) = table().density(limit, experiment) else { return Vec::new() };
    let is_size = [Feature::HalfBlock, Feature::DoubleBlock].contains(&experiment);
    let of_limit = reached.iter().filter(|found| found.limit() == limit);
    let nearest = of_limit.min_by(|a, b| a.share.ln().abs().total_cmp(&b.share.ln().abs()));
    let mut all: Vec<Answer> =
        density.peaks().map(|peak| Answer { mean: peak.mean, deviation: peak.deviation }).collect();
    if let Some(bound) = nearest.filter(|_| is_size) {
        // Operations go on at their rate whatever their size, and bytes do not.
        all.put_in_order_by(|a, b| a.mean.abs().total_cmp(&b.mean.abs()));
        match bound.known.rate {
            CeilingRate::Iops { .. } => all.truncate(1),
            CeilingRate::Throughput { .. } => drop(all.drain(..all.len().saturating_sub(1))),
        }
    }
    all
}

/// `2.0 times the rate: a link. 1.0 times: the volume's limit on operations, or one processor.`
fn reading(limits: [Limit; 2], experiment: Feature, reached: &[RowBound]) -> String {
    let mut groups: Vec<(f64, Vec<&str>)> = Vec::new();
    for limit in limits {
        for answer in answers(limit, experiment, reached) {
            let said = |mean: f64| printed::times(mean.exp());
            let is_same = |mean: f64| (mean - answer.mean).abs() < APART || said(mean) == said(answer.mean);
            let name = limit.in_words();
            match groups.iter_mut().find(|(mean, _)| is_same(*mean)) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => groups.push((answer.mean, vec![name])),
            }
        }
    }
    let sentence = |(mean, names): &(f64, Vec<&str>)| {
        format!("{} the rate: {}.", printed::times(mean.exp()), names.join(", or "))
    };
    groups.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// Whether an experiment makes sense on a row, whatever it states beside.
fn can_be_made(row: &PublishedRow, experiment: Feature) -> bool {
    let is_open = row.asked_iops.is_some();
    match experiment {
        Feature::DoubleDepth => !is_open,
        Feature::DoubleJobs => !is_open && row.depth.is_none_or(|depth| depth >= 2.0),
        Feature::HalfBlock => row.block_bytes.is_none_or(|bytes| bytes >= 2.0 * SECTOR_BYTES as f64),
        Feature::Sequential => row.order != Some(Order::Sequential),
        Feature::RawDevice => row.target.is_none_or(|target| target == Target::FileSystem),
        Feature::Purge | Feature::Reads => row.read_share().is_none_or(|share| share < 1.0),
        Feature::Unflushed => row.flushes().is_some_and(|flushes| flushes > 0.0),
        Feature::OneConnection => row.connections.is_some_and(|connections| connections >= 2.0),
        Feature::OtherNode => row.numa.is_some(),
        // What depends on answers before it, or on processors, a table has no place for; what a file or the page cache has to do
        // with a result, it does not say.
        Feature::ManyJobs | Feature::FarBlock => false,
        Feature::OtherFile | Feature::Durable => false,
        _ => true,
    }
}

/// A row's workload in whole numbers.
struct ExactWorkload {
    jobs: u64,
    depth: u64,
    block_bytes: u64,
    span_bytes: Option<u64>,
    is_sequential: bool,
    read_percent: f64,
}

impl ExactWorkload {
    /// `None` where the row does not state block, order, direction and concurrency, or ran on several volumes.
    fn of(row: &PublishedRow) -> Option<Self> {
        let (jobs, depth) = concurrency(row)?;
        Some(Self {
            jobs,
            depth,
            block_bytes: whole(row.block_bytes?)?,
            span_bytes: row.span_bytes.and_then(whole),
            is_sequential: row.order? == Order::Sequential,
            read_percent: row.read_percent?,
        })
        .filter(|_| row.devices.is_none_or(|devices| devices == 1.0))
    }

    fn is_runnable(&self) -> bool {
        let blocks = SECTOR_BYTES..=MAX_BLOCK_BYTES;
        (1..=MAX_JOBS).contains(&self.jobs)
            && (1..=MAX_DEPTH).contains(&self.depth)
            && blocks.contains(&self.block_bytes)
            && self.block_bytes.is_multiple_of(SECTOR_BYTES)
            && self.span_bytes.is_none_or(|span| span.is_multiple_of(self.block_bytes))
    }

    fn flags(&self) -> String {
        let (kind, share) = match self.read_percent {
            100.0 => ("read", String::new()),
            0.0 => ("write", String::new()),
            percent => ("rw", format!(" --read-share {percent:.0}%")),
        };
        let order = if self.is_sequential { "" } else { "rand" };
        let size = self.span_bytes.map_or(String::new(), |bytes| format!(" --size {bytes}"));
        let Self { jobs, depth, block_bytes, .. } = self;
        format!("--rw {order}{kind}{share} --bs {block_bytes}{size} --jobs {jobs} --depth {depth} --time 60s")
    }
}

fn whole(value: f64) -> Option<u64> {
    ((1.0..1e15).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

/// Jobs and depth as stated; one that is not stated is 1 where rate and latency do not contradict it.
fn concurrency(row: &PublishedRow) -> Option<(u64, u64)> {
    let (jobs, depth) = (whole(row.jobs.unwrap_or(1.0))?, whole(row.depth.unwrap_or(1.0))?);
    let in_flight = row.latency_us.zip(row.operations_per_s()).map(|(us, rate)| us / 1e6 * rate);
    let is_same = |count: f64| (count / (jobs * depth) as f64 - 1.0).abs() <= SAME_CONCURRENCY;
    // Jobs alone leave the depth open, unless the law says that it was 1.
    let is_known = match in_flight {
        Some(count) => (row.jobs.is_some() || row.depth.is_some()) && is_same(count),
        None => row.depth.is_some(),
    };
    is_known.then_some((jobs, depth))
}

/// What to type, with targets to be filled in; `None` where the row does not state what it takes, or where it
/// would destroy data that nobody named.
fn command(row: &PublishedRow, experiment: Feature) -> Option<String> {
    let mut typed = ExactWorkload::of(row)?;
    let (mut before, mut targets) = (String::new(), "--target TARGET");
    match experiment {
        Feature::DoubleDepth => typed.depth *= 2,
        Feature::DoubleJobs if typed.depth.is_multiple_of(2) => {
            typed.jobs *= 2;
            typed.depth /= 2;
        }
        Feature::HalfBlock if typed.block_bytes.is_multiple_of(2) => typed.block_bytes /= 2,
        Feature::DoubleBlock => typed.block_bytes *= 2,
        Feature::Sequential => typed.is_sequential = true,
        Feature::Reads => typed.read_percent = 100.0,
        Feature::Repeat => {}
        Feature::LargerSpan => typed.span_bytes = Some(typed.span_bytes?.checked_mul(SPAN_FACTOR)?),
        Feature::SecondTarget => {
            // Jobs work on the targets in turn, so that each has as much in flight as the one had.
            typed.jobs *= 2;
            targets = "--target TARGET --target SECOND_TARGET";
        }
        Feature::RawDevice if typed.read_percent == 100.0 => targets = "--target DEVICE_BELOW",
        Feature::Idle => before = format!("sleep {REST_S} && "),
        _ => return None,
    }
    let rate = row.asked_iops.map_or(String::new(), |rate| format!(" --rate {rate:.0}"));
    let done = experiments::what_was_done(experiment);
    let line = || format!("{before}fathom run {targets} {}{rate}   # {done}", typed.flags());
    typed.is_runnable().then(line)
}

#[cfg(test)]
mod tests {
    use fathom_record::{CeilingScope, KnownCeiling};

    use super::*;

    fn row() -> PublishedRow {
        PublishedRow {
            block_bytes: Some(4096.0),
            read_percent: Some(100.0),
            order: Some(Order::Random),
            jobs: Some(4.0),
            depth: Some(32.0),
            iops: Some(16_000.0),
            latency_us: Some(8000.0),
            ..PublishedRow::default()
        }
    }

    fn typed(row: &PublishedRow, experiment: Feature) -> String {
        command(row, experiment).unwrap_or_default()
    }

    #[test]
    fn a_command_does_what_it_says() {
        let depth = typed(&row(), Feature::DoubleDepth);
        let expected = "fathom run --target TARGET --rw randread --bs 4096 --jobs 4 --depth 64 --time 60s   # Twice the depth";
        assert_eq!(depth, expected);
        let half = typed(&row(), Feature::HalfBlock);
        assert!(half.contains("--bs 2048") && half.ends_with("# Half the block size"), "{half}");
        let jobs = typed(&row(), Feature::DoubleJobs);
        assert!(jobs.contains("--jobs 8 --depth 16"), "{jobs}");
        let second = typed(&row(), Feature::SecondTarget);
        assert!(second.contains("--target TARGET --target SECOND_TARGET --rw"), "{second}");
        assert!(second.contains("--jobs 8 --depth 32"), "{second}");
        assert!(second.ends_with("# Together with a second target"), "{second}");
        let below = typed(&row(), Feature::RawDevice);
        assert!(below.contains("--target DEVICE_BELOW"), "{below}");
        assert!(typed(&row(), Feature::Idle).starts_with("sleep 900 && fathom run"));
        let mixed = PublishedRow { read_percent: Some(70.0), span_bytes: Some(8192.0), ..row() };
        let larger = typed(&mixed, Feature::LargerSpan);
        assert!(larger.contains("--rw randrw --read-share 70% --bs 4096 --size 65536"), "{larger}");
    }

    #[test]
    fn no_command_is_written_for_what_a_row_does_not_state() {
        let none = |row: PublishedRow, experiment| assert_eq!(typed(&row, experiment), "", "{row:?}");
        none(PublishedRow { block_bytes: None, ..row() }, Feature::DoubleBlock);
        none(PublishedRow { read_percent: None, ..row() }, Feature::Repeat);
        none(PublishedRow { devices: Some(2.0), ..row() }, Feature::Repeat);
        none(PublishedRow { span_bytes: None, ..row() }, Feature::LargerSpan);
        // The law says 473 in flight, whatever depth a reader would assume.
        let busy = PublishedRow { jobs: None, depth: None, latency_us: Some(29_560.0), ..row() };
        none(busy.clone(), Feature::DoubleDepth);
        none(PublishedRow { jobs: Some(1.0), ..busy }, Feature::DoubleDepth);
        // Writes below a file system would destroy it, and blocks end at a sector.
        none(PublishedRow { read_percent: Some(0.0), ..row() }, Feature::RawDevice);
        none(PublishedRow { block_bytes: Some(4.0), ..row() }, Feature::HalfBlock);
        // One job that waits for each I/O has a depth of 1, as the law says.
        let lone = PublishedRow { jobs: Some(1.0), depth: None, latency_us: Some(62.5), ..row() };
        assert!(typed(&lone, Feature::DoubleDepth).contains("--jobs 1 --depth 2"));
    }

    #[test]
    fn the_bound_that_was_reached_says_what_other_blocks_would_do() {
        let reached = |rate, share| RowBound {
            known: KnownCeiling { scope: CeilingScope::Instance, ..KnownCeiling::declared(rate) },
            share,
            operations_per_s: None,
            name: "the instance's".to_owned(),
            credits: None,
            each: None,
        };
        let bytes = reached(CeilingRate::Throughput { bytes_per_s: 6e8 }, 1.0);
        let operations = reached(CeilingRate::Iops { operations_per_s: 4e4 }, 0.3);
        let said = |reached: &[RowBound]| {
            reading([Limit::InstanceCap, Limit::OneCore], Feature::DoubleBlock, reached)
        };
        let shared = Limit::InstanceCap.in_words();
        assert!(said(&[operations.clone(), bytes]).starts_with(&format!("0.5 times the rate: {shared}.")));
        assert!(said(&[operations]).starts_with(&format!("1.0 times the rate: {shared}.")));
        // Where nobody says which, both are possible.
        assert!(said(&[]).contains("1.0 times") && said(&[]).contains("0.5 times"), "{}", said(&[]));
    }

    #[test]
    fn answers_that_are_equal_decide_nothing() {
        let both = [Limit::Concurrency, Limit::Interference];
        let repeat = between(&row(), both, &[], &[Feature::Repeat]);
        assert_eq!(repeat, None, "neither changes when it is run again");
        let depth = between(&row(), both, &[], &[Feature::Repeat, Feature::DoubleDepth]).unwrap();
        assert!(depth.command.ends_with("# Twice the depth"), "{depth:?}");
        assert!(depth.reading.contains("1.9 times the rate: too few I/Os in flight."), "{depth:?}");
    }
}
