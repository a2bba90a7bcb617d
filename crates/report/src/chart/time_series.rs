//! A run second by second: rate, throughput, latency and processors, one above the other on one time axis.

use fathom_record::{Direction, RunRecord};

use super::Picture;
use super::axis::{Axis, ClockAxis};
use super::canvas::{Anchor, Pen, draw};
use super::palette::Ink;
use super::panel::{LEFT, Line, Panel, RIGHT, draw_panel};
use crate::merged_intervals::{Flow, Stretch, stretches};
use crate::processor_load::{CpuUtilization, busy};
use crate::{ReportError, number};

/// A run's series, drawn.
pub struct Series {
    /// The picture.
    pub picture: Picture,
    /// Seconds-long intervals that make one point; 1 unless the run is long.
    pub merged: usize,
}

const WIDTH: u32 = 400;
const TOP: f64 = 24.0;
const LOW: f64 = 50.0;
const HIGH: f64 = 84.0;
const GAP: f64 = 26.0;

/// Draws a run's series. `None` when the run has no intervals.
///
/// # Errors
/// When an interval's histogram is damaged.
pub fn series(title: &str, run: &RunRecord) -> Result<Option<Series>, ReportError> {
    let (all, merged) = stretches(run)?;
    let Some(end_s) = all.last().map(|s| s.to_s) else { return Ok(None) };
    let mut panels = vec![rates(&all), throughputs(&all), latencies(&all), processors(run)];
    let mut shown = "IOPS, throughput, service latency and CPUs";
    if !run.engine.moves_data() {
        panels.remove(1);
        shown = "IOPS, service latency and CPUs";
    }
    let bottom = TOP - GAP + panels.iter().map(|panel| panel.height + GAP).sum::<f64>();
    // Simulated seconds have no time of day.
    let clock = if run.is_virtual() { None } else { ClockAxis::from(&run.started_at) };
    let below = clock.map_or(0.0, |_| ClockAxis::HEIGHT);
    let height = bottom + below + 44.0;
    let label = format!("{title}: {shown} over time");
    let x = Axis::time(end_s, (LEFT, RIGHT), 5);
    let picture = draw((WIDTH, height as u32), &label, |pen| {
        warm_up(pen, &all, &x, bottom);
        let mut top = TOP;
        for panel in &panels {
            draw_panel(pen, panel, &x, (top, top + panel.height));
            top += panel.height + GAP;
        }
        x.draw_columns(pen, (bottom, bottom));
        let mut name = "time since the first I/O";
        if let Some(clock) = clock {
            clock.draw(pen, &x, bottom);
            name = "time since the first I/O, and UTC";
        }
        pen.words(name, (RIGHT, bottom + below + 34.0), Anchor::End, Ink::Text, false);
        for stretch in &all {
            let (from, to) = (x.at(stretch.from_s), x.at(stretch.to_s));
            pen.region((from, TOP), (to, bottom), &read_out(stretch));
        }
    });
    Ok(Some(Series { picture, merged }))
}

fn warm_up(pen: &mut Pen, all: &[Stretch], x: &Axis, bottom: f64) {
    let Some(end) = all.iter().take_while(|s| s.warmup).last() else { return };
    pen.bar((LEFT, TOP), (x.at(end.to_s), bottom), Ink::Shade);
}

fn direction_ink(direction: Direction) -> Ink {
    match direction {
        Direction::Read => Ink::Blue,
        Direction::Write => Ink::Vermillion,
        Direction::Trim => Ink::Purple,
        Direction::Flush => Ink::Green,
    }
}

fn middle(stretch: &Stretch) -> f64 {
    (stretch.from_s + stretch.to_s) / 2.0
}

/// One line a direction. With a single direction its name says nothing and is left out.
fn by_direction(
    all: &[Stretch],
    (suffix, width): (&str, f64),
    value: impl Fn(&Flow) -> Option<f64>,
) -> Vec<Line> {
    let directions: Vec<Direction> =
        all.first().map_or(Vec::new(), |s| s.flows.iter().map(|f| f.direction).collect());
    let single = directions.len() == 1;
    directions
        .iter()
        .enumerate()
        .map(|(at, &direction)| Line {
            name: match (single, suffix) {
                (true, suffix) => suffix.to_owned(),
                (false, "") => direction.name().to_owned(),
                (false, suffix) => format!("{} {suffix}", direction.name()),
            },
            ink: direction_ink(direction),
            width,
            points: all.iter().map(|s| (middle(s), value(&s.flows[at]))).collect(),
        })
        .filter(|line| line.points.iter().any(|p| p.1.is_some()))
        .collect()
}

fn rates(all: &[Stretch]) -> Panel {
    Panel {
        title: "IOPS",
        missing: number::NOT_MEASURED,
        logarithmic: false,
        height: LOW,
        least_top: 0.0,
        tick: number::rate_tick,
        lines: by_direction(all, ("", 1.75), |flow| Some(flow.operations_per_s)),
    }
}

fn throughputs(all: &[Stretch]) -> Panel {
    let moves_data =
        |flow: &Flow| matches!(flow.direction, Direction::Read | Direction::Write | Direction::Trim);
    Panel {
        title: "throughput",
        missing: number::NOT_MEASURED,
        logarithmic: false,
        height: LOW,
        least_top: 0.0,
        tick: number::throughput_tick,
        lines: by_direction(all, ("", 1.75), |flow| moves_data(flow).then_some(flow.bytes_per_s)),
    }
}

fn latencies(all: &[Stretch]) -> Panel {
    let mut lines = by_direction(all, ("p99", 1.75), |flow| flow.p99_ns.map(|ns| ns as f64));
    lines.extend(by_direction(all, ("p50", 1.0), |flow| flow.p50_ns.map(|ns| ns as f64)));
    Panel {
        title: "service latency",
        missing: number::NOT_MEASURED,
        logarithmic: true,
        height: HIGH,
        least_top: 0.0,
        tick: number::time_tick,
        lines,
    }
}

fn processors(run: &RunRecord) -> Panel {
    // A sample's time is its end; the value belongs to the second before.
    let at_s = |at_ns: &i64| *at_ns as f64 / 1e9 - 0.5;
    let line = |name: &str, ink, width, values: &[Option<f64>]| {
        let points = run.telemetry.at_ns.iter().map(at_s).zip(values.iter().copied());
        Line { name: name.to_owned(), ink, width, points: points.filter(|p| p.0 >= 0.0).collect() }
    };
    let lines = match busy(&run.telemetry) {
        Some(CpuUtilization { mean, busiest }) => {
            vec![line("busiest core", Ink::Text, 1.75, &busiest), line("all cores", Ink::Muted, 1.0, &mean)]
        }
        None => Vec::new(),
    };
    Panel {
        title: "CPUs in use",
        missing: "not measured",
        logarithmic: false,
        height: LOW,
        least_top: 1.0,
        tick: number::percent_tick,
        lines,
    }
}

fn read_out(stretch: &Stretch) -> String {
    let mut text = format!("{:.0} s to {:.0} s", stretch.from_s, stretch.to_s);
    if stretch.warmup {
        text.push_str(" (warm-up)");
    }
    for flow in &stretch.flows {
        let ns = |value: Option<u64>| number::known(value.map(|ns| number::time(ns as f64)));
        text.push_str(&format!(
            "; {} {}, {}, p50 {}, p99 {}",
            flow.direction.name(),
            number::iops(flow.operations_per_s),
            number::throughput(flow.bytes_per_s),
            ns(flow.p50_ns),
            ns(flow.p99_ns)
        ));
    }
    text
}
