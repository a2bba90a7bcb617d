//! JSON, as `iostat -o JSON` prints it.

use super::TOOL;
use crate::Refusal;
use crate::foreign_series::{Banner, Number, ReportKind, Sheet, Timeline, Tree, parse_json, stamp};

/// Reads a document.
///
/// # Errors
/// When it is no JSON of sysstat's, or of more than one host.
pub fn read(text: &str) -> Result<Sheet, Refusal> {
    let tree = parse_json(text, TOOL)?;
    let host = one_host(&tree, TOOL)?;
    let mut sheet = Sheet { banner: Some(host_banner(host)), ..Sheet::default() };
    let mut timeline: Option<Timeline> = None;
    let statistics = host.get("statistics").map(Tree::elements).unwrap_or_default();
    for (number, report) in statistics.iter().enumerate() {
        let at_ns = report.get("timestamp").and_then(Tree::text).and_then(|text| {
            let at = stamp(text)?.0;
            let zero = sheet.zero.get_or_insert_with(|| (at, text.to_owned())).0;
            Some(timeline.get_or_insert_with(|| Timeline::new(zero, at)).advance(at))
        });
        let kind = if number == 0 { ReportKind::SinceBoot } else { ReportKind::Interval };
        sheet.begin(at_ns, kind);
        for (key, value) in report.entries() {
            match key.as_ref() {
                "timestamp" => {}
                "avg-cpu" => put(&mut sheet, "avg-cpu", "", value),
                "disk" => value.elements().iter().for_each(|device| {
                    let name = device.get("disk_device").and_then(Tree::text).unwrap_or_default();
                    put(&mut sheet, "disk", name.trim_start(), device);
                }),
                _ => sheet.notes.push(format!("`{key}` of a report is not known and was left out")),
            }
        }
    }
    sheet.notes.dedup();
    Ok(sheet)
}

fn put(sheet: &mut Sheet, table: &str, thing: &str, row: &Tree) {
    for (column, value) in row.entries() {
        if let Some(value) = value.number() {
            sheet.put(table, column, thing, Number::hundredths(value));
        }
    }
}

/// The host of a sysstat document.
///
/// # Errors
/// When there is none, or more than one.
pub fn one_host<'a>(tree: &'a Tree, tool: &'static str) -> Result<&'a Tree, Refusal> {
    let hosts = tree.get("sysstat").and_then(|sysstat| sysstat.get("hosts")).map(Tree::elements);
    match hosts.unwrap_or_default() {
        [host] => Ok(host),
        [] => Err(Refusal::new(tool, "no `sysstat.hosts` in the document")),
        more => Err(Refusal::new(tool, format!("{} hosts in one document", more.len()))
            .at("sysstat.hosts")
            .or("import a document of each host")),
    }
}

/// What a document says of its host.
pub fn host_banner(host: &Tree) -> Banner {
    let text = |key: &str| host.get(key).and_then(Tree::text).unwrap_or_default().to_owned();
    let date = if host.get("date").is_some() { text("date") } else { text("file-date") };
    Banner {
        system: text("sysname"),
        release: text("release"),
        host: text("nodename"),
        date,
        machine: text("machine"),
        processors: host.get("number-of-cpus").and_then(Tree::number).map(|number| number as u32),
    }
}
