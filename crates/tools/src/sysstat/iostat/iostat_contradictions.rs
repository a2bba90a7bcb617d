//! Figures of one report that must agree, because iostat computes them from the same counters.

use crate::foreign_series::{Contradiction, Contradictions, Number, Row, Sheet, rows};

const SIZES: (&str, &str) =
    ("I/Os x size = throughput", "a size is in another unit than its header says, or columns were changed");
const MERGES: (&str, &str) = ("merged / (merged + I/Os) = %rqm", "columns were changed or re-computed");
const QUEUE: (&str, &str) = (
    "I/Os x wait = queue",
    "by Little's law both are the mean in flight; the kernel's own queue time was wrong or sampled, so trust neither",
);
const BUSY: (&str, &str) =
    ("%util is at most 100", "more than all of the time: the interval or the counter is wrong");
const WHOLE: (&str, &str) = ("CPU time sums to 100", "a column was left out, or the interval's ends differ");
const EMPTY: (&str, &str) = (
    "CPU time is more than 0",
    "the CPU was offline or the interval was empty: it was not idle, it was not there",
);
/// States that share a processor's time among them.
const STATES: [&str; 12] =
    ["usr", "user", "nice", "sys", "system", "iowait", "irq", "soft", "steal", "guest", "gnice", "idle"];

/// Holds the figures of every report against each other.
pub fn audit(sheet: &Sheet) -> Vec<Contradiction> {
    let mut found = Contradictions::default();
    for (number, report) in sheet.reports.iter().enumerate() {
        for (device, row) in rows(sheet, report, "disk") {
            sizes(&mut found, device, number, &row);
            merges(&mut found, device, number, &row);
            queue(&mut found, device, number, &row);
            if let Some(busy) = row.get("%util").or_else(|| row.get("util")) {
                // Jiffies at both ends of an interval of a second may make it 1 % more than whole.
                let stated = busy.value;
                found.hold(BUSY, device, number, (stated, stated.min(100.0)), 1.0 + busy.rounding());
            }
        }
        for (_, row) in rows(sheet, report, "avg-cpu") {
            whole(&mut found, "", number, &row);
        }
    }
    found.finish()
}

/// Whether the parts of processor time sum to 100, where all are there.
pub fn whole(found: &mut Contradictions, processor: &str, report: usize, row: &Row<'_>) {
    let known = |column: &str| row.get(column).or_else(|| row.get(column.trim_start_matches('%')));
    if known("%idle").is_none() || known("%iowait").is_none() {
        return;
    }
    let parts = || row.cells().iter().filter(|(column, _)| STATES.contains(&column.trim_start_matches('%')));
    let sum: f64 = parts().map(|(_, number)| number.value).sum();
    let rounding: f64 = parts().map(|(_, number)| number.rounding()).sum();
    found.hold(EMPTY, processor, report, (sum, sum.max(f64::MIN_POSITIVE)), 0.0);
    if sum > 0.0 {
        found.hold(WHOLE, processor, report, (sum, 100.0), rounding + 0.05);
    }
}

/// The product of two figures, and by how much it may be off.
fn product(a: Number, b: Number) -> (f64, f64) {
    (
        a.value * b.value,
        a.rounding() * b.value.abs() + b.rounding() * a.value.abs() + a.rounding() * b.rounding(),
    )
}

fn sizes(found: &mut Contradictions, device: &str, report: usize, row: &Row<'_>) {
    for direction in ["r", "w", "d"] {
        let of = |rest: &str| row.get(&format!("{direction}{rest}"));
        let (Some(rate), Some(size)) = (of("/s"), of("areq-sz")) else { continue };
        let Some((throughput, unit)) =
            of("kB/s").map(|n| (n, 1.0)).or_else(|| of("MB/s").map(|n| (n, 1024.0)))
        else {
            continue;
        };
        // Where nothing ended there is no size, whatever the counters of bytes say.
        if rate.value == 0.0 {
            continue;
        }
        let (expected, off) = product(rate, size);
        let slack = off + throughput.rounding() * unit + 0.001 * expected;
        found.hold(SIZES, device, report, (throughput.value * unit, expected), slack);
    }
    let old = (row.get("r/s"), row.get("w/s"), row.get("avgrq-sz"));
    let (Some(reads), Some(writes), Some(size)) = old else { return };
    let sum = |a: &str, b: &str, unit: f64| Some((row.get(a)?, row.get(b)?, unit));
    let throughput = sum("rsec/s", "wsec/s", 1.0)
        .or_else(|| sum("rkB/s", "wkB/s", 2.0))
        .or_else(|| sum("rMB/s", "wMB/s", 2048.0));
    let Some((read, written, unit)) = throughput else { return };
    let both = Number { value: reads.value + writes.value, ..reads };
    let (expected, off) = product(both, size);
    let slack = 2.0 * off + (read.rounding() + written.rounding()) * unit + 0.001 * expected;
    found.hold(SIZES, device, report, ((read.value + written.value) * unit, expected), slack);
}

fn merges(found: &mut Contradictions, device: &str, report: usize, row: &Row<'_>) {
    for direction in ["r", "w", "d"] {
        let share = row.get(&format!("%{direction}rqm")).or_else(|| row.get(&format!("{direction}rqm")));
        let (Some(merged), Some(rate), Some(share)) =
            (row.get(&format!("{direction}rqm/s")), row.get(&format!("{direction}/s")), share)
        else {
            continue;
        };
        let all = merged.value + rate.value;
        // Below one I/O a second the printed digits are too few to hold anything against.
        if all < 1.0 {
            continue;
        }
        let slack = 100.0 * 2.0 * merged.rounding().max(rate.rounding()) / all + share.rounding();
        found.hold(MERGES, device, report, (share.value, 100.0 * merged.value / all), slack);
    }
}

fn queue(found: &mut Contradictions, device: &str, report: usize, row: &Row<'_>) {
    let Some(queue) = row.get("aqu-sz").or_else(|| row.get("avgqu-sz")) else { return };
    let (mut expected, mut off, mut known) = (0.0, 0.0, false);
    for (rate, wait) in [("r/s", "r_await"), ("w/s", "w_await"), ("d/s", "d_await"), ("f/s", "f_await")] {
        let (Some(rate), Some(wait)) = (row.get(rate), row.get(wait)) else { continue };
        let (in_flight, slack) = product(rate, wait);
        expected += in_flight / 1000.0;
        off += slack / 1000.0;
        known = true;
    }
    // I/Os that began before the interval or end after it make the law hold only about.
    if known {
        let slack = off + queue.rounding() + 0.1 + 0.25 * expected.max(queue.value);
        found.hold(QUEUE, device, report, (queue.value, expected), slack);
    }
}
