//! blkparse's text in its default form: `8,0  3  1  0.000000000  697  D  W 223490 + 8 [kjournald]`.
//!
//! Source: blkparse(1), "default format": device, processor, sequence, time, process, action, kind of I/O,
//! first sector, `+`, sectors.

use fathom_tools::Refusal;

use super::{Line, TRACE, TraceCollector, TraceSelection, moment};

const SECTOR_BYTES: u64 = 512;
/// Lines at the start that are looked at.
const LOOKED_AT: usize = 50;

/// Where an I/O is counted, the best first: after merging, which is what a volume sees.
pub const ACTIONS: [(&str, &str); 3] = [
    ("D", "I/Os were counted as they were issued to the driver, after merging."),
    ("Q", "The trace holds no issued I/Os; they were counted as they were queued, before merging."),
    ("C", "The trace holds completions alone; times are those of the ends."),
];

/// Whether a text begins like one.
pub fn recognise(start: &str) -> bool {
    start.lines().take(LOOKED_AT).any(|line| event(line).is_some())
}

/// One event: its action and its I/O.
pub fn event(line: &str) -> Option<(&str, Line<'_>)> {
    let mut words = line.split_ascii_whitespace();
    let device = words.next().filter(|device| {
        device
            .split_once(',')
            .is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok())
    })?;
    let (_cpu, _sequence) = (words.next()?.parse::<u32>().ok()?, words.next()?.parse::<u64>().ok()?);
    let at_ns = moment::seconds_ns(words.next()?)?;
    let (_pid, action, kind) = (words.next()?, words.next()?, words.next()?);
    let first: u64 = words.next()?.parse().ok()?;
    let sectors: u64 = words.next().filter(|plus| *plus == "+").and_then(|_| words.next()?.parse().ok())?;
    // A discard names bytes that it does not move.
    let write = match kind {
        kind if kind.contains('D') => return None,
        kind if kind.contains('W') => true,
        kind if kind.contains('R') => false,
        _ => return None,
    };
    let (offset, bytes) = (first.saturating_mul(SECTOR_BYTES), sectors.saturating_mul(SECTOR_BYTES));
    Some((action, Line { at_ns, host: "", device, offset, bytes, write }))
}

/// Takes the I/Os of a text.
pub fn read<'a>(
    text: &'a str,
    which: TraceSelection<'_>,
    into: &mut TraceCollector<'a>,
) -> Result<Option<String>, Refusal> {
    let has = |action: &str| text.lines().filter_map(event).any(|(of, line)| of == action && line.bytes > 0);
    let Some((action, words)) = ACTIONS.iter().find(|(action, _)| has(action)) else {
        return Err(Refusal::new(TRACE, "no issued, queued or completed I/O is in it"));
    };
    for (of, line) in text.lines().filter_map(event) {
        if of == *action {
            into.take(&line, which)?;
        }
    }
    Ok(Some((*words).to_owned()))
}
