//! A delay as a decorator: holds each completion of an engine until a drawn time has passed after it.
//!
//! The delay is *added* to the engine's own time; it is not a floor under it. What the loop sees as
//! service latency runs from the engine's own submission stamp to the moment the completion was let
//! go, so the stamps tell what happened: the engine's time, the delay, and how late the release was.

mod delay_distribution;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fathom_measure::{Clock, Nanos};
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_record::options::{DelayPlan, Distribution, Stalls};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::precise_sleep::PreciseSleep;
use crate::{Completion, Engine, EngineError, EventHandle, Io, Submission, Wait};

pub use delay_distribution::Draw;

/// Moment from which stalls are counted: the first I/O of any job of the run.
#[derive(Clone, Debug)]
pub struct RunStart(Arc<AtomicU64>);

impl Default for RunStart {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(UNKNOWN)))
    }
}

const UNKNOWN: u64 = u64::MAX;

impl RunStart {
    /// The moment, which is `now_ns` if there was none before.
    #[cold]
    fn or_now(&self, now_ns: u64) -> u64 {
        match self.0.compare_exchange(UNKNOWN, now_ns, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => now_ns,
            Err(earlier) => earlier,
        }
    }
}

/// An engine whose completions come later by a drawn time.
#[derive(Debug)]
pub struct Delay<E, C> {
    inner: E,
    clock: C,
    rest: PreciseSleep,
    facts: EngineFacts,
    distribution: Distribution,
    random: Xoshiro256PlusPlus,
    stalls: Option<Stalls>,
    start: RunStart,
    start_ns: u64,
    /// I/Os that the inner engine has and will hand out of its `reap`.
    inside: u32,
    /// When each completion that is held may go, and its slot; the earliest first.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// Completions that are held, by slot.
    held: Box<[Completion]>,
    /// Completions on their way from the inner engine.
    arrived: Vec<Completion>,
}

impl<E: Engine, C: Clock> Delay<E, C> {
    /// Wraps an engine of `depth` slots that stamps with the same clock. Engines of the same run share
    /// `start`, so that they stall together. `rest` says how the job waits where the engine has nothing.
    pub fn new(
        inner: E,
        plan: &DelayPlan,
        depth: u32,
        (clock, rest): (C, PreciseSleep),
        random: Xoshiro256PlusPlus,
        start: RunStart,
    ) -> Self {
        let mut facts = inner.facts().clone();
        facts.features.push(EngineFeature::new("delay", true, Some(note(plan, rest))));
        facts.completes_inline = false;
        let nothing = Completion { slot: 0, result: 0, stamps: crate::Stamps::default() };
        Self {
            inner,
            clock,
            rest,
            facts,
            distribution: plan.distribution,
            random,
            stalls: plan.stalls,
            start,
            start_ns: UNKNOWN,
            inside: 0,
            due: BinaryHeap::with_capacity(depth as usize),
            held: vec![nothing; depth as usize].into_boxed_slice(),
            arrived: Vec::with_capacity(depth as usize),
        }
    }

    /// Keeps a completion until its delay, and any stall at that time, is over.
    #[inline]
    fn hold(&mut self, completion: Completion) {
        let drawn_ns = self.distribution.draw_ns(&mut self.random);
        let mut due_ns = completion.stamps.reaped_ns.saturating_add(drawn_ns);
        if let Some(stalls) = &self.stalls {
            due_ns = let_go_ns(stalls, self.start_ns, due_ns);
        }
        self.held[completion.slot as usize] = completion;
        self.due.push(Reverse((due_ns, completion.slot)));
    }

    /// Lets go what is due at `now_ns`.
    #[inline]
    fn release(&mut self, now_ns: u64, done: &mut Vec<Completion>) {
        while let Some(&Reverse((due_ns, slot))) = self.due.peek()
            && due_ns <= now_ns
        {
            self.due.pop();
            let mut completion = self.held[slot as usize];
            completion.stamps.reaped_ns = now_ns;
            done.push(completion);
        }
    }

    fn take_from_inner(&mut self, wait: Wait) -> Result<(), EngineError> {
        let outcome = self.inner.reap(wait, &mut self.arrived);
        self.inside -= self.arrived.len() as u32;
        while let Some(completion) = self.arrived.pop() {
            self.hold(completion);
        }
        outcome
    }

    fn next_held_ns(&self) -> Option<u64> {
        self.due.peek().map(|next| next.0.0)
    }
}

/// When a completion that is due at `due_ns` is let go: then, or at the end of the stall it falls in.
#[inline]
fn let_go_ns(stalls: &Stalls, start_ns: u64, due_ns: u64) -> u64 {
    let Some(since_ns) = due_ns.checked_sub(start_ns.saturating_add(stalls.phase_ns)) else { return due_ns };
    let within_ns = since_ns % stalls.every_ns;
    if within_ns < stalls.length_ns { due_ns.saturating_add(stalls.length_ns - within_ns) } else { due_ns }
}

fn note(plan: &DelayPlan, rest: PreciseSleep) -> String {
    let time = |ns: f64| Nanos(ns.round() as u64);
    let truth = &plan.distribution;
    let stalls = plan.stalls.map_or(String::new(), |stalls| {
        format!(
            "; completions due in the first {} of each {} wait for its end",
            Nanos(stalls.length_ns),
            Nanos(stalls.every_ns)
        )
    });
    format!(
        "{plan} is added to each service latency (mean {}, median {}, p99.9 {}{stalls}): results are not of the \
         target alone; {}",
        time(truth.mean_ns()),
        time(truth.quantile_ns(0.5)),
        time(truth.quantile_ns(0.999)),
        rest.description()
    )
}

impl<E: Engine, C: Clock> Engine for Delay<E, C> {
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
        if self.start_ns == UNKNOWN {
            self.start_ns = self.start.or_now(self.clock.now_ns());
        }
        match self.inner.submit(io) {
            Submission::Done(completion) => self.hold(completion),
            Submission::Queued => self.inside += 1,
            Submission::Full => return Submission::Full,
        }
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let already = done.len();
        loop {
            let wake_ns = match wait {
                Wait::No => 0,
                Wait::Until(until_ns) => self.next_held_ns().map_or(until_ns, |due_ns| due_ns.min(until_ns)),
            };
            let mut now_ns = self.clock.now_ns();
            if self.inside > 0 {
                self.take_from_inner(if wake_ns > now_ns { Wait::Until(wake_ns) } else { Wait::No })?;
                now_ns = self.clock.now_ns();
            } else if self.due.is_empty() {
                return Ok(());
            } else if wake_ns > now_ns {
                now_ns = self.rest.until(&self.clock, wake_ns);
            }
            self.release(now_ns, done);
            let is_over = match wait {
                Wait::No => true,
                Wait::Until(until_ns) => now_ns >= until_ns,
            };
            if is_over || done.len() > already {
                return Ok(());
            }
        }
    }

    fn next_due_ns(&self) -> Option<u64> {
        [self.inner.next_due_ns(), self.next_held_ns()].into_iter().flatten().min()
    }

    fn announce(&mut self, event: EventHandle<'_>) -> bool {
        self.inner.announce(event)
    }
}
