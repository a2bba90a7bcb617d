//! The block layer's account beside the run's: one table, and what it means in sentences.

use fathom_record::witness::{BlockTrace, LatencyParts, Losses, WitnessDirection, WitnessStage};
use fathom_record::{RunRecord, Witness};

use crate::number;
use crate::table::{Table, numbers, words};

/// What is left over at a quantile and still counts as explained.
const EXPLAINED: f64 = 0.05;

/// Table and sentences.
pub struct Account {
    /// Ours with its parts, the block layer's and the device's figures. Empty where nobody watched.
    pub table: Table,
    /// What it means.
    pub sentences: Vec<String>,
}

/// The account of a run; absent where none was asked for.
pub fn account(run: &RunRecord) -> Option<Account> {
    let mut table = Table::new(&[
        words("I/O", 0),
        words("figure", 0),
        numbers("service", 0),
        numbers("before", 0),
        numbers("inside", 0),
        numbers("after", 0),
        numbers("left over", 0),
        numbers("block layer", 1),
        numbers("device", 2),
    ]);
    let trace = match run.witness.as_ref()? {
        Witness::Absent { reason } => {
            let sentences = vec![format!("The block layer was not watched: {reason}.")];
            return Some(Account { table, sentences });
        }
        Witness::Seen(trace) => trace,
    };
    let mut sentences = Vec::new();
    for direction in &trace.directions {
        rows(&mut table, direction);
        sentences.extend(meaning(direction));
    }
    sentences.extend(conditions(trace));
    Some(Account { table, sentences })
}

fn rows(table: &mut Table, direction: &WitnessDirection) {
    let name = direction.direction.name();
    let (Some(service), Some(total)) = (&direction.service, &direction.total) else { return };
    let device = |figure: &dyn Fn(&WitnessStage) -> Option<f64>| {
        number::known(direction.device.as_ref().and_then(figure).map(number::time))
    };
    let explained = direction.explanation.as_ref();
    let mean = explained.map(|e| (e.mean, e.mean_left_over_share));
    table.row(row(
        (name, "mean".to_owned()),
        (service.summary.mean_ns, total.summary.mean_ns),
        mean,
        device(&|stage| Some(stage.summary.mean_ns)),
    ));
    for quantile in explained.iter().flat_map(|explained| &explained.quantiles) {
        table.row(row(
            (name, number::quantile_name(quantile.q)),
            (quantile.service_ns as f64, quantile.block_ns as f64),
            Some((quantile.parts, quantile.left_over_share)),
            device(&|stage| stage.summary.quantile_ns(quantile.q).map(|ns| ns as f64)),
        ));
    }
}

fn row(
    (name, figure): (&str, String),
    (service_ns, block_ns): (f64, f64),
    parts: Option<(LatencyParts, f64)>,
    device: String,
) -> [String; 9] {
    // An outer part may be negative by as much as the clocks are off.
    let part = |of: fn(&LatencyParts) -> f64| {
        number::known(parts.map(|(parts, _)| number::time(of(&parts).max(0.0))))
    };
    [
        name.to_owned(),
        figure,
        number::time(service_ns),
        part(|parts| parts.before_ns),
        part(|parts| parts.inside_ns),
        part(|parts| parts.after_ns),
        number::known(parts.map(|(_, share)| number::percent(share))),
        number::time(block_ns),
        device,
    ]
}

fn meaning(direction: &WitnessDirection) -> Vec<String> {
    let name = direction.direction.name();
    let mut out = Vec::new();
    if let Some(e) = &direction.explanation {
        out.push(format!(
            "A {name} spent {} on average between fathom's first stamp and its arrival in the block layer, {} inside and in the device, and {} between its end there and fathom's second stamp: {} {name}s, found again one by one{}, of which {} lie outside fathom's stamps.",
            number::time(e.mean.before_ns.max(0.0)),
            number::time(e.mean.inside_ns),
            number::time(e.mean.after_ns.max(0.0)),
            number::count(e.pairs),
            if e.one_in > 1 { format!(" (those at one sector in {})", e.one_in) } else { String::new() },
            number::count(e.contradictions),
        ));
        if let Some(worst) = e.worst_left_over() {
            let (q, share) = (number::quantile_name(worst.q), number::percent(worst.left_over_share.abs()));
            out.push(if worst.left_over_share.abs() <= EXPLAINED {
                format!("The parts of the {name}s around each listed percentile sum to within {share} of it ({q} is furthest).")
            } else if worst.unexplained_share() <= EXPLAINED {
                format!(
                    "At {q} the parts leave {share} over, where the distribution is steep: the {name}s that were not found again can explain it."
                )
            } else {
                format!(
                    "At {q} the parts leave {share} over: the {name}s that were found again are not like the others there, or too few."
                )
            });
        }
        let apart = e.run_alone + e.block_alone + e.ambiguous + e.missed;
        if apart > 0 {
            out.push(format!(
                "Not paired: {} of the run, {} of the block layer, {} with another at the same place at once, {} without room.",
                number::count(e.run_alone),
                number::count(e.block_alone),
                number::count(e.ambiguous),
                number::count(e.missed)
            ));
        }
    }
    out.extend(
        direction
            .unexplained
            .as_ref()
            .map(|why| format!("Limits of the explanation for {name} I/Os: {why}.")),
    );
    if direction.merged + direction.cuts > 0 {
        out.push(format!(
            "{} {name} I/Os shared a request with another, and {} further parts were cut off.",
            number::count(direction.merged),
            number::count(direction.cuts)
        ));
    }
    if direction.unissued > 0 && direction.device.is_none() {
        out.push(format!(
            "This device takes no requests, so a {name}'s time in it and before it cannot be separated."
        ));
    }
    out
}

fn conditions(trace: &BlockTrace) -> Vec<String> {
    let mut out = vec![format!(
        "Watched through {} on {}, over the whole run with its warm-up: {} events, {} lost, {} not finished, {} outside the run. The clocks are known to each other within {}.",
        trace.source,
        trace.devices.join(", "),
        number::count(trace.events),
        number::count(trace.lost),
        number::count(trace.unfinished),
        number::count(trace.strays),
        number::time(trace.clock.uncertainty_ns as f64),
    )];
    let Losses { not_run, no_room, unended, unread } = trace.losses;
    if trace.losses.sum() > 0 {
        out.push(format!(
            "Lost: {} I/Os whose end was not seen, {} events for which the kernel did not run the program, {} I/Os that found no room in the table, and {} events of the text that could not be read.",
            number::count(unended),
            number::count(not_run),
            number::count(no_room),
            number::count(unread)
        ));
    }
    if let (Some(event_ns), Some(cpu_ns)) = (trace.cost.event_ns, trace.cost.cpu_ns) {
        out.push(format!(
            "Watching took {} of CPU time, {} an event ({}).",
            number::time(cpu_ns as f64),
            number::time(event_ns),
            trace.cost.basis
        ));
    }
    out
}
