//! What a user puts around an engine on purpose.

use super::{DelayPlan, ThrottlePlan};
use crate::facts::DecoratorFacts;

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
    pub fn facts(&self) -> Option<DecoratorFacts> {
        let throttle = self.throttle.as_ref();
        (!self.is_empty()).then(|| DecoratorFacts {
            delay: self.delay.as_ref().map(ToString::to_string),
            throttle: throttle.map(ToString::to_string),
            operations_per_s: throttle.and_then(ThrottlePlan::operations_per_s),
            bytes_per_s: throttle.and_then(ThrottlePlan::bytes_per_s),
        })
    }
}
