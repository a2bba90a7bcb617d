//! fio's text for people.

use std::fmt::Write;

use fathom_record::Direction;

use super::Entry;
use super::device_use::DeviceUse;
use super::json_output::{Spread, coarse};
use super::totals::{DirectionTotals, PriorityTotals, Totals, responses};

/// The line before what is not as fio does it.
pub const DIFFERENCES: &str = "Differences from fio:";

/// The line before what the devices did.
pub const DEVICES: &str = "Disk stats (read/write):";

/// What stands before all results: the jobs, and what ran them.
pub fn head(entries: &[Entry<'_>], version: &str) -> String {
    let mut out = String::new();
    for (entry, clones) in entries.iter().filter_map(|entry| Some((entry, entry.titled?))) {
        line(
            &mut out,
            &format!("{}: (g={}): {}, iodepth={}", entry.name, entry.group, entry.title, entry.depth()),
        );
        if clones > 1 {
            line(&mut out, "...");
        }
    }
    line(&mut out, &format!("fathom-{version}"));
    out
}

/// The results as text, with what is not as fio does it, a sentence each, and what the devices did; `time` is when they
/// were made.
pub fn text(entries: &[Entry<'_>], (differences, devices): (&[String], &[DeviceUse]), time: &str) -> String {
    let mut out = String::new();
    for entry in entries {
        line(&mut out, "");
        job(&mut out, entry, time);
    }
    let mut groups: Vec<u32> = entries.iter().map(|entry| entry.group).collect();
    groups.dedup();
    for group in groups {
        line(&mut out, "");
        line(&mut out, &format!("Run status group {group} (all jobs):"));
        status(&mut out, entries.iter().filter(|entry| entry.group == group));
    }
    if !devices.is_empty() {
        line(&mut out, "");
        line(&mut out, DEVICES);
        devices.iter().for_each(|device| line(&mut out, &of_device(device)));
    }
    if !differences.is_empty() {
        line(&mut out, "");
        line(&mut out, DIFFERENCES);
        differences.iter().for_each(|words| line(&mut out, &format!("  {words}")));
    }
    out
}

fn of_device(device: &DeviceUse) -> String {
    let DeviceUse { name, reads, writes, read_sectors, write_sectors, .. } = device;
    let DeviceUse { read_merges, write_merges, read_ms, write_ms, queue_ms, .. } = device;
    format!(
        "  {name}: ios={reads}/{writes}, sectors={read_sectors}/{write_sectors}, merge={read_merges}/{write_merges}, \
         ticks={read_ms}/{write_ms}, in_queue={queue_ms}, util={:.2}%",
        device.busy_percent()
    )
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

const NAMES: [(&str, Direction); 3] =
    [("read", Direction::Read), ("write", Direction::Write), ("trim", Direction::Trim)];

fn job(out: &mut String, entry: &Entry<'_>, time: &str) {
    let totals = Totals::of(&entry.records);
    let errors: u64 = totals.directions.iter().map(|direction| direction.errors).sum();
    let error = if errors > 0 { 5 } else { 0 };
    line(
        out,
        &format!(
            "{}: (groupid={}, jobs={}): err={error:2}: pid={}: {time}",
            entry.name,
            entry.group,
            entry.clones,
            std::process::id()
        ),
    );
    if entry.reporting.mixed {
        direction(out, ("mixed", &totals.mixed()), entry);
    } else {
        for (name, which) in NAMES {
            direction(out, (name, totals.direction(which)), entry);
            priorities(out, &totals.priorities_of(which), totals.direction(which).operations, entry);
        }
    }
    for (name, bins) in coarse(&totals) {
        let unit = match name {
            "latency_ns" => "nsec",
            "latency_us" => "usec",
            _ => "msec",
        };
        let used: Vec<String> = bins
            .iter()
            .filter(|(_, percent)| *percent >= 0.005)
            .map(|(end, percent)| format!("{end}={percent:.2}%"))
            .collect();
        for part in used.chunks(6) {
            line(out, &format!("  lat ({unit})   : {}", part.join(", ")));
        }
    }
    line(out, &of_process(&totals));
    let in_flight: f64 = entry.records.iter().filter_map(|record| record.summary.in_flight_mean).sum();
    line(
        out,
        &format!(
            "  in flight    : mean={in_flight:.2}, asked={}",
            u64::from(entry.depth()) * u64::from(entry.clones)
        ),
    );
    let count = |which| totals.direction(which).operations;
    line(
        out,
        &format!(
            "     issued rwts: total={},{},{},{} short=0,0,0,0 dropped=0,0,0,0",
            count(Direction::Read),
            count(Direction::Write),
            count(Direction::Trim),
            count(Direction::Flush)
        ),
    );
    responses_of(out, entry);
    for record in &entry.records {
        for check in record.failed_checks() {
            line(out, &format!("  fathom       : {}: {}", record.id, check.explanation));
        }
    }
}

fn of_process(totals: &Totals) -> String {
    let share = |ns: u64| if totals.run_ns > 0 { ns as f64 * 100.0 / totals.run_ns as f64 } else { 0.0 };
    let mut cpu =
        format!("  cpu          : usr={:.2}%, sys={:.2}%", share(totals.user_ns), share(totals.system_ns));
    let process = totals.process;
    for (name, count) in
        [("ctx", process.switches), ("majf", process.major_faults), ("minf", process.minor_faults)]
    {
        if let Some(count) = count {
            cpu += &format!(", {name}={count}");
        }
    }
    cpu
}

/// Latencies from the intended start on, of jobs that have one.
fn responses_of(out: &mut String, entry: &Entry<'_>) {
    for (which, response) in responses(&entry.records) {
        let ms = |ns: u64| ns as f64 / 1e6;
        let of = |percent: f64| format!("{percent}th={:.3}", ms(response.percentile_ns(percent)));
        line(
            out,
            &format!(
                "  response     : {} (msec): mean={:.3}, {}, {}, {}, max={:.3}",
                which.name(),
                response.service.mean().unwrap_or(0.0) / 1e6,
                of(50.0),
                of(95.0),
                of(99.0),
                ms(response.service.max().unwrap_or(0)),
            ),
        );
    }
}

fn direction(out: &mut String, (name, direction): (&str, &DirectionTotals), entry: &Entry<'_>) {
    if direction.operations == 0 {
        return;
    }
    let seconds = direction.runtime_ms() as f64 / 1000.0;
    line(
        out,
        &format!(
            "  {name}: IOPS={}, BW={} ({})({}/{}msec)",
            short(direction.operations as f64 / seconds),
            binary(direction.bytes as f64 / seconds, "/s"),
            decimal(direction.bytes as f64 / seconds, "/s"),
            binary(direction.bytes as f64, ""),
            direction.runtime_ms(),
        ),
    );
    let reporting = entry.reporting;
    let (unit, divisor) = unit_of(direction.service.mean().unwrap_or(0.0));
    let (least, most) = (direction.service.min().unwrap_or(0), direction.service.max().unwrap_or(0));
    let mean = direction.service.mean().unwrap_or(0.0) / divisor;
    let numbers = format!(
        "min={}, max={}, avg={mean:.2}, stdev={:.2}",
        least / divisor as u64,
        most / divisor as u64,
        direction.deviation_ns / divisor
    );
    if !reporting.without_clat {
        line(out, &format!("    clat ({unit}): {numbers}"));
    }
    if !reporting.without_lat {
        line(out, &format!("     lat ({unit}): {numbers}"));
    }
    if reporting.of_clat || reporting.of_lat {
        percentiles(out, direction, entry);
    }
    if !reporting.without_rates {
        let bytes = Spread::of(&direction.bytes_per_s).times(1.0 / 1024.0);
        let rates = Spread::of(&direction.operations_per_s);
        if bytes.number > 0 {
            line(
                out,
                &format!(
                    "   bw (  KiB/s): min={:5.0}, max={:5.0}, per=100.00%, avg={:.2}, stdev={:.2}, samples={}",
                    bytes.least, bytes.most, bytes.mean, bytes.deviation, bytes.number
                ),
            );
            line(
                out,
                &format!(
                    "   iops        : min={:5.0}, max={:5.0}, avg={:.2}, stdev={:.2}, samples={}",
                    rates.least, rates.most, rates.mean, rates.deviation, rates.number
                ),
            );
        }
    }
}

/// Latencies by priority, each with its share of the I/Os.
fn priorities(out: &mut String, priorities: &[&PriorityTotals], all: u64, entry: &Entry<'_>) {
    let word = latency_word(entry);
    for PriorityTotals { class, level, counted, .. } in priorities {
        let (unit, divisor) = unit_of(counted.service.mean().unwrap_or(0.0));
        let numbers = format!(
            "min={}, max={}, avg={:.2}, stdev={:.2}",
            counted.service.min().unwrap_or(0) / divisor as u64,
            counted.service.max().unwrap_or(0) / divisor as u64,
            counted.service.mean().unwrap_or(0.0) / divisor,
            counted.deviation_ns / divisor
        );
        line(out, &format!("    {word} prio {class}/{level} ({unit}): {numbers}"));
        let share = counted.operations as f64 * 100.0 / all.max(1) as f64;
        let title = format!("{word} prio {class}/{level} ({share:.2}% of IOs)");
        titled_percentiles(out, &title, counted, entry);
    }
}

fn latency_word(entry: &Entry<'_>) -> &'static str {
    if entry.reporting.of_clat { "clat" } else { "lat" }
}

fn percentiles(out: &mut String, direction: &DirectionTotals, entry: &Entry<'_>) {
    titled_percentiles(out, latency_word(entry), direction, entry);
}

fn titled_percentiles(out: &mut String, word: &str, direction: &DirectionTotals, entry: &Entry<'_>) {
    let list = &entry.reporting.percentiles;
    let Some(first) = list.first() else { return };
    let (unit, divisor) = unit_of(direction.percentile_ns(*first) as f64);
    line(out, &format!("    {word} percentiles ({unit}):"));
    let cells: Vec<String> = list
        .iter()
        .map(|percent| format!("{percent:5.2}th=[{:5}]", direction.percentile_ns(*percent) / divisor as u64))
        .collect();
    let rows: Vec<&[String]> = cells.chunks(4).collect();
    for (place, row) in rows.iter().enumerate() {
        let end = if place + 1 == rows.len() { "" } else { "," };
        line(out, &format!("     | {}{end}", row.join(", ")));
    }
}

/// nsec, usec or msec, whichever leaves two digits or more.
fn unit_of(value_ns: f64) -> (&'static str, f64) {
    match value_ns {
        value if value >= 10_000_000.0 => ("msec", 1e6),
        value if value >= 10_000.0 => ("usec", 1e3),
        _ => ("nsec", 1.0),
    }
}

fn status<'a>(out: &mut String, entries: impl Iterator<Item = &'a Entry<'a>>) {
    let entries: Vec<Totals> = entries.map(|entry| Totals::of(&entry.records)).collect();
    for (name, which) in NAMES {
        let used: Vec<&Totals> =
            entries.iter().filter(|totals| totals.direction(which).operations > 0).collect();
        if used.is_empty() {
            continue;
        }
        let bytes: u64 = used.iter().map(|totals| totals.direction(which).bytes).sum();
        let longest = used.iter().map(|totals| totals.direction(which).runtime_ms()).max().unwrap_or(1);
        let shortest = used.iter().map(|totals| totals.direction(which).runtime_ms()).min().unwrap_or(1);
        let rate = |totals: &Totals| {
            let direction = totals.direction(which);
            direction.bytes as f64 * 1000.0 / direction.runtime_ms() as f64
        };
        let all = bytes as f64 * 1000.0 / longest as f64;
        let least = used.iter().map(|totals| rate(totals)).fold(f64::INFINITY, f64::min);
        let most = used.iter().map(|totals| rate(totals)).fold(0.0, f64::max);
        line(
            out,
            &format!(
                "{:>7}: bw={} ({}), {}-{} ({}-{}), io={} ({}), run={shortest}-{longest}msec",
                name.to_ascii_uppercase(),
                binary(all, "/s"),
                decimal(all, "/s"),
                binary(least, "/s"),
                binary(most, "/s"),
                decimal(least, "/s"),
                decimal(most, "/s"),
                binary(bytes as f64, ""),
                decimal(bytes as f64, ""),
            ),
        );
    }
}

/// Four digits or so, with k, M or G for thousands.
fn short(value: f64) -> String {
    scaled(value, 1000.0, ["", "k", "M", "G", "T"])
}

fn binary(bytes: f64, per: &str) -> String {
    scaled(bytes, 1024.0, ["B", "KiB", "MiB", "GiB", "TiB"]) + per
}

fn decimal(bytes: f64, per: &str) -> String {
    scaled(bytes, 1000.0, ["B", "kB", "MB", "GB", "TB"]) + per
}

fn scaled(value: f64, step: f64, units: [&str; 5]) -> String {
    let mut value = value;
    let mut unit = 0;
    while value >= 10_000.0 && unit + 1 < units.len()
        || value >= step && unit + 1 < units.len() && value / step >= 10.0
    {
        value /= step;
        unit += 1;
    }
    let mut text = String::new();
    let digits = if value < 100.0 && value.fract() > 0.05 { 1 } else { 0 };
    let _ = write!(text, "{value:.digits$}{}", units[unit]);
    text
}
