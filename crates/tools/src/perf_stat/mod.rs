//! `perf stat`: text of all versions, CSV (`-x`), JSON (`-j`), with and without intervals (`-I`).
//!
//! perf names its events freely, so that each becomes a metric of its own name: a count becomes a rate
//! over the time that it was counted in, processor milliseconds become processors' worth of time.

mod perf_event;
mod perf_stat_csv;
mod perf_stat_json;
mod perf_stat_text;

use fathom_record::telemetry::AbsentSource;

pub use perf_event::{Event, EventCount, PerfStat};

use crate::Refusal;
use crate::foreign_series::{
    Cell, Column, MachineTables, Meaning, Number, ReportKind, Sheet, assemble, plain_text, without_colours,
};

/// The tool's name.
pub const TOOL: &str = "perf";
/// The command's name, as people call what it prints.
pub const NAME: &str = "perf stat";
/// What perf record writes.
const DATA_MAGIC: &[u8] = b"PERFILE2";

/// Whether a text looks like perf stat's.
pub fn recognise(start: &str) -> bool {
    let text = start.contains("Performance counter stats for")
        || start
            .lines()
            .any(|line| line.starts_with('#') && line.contains("counts") && line.contains("events"));
    text || perf_stat_json::recognise(start) || perf_stat_csv::separator(start).is_some()
}

/// Whether bytes are perf's own samples, which are no counts.
pub fn is_binary(start: &[u8]) -> bool {
    start.starts_with(DATA_MAGIC)
}

/// Reads a text into events, in the tool's own words.
///
/// # Errors
/// When it is `perf.data`, or has no event.
pub fn read(bytes: &[u8]) -> Result<PerfStat, Refusal> {
    if is_binary(bytes) {
        return Err(Refusal::new("perf stat", "a file of samples (perf record), not of counts")
            .or("count with: perf stat -j -o FILE ..."));
    }
    let text = plain_text(bytes, "perf stat")?;
    let text = without_colours(&text);
    let measured = if perf_stat_json::recognise(&text) {
        perf_stat_json::read(&text)?
    } else if let Some(separator) = perf_stat_csv::separator(&text) {
        perf_stat_csv::read(&text, separator)
    } else {
        perf_stat_text::read(&text)
    };
    if measured.events.is_empty() {
        return Err(Refusal::new("perf stat", "no line has a count and an event"));
    }
    Ok(measured)
}

/// Makes series of a text.
///
/// # Errors
/// As [`read`], and when no event was counted.
pub fn observe(bytes: &[u8]) -> Result<MachineTables, Refusal> {
    let measured = read(bytes)?;
    let sheet = sheet(&measured);
    let mut observed = assemble(TOOL, "", &sheet, bytes.len(), column)?;
    observed.telemetry.absent = absent(&measured);
    Ok(observed)
}

/// The events as a sheet: rates over the time that each was counted in.
fn sheet(measured: &PerfStat) -> Sheet {
    let mut sheet = Sheet { notes: measured.notes.clone(), ..Sheet::default() };
    let mut before = 0.0;
    let mut now = None;
    for event in &measured.events {
        if event.at_s != now {
            before = now.unwrap_or(0.0);
            now = event.at_s;
        }
        let seconds = event.at_s.map_or(measured.elapsed_s, |at| Some(at - before));
        let seconds = seconds.filter(|seconds| *seconds > 0.0);
        let end_ns = event.at_s.or(measured.elapsed_s).map(|s| (s * 1e9).round() as i64);
        if sheet.reports.last().is_none_or(|last| last.at_ns != end_ns) {
            sheet.begin(end_ns, ReportKind::Interval);
        }
        let EventCount::Number(count) = event.counted else { continue };
        let user = event.name.strip_suffix(":u");
        let name = user.unwrap_or(&event.name);
        let thing = match (event.cpu.as_str(), user) {
            ("", Some(_)) => "user".to_owned(),
            (cpu, Some(_)) => format!("user on {cpu}"),
            (cpu, None) => cpu.to_owned(),
        };
        let kind = if seconds.is_some() { "rate" } else { "total" };
        let value = seconds.map_or(count, |seconds| count / seconds);
        let table = format!("{kind} {}", event.unit.replace('|', " "));
        let column = sheet.column_number(&table, name);
        let thing = sheet.things.number(&thing);
        sheet.put_cell(Cell { column, thing, number: Number { value, in_bytes: false, decimals: 6 } });
    }
    if measured.elapsed_s.is_none() && measured.events.iter().all(|event| event.at_s.is_none()) {
        sheet.notes.push("the time elapsed is not there: counts stay counts, without a rate".to_owned());
    }
    sheet
}

/// What an event means.
fn column(table: &str, name: &str) -> Column {
    let (kind, unit) = table.split_once(' ').unwrap_or((table, ""));
    let metric = format!("perf.{}", name.replace('-', "_"));
    let rate = kind == "rate";
    let (unit, scale) = match (unit, name) {
        ("msec", _) | ("", "task-clock" | "cpu-clock") if rate => ("cores", 1e-3),
        ("msec", _) => ("ns", 1e6),
        ("ns", _) if rate => ("cores", 1e-9),
        ("MiB", _) if rate => ("bytes/s", 1024.0 * 1024.0),
        ("Joules", _) if rate => ("watts", 1.0),
        ("Joules", _) => ("joules", 1.0),
        ("", "cycles" | "cpu-cycles") if rate => ("cycles/s", 1.0),
        ("", "instructions") if rate => ("instructions/s", 1.0),
        (_, _) if rate => ("events/s", 1.0),
        _ => ("events", 1.0),
    };
    Column::Means(vec![Meaning::new(metric, unit, scale)])
}

/// Events that gave no number, and why.
fn absent(measured: &PerfStat) -> Vec<AbsentSource> {
    let mut absent: Vec<AbsentSource> = Vec::new();
    for event in &measured.events {
        let reason = match event.counted {
            EventCount::Number(_) => continue,
            EventCount::NotSupported => "not supported by this CPU, kernel or virtual machine",
            EventCount::NotCounted => "not counted in some interval: nothing ran, or no counter was free",
        };
        let source = format!("perf {}", event.name);
        if absent.len() < 1000 && !absent.iter().any(|known| known.source == source) {
            absent.push(AbsentSource { source, reason: reason.to_owned() });
        }
    }
    absent
}
