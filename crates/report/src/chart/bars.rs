//! Bars from the left, one a row, each with its name above it and its value at the end.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw, text_width};
use super::palette::Ink;
use crate::number;

/// A row.
pub struct Bar {
    /// Its name.
    pub name: String,
    /// Its length, from 0 up.
    pub value: f64,
    /// What stands at its end.
    pub told: String,
    /// What it says when it is pointed at, behind its name.
    pub hint: String,
}

const WIDTH: u32 = 400;
const LEFT: f64 = 14.0;
const RIGHT: f64 = 380.0;
/// Where bars begin: their names stand left of it.
const FROM: f64 = 132.0;
/// Room for what stands at the end of the longest.
const ROOM: f64 = 84.0;
const ROW: f64 = 22.0;
const TOP: f64 = 10.0;

/// Draws one bar a row, in the order given, and what their length is. `None` where none has any.
pub fn bars(title: &str, measured: &str, rows: &[Bar], ink: Ink) -> Option<Picture> {
    let most = rows.iter().map(|row| row.value).filter(|value| value.is_finite()).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let bottom = TOP + ROW * rows.len() as f64;
    let x = Axis::span(most, (FROM, RIGHT - ROOM), 3, number::rate_tick);
    Some(draw((WIDTH, (bottom + 44.0) as u32), title, |pen| {
        x.draw_columns(pen, (TOP, bottom));
        for (row, bar) in rows.iter().enumerate() {
            let top = TOP + ROW * row as f64;
            let value = if bar.value.is_finite() { bar.value.max(0.0) } else { 0.0 };
            let end = x.at(value);
            if value > 0.0 {
                pen.bar((FROM, top + 5.0), (end.max(FROM + 0.75), top + 18.0), ink);
            }
            let name = shortened(&bar.name, FROM - 8.0 - LEFT);
            pen.words(&name, (FROM - 8.0, top + 15.5), Anchor::End, Ink::Text, false);
            pen.words(&bar.told, (end + 5.0, top + 15.5), Anchor::Start, Ink::Muted, false);
            pen.region((LEFT, top), (RIGHT, top + ROW), &format!("{}: {}", bar.name, bar.hint));
        }
        pen.words(measured, (RIGHT - ROOM, bottom + 34.0), Anchor::End, Ink::Text, false);
    }))
}

/// A name that fits into so many pixels.
fn shortened(name: &str, pixels: f64) -> String {
    if text_width(name) <= pixels {
        return name.to_owned();
    }
    let mut short = String::new();
    for letter in name.chars() {
        short.push(letter);
        if text_width(&short) + text_width("…") > pixels {
            short.pop();
            break;
        }
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_in_their_order_and_nothing_of_nothing() {
        let bar = |name: &str, value: f64| Bar {
            name: name.to_owned(),
            value,
            told: format!("{value}"),
            hint: "so many".to_owned(),
        };
        let none = bars("t", "volumes", &[bar("a", 0.0), bar("b", f64::NAN)], Ink::Blue);
        assert!(none.is_none() && bars("t", "volumes", &[], Ink::Blue).is_none());
        let long = "a name that is much longer than the room left of its bar";
        let rows = [bar("first", 3.0), bar(long, 1.0), bar("<b>", f64::INFINITY)];
        let svg = bars("t", "volumes", &rows, Ink::Blue).unwrap().inline();
        let places: Vec<usize> =
            ["first", "a name that", "&lt;b&gt;"].map(|name| svg.find(name).unwrap()).into();
        assert!(places.is_sorted() && svg.contains("…") && !svg.contains("<b>"), "{svg}");
        // All of the name is told where it is pointed at.
        assert!(svg.contains(&format!("{long}: so many")), "{svg}");
    }
}
