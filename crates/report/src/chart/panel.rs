//! Lines over a time axis in panels of one width, one above the other.

use super::Picture;
use super::axis::{Axis, ClockAxis};
use super::canvas::{Anchor, Pen, draw};
use super::labels::spread;
use super::palette::Ink;

/// Where panels begin and end, in pixels.
pub const LEFT: f64 = 62.0;
/// See [`LEFT`].
pub const RIGHT: f64 = 322.0;

/// One line of a panel.
pub struct Line {
    /// What stands at its end; empty for nothing.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
    /// In pixels.
    pub width: f64,
    /// Seconds and values; absent breaks the line.
    pub points: Vec<(f64, Option<f64>)>,
}

/// A panel over a time axis.
pub struct Panel {
    /// What stands above it.
    pub title: &'static str,
    /// What stands in the panel when there is nothing to draw.
    pub missing: &'static str,
    /// Whether its axis is.
    pub logarithmic: bool,
    /// Part of the picture's height, in pixels.
    pub height: f64,
    /// The axis reaches at least so high.
    pub least_top: f64,
    /// Words of a value on the axis.
    pub tick: fn(f64) -> String,
    /// What is drawn.
    pub lines: Vec<Line>,
}

const WIDTH: u32 = 400;
const TOP: f64 = 24.0;
/// Between panels.
const GAP: f64 = 26.0;

/// Draws panels one above the other, over `end_s` seconds from a demand's first tick on, with the clock where it is known.
pub fn stacked(title: &str, panels: &[Panel], end_s: f64, clock: Option<ClockAxis>) -> Picture {
    let bottom = TOP - GAP + panels.iter().map(|panel| panel.height + GAP).sum::<f64>();
    let x = Axis::time(end_s, (LEFT, RIGHT), 5);
    let below = clock.map_or(0.0, |_| ClockAxis::HEIGHT);
    draw((WIDTH, (bottom + below + 44.0) as u32), title, |pen| {
        let mut top = TOP;
        for panel in panels {
            draw_panel(pen, panel, &x, (top, top + panel.height));
            top += panel.height + GAP;
        }
        x.draw_columns(pen, (bottom, bottom));
        let mut name = "time since the first tick";
        if let Some(clock) = clock {
            clock.draw(pen, &x, bottom);
            name = "time since the first tick, and UTC";
        }
        pen.words(name, (RIGHT, bottom + below + 34.0), Anchor::End, Ink::Text, false);
    })
}

/// Draws a panel between two heights.
pub fn draw_panel(pen: &mut Pen, panel: &Panel, x: &Axis, (top, bottom): (f64, f64)) {
    pen.words(panel.title, (LEFT, top - 7.0), Anchor::Start, Ink::Text, false);
    let values = || panel.lines.iter().flat_map(|line| line.points.iter().filter_map(|p| p.1));
    if values().next().is_none() {
        pen.line(&[(LEFT, bottom), (RIGHT, bottom)], Ink::Grid, 0.75);
        pen.words(panel.missing, (LEFT + 8.0, (top + bottom) / 2.0), Anchor::Start, Ink::Muted, false);
        return;
    }
    let y = if panel.logarithmic {
        Axis::log(values(), (bottom, top), 4, panel.tick)
    } else {
        Axis::low_panel(values().fold(panel.least_top, f64::max), (bottom, top), panel.tick)
    };
    y.draw_rows(pen, (LEFT, RIGHT));
    let mut ends = Vec::new();
    for line in &panel.lines {
        let mut piece: Vec<(f64, f64)> = Vec::new();
        for &(at, value) in &line.points {
            match value.filter(|_| x.holds(at)) {
                Some(value) if value > 0.0 || !panel.logarithmic => piece.push((x.at(at), y.at(value))),
                _ => draw_piece(pen, &mut piece, line),
            }
        }
        ends.push(piece.last().copied().or(line.points.iter().rev().find_map(|p| Some((RIGHT, y.at(p.1?))))));
        draw_piece(pen, &mut piece, line);
    }
    let wanted: Vec<f64> = ends.iter().map(|end| end.map_or(bottom, |at| at.1)).collect();
    for (line, height) in panel.lines.iter().zip(spread(&wanted, 12.5, (top, bottom))) {
        if !line.name.is_empty() {
            pen.words(&line.name, (RIGHT + 4.0, height + 4.0), Anchor::Start, line.ink, false);
        }
    }
}

/// Draws what has been gathered of a line; a single point becomes a dot.
fn draw_piece(pen: &mut Pen, piece: &mut Vec<(f64, f64)>, line: &Line) {
    if let [single] = piece[..] {
        pen.dot(single, line.width, line.ink);
    }
    pen.line(piece, line.ink, line.width);
    piece.clear();
}
