//! An I/O queue's commands on engines: one engine a namespace, a slot of the queue is the same slot of each.

use std::sync::Arc;

use fathom_engine::{Completion, Engine, EngineError, Io, Submission, Wait, passthrough};
use fathom_fabric::Payloads;
use fathom_fabric::controller::{Answer, CommandStart, Io as ControllerIo, IoHandler, Namespace};
use fathom_record::Direction;
use fathom_spec::Status;

use crate::counters::{Counters, add};
use crate::readiness_wait::Waker;

/// Status: Unrecovered Read Error.
const READ_FAILED: Status = Status(0x281);
/// Status: Write Fault.
const WRITE_FAILED: Status = Status(0x280);
/// Status: Capacity Exceeded, not to be retried.
const NO_ROOM: Status = Status(0x4081);
/// Status: Invalid Command Opcode, not to be retried.
const NOT_SUPPORTED: Status = Status(0x4001);
/// Status: Internal Error.
const INTERNAL: Status = Status(0x6);
/// Status: Data Transfer Error.
const SHORT: Status = Status(0x4);

/// Longest trim that an engine is given at once, in bytes.
const MOST_TRIM: u64 = 1 << 30;

/// What a slot does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Idle,
    Read {
        bytes: u32,
    },
    Write {
        bytes: u32,
        is_durable: bool,
    },
    Flush,
    /// A flush of all namespaces, this one next.
    FlushAll {
        next: u32,
    },
    /// Of a list of ranges, this one next, of which so many bytes are done.
    Trim {
        next: u32,
        ranges: u32,
        done_bytes: u64,
    },
}

/// What follows an engine's completion.
enum NextStep {
    Io(Io),
    End(Answer),
}

/// The engines of one I/O queue, and what its slots do.
pub struct Carrier {
    engines: Vec<Box<dyn Engine>>,
    namespaces: Arc<[Namespace]>,
    /// The engine whose buffer a slot uses.
    engine_of: Vec<u32>,
    /// Whether the slot's command goes to all namespaces.
    to_all: Vec<bool>,
    work: Vec<Work>,
    /// I/Os that each engine has.
    inside: Vec<u32>,
    /// Which engines ring when one of theirs ended.
    announces: Vec<bool>,
    in_flight: u32,
    /// I/Os that an engine had no room for.
    held_back: Vec<(u32, Io)>,
    done: Vec<Completion>,
    counters: Arc<Counters>,
}

impl Carrier {
    /// Over engines of `depth` slots each, one a namespace, of which those that can ring the bell of whoever reaps
    /// them.
    pub fn new(
        mut engines: Vec<Box<dyn Engine>>,
        namespaces: Arc<[Namespace]>,
        (depth, bell): (u32, &Waker),
        counters: Arc<Counters>,
    ) -> Self {
        let inside = vec![0; engines.len()];
        let announces = engines.iter_mut().map(|engine| engine.announce(bell.event())).collect();
        Self {
            engines,
            announces,
            namespaces,
            engine_of: vec![0; depth as usize],
            to_all: vec![false; depth as usize],
            work: vec![Work::Idle; depth as usize],
            inside,
            in_flight: 0,
            held_back: Vec::with_capacity(depth as usize),
            done: Vec::with_capacity(depth as usize),
            counters,
        }
    }

    /// Whether an engine has an I/O.
    pub fn is_busy(&self) -> bool {
        self.in_flight > 0 || !self.held_back.is_empty()
    }

    /// The next moment at which an engine lets something go; the end of time where all ring when they have something.
    /// Absent where one has I/Os and tells neither.
    pub fn next_due_ns(&self) -> Option<u64> {
        let mut next = u64::MAX;
        for (at, engine) in self.engines.iter().enumerate().filter(|(at, _)| self.inside[*at] > 0) {
            match engine.next_due_ns() {
                Some(due_ns) => next = next.min(due_ns),
                None if self.announces[at] => {}
                None => return None,
            }
        }
        Some(next)
    }

    /// Starts what was kept back and takes what ended into `answers`.
    ///
    /// # Errors
    /// When an engine broke.
    pub fn reap(&mut self, answers: &mut Vec<(u32, Answer)>) -> Result<(), EngineError> {
        for at in 0..self.engines.len() {
            if self.inside[at] == 0 {
                continue;
            }
            let mut done = std::mem::take(&mut self.done);
            let outcome = self.engines[at].reap(Wait::No, &mut done);
            self.inside[at] -= done.len() as u32;
            self.in_flight -= done.len() as u32;
            for completion in done.drain(..) {
                if let Some(answer) = self.go_on(completion.slot, completion.result) {
                    answers.push((completion.slot, answer));
                }
            }
            self.done = done;
            outcome?;
        }
        if !self.held_back.is_empty() {
            for (slot, io) in std::mem::take(&mut self.held_back) {
                if let Some(answer) = self.start(slot, io) {
                    answers.push((slot, answer));
                }
            }
        }
        Ok(())
    }

    /// Hands an I/O to its slot's engine; gives the answer where all is over at once.
    fn start(&mut self, slot: u32, io: Io) -> Option<Answer> {
        let at = self.engine_of[slot as usize] as usize;
        match self.engines.get_mut(at)?.submit(io) {
            Submission::Done(completion) => return self.go_on(slot, completion.result),
            Submission::Queued => {
                self.inside[at] += 1;
                self.in_flight += 1;
            }
            Submission::Full => self.held_back.push((slot, io)),
        }
        None
    }

    fn go_on(&mut self, slot: u32, result: i32) -> Option<Answer> {
        match self.after(slot, result) {
            NextStep::Io(io) => self.start(slot, io),
            NextStep::End(answer) => {
                self.work[slot as usize] = Work::Idle;
                Some(answer)
            }
        }
    }

    /// What follows an engine's completion of a slot.
    fn after(&mut self, slot: u32, result: i32) -> NextStep {
        let work = &mut self.work[slot as usize];
        let flush = Io { slot, direction: Direction::Flush, offset: Io::FLUSH_DATA, bytes: 0 };
        if result < 0 {
            add(&self.counters.failed, 1);
            return NextStep::End(Answer::failed(status(*work, -result)));
        }
        match *work {
            Work::Read { bytes } | Work::Write { bytes, .. } if result as u32 != bytes => {
                add(&self.counters.failed, 1);
                NextStep::End(Answer::failed(SHORT))
            }
            Work::Read { bytes } => {
                add(&self.counters.reads, 1);
                add(&self.counters.read_bytes, u64::from(bytes));
                NextStep::End(Answer { bytes, ..Answer::DONE })
            }
            Work::Write { bytes, is_durable } => {
                add(&self.counters.writes, 1);
                add(&self.counters.written_bytes, u64::from(bytes));
                if !is_durable {
                    return NextStep::End(Answer::DONE);
                }
                *work = Work::Flush;
                NextStep::Io(flush)
            }
            Work::FlushAll { next } if (next as usize) < self.engines.len() => {
                *work = Work::FlushAll { next: next + 1 };
                self.engine_of[slot as usize] = next;
                NextStep::Io(flush)
            }
            Work::Trim { next, ranges, done_bytes } => self.trim(slot, (next, ranges), done_bytes),
            Work::Idle | Work::Flush | Work::FlushAll { .. } => NextStep::End(Answer::DONE),
        }
    }

    /// The next piece of the ranges that a slot's buffer lists.
    fn trim(&mut self, slot: u32, (mut next, ranges): (u32, u32), mut done_bytes: u64) -> NextStep {
        let at = self.engine_of[slot as usize] as usize;
        while next < ranges {
            let list = self.engines.get_mut(at).map(|engine| &*engine.buffer(slot)).unwrap_or_default();
            let range = self.namespaces.get(at).and_then(|namespace| namespace.range(list, next));
            let Some((offset, bytes)) = range else { return NextStep::End(Answer::failed(INTERNAL)) };
            if done_bytes < bytes {
                let piece = (bytes - done_bytes).min(MOST_TRIM);
                let io =
                    Io { slot, direction: Direction::Trim, offset: offset + done_bytes, bytes: piece as u32 };
                done_bytes += piece;
                self.work[slot as usize] = Work::Trim { next, ranges, done_bytes };
                return NextStep::Io(io);
            }
            (next, done_bytes) = (next + 1, 0);
        }
        NextStep::End(Answer::DONE)
    }
}

impl Payloads for Carrier {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        let at = self.engine_of.get(slot as usize).copied().unwrap_or(0);
        match self.engines.get_mut(at as usize) {
            Some(engine) => engine.buffer(slot),
            None => &mut [],
        }
    }

    fn view(&self, slot: u32) -> Option<&[u8]> {
        let at = self.engine_of.get(slot as usize).copied().unwrap_or(0);
        self.engines.get(at as usize)?.view(slot)
    }
}

impl IoHandler for Carrier {
    fn take(&mut self, slot: u32, namespace: u32) {
        let is_all = namespace == fathom_spec::admin::ALL_NAMESPACES;
        self.to_all[slot as usize] = is_all;
        self.engine_of[slot as usize] = if is_all { 0 } else { namespace.saturating_sub(1) };
    }

    fn begin_io(&mut self, slot: u32, io: ControllerIo) -> CommandStart {
        let flush = Io { slot, direction: Direction::Flush, offset: Io::FLUSH_DATA, bytes: 0 };
        let (work, io) = match io {
            ControllerIo::Read { offset, bytes } => {
                (Work::Read { bytes }, Io { slot, direction: Direction::Read, offset, bytes })
            }
            ControllerIo::Write { offset, bytes, is_durable } => {
                let io = Io { slot, direction: Direction::Write, offset, bytes };
                (Work::Write { bytes, is_durable }, io)
            }
            ControllerIo::Flush if self.to_all[slot as usize] => (Work::FlushAll { next: 1 }, flush),
            ControllerIo::Flush => (Work::Flush, flush),
            ControllerIo::Trim { ranges } => match self.trim(slot, (0, ranges), 0) {
                NextStep::Io(io) => (self.work[slot as usize], io),
                NextStep::End(answer) => return CommandStart::Done(answer),
            },
        };
        self.work[slot as usize] = work;
        self.start(slot, io).map_or(CommandStart::Later, CommandStart::Done)
    }
}

/// How a command ends whose engine gave an error number.
fn status(work: Work, errno: i32) -> Status {
    const NO_SPACE: i32 = 28;
    const NOT_SUPPORTED_HERE: i32 = 95;
    if let Some(status) = passthrough::status_errno::of_errno(errno) {
        return status;
    }
    match (errno, work) {
        (NO_SPACE, _) => NO_ROOM,
        (NOT_SUPPORTED_HERE, _) => NOT_SUPPORTED,
        (_, Work::Read { .. }) => READ_FAILED,
        (_, Work::Write { .. } | Work::Flush | Work::FlushAll { .. }) => WRITE_FAILED,
        _ => INTERNAL,
    }
}
