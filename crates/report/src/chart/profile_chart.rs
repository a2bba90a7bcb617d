//! A profile: what was asked over time, its rates over windows of several lengths, and its sizes.

use fathom_record::profile_record::{DemandSeries, SizeMix, SizePoint};
use fathom_record::sizing_record::WindowSummary;

use super::Picture;
use super::axis::{Axis, ClockAxis};
use super::canvas::{Anchor, draw};
use super::palette::Ink;
use super::panel::{LEFT, Line, Panel, RIGHT, draw_panel, stacked};
use crate::number;

const WIDTH: u32 = 400;
const TOP: f64 = 24.0;
const HEIGHT: f64 = 72.0;
const TALL: f64 = 150.0;
/// Stretches that are drawn; of a longer series several ticks are one.
const STRETCHES: usize = 360;

/// Draws reads and writes, I/Os and bytes. `None` without ticks. Gives how many seconds a stretch stands for, too.
pub fn asked_over_time(
    series: &DemandSeries,
    directions_known: bool,
    clock: Option<ClockAxis>,
) -> Option<(Picture, u64)> {
    let ticks = series.read_bytes.len();
    if ticks == 0 {
        return None;
    }
    let per_stretch = ticks.div_ceil(STRETCHES);
    let step_s = per_stretch as f64 * f64::from(series.tick_s);
    let line = |name: &str, ink, values: &[&[u64]]| Line {
        name: name.to_owned(),
        ink,
        width: 1.25,
        points: largest(series, values, per_stretch)
            .into_iter()
            .enumerate()
            .map(|(at, value)| (at as f64 * step_s, value))
            .collect(),
    };
    let panel = |title, lines, tick| Panel {
        title,
        missing: "none",
        logarithmic: false,
        height: HEIGHT,
        least_top: 0.0,
        tick,
        lines,
    };
    let operations = if directions_known {
        vec![line("reads", Ink::Blue, &[&series.reads]), line("writes", Ink::Vermillion, &[&series.writes])]
    } else {
        vec![line("both", Ink::Blue, &[&series.reads, &series.writes])]
    };
    let bytes = vec![
        line("reads", Ink::Blue, &[&series.read_bytes]),
        line("writes", Ink::Vermillion, &[&series.write_bytes]),
    ];
    let panels = [
        panel("IOPS, peak per interval", operations, number::rate_tick as fn(f64) -> String),
        panel("throughput, peak per interval", bytes, number::throughput_tick),
    ];
    let end_s = ticks as f64 * f64::from(series.tick_s);
    let picture = stacked("Reads and writes over time", &panels, end_s, clock);
    Some((picture, per_stretch as u64 * u64::from(series.tick_s)))
}

/// Largest rate of each stretch, a second; absent where no tick of it was seen.
fn largest(series: &DemandSeries, values: &[&[u64]], per_stretch: usize) -> Vec<Option<f64>> {
    let ticks = series.read_bytes.len();
    let unseen = |tick: usize| series.gaps.iter().any(|gap| (gap.0..gap.1).contains(&(tick as u64)));
    let at = |tick: usize| values.iter().filter_map(|flow| flow.get(tick)).sum::<u64>();
    (0..ticks)
        .step_by(per_stretch)
        .map(|from| {
            let seen = (from..(from + per_stretch).min(ticks)).filter(|tick| !unseen(*tick));
            seen.map(at).max().map(|most| most as f64 / f64::from(series.tick_s.max(1)))
        })
        .collect()
}

/// Draws quantiles of the I/Os a second over windows of several lengths. `None` with fewer than two lengths.
pub fn rates_by_window(windows: &[WindowSummary]) -> Option<Picture> {
    if windows.len() < 2 {
        return None;
    }
    let line = |name: &str, ink, value: &dyn Fn(&WindowSummary) -> f64| Line {
        name: name.to_owned(),
        ink,
        width: 1.75,
        points: windows.iter().enumerate().map(|(at, window)| (at as f64, Some(value(window)))).collect(),
    };
    let lines = vec![
        line("max", Ink::Vermillion, &|window| window.operations_per_s.max),
        line("p99.9", Ink::Purple, &|window| window.operations_per_s.p999),
        line("p99", Ink::Green, &|window| window.operations_per_s.p99),
        line("p50", Ink::Blue, &|window| window.operations_per_s.p50),
    ];
    let ticks = windows
        .iter()
        .enumerate()
        .map(|(at, window)| (at as f64, number::seconds_tick(window.seconds as f64)));
    let x = Axis::fixed((0.0, (windows.len() - 1) as f64), (LEFT, RIGHT), ticks.collect());
    let panel = tall("IOPS, means over windows", lines, number::rate_tick);
    Some(one(&panel, &x, "Rates over windows of several lengths", "length of the window"))
}

/// Draws the share of the I/Os that are at least so large: a line where it is known, two where it lies between them.
/// `None` without any.
pub fn sizes_at_least(reads: Option<&SizeMix>, writes: Option<&SizeMix>) -> Option<Picture> {
    let points = reads.or(writes).map(|mix| &mix.at_least).filter(|points| points.len() > 1)?;
    let line = |name: &str, ink, mix: &SizeMix, value: &dyn Fn(&SizePoint) -> f64| Line {
        name: name.to_owned(),
        ink,
        width: 1.75,
        points: mix.at_least.iter().enumerate().map(|(at, point)| (at as f64, Some(value(point)))).collect(),
    };
    let mut lines = Vec::new();
    for (name, ink, mix) in [("reads", Ink::Blue, reads), ("writes", Ink::Vermillion, writes)] {
        let Some(mix) = mix else { continue };
        lines.push(line(name, ink, mix, &|point| point.share_high));
        if !mix.exact {
            lines.push(line("", ink, mix, &|point| point.share_low));
        }
    }
    let ticks = points.iter().enumerate().step_by(2);
    let ticks = ticks.map(|(at, point)| (at as f64, number::size(point.bytes))).collect();
    let x = Axis::fixed((0.0, (points.len() - 1) as f64), (LEFT, RIGHT), ticks);
    let panel =
        Panel { least_top: 1.0, ..tall("share of the I/Os at least so large", lines, number::percent_tick) };
    Some(one(&panel, &x, "Sizes of reads and writes", "size"))
}

fn tall(title: &'static str, lines: Vec<Line>, tick: fn(f64) -> String) -> Panel {
    Panel { title, missing: "none", logarithmic: false, height: TALL, least_top: 0.0, tick, lines }
}

/// A picture of one panel.
fn one(panel: &Panel, x: &Axis, label: &str, below: &str) -> Picture {
    let bottom = TOP + panel.height;
    draw((WIDTH, (bottom + 44.0) as u32), label, |pen| {
        draw_panel(pen, panel, x, (TOP, bottom));
        x.draw_columns(pen, (bottom, bottom));
        pen.words(below, (RIGHT, bottom + 34.0), Anchor::End, Ink::Text, false);
    })
}
