//! A figure over two axes of a grid, as shades with the figure written on each.

use super::Picture;
use super::canvas::{Anchor, draw, text_width};
use super::palette::Ink;
use crate::ReportError;

/// A grid of figures.
pub struct HeatMap<'a> {
    /// Key and values of the axis that runs across.
    pub across: (&'a str, &'a [String]),
    /// Key and values of the axis that runs down.
    pub down: (&'a str, &'a [String]),
    /// Figure of each cell, row by row; absent where it was not measured.
    pub figures: Vec<Option<f64>>,
}

const WIDTH: u32 = 400;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 392.0;
const TOP: f64 = 30.0;
const ROW: f64 = 22.0;
const SHADES: usize = 5;

/// Draws it; `name` writes a figure. `None` where fewer than two cells were measured.
///
/// # Errors
/// When the drawing library refuses.
pub fn heat_map(
    (title, quantity): (&str, &str),
    map: &HeatMap<'_>,
    name: fn(f64) -> String,
) -> Result<Option<Picture>, ReportError> {
    let known = || map.figures.iter().flatten().copied().filter(|value| *value > 0.0);
    if known().count() < 2 {
        return Ok(None);
    }
    let (low, high) = known().fold((f64::MAX, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let shade = |value: f64| {
        let share = if high > low { (value / low).ln() / (high / low).ln() } else { 1.0 };
        (share * SHADES as f64).floor().clamp(0.0, (SHADES - 1) as f64) as usize
    };
    let ((across, columns), (down, rows)) = (map.across, map.down);
    let width = (RIGHT - LEFT) / columns.len().max(1) as f64;
    let height = (TOP + ROW * rows.len() as f64 + 40.0) as u32;
    let label = format!("{title}: {quantity} over {across} and {down}");
    draw((WIDTH, height), &label, |pen| {
        pen.words(down, (LEFT - 8.0, TOP - 10.0), Anchor::End, Ink::Text, false)?;
        pen.words(across, (RIGHT, TOP + ROW * rows.len() as f64 + 32.0), Anchor::End, Ink::Text, false)?;
        for (at, row) in rows.iter().enumerate() {
            pen.words(row, (LEFT - 8.0, TOP + ROW * (at as f64 + 0.68)), Anchor::End, Ink::Muted, false)?;
        }
        let mut written = f64::MIN;
        for (at, column) in columns.iter().enumerate() {
            let (x, half) = (LEFT + width * (at as f64 + 0.5), text_width(column) / 2.0);
            if x - half > written + 3.0 {
                let y = TOP + ROW * rows.len() as f64 + 15.0;
                pen.words(column, (x, y), Anchor::Middle, Ink::Muted, false)?;
                written = x + half;
            }
        }
        for (at, figure) in map.figures.iter().enumerate() {
            let (row, column) = (at / columns.len().max(1), at % columns.len().max(1));
            let from = (LEFT + width * column as f64 + 1.0, TOP + ROW * row as f64 + 1.0);
            let to = (from.0 + width - 2.0, from.1 + ROW - 2.0);
            let Some(value) = figure.filter(|value| *value > 0.0) else {
                pen.bar(from, to, Ink::Shade)?;
                continue;
            };
            let step = shade(value);
            pen.bar(from, to, Ink::ramp(step, SHADES))?;
            let text = name(value);
            if text_width(&text) < width - 4.0 {
                let middle = (from.0 + (width - 2.0) / 2.0, from.1 + ROW * 0.64);
                let ink = if step > SHADES / 2 { Ink::Paper } else { Ink::Text };
                pen.words(&text, middle, Anchor::Middle, ink, false)?;
            }
            pen.region(from, to, &format!("{across} {}, {down} {}: {text}", columns[column], rows[row]));
        }
        Ok(())
    })
    .map(Some)
}
