//! fio's terse form: one line of semicolons an entry, in versions 2 to 5.
//!
//! Every field has its place by number, so none can be left out: what is not measured, as submission latency and the
//! distribution of depths, is empty between its semicolons and never 0.

use std::fmt::Write;

use fathom_record::Direction;

use super::Entry;
use super::device_use::DeviceUse;
use super::json_output::{Spread, coarse};
use super::totals::{DirectionTotals, Totals};

/// Percentiles that a direction has places for.
const PERCENTILES: usize = 20;
/// Fields of depths.
const DEPTHS: usize = 7;

/// The results as lines. `version` is the number of the form, and 3 where none was asked for (0); `program` what
/// scripts are told of the program.
pub fn lines(entries: &[Entry<'_>], devices: &[DeviceUse], version: u32, program: &str) -> String {
    let version = if version == 0 { 3 } else { version };
    let mut out = String::new();
    // The share of the group's bandwidth is of what its entries had together.
    let all: Vec<(u32, Totals)> =
        entries.iter().map(|entry| (entry.group, Totals::of(&entry.records))).collect();
    for (entry, (_, totals)) in entries.iter().zip(&all) {
        let of_group = |which: Direction| {
            let group = all.iter().filter(|(group, _)| *group == entry.group);
            group.map(|(_, totals)| mean_kib(totals.direction(which))).sum::<f64>()
        };
        line(&mut out, entry, totals, (version, program), devices, &of_group);
        out.push('\n');
    }
    out
}

fn line(
    out: &mut String,
    entry: &Entry<'_>,
    totals: &Totals,
    (version, program): (u32, &str),
    devices: &[DeviceUse],
    of_group: &dyn Fn(Direction) -> f64,
) {
    let errors: u64 = totals.directions.iter().map(|direction| direction.errors).sum();
    let error = if errors > 0 { 5 } else { 0 };
    let name = entry.name.replace(';', ",");
    let _ = match version {
        2 => write!(out, "2;{name};{};{error}", entry.group),
        _ => write!(out, "{version};{program};{name};{};{error}", entry.group),
    };
    if entry.reporting.mixed {
        let group: f64 = [Direction::Read, Direction::Write, Direction::Trim].map(of_group).iter().sum();
        direction(out, &totals.mixed(), entry, version, group);
    } else {
        let directions: &[Direction] = match version {
            3 => &[Direction::Read, Direction::Write],
            _ => &[Direction::Read, Direction::Write, Direction::Trim],
        };
        directions
            .iter()
            .for_each(|which| direction(out, totals.direction(*which), entry, version, of_group(*which)));
    }
    let share = |ns: u64| if totals.run_ns > 0 { ns as f64 * 100.0 / totals.run_ns as f64 } else { 0.0 };
    let _ = write!(out, ";{:.6}%;{:.6}%", share(totals.user_ns), share(totals.system_ns));
    for count in [totals.process.switches, totals.process.major_faults, totals.process.minor_faults] {
        let _ = write!(out, ";{}", count.map_or_else(String::new, |count| count.to_string()));
    }
    out.push_str(&";".repeat(DEPTHS));
    distribution(out, totals);
    if version >= 3 {
        for device in devices {
            let DeviceUse {
                name, reads, writes, read_merges, write_merges, read_ms, write_ms, queue_ms, ..
            } = device;
            let _ = write!(
                out,
                ";{name};{reads};{writes};{read_merges};{write_merges};{read_ms};{write_ms};{queue_ms};{:.2}%",
                device.busy_percent()
            );
        }
    }
    if let Some(description) = entry.reporting.description.as_ref().filter(|text| !text.is_empty()) {
        let _ = write!(out, ";{}", description.replace(['\n', '\r'], " "));
    }
}

/// Shares of the I/Os by latency: microseconds, then milliseconds; what was shorter counts to the first.
fn distribution(out: &mut String, totals: &Totals) {
    let mut below_us = 0.0;
    for (unit, bins) in coarse(totals) {
        for (place, (_, percent)) in bins.into_iter().enumerate() {
            match (unit, place) {
                ("latency_ns", _) => below_us += percent,
                ("latency_us", 0) => {
                    let _ = write!(out, ";{:.2}%", percent + below_us);
                }
                _ => {
                    let _ = write!(out, ";{percent:.2}%");
                }
            }
        }
    }
}

fn mean_kib(direction: &DirectionTotals) -> f64 {
    Spread::of(&direction.bytes_per_s).times(1.0 / 1024.0).mean
}

fn direction(out: &mut String, direction: &DirectionTotals, entry: &Entry<'_>, version: u32, group_kib: f64) {
    let used = direction.operations + direction.errors > 0;
    let runtime_ms = if used { direction.runtime_ms() } else { 0 };
    let per_s = |count: u64| if used { u128::from(count) * 1000 / u128::from(runtime_ms.max(1)) } else { 0 };
    let _ = write!(
        out,
        ";{};{};{};{runtime_ms}",
        direction.bytes >> 10,
        per_s(direction.bytes) / 1024,
        per_s(direction.operations)
    );
    out.push_str(";;;;");
    let none = DirectionTotals::default();
    let reporting = entry.reporting;
    latency(out, if reporting.without_clat { &none } else { direction });
    let listed = (reporting.of_clat || reporting.of_lat) && direction.service.count() > 0;
    for place in 0..PERCENTILES {
        let _ = match reporting.percentiles.get(place).filter(|_| listed) {
            Some(percent) => write!(out, ";{percent:.6}%={}", direction.percentile_ns(*percent) / 1000),
            None => write!(out, ";0%=0"),
        };
    }
    latency(out, if reporting.without_lat { &none } else { direction });
    let bytes = Spread::of(&direction.bytes_per_s).times(1.0 / 1024.0);
    let share = if bytes.number > 0 && group_kib > 0.0 { bytes.mean * 100.0 / group_kib } else { 0.0 };
    let _ = write!(
        out,
        ";{:.0};{:.0};{share:.6}%;{:.6};{:.6}",
        bytes.least.floor(),
        bytes.most.floor(),
        bytes.mean,
        bytes.deviation
    );
    if version == 5 {
        let rates = Spread::of(&direction.operations_per_s);
        let _ = write!(
            out,
            ";{};{:.0};{:.0};{:.6};{:.6};{}",
            bytes.number,
            rates.least.floor(),
            rates.most.floor(),
            rates.mean,
            rates.deviation,
            rates.number
        );
    }
}

/// Least, most, mean and deviation, in microseconds.
fn latency(out: &mut String, direction: &DirectionTotals) {
    let histogram = &direction.service;
    let _ = write!(
        out,
        ";{};{};{:.6};{:.6}",
        histogram.min().unwrap_or(0) / 1000,
        histogram.max().unwrap_or(0) / 1000,
        histogram.mean().unwrap_or(0.0) / 1000.0,
        direction.deviation_ns / 1000.0
    );
}
