//! How probable each cause is, as bars, with a mark where it stood before the experiments.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw};
use super::palette::Ink;
use crate::number;

/// A cause and how probable it is.
pub struct CauseBar {
    /// In words.
    pub name: String,
    /// From 0 to 1.
    pub probability: f64,
    /// The same before any experiment, where one was made.
    pub before: Option<f64>,
}

const WIDTH: u32 = 400;
const LEFT: f64 = 14.0;
const RIGHT: f64 = 380.0;
const ROW: f64 = 38.0;
const TOP: f64 = 12.0;

/// Draws one bar a cause, in the order given. `None` without any.
pub fn causes(title: &str, bars: &[CauseBar]) -> Option<Picture> {
    if bars.is_empty() {
        return None;
    }
    let bottom = TOP + ROW * bars.len() as f64;
    let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].map(|tick| (tick, number::percent_tick(tick))).into();
    let x = Axis::fixed((0.0, 1.0), (LEFT, RIGHT), ticks);
    let label = format!("{title}: how probable each cause is");
    Some(draw((WIDTH, (bottom + 44.0) as u32), &label, |pen| {
        x.draw_columns(pen, (TOP, bottom));
        for (row, bar) in bars.iter().enumerate() {
            let top = TOP + ROW * row as f64;
            let (ink, share) =
                (if row == 0 { Ink::Blue } else { Ink::Ramp1 }, bar.probability.clamp(0.0, 1.0));
            pen.bar((x.at(0.0), top + 19.0), (x.at(share).max(LEFT + 0.5), top + 31.0), ink);
            if let Some(before) = bar.before {
                let at = x.at(before.clamp(0.0, 1.0));
                pen.line(&[(at, top + 16.0), (at, top + 34.0)], Ink::Text, 1.75);
            }
            pen.words(&bar.name, (x.at(0.0), top + 13.0), Anchor::Start, Ink::Text, row == 0);
            pen.words(
                &number::probability(bar.probability),
                (RIGHT, top + 13.0),
                Anchor::End,
                Ink::Text,
                row == 0,
            );
            let before = bar.before.map_or(String::new(), |before| {
                format!(", before the experiments {}", number::probability(before))
            });
            let text = format!("{}: {}{before}", bar.name, number::probability(bar.probability));
            pen.region((LEFT, top), (RIGHT, top + ROW), &text);
        }
        pen.words("probability", (RIGHT, bottom + 34.0), Anchor::End, Ink::Text, false);
    }))
}
