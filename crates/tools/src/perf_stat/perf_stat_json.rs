//! JSON: `perf stat -j` prints one object a line.

use super::perf_event::{Event, EventCount, PerfStat};
use crate::Refusal;
use crate::foreign_series::{Tree, parse_json};

/// Whether a text looks like such lines.
pub fn recognise(start: &str) -> bool {
    let mut lines = start.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| line.starts_with('{') && line.contains("\"counter-value\""))
}

/// Reads a text.
///
/// # Errors
/// When a line is no JSON object.
pub fn read(text: &str) -> Result<PerfStat, Refusal> {
    let mut measured = PerfStat::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let tree =
            parse_json(line, "perf stat").map_err(|refusal| refusal.at(format!("line {}", number + 1)))?;
        let text = |key: &str| tree.get(key).and_then(Tree::text).unwrap_or_default();
        // Lines of metrics alone continue the event before them.
        let Some(value) = tree.get("counter-value") else { continue };
        let value = match value {
            Tree::Text(text) => text.to_string(),
            Tree::Number(number) => number.to_string(),
            _ => continue,
        };
        let counted = EventCount::absent(&value).or_else(|| {
            value.trim().parse().ok().filter(|value: &f64| value.is_finite()).map(EventCount::Number)
        });
        let Some(counted) = counted else { continue };
        let of = |key: &str| tree.get(key).and_then(Tree::number);
        measured.events.push(Event {
            name: text("event").to_owned(),
            counted,
            unit: text("unit").to_owned(),
            cpu: text("cpu").trim_start_matches("CPU").to_owned(),
            at_s: of("interval"),
            running_share: of("pcnt-running").map(|percent| percent / 100.0),
        });
    }
    measured.note_scaled();
    Ok(measured)
}
