//! A thread that reads a trace ahead of the run and writes it into the jobs' scripts.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use fathom_engine::EngineError;
use fathom_engine::pattern::{Geometry, Script, ScriptWriter, Scripts};
use fathom_record::Workload;
use fathom_record::engine_list::replay_refusal;
use fathom_record::workload::{Addresses, Arrival, TraceSource};
use fathom_tools::Refusal;

use super::survey::replayed_ns;
use super::trace_fit::{AdjustmentCounts, TraceMapping};
use super::{placed, stream};
use crate::error::CampaignError;

/// I/Os that are read ahead, over all jobs: a tenth of a second of the fastest device.
const AHEAD: usize = 1 << 16;
/// Least of them for each job.
const LEAST_AHEAD: usize = 256;
/// How long the reader rests where it is far enough ahead.
const REST: Duration = Duration::from_micros(500);

/// A trace that is being read for a run.
#[derive(Debug)]
pub struct TraceFeed {
    scripts: Scripts,
    thread: JoinHandle<FeedOutcome>,
}

/// What the reader did.
struct FeedOutcome {
    changed: AdjustmentCounts,
    /// Why it ended before the trace did.
    failed: Option<Refusal>,
}

impl TraceFeed {
    /// Begins to read, and comes back when the first I/Os are there; absent for a workload that replays nothing.
    ///
    /// # Errors
    /// When the trace was not surveyed, cannot be opened, or the thread cannot be started.
    pub fn start(workload: &Workload, geometries: &[Geometry]) -> Result<Option<Self>, CampaignError> {
        let Addresses::Traced(traced) = &workload.addresses else { return Ok(None) };
        // Without an arrival of its own each I/O starts when there is a place for it.
        let speed = match workload.arrival {
            Arrival::Traced { speed } => Some(speed),
            _ => None,
        };
        let (1.., [geometry]) = (traced.extent_bytes, geometries) else {
            return Err(replay_refusal(traced).into());
        };
        let jobs = workload.jobs.max(1) as usize;
        let room = (AHEAD / jobs).max(LEAST_AHEAD);
        let (writers, scripts): (Vec<_>, Vec<_>) = (0..jobs)
            .map(|_| if speed.is_some() { Script::new(room) } else { Script::without_times(room) })
            .unzip();
        let (ready, primed) = mpsc::channel();
        let reader = Reader {
            traced: traced.clone(),
            speed: speed.unwrap_or(1.0),
            left: workload.length.operations.unwrap_or(u64::MAX),
            fit: TraceMapping::new(traced, geometry),
            writers,
            ready: Some(ready),
        };
        let thread = std::thread::Builder::new()
            .name("trace".to_owned())
            .spawn(move || reader.read())
            .map_err(|error| EngineError::system("starting the thread that reads the trace", &error))?;
        // Its other end goes when the first I/Os are there, or when there are none.
        let _ = primed.recv();
        Ok(Some(Self { scripts: Scripts::new(scripts), thread }))
    }

    /// What the jobs take their I/Os from.
    pub fn scripts(&self) -> &Scripts {
        &self.scripts
    }

    /// Ends reading, and says what of the trace was changed, a sentence each.
    pub fn finish(self) -> Vec<String> {
        drop(self.scripts);
        let Ok(FeedOutcome { changed, failed }) = self.thread.join() else {
            return vec!["The thread that read the trace broke: the replay is cut short.".to_owned()];
        };
        let AdjustmentCounts { moved, rounded, cut } = changed;
        let said = [
            (moved, "lie elsewhere than in the trace, because of where the target ends"),
            (rounded, "were made of whole blocks of the target"),
            (cut, "were cut to the longest that is issued"),
        ];
        let mut notes: Vec<String> = said
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, words)| format!("Of the I/Os that were read ahead {count} {words}."))
            .collect();
        notes.extend(failed.map(|refusal| format!("The trace ended early: {refusal}.")));
        notes
    }
}

struct Reader {
    traced: TraceSource,
    speed: f64,
    left: u64,
    fit: TraceMapping,
    writers: Vec<ScriptWriter>,
    ready: Option<mpsc::Sender<()>>,
}

impl Reader {
    fn read(mut self) -> FeedOutcome {
        let failed = self.feed().err().map(|refusal| placed(refusal, &self.traced));
        FeedOutcome { changed: self.fit.changed, failed }
    }

    /// Deals the I/Os out to the jobs in turn, until there are none, or nobody wants any.
    fn feed(&mut self) -> Result<(), Refusal> {
        let mut stream = stream(&self.traced)?;
        let jobs = self.writers.len();
        let mut job = 0;
        while self.left > 0
            && let Some(io) = stream.next()?
        {
            self.left -= 1;
            let start_ns = replayed_ns(io.at_ns, self.speed);
            let draft = self.fit.place(&io);
            while !self.writers[job].write(start_ns, draft) {
                self.ready = None;
                if self.writers[job].is_abandoned() {
                    return Ok(());
                }
                std::thread::sleep(REST);
            }
            job = (job + 1) % jobs;
        }
        Ok(())
    }
}
