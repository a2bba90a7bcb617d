//! Throughput against latency over a pattern's cells, with the chosen points named.

use fathom_order::InOrder;
use fathom_record::campaign::CellResult;

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, Pen, draw, text_width};
use super::labels::Labels;
use super::palette::Ink;
use crate::number;

/// A cell that was chosen, with the word for it.
pub struct Mark {
    /// Index into the cells.
    pub cell: usize,
    /// As `balanced` or `balanced, peak`.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
}

/// Size of a picture of rates over concurrency or latency, and where its axes lie, in pixels.
pub const WIDTH: u32 = 400;
/// See [`WIDTH`].
pub const HEIGHT: u32 = 300;
/// See [`WIDTH`].
pub const LEFT: f64 = 50.0;
/// See [`WIDTH`].
pub const RIGHT: f64 = 378.0;
/// See [`WIDTH`].
pub const TOP: f64 = 26.0;
/// See [`WIDTH`].
pub const BOTTOM: f64 = 256.0;

/// Draws the cells with known latency; `bounds` are rates that a ceiling allows, with their names.
/// `None` when no cell has both a rate and a latency.
pub fn operating_curve(
    title: &str,
    cells: &[CellResult],
    marks: &[Mark],
    bounds: &[(String, f64)],
) -> Option<Picture> {
    let drawable = |cell: &&CellResult| cell.operations_per_s > 0.0 && cell.service_mean_ns > 0.0;
    if cells.iter().filter(drawable).count() == 0 {
        return None;
    }
    let highest = cells.iter().map(|c| c.operations_per_s).fold(0.0, f64::max);
    let bounds: Vec<_> = bounds.iter().filter(|(_, v)| *v < highest * 2.5).collect();
    let x = Axis::log(cells.iter().map(|c| c.service_mean_ns), (LEFT, RIGHT), 5, number::time_tick);
    let rates = cells.iter().map(|c| c.operations_per_s).chain(bounds.iter().map(|b| b.1));
    let y = Axis::log(rates, (BOTTOM, TOP), 5, number::rate_tick);
    let label = format!("{title}: IOPS against mean service latency of {} test points", cells.len());
    Some(draw((WIDTH, HEIGHT), &label, |pen| {
        frame(pen, &x, &y);
        let mut labels = Labels::within(LEFT, RIGHT + 18.0, TOP - 4.0, BOTTOM - 2.0);
        for cell in cells.iter().filter(drawable) {
            labels.keep_free((x.at(cell.service_mean_ns), y.at(cell.operations_per_s)), 4.0);
        }
        for (name, value) in bounds {
            let at = y.at(*value);
            pen.dashes(&[(LEFT, at), (RIGHT, at)], Ink::Text, 1.0);
            let text = format!("{name}: {}", number::iops(*value));
            labels.write(pen, &text, (LEFT + 4.0, at), (Ink::Text, false, true));
        }
        for cell in cells.iter().filter(drawable) {
            repeats(pen, cell, &x, &y);
        }
        let ends = lines(pen, &mut labels, cells, (&x, &y));
        for mark in marks {
            let Some(cell) = cells.get(mark.cell).filter(drawable) else { continue };
            let at = (x.at(cell.service_mean_ns), y.at(cell.operations_per_s));
            pen.dot(at, 4.5, mark.ink);
            pen.ring(at, 7.5, mark.ink, 1.5);
            labels.keep_free(at, 8.0);
        }
        for mark in marks {
            let Some(cell) = cells.get(mark.cell).filter(drawable) else { continue };
            let at = (x.at(cell.service_mean_ns), y.at(cell.operations_per_s));
            let text = format!("{} {}", mark.name, number::cell(cell.jobs, cell.depth));
            labels.write(pen, &text, at, (mark.ink, true, true));
        }
        let points: Vec<(f64, f64)> = ends.iter().map(|(_, at)| *at).collect();
        labels.tell_apart(&points);
        for (jobs, at) in ends {
            let text = if jobs == 1 { "1 job".to_owned() } else { format!("{jobs} jobs") };
            labels.write(pen, &text, at, (Ink::Muted, false, true));
        }
        for cell in cells.iter().filter(drawable) {
            pen.place((x.at(cell.service_mean_ns), y.at(cell.operations_per_s)), 9.0, &read_out(cell));
        }
    }))
}

/// Axes, and the lines on which the same number of I/Os is in flight: rate times latency (Little's law).
fn frame(pen: &mut Pen, x: &Axis, y: &Axis) {
    y.draw_rows(pen, (LEFT, RIGHT));
    x.draw_columns(pen, (TOP, BOTTOM));
    pen.words("IOPS", (LEFT - 6.0, TOP - 12.0), Anchor::End, Ink::Text, false);
    pen.words("mean service latency", (RIGHT, BOTTOM + 34.0), Anchor::End, Ink::Text, false);
    let ((x_low, x_high), (y_low, y_high)) = (x.ends(), y.ends());
    let mut last_end = LEFT - 6.0;
    for in_flight in [1u32, 4, 16, 64, 256, 1024, 4096] {
        // In operations per second and nanoseconds.
        let product = f64::from(in_flight) * 1e9;
        let from = x_low.max(product / y_high);
        let to = x_high.min(product / y_low);
        if from * 1.15 >= to {
            continue;
        }
        let start = (x.at(from), y.at(product / from));
        let end = (x.at(to), y.at(product / to));
        pen.dashes(&[start, end], Ink::Grid, 1.0);
        if from > x_low * 1.01 && start.0 < RIGHT - 20.0 {
            let text = format!("{in_flight} in flight");
            let half = text_width(&text) / 2.0;
            let middle = start.0.clamp(LEFT + half, RIGHT + 8.0 - half);
            if middle - half > last_end + 6.0 {
                pen.words(&text, (middle, TOP - 5.0), Anchor::Middle, Ink::Muted, false);
                last_end = middle + half;
            }
        }
    }
}

/// A number of jobs, and where its line ends.
type LineEnd = (u32, (f64, f64));

/// One line a number of jobs, from the least depth to the greatest; gives where each ends.
fn lines(pen: &mut Pen, labels: &mut Labels, cells: &[CellResult], (x, y): (&Axis, &Axis)) -> Vec<LineEnd> {
    let mut jobs: Vec<u32> = cells.iter().map(|c| c.jobs).collect();
    jobs.sort_unstable();
    jobs.dedup();
    let mut ends = Vec::new();
    for (step, &count) in jobs.iter().enumerate() {
        let ink = Ink::ramp(step, jobs.len());
        let mut line: Vec<&CellResult> = cells
            .iter()
            .filter(|c| c.jobs == count && c.operations_per_s > 0.0 && c.service_mean_ns > 0.0)
            .collect();
        line.put_in_order_by_key(|cell| cell.depth);
        let points: Vec<_> =
            line.iter().map(|c| (x.at(c.service_mean_ns), y.at(c.operations_per_s))).collect();
        pen.line(&points, ink, 1.75);
        labels.keep_line_free(&points);
        for &at in &points {
            pen.dot(at, 3.25, Ink::Paper);
            pen.dot(at, 2.5, ink);
        }
        ends.extend(points.last().map(|&at| (count, at)));
    }
    ends
}

/// The 95 % interval of the rate, where there were repeats.
fn repeats(pen: &mut Pen, cell: &CellResult, x: &Axis, y: &Axis) {
    let Some(share) = cell.interval_share.filter(|share| share.is_finite() && *share > 0.0) else {
        return;
    };
    let at = x.at(cell.service_mean_ns);
    let low = y.at(cell.operations_per_s * (1.0 - share).max(0.01)).min(BOTTOM);
    let high = y.at(cell.operations_per_s * (1.0 + share)).max(TOP);
    pen.line(&[(at, low), (at, high)], Ink::Text, 1.25);
    pen.line(&[(at - 3.0, low), (at + 3.0, low)], Ink::Text, 1.25);
    pen.line(&[(at - 3.0, high), (at + 3.0, high)], Ink::Text, 1.25);
}

fn read_out(cell: &CellResult) -> String {
    let interval =
        cell.interval_share.map(|share| format!(" {}", number::interval(share))).unwrap_or_default();
    let p99 = number::known(cell.service_p99_ns.map(|ns| number::time(ns as f64)));
    format!(
        "{} (jobs × depth): {}{interval}, {}; service latency mean {}, p99 {p99}; {} in flight",
        number::cell(cell.jobs, cell.depth),
        number::iops(cell.operations_per_s),
        number::throughput(cell.throughput_bytes_per_s),
        number::time(cell.service_mean_ns),
        number::in_flight(cell.in_flight_mean),
    )
}
