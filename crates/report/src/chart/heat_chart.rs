//! A figure over two axes of a grid, as shades with the figure written on each, as far as there is room.

use super::Picture;
use super::canvas::{Anchor, draw, text_width};
use super::palette::Ink;

/// A grid of figures.
pub struct HeatMap<'a> {
    /// Key and values of the axis that runs across.
    pub across: (&'a str, &'a [String]),
    /// Key and values of the axis that runs down.
    pub down: (&'a str, &'a [String]),
    /// Figure of each cell, row by row, 0 or more; absent where it was not measured.
    pub figures: Vec<Option<f64>>,
}

const WIDTH: u32 = 400;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 392.0;
const TOP: f64 = 30.0;
const ROW: f64 = 22.0;
const SHADES: usize = 5;
/// Between a figure and the edges of its cell, both together.
const MARGIN: f64 = 4.0;

/// A drawn grid.
pub struct HeatPicture {
    /// The drawing.
    pub picture: Picture,
    /// Whether each measured cell has its figure written on it; where one had no room, none has.
    pub has_figures: bool,
}

/// What is written on each measured cell: figures in full where all of them have room, else in short.
fn labels(figures: &[Option<f64>], room: f64, forms: [fn(f64) -> String; 2]) -> Option<Vec<Option<String>>> {
    forms.into_iter().find_map(|name| {
        let labels: Vec<Option<String>> = figures.iter().map(|figure| figure.map(name)).collect();
        labels.iter().flatten().all(|label| text_width(label) <= room).then_some(labels)
    })
}

/// Draws it; `forms` write a figure in full and in short. A cell that was not measured is crossed out. `None` where
/// fewer than two cells were measured.
pub fn heat_map(
    (title, quantity): (&str, &str),
    map: &HeatMap<'_>,
    forms: [fn(f64) -> String; 2],
) -> Option<HeatPicture> {
    if map.figures.iter().flatten().count() < 2 {
        return None;
    }
    let positive = map.figures.iter().flatten().copied().filter(|value| *value > 0.0);
    let (low, high) = positive.fold((f64::MAX, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let shade = |value: f64| {
        if value <= 0.0 {
            return 0;
        }
        let share = if high > low { (value / low).ln() / (high / low).ln() } else { 1.0 };
        (share * SHADES as f64).floor().clamp(0.0, (SHADES - 1) as f64) as usize
    };
    let ((across, columns), (down, rows)) = (map.across, map.down);
    let width = (RIGHT - LEFT) / columns.len().max(1) as f64;
    let height = (TOP + ROW * rows.len() as f64 + 40.0) as u32;
    let labels = labels(&map.figures, width - MARGIN, forms);
    let has_figures = labels.is_some();
    let label = format!("{title}: {quantity} over {across} and {down}");
    let picture = draw((WIDTH, height), &label, |pen| {
        pen.words(down, (LEFT - 8.0, TOP - 10.0), Anchor::End, Ink::Text, false);
        pen.words(across, (RIGHT, TOP + ROW * rows.len() as f64 + 32.0), Anchor::End, Ink::Text, false);
        for (at, row) in rows.iter().enumerate() {
            pen.words(row, (LEFT - 8.0, TOP + ROW * (at as f64 + 0.68)), Anchor::End, Ink::Muted, false);
        }
        let mut written = f64::MIN;
        for (at, column) in columns.iter().enumerate() {
            let (x, half) = (LEFT + width * (at as f64 + 0.5), text_width(column) / 2.0);
            if x - half > written + 3.0 {
                let y = TOP + ROW * rows.len() as f64 + 15.0;
                pen.words(column, (x, y), Anchor::Middle, Ink::Muted, false);
                written = x + half;
            }
        }
        for (at, figure) in map.figures.iter().enumerate() {
            let (row, column) = (at / columns.len().max(1), at % columns.len().max(1));
            let from = (LEFT + width * column as f64 + 1.0, TOP + ROW * row as f64 + 1.0);
            let to = (from.0 + width - 2.0, from.1 + ROW - 2.0);
            let Some(value) = *figure else {
                pen.bar(from, to, Ink::Shade);
                pen.line(&[from, to], Ink::Muted, 0.75);
                pen.line(&[(from.0, to.1), (to.0, from.1)], Ink::Muted, 0.75);
                pen.region(
                    from,
                    to,
                    &format!("{across} {}, {down} {}: not measured", columns[column], rows[row]),
                );
                continue;
            };
            let step = shade(value);
            pen.bar(from, to, Ink::ramp(step, SHADES));
            if let Some(text) = labels.as_ref().and_then(|labels| labels[at].as_ref()) {
                let middle = (from.0 + (width - 2.0) / 2.0, from.1 + ROW * 0.64);
                let ink = if step > SHADES / 2 { Ink::Paper } else { Ink::Text };
                pen.words(text, middle, Anchor::Middle, ink, false);
            }
            let figure = forms[0](value);
            pen.region(from, to, &format!("{across} {}, {down} {}: {figure}", columns[column], rows[row]));
        }
    });
    Some(HeatPicture { picture, has_figures })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    const FORMS: [fn(f64) -> String; 2] = [number::rate_tick, number::rate_short];

    /// A sweep's rates over depth (across) and block size (down): small ones beside large ones.
    fn drawn(columns: usize, figures: Vec<Option<f64>>) -> HeatPicture {
        let across: Vec<String> = (0..columns).map(|at| format!("{}k", 4 << at)).collect();
        let down: Vec<String> = (0..figures.len() / columns).map(|at| (1 << at).to_string()).collect();
        let map = HeatMap { across: ("bs", &across), down: ("depth", &down), figures };
        heat_map(("Sweep", "IOPS"), &map, FORMS).expect("cells")
    }

    fn texts(drawn: &HeatPicture) -> Vec<String> {
        let svg = drawn.picture.inline();
        svg.split("</text>").filter_map(|part| Some(part.rsplit_once('>')?.1.trim().to_owned())).collect()
    }

    #[test]
    fn every_measured_cell_has_its_figure() {
        let rates = [1425.0, 1420.0, 1414.0, 1393.0, 1361.0, 989.0, 700.0, 350.0, 175.0];
        let figures: Vec<Option<f64>> =
            (0..27).map(|at| Some(rates[at % 9] * 8f64.powi(at as i32 / 9))).collect();
        let drawn = drawn(9, figures.clone());
        assert!(drawn.has_figures);
        let texts = texts(&drawn);
        for figure in figures.into_iter().flatten() {
            assert!(texts.contains(&number::rate_short(figure)), "{figure}: {texts:?}");
        }
        assert!(!drawn.picture.inline().contains("not measured"));
    }

    #[test]
    fn a_cell_that_was_not_measured_is_crossed_out_and_one_without_io_is_not() {
        let figures = vec![Some(100.0), None, Some(0.0), Some(200.0)];
        let drawn = drawn(2, figures);
        let svg = drawn.picture.inline();
        assert_eq!(svg.matches("not measured").count(), 1);
        assert!(texts(&drawn).contains(&"0".to_owned()), "{svg}");
    }

    #[test]
    fn where_one_figure_has_no_room_none_is_written() {
        let figures: Vec<Option<f64>> = (0..60).map(|at| Some(123_456.0 + at as f64)).collect();
        let drawn = drawn(30, figures);
        assert!(!drawn.has_figures);
        assert!(!texts(&drawn).iter().any(|text| text.contains("123")));
        assert!(drawn.picture.inline().contains(": 123.46 k<"), "pointed at, it is shown");
    }
}
