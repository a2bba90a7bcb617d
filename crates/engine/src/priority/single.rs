//! Single I/Os with priorities of their own: drawn as they are submitted, counted as they end.

use std::sync::Arc;

use fathom_measure::Histogram;
use fathom_record::Direction;
use fathom_record::facts::EngineFacts;
use fathom_record::options::{Priorities, Priority};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ioprio::number;
use super::{PriorityTally, Tallies};
use crate::pattern::{Purpose, random_of};
use crate::{Completion, Engine, EngineError, Io, Submission, Wait};

/// An engine that tells the kernel each I/O's priority.
pub trait PrioritySetter: Engine {
    /// The priority of the I/Os that are submitted from now on, as the kernel takes it; 0 for the thread's.
    fn set_priority(&mut self, number: u16);
}

/// One step of a draw.
#[derive(Clone, Copy, Debug)]
struct Step {
    direction: Direction,
    /// 0 for all sizes.
    bytes: u32,
    /// Drawn numbers below this, of 100, take it, unless an earlier step did.
    below: u32,
    number: u16,
    place: usize,
}

/// An engine whose I/Os have priorities of their own.
#[derive(Debug)]
pub struct PrioritizedEngine<E> {
    engine: E,
    steps: Box<[Step]>,
    random: Xoshiro256PlusPlus,
    /// By slot: its I/O, and the place of its priority.
    of_slot: Box<[(Io, usize)]>,
    /// By direction, read and write, and place of the priority.
    counts: [Box<[Histogram]>; 2],
    priorities: Vec<Priority>,
    tallies: Arc<Tallies>,
    facts: EngineFacts,
}

impl<E: PrioritySetter> PrioritizedEngine<E> {
    /// Puts the rules before an engine of this depth. Its tallies are added when it is dropped.
    pub fn new(
        engine: E,
        priorities: &Priorities,
        depth: u32,
        (seed, job): (u64, u32),
        tallies: Arc<Tallies>,
    ) -> Self {
        let distinct = priorities.distinct();
        let mut steps: Vec<Step> = Vec::with_capacity(priorities.rules.len());
        for rule in &priorities.rules {
            let bytes = rule.bytes.unwrap_or(0);
            let of_same = |step: &&Step| step.direction == rule.direction && step.bytes == bytes;
            let from = steps.iter().filter(of_same).map(|step| step.below).max().unwrap_or(0);
            let place = distinct.iter().position(|priority| *priority == rule.priority).unwrap_or(0);
            steps.push(Step {
                direction: rule.direction,
                bytes,
                below: from.saturating_add(rule.percent),
                number: number(rule.priority),
                place,
            });
        }
        let none = Io { slot: 0, direction: Direction::Read, offset: 0, bytes: 0 };
        let histograms = || distinct.iter().map(|_| Histogram::default()).collect();
        let mut facts = engine.facts().clone();
        facts.features.extend(priorities.features());
        Self {
            engine,
            steps: steps.into_boxed_slice(),
            random: random_of(seed, Purpose::Priority, job),
            of_slot: vec![(none, 0); depth as usize].into_boxed_slice(),
            counts: [histograms(), histograms()],
            priorities: distinct,
            tallies,
            facts,
        }
    }

    /// The kernel's number of an I/O's priority, and its place; both 0 where no rule takes it.
    #[inline]
    fn draw(&mut self, io: &Io) -> (u16, usize) {
        // Evenly over 0 to 99, by the upper bits of a product.
        let drawn = ((u64::from(self.random.next_u32()) * 100) >> 32) as u32;
        let takes = |step: &&Step| {
            step.direction == io.direction
                && (step.bytes == 0 || step.bytes == io.bytes)
                && drawn < step.below
        };
        self.steps.iter().find(takes).map_or((0, 0), |step| (step.number, step.place))
    }
}

/// Counts an I/O that ended well.
#[inline]
fn count(counts: &mut [Box<[Histogram]>; 2], of_slot: &[(Io, usize)], completion: &Completion) {
    let (io, place) = &of_slot[completion.slot as usize];
    if completion.result < 0 || completion.result as u32 != io.bytes {
        return;
    }
    let of_direction = match io.direction {
        Direction::Read => &mut counts[0],
        Direction::Write => &mut counts[1],
        Direction::Trim | Direction::Flush => return,
    };
    let stamps = &completion.stamps;
    of_direction[*place].record(stamps.reaped_ns - stamps.submitted_ns);
}

impl<E: PrioritySetter> Engine for PrioritizedEngine<E> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.engine.buffer(slot)
    }

    #[inline]
    fn submit(&mut self, io: Io) -> Submission {
        let (number, place) = self.draw(&io);
        self.of_slot[io.slot as usize] = (io, place);
        self.engine.set_priority(number);
        let submission = self.engine.submit(io);
        if let Submission::Done(completion) = &submission {
            count(&mut self.counts, &self.of_slot, completion);
        }
        submission
    }

    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let earlier = done.len();
        let reaped = self.engine.reap(wait, done);
        for completion in &done[earlier..] {
            count(&mut self.counts, &self.of_slot, completion);
        }
        reaped
    }

    fn next_due_ns(&self) -> Option<u64> {
        self.engine.next_due_ns()
    }
}

impl<E> Drop for PrioritizedEngine<E> {
    fn drop(&mut self) {
        let mut own = Vec::new();
        for (direction, counts) in [Direction::Read, Direction::Write].into_iter().zip(&mut self.counts) {
            for (priority, service) in self.priorities.iter().zip(counts.iter_mut()) {
                own.push(PriorityTally { direction, priority: *priority, service: std::mem::take(service) });
            }
        }
        self.tallies.add(own);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
