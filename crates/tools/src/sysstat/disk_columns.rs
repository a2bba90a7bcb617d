//! Devices: columns of `iostat`, `sar -d` and `sadf`, of all versions since 5.

use super::{KB, MB, SECTOR};
use crate::foreign_series::{Column, bytes, bytes_per_s, none, plain, share, time_ms};

const OPS: &str = "operations/s";

/// A column of a device.
pub fn disk(column: &str) -> Column {
    match column {
        "r/s" => plain("disk.reads", OPS),
        "w/s" => plain("disk.writes", OPS),
        "d/s" => plain("disk.discards", OPS),
        "f/s" => plain("disk.flushes", OPS),
        "tps" => plain("disk.transfers", OPS),
        "rrqm/s" => plain("disk.reads_merged", OPS),
        "wrqm/s" => plain("disk.writes_merged", OPS),
        "drqm/s" => plain("disk.discards_merged", OPS),
        "rqm/s" => plain("disk.merged", OPS),
        // In JSON the percent sign is left out.
        "%rrqm" | "rrqm" => share("disk.reads_merged_share"),
        "%wrqm" | "wrqm" => share("disk.writes_merged_share"),
        "%drqm" | "drqm" => share("disk.discards_merged_share"),
        "r_await" => time_ms("disk.read_wait"),
        "w_await" => time_ms("disk.write_wait"),
        "d_await" => time_ms("disk.discard_wait"),
        "f_await" => time_ms("disk.flush_wait"),
        "await" => time_ms("disk.wait"),
        "svctm" => time_ms("disk.svctm"),
        "rareq-sz" => bytes("disk.read_size", KB),
        "wareq-sz" => bytes("disk.write_size", KB),
        "dareq-sz" => bytes("disk.discard_size", KB),
        "areq-sz" => bytes("disk.size", KB),
        "avgrq-sz" => bytes("disk.size", SECTOR),
        "aqu-sz" | "avgqu-sz" => plain("disk.queue", "operations"),
        "%util" | "util" => share("disk.utilisation"),
        _ => throughput(column),
    }
}

/// Throughput in blocks, sectors, kilobytes or megabytes, and what was moved in all.
fn throughput(column: &str) -> Column {
    let rate = column.strip_suffix("/s");
    let (name, unit) = match rate.unwrap_or(column) {
        "rsec" | "rd_sec" | "Blk_read" => ("read", SECTOR),
        "wsec" | "wr_sec" | "Blk_wrtn" => ("write", SECTOR),
        "dc_sec" | "Blk_dscd" => ("discard", SECTOR),
        "Blk_w+d" => ("write_and_discard", SECTOR),
        "rkB" | "kB_read" => ("read", KB),
        "wkB" | "kB_wrtn" => ("write", KB),
        "dkB" | "kB_dscd" => ("discard", KB),
        "kB_w+d" => ("write_and_discard", KB),
        "rMB" | "MB_read" => ("read", MB),
        "wMB" | "MB_wrtn" => ("write", MB),
        "dMB" | "MB_dscd" => ("discard", MB),
        "MB_w+d" => ("write_and_discard", MB),
        "kB" => ("moved", KB),
        "MB" => ("moved", MB),
        "sec" => ("moved", SECTOR),
        _ => return Column::Unknown,
    };
    // What was moved in all is the rate times an interval that the text does not state.
    if rate.is_none() { none() } else { bytes_per_s(format!("disk.{name}_bytes"), unit) }
}
