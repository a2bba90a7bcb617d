//! The pictures of an explained pattern: the roofline with what was measured under it, and how probable each
//! cause is.

use fathom_record::campaign::{CellResult, ExperimentResult, ExplainedPattern};
use fathom_record::verdict::{Claim, Limit, Verdict};

use crate::chart::{CauseBar, RoofPoint, causes, roofline};
use crate::pictures::Figure;
use crate::{number, value_words};

/// The pictures, as far as there is something to draw.
pub fn of_explained(pattern: &ExplainedPattern) -> Vec<Figure> {
    let roof = under_the_roof(pattern);
    let causes = of_causes(&pattern.title, &pattern.verdict, pattern.passive.as_ref());
    roof.into_iter().chain(causes).collect()
}

/// How probable each named cause is; `before` is the verdict without experiments.
pub fn of_causes(title: &str, verdict: &Verdict, before: Option<&Verdict>) -> Option<Figure> {
    let stood = |limit: Limit| {
        let claims = &before?.claims;
        claims.iter().find(|claim| claim.limit == limit).and_then(|claim| claim.probability)
    };
    let bar = |claim: &Claim| {
        let probability = claim.probability?;
        let name = value_words::sentence(claim.limit.in_words());
        Some(CauseBar { name, probability, before: stood(claim.limit) })
    };
    let bars: Vec<CauseBar> = verdict.claims.iter().filter_map(bar).collect();
    let marked = bars.iter().any(|bar| bar.before.is_some());
    let mark = if marked { " The upright mark: before the experiments." } else { "" };
    causes(title, &bars).map(|picture| Figure {
        name: "causes",
        title: "How probable each cause is".to_owned(),
        caption: format!("Calibrated on cases whose cause is known; less likely causes are not shown.{mark}"),
        picture,
    })
}

fn under_the_roof(pattern: &ExplainedPattern) -> Option<Figure> {
    let cells = pattern.cells.iter().enumerate().map(|(at, cell)| measured(cell, at == pattern.focus));
    let points: Vec<RoofPoint> = cells.chain(pattern.experiments.iter().filter_map(tried)).collect();
    let alone = pattern.cells.iter().find(|cell| (cell.jobs, cell.depth) == (1, 1));
    let unloaded_s = alone.map(|cell| cell.service_mean_ns / 1e9);
    let picture = roofline(&pattern.title, &points, &pattern.verdict.ceilings, unloaded_s);
    let none = match pattern.verdict.ceilings.iter().any(|ceiling| ceiling.limit != Limit::Concurrency) {
        true => "",
        false => " No limit is known: name one with `--ceiling`, `--instance` or `--volume`.",
    };
    let rings = if pattern.experiments.is_empty() { "" } else { " Rings are experiments." };
    picture.map(|picture| Figure {
        name: "roofline",
        title: "Roofline: rate over concurrency".to_owned(),
        caption: format!(
            "Horizontal lines are known limits; on the dashed line each I/O has the unloaded latency.{rings}{none}"
        ),
        picture,
    })
}

fn measured(cell: &CellResult, focus: bool) -> RoofPoint {
    let place = number::cell(cell.jobs, cell.depth);
    RoofPoint {
        read_out: format!(
            "{place} (jobs × depth): {}, {} in flight, service latency mean {}",
            number::iops(cell.operations_per_s),
            number::in_flight(cell.in_flight_mean),
            number::time(cell.service_mean_ns)
        ),
        name: place,
        in_flight: cell.in_flight_mean,
        operations_per_s: cell.operations_per_s,
        focus,
        experiment: false,
    }
}

fn tried(experiment: &ExperimentResult) -> Option<RoofPoint> {
    let (rate, in_flight) = (experiment.operations_per_s?, experiment.in_flight_mean?);
    let name = experiment.name.replace('_', " ");
    Some(RoofPoint {
        read_out: format!("{name}: {}, {} in flight", number::iops(rate), number::in_flight(in_flight)),
        name,
        in_flight,
        operations_per_s: rate,
        focus: false,
        experiment: true,
    })
}
