//! Symptoms that records and published tables show alike: one sentence and one error for each, whoever has the values.

use super::Symptom;
use crate::evidence::Feature;
use crate::printed;

/// Fewest I/Os in flight at which a latency can have waited.
const MIN_IN_FLIGHT: f64 = 1.9;
/// Shortfall at the knee from which it is a bend.
const SOFT: f64 = 0.08;
/// Standard error of a shortfall at the knee, and of a number in flight.
const CELL_ERROR: f64 = 0.02;
/// Standard error of the logarithm of a ratio of two latencies.
const LATENCY_ERROR: f64 = 0.05;

impl Symptom {
    /// What latency grew to with that many in flight from what it is alone; a logarithm above `most` says no more than
    /// that.
    pub fn waiting((loaded_ns, in_flight): (f64, f64), alone_ns: f64, most: f64, error: f64) -> Option<Self> {
        if in_flight < MIN_IN_FLIGHT {
            return None;
        }
        let text = format!(
            "Mean latency is {} with {} in flight and {} alone.",
            printed::time(loaded_ns),
            printed::count(in_flight),
            printed::time(alone_ns)
        );
        Self::new(Feature::Waiting, (loaded_ns / alone_ns).ln().min(most), error, text)
    }

    /// How far the rate stays below its two asymptotes where they meet.
    pub fn corner(shortfall: f64) -> Option<Self> {
        let text = format!(
            "At the knee the rate is {} below its asymptotes: {}.",
            printed::percent(shortfall.max(0.0)),
            if shortfall > SOFT {
                "a soft bend, typical of a queue"
            } else {
                "a sharp knee, typical of a hard cap"
            }
        );
        Self::new(Feature::Corner, shortfall, CELL_ERROR, text)
    }

    /// The 99.9th percentile of latency over the median.
    pub fn tail(factor: f64) -> Option<Self> {
        let text = format!("One I/O in a thousand takes more than {} the median.", printed::times(factor));
        Self::new(Feature::Tail, factor.ln(), LATENCY_ERROR, text)
    }

    /// I/Os in flight over those that the device takes at once.
    pub fn asked_tags(in_flight: f64, tags: f64) -> Option<Self> {
        let text = format!(
            "{} are in flight, and the device takes {} at once.",
            printed::count(in_flight),
            printed::count(tags)
        );
        Self::new(Feature::AskedTags, (in_flight / tags).ln(), CELL_ERROR, text)
    }

    /// I/Os that are in service at the unloaded latency over those that the device takes at once.
    pub fn served(in_service: f64, tags: f64) -> Option<Self> {
        let text = format!(
            "At unloaded latency this rate keeps {} I/Os in service, of {} queue tags.",
            printed::count(in_service),
            printed::count(tags)
        );
        Self::new(Feature::Served, (in_service / tags).ln(), LATENCY_ERROR, text)
    }
}
