//! Brings a target into its lasting state before it is measured, by bytes and not by time: all blocks
//! declared unused where that is asked for and permitted, twice the size written in sequence, then random
//! overwrite until its rate is steady or as many bytes are written as it may take.
//!
//! SNIA SSS-PTS 2.0.1 for purge and workload-independent preconditioning (128 KiB in sequence, twice the
//! capacity); the overwrite ends by the gates of [`fathom_stats::steady`]. Each run writes a part, so that
//! what was stopped goes on with the next part.

use fathom_engine::{EngineError, ErrorKind};
use fathom_record::campaign::{
    AssessPlan, PreconditionEnd, PreconditionKind, PreconditionPlan, PreconditionStage, Preconditioning,
};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::run_record::RunEnding;
use fathom_record::steadiness::Steadiness;
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_record::{RunRecord, Workload};
use fathom_stats::search::Cell;

use super::quality;
use super::steps;
use super::work::AssessTools;
use crate::error::CampaignError;
use crate::progress::{Progress, StepNotice};
use crate::single_run::Session;

/// Steps of the journal that belong to it.
pub const PREFIX: &str = "precondition/";

/// Sizes of the span that are written in sequence.
const FILLS: u64 = 2;
/// Runs for each of them at least.
const FILL_PARTS: u64 = 4;
/// A larger part of a fill would take long to write again after it was stopped: this is some minutes on a hard
/// disk.
const MOST_FILL_BYTES: u64 = 64 << 30;
/// Sizes of the span that are overwritten at random at most.
const OVERWRITES: u64 = 2;
/// Runs for each of them, unless they would be shorter than [`SHORTEST_PART_S`] or longer than
/// [`LONGEST_PART_S`].
const OVERWRITE_PARTS: u64 = 16;
/// A part is as many bytes as are overwritten in this time at least: gates take whole seconds.
const SHORTEST_PART_S: f64 = 20.0;
/// And in this time at most: the gates are looked at after each part, and what was stopped is written again.
const LONGEST_PART_S: f64 = 60.0;
const FILL_IO_BYTES: u64 = 128 << 10;
const OVERWRITE_IO_BYTES: u64 = 4 << 10;
const PURGE_IO_BYTES: u64 = 1 << 20;
/// Concurrency of every run: enough for most devices to write as fast as they can.
const CELL: Cell = Cell::new(1, 32);

/// One run to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PreconditionRun {
    kind: PreconditionKind,
    first_byte: u64,
    span_bytes: u64,
    bytes: u64,
}

/// What is done to a span, run by run.
struct PreconditionRuns {
    span_bytes: u64,
    purge: bool,
}

impl PreconditionRuns {
    /// The part after those that were made.
    fn next(&self, made: &[RunRecord]) -> Option<PreconditionRun> {
        let whole = |kind, bytes| PreconditionRun { kind, first_byte: 0, span_bytes: self.span_bytes, bytes };
        let number = made.len() as u64;
        if self.purge && number == 0 {
            return Some(whole(PreconditionKind::Purge, self.span_bytes));
        }
        let number = number - u64::from(self.purge);
        let least = FILL_PARTS.max(self.span_bytes.div_ceil(MOST_FILL_BYTES));
        let unit = self.span_bytes / least / PURGE_IO_BYTES * PURGE_IO_BYTES;
        // Less than a MiB a part is filled as a whole.
        let parts = if unit == 0 { 1 } else { least };
        if number < FILLS * parts {
            let place = number % parts;
            let span_bytes = if place + 1 == parts { self.span_bytes - place * unit } else { unit };
            let bytes = (span_bytes / FILL_IO_BYTES * FILL_IO_BYTES).max(FILL_IO_BYTES);
            return Some(PreconditionRun {
                kind: PreconditionKind::Fill,
                first_byte: place * unit,
                span_bytes,
                bytes,
            });
        }
        let written: u64 =
            of_kind(made, PreconditionKind::Overwrite).filter_map(|run| run.ledger.bytes_written).sum();
        let left = (OVERWRITES * self.span_bytes).saturating_sub(written);
        let in_time = |seconds: f64| (overwrite_rate(made) * seconds) as u64;
        let (shortest, longest) = (in_time(SHORTEST_PART_S), in_time(LONGEST_PART_S));
        let part = (self.span_bytes / OVERWRITE_PARTS).min(longest).max(shortest).max(OVERWRITE_IO_BYTES);
        let bytes = part.min(left) / OVERWRITE_IO_BYTES * OVERWRITE_IO_BYTES;
        (bytes > 0).then(|| whole(PreconditionKind::Overwrite, bytes))
    }

    /// Bytes still to be written at most.
    fn left_bytes(&self, made: &[RunRecord]) -> u64 {
        let written: u64 = made.iter().filter_map(|run| run.ledger.bytes_written).sum();
        ((FILLS + OVERWRITES) * self.span_bytes).saturating_sub(written)
    }
}

/// Bytes per second of the random overwrite: of its last part, and before it as many I/Os per second as the
/// fill made.
fn overwrite_rate(made: &[RunRecord]) -> f64 {
    if let Some(last) = of_kind(made, PreconditionKind::Overwrite).last() {
        return rate(std::iter::once(last));
    }
    rate(of_kind(made, PreconditionKind::Fill)) * OVERWRITE_IO_BYTES as f64 / FILL_IO_BYTES as f64
}

/// Bytes written per second.
fn rate<'a>(runs: impl Iterator<Item = &'a RunRecord>) -> f64 {
    let add = |(bytes, seconds), run: &RunRecord| {
        (bytes + run.ledger.bytes_written.unwrap_or(0), seconds + run.ledger.seconds)
    };
    let (bytes, seconds) = runs.fold((0, 0.0), add);
    if seconds > 0.0 { bytes as f64 / seconds } else { 0.0 }
}

fn of_kind(made: &[RunRecord], kind: PreconditionKind) -> impl Iterator<Item = &RunRecord> {
    made.iter().filter(move |run| kind_of(run) == kind)
}

fn kind_of(run: &RunRecord) -> PreconditionKind {
    match (run.workload.mix.trim_share > 0.0, &run.workload.addresses) {
        (true, _) => PreconditionKind::Purge,
        (false, Addresses::Sequential) => PreconditionKind::Fill,
        (false, _) => PreconditionKind::Overwrite,
    }
}

/// Why all blocks are not declared unused, if they are not. A device needs the permit, a file that was
/// not made here is somebody's.
fn not_purged(plan: &AssessPlan, target: &TargetFacts, permits: &[String]) -> Option<String> {
    match plan.precondition {
        PreconditionPlan::None | PreconditionPlan::Auto => Some("it was not asked for".to_owned()),
        PreconditionPlan::Full if target.kind == TargetKind::Simulated || target.scratch => None,
        PreconditionPlan::Full if is_device(target) && !permits.is_empty() => None,
        PreconditionPlan::Full if is_device(target) => {
            Some("not permitted: it takes --destroy with its name".to_owned())
        }
        PreconditionPlan::Full => Some("the file was there before".to_owned()),
    }
}

/// Whether all of it is one device's blocks.
fn is_device(target: &TargetFacts) -> bool {
    matches!(target.kind, TargetKind::BlockDevice | TargetKind::FabricNamespace)
}

/// Refuses a purge that was asked for by its name and may not be made.
///
/// # Errors
/// With what to type.
pub fn admit(plan: &AssessPlan, session: &Session, permits: &[String]) -> Result<(), CampaignError> {
    if plan.precondition != PreconditionPlan::Full || plan.thorough {
        return Ok(());
    }
    let Some(reason) = not_purged(plan, session.target(), permits) else { return Ok(()) };
    let place = format!("purging {}", plan.target);
    let error = EngineError::new(ErrorKind::Refused, place, reason)
        .with_remedy("type --precondition auto, which writes without a purge");
    Err(error.into())
}

/// What came of it.
pub struct PreconditionOutcome {
    pub ledger: Preconditioning,
    pub runs: Vec<RunRecord>,
}

/// Preconditions, after the runs that were made before.
///
/// # Errors
/// When a run cannot be made or saved.
pub fn perform(
    work: &mut AssessTools<'_>,
    plan: &AssessPlan,
    permits: &[String],
    progress: &mut dyn Progress,
) -> Result<PreconditionOutcome, CampaignError> {
    let from_ns = work.budget.clock_ns();
    let mut made = work.runner.runs_of(PREFIX)?;
    let target = work.session.target();
    let span_bytes = plan.size_bytes.map_or(target.size_bytes, |size| size.min(target.size_bytes));
    let mut not_purged = not_purged(plan, target, permits);
    let parts = PreconditionRuns { span_bytes, purge: not_purged.is_none() };
    let mut ended = PreconditionEnd::BytesSpent;
    let mut steadiness = None;
    // Measurements that were begun end it, whatever the gates would say now.
    let over = work.runner.finished().iter().any(|(step, _)| !step.starts_with(PREFIX));
    loop {
        steadiness = judged(&made, span_bytes).or(steadiness);
        if steadiness.as_ref().is_some_and(|steady: &Steadiness| steady.verdict.is_settled()) {
            ended = PreconditionEnd::Steady;
            break;
        }
        let Some(part) = parts.next(&made).filter(|_| !over) else { break };
        if work.runner.is_stopped() {
            ended = PreconditionEnd::Stopped;
            break;
        }
        progress.step(&notice(&parts, &made, part));
        let key = format!("{PREFIX}{:04}/{}", made.len(), part.kind.name().replace(' ', "-"));
        let workload = workload(work.session, plan, part, made.len());
        let run = work.make(&key, &workload, progress)?;
        if run.ending == RunEnding::Interrupted {
            ended = PreconditionEnd::Stopped;
            break;
        }
        let run = work.save(&key, run, progress)?;
        let failed = failure(&run);
        made.push(run);
        match (failed, part.kind) {
            (Some(error), PreconditionKind::Purge) => {
                not_purged = Some(format!("the target refused: {error}"))
            }
            (Some(_), _) => {
                ended = PreconditionEnd::Failed;
                break;
            }
            (None, _) => {}
        }
    }
    if not_purged.is_none() {
        not_purged = made.first().and_then(failure).map(|error| format!("the target refused: {error}"));
    }
    work.budget.exempt_since(from_ns);
    let ledger = Preconditioning {
        span_bytes,
        capacity_bytes: quality::capacity_bytes(work.session.target()),
        stages: stages(&made, span_bytes),
        not_purged,
        steadiness,
        ended,
    };
    Ok(PreconditionOutcome { ledger, runs: made })
}

/// Why a run did not do what it was for.
fn failure(run: &RunRecord) -> Option<String> {
    match &run.ending {
        RunEnding::Failed { error } => Some(error.clone()),
        _ => {
            let errors: u64 = run.summary.directions.iter().filter_map(|direction| direction.errors).sum();
            (errors > 0).then(|| format!("{errors} I/Os failed"))
        }
    }
}

/// The overwrite's seconds, judged.
fn judged(made: &[RunRecord], span_bytes: u64) -> Option<Steadiness> {
    let runs: Vec<&RunRecord> = of_kind(made, PreconditionKind::Overwrite).collect();
    let last = *runs.last()?;
    let all: Vec<&RunRecord> = made.iter().collect();
    let guard = quality::guard_of(last, &all, span_bytes);
    Some(quality::judge_always(&runs, &guard))
}

fn stages(made: &[RunRecord], span_bytes: u64) -> Vec<PreconditionStage> {
    let kinds = [PreconditionKind::Purge, PreconditionKind::Fill, PreconditionKind::Overwrite];
    let stage = |kind| {
        let runs: Vec<&RunRecord> = of_kind(made, kind).collect();
        let bytes = match kind {
            PreconditionKind::Purge => {
                runs.iter().flat_map(|run| &run.summary.directions).filter_map(|d| d.bytes).sum()
            }
            _ => runs.iter().filter_map(|run| run.ledger.bytes_written).sum::<u64>(),
        };
        (!runs.is_empty()).then(|| PreconditionStage {
            kind,
            bytes,
            over_span: bytes as f64 / span_bytes.max(1) as f64,
            seconds: runs.iter().map(|run| run.ledger.seconds).sum(),
            runs: runs.iter().map(|run| run.id.clone()).collect(),
        })
    };
    kinds.into_iter().filter_map(stage).collect()
}

fn workload(session: &Session, plan: &AssessPlan, part: PreconditionRun, number: usize) -> Workload {
    let (trim_share, io_bytes, addresses) = match part.kind {
        PreconditionKind::Purge => (1.0, PURGE_IO_BYTES.min(part.span_bytes), Addresses::Sequential),
        PreconditionKind::Fill => (0.0, FILL_IO_BYTES, Addresses::Sequential),
        PreconditionKind::Overwrite => (0.0, OVERWRITE_IO_BYTES, Addresses::RandomCycle),
    };
    let mut workload = Workload {
        mix: Mix { read_share: 0.0, trim_share, flush_every_writes: 0 },
        addresses,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: io_bytes }),
        offset_bytes: part.first_byte,
        span_bytes: Some(part.span_bytes),
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 1,
        length: Length { bytes: Some(part.bytes), ..Length::default() },
        seed: plan.seed.wrapping_add(number as u64),
        special: None,
    };
    let cell = steps::grid(session, &workload).clamp(CELL);
    (workload.jobs, workload.depth) = (cell.jobs, cell.depth);
    workload
}

fn notice(parts: &PreconditionRuns, made: &[RunRecord], part: PreconditionRun) -> StepNotice {
    let rate = rate(made.last().into_iter());
    let time_ns = |bytes: u64| (rate > 0.0).then(|| (bytes as f64 / rate * 1e9) as u64);
    StepNotice {
        title: format!("preconditioning, {}", part.kind.name()),
        pattern: (made.len() + 1, made.len() + parts.left_bytes(made).div_ceil(part.bytes) as usize),
        cell: (CELL.jobs, CELL.depth),
        purpose: format!("{} of at most {}", fathom_measure::Bytes(part.bytes), left_text(parts, made)),
        run_ns: time_ns(part.bytes).unwrap_or(0),
        left_ns: time_ns(parts.left_bytes(made)),
    }
}

fn left_text(parts: &PreconditionRuns, made: &[RunRecord]) -> String {
    format!("{} left", fathom_measure::Bytes(parts.left_bytes(made)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_fill_cover_the_span_and_stay_small() {
        for span_bytes in [3 << 20, 1 << 30, 20_000_000_000_000] {
            let parts = PreconditionRuns { span_bytes, purge: false };
            let first = parts.next(&[]).unwrap();
            let unit = first.span_bytes;
            assert_eq!((first.kind, first.first_byte), (PreconditionKind::Fill, 0));
            assert!(first.bytes <= unit && unit <= MOST_FILL_BYTES && unit <= span_bytes, "{first:?}");
        }
    }
}
