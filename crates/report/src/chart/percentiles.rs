//! Latency distributions as percentile curves, to p99.99.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw, text_width};
use super::labels::spread;
use super::palette::Ink;
use crate::merged_histograms::NINES_MAX;
use crate::number;

/// One distribution.
pub struct Curve {
    /// Its name at the line's end.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
    /// Whether the line is dashed, as response latencies are.
    pub dashed: bool,
    /// `(nines, latency in ns)`, ascending.
    pub points: Vec<(f64, f64)>,
}

/// Percentiles that are named, by their nines.
const NAMED: [(f64, &str); 5] =
    [(std::f64::consts::LOG10_2, "p50"), (1.0, "p90"), (2.0, "p99"), (3.0, "p99.9"), (4.0, "p99.99")];

const WIDTH: u32 = 400;
const HEIGHT: u32 = 300;
const LEFT: f64 = 50.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 256.0;

/// Draws the curves over percentiles on a logarithmic scale of `1 - q`. `None` without any.
pub fn percentile_curves(title: &str, kind: &str, curves: &[Curve]) -> Option<Picture> {
    let curves: Vec<&Curve> = curves.iter().filter(|curve| !curve.points.is_empty()).collect();
    if curves.is_empty() {
        return None;
    }
    let widest = curves.iter().map(|curve| text_width(&curve.name)).fold(0.0, f64::max);
    let right = (f64::from(WIDTH) - widest * 1.08 - 14.0).clamp(220.0, 370.0);
    let ticks = NAMED.map(|(at, name)| (at, name.to_owned())).to_vec();
    let x = Axis::fixed((0.0, NINES_MAX), (LEFT, right), ticks);
    let latencies = curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.1));
    let y = Axis::log(latencies, (BOTTOM, TOP), 6, number::time_tick);
    let label = format!("{title}: percentiles of {kind} latency");
    Some(draw((WIDTH, HEIGHT), &label, |pen| {
        y.draw_rows(pen, (LEFT, right));
        x.draw_columns(pen, (TOP, BOTTOM));
        pen.words(&format!("{kind} latency"), (4.0, TOP - 12.0), Anchor::Start, Ink::Text, false);
        pen.words("share of I/Os that were faster", (right, BOTTOM + 34.0), Anchor::End, Ink::Text, false);
        let mut ends = Vec::new();
        for curve in &curves {
            let points: Vec<_> =
                curve.points.iter().map(|&(nines, ns)| (x.at(nines), y.at(ns.max(1.0)))).collect();
            if curve.dashed {
                pen.dashes(&points, curve.ink, 2.0);
            } else {
                pen.line(&points, curve.ink, 2.0);
            }
            if let Some(&end) = points.last() {
                pen.dot(end, 2.5, curve.ink);
                ends.push(end);
            }
        }
        let wanted: Vec<f64> = ends.iter().map(|end| end.1).collect();
        let heights = spread(&wanted, 13.0, (TOP, BOTTOM));
        for ((curve, end), height) in curves.iter().zip(&ends).zip(heights) {
            if (height - end.1).abs() > 3.0 || right - end.0 > 8.0 {
                pen.line(&[(end.0 + 3.0, end.1), (right + 5.0, height)], Ink::Grid, 0.75);
            }
            pen.words(&curve.name, (right + 8.0, height + 4.0), Anchor::Start, curve.ink, false);
        }
        for curve in &curves {
            for (nines, name) in NAMED {
                if let Some(&(at, ns)) = curve.points.iter().find(|p| (p.0 - nines).abs() < 0.026) {
                    let text = format!("{}: {name} {}", curve.name, number::time(ns));
                    pen.place((x.at(at), y.at(ns.max(1.0))), 8.0, &text);
                }
            }
        }
    }))
}
