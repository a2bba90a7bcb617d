//! Decorators that a user puts around an engine on purpose: the engine they make.

use fathom_measure::Clock;
use fathom_record::options::Decorators;

use crate::Engine;
use crate::delay::{Delay, RunStart};
use crate::pattern::{Purpose, random_of};
use crate::precise_sleep::PreciseSleep;
use crate::throttle::{Buckets, Throttle};

/// The decorators of one run.
#[derive(Debug)]
pub struct Stack {
    decorators: Decorators,
    buckets: Option<Buckets>,
    start: RunStart,
    seed: u64,
    rest: PreciseSleep,
}

impl Stack {
    /// What the engines of one run share; `rest` is how their threads wait.
    pub fn new(decorators: &Decorators, seed: u64, rest: PreciseSleep) -> Self {
        let buckets = decorators.throttle.as_ref().map(Buckets::new);
        let decorators = decorators.clone();
        Self { decorators, buckets, start: RunStart::default(), seed, rest }
    }

    /// Puts the decorators around the engine of job `job`, which has `buffers` buffers. The result is called through a pointer; engines without
    /// decorators are not.
    pub fn around<C: Clock + Clone + 'static>(
        &self,
        mut engine: Box<dyn Engine>,
        (job, buffers): (u32, u32),
        clock: &C,
    ) -> Box<dyn Engine> {
        if let (Some(throttle), Some(buckets)) = (&self.decorators.throttle, &self.buckets) {
            let buckets = buckets.clone();
            engine = Box::new(Throttle::new(engine, throttle, buffers, (clock.clone(), self.rest), buckets));
        }
        if let Some(delay) = &self.decorators.delay {
            let random = random_of(self.seed, Purpose::Delay, job);
            let start = self.start.clone();
            engine = Box::new(Delay::new(engine, delay, buffers, (clock.clone(), self.rest), random, start));
        }
        engine
    }
}
