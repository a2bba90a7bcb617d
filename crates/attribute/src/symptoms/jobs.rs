//! What more jobs say together: a lock costs each of them as much, and many jobs may fill what does not bind with a few.

use crate::curve_shape::CurveShape;
use crate::evidence::{CUT_SHORT, Feature};
use crate::experiments::many_times;
use crate::input::MeasuredPattern;

use super::Symptom;

/// Least logarithm of a ratio by which many jobs have to be slower.
const LEAST_SLOWER: f64 = 0.03;
/// Least share of what a job costs that is told from none.
const LEAST_COST: f64 = 0.2;
/// From this share on each job costs as much.
const EACH: f64 = 0.7;
/// A share that is known no better says nothing.
const MOST_ERROR: f64 = 0.6;

/// Puts the answers of twice and of many times the jobs beside each other: where each job costs as much, twice of them cost their
/// part of what many do. Where they cost less, many jobs ran into something else, which says nothing of what binds now.
///
/// Source: universal scalability law, whose first term is linear in the jobs.
pub fn seen(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>, found: &mut Vec<Symptom>) {
    if let Some(line) = line(pattern, shape, found) {
        let costs_each = line.figure.value.exp() >= EACH;
        let unsaid = if costs_each { Feature::DoubleJobs } else { Feature::ManyJobs };
        for seen in found.iter_mut().filter(|seen| seen.figure.feature == unsaid) {
            seen.figure.error = CUT_SHORT;
        }
        found.push(line);
    }
}

fn line(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>, found: &[Symptom]) -> Option<Symptom> {
    let of =
        |feature: Feature| found.iter().find(|seen| seen.figure.feature == feature).map(|seen| seen.figure);
    let (twice, many) = (of(Feature::DoubleJobs)?, of(Feature::ManyJobs)?);
    let times = f64::from(many_times(pattern, (shape.focus.jobs, shape.focus.depth))?);
    if many.value > -LEAST_SLOWER {
        return None;
    }
    let expected = ((-many.value).exp() - 1.0) / (times - 1.0);
    let share = ((-twice.value).exp() - 1.0) / expected;
    let error = twice.error / expected;
    if error > MOST_ERROR {
        return None;
    }
    let text = if share >= EACH {
        "Each job more costs as much, up to many times as many."
    } else {
        "The last of many jobs cost more than the first: they filled something that is not the limit now."
    };
    let share = share.max(LEAST_COST);
    Symptom::new(Feature::JobsLine, share.ln(), error / share.max(0.5), text)
}
