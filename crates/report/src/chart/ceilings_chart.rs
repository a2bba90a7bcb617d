//! How close the best rate came to each upper bound, as bars.

use fathom_order::InOrder;
use fathom_record::verdict::Ceiling;

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw, text_width};
use super::palette::Ink;
use crate::number;

const WIDTH: u32 = 400;
const LEFT: f64 = 8.0;
const RIGHT: f64 = 392.0;
const ROW: f64 = 40.0;
const TOP: f64 = 12.0;

/// Draws one bar a ceiling, the closest first. `None` without any.
pub fn ceilings(title: &str, ceilings: &[Ceiling]) -> Option<Picture> {
    let mut rows: Vec<&Ceiling> =
        ceilings.iter().filter(|c| c.reached_share.is_finite() && c.reached_share >= 0.0).collect();
    if rows.is_empty() {
        return None;
    }
    rows.put_in_order_by(|a, b| b.reached_share.total_cmp(&a.reached_share));
    let largest = rows.iter().map(|c| c.reached_share).fold(1.0, f64::max).min(2.0);
    let bottom = TOP + ROW * rows.len() as f64;
    let ticks = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0].into_iter().filter(|t| *t <= largest + 1e-9);
    let ticks = ticks.map(|t| (t, number::percent_tick(t))).collect();
    let x = Axis::fixed((0.0, largest), (LEFT + 6.0, RIGHT - 12.0), ticks);
    let label = format!("{title}: share of each limit that was reached");
    Some(draw((WIDTH, (bottom + 44.0) as u32), &label, |pen| {
        x.draw_columns(pen, (TOP, bottom));
        for (row, ceiling) in rows.iter().enumerate() {
            let top = TOP + ROW * row as f64;
            let ink = if row == 0 { Ink::Blue } else { Ink::Ramp1 };
            let end = x.at(ceiling.reached_share.min(largest));
            pen.bar((x.at(0.0), top + 20.0), (end.max(x.at(0.0) + 0.5), top + 32.0), ink);
            let share = number::percent(ceiling.reached_share);
            let name = clipped(&ceiling.name, RIGHT - LEFT - 150.0);
            pen.words(&name, (x.at(0.0), top + 14.0), Anchor::Start, Ink::Text, row == 0);
            let reached = format!("{share} of {}", number::iops(ceiling.operations_per_s));
            pen.words(&reached, (x.at(1.0) - 5.0, top + 14.0), Anchor::End, Ink::Text, row == 0);
            let text = format!("{}: {reached} ({})", ceiling.name, ceiling.source);
            pen.region((LEFT, top), (RIGHT, top + ROW), &text);
        }
        pen.line(&[(x.at(1.0), TOP), (x.at(1.0), bottom)], Ink::Text, 1.25);
        pen.words("reached share of the limit", (RIGHT - 12.0, bottom + 34.0), Anchor::End, Ink::Text, false);
    }))
}

/// The text, cut where it would be wider than `room` pixels.
fn clipped(text: &str, room: f64) -> String {
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        if text_width(&out) > room {
            out.pop();
            return out + "…";
        }
    }
    out
}
