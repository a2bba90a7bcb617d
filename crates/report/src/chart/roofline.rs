//! The roofline: measured rates over the I/Os in flight, under every ceiling that is known.

use fathom_record::verdict::{Ceiling, Limit};

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, Pen, draw};
use super::labels::Labels;
use super::operating_chart::{BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH};
use super::palette::Ink;
use crate::number;

/// A rate that was measured.
pub struct RoofPoint {
    /// What stands beside it; empty for none.
    pub name: String,
    /// I/Os in flight on average.
    pub in_flight: f64,
    /// Operations per second.
    pub operations_per_s: f64,
    /// Whether the verdict speaks of it.
    pub focus: bool,
    /// Whether it belongs to an experiment, so to another workload.
    pub experiment: bool,
    /// What is shown when it is pointed at.
    pub read_out: String,
}

impl RoofPoint {
    fn drawable(&self) -> bool {
        self.in_flight.is_finite()
            && self.in_flight > 0.0
            && self.operations_per_s.is_finite()
            && self.operations_per_s > 0.0
    }
}

/// Ceilings this many times above the highest rate say nothing about it.
const FAR: f64 = 30.0;

/// Draws the points; ceilings lie across, the lone I/O's latency rises until it meets them.
/// `unloaded_s` is that latency in seconds. `None` without a point.
pub fn roofline(
    title: &str,
    points: &[RoofPoint],
    ceilings: &[Ceiling],
    unloaded_s: Option<f64>,
) -> Option<Picture> {
    let points: Vec<&RoofPoint> = points.iter().filter(|point| point.drawable()).collect();
    let highest = points.iter().map(|p| p.operations_per_s).fold(0.0, f64::max);
    if highest <= 0.0 {
        return None;
    }
    // Latency times depth is not a line across but the rising one.
    let across: Vec<&Ceiling> = ceilings
        .iter()
        .filter(|c| c.limit != Limit::Concurrency && c.operations_per_s > 0.0)
        .filter(|c| c.operations_per_s < highest * FAR)
        .collect();
    let rates = points.iter().map(|p| p.operations_per_s).chain(across.iter().map(|c| c.operations_per_s));
    let y = Axis::log(rates.chain([highest * 1.6]), (BOTTOM, TOP), 5, number::rate_tick);
    let depths = points.iter().map(|p| p.in_flight);
    let x = Axis::log(depths.chain([1.0]), (LEFT, RIGHT), 6, number::rate_tick);
    let label = format!("{title}: IOPS over I/Os in flight, under {} limits", across.len());
    Some(draw((WIDTH, HEIGHT), &label, |pen| {
        y.draw_rows(pen, (LEFT, RIGHT));
        x.draw_columns(pen, (TOP, BOTTOM));
        pen.words("IOPS", (LEFT - 6.0, TOP - 12.0), Anchor::End, Ink::Text, false);
        pen.words("I/Os in flight", (RIGHT, BOTTOM + 34.0), Anchor::End, Ink::Text, false);
        let mut labels = Labels::within(LEFT, RIGHT + 18.0, TOP - 4.0, BOTTOM - 2.0);
        for point in &points {
            labels.keep_free((x.at(point.in_flight), y.at(point.operations_per_s)), 5.0);
        }
        if let Some(seconds) = unloaded_s.filter(|s| s.is_finite() && *s > 0.0) {
            rising(pen, &mut labels, (&x, &y), seconds);
        }
        for ceiling in across {
            let at = y.at(ceiling.operations_per_s);
            pen.line(&[(LEFT, at), (RIGHT, at)], Ink::Vermillion, 1.5);
            labels.keep_line_free(&[(LEFT, at), (RIGHT, at)]);
            let rate = number::iops(ceiling.operations_per_s);
            let is_named = ceiling.name.contains(&rate);
            let text = if is_named { ceiling.name.clone() } else { format!("{}: {rate}", ceiling.name) };
            labels.write(pen, &text, (LEFT + 4.0, at), (Ink::Vermillion, false, true));
            pen.region((LEFT, at - 5.0), (RIGHT, at + 5.0), &format!("{text} ({})", ceiling.source));
        }
        measured(pen, &mut labels, &points, (&x, &y));
    }))
}

/// What a target without any limit would do: each I/O takes as long as a lone one.
fn rising(pen: &mut Pen, labels: &mut Labels, (x, y): (&Axis, &Axis), seconds: f64) {
    let ((x_low, x_high), (y_low, y_high)) = (x.ends(), y.ends());
    let (from, to) = (x_low.max(y_low * seconds), x_high.min(y_high * seconds));
    if from >= to {
        return;
    }
    let ends = [(x.at(from), y.at(from / seconds)), (x.at(to), y.at(to / seconds))];
    pen.dashes(&ends, Ink::Blue, 1.25);
    labels.keep_line_free(&ends);
    let text = format!("no I/O waits: {} each", number::time(seconds * 1e9));
    let middle = ((ends[0].0 + ends[1].0) / 2.0, (ends[0].1 + ends[1].1) / 2.0);
    labels.write(pen, &text, middle, (Ink::Blue, false, false));
}

fn measured(pen: &mut Pen, labels: &mut Labels, points: &[&RoofPoint], (x, y): (&Axis, &Axis)) {
    let place = |point: &RoofPoint| (x.at(point.in_flight), y.at(point.operations_per_s));
    for point in points {
        let at = place(point);
        if point.experiment {
            pen.dot(at, 3.5, Ink::Paper);
            pen.ring(at, 3.5, Ink::Purple, 1.75);
        } else {
            pen.dot(at, 3.75, Ink::Text);
        }
        if point.focus {
            pen.ring(at, 7.5, Ink::Text, 1.5);
            labels.keep_free(at, 8.0);
        }
    }
    for point in points {
        if !point.name.is_empty() {
            let ink = if point.experiment { Ink::Purple } else { Ink::Text };
            labels.write(pen, &point.name, place(point), (ink, point.focus, point.focus));
        }
        pen.place(place(point), 9.0, &point.read_out);
    }
}
