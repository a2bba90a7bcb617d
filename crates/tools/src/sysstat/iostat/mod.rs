//! `iostat` of sysstat: text of all versions and of cut-out columns, and JSON.

mod cut_columns;
mod iostat_columns;
mod iostat_contradictions;
pub(crate) mod iostat_json;
mod iostat_text_reports;

use iostat_columns::{column, era};
pub use iostat_contradictions::audit;
pub(crate) use iostat_contradictions::whole;

use crate::Refusal;
use crate::foreign_series::{MachineTables, Sheet, assemble, plain_text, without_colours};

/// The tool's name.
pub const TOOL: &str = "iostat";

/// Whether a text looks like iostat's: its start is enough.
pub fn recognise(start: &str) -> bool {
    let header = |line: &str| {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let device = matches!(first, "Device" | "Device:") || line.trim_end().ends_with(" Device");
        // A table of somebody's own may have devices and rates too, between bars.
        first == "avg-cpu:" || device && !line.contains('|') && (line.contains("/s") || line.contains("tps"))
    };
    // SPDK's iostat.py prints a table like this one, of block devices of its own.
    if start.lines().any(|line| line.starts_with("cpu_stat:")) {
        return false;
    }
    let json =
        start.contains("\"sysstat\"") && (start.contains("\"avg-cpu\"") || start.contains("\"disk_device\""));
    json || start.lines().any(header)
        || start.lines().next().is_some_and(|line| cut_columns::header(line).is_some())
}

/// Reads a text into the tool's own words.
///
/// # Errors
/// When it is binary, is no iostat output, or its columns have lost their header.
pub fn read(bytes: &[u8]) -> Result<Sheet, Refusal> {
    let text = plain_text(bytes, TOOL)?;
    let text = without_colours(&text);
    if text.trim_start().starts_with('{') {
        return iostat_json::read(&text);
    }
    match text.lines().next().and_then(cut_columns::header) {
        Some(header) => cut_columns::read(&text, &header),
        None => iostat_text_reports::read(&text),
    }
}

/// Makes series of a text.
///
/// # Errors
/// As [`read`], and when there is no number under a known column.
pub fn observe(bytes: &[u8]) -> Result<MachineTables, Refusal> {
    let sheet = read(bytes)?;
    assemble(TOOL, era(&sheet), &sheet, bytes.len(), column)
}
