//! The clients of a run that is a sum, a row each, and how far their seconds are the same.

use fathom_record::RunRecord;
use fathom_record::clients::ClientPart;
use fathom_record::run::Ending;

use crate::number;
use crate::table::{Table, numbers, titles};

/// A row a client; no rows where one process measured.
pub fn table(run: &RunRecord) -> Table {
    let mut table = Table::new(&[
        titles("client", 0),
        numbers("IOPS", 0),
        numbers("throughput", 0),
        numbers("in flight", 1),
        numbers("service p99", 1),
        numbers("CPUs", 2),
        numbers("network in", 3),
        numbers("network out", 3),
        numbers("skew", 2),
    ]);
    let moves = run.engine.moves_data();
    run.clients.iter().flat_map(|facts| &facts.clients).for_each(|part| table.row(row(part, moves)));
    table
}

fn row(part: &ClientPart, moves: bool) -> [String; 9] {
    let none = || "–".to_owned();
    let summary = &part.summary;
    let slowest = summary.directions.iter().filter_map(|d| d.service.as_ref()?.quantile_ns(0.99)).max();
    let network = |of: fn(&fathom_record::clients::ClientInterface) -> f64| {
        if part.interfaces.is_empty() {
            return none();
        }
        number::throughput(part.interfaces.iter().map(of).sum())
    };
    let lost = if part.ending == Ending::Complete { "" } else { " (did not end well)" };
    [
        format!("{}{lost}", part.name),
        number::rate(summary.operations_per_s()),
        if moves { number::throughput(summary.throughput_bytes_per_s()) } else { none() },
        summary.in_flight_mean.map_or_else(none, number::in_flight),
        slowest.map_or_else(none, |ns| number::time(ns as f64)),
        part.cpu_threads().map_or_else(none, |threads| format!("{threads:.2}")),
        network(|interface| interface.received_bytes_per_s),
        network(|interface| interface.sent_bytes_per_s),
        part.skew_bound_ns.map_or_else(none, |ns| number::time(ns as f64)),
    ]
}

/// How far the sum is one; nothing where one process measured.
pub fn remark(run: &RunRecord) -> Option<String> {
    let facts = run.clients.as_deref()?;
    let skew = match facts.skew_bound_ns {
        Some(ns) => {
            format!("a second of any of them is at most {} from the others'", number::time(ns as f64))
        }
        None => "how far their seconds are apart is not known".to_owned(),
    };
    let shares = facts.balance.map_or_else(String::new, |balance| {
        format!(
            "; their rates are {} to {} of the mean (Jain's index {:.3})",
            number::percent(balance.least_share),
            number::percent(balance.greatest_share),
            balance.jain_index
        )
    });
    Some(format!(
        "{} clients in sum{shares}; {skew}; the window of the sum holds at least {} of what each measured.",
        facts.clients.len(),
        number::percent(facts.overlap_share)
    ))
}
