//! The block layer's account beside the run's: one table, and what it means in sentences.

use fathom_record::witness::{BlockTrace, Stage, WitnessDirection};
use fathom_record::{RunRecord, Witness};

use crate::number;
use crate::table::{Table, numbers, words};

/// What is left over at a quantile and still counts as explained.
const EXPLAINED: f64 = 0.05;

/// Table and sentences.
pub struct Account {
    /// Ours, the block layer's and the device's figures, and their difference. Empty where nobody watched.
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
        numbers("block layer", 0),
        numbers("device", 2),
        numbers("difference", 0),
        numbers("explained", 1),
        numbers("left over", 0),
    ]);
    let trace = match run.witness.as_ref()? {
        Witness::Absent { reason } => {
            let sentences = vec![format!("Nobody watched the block layer: {reason}.")];
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
    let device = |figure: &dyn Fn(&Stage) -> Option<f64>| {
        number::known(direction.device.as_ref().and_then(figure).map(number::time))
    };
    let signed = |ns: f64| if ns < 0.0 { format!("-{}", number::time(-ns)) } else { number::time(ns) };
    let difference_ns = service.summary.mean_ns - total.summary.mean_ns;
    let explained = direction.explanation.as_ref();
    table.row([
        name.to_owned(),
        "mean".to_owned(),
        number::time(service.summary.mean_ns),
        number::time(total.summary.mean_ns),
        device(&|stage| Some(stage.summary.mean_ns)),
        signed(difference_ns),
        number::known(explained.map(|_| signed(difference_ns))),
        number::known(explained.map(|_| number::percent(0.0))),
    ]);
    for quantile in explained.iter().flat_map(|explained| &explained.quantiles) {
        table.row([
            name.to_owned(),
            number::quantile_name(quantile.q),
            number::time(quantile.service_ns as f64),
            number::time(quantile.block_ns as f64),
            device(&|stage| stage.summary.quantile_ns(quantile.q).map(|ns| ns as f64)),
            signed(quantile.service_ns as f64 - quantile.block_ns as f64),
            signed(quantile.explained_ns),
            number::percent(quantile.left_over_share),
        ]);
    }
}

fn meaning(direction: &WitnessDirection) -> Vec<String> {
    let name = direction.direction.name();
    let mut out = Vec::new();
    if let Some(e) = &direction.explanation {
        out.push(format!(
            "A {name} of {} on average spent {} in the block layer and the device, and {} outside{}.",
            number::time(e.service_mean_ns),
            number::time(e.block_mean_ns),
            number::time(e.service_mean_ns - e.block_mean_ns),
            e.before_mean_ns.zip(e.after_mean_ns).map_or(String::new(), |(before, after)| format!(
                ": {} between fathom's first stamp and its arrival there, {} between its end there and fathom's second stamp",
                number::time(before.max(0.0)),
                number::time(after.max(0.0))
            )),
        ));
        if let Some(worst) = e.worst_left_over() {
            let (q, share) = (number::quantile_name(worst.q), number::percent(worst.left_over_share.abs()));
            out.push(if worst.left_over_share.abs() <= EXPLAINED {
                format!("The mean outside explains every listed {name} percentile to within {share} of it ({q}).")
            } else {
                format!(
                    "At {q} that leaves {share} of it over: the time outside the block layer is not the same for every {name}."
                )
            });
        }
    }
    out.extend(direction.unexplained.as_ref().map(|why| format!("Mind for {name}: {why}.")));
    if direction.merged + direction.cuts > 0 {
        out.push(format!(
            "{} {name} I/Os shared a request with another, and {} further parts were cut off.",
            number::count(direction.merged),
            number::count(direction.cuts)
        ));
    }
    if direction.unissued > 0 && direction.device.is_none() {
        out.push(format!(
            "This device takes no requests, so a {name}'s time in it and before it cannot be told apart."
        ));
    }
    out
}

fn conditions(trace: &BlockTrace) -> Vec<String> {
    let mut out = vec![format!(
        "Watched through {} on {}, over the whole run with its warm-up: {} events, {} lost, {} not finished, {} beside the run. The clocks are known to each other within {}.",
        trace.source,
        trace.devices.join(", "),
        number::count(trace.events),
        number::count(trace.lost),
        number::count(trace.unfinished),
        number::count(trace.strays),
        number::time(trace.clock.uncertainty_ns as f64),
    )];
    if let (Some(event_ns), Some(cpu_ns)) = (trace.cost.event_ns, trace.cost.cpu_ns) {
        out.push(format!(
            "Watching took {} of processor time, {} an event ({}).",
            number::time(cpu_ns as f64),
            number::time(event_ns),
            trace.cost.basis
        ));
    }
    out
}
