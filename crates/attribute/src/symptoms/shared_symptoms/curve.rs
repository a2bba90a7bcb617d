//! What rate and latency show over concurrency, over the seconds and over the phases of a run.

use std::ops::RangeInclusive;

use crate::curve_shape::shortfalls;
use crate::evidence::Feature;
use crate::printed;
use crate::symptoms::Symptom;
use crate::thresholds::LONE;

use super::ComparedRow;

/// Fewest I/Os in flight at which a latency can have waited.
const MIN_IN_FLIGHT: f64 = 1.9;
/// Shortfall at the knee from which it is a bend.
const SOFT: f64 = 0.08;
/// In flight over that at the knee, near it on a curve that others published, whose points are further apart.
const NEAR_KNEE: RangeInclusive<f64> = 0.25..=4.0;
/// Fewest points of such a curve that show a bend, and of them near the knee.
const LEAST_POINTS: (usize, usize) = (4, 2);
/// Standard error of a shortfall at the knee, and of a number in flight.
const CELL_ERROR: f64 = 0.02;
/// Standard error of the logarithm of a ratio of two latencies.
const LATENCY_ERROR: f64 = 0.05;
/// Logarithm of the variation of seconds below which they are as even as can be: those of any place that takes as long
/// for each I/O are, whether it is full or not.
const LEAST_UNEVENNESS: f64 = -6.5;
/// Standard error of the logarithm of a ratio of the rates of two phases.
const PHASE_ERROR: f64 = 0.02;
/// Standard error of the logarithm of a number in flight that was stated.
const STATED_ERROR: f64 = 0.1;

/// Whether a number in flight is that of a lone I/O.
pub fn is_lone(in_flight: f64) -> bool {
    in_flight < LONE
}

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
    pub(in crate::symptoms) fn corner(shortfall: f64) -> Option<Self> {
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

    /// The same of a published curve of in flight and rate, with the latency of a lone I/O.
    pub fn corner_of_points(curve: &[(f64, f64)], alone_ns: f64) -> Option<Self> {
        let near: Vec<f64> = shortfalls(curve, alone_ns, &NEAR_KNEE).collect();
        let is_enough = curve.len() >= LEAST_POINTS.0 && near.len() >= LEAST_POINTS.1;
        Self::corner(near.into_iter().max_by(f64::total_cmp).filter(|_| is_enough)?)
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

    /// Variation of the 1-s rates, above 0.
    pub fn unevenness(variation: f64, error: f64) -> Option<Self> {
        let text = format!("The 1-s rates vary by {}.", printed::percent(variation));
        Self::new(Feature::Unevenness, variation.ln().max(LEAST_UNEVENNESS), error, text)
    }

    /// A phase of a run against its first one, each with its rate and its name; `ln` is the logarithm of their ratio.
    pub fn drop_since(ln: f64, first: &ComparedRow<'_>, own: &ComparedRow<'_>) -> Option<Self> {
        let text = format!(
            "The rate was {} in phase \"{}\" and {} in phase \"{}\".",
            first.rate, first.name, own.rate, own.name
        );
        Self::new(Feature::Drop, ln, PHASE_ERROR, text)
    }

    /// A later phase that is faster than the first one, in question.
    pub fn rise(ln: f64, later_rate: &str, own_rate: &str) -> Option<Self> {
        let text = format!("Later the rate rose to {later_rate} from {own_rate}.");
        Self::new(Feature::Drop, ln, PHASE_ERROR, text)
    }

    /// I/Os in flight, as stated: with one, the rate is that of its latency.
    pub fn in_flight(count: f64) -> Option<Self> {
        let text = if is_lone(count) {
            "One I/O is in flight at a time: the rate is what its latency gives.".to_owned()
        } else {
            format!("{} I/Os are in flight.", printed::count(count))
        };
        Self::new(Feature::InFlight, count.ln(), STATED_ERROR, text)
    }

    /// That jobs ended before others.
    pub fn ended() -> Option<Self> {
        Self::new(Feature::Ended, 1.0, 0.01, "Some jobs ended before the others.")
    }
}
