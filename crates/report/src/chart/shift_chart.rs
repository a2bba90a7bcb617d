//! The difference of every quantile, with one band for all of them.

use fathom_record::comparison::ShiftFunction;

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw};
use super::palette::Ink;
use crate::number;

const WIDTH: u32 = 400;
const HEIGHT: u32 = 260;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 388.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 218.0;

/// Draws it. `kind` is the latency's, as `service`. `None` under two quantiles.
pub fn shift(title: &str, kind: &str, shift: &ShiftFunction) -> Option<Picture> {
    let points = &shift.points;
    if points.len() < 2 {
        return None;
    }
    let low = points.iter().map(|point| point.low - 1.0).fold(-0.01, f64::min);
    let high = points.iter().map(|point| point.high - 1.0).fold(0.01, f64::max);
    let y = Axis::around_zero((low, high), (BOTTOM, TOP), 6);
    let x = |at: usize| LEFT + 14.0 + (RIGHT - LEFT - 28.0) * at as f64 / (points.len() - 1) as f64;
    let label = format!("{title}: difference of {kind} latency at each percentile");
    Some(draw((WIDTH, HEIGHT), &label, |pen| {
        let edge = |end: fn(&fathom_record::comparison::ShiftPoint) -> f64| {
            points.iter().enumerate().map(move |(at, point)| (x(at), end(point) - 1.0))
        };
        let below: Vec<(f64, f64)> = edge(|point| point.low).map(|(x, share)| (x, y.at(share))).collect();
        let mut band: Vec<(f64, f64)> = edge(|point| point.high).map(|(x, share)| (x, y.at(share))).collect();
        band.extend(below.into_iter().rev());
        pen.area(&band, Ink::Grid);
        y.draw_rows(pen, (LEFT, RIGHT));
        pen.line(&[(LEFT, y.at(0.0)), (RIGHT, y.at(0.0))], Ink::Muted, 1.25);
        pen.words(&format!("{kind} latency, B vs A"), (4.0, TOP - 12.0), Anchor::Start, Ink::Text, false);
        pen.words("percentile", (RIGHT, BOTTOM + 34.0), Anchor::End, Ink::Text, false);
        let middle: Vec<(f64, f64)> = edge(|point| point.ratio).map(|(x, share)| (x, y.at(share))).collect();
        pen.line(&middle, Ink::Blue, 2.0);
        for ((at, point), place) in points.iter().enumerate().zip(&middle) {
            let name = number::quantile_name(point.q);
            pen.words(
                name.trim_start_matches('p'),
                (x(at), BOTTOM + 15.0),
                Anchor::Middle,
                Ink::Muted,
                false,
            );
            pen.dot(*place, 2.75, Ink::Blue);
            let share = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
            let text =
                format!("{name}: {} ({} to {})", share(point.ratio), share(point.low), share(point.high));
            pen.place(*place, 9.0, &text);
        }
    }))
}
