//! `sadf -j`: what sar kept, as JSON, with moments in UTC.

use crate::Refusal;
use crate::foreign_series::{
    Column, Contradiction, Contradictions, MachineTables, Number, ReportKind, Sheet, Timeline, Tree,
    assemble, parse_json, plain_text, rows, stamp,
};
use crate::sysstat::iostat::iostat_json::{host_banner, one_host};
use crate::sysstat::{iostat, sar};

/// The tool's name.
pub const TOOL: &str = "sadf";

/// Whether a text looks like sadf's JSON.
pub fn recognise(start: &str) -> bool {
    start.trim_start().starts_with('{') && start.contains("\"sysstat\"") && start.contains("\"file-date\"")
}

/// Reads a document into sar's words: tables and columns are named as in its text.
///
/// # Errors
/// When it is no JSON of sysstat's, or of more than one host.
pub fn read(bytes: &[u8]) -> Result<Sheet, Refusal> {
    let text = plain_text(bytes, TOOL)?;
    let tree = parse_json(&text, TOOL)?;
    let host = one_host(&tree, TOOL)?;
    let mut sheet = Sheet { banner: Some(host_banner(host)), ..Sheet::default() };
    let mut timeline: Option<Timeline> = None;
    for report in host.get("statistics").map(Tree::elements).unwrap_or_default() {
        let at_ns = report.get("timestamp").and_then(moment).and_then(|text| {
            let at = stamp(&text)?.0;
            let zero = sheet.zero.get_or_insert((at, text)).0;
            Some(timeline.get_or_insert_with(|| Timeline::new(zero, at)).advance(at))
        });
        sheet.begin(at_ns, ReportKind::Interval);
        for (key, value) in report.entries().iter().filter(|(key, _)| key.as_ref() != "timestamp") {
            put(&mut sheet, key, value);
        }
    }
    if host.get("restarts").is_some() {
        sheet.notes.push("the machine was started anew while this was recorded".to_owned());
    }
    Ok(sheet)
}

/// `{"date": "2019-04-18", "time": "13:20:19", "tz": "UTC"}`, or with `"utc": 1` as older versions write it.
fn moment(timestamp: &Tree) -> Option<String> {
    let text = |key: &str| timestamp.get(key).and_then(Tree::text);
    let utc = text("tz") == Some("UTC") || timestamp.get("utc").and_then(Tree::number) == Some(1.0);
    Some(format!("{}T{}{}", text("date")?, text("time")?, if utc { "Z" } else { "" }))
}

/// Puts everything below a key: numbers of objects, rows of lists.
fn put(sheet: &mut Sheet, key: &str, value: &Tree) {
    let rows = value.elements();
    if rows.is_empty() {
        for (name, inner) in value.entries() {
            match inner {
                Tree::Number(number) => put_number(sheet, key, name, "", *number),
                // `io` has its reads and writes apart; everything else is named by what is inside.
                _ => put(sheet, if key == "io" { key } else { name }, inner),
            }
        }
        return;
    }
    for row in rows {
        let Some(thing) = thing(key, row) else { continue };
        // Versions that name kilobytes keep the older names in sectors beside them.
        let twice = |name: &str| match name {
            "rkB" | "wkB" | "dkB" => row.get("rd_sec").is_some(),
            "areq-sz" => row.get("avgrq-sz").is_some(),
            "aqu-sz" => row.get("avgqu-sz").is_some(),
            _ => false,
        };
        for (name, inner) in row.entries().iter().filter(|(name, _)| !twice(name)) {
            // Sensors and buses are counted; their numbers are names.
            if let Some(number) =
                inner.number().filter(|_| !matches!(name.as_ref(), "number" | "line" | "fchost"))
            {
                put_number(sheet, key, name, &thing, number);
            }
        }
    }
}

/// What a row is of.
fn thing(key: &str, row: &Tree) -> Option<String> {
    const NAMES: [&str; 9] =
        ["cpu", "disk-device", "iface", "intr", "filesystem", "node", "fchost", "line", "number"];
    let name = NAMES.iter().find_map(|name| row.get(name))?;
    let name = match name {
        Tree::Text(text) => text.to_string(),
        Tree::Number(number) => number.to_string(),
        _ => return None,
    };
    let device = row.get("device").and_then(Tree::text);
    let all = matches!(name.as_str(), "all" | "sum") || key == "cpu-frequency" && name == "-1";
    Some(match device {
        Some(device) => format!("{device} {name}"),
        None if all => String::new(),
        None => name,
    })
}

/// Puts a number under the table and the column that sar's text has for it.
fn put_number(sheet: &mut Sheet, key: &str, name: &str, thing: &str, value: f64) {
    let percent = name.strip_suffix("-percent").or_else(|| name.strip_prefix("percent-"));
    let name = percent.map_or_else(|| name.to_owned(), |name| format!("%{name}"));
    let rate = |name: &str| format!("{name}/s");
    let (table, column) = match key {
        "cpu-load" | "cpu-load-all" => ("CPU", format!("%{name}")),
        "cpu-frequency" | "cpu-weighted-frequency" => {
            ("CPU", if name == "frequency" { "MHz".to_owned() } else { name })
        }
        "disk" if matches!(name.as_str(), "rd_sec" | "wr_sec" | "dc_sec" | "rkB" | "wkB" | "dkB") => {
            ("DEV", rate(&name))
        }
        "disk" => ("DEV", name),
        "io" => ("tps", name),
        "memory" => ("kbmemfree", name),
        "hugepages" => ("kbhugfree", name),
        "queue" => ("runq-sz", name),
        "process-and-context-switch" => ("proc/s", name),
        "paging" => ("pgpgin/s", name),
        "swap-pages" => ("pswpin/s", name),
        "interrupts" => ("INTR", name),
        "net-dev" | "net-edev" => ("IFACE", name),
        "net-tcp" | "net-etcp" => ("active/s", name),
        "filesystems" => ("FILESYSTEM", name),
        "temperature" | "fan-speed" | "voltage-input" => ("TEMP", name),
        "usb-devices" | "battery" => ("BUS", name),
        _ => match key.strip_prefix("psi-") {
            Some(which) => ("%psi", pressure(which, &name)),
            None => ("", name),
        },
    };
    sheet.put(table, &column, thing, Number::hundredths(value));
}

/// `%sio-10` of `psi-io` and `some_avg10`.
fn pressure(which: &str, name: &str) -> String {
    let (kind, window) = name.split_once("_avg").unwrap_or((name, ""));
    let kind = kind.get(..1).unwrap_or_default();
    let dash = if window.is_empty() { "" } else { "-" };
    format!("%{kind}{which}{dash}{window}")
}

/// What a column means: as in sar's text.
pub fn column(table: &str, column: &str) -> Column {
    sar::column(table, column)
}

/// Holds the figures of every report against each other.
pub fn audit(sheet: &Sheet) -> Vec<Contradiction> {
    let mut found = Contradictions::default();
    for (number, report) in sheet.reports.iter().enumerate() {
        for (device, row) in rows(sheet, report, "DEV") {
            sar::device_row(&mut found, device, number, &row);
        }
        for (processor, row) in rows(sheet, report, "CPU") {
            iostat::whole(&mut found, processor, number, &row);
        }
    }
    found.finish()
}

/// Makes series of a document.
///
/// # Errors
/// As [`read`], and when there is no number under a known column.
pub fn observe(bytes: &[u8]) -> Result<MachineTables, Refusal> {
    let sheet = read(bytes)?;
    assemble(TOOL, "", &sheet, bytes.len(), column)
}
