//! The clients of a run that is a sum, a row each, and how far their seconds are the same.

use fathom_record::RunRecord;
use fathom_record::client_facts::{ClientInterface, ClientPart, TargetSide};
use fathom_record::run_record::RunEnding;

use crate::number;
use crate::table::{Table, numbers, titles};

/// A row a client, and one for the target's machine where an agent was there; no rows where one process measured.
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
    run.clients.iter().flat_map(|facts| &facts.target_side).for_each(|side| table.row(target_row(side)));
    table
}

/// The target's machine: it has no I/O of its own. Its processors are those of the process that serves, or all that
/// were busy.
fn target_row(side: &TargetSide) -> [String; 9] {
    let none = || "–".to_owned();
    let of_machine = || (!side.cores_busy.is_empty()).then(|| side.cores_busy.iter().sum::<f64>());
    let threads = side.server.as_ref().and_then(|server| server.cores).or_else(of_machine);
    let lost = if side.ending == RunEnding::Complete { "" } else { " (did not end well)" };
    [
        format!("{} (target){lost}", side.name),
        none(),
        none(),
        none(),
        none(),
        threads.map_or_else(none, |threads| format!("{threads:.2}")),
        network(&side.interfaces, |interface| interface.received_bytes_per_s),
        network(&side.interfaces, |interface| interface.sent_bytes_per_s),
        none(),
    ]
}

fn network(interfaces: &[ClientInterface], of: fn(&ClientInterface) -> f64) -> String {
    match interfaces {
        [] => "–".to_owned(),
        all => number::throughput(all.iter().map(of).sum()),
    }
}

fn row(part: &ClientPart, moves: bool) -> [String; 9] {
    let none = || "–".to_owned();
    let summary = &part.summary;
    let slowest = summary.directions.iter().filter_map(|d| d.service.as_ref()?.quantile_ns(0.99)).max();
    let lost = if part.ending == RunEnding::Complete { "" } else { " (did not end well)" };
    [
        format!("{}{lost}", part.name),
        number::rate(summary.operations_per_s()),
        if moves { number::throughput(summary.throughput_bytes_per_s()) } else { none() },
        summary.in_flight_mean.map_or_else(none, number::in_flight),
        slowest.map_or_else(none, |ns| number::time(ns as f64)),
        part.cpu_threads().map_or_else(none, |threads| format!("{threads:.2}")),
        network(&part.interfaces, |interface| interface.received_bytes_per_s),
        network(&part.interfaces, |interface| interface.sent_bytes_per_s),
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
    let start = facts.start_bound_ns.map_or_else(String::new, |ns| {
        format!("; their jobs began within {} of each other", number::time(ns as f64))
    });
    let shares = facts.balance.map_or_else(String::new, |balance| {
        format!(
            "; their rates are {} to {} of the mean (Jain's index {:.3})",
            number::percent(balance.least_share),
            number::percent(balance.greatest_share),
            balance.jain_index
        )
    });
    let sum = format!(
        "{} in sum{shares}; {skew}{start}; the window of the sum holds at least {} of what each measured.",
        fathom_measure::counted(facts.clients.len() as u64, "client"),
        number::percent(facts.overlap_share)
    );
    Some(facts.target_side.as_deref().map_or(sum.clone(), |side| format!("{sum} {}", at_the_target(side))))
}

/// What the target's machine did, in a sentence or two.
fn at_the_target(side: &TargetSide) -> String {
    let mut parts = Vec::new();
    if let Some(server) = &side.server {
        let thread =
            server.busiest_thread.map(|share| format!(", its busiest thread {}", number::percent(share)));
        let cores = server
            .cores
            .map_or_else(|| ": CPU time not known".to_owned(), |cores| format!(" used {cores:.2} CPUs"));
        parts.push(format!("{} on port {}{cores}{}", server.name, server.port, thread.unwrap_or_default()));
    }
    if let Some(busiest) = side.cores_busy.iter().copied().max_by(f64::total_cmp) {
        let mean = side.cores_busy.iter().sum::<f64>() / side.cores_busy.len() as f64;
        let (busiest, mean) = (number::percent(busiest), number::percent(mean));
        parts.push(format!(
            "its busiest CPU was busy {busiest} of the time, all {} {mean}",
            side.cores_busy.len()
        ));
    }
    let kinds = side.cpu_kinds.iter().filter(|kind| kind.share >= 0.005);
    let kinds: Vec<String> =
        kinds.map(|kind| format!("{} {}", kind.name, number::percent(kind.share))).collect();
    if !kinds.is_empty() {
        parts.push(format!("by kind {}", kinds.join(", ")));
    }
    if let Some(share) = side.resent_share {
        parts.push(format!("{} of its TCP segments were sent again", number::percent(share)));
    }
    for device in &side.devices {
        let (Some(read), Some(written)) = (device.read_bytes_per_s, device.written_bytes_per_s) else {
            continue;
        };
        let (read, written) = (number::throughput(read), number::throughput(written));
        parts.push(format!("{} read {read} and wrote {written}", device.name));
    }
    let with = if side.shared { ", which a client shares" } else { "" };
    let seen = if parts.is_empty() { "nothing was seen".to_owned() } else { parts.join("; ") };
    let notes = side.notes.iter().map(|note| format!(" {note}")).collect::<String>();
    format!("The target's machine {}{with}: {seen}.{notes}", side.host)
}
