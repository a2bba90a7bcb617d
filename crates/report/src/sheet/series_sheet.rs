//! A record without a run: what its series hold, one a row.

use fathom_record::RunRecord;
use fathom_record::telemetry::MetricSeries;

use crate::table::{Table, numbers, words};
use crate::{import_words, number};

/// Series that a table shows; the machines of some tools have thousands.
const SHOWN: usize = 20;

/// Whether a record holds series of another tool and no run.
pub fn is_all(run: &RunRecord) -> bool {
    run.is_imported() && run.summary.directions.is_empty()
}

/// What is there, in one sentence.
pub fn headline(run: &RunRecord) -> String {
    let count = run.telemetry.series.len();
    let seconds = number::time(run.summary.duration_ns as f64);
    format!("No run, only series over time: {count} of {} over {seconds}.", import_words::tool(run))
}

/// The first of the series, with how far their values reach.
pub fn table(run: &RunRecord) -> Table {
    let mut table = Table::new(&[
        words("series", 0),
        words("of", 0),
        numbers("values", 1),
        numbers("mean", 0),
        numbers("min", 2),
        numbers("max", 0),
    ]);
    for series in run.telemetry.series.iter().take(SHOWN) {
        let known = || series.values.iter().flatten().copied();
        let shown =
            |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| with_unit(series, value));
        table.row([
            series.metric.clone(),
            series.label.clone(),
            number::count(known().count() as u64),
            shown(series.mean()),
            shown(known().min_by(f64::total_cmp)),
            shown(series.max()),
        ]);
    }
    table
}

/// What the table leaves out.
pub fn remark(run: &RunRecord) -> Option<String> {
    let more = run.telemetry.series.len().saturating_sub(SHOWN);
    (more > 0).then(|| format!("{more} more series: fathom show {} --json", run.id))
}

fn with_unit(series: &MetricSeries, value: f64) -> String {
    match series.unit.as_str() {
        "ns" => number::time(value),
        "bytes/s" => number::throughput(value),
        "bytes" if value >= 0.0 => number::size(value.round() as u64),
        "share" => number::percent(value),
        unit => format!("{} {unit}", number::rate(value)),
    }
}
