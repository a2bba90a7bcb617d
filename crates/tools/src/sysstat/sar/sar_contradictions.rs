//! Figures of one report that must agree.

use crate::foreign_series::{Contradiction, Contradictions, Number, Row, Sheet, rows};
use crate::sysstat::iostat::whole;

const SIZES: (&str, &str) =
    ("tps x size = throughput", "a size is in another unit than its header says, or columns were changed");
const QUEUE: (&str, &str) = (
    "tps x await = queue",
    "by Little's law both are the mean in flight; the kernel's own queue time was wrong or sampled, so trust neither",
);
const BUSY: (&str, &str) =
    ("%util is at most 100", "more than all of the time: the interval or the counter is wrong");

/// Holds the figures of every report against each other.
pub fn audit(sheet: &Sheet) -> Vec<Contradiction> {
    let mut found = Contradictions::default();
    for (number, report) in sheet.reports.iter().enumerate() {
        for (device, row) in rows(sheet, report, "DEV") {
            device_row(&mut found, device, number, &row);
        }
        for (processor, row) in rows(sheet, report, "CPU") {
            whole(&mut found, processor, number, &row);
        }
    }
    found.finish()
}

/// A device's figures, of `sar -d` or of a JSON document with the same columns.
pub fn device_row(found: &mut Contradictions, device: &str, report: usize, row: &Row<'_>) {
    let Some(transfers) = row.get("tps") else { return };
    let zero = Number { value: 0.0, in_bytes: false, decimals: 9 };
    let sum = |columns: [&str; 3]| {
        let read = row.get(columns[0])?;
        let rest = [row.get(columns[1])?, row.get(columns[2]).unwrap_or(zero)];
        let value = read.value + rest[0].value + rest[1].value;
        Some((value, read.rounding() + rest[0].rounding() + rest[1].rounding()))
    };
    let new = sum(["rkB/s", "wkB/s", "dkB/s"]).zip(row.get("areq-sz"));
    let old = sum(["rd_sec/s", "wr_sec/s", "dc_sec/s"]).zip(row.get("avgrq-sz"));
    for ((throughput, off), size) in [new, old].into_iter().flatten() {
        // Without any transfer there is no size.
        if transfers.value > 0.0 {
            let expected = transfers.value * size.value;
            let slack = off + transfers.rounding() * size.value + size.rounding() * transfers.value + 0.01;
            found.hold(SIZES, device, report, (throughput, expected), slack + 0.001 * expected);
        }
    }
    let queue = row.get("aqu-sz").or_else(|| row.get("avgqu-sz"));
    if let (Some(queue), Some(wait)) = (queue, row.get("await")) {
        let expected = transfers.value * wait.value / 1000.0;
        let off = (transfers.rounding() * wait.value + wait.rounding() * transfers.value) / 1000.0;
        // I/Os that began before the interval or end after it make the law hold only about.
        let slack = off + queue.rounding() + 0.1 + 0.25 * expected.max(queue.value);
        found.hold(QUEUE, device, report, (queue.value, expected), slack);
    }
    if let Some(busy) = row.get("%util") {
        found.hold(BUSY, device, report, (busy.value, busy.value.min(100.0)), 1.0 + busy.rounding());
    }
}
