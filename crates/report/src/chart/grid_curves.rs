//! A figure over the values of one axis of a grid, a line for each combination of the others.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw, text_width};
use super::labels::Labels;
use super::palette::Ink;
use crate::ReportError;

/// A measured cell on its line.
pub struct GridPoint {
    /// Index of its value on the axis.
    pub at: usize,
    /// The figure.
    pub value: f64,
    /// Ends of its interval, where there is one.
    pub interval: Option<(f64, f64)>,
    /// What is shown when it is pointed at.
    pub read_out: String,
}

/// One line.
pub struct GridLine {
    /// What it stands for; empty for a line that is alone.
    pub name: String,
    /// Its cells, in the order of the axis.
    pub points: Vec<GridPoint>,
}

const WIDTH: u32 = 400;
const HEIGHT: u32 = 260;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 380.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 218.0;

/// Draws the lines. `values` are the axis's, as they are typed; `name` writes a figure.
/// `None` where no cell was measured.
///
/// # Errors
/// When the drawing library refuses.
pub fn grid_curves(
    (title, quantity): (&str, &str),
    (key, values): (&str, &[String]),
    lines: &[GridLine],
    name: fn(f64) -> String,
) -> Result<Option<Picture>, ReportError> {
    let figures = || lines.iter().flat_map(|line| &line.points).map(|point| point.value).filter(|v| *v > 0.0);
    if figures().next().is_none() {
        return Ok(None);
    }
    let places =
        |at: usize| LEFT + 14.0 + (RIGHT - LEFT - 28.0) * at as f64 / (values.len().max(2) - 1) as f64;
    let (low, high) = figures().fold((f64::MAX, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let y = if high / low > 8.0 {
        Axis::log(figures(), (BOTTOM, TOP), 5, name)
    } else {
        Axis::from_zero(high * 1.05, (BOTTOM, TOP), 4, name)
    };
    let label = format!("{title}: {quantity} over {key}");
    draw((WIDTH, HEIGHT), &label, |pen| {
        y.draw_rows(pen, (LEFT, RIGHT))?;
        pen.words(quantity, (LEFT - 6.0, TOP - 12.0), Anchor::Start, Ink::Text, false)?;
        pen.words(key, (RIGHT, BOTTOM + 34.0), Anchor::End, Ink::Text, false)?;
        let mut written = f64::MIN;
        for (at, value) in values.iter().enumerate() {
            let (x, half) = (places(at), text_width(value) / 2.0);
            if x - half > written + 4.0 {
                pen.words(value, (x, BOTTOM + 15.0), Anchor::Middle, Ink::Muted, false)?;
                written = x + half;
            }
        }
        let mut labels = Labels::within(LEFT, RIGHT + 16.0, TOP - 4.0, BOTTOM - 2.0);
        for (step, line) in lines.iter().enumerate() {
            let ink = Ink::ramp(step, lines.len());
            let drawn: Vec<(f64, f64)> =
                line.points.iter().filter(|p| p.value > 0.0).map(|p| (places(p.at), y.at(p.value))).collect();
            pen.line(&drawn, ink, 1.75)?;
            labels.keep_line_free(&drawn);
            for (point, at) in line.points.iter().filter(|p| p.value > 0.0).zip(&drawn) {
                if let Some((low, high)) = point.interval.filter(|(low, _)| *low > 0.0) {
                    let (low, high) = (y.at(low).min(BOTTOM), y.at(high).max(TOP));
                    pen.line(&[(at.0, low), (at.0, high)], Ink::Text, 1.25)?;
                }
                pen.dot(*at, 2.75, ink)?;
                pen.place(*at, 9.0, &point.read_out);
            }
        }
        for (step, line) in lines.iter().enumerate().filter(|(_, line)| !line.name.is_empty()) {
            if let Some(last) = line.points.iter().rev().find(|p| p.value > 0.0) {
                let ink = Ink::ramp(step, lines.len());
                labels.write(pen, &line.name, (places(last.at), y.at(last.value)), (ink, false, false))?;
            }
        }
        Ok(())
    })
    .map(Some)
}
