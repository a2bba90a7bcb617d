//! Memory installed, available and swapped out.

use super::Facts;
use crate::memory::bytes;

/// Adds the facts, and gives the memory installed in bytes; 0 if it cannot be read.
pub(super) fn describe(facts: &mut Facts<'_>) -> u64 {
    const SOURCE: &str = "/proc/meminfo";
    let text = facts.root().text(SOURCE).unwrap_or_default();
    let memory = ("memory", "");
    let known = [("total_bytes", "MemTotal"), ("available_bytes", "MemAvailable"), ("dirty_bytes", "Dirty")];
    for (name, key) in known {
        if let Some(value) = bytes(&text, key) {
            facts.add(memory, name, value, SOURCE);
        }
    }
    if let Some((total, free)) = bytes(&text, "SwapTotal").zip(bytes(&text, "SwapFree")) {
        facts.add(memory, "swap_total_bytes", total, SOURCE);
        facts.add(memory, "swap_used_bytes", total.saturating_sub(free), SOURCE);
    }
    bytes(&text, "MemTotal").unwrap_or(0)
}
