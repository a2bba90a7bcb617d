//! Several runs at the same time, each with its own workload and record, on sessions that they may share.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use fathom_record::{RunRecord, Workload};

use super::Session;
use crate::error::CampaignError;
use crate::progress::{Progress, Second};

/// One of the runs.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Its targets, open.
    pub session: &'a Session,
    /// What it does.
    pub workload: &'a Workload,
    /// How long after the others' start it begins.
    pub start_after_ns: u64,
    /// The parts whose end it waits for, by their places.
    pub waits_for: &'a [usize],
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
    parts: &[Part<'_>],
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Vec<RunRecord>, CampaignError> {
    if let [one] = parts
        && one.start_after_ns == 0
    {
        return Ok(vec![one.session.run(one.workload, None, progress, stop)?]);
    }
    let together = Together {
        parts,
        halt: AtomicBool::new(false),
        ended: parts.iter().map(|_| AtomicBool::new(false)).collect(),
        left: AtomicUsize::new(parts.len()),
        barrier: Barrier::new(parts.len()),
    };
    let outcomes = std::thread::scope(|scope| {
        let (sender, seconds) = mpsc::channel();
        let threads: Vec<_> = (0..parts.len())
            .map(|place| {
                let (together, sender) = (&together, sender.clone());
                scope.spawn(move || together.part(place, sender))
            })
            .collect();
        drop(sender);
        together.supervise(&seconds, progress, stop);
        let panicked = |_| Err(super::panicked());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect::<Vec<_>>()
    });
    let mut records = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let number = records.len();
    for record in &mut records {
        record.notes.push(format!(
            "It ran at the same time as {} other workloads of one group: processor time and device counters are of all of them.",
            number - 1
        ));
    }
    Ok(records)
}

struct Together<'a> {
    parts: &'a [Part<'a>],
    halt: AtomicBool,
    ended: Vec<AtomicBool>,
    left: AtomicUsize,
    barrier: Barrier,
}

impl Together<'_> {
    fn part(&self, place: usize, sender: Sender<Second>) -> Result<RunRecord, CampaignError> {
        let part = &self.parts[place];
        let _ended = Ended { together: self, place };
        self.barrier.wait();
        self.wait_for_turn(part);
        let beside = (place > 0).then_some("the record of the first run of the group has it");
        let outcome = part.session.run_beside(part.workload, (None, beside), &mut Told(sender), &self.halt);
        if outcome.is_err() {
            self.halt.store(true, Ordering::Relaxed);
        }
        outcome
    }

    /// Sleeps until the delay is over and those before it have ended, or all are to stop.
    fn wait_for_turn(&self, part: &Part<'_>) {
        let is_waiting = || {
            let done = |place: &usize| self.ended[*place].load(Ordering::Acquire);
            !self.halt.load(Ordering::Relaxed) && !part.waits_for.iter().all(done)
        };
        while is_waiting() {
            std::thread::sleep(LOOK);
        }
        let mut left = Duration::from_nanos(part.start_after_ns);
        while !left.is_zero() && !self.halt.load(Ordering::Relaxed) {
            let nap = left.min(LOOK);
            std::thread::sleep(nap);
            left -= nap;
        }
    }

    /// Shows the seconds of all parts added up, and passes a stop on, until all have ended.
    fn supervise(&self, seconds: &mpsc::Receiver<Second>, progress: &mut dyn Progress, stop: &AtomicBool) {
        let mut sum: Option<Second> = None;
        while self.left.load(Ordering::Acquire) > 0 {
            match seconds.recv_timeout(LOOK) {
                Ok(second) => match &mut sum {
                    Some(sum) if sum.until_ns.abs_diff(second.until_ns) < 500_000_000 => add(sum, &second),
                    _ => {
                        sum.take().inspect(|sum| progress.second(sum));
                        sum = Some(second);
                    }
                },
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
            }
            if stop.load(Ordering::Relaxed) {
                self.halt.store(true, Ordering::Relaxed);
            }
        }
        sum.inspect(|sum| progress.second(sum));
    }
}

/// Tells the others that a part has ended, also where it panicked.
struct Ended<'a, 'b> {
    together: &'a Together<'b>,
    place: usize,
}

impl Drop for Ended<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.together.halt.store(true, Ordering::Relaxed);
        }
        self.together.ended[self.place].store(true, Ordering::Release);
        self.together.left.fetch_sub(1, Ordering::Release);
    }
}

/// Another run's second at the same time. Percentiles do not add up: the worse one stands.
fn add(sum: &mut Second, other: &Second) {
    sum.operations_per_s += other.operations_per_s;
    sum.throughput_bytes_per_s += other.throughput_bytes_per_s;
    sum.service_p99_ns = sum.service_p99_ns.max(other.service_p99_ns);
    sum.errors += other.errors;
    sum.warmup &= other.warmup;
}

/// Sends seconds to whoever shows them; nobody may listen any more.
struct Told(Sender<Second>);

impl Progress for Told {
    fn second(&mut self, second: &Second) {
        let _ = self.0.send(*second);
    }
}
