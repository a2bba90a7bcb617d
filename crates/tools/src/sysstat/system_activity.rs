//! The whole machine: transfers, load, switches, interrupts, pressure.

use super::SECTOR;
use crate::foreign_series::{Column, Label, bytes_per_s, plain, share};

/// A column of `sar -b`, its `/s` left out: transfers of all devices together.
pub fn transfers(column: &str) -> Column {
    match column {
        "tps" => plain("io.transfers", "operations/s"),
        "rtps" => plain("io.reads", "operations/s"),
        "wtps" => plain("io.writes", "operations/s"),
        "dtps" => plain("io.discards", "operations/s"),
        "bread" => bytes_per_s("io.read_bytes", SECTOR),
        "bwrtn" => bytes_per_s("io.write_bytes", SECTOR),
        "bdscd" => bytes_per_s("io.discard_bytes", SECTOR),
        _ => Column::Unknown,
    }
}

/// A column of `sar -q`.
pub fn load(column: &str) -> Column {
    match column {
        "runq-sz" => plain("load.run_queue", "tasks"),
        "plist-sz" => plain("load.tasks", "tasks"),
        "ldavg-1" => plain("load.average_1m", "tasks"),
        "ldavg-5" => plain("load.average_5m", "tasks"),
        "ldavg-15" => plain("load.average_15m", "tasks"),
        "blocked" => plain("load.blocked", "tasks"),
        _ => Column::Unknown,
    }
}

/// A column of `sar -w`, its `/s` left out.
pub fn switches(column: &str) -> Column {
    match column {
        "proc" => plain("load.forks", "tasks/s"),
        "cswch" => plain("load.context_switches", "switches/s"),
        _ => Column::Unknown,
    }
}

/// Interrupts by number or name, of all processors or of one.
pub fn interrupts(column: &str) -> Column {
    let rate = || plain("interrupts.rate", "interrupts/s");
    match column {
        "intr/s" | "intr" | "all" => rate(),
        _ => match column.strip_prefix("CPU") {
            Some(processor) if processor.bytes().all(|b| b.is_ascii_digit()) => {
                rate().of(&Label::Part(format!("processor {processor}")))
            }
            _ => Column::Unknown,
        },
    }
}

/// A column of `sar -q PSI`: `%sio-10` and `%sio` of tasks that waited, `%fio` of all waiting at once.
pub fn pressure(column: &str) -> Column {
    let Some(name) = column.strip_prefix('%') else { return Column::Unknown };
    let (which, window) = name.split_once('-').unwrap_or((name, ""));
    let label = match which.get(1..) {
        Some("cpu") => "cpu",
        Some("io") => "io",
        Some("mem") => "memory",
        _ => return Column::Unknown,
    };
    let metric = match (which.as_bytes()[0], window) {
        (b's', "") => "pressure.some",
        (b's', "10") => "pressure.some_avg10",
        (b's', "60") => "pressure.some_avg60",
        (b's', "300") => "pressure.some_avg300",
        (b'f', "") => "pressure.full",
        (b'f', "10") => "pressure.full_avg10",
        (b'f', "60") => "pressure.full_avg60",
        (b'f', "300") => "pressure.full_avg300",
        _ => return Column::Unknown,
    };
    share(metric).of(&Label::Fixed(label))
}
