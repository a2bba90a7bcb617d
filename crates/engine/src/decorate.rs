//! Decorators that a user puts around an engine on purpose: which ones, and the engine they make.

use fathom_measure::Clock;
use fathom_record::facts::Decorated;

use crate::Engine;
use crate::delay::{Delay, DelayPlan, RunStart};
use crate::job::JobPlan;
use crate::pattern::{Purpose, random_of};
use crate::rest::Rest;
use crate::throttle::{Buckets, Throttle, ThrottlePlan};

/// What is put around an engine. An I/O waits at the throttle first; the delay follows its completion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decorators {
    /// Time added to each service latency.
    pub delay: Option<DelayPlan>,
    /// Limits on rate and throughput.
    pub throttle: Option<ThrottlePlan>,
}

impl Decorators {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.delay.is_none() && self.throttle.is_none()
    }

    /// The decorators as facts of the target; `None` when there is none.
    pub fn facts(&self) -> Option<Decorated> {
        let throttle = self.throttle.as_ref();
        (!self.is_empty()).then(|| Decorated {
            delay: self.delay.as_ref().map(ToString::to_string),
            throttle: throttle.map(ToString::to_string),
            operations_per_s: throttle.and_then(ThrottlePlan::operations_per_s),
            bytes_per_s: throttle.and_then(ThrottlePlan::bytes_per_s),
        })
    }

    /// What the engines of one run share; `rest` is how their threads wait.
    pub fn stack(&self, seed: u64, rest: Rest) -> Stack<'_> {
        let buckets = self.throttle.as_ref().map(Buckets::new);
        Stack { decorators: self, buckets, start: RunStart::default(), seed, rest }
    }
}

/// The decorators of one run.
#[derive(Debug)]
pub struct Stack<'a> {
    decorators: &'a Decorators,
    buckets: Option<Buckets>,
    start: RunStart,
    seed: u64,
    rest: Rest,
}

impl Stack<'_> {
    /// Puts the decorators around a job's engine. The result is called through a pointer; engines without
    /// decorators are not.
    pub fn around<C: Clock + Clone + 'static>(
        &self,
        mut engine: Box<dyn Engine>,
        plan: &JobPlan,
        clock: &C,
    ) -> Box<dyn Engine> {
        if let (Some(throttle), Some(buckets)) = (&self.decorators.throttle, &self.buckets) {
            let buckets = buckets.clone();
            engine = Box::new(Throttle::new(
                engine,
                throttle,
                plan.buffers(),
                (clock.clone(), self.rest),
                buckets,
            ));
        }
        if let Some(delay) = &self.decorators.delay {
            let random = random_of(self.seed, Purpose::Delay, plan.job);
            let start = self.start.clone();
            engine = Box::new(Delay::new(
                engine,
                delay,
                plan.buffers(),
                (clock.clone(), self.rest),
                random,
                start,
            ));
        }
        engine
    }
}
