//! The ledger in plain words: what a measurement was exposed to, and what it therefore does not claim.

use fathom_measure::Nanos;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::{Direction, RunRecord};

use crate::number;

/// What may be claimed and what may not.
pub struct Exposure {
    /// What was exposed.
    pub exposed: Vec<String>,
    /// What was not, and so is not claimed.
    pub not_claimed: Vec<String>,
}

/// A flash device shows its lasting write rate after about this many times its size.
/// SNIA Solid State Storage Performance Test Specification 2.0.1, workload-independent preconditioning.
const WRITTEN_OVER: f64 = 2.0;

fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.1} s") } else { Nanos::from_seconds(seconds).coarse() }
}

/// The exposure of runs on the same target with the same pattern; `None` for no runs.
pub fn exposure(runs: &[&RunRecord]) -> Option<Exposure> {
    let first = runs.first()?;
    let ledgers = || runs.iter().map(|run| &run.ledger);
    let total_s: f64 = ledgers().map(|l| l.seconds).sum();
    let longest_s = ledgers().map(|l| l.seconds).fold(0.0, f64::max);
    let read: u64 = ledgers().filter_map(|l| l.bytes_read).fold(0, u64::saturating_add);
    let written: u64 = ledgers().filter_map(|l| l.bytes_written).fold(0, u64::saturating_add);
    let span = ledgers().filter_map(|l| l.span_bytes).max();

    let mut exposed = vec![if runs.len() == 1 {
        format!("{} under load", seconds(total_s))
    } else {
        format!(
            "{} under load in {} runs, {} at most at a stretch",
            seconds(total_s),
            runs.len(),
            seconds(longest_s)
        )
    }];
    if read > 0 {
        exposed.push(format!("{} read", number::size(read)));
    }
    if written > 0 {
        exposed.push(written_text(written, ledgers().map(|l| l.written_over_capacity).sum()));
    }
    exposed.extend(span_text(runs, span));
    if let Some(share) = first.target.written_share {
        exposed.push(format!("{} of the span held written data at the start", number::percent(share)));
    }
    Some(Exposure { exposed, not_claimed: not_claimed(runs, longest_s, written, span) })
}

/// Bytes written, and how often that is the target's size where that is known.
fn written_text(written: u64, overwritten: Option<f64>) -> String {
    let written = number::size(written);
    match overwritten {
        Some(times) if times >= 1.0 => format!("{written} written, {times:.1} times the target's size"),
        Some(share) => format!("{written} written, {} of the target's size", number::percent(share)),
        None => format!("{written} written"),
    }
}

/// What could be reached, and how much of it was touched; nothing where the reach is not known.
fn span_text(runs: &[&RunRecord], span: Option<u64>) -> Option<String> {
    let size = number::size(span?);
    let ledgers = runs.iter().map(|run| &run.ledger);
    let known = ledgers.filter_map(|l| Some((l.span_touched_share?, l.span_touched_basis.as_deref()?)));
    let Some((share, basis)) = known.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Some(format!("a span of {size}"));
    };
    let basis = match basis {
        "expected" => "computed from the pattern",
        "exact" => "counted",
        other => other,
    };
    let whose = if runs.len() == 1 { "" } else { " in one run" };
    let share = number::percent(share);
    Some(format!("a span of {size}, {share} of it touched at least once{whose} ({basis})"))
}

/// Size of the device that keeps the data: of the lowest one under a file or partition.
fn capacity_bytes(target: &TargetFacts) -> Option<u64> {
    let lowest = target.devices.last().map(|device| device.size_bytes).filter(|bytes| *bytes > 0);
    let is_whole = target.kind != TargetKind::File && target.size_bytes > 0;
    lowest.or(is_whole.then_some(target.size_bytes))
}

fn not_claimed(runs: &[&RunRecord], longest_s: f64, written: u64, span: Option<u64>) -> Vec<String> {
    let directions = || runs.iter().flat_map(|run| &run.summary.directions).map(|d| d.direction);
    let mut out = vec![format!("burst credits that last beyond {}", seconds(longest_s))];
    if directions().any(|d| d == Direction::Write) {
        out.push(format!("a write cache that takes more than {}", number::size(written)));
        match runs.iter().find_map(|run| capacity_bytes(&run.target)) {
            Some(bytes) if written as f64 >= WRITTEN_OVER * bytes as f64 => {}
            Some(bytes) => out.push(format!(
                "a device written over {WRITTEN_OVER} times ({} of its {} were written here)",
                number::size(written),
                number::size(bytes)
            )),
            None => out.push(format!("a device written over {WRITTEN_OVER} times: its size is not known")),
        }
    }
    if directions().any(|d| d == Direction::Read) {
        out.push(match span {
            Some(span) => format!(
                "reads spread over more than {}, of which a cache would hold a smaller part",
                number::size(span)
            ),
            None => "reads that no cache held: the span that was read is not known".to_owned(),
        });
    }
    let rarest =
        runs.iter().map(|run| run.ledger.resolves_events_per_s).filter(|r| *r > 0.0).fold(f64::MAX, f64::min);
    if rarest < f64::MAX {
        out.push(format!("stalls rarer than one in {}", seconds(1.0 / rarest)));
    }
    out
}
