//! Differences with their intervals, one a row, against no difference.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw, text_width};
use super::palette::Ink;

/// One row.
pub struct ForestRow {
    /// What it is of.
    pub name: String,
    /// Difference and the ends of its interval, as shares; absent where there is no number.
    pub difference: Option<(f64, f64, f64)>,
    /// What is said of it.
    pub verdict: String,
    /// Its colour.
    pub ink: Ink,
    /// What is shown when it is pointed at.
    pub read_out: String,
}

const WIDTH: u32 = 400;
const LEFT: f64 = 8.0;
const RIGHT: f64 = 392.0;
const TOP: f64 = 18.0;
const ROW: f64 = 36.0;
/// Half the height of the band around an interval.
const BAND: f64 = 8.0;
/// Differences beyond this run out of the picture; an arrow's place tells them.
const FARTHEST: f64 = 1.0;

/// Draws the rows. `what` the differences are stands under the axis; `bound` is the least difference that matters. `None` without a number in any row.
pub fn forest(title: &str, what: &str, rows: &[ForestRow], bound: f64) -> Option<Picture> {
    let known = || rows.iter().filter_map(|row| row.difference);
    known().next()?;
    let low = known().map(|d| d.1).fold(-1.5 * bound, f64::min).max(-FARTHEST);
    let high = known().map(|d| d.2).fold(1.5 * bound, f64::max).min(FARTHEST);
    let bottom = TOP + ROW * rows.len() as f64;
    let x = Axis::around_zero((low, high), (LEFT + 14.0, RIGHT - 14.0), 6);
    let at = |share: f64| x.at(share.clamp(low, high));
    let label = format!("{title}: differences with their intervals");
    Some(draw((WIDTH, bottom as u32 + 42), &label, |pen| {
        x.draw_columns(pen, (bottom, bottom));
        pen.words(what, (RIGHT, bottom + 34.0), Anchor::End, Ink::Text, false);
        for (number, row) in rows.iter().enumerate() {
            let top = TOP + ROW * number as f64;
            let (words, line) = (top + 13.0, top + 25.0);
            // Band and grid keep to the interval's part of the row, so that nothing lies under the words.
            let part = (line - BAND, line + BAND);
            pen.bar((at(-bound), part.0), (at(bound), part.1), Ink::Shade);
            x.draw_grid(pen, part);
            pen.line(&[(x.at(0.0), part.0), (x.at(0.0), part.1)], Ink::Muted, 1.25);
            pen.words(&row.name, (LEFT, words), Anchor::Start, Ink::Text, false);
            let room = RIGHT - LEFT - text_width(&row.name) - 10.0;
            if text_width(&row.verdict) < room {
                pen.words(&row.verdict, (RIGHT, words), Anchor::End, row.ink, true);
            }
            if let Some((middle, from, to)) = row.difference {
                pen.line(&[(at(from), line), (at(to), line)], row.ink, 2.0);
                for end in [from, to].into_iter().filter(|end| (low..=high).contains(end)) {
                    pen.line(&[(at(end), line - 4.0), (at(end), line + 4.0)], row.ink, 1.5);
                }
                pen.dot((at(middle), line), 3.5, row.ink);
            }
            pen.region((LEFT, top + 2.0), (RIGHT, top + ROW - 2.0), &row.read_out);
        }
    }))
}
