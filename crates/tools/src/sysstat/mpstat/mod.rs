//! `mpstat` of sysstat: text and JSON, processors, interrupts, topology.

mod mpstat_columns;
mod mpstat_contradictions;
mod mpstat_json;

use mpstat_columns::column;
pub use mpstat_contradictions::audit;

use crate::Refusal;
use crate::foreign_series::{
    Grammar, MachineTables, Sheet, assemble, plain_text, read_stamped, stamp, without_colours,
};

/// The tool's name.
pub const TOOL: &str = "mpstat";

const GRAMMAR: Grammar = Grammar { keys: &["CPU", "NODE"], same_time_is_since_boot: true, remarks: &[] };

/// Whether a text looks like mpstat's.
pub fn recognise(start: &str) -> bool {
    if start.trim_start().starts_with('{') {
        return start.contains("\"sysstat\"")
            && start.contains("\"cpu-load\"")
            && !start.contains("\"file-date\"");
    }
    let start = without_colours(start);
    let mut rows = start.lines().filter_map(stamp).map(|(_, rest)| rest);
    rows.any(|rest| {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let place = |name: &str| words.iter().position(|word| *word == name);
        let times = match (place("%irq"), place("%steal")) {
            (Some(irq), Some(steal)) => irq < steal,
            (irq, _) => irq.is_some() && place("%soft").is_some(),
        };
        let interrupts = words.get(1) == Some(&"intr/s");
        matches!(words.first(), Some(&"CPU" | &"NODE")) && (times || interrupts)
    })
}

/// Reads a text into the tool's own words.
///
/// # Errors
/// When it is binary or has no table.
pub fn read(bytes: &[u8]) -> Result<Sheet, Refusal> {
    let text = plain_text(bytes, TOOL)?;
    let text = without_colours(&text);
    if text.trim_start().starts_with('{') {
        return mpstat_json::read(&text);
    }
    let sheet = read_stamped(&text, GRAMMAR);
    if sheet.columns.is_empty() {
        return Err(Refusal::new(TOOL, "no line names columns behind a time"));
    }
    Ok(sheet)
}

/// Makes series of a text.
///
/// # Errors
/// As [`read`], and when there is no number under a known column.
pub fn observe(bytes: &[u8]) -> Result<MachineTables, Refusal> {
    let sheet = read(bytes)?;
    assemble(TOOL, "", &sheet, bytes.len(), column)
}
