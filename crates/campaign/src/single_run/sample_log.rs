//! Every I/O of a run with its times, for logs that have a line for each.
//!
//! A job fills pages that were made before it started, and hands each over when it is full; a thread of its own
//! keeps them and gives empty ones back. Where that thread is late, or the memory for a run's I/Os is used up, I/Os
//! are left out and counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fathom_engine::job::JobPlan;
use fathom_engine::tap::Listener;
use fathom_record::{Direction, EndedIo};

/// I/Os of a page.
const PAGE: usize = 4096;
/// Pages that a job starts with.
const PAGES: usize = 16;
/// Most I/Os of a run that are kept: 1 GiB of memory.
const MOST: u64 = 32 << 20;
/// How often full pages are looked for: at 10 million I/Os per second half of a job's pages are full by then.
const LOOK: Duration = Duration::from_millis(3);

/// Takes down the I/Os of a run.
#[derive(Debug, Default)]
pub struct SampleLog {
    jobs: Mutex<Vec<JobPages>>,
    lost: Arc<AtomicU64>,
    ended: AtomicBool,
}

/// What the keeping thread holds of a job.
#[derive(Debug)]
struct JobPages {
    job: u32,
    full: Receiver<Vec<EndedIo>>,
    empty: SyncSender<Vec<EndedIo>>,
    kept: Vec<Vec<EndedIo>>,
}

/// A job's own part, which joins the others when the job has ended.
struct JobSampleWriter {
    page: Vec<EndedIo>,
    full: SyncSender<Vec<EndedIo>>,
    empty: Receiver<Vec<EndedIo>>,
    left_out: u64,
    lost: Arc<AtomicU64>,
}

impl JobSampleWriter {
    fn put(&mut self, sample: EndedIo) {
        if self.page.len() == self.page.capacity() {
            let Ok(fresh) = self.empty.try_recv() else {
                self.left_out += 1;
                return;
            };
            let full = std::mem::replace(&mut self.page, fresh);
            // There is room for every page that exists.
            let _ = self.full.try_send(full);
        }
        self.page.push(sample);
    }
}

impl Drop for JobSampleWriter {
    fn drop(&mut self) {
        let _ = self.full.try_send(std::mem::take(&mut self.page));
        self.lost.fetch_add(self.left_out, Ordering::Relaxed);
    }
}

/// A page whose memory is there already.
fn page() -> Vec<EndedIo> {
    let none = EndedIo { at_ns: 1, service_ns: 0, offset: 0, bytes: 0, direction: Direction::Read };
    let mut page = vec![none; PAGE];
    page.clear();
    page
}

impl SampleLog {
    /// Hears of one job's I/Os.
    pub(super) fn listener(&self, plan: &JobPlan) -> Listener {
        // The keeper replaces each page that it keeps, so that there are never more on their way.
        let (full, filled) = sync_channel(PAGES + 1);
        let (give, empty) = sync_channel(PAGES + 1);
        for _ in 0..PAGES {
            let _ = give.try_send(page());
        }
        let pages = JobPages { job: plan.job, full: filled, empty: give, kept: Vec::new() };
        self.jobs().push(pages);
        let mut writing =
            JobSampleWriter { page: page(), full, empty, left_out: 0, lost: Arc::clone(&self.lost) };
        Box::new(move |io, stamps| {
            writing.put(EndedIo {
                at_ns: stamps.reaped_ns,
                service_ns: stamps.reaped_ns.saturating_sub(stamps.submitted_ns),
                offset: io.offset,
                bytes: io.bytes,
                direction: io.direction,
            });
        })
    }

    /// Runs something whose jobs are listened to, and keeps their pages meanwhile.
    pub(super) fn beside<T>(&self, run: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            let _ends = LogStopGuard(&self.ended);
            scope.spawn(|| self.keep());
            run()
        })
    }

    fn jobs(&self) -> MutexGuard<'_, Vec<JobPages>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self) {
        let mut number = 0;
        loop {
            // Asked before the last look: what was handed over before the end is still there.
            let ended = self.ended.load(Ordering::Acquire);
            for job in self.jobs().iter_mut() {
                while let Ok(full) = job.full.try_recv() {
                    number += full.len() as u64;
                    job.kept.push(full);
                    if number < MOST {
                        let _ = job.empty.try_send(page());
                    }
                }
            }
            if ended {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The I/Os of each of `jobs` jobs that ended at `start_ns` of the run's clock or later, in the order of their
    /// ends, with times from there; and how many were left out of all.
    pub(super) fn finish(self, jobs: usize, start_ns: u64) -> (Vec<Vec<EndedIo>>, u64) {
        let mut of_jobs: Vec<Vec<EndedIo>> = (0..jobs).map(|_| Vec::new()).collect();
        for pages in self.jobs.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let Some(own) = of_jobs.get_mut(pages.job as usize) else { continue };
            let in_time = pages.kept.into_iter().flatten().filter(|sample| sample.at_ns >= start_ns);
            own.extend(in_time.map(|sample| EndedIo { at_ns: sample.at_ns - start_ns, ..sample }));
        }
        of_jobs.iter_mut().for_each(|own| own.sort_by_key(|sample| sample.at_ns));
        (of_jobs, self.lost.load(Ordering::Relaxed))
    }
}

/// Lets the keeping thread end, also where what it runs beside panics.
struct LogStopGuard<'a>(&'a AtomicBool);

impl Drop for LogStopGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_ns: u64) -> EndedIo {
        EndedIo { at_ns, service_ns: 1, offset: 0, bytes: 512, direction: Direction::Read }
    }

    fn writing(log: &SampleLog, job: u32) -> JobSampleWriter {
        let (full, filled) = sync_channel(PAGES + 1);
        let (give, empty) = sync_channel(PAGES + 1);
        (0..PAGES).for_each(|_| give.try_send(page()).unwrap());
        log.jobs().push(JobPages { job, full: filled, empty: give, kept: Vec::new() });
        JobSampleWriter { page: page(), full, empty, left_out: 0, lost: Arc::clone(&log.lost) }
    }

    #[test]
    fn every_io_is_kept_by_its_job_and_warm_up_is_left_out() {
        let log = SampleLog::default();
        let mut jobs = [writing(&log, 0), writing(&log, 1)];
        log.beside(|| {
            for at in 0..20_000 {
                jobs[0].put(sample(at));
                if at % 100 == 0 {
                    // A reader as late as on a busy machine.
                    std::thread::sleep(Duration::from_micros(100));
                }
            }
            jobs[1].put(sample(7000));
            drop(jobs);
        });
        let (of_jobs, lost) = log.finish(2, 5000);
        assert_eq!((of_jobs[0].len(), of_jobs[1].len(), lost), (15_000, 1, 0));
        assert!(of_jobs[0].iter().zip(0..).all(|(sample, at)| sample.at_ns == at));
    }

    #[test]
    fn what_nobody_keeps_in_time_is_counted() {
        let log = SampleLog::default();
        let mut job = writing(&log, 0);
        let room = (PAGES as u64 + 1) * PAGE as u64;
        (0..room + 5).for_each(|at| job.put(sample(at)));
        log.beside(|| drop(job));
        let (of_jobs, lost) = log.finish(1, 0);
        assert_eq!((of_jobs[0].len() as u64, lost), (room, 5));
    }
}
