//! JSON, as `mpstat -o JSON` prints it.

use super::TOOL;
use crate::Refusal;
use crate::foreign_series::{Number, ReportKind, Sheet, Timeline, Tree, parse_json, stamp};
use crate::sysstat::iostat::iostat_json::{host_banner, one_host};

/// Reads a document.
///
/// # Errors
/// When it is no JSON of sysstat's, or of more than one host.
pub fn read(text: &str) -> Result<Sheet, Refusal> {
    let tree = parse_json(text, TOOL)?;
    let host = one_host(&tree, TOOL)?;
    let mut sheet = Sheet { banner: Some(host_banner(host)), ..Sheet::default() };
    let mut timeline: Option<Timeline> = None;
    for report in host.get("statistics").map(Tree::elements).unwrap_or_default() {
        let at_ns = report.get("timestamp").and_then(Tree::text).and_then(|text| {
            let at = stamp(text)?.0;
            let zero = sheet.zero.get_or_insert_with(|| (at, text.to_owned())).0;
            Some(timeline.get_or_insert_with(|| Timeline::new(zero, at)).advance(at))
        });
        sheet.begin(at_ns, ReportKind::Interval);
        for (table, rows) in report.entries() {
            for row in rows.elements() {
                put_row(&mut sheet, table, row);
            }
        }
    }
    Ok(sheet)
}

fn put_row(sheet: &mut Sheet, table: &str, row: &Tree) {
    let text = |key: &str| row.get(key).and_then(Tree::text);
    let Some(thing) = text("cpu").or_else(|| text("node")) else { return };
    // Some versions name the whole machine by the number that it has in them.
    let thing = if matches!(thing, "all" | "-1") { "" } else { thing };
    match table {
        "cpu-load" | "node-load" => {
            let table = if table == "cpu-load" { "CPU" } else { "NODE" };
            for (column, value) in row.entries() {
                if let Some(value) = value.number() {
                    let topology = matches!(column.as_ref(), "core" | "socket" | "node");
                    if !topology {
                        sheet.put(table, &format!("%{column}"), thing, Number::hundredths(value));
                    }
                }
            }
        }
        "sum-interrupts" => {
            if let Some(value) = row.get("intr").and_then(Tree::number) {
                sheet.put("CPU", "intr/s", thing, Number::hundredths(value));
            }
        }
        _ => {
            for interrupt in row.get("intr").map(Tree::elements).unwrap_or_default() {
                let name = interrupt.get("name").and_then(Tree::text);
                if let (Some(name), Some(value)) = (name, interrupt.get("value").and_then(Tree::number)) {
                    sheet.put("CPU", &format!("{name}/s"), thing, Number::hundredths(value));
                }
            }
        }
    }
}
