//! A throttle as a decorator: token buckets on operations and on bytes before an engine, as a cloud's
//! volume has them.
//!
//! An I/O waits *before* the wrapped engine until its tokens are there, first come, first served over
//! all jobs, as the volumes do that it stands for: the device behind sees the throttled rate, and the
//! wait is part of the service latency that the loop sees. The buckets are those of simulated
//! devices. The throttle of a run has one lock, which is held for the arithmetic of one I/O.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_record::options::ThrottlePlan;

use crate::precise_sleep::PreciseSleep;
use crate::{Completion, Engine, EngineError, EventHandle, Io, Submission, Wait};
use fathom_sim::device::{Cost, Limits, TOKEN};

/// The buckets of a run, which its jobs share.
#[derive(Clone, Debug)]
pub struct Buckets(Arc<Mutex<Limits>>);

impl Buckets {
    /// Full buckets.
    pub fn new(plan: &ThrottlePlan) -> Self {
        Self(Arc::new(Mutex::new(Limits::new(plan.operations, plan.bytes))))
    }

    /// When an I/O that comes now may pass; takes its tokens then.
    #[inline]
    fn admit(&self, now_ns: u64, io: &Io) -> u64 {
        // What moves no data is not counted.
        if !matches!(io.direction, Direction::Read | Direction::Write) {
            return now_ns;
        }
        let cost = Cost { operations: TOKEN, bytes: u128::from(io.bytes) * TOKEN };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).admit(now_ns, cost)
    }
}

/// An engine that takes I/Os no faster than its buckets allow.
#[derive(Debug)]
pub struct Throttle<E, C> {
    inner: E,
    clock: C,
    rest: PreciseSleep,
    facts: EngineFacts,
    buckets: Buckets,
    /// I/Os that wait, with the time at which they may pass; in order.
    waiting: VecDeque<(u64, Io)>,
    /// When each slot's I/O came, by slot.
    submitted_ns: Box<[u64]>,
    /// I/Os that the inner engine has and will hand out of its `reap`.
    inside: u32,
    /// Completions of I/Os that ended as they passed.
    ended: Vec<Completion>,
}

impl<E: Engine, C: Clock> Throttle<E, C> {
    /// Wraps an engine of `depth` slots that stamps with the same clock. `rest` says how the job waits where
    /// nothing may pass and the engine has nothing.
    pub fn new(
        inner: E,
        plan: &ThrottlePlan,
        depth: u32,
        (clock, rest): (C, PreciseSleep),
        buckets: Buckets,
    ) -> Self {
        let mut facts = inner.facts().clone();
        let note = format!(
            "{plan}: I/Os wait for tokens, so results are not of the target alone; {}",
            rest.description()
        );
        facts.features.push(EngineFeature::new("throttle", true, Some(note)));
        facts.completes_inline = false;
        facts.returned_stamp = "equals submitted: the throttle takes an I/O at once".to_owned();
        Self {
            inner,
            clock,
            rest,
            facts,
            buckets,
            waiting: VecDeque::with_capacity(depth as usize),
            submitted_ns: vec![0; depth as usize].into_boxed_slice(),
            inside: 0,
            ended: Vec::with_capacity(depth as usize),
        }
    }

    /// Hands an I/O on; `false` when the inner engine takes no more now.
    #[inline]
    fn pass(&mut self, io: Io) -> bool {
        match self.inner.submit(io) {
            Submission::Done(completion) => self.ended.push(completion),
            Submission::Queued => self.inside += 1,
            Submission::Full => return false,
        }
        true
    }

    /// Hands on all that may pass at `now_ns`.
    fn pass_due(&mut self, now_ns: u64) {
        while let Some(&(pass_ns, io)) = self.waiting.front()
            && pass_ns <= now_ns
            && self.pass(io)
        {
            self.waiting.pop_front();
        }
    }

    /// Gives completions from `first` on the stamps of the whole wait.
    fn restamp(&self, done: &mut [Completion]) {
        for completion in done {
            let submitted_ns = self.submitted_ns[completion.slot as usize];
            (completion.stamps.submitted_ns, completion.stamps.returned_ns) = (submitted_ns, submitted_ns);
        }
    }
}

impl<E: Engine, C: Clock> Engine for Throttle<E, C> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    #[inline]
    fn view(&self, slot: u32) -> Option<&[u8]> {
        self.inner.view(slot)
    }

    #[inline]
    fn submit(&mut self, io: Io) -> Submission {
        let now_ns = self.clock.now_ns();
        let pass_ns = self.buckets.admit(now_ns, &io);
        self.submitted_ns[io.slot as usize] = now_ns;
        if pass_ns > now_ns || !self.waiting.is_empty() || !self.pass(io) {
            self.waiting.push_back((pass_ns, io));
        }
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let already = done.len();
        let until_ns = match wait {
            Wait::No => 0,
            Wait::Until(until_ns) => until_ns,
        };
        loop {
            let mut now_ns = self.clock.now_ns();
            self.pass_due(now_ns);
            done.append(&mut self.ended);
            let wake_ns = match self.waiting.front() {
                Some(&(pass_ns, _)) => pass_ns.min(until_ns),
                None => until_ns,
            };
            let may_wait = wake_ns > now_ns && done.len() == already;
            if self.inside > 0 {
                let before = done.len();
                let outcome = self.inner.reap(if may_wait { Wait::Until(wake_ns) } else { Wait::No }, done);
                self.inside -= (done.len() - before) as u32;
                if outcome.is_err() {
                    self.restamp(&mut done[already..]);
                    return outcome;
                }
                now_ns = self.clock.now_ns();
            } else if may_wait && !self.waiting.is_empty() {
                now_ns = self.rest.until(&self.clock, wake_ns);
            }
            let idle = self.inside == 0 && self.waiting.is_empty();
            if done.len() > already || idle || now_ns >= until_ns {
                self.restamp(&mut done[already..]);
                return Ok(());
            }
        }
    }

    fn next_due_ns(&self) -> Option<u64> {
        let ended_ns = self.ended.first().map(|completion| completion.stamps.reaped_ns);
        let pass_ns = self.waiting.front().map(|next| next.0);
        [self.inner.next_due_ns(), pass_ns, ended_ns].into_iter().flatten().min()
    }

    fn announce(&mut self, event: EventHandle<'_>) -> bool {
        self.inner.announce(event)
    }
}
