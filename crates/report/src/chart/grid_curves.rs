//! A figure over the values of one axis of a grid, a line for each combination of the others.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw, text_width};
use super::labels::spread;
use super::palette::Ink;
use crate::table::clip;

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
/// Where names end, beside the lines' own ends.
const EDGE: f64 = 394.0;
/// Widest name in pixels; the rest of a longer one is cut.
const WIDEST_NAME: f64 = 130.0;
/// Between the last value of the axis and the names.
const LEADER: f64 = 18.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 218.0;

/// Draws the lines. `values` are the axis's, as they are typed; `name` writes a figure.
/// `None` where no cell was measured.
pub fn grid_curves(
    (title, quantity): (&str, &str),
    (key, values): (&str, &[String]),
    lines: &[GridLine],
    name: fn(f64) -> String,
) -> Option<Picture> {
    let figures = || lines.iter().flat_map(|line| &line.points).map(|point| point.value).filter(|v| *v > 0.0);
    figures().next()?;
    let names: Vec<String> = lines.iter().map(|line| short(&line.name)).collect();
    let widest = names.iter().map(|name| text_width(name)).fold(0.0, f64::max);
    let right = if widest > 0.0 { EDGE - widest - LEADER } else { EDGE - 14.0 };
    let places =
        |at: usize| LEFT + 14.0 + (right - LEFT - 28.0) * at as f64 / (values.len().max(2) - 1) as f64;
    let (low, high) = figures().fold((f64::MAX, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let y = if high / low > 8.0 {
        Axis::log(figures(), (BOTTOM, TOP), 5, name)
    } else {
        Axis::from_zero(high * 1.05, (BOTTOM, TOP), 4, name)
    };
    let label = format!("{title}: {quantity} over {key}");
    Some(draw((WIDTH, HEIGHT), &label, |pen| {
        y.draw_rows(pen, (LEFT, right));
        pen.words(quantity, (LEFT - 6.0, TOP - 12.0), Anchor::Start, Ink::Text, false);
        pen.words(key, (right, BOTTOM + 34.0), Anchor::End, Ink::Text, false);
        let mut written = f64::MIN;
        for (at, value) in values.iter().enumerate() {
            let (x, half) = (places(at), text_width(value) / 2.0);
            if x - half > written + 4.0 {
                pen.words(value, (x, BOTTOM + 15.0), Anchor::Middle, Ink::Muted, false);
                written = x + half;
            }
        }
        for (step, line) in lines.iter().enumerate() {
            let ink = Ink::ramp(step, lines.len());
            let drawn: Vec<(f64, f64)> =
                line.points.iter().filter(|p| p.value > 0.0).map(|p| (places(p.at), y.at(p.value))).collect();
            pen.line(&drawn, ink, 1.75);
            for (point, at) in line.points.iter().filter(|p| p.value > 0.0).zip(&drawn) {
                if let Some((low, high)) = point.interval.filter(|(low, _)| *low > 0.0) {
                    let (low, high) = (y.at(low).min(BOTTOM), y.at(high).max(TOP));
                    pen.line(&[(at.0, low), (at.0, high)], Ink::Text, 1.25);
                }
                pen.dot(*at, 2.75, ink);
                pen.place(*at, 9.0, &point.read_out);
            }
        }
        // Each name stands at the height of its line's end, as near as the others leave room, and a thin line leads there.
        let ends: Vec<Option<(f64, f64)>> = lines
            .iter()
            .map(|line| {
                line.points.iter().rev().find(|p| p.value > 0.0).map(|p| (places(p.at), y.at(p.value)))
            })
            .collect();
        let named: Vec<(usize, (f64, f64))> = (0..lines.len())
            .filter(|at| !names[*at].is_empty())
            .filter_map(|at| Some((at, ends[at]?)))
            .collect();
        let wanted: Vec<f64> = named.iter().map(|(_, end)| end.1).collect();
        for ((at, end), height) in named.iter().zip(spread(&wanted, LINE, (TOP, BOTTOM - 4.0))) {
            let start = EDGE - widest;
            pen.line(&[(end.0 + 5.0, end.1), (start - 3.0, height)], Ink::Muted, 0.6);
            pen.words(&names[*at], (start, height + 4.0), Anchor::Start, Ink::Text, false);
        }
    }))
}

/// Height of a name, with a gap.
const LINE: f64 = 13.0;

/// A name as far as there is room for it.
fn short(name: &str) -> String {
    let length = name.chars().count();
    let fits = |count: &usize| text_width(&clip(name, *count)) <= WIDEST_NAME;
    (1..=length).rev().find(fits).map_or_else(String::new, |count| clip(name, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    #[test]
    fn every_line_has_its_name_and_none_covers_another() {
        let values: Vec<String> = ["4k", "64k", "1m"].map(str::to_owned).to_vec();
        // All lines end at nearly one rate, as curves at a limit do.
        let line = |depth: u32| GridLine {
            name: format!("depth {depth}, addresses zoned:60%/10%"),
            points: (0..3)
                .map(|at| GridPoint {
                    at,
                    value: 1000.0 + f64::from(depth),
                    interval: None,
                    read_out: String::new(),
                })
                .collect(),
        };
        let lines = [1, 2, 4, 8, 16, 64].map(line);
        let picture = grid_curves(("Sweep", "IOPS"), ("bs", &values), &lines, number::rate_tick);
        let svg = picture.expect("cells").inline();
        let heights: Vec<f64> = svg
            .split("<text ")
            .filter(|text| text.contains("depth "))
            .filter_map(|text| text.split("y=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert_eq!(heights.len(), 6, "{svg}");
        let mut sorted = heights.clone();
        sorted.sort_by(f64::total_cmp);
        // Four units are a pixel.
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 4.0 * 12.0), "{sorted:?}");
    }
}
