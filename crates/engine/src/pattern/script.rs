//! I/Os that were written down before a run: two queues a job, filled by whoever reads them while the job
//! empties them, so that a trace of any length takes the same memory.
//!
//! A queue runs dry only where the reader is slower than the run. The job then waits for it, which the
//! lag of the I/Os that come next shows.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use fathom_record::Direction;
use rtrb::{Consumer, Producer, RingBuffer};

use super::Draft;

/// When a job's I/Os start.
#[derive(Debug)]
pub struct StartTimes(Consumer<u64>);

/// What a job's I/Os are.
#[derive(Debug)]
pub struct Drafts(Consumer<Draft>);

/// A job's end of a script.
#[derive(Debug)]
pub struct Script {
    /// When its I/Os start, in nanoseconds since the run's start, ascending; absent where each starts as
    /// soon as there is a place for it.
    pub starts: Option<StartTimes>,
    /// What they are, in the same order.
    pub drafts: Drafts,
}

/// The reader's end of a job's script. Dropping it ends the script.
#[derive(Debug)]
pub struct ScriptWriter {
    starts: Option<Producer<u64>>,
    drafts: Producer<Draft>,
}

impl Script {
    /// A script with room for so many I/Os that were read ahead, at least 1.
    pub fn new(room: usize) -> (ScriptWriter, Self) {
        let (starts, taken_starts) = RingBuffer::new(room.max(1));
        // One more: a start is taken a step before its draft.
        let (drafts, taken_drafts) = RingBuffer::new(room.max(1) + 1);
        let script = Self { starts: Some(StartTimes(taken_starts)), drafts: Drafts(taken_drafts) };
        (ScriptWriter { starts: Some(starts), drafts }, script)
    }

    /// The same without times: what is written next is started next.
    pub fn without_times(room: usize) -> (ScriptWriter, Self) {
        let (drafts, taken_drafts) = RingBuffer::new(room.max(1));
        let script = Self { starts: None, drafts: Drafts(taken_drafts) };
        (ScriptWriter { starts: None, drafts }, script)
    }
}

impl ScriptWriter {
    /// Writes the next I/O down; `false` where there is no room for it yet.
    pub fn write(&mut self, start_ns: u64, draft: Draft) -> bool {
        // A draft before its start: whoever has the start finds the draft.
        if self.drafts.is_full() || self.starts.as_ref().is_some_and(Producer::is_full) {
            return false;
        }
        let written = self.drafts.push(draft).is_ok();
        written && self.starts.as_mut().is_none_or(|starts| starts.push(start_ns).is_ok())
    }

    /// Whether nobody reads it any more.
    pub fn is_abandoned(&self) -> bool {
        self.starts.as_ref().map_or_else(|| self.drafts.is_abandoned(), Producer::is_abandoned)
    }
}

impl StartTimes {
    /// The next start; `u64::MAX` when the script has ended. Out of line, so that other arrivals do not pay for it.
    #[inline(never)]
    pub(super) fn next_ns(&mut self) -> u64 {
        next(&mut self.0).unwrap_or(u64::MAX)
    }
}

impl Drafts {
    /// The I/O of the start that was taken last, or the next one where there are no times. Out of line, so
    /// that drawn I/Os do not pay for it.
    ///
    /// A flush, which changes nothing, where a script without times is shorter than the run: its reader says
    /// why it ended.
    #[inline(never)]
    pub(super) fn next(&mut self) -> Draft {
        next(&mut self.0).unwrap_or(Draft { direction: Direction::Flush, offset: 0, bytes: 0 })
    }
}

/// The next entry, waited for while there is a writer.
#[inline]
fn next<T>(queue: &mut Consumer<T>) -> Option<T> {
    match queue.pop() {
        Ok(entry) => Some(entry),
        Err(_) => await_next(queue),
    }
}

#[cold]
fn await_next<T>(queue: &mut Consumer<T>) -> Option<T> {
    loop {
        // Asked before the last look: what was written before the writer went is still there.
        let ended = queue.is_abandoned();
        if let Ok(entry) = queue.pop() {
            return Some(entry);
        }
        if ended {
            return None;
        }
        std::thread::yield_now();
    }
}

/// The scripts of a run, one a job, until each job takes its own.
pub struct Scripts(Mutex<Vec<Option<Script>>>);

impl Scripts {
    /// Scripts in the order of the jobs.
    pub fn new(scripts: Vec<Script>) -> Self {
        Self(Mutex::new(scripts.into_iter().map(Some).collect()))
    }

    /// The script of a job, once.
    pub fn take(&self, job: u32) -> Option<Script> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(job as usize)?.take()
    }
}

impl fmt::Debug for Scripts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scripts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(offset: u64) -> Draft {
        Draft { direction: Direction::Read, offset, bytes: 512 }
    }

    #[test]
    fn what_was_written_comes_in_order_and_then_nothing() {
        let (mut writer, mut script) = Script::new(2);
        assert!(writer.write(1, draft(0)) && writer.write(2, draft(512)));
        assert!(!writer.write(3, draft(1024)), "no room");
        let mut starts = script.starts.take().unwrap();
        assert_eq!(starts.next_ns(), 1);
        assert!(writer.write(3, draft(1024)), "the draft of a start that was taken keeps no room");
        let reader = std::thread::spawn(move || {
            let mut seen = vec![(1, script.drafts.next())];
            loop {
                match starts.next_ns() {
                    u64::MAX => return seen,
                    at_ns => seen.push((at_ns, script.drafts.next())),
                }
            }
        });
        // The reader is faster and waits.
        let mut at = 4;
        while at < 1000 {
            at += u64::from(writer.write(at, draft(at)));
        }
        drop(writer);
        let seen = reader.join().unwrap();
        let starts: Vec<u64> = seen.iter().map(|(at, _)| *at).collect();
        assert_eq!(starts, (1..1000).collect::<Vec<u64>>());
        assert!(seen[3..].iter().all(|(at, draft)| draft.offset == *at));
    }

    #[test]
    fn without_times_what_is_written_next_comes_next() {
        let (mut writer, mut script) = Script::without_times(2);
        assert!(script.starts.is_none());
        assert!(writer.write(0, draft(512)) && writer.write(0, draft(0)) && !writer.write(0, draft(1024)));
        assert_eq!([script.drafts.next(), script.drafts.next()], [draft(512), draft(0)]);
        drop(writer);
        assert_eq!(script.drafts.next().direction, Direction::Flush, "nothing that changes data");
        let (writer, script) = Script::without_times(2);
        assert!(!writer.is_abandoned());
        drop(script);
        assert!(writer.is_abandoned());
    }

    #[test]
    fn a_job_takes_its_script_once() {
        let scripts = Scripts::new(vec![Script::new(1).1]);
        assert!(scripts.take(1).is_none());
        assert!(scripts.take(0).is_some() && scripts.take(0).is_none());
    }
}
