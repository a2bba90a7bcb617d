//! Every pattern of an assessment in one picture: its rate and its latency at the points to run at.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw, text_width};
use super::palette::Ink;
use crate::number;

/// One pattern.
pub struct OverviewRow {
    /// What it is called.
    pub name: String,
    /// The rate at its peak and, where that is another point, at its balanced point, per second.
    pub rates: (f64, Option<f64>),
    /// The same for the 99th percentile of service latency, in nanoseconds; absent where too few I/Os ended.
    pub latencies: (Option<f64>, Option<f64>),
    /// Both in words, for the end of the row's first line.
    pub words: String,
    /// What is shown when it is pointed at.
    pub read_out: String,
}

const WIDTH: u32 = 400;
const LEFT: f64 = 8.0;
const RIGHT: f64 = 392.0;
const TOP: f64 = 4.0;
/// Room beside the last tick for the half of its words: `100 ms` is 38 pixels wide.
const EDGE: f64 = 16.0;
const ROW: f64 = 34.0;
/// Where the panel of rates ends, and the one of latencies begins.
const PANELS: (f64, f64) = (194.0, 206.0);

/// Draws the rows: rates on the left, latencies on the right, each on a logarithmic axis of its own. `None` without
/// a row.
pub fn overview(title: &str, rows: &[OverviewRow]) -> Option<Picture> {
    if rows.is_empty() {
        return None;
    }
    let rates = rows.iter().flat_map(|row| [Some(row.rates.0), row.rates.1]).flatten();
    let latencies = || rows.iter().flat_map(|row| [row.latencies.0, row.latencies.1]).flatten();
    let bottom = TOP + ROW * rows.len() as f64;
    let x = Axis::log(rates, (LEFT + 8.0, PANELS.0 - 8.0), 4, number::rate_tick);
    let t = Axis::log(latencies(), (PANELS.1 + 8.0, RIGHT - EDGE), 4, number::time_tick);
    let label = format!("{title}: rate and latency of every pattern");
    Some(draw((WIDTH, bottom as u32 + 38), &label, |pen| {
        x.draw_columns(pen, (bottom, bottom));
        pen.words("IOPS", (PANELS.0, bottom + 31.0), Anchor::End, Ink::Text, false);
        if latencies().next().is_some() {
            t.draw_columns(pen, (bottom, bottom));
            pen.words("p99 service latency", (RIGHT, bottom + 31.0), Anchor::End, Ink::Text, false);
        }
        for (at, row) in rows.iter().enumerate() {
            let top = TOP + ROW * at as f64;
            let (words, line) = (top + 13.0, top + 24.0);
            pen.words(&row.name, (LEFT, words), Anchor::Start, Ink::Text, false);
            if text_width(&row.words) < RIGHT - LEFT - text_width(&row.name) - 10.0 {
                pen.words(&row.words, (RIGHT, words), Anchor::End, Ink::Muted, false);
            }
            let panels = [
                (&x, (LEFT, PANELS.0), Some(row.rates.0), row.rates.1, Ink::Blue),
                (&t, (PANELS.1, RIGHT), row.latencies.0, row.latencies.1, Ink::Vermillion),
            ];
            for (axis, (from, to), peak, balanced, ink) in panels {
                pen.bar((from, line - 5.0), (to, line + 5.0), Ink::Shade);
                axis.draw_grid(pen, (line - 5.0, line + 5.0));
                if let (Some(peak), Some(balanced)) = (peak, balanced) {
                    pen.line(&[(axis.at(balanced), line), (axis.at(peak), line)], ink, 1.5);
                }
                if let Some(value) = balanced.filter(|value| axis.holds(*value)) {
                    pen.ring((axis.at(value), line), 4.0, ink, 1.5);
                }
                if let Some(value) = peak.filter(|value| axis.holds(*value)) {
                    pen.dot((axis.at(value), line), 3.5, ink);
                }
            }
            pen.region((LEFT, top + 1.0), (RIGHT, top + ROW - 1.0), &row.read_out);
        }
    }))
}
