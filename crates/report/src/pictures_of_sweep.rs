//! The pictures of a sweep: figures over its longest axis, and over two axes as shades.

use fathom_record::campaign::{CellResult, SweepRecord};

use crate::chart::{GridLine, GridPoint, HeatMap, grid_curves, heat_map};
use crate::number;
use crate::pictures::Figure;
use crate::sheet::sweep_sheet::measured;

/// More lines than this cannot be told apart.
const MOST_LINES: usize = 6;

/// The pictures, as far as there are cells for them.
pub fn of_sweep(sweep: &SweepRecord) -> Vec<Figure> {
    let Some(axis) = longest(sweep) else { return heat(sweep).into_iter().collect() };
    let mut figures = Vec::new();
    let rates = lines(sweep, axis, &|cell| {
        let half = cell.interval_share.map(|share| share * cell.operations_per_s);
        let interval = half.map(|half| (cell.operations_per_s - half, cell.operations_per_s + half));
        (cell.operations_per_s, interval)
    });
    let latencies = lines(sweep, axis, &|cell| (cell.service_p99_ns.unwrap_or(0) as f64, None));
    let key = &sweep.plan.axes[axis];
    let place = (key.key.as_str(), key.values.as_slice());
    let remark = if rates.len() == MOST_LINES { " The first six combinations are drawn." } else { "" };
    if let Some(picture) = grid_curves(("Sweep", "IOPS"), place, &rates, number::rate_tick) {
        let caption =
            format!("Means over runs. Bars are 95 % intervals over runs of different passes.{remark}");
        figures.push(Figure { name: "rate", title: format!("Rate over {}", key.key), caption, picture });
    }
    if let Some(picture) = grid_curves(("Sweep", "p99"), place, &latencies, number::time_tick) {
        let caption = format!(
            "99th percentile of service latency, from the merged histograms of a test point.{remark}"
        );
        figures.push(Figure {
            name: "latency",
            title: format!("Latency over {}", key.key),
            caption,
            picture,
        });
    }
    figures.extend(heat(sweep));
    figures
}

/// The longest axis whose values are numbers or sizes: names have no order that a line could follow.
fn longest(sweep: &SweepRecord) -> Option<usize> {
    let axes = &sweep.plan.axes;
    let is_ordered =
        |at: &usize| axes[*at].values.iter().all(|value| value.starts_with(|c: char| c.is_ascii_digit()));
    (0..axes.len())
        .filter(is_ordered)
        .filter(|at| axes[*at].values.len() > 1)
        .max_by_key(|at| (axes[*at].values.len(), usize::MAX - at))
}

/// A figure, and the ends of its interval where it has one.
type IntervalFigure = (f64, Option<(f64, f64)>);

/// A line for each combination of the other axes' values.
fn lines(sweep: &SweepRecord, axis: usize, figure: &dyn Fn(&CellResult) -> IntervalFigure) -> Vec<GridLine> {
    let mut out: Vec<(Vec<usize>, GridLine)> = Vec::new();
    for (cell, result) in measured(sweep) {
        let mut others = cell.place.clone();
        if axis >= others.len() {
            continue;
        }
        let at = others.remove(axis);
        let (value, interval) = figure(result);
        let read_out = format!(
            "{}: {}, mean service latency {}, p99 {}",
            sweep.plan.title(cell),
            number::iops(result.operations_per_s),
            number::time(result.service_mean_ns),
            number::known(result.service_p99_ns.map(|ns| number::time(ns as f64)))
        );
        let point = GridPoint { at, value, interval, read_out };
        match out.iter_mut().find(|(known, _)| *known == others) {
            Some((_, line)) => line.points.push(point),
            None => {
                let name = other_values(sweep, axis, &others);
                out.push((others, GridLine { name, points: vec![point] }));
            }
        }
    }
    out.truncate(MOST_LINES);
    out.into_iter().map(|(_, line)| line).collect()
}

fn other_values(sweep: &SweepRecord, axis: usize, others: &[usize]) -> String {
    let axes = sweep.plan.axes.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, axis)| axis);
    let values = axes.zip(others).filter_map(|(axis, at)| {
        axis.values.get(*at).filter(|_| axis.values.len() > 1).map(|value| format!("{} {value}", axis.key))
    });
    values.collect::<Vec<_>>().join(", ")
}

/// Rates over the two longest axes, where both have at least three values and no third has two.
fn heat(sweep: &SweepRecord) -> Option<Figure> {
    let axes = &sweep.plan.axes;
    let several: Vec<usize> = (0..axes.len()).filter(|at| axes[*at].values.len() > 1).collect();
    let [first, second] = several[..] else { return None };
    if axes[first].values.len() < 3 || axes[second].values.len() < 3 {
        return None;
    }
    let (across, down) =
        if axes[first].values.len() >= axes[second].values.len() { (first, second) } else { (second, first) };
    let columns = axes[across].values.len();
    let mut figures = vec![None; columns * axes[down].values.len()];
    for (cell, result) in measured(sweep) {
        if let (Some(column), Some(row)) = (cell.place.get(across), cell.place.get(down))
            && let Some(place) = figures.get_mut(row * columns + column)
        {
            *place = Some(result.operations_per_s);
        }
    }
    let map = HeatMap {
        across: (&axes[across].key, &axes[across].values),
        down: (&axes[down].key, &axes[down].values),
        figures,
    };
    let forms = [number::rate_tick, number::rate_short];
    heat_map(("Sweep", "IOPS"), &map, forms).map(|drawn| {
        let mut caption = "The shade is the rate on a logarithmic scale.".to_owned();
        if map.figures.iter().any(Option::is_none) {
            caption += " Crossed test points were not measured.";
        }
        if !drawn.has_figures {
            caption += " The figures are in the table: there is no room for them here.";
        }
        Figure {
            name: "heat",
            title: format!("IOPS over {} and {}", axes[across].key, axes[down].key),
            caption,
            picture: drawn.picture,
        }
    })
}
