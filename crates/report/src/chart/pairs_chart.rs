//! The difference in each pair of runs, in the order in which the pairs were made.

use fathom_record::campaign::ComparedPair;
use fathom_record::comparison::{Ratio, Side};

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw};
use super::palette::Ink;

const WIDTH: u32 = 400;
const HEIGHT: u32 = 230;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 388.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 188.0;
/// Numbers written along the axis, at most.
const NUMBERS: usize = 10;

/// Draws them. `name` is the metric's. `None` under two pairs with a number.
pub fn pairs_over_time(
    (title, name): (&str, &str),
    pairs: &[ComparedPair],
    ratio: Option<&Ratio>,
) -> Option<Picture> {
    let shares = || pairs.iter().filter_map(|pair| pair.ratio).map(|ratio| ratio - 1.0);
    if shares().count() < 2 {
        return None;
    }
    let ends = ratio.map(|ratio| (ratio.low - 1.0, ratio.high - 1.0));
    let low = shares().chain(ends.map(|ends| ends.0)).fold(-0.005, f64::min);
    let high = shares().chain(ends.map(|ends| ends.1)).fold(0.005, f64::max);
    let y = Axis::around_zero((low, high), (BOTTOM, TOP), 5);
    let x = |at: usize| LEFT + 12.0 + (RIGHT - LEFT - 24.0) * at as f64 / (pairs.len().max(2) - 1) as f64;
    let label = format!("{title}: difference of {name} in each pair");
    Some(draw((WIDTH, HEIGHT), &label, |pen| {
        if let Some((from, to)) = ends {
            pen.bar((LEFT, y.at(to)), (RIGHT, y.at(from)), Ink::Grid);
        }
        y.draw_rows(pen, (LEFT, RIGHT));
        pen.line(&[(LEFT, y.at(0.0)), (RIGHT, y.at(0.0))], Ink::Muted, 1.25);
        if let Some(ratio) = ratio {
            let height = y.at(ratio.ratio - 1.0);
            pen.dashes(&[(LEFT, height), (RIGHT, height)], Ink::Blue, 1.25);
        }
        pen.words(&format!("{name}, B vs A"), (4.0, TOP - 12.0), Anchor::Start, Ink::Text, false);
        pen.words("pair", (RIGHT, BOTTOM + 34.0), Anchor::End, Ink::Text, false);
        let step = pairs.len().div_ceil(NUMBERS).max(1);
        for (at, pair) in pairs.iter().enumerate() {
            if at % step == 0 {
                pen.words(&(at + 1).to_string(), (x(at), BOTTOM + 15.0), Anchor::Middle, Ink::Muted, false);
            }
            let Some(share) = pair.ratio.map(|ratio| ratio - 1.0) else { continue };
            let place = (x(at), y.at(share));
            let first = if pair.first == Side::A {
                pen.dot(place, 3.0, Ink::Blue);
                'A'
            } else {
                pen.ring(place, 3.0, Ink::Vermillion, 1.75);
                'B'
            };
            let text = format!("pair {}, {first} first: {:+.2} %", at + 1, share * 100.0);
            pen.place(place, 9.0, &text);
        }
    }))
}
