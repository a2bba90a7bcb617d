//! Several runs at the same time, each with its own workload and record, on sessions that they may share.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use fathom_record::run_record::RunEnding;
use fathom_record::{RunRecord, Workload};

use fathom_engine::job::wear_limit::WearLimit;
use fathom_telemetry::Latest;

use super::session::{RunContext, Session};
use crate::error::CampaignError;
use crate::progress::{Progress, Second};
use crate::write_cap;

/// One of the runs.
#[derive(Clone, Debug)]
pub struct ConcurrentRun<'a> {
    /// Its targets, open.
    pub session: &'a Session,
    /// What it does.
    pub workload: &'a Workload,
    /// How long after the others' start it begins.
    pub start_after_ns: u64,
    /// The parts whose end it waits for, by their places.
    pub waits_for: Vec<usize>,
    /// The parts that end when it ends, by their places.
    pub ends: Vec<usize>,
    /// What else it has to do with them.
    pub context: RunContext<'a>,
}

/// How long a part sleeps at a time before it looks whether it may begin.
const LOOK: Duration = Duration::from_millis(10);

/// Runs all parts, each on a thread of its own. The records are in the order of the parts.
///
/// The machine's telemetry is with the first part's record alone, and each record says how many runs there
/// were beside it: processor time and the device's counters are of all of them.
///
/// # Errors
/// The first part's error; the other parts are stopped then.
pub fn run_together(
    parts: &[ConcurrentRun<'_>],
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Vec<RunRecord>, CampaignError> {
    if let [one] = parts
        && one.start_after_ns == 0
    {
        return Ok(vec![one.session.run_in_context(one.workload, one.context.clone(), progress, stop)?]);
    }
    let together = PartGroup {
        parts,
        halts: parts.iter().map(|_| AtomicBool::new(false)).collect(),
        dismissed: parts.iter().map(|_| AtomicBool::new(false)).collect(),
        ended: parts.iter().map(|_| AtomicBool::new(false)).collect(),
        left: AtomicUsize::new(parts.len()),
        barrier: Barrier::new(parts.len()),
    };
    let outcomes = std::thread::scope(|scope| {
        let (sender, signs) = mpsc::channel();
        let threads: Vec<_> = (0..parts.len())
            .map(|place| {
                let (together, sender) = (&together, sender.clone());
                scope.spawn(move || together.part(place, sender))
            })
            .collect();
        drop(sender);
        together.supervise(&signs, progress, stop);
        let panicked = |_| Err(super::panicked());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect::<Vec<_>>()
    });
    let mut records = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let number = records.len();
    for ((record, part), dismissed) in records.iter_mut().zip(parts).zip(&together.dismissed) {
        // That it ends with another one is its plan.
        if dismissed.load(Ordering::Relaxed)
            && !stop.load(Ordering::Relaxed)
            && record.ending == RunEnding::Interrupted
        {
            record.ending = RunEnding::Complete;
            record.notes.push("It ended because another job of its group ended (exitall).".to_owned());
        }
        if let Some(share) = &part.context.share {
            record.notes.push(format!(
                "Each of its jobs held back to its share of the I/Os of a flow, at a weight of {}: the flow sets the rate, not the target.",
                share.weight()
            ));
        }
        record.notes.push(format!(
            "It ran at the same time as {} other workloads of one group: CPU time and device counters are of all of them.",
            number - 1
        ));
    }
    Ok(records)
}

struct PartGroup<'a> {
    parts: &'a [ConcurrentRun<'a>],
    /// One entry a part: whether it is to stop.
    halts: Vec<AtomicBool>,
    /// One entry a part: whether the end of another one ends it.
    dismissed: Vec<AtomicBool>,
    ended: Vec<AtomicBool>,
    left: AtomicUsize,
    barrier: Barrier,
}

impl PartGroup<'_> {
    fn part(&self, place: usize, sender: Sender<ProgressSignal>) -> Result<RunRecord, CampaignError> {
        let part = &self.parts[place];
        let _ended = PartEndGuard { together: self, place };
        self.barrier.wait();
        self.wait_for_turn(place);
        let telemetry_is_with = (place > 0).then_some("the record of the first run of the group has it");
        let context = RunContext { grouped: self.parts.len() > 1, telemetry_is_with, ..part.context.clone() };
        let outcome =
            part.session.run_in_context(part.workload, context, &mut SignSender(sender), &self.halts[place]);
        if outcome.is_err() {
            self.halt_all();
        }
        outcome
    }

    fn halt_all(&self) {
        self.halts.iter().for_each(|halt| halt.store(true, Ordering::Relaxed));
    }

    /// Sleeps until the delay is over and those before it have ended, or all are to stop.
    fn wait_for_turn(&self, place: usize) {
        let (part, halt) = (&self.parts[place], &self.halts[place]);
        let is_waiting = || {
            let done = |place: &usize| self.ended[*place].load(Ordering::Acquire);
            !halt.load(Ordering::Relaxed) && !part.waits_for.iter().all(done)
        };
        while is_waiting() {
            std::thread::sleep(LOOK);
        }
        let mut left = Duration::from_nanos(part.start_after_ns);
        while !left.is_zero() && !halt.load(Ordering::Relaxed) {
            let nap = left.min(LOOK);
            std::thread::sleep(nap);
            left -= nap;
        }
    }

    /// Shows the seconds of all parts added up, and passes a stop on, until all have ended.
    fn supervise(
        &self,
        signs: &mpsc::Receiver<ProgressSignal>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) {
        let mut sum: Option<Second> = None;
        while self.left.load(Ordering::Acquire) > 0 {
            match signs.recv_timeout(LOOK) {
                Ok(ProgressSignal::Machine(latest)) => progress.machine(&latest),
                Ok(ProgressSignal::Second(second)) => match &mut sum {
                    Some(sum) if sum.until_ns.abs_diff(second.until_ns) < 500_000_000 => add(sum, &second),
                    _ => {
                        sum.take().inspect(|sum| progress.second(sum));
                        sum = Some(second);
                    }
                },
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
            }
            if write_cap::limit().is_some_and(WearLimit::is_met) {
                stop.store(true, Ordering::Relaxed);
            }
            if stop.load(Ordering::Relaxed) {
                self.halt_all();
            }
        }
        sum.inspect(|sum| progress.second(sum));
    }
}

/// Tells the others that a part has ended, also where it panicked.
struct PartEndGuard<'a, 'b> {
    together: &'a PartGroup<'b>,
    place: usize,
}

impl Drop for PartEndGuard<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.together.halt_all();
        }
        for other in &self.together.parts[self.place].ends {
            self.together.dismissed[*other].store(true, Ordering::Relaxed);
            self.together.halts[*other].store(true, Ordering::Relaxed);
        }
        self.together.ended[self.place].store(true, Ordering::Release);
        self.together.left.fetch_sub(1, Ordering::Release);
    }
}

/// Another run's second at the same time. Percentiles do not add up: the worse one stands.
fn add(sum: &mut Second, other: &Second) {
    sum.operations_per_s += other.operations_per_s;
    sum.throughput_bytes_per_s += other.throughput_bytes_per_s;
    sum.service_p50_ns = sum.service_p50_ns.max(other.service_p50_ns);
    sum.service_p99_ns = sum.service_p99_ns.max(other.service_p99_ns);
    sum.service_p999_ns = sum.service_p999_ns.max(other.service_p999_ns);
    sum.in_flight += other.in_flight;
    // Each is of the whole process.
    sum.cpus = sum.cpus.into_iter().chain(other.cpus).reduce(f64::max);
    sum.errors += other.errors;
    sum.warmup &= other.warmup;
}

/// What a part has for whoever shows it.
enum ProgressSignal {
    Second(Second),
    Machine(Arc<Latest>),
}

/// Sends it; nobody may listen any more.
struct SignSender(Sender<ProgressSignal>);

impl Progress for SignSender {
    fn second(&mut self, second: &Second) {
        let _ = self.0.send(ProgressSignal::Second(*second));
    }

    fn machine(&mut self, latest: &Arc<Latest>) {
        let _ = self.0.send(ProgressSignal::Machine(Arc::clone(latest)));
    }
}
