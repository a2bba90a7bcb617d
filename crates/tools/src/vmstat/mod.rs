//! `vmstat` of procps: its table of the whole machine, in all widths, with and without times.

use crate::Refusal;
use crate::foreign_series::{
    Cell, Column, Contradiction, Contradictions, MachineTables, Meaning, ReportKind, Sheet, Timeline,
    assemble, bytes, bytes_per_s, number, plain, plain_text, rows, stamp,
};
use crate::sysstat::{self, KB};

/// The tool's name.
pub const TOOL: &str = "vmstat";
/// The one table.
const TABLE: &str = "vmstat";

/// Whether a text looks like vmstat's.
pub fn recognise(start: &str) -> bool {
    start.lines().take(20).any(|line| is_header(line) || other_mode(line).is_some())
}

fn is_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("r") && words.next() == Some("b") && words.any(|word| word == "swpd")
}

/// A header of vmstat's other modes, and what that mode prints.
fn other_mode(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    if line.starts_with("disk-") && line.contains("reads") {
        return Some("vmstat -d prints totals since the machine started");
    }
    if line.starts_with("Cache") && line.contains("Pages") {
        return Some("vmstat -m prints the kernel's slabs");
    }
    line.ends_with("K total memory").then_some("vmstat -s prints totals since the machine started")
}

/// Reads a text into the tool's own words.
///
/// # Errors
/// When it is binary, of another mode, or has no header.
pub fn read(input: &[u8]) -> Result<Sheet, Refusal> {
    let text = plain_text(input, TOOL)?;
    let mut sheet = Sheet::default();
    let mut columns: Vec<u32> = Vec::new();
    let mut timeline: Option<Timeline> = None;
    let (mut headers, mut rows) = (0, 0);
    let thing = sheet.things.number("");
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if is_header(line) {
            let words = line
                .split_whitespace()
                .filter(|word| !matches!(column(TABLE, word), Column::Unknown) || !is_zone(word));
            columns = words.map(|word| sheet.column_number(TABLE, word)).collect();
            headers += 1;
            continue;
        }
        if line.contains("--memory--") || line.contains("---memory") {
            continue;
        }
        if let (0, Some(mode)) = (headers, other_mode(line)) {
            return Err(
                Refusal::new(TOOL, format!("{mode}, and no rates")).or("import `vmstat 1`, or `iostat -x 1`")
            );
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((numbers, rest)) = words.split_at_checked(columns.len()).filter(|(n, _)| !n.is_empty())
        else {
            sheet.strange_line(line);
            continue;
        };
        let numbers: Vec<_> = numbers.iter().map_while(|word| number(word)).collect();
        let at = stamp(&rest.join(" ")).map(|(at, _)| at);
        if numbers.len() != columns.len() || (at.is_none() && !rest.is_empty()) {
            sheet.strange_line(line);
            continue;
        }
        let at_ns = at.map(|at| {
            let zero = sheet.zero.get_or_insert_with(|| (at, rest.join(" "))).0;
            timeline.get_or_insert_with(|| Timeline::new(zero, at)).advance(at)
        });
        sheet.begin(at_ns, if rows == 0 { ReportKind::SinceBoot } else { ReportKind::Interval });
        rows += 1;
        columns.iter().zip(&numbers).for_each(|(column, number)| {
            sheet.put_cell(Cell { column: *column, thing, number: *number });
        });
    }
    if headers == 0 {
        return Err(Refusal::new(TOOL, "no line names columns like `r b swpd free ...`"));
    }
    sheet.notes.push(
        "memory is taken as KiB, which vmstat prints unless another unit was chosen with -S".to_owned(),
    );
    Ok(sheet)
}

/// With `-t` the header ends with the name of a time zone.
fn is_zone(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '+' | '-') || c.is_ascii_digit())
}

/// What a column means.
pub fn column(_: &str, column: &str) -> Column {
    let cpu = |name| sysstat::cpu(name);
    match column {
        "r" => plain("load.run_queue", "tasks"),
        "b" => plain("load.blocked", "tasks"),
        "swpd" => bytes("memory.swap_used", KB),
        "free" => bytes("memory.free", KB),
        "buff" => bytes("memory.buffers", KB),
        "cache" => bytes("memory.cached", KB),
        "inact" => bytes("memory.inactive", KB),
        "active" => bytes("memory.active", KB),
        "si" => bytes_per_s("swap.in_bytes", KB),
        "so" => bytes_per_s("swap.out_bytes", KB),
        // The kernel's counts of pages that came in and went out, in KiB.
        "bi" => bytes_per_s("paging.in_bytes", KB),
        "bo" => bytes_per_s("paging.out_bytes", KB),
        "in" => plain("interrupts.rate", "interrupts/s"),
        "cs" => plain("load.context_switches", "switches/s"),
        // Reniced programs are in `us`, interrupts in `sy`.
        "us" => cpu("user"),
        "sy" => cpu("system"),
        "id" => cpu("idle"),
        "wa" => cpu("iowait"),
        "st" => cpu("steal"),
        "gu" => Column::Means(vec![
            Meaning::new("cpu.user", "share", 0.01).added(),
            Meaning::new("cpu.guest", "share", 0.01),
            Meaning::new("cpu.busy", "share", 0.01).added(),
        ]),
        _ => Column::Unknown,
    }
}

/// Holds the parts of the processors' time against the whole.
pub fn audit(sheet: &Sheet) -> Vec<Contradiction> {
    const PARTS: [&str; 6] = ["us", "sy", "id", "wa", "st", "gu"];
    const WHOLE: (&str, &str) =
        ("us + sy + id + wa + st = 100", "a column was left out, or a row was shifted");
    let mut found = Contradictions::default();
    for (at, report) in sheet.reports.iter().enumerate() {
        for (_, row) in rows(sheet, report, TABLE) {
            if row.get("id").is_some() && row.get("wa").is_some() {
                let sum: f64 = PARTS.iter().filter_map(|part| row.get(part)).map(|n| n.value).sum();
                // Each of up to six is rounded to whole percent, and some versions cut instead.
                found.hold(WHOLE, "", at, (sum, 100.0), 5.0);
            }
        }
    }
    found.finish()
}

/// Makes series of a text.
///
/// # Errors
/// As [`read`], and when there is no row.
pub fn observe(input: &[u8]) -> Result<MachineTables, Refusal> {
    let sheet = read(input)?;
    assemble(TOOL, "", &sheet, input.len(), column)
}
