//! One line of `trace_pipe`, from text to an event.
//!
//! `  job-0-4242    [001] .....  1234.567890: block_bio_queue: 254,0 R 2048 + 8 [job-0]`
//!
//! Formats: `include/trace/events/block.h` of the kernel. What a name or a bracket may hold is the
//! user's choice, so lines are cut at the event's name and read from there to both sides.

use fathom_record::Direction;

/// What happened to an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It arrived in the block layer.
    Queued,
    /// Its request was put into a list.
    Inserted,
    /// Its request was handed to the driver.
    Issued,
    /// Its request, or a part of it, ended.
    Ended,
    /// It ended without a request.
    EndedAlone,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub kind: Kind,
    /// When, in nanoseconds of the trace's clock; whole microseconds.
    pub at_ns: u64,
    /// Thread that ran when it happened: the submitter's only for [`Kind::Queued`].
    pub thread: u32,
    /// Device number as the kernel holds it.
    pub device: u32,
    /// What the I/O does; `None` for requests that are the block layer's own.
    pub direction: Option<Direction>,
    /// Whether it is metadata or read-ahead.
    pub aside: bool,
    /// First sector of 512 bytes.
    pub sector: u64,
    /// Sectors; 0 for a flush.
    pub sectors: u64,
}

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// An event.
    Event(Event),
    /// So many events were thrown away because the buffer was full.
    Lost(u64),
    /// Nothing that is asked for here: an empty line, another event, a heading.
    Other,
    /// An event of the block layer that cannot be read.
    Unreadable,
}

/// Reads one line.
pub fn parse(line: &str) -> Line {
    if let Some(lost) = lost(line) {
        return Line::Lost(lost);
    }
    for (name, kind) in [
        (": block_bio_queue: ", Kind::Queued),
        (": block_rq_insert: ", Kind::Inserted),
        (": block_rq_issue: ", Kind::Issued),
        (": block_rq_complete: ", Kind::Ended),
        (": block_bio_complete: ", Kind::EndedAlone),
    ] {
        if let Some((head, body)) = line.split_once(name) {
            return event(kind, head, body).map_or(Line::Unreadable, Line::Event);
        }
    }
    Line::Other
}

/// `CPU:3 [LOST 512 EVENTS]`; without a number where the kernel does not know it.
fn lost(line: &str) -> Option<u64> {
    let rest = line.trim_start().strip_prefix("CPU:")?;
    let (_, rest) = rest.split_once("[LOST ")?;
    Some(rest.split(' ').next()?.parse().unwrap_or(1))
}

fn event(kind: Kind, head: &str, body: &str) -> Option<Event> {
    let (before, stamp) = head.trim_end().rsplit_once(' ')?;
    let (task, _) = before.rsplit_once('[')?;
    let thread = task.trim_end().rsplit_once('-')?.1.parse().ok()?;
    let (place, length) = body.split_once('+')?;
    let sectors = length.split_ascii_whitespace().next()?.parse().ok()?;
    let mut words = place.split_ascii_whitespace();
    let device = device_number(words.next()?, ',')?;
    let flags = words.next()?;
    let sector = words.next_back()?.parse().ok()?;
    Some(Event {
        kind,
        at_ns: nanoseconds(stamp)?,
        thread,
        device,
        direction: direction(flags, sectors),
        aside: flags.contains(['A', 'M']),
        sector,
        sectors,
    })
}

/// Major and minor number, as the kernel holds both: twelve bits above twenty.
pub fn device_number(text: &str, between: char) -> Option<u32> {
    let (major, minor) = text.split_once(between)?;
    let (major, minor) = (major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?);
    (major < 1 << 12 && minor < 1 << 20).then_some(major << 20 | minor)
}

/// `1234.567890`, in seconds.
fn nanoseconds(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.')?;
    if fraction.len() != 6 {
        return None;
    }
    let seconds: u64 = seconds.parse().ok()?;
    seconds.checked_mul(1_000_000)?.checked_add(fraction.parse().ok()?)?.checked_mul(1000)
}

/// The letters that the kernel writes for what a request does: an `F` before the operation asks for
/// a flush first, one behind it for a write through the device's cache.
fn direction(flags: &str, sectors: u64) -> Option<Direction> {
    let operation = flags.strip_prefix('F').unwrap_or(flags);
    match operation.as_bytes().first()? {
        b'R' => Some(Direction::Read),
        b'D' | b'N' => Some(Direction::Trim),
        b'W' if operation.as_bytes().get(1) == Some(&b'Z') => Some(Direction::Trim),
        b'W' if sectors == 0 => Some(Direction::Flush),
        b'W' => Some(Direction::Write),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_of_a_kernel_are_read() {
        let queued =
            "           job-0-4242    [001] .....  1234.567890: block_bio_queue: 254,0 R 2048 + 8 [job-0]";
        let expected = Event {
            kind: Kind::Queued,
            at_ns: 1_234_567_890_000,
            thread: 4242,
            device: 254 << 20,
            direction: Some(Direction::Read),
            aside: false,
            sector: 2048,
            sectors: 8,
        };
        assert_eq!(parse(queued), Line::Event(expected));
        let issued =
            " a b-c [x]-7 [000] d..1. 0.000001: block_rq_issue: 7,1 WS 4096 () 99 + 8 none,0,0 [a b-c [x]]";
        let expected = Event {
            kind: Kind::Issued,
            at_ns: 1000,
            thread: 7,
            device: 7 << 20 | 1,
            direction: Some(Direction::Write),
            sector: 99,
            ..expected
        };
        assert_eq!(parse(issued), Line::Event(expected));
        let ended = "<idle>-0 [000] d.h1. 5.000002: block_rq_complete: 7,1 RAM () 99 + 16 none,0,0 [0]";
        let Line::Event(event) = parse(ended) else { panic!("an event") };
        assert_eq!((event.kind, event.sectors, event.aside), (Kind::Ended, 16, true));
        assert_eq!(parse("CPU:1 [LOST 512 EVENTS]"), Line::Lost(512));
        assert_eq!(parse("CPU:1 [LOST EVENTS]"), Line::Lost(1));
        assert_eq!(parse("# tracer: nop"), Line::Other);
        assert_eq!(parse("x-1 [0] . 1.000000: block_bio_queue: 254;0 R"), Line::Unreadable);
    }

    #[test]
    fn letters_say_what_a_request_does() {
        let read = |flags, sectors| direction(flags, sectors);
        assert_eq!(read("FWS", 0), Some(Direction::Flush));
        assert_eq!(read("FWFS", 8), Some(Direction::Write));
        assert_eq!(read("DE", 8), Some(Direction::Trim));
        assert_eq!(read("WZS", 8), Some(Direction::Trim));
        assert_eq!(read("FF", 0), None, "the block layer's own flush request");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(line in ".{0,200}", tail in "[-0-9A-Z,+ \\[\\]:.]{0,60}") {
            let _ = parse(&line);
            let _ = parse(&format!("{line}: block_rq_issue: {tail}"));
            let _ = parse(&format!("job-0-1 [000] ..... 1.000000: block_bio_queue: {tail}"));
            let _ = parse(&format!("CPU:0 [LOST {tail}"));
        }

        #[test]
        fn what_is_written_is_read_back(
            name in "[ -~]{1,15}", thread in 0u32..4_000_000, seconds in 0u64..1 << 33, micros in 0u64..1_000_000,
            major in 0u32..4096, minor in 0u32..1 << 20, sector: u64, sectors in 1u64..1 << 20,
        ) {
            prop_assume!(!name.contains(": block_") && !name.trim_start().starts_with("CPU:"));
            let line = format!("{name}-{thread} [003] d.h1. {seconds}.{micros:06}: block_rq_complete: \
                                {major},{minor} WS () {sector} + {sectors} none,0,0 [0]");
            let Line::Event(event) = parse(&line) else { return Err(TestCaseError::fail(line)) };
            prop_assert_eq!((event.thread, event.device), (thread, major << 20 | minor));
            prop_assert_eq!((event.sector, event.sectors), (sector, sectors));
            prop_assert_eq!(event.at_ns, (seconds * 1_000_000 + micros) * 1000);
        }
    }
}
