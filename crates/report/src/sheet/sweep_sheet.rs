//! A sweep: its cells as a table, what scales with jobs, and what is missing.

use fathom_measure::counted;
use fathom_record::RunRecord;
use fathom_record::campaign::{CellResult, SweepCell, SweepRecord};
use fathom_record::facts::TargetFacts;

use super::{Entry, environment_sheet};
use crate::table::{Table, numbers, titles, words};
use crate::{number, value_words};

/// Failed checks that are told in full.
const TOLD: usize = 3;

/// What the sweep is of, as `depth (9 values) × bs (2 values)`.
pub fn axes(sweep: &SweepRecord) -> String {
    let axis = |axis: &fathom_record::campaign::SweepAxis| {
        format!("{} ({})", axis.key, counted(axis.values.len() as u64, "value"))
    };
    sweep.plan.axes.iter().map(axis).collect::<Vec<_>>().join(" × ")
}

/// The targets, in words.
pub fn targets(sweep: &SweepRecord) -> String {
    distinct_targets(sweep).into_iter().map(value_words::target).collect::<Vec<_>>().join("; ")
}

/// The targets, each once: cells may go about the same one in several manners.
pub fn distinct_targets(sweep: &SweepRecord) -> Vec<&TargetFacts> {
    let is_first = |(at, target): &(usize, &TargetFacts)| !sweep.targets[..*at].contains(target);
    sweep.targets.iter().enumerate().filter(is_first).map(|(_, target)| target).collect()
}

/// The engines and clocks of the runs at hand, each engine once.
pub fn instruments(runs: &[RunRecord]) -> Vec<Entry> {
    let mut named: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for run in runs {
        if !named.contains(&run.engine.name.as_str()) {
            named.push(&run.engine.name);
            out.extend(environment_sheet::instrument(&run.engine, run.clock.as_ref()));
        }
    }
    out
}

/// Measured cells.
pub fn measured(sweep: &SweepRecord) -> impl Iterator<Item = (&SweepCell, &CellResult)> {
    sweep.cells.iter().filter_map(|cell| Some((cell, cell.result.as_ref()?)))
}

/// The cell with the highest rate and the one with the least latency, as sentences.
pub fn extremes(sweep: &SweepRecord) -> Vec<String> {
    // What failed its checks, or moved nothing, is no best of anything.
    let sound =
        || measured(sweep).filter(|(_, cell)| cell.failed_checks.is_empty() && cell.operations_per_s > 0.0);
    let best = sound().max_by(|a, b| a.1.operations_per_s.total_cmp(&b.1.operations_per_s));
    let quick = sound().min_by(|a, b| a.1.service_mean_ns.total_cmp(&b.1.service_mean_ns));
    let mut out = Vec::new();
    if let Some((cell, result)) = best {
        let interval = result.interval_share.map(|share| format!(" {}", number::interval(share)));
        out.push(format!(
            "Highest rate: {}{} ({}) at {}.",
            number::iops(result.operations_per_s),
            interval.unwrap_or_default(),
            number::throughput(result.throughput_bytes_per_s),
            sweep.plan.title(cell)
        ));
    }
    if let Some((cell, result)) = quick {
        out.push(format!(
            "Least mean service latency: {} at {}.",
            number::time(result.service_mean_ns),
            sweep.plan.title(cell)
        ));
    }
    out
}

/// Cells that are missing or whose self-checks failed, as sentences.
pub fn failures(sweep: &SweepRecord) -> Vec<String> {
    let mut out = Vec::new();
    for cell in &sweep.cells {
        let title = sweep.plan.title(cell);
        let missing = cell.missing.iter().filter(|_| !cell.was_left_out());
        out.extend(missing.map(|text| format!("{title}: {text}")));
        let failed = cell.result.iter().flat_map(|result| &result.failed_checks);
        out.extend(failed.map(|check| format!("{title}: {check}")));
    }
    if let Some(more) = out.len().checked_sub(TOLD + 1) {
        out.truncate(TOLD);
        out.push(format!("And {} more failures; the table of test points marks them.", more + 1));
    }
    if sweep.finished_at.is_none() {
        out.push("The sweep has not ended; the same command continues it.".to_owned());
    }
    out
}

/// Every cell.
pub fn cells(sweep: &SweepRecord) -> Table {
    let mut table = Table::new(&[
        titles("cell", 0),
        numbers("IOPS", 0),
        numbers("95 % interval", 1),
        numbers("throughput", 2),
        numbers("mean", 2),
        numbers("p50", 3),
        numbers("p99", 0),
        numbers("p99.9", 3),
        numbers("in flight", 4),
        numbers("CPU per I/O", 5),
        numbers("runs", 6),
    ]);
    for cell in &sweep.cells {
        let mut row = vec![sweep.plan.title(cell)];
        match &cell.result {
            Some(result) => {
                if !result.failed_checks.is_empty() {
                    row[0].push_str(" (failed checks)");
                }
                row.extend(figures(result));
            }
            None => {
                row.push(if cell.was_left_out() {
                    "left out".to_owned()
                } else {
                    number::NOT_MEASURED.to_owned()
                });
                row.resize(table.columns.len(), "–".to_owned());
            }
        }
        table.row(row);
    }
    table
}

fn figures(cell: &CellResult) -> [String; 10] {
    let p = |ns: Option<u64>| ns.map_or("–".to_owned(), |ns| number::time(ns as f64));
    // Without an I/O there is no latency.
    let mean = |ns: f64| if cell.operations_per_s > 0.0 { number::time(ns) } else { "–".to_owned() };
    [
        number::rate(cell.operations_per_s),
        cell.interval_share.map_or("–".to_owned(), number::interval),
        number::throughput(cell.throughput_bytes_per_s),
        mean(cell.service_mean_ns),
        mean(cell.service_p50_ns as f64),
        p(cell.service_p99_ns),
        p(cell.service_p999_ns),
        number::in_flight(cell.in_flight_mean),
        number::known(cell.cpu_ns_per_operation.map(number::time)),
        cell.runs.len().to_string(),
    ]
}

/// How the rate grows with jobs, where jobs are an axis: one row a cell that has a cell of the fewest jobs
/// to be held against.
pub fn scaling(sweep: &SweepRecord) -> Option<Table> {
    let axis = sweep.plan.axes.iter().position(|axis| axis.key == "jobs")?;
    let mut table = Table::new(&[
        words("cell", 0),
        numbers("IOPS", 0),
        numbers("times the fewest jobs", 0),
        numbers("of linear", 0),
        numbers("CPU per I/O", 1),
    ]);
    let fewest = measured(sweep).map(|(_, result)| result.jobs).min()?;
    for (cell, result) in measured(sweep) {
        let same = |other: &SweepCell| {
            let differs = |at: usize| at != axis && other.place.get(at) != cell.place.get(at);
            !(0..cell.place.len()).any(differs)
        };
        let base = measured(sweep).find(|(other, base)| same(other) && base.jobs == fewest);
        let Some((_, base)) = base.filter(|(_, base)| base.operations_per_s > 0.0) else { continue };
        let times = result.operations_per_s / base.operations_per_s;
        let linear = times / (f64::from(result.jobs) / f64::from(fewest));
        table.row([
            sweep.plan.title(cell),
            number::rate(result.operations_per_s),
            format!("{times:.2}"),
            number::percent(linear),
            number::known(result.cpu_ns_per_operation.map(number::time)),
        ]);
    }
    (table.rows.len() > 1).then_some(table)
}
