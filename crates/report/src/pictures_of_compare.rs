//! The pictures of a comparison: differences with intervals, percentiles, and pairs over time.

use fathom_record::campaign::{CompareRecord, ComparedMetric, ComparedWorkload};
use fathom_record::comparison::Decision;

use crate::chart::{ForestRow, Ink, forest, pairs_over_time, shift};
use crate::number;
use crate::pictures::Figure;
use crate::sheet::compare_sheet as sheet;

/// What differences are of.
const B_FROM_A: &str = "difference of B from A";

/// The decisions about all workloads.
pub fn of_all(record: &CompareRecord) -> Vec<Figure> {
    let row = |workload: &ComparedWorkload| Some(row(workload.title.clone(), workload.primary()?));
    let rows: Vec<ForestRow> = record.workloads.iter().filter_map(row).collect();
    let bound = record.plan.materiality;
    let picture = forest("All workloads", B_FROM_A, &rows, bound);
    picture
        .map(|picture| Figure {
            name: "decisions",
            title: "What was decided".to_owned(),
            caption: format!(
                "Each workload by the metric that decides it, with the interval at the confidence of its \
                 decision. Shaded: differences below {}, which do not matter.",
                number::percent(bound)
            ),
            picture,
        })
        .into_iter()
        .collect()
}

/// The pictures of one workload.
pub fn of_workload(record: &CompareRecord, workload: &ComparedWorkload) -> Vec<Figure> {
    let mut figures = Vec::new();
    let numbered = workload.metrics.iter().filter(|metric| metric.comparison.ratio.is_some());
    let rows: Vec<ForestRow> = numbered.map(|metric| row(sheet::metric_name(metric), metric)).collect();
    if let Some(picture) = forest(&workload.title, B_FROM_A, &rows, record.plan.materiality) {
        figures.push(Figure {
            name: "metrics",
            title: "All metrics".to_owned(),
            caption: "For latencies and CPU time, left of the middle is better.".to_owned(),
            picture,
        });
    }
    if let Some(function) = &workload.shift {
        let kind = if workload.workload.arrival.is_open() { "response" } else { "service" };
        if let Some(picture) = shift(&workload.title, kind, function) {
            figures.push(Figure {
                name: "percentiles",
                title: "Difference at each percentile".to_owned(),
                caption: format!(
                    "The band holds all percentiles at once, at {} confidence; a percentile that moved is one \
                     where the band leaves 0.",
                    number::percent(function.confidence)
                ),
                picture,
            });
        }
    }
    if let Some(metric) = workload.primary() {
        let name = sheet::metric_name(metric);
        let ratio = metric.comparison.ratio.as_ref();
        if let Some(picture) = pairs_over_time((&workload.title, &name), &workload.pairs, ratio) {
            figures.push(Figure {
                name: "pairs",
                title: "Pair by pair".to_owned(),
                caption: "Filled: A ran first. Open: B ran first. Shaded: the interval of the mean."
                    .to_owned(),
                picture,
            });
        }
    }
    figures
}

fn row(name: String, metric: &ComparedMetric) -> ForestRow {
    let ratio = metric.comparison.ratio.as_ref();
    let read_out = match ratio {
        Some(ratio) => {
            format!("{name}: {} ({}), {}", sheet::by(ratio), sheet::interval(ratio), sheet::verdict(metric))
        }
        None => format!("{name}: {}", sheet::verdict(metric)),
    };
    ForestRow {
        difference: ratio.map(|ratio| (ratio.ratio - 1.0, ratio.low - 1.0, ratio.high - 1.0)),
        verdict: match ratio {
            Some(ratio) => format!("{} {}", sheet::verdict(metric), sheet::by(ratio)),
            None => sheet::verdict(metric).to_owned(),
        },
        ink: match metric.comparison.decision {
            Decision::Faster => Ink::Green,
            Decision::Slower => Ink::Vermillion,
            Decision::Equivalent => Ink::Blue,
            Decision::Inconclusive | Decision::NotComparable => Ink::Muted,
        },
        name,
        read_out,
    }
}
