//! One file a limit: what speaks for it, what against it, and how sure that makes it.

mod cache;
mod concurrency;
mod declared;
mod device;
mod interference;
mod processor;
mod rate_cap;

use fathom_record::verdict::{Confidence, Evidence, Limit};

use crate::ceilings::{Bound, Kind};
use crate::input::Pattern;
use crate::shape::Shape;
use crate::thresholds::{HAS_TIME, REACHED};
use crate::words;

/// Everything a limit is judged by.
pub struct Case<'a> {
    pub pattern: &'a Pattern<'a>,
    pub shape: &'a Shape<'a>,
    pub bounds: &'a [Bound],
}

/// A limit that something points to.
#[derive(Clone, Debug)]
pub struct Finding {
    pub limit: Limit,
    pub confidence: Confidence,
    pub statement: String,
    pub evidence: Vec<Evidence>,
}

/// Every limit that something points to, in no order.
pub fn findings(case: &Case<'_>) -> Vec<Finding> {
    let mut found = of_target(case);
    if let Some(decorated) = &case.pattern.target.decorated {
        // A decorator shapes rate and latency and keeps a processor busy as it waits.
        let text = format!("The target was measured behind {}: it may be what binds.", decorated.words());
        for finding in &mut found {
            finding.confidence = finding.confidence.min(Confidence::Possible);
            finding.evidence.push(against(text.clone()));
        }
    }
    // These two name what binds whatever stands before the target.
    found.extend(declared::throttles(case));
    found.extend(concurrency::finding(case));
    found
}

/// Limits of the target and the machine.
fn of_target(case: &Case<'_>) -> Vec<Finding> {
    let mut found = declared::findings(case);
    found.extend(rate_cap::finding(case));
    found.extend(processor::finding(case));
    found.extend(device::finding(case));
    found.extend(cache::finding(case));
    found.extend(interference::finding(case));
    found
}

impl Case<'_> {
    fn bound(&self, kind: Kind) -> Option<&Bound> {
        self.bounds.iter().find(|b| b.kind == kind)
    }

    /// Declared limits of the storage, those of a throttle before it included.
    fn declared(&self) -> impl Iterator<Item = &Bound> {
        self.bounds.iter().filter(|b| matches!(b.kind, Kind::Declared(_) | Kind::Throttle(_)))
    }

    /// Whether a processor or a submitting thread has no time left.
    fn processors_are_full(&self) -> bool {
        let busy = [self.shape.busiest_core(), self.shape.telemetry.generator_busy_share];
        busy.iter().flatten().any(|share| *share >= REACHED)
    }

    /// Whether all that is known of processors and threads says that they had time, and the busiest
    /// processor is known.
    fn processors_have_time(&self) -> bool {
        if self.shape.telemetry.simulated_time {
            return true;
        }
        let (core, generator) = (self.shape.busiest_core(), self.shape.telemetry.generator_busy_share);
        core.is_some_and(|share| share < HAS_TIME) && generator.is_none_or(|share| share < HAS_TIME)
    }

    /// What processors say about a limit elsewhere.
    fn processor_evidence(&self) -> Option<Evidence> {
        if self.shape.telemetry.simulated_time {
            return Some(supports("Time is simulated: processors play no part."));
        }
        let busiest = self.shape.busiest_core()?;
        Some(if self.processors_are_full() {
            against(format!(
                "A processor or submitting thread had no time left (busiest processor {}).",
                words::percent(busiest)
            ))
        } else {
            supports(format!("The busiest processor was busy {} of the time.", words::percent(busiest)))
        })
    }

    /// How the rate answers to concurrency, as a sentence; with what it means left to the reader.
    fn growth_sentence(&self) -> Option<String> {
        let growth = self.shape.growth?;
        let doubling = (growth * std::f64::consts::LN_2).exp_m1();
        Some(match doubling {
            d if d.abs() < 0.005 => "Doubling the concurrency does not change the rate.".to_owned(),
            d if d > 0.0 => format!("Doubling the concurrency adds {} of rate.", words::percent(d)),
            d => format!("Doubling the concurrency takes away {} of rate.", words::percent(-d)),
        })
    }

    /// Evidence on whether the seconds were even, for a limit that makes them so.
    fn evenness_evidence(&self, is_even: bool, variation: f64) -> Evidence {
        let text = format!("The 1-s rates vary by {}.", words::percent(variation));
        Evidence { supports: is_even, text }
    }
}

/// Evidence for a claim.
fn supports(text: impl Into<String>) -> Evidence {
    Evidence { supports: true, text: text.into() }
}

/// Evidence against a claim.
fn against(text: impl Into<String>) -> Evidence {
    Evidence { supports: false, text: text.into() }
}
