//! What the rate and latency show over concurrency and over the seconds.

use crate::curve_shape::CurveShape;
use crate::evidence::Feature;
use crate::input::MeasuredPattern;
use crate::printed;
use crate::thresholds::CREEPS;

use super::{Symptom, shared_symptoms};

/// Logarithm of the factor of a latency above which it says how much more was in flight than fills the place, and no more of
/// what is full.
const MOST_WAITING: f64 = 1.8;
/// Logarithm of the variation of seconds over that of chance below which they are as even as can be.
const LEAST_PACING: f64 = -4.5;
/// Standard error of an elasticity from two cells, where their own is not known.
const CELL_ERROR: f64 = 0.02;
/// Standard error of the logarithm of a variation from this many seconds is one over the root of twice them.
const LEAST_SECONDS: f64 = 4.0;

pub fn seen(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Vec<Symptom> {
    let found = [
        waiting(shape),
        growth(shape),
        jobs(shape),
        corner(shape),
        unevenness(shape),
        pacing(shape),
        drop(shape),
        tail(shape),
    ];
    found.into_iter().flatten().chain(tags(pattern, shape)).collect()
}

fn waiting(shape: &CurveShape<'_>) -> Option<Symptom> {
    // Rate times latency is what is in flight: at the top of a climb the latency says what the growth says.
    if is_climb(shape) {
        return None;
    }
    let unloaded = shape.unloaded?;
    let focus = &shape.focus;
    let loaded = (focus.r_ns, focus.in_flight);
    Symptom::waiting(loaded, unloaded.r_ns, MOST_WAITING, shape.error_share() / 2.0)
}

/// Whether the rate was still growing at the most that was in flight.
fn is_climb(shape: &CurveShape<'_>) -> bool {
    !shape.grows_above && shape.growth.is_some_and(|growth| growth > CREEPS)
}

fn growth(shape: &CurveShape<'_>) -> Option<Symptom> {
    let growth = shape.growth?;
    let value = growth * std::f64::consts::LN_2;
    let doubling = value.exp_m1();
    if is_climb(shape) {
        let text = format!(
            "The last doubling of concurrency added {} of rate; nothing with more in flight was measured.",
            printed::percent(doubling)
        );
        return Symptom::new(Feature::Climb, value, CELL_ERROR, text);
    }
    let text = format!("Doubling the concurrency {}.", shared_symptoms::growth(doubling));
    Symptom::new(Feature::DoubleDepth, value, CELL_ERROR, text)
}

fn jobs(shape: &CurveShape<'_>) -> Option<Symptom> {
    let factor = shape.jobs_factor?;
    let text =
        format!("Each doubling of jobs at the same concurrency gives {} the rate.", printed::times(factor));
    Symptom::new(Feature::DoubleJobs, factor.ln(), CELL_ERROR, text)
}

fn corner(shape: &CurveShape<'_>) -> Option<Symptom> {
    // The highest rate is where the measurement ended, and so would be the corner.
    if is_climb(shape) {
        return None;
    }
    Symptom::corner(shape.corner?)
}

/// Variation of the seconds beside a fall of the rate: what two levels of half the time each vary by says nothing of either.
fn variation(shape: &CurveShape<'_>) -> Option<f64> {
    /// Least change that makes two levels.
    const TWO_LEVELS: f64 = 0.86;
    let variation = shape.telemetry.variation()?;
    let change = shape.telemetry.rate_change.filter(|change| *change > 0.0 && *change < TWO_LEVELS);
    let of_levels = change.map_or(0.0, |change| (1.0 - change) / (1.0 + change));
    (variation > of_levels || of_levels == 0.0).then_some(variation)
}

fn unevenness(shape: &CurveShape<'_>) -> Option<Symptom> {
    let variation = variation(shape)?;
    let seconds = shape.telemetry.seconds.max(LEAST_SECONDS);
    Symptom::unevenness(variation, (2.0 * seconds).sqrt().recip())
}

/// Seconds that are more even than independent I/Os can be are counted out by somebody.
fn pacing(shape: &CurveShape<'_>) -> Option<Symptom> {
    let variation = variation(shape)?;
    let ratio = variation * shape.focus.x_per_s.max(1.0).sqrt();
    let text = format!("The seconds vary {} as much as chance alone would make them.", printed::times(ratio));
    Symptom::new(Feature::Pacing, ratio.ln().clamp(LEAST_PACING, 3.0), 0.2, text)
}

fn drop(shape: &CurveShape<'_>) -> Option<Symptom> {
    let change = shape.telemetry.rate_change.filter(|change| *change > 0.0)?;
    let text = match change {
        c if (0.97..1.03).contains(&c) => "The rate was the same from beginning to end.".to_owned(),
        c if c < 1.0 => {
            format!("At the end of a run the rate was {} of that at its beginning.", printed::percent(c))
        }
        c => format!("The rate rose to {} that at the beginning.", printed::times(c)),
    };
    Symptom::new(Feature::Drop, change.ln(), 0.01, text)
}

fn tail(shape: &CurveShape<'_>) -> Option<Symptom> {
    let (median, tail) = (shape.cell.service_p50_ns, shape.cell.service_p999_ns?);
    if median == 0 || tail == 0 {
        return None;
    }
    Symptom::tail(tail as f64 / median as f64)
}

fn tags(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Vec<Symptom> {
    let Some(tags) = pattern.queue_tags.filter(|tags| *tags >= 1.0) else { return Vec::new() };
    let focus = &shape.focus;
    let asked = Symptom::asked_tags(focus.in_flight, tags);
    let in_service = shape.unloaded.map(|unloaded| focus.x_per_s * unloaded.r_ns / 1e9);
    let served = in_service.and_then(|in_service| Symptom::served(in_service, tags));
    asked.into_iter().chain(served).collect()
}
