//! Text: a count, a unit, an event, what perf computes of it behind `#`, and brackets with how it was
//! counted.

use super::perf_event::{Event, EventCount, PerfStat, count};

/// Units that stand between a count and its event.
const UNITS: [&str; 6] = ["msec", "ns", "Joules", "MiB", "C", "%"];

/// Reads a text; lines of the program that was counted fit nowhere and are left out.
pub fn read(text: &str) -> PerfStat {
    let mut measured = PerfStat::default();
    let mut intervals = false;
    let (mut tables, mut before_s, mut first) = (0, 0.0, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some((_, rest)) = line.split_once("Performance counter stats for") {
            tables += 1;
            first = measured.events.len();
            if tables == 1 {
                rest.trim().trim_end_matches(':').clone_into(&mut measured.subject);
            }
        } else if line.starts_with('#') && line.contains("counts") {
            intervals = true;
        } else if let Some(seconds) = elapsed(line) {
            before_s += seconds;
            measured.elapsed_s = Some(seconds);
            // Tables one after the other are intervals one after the other.
            measured.events[first..].iter_mut().for_each(|event| event.at_s = Some(before_s));
            first = measured.events.len();
        } else if (intervals || tables > 0)
            && let Some(event) = event(line, intervals)
        {
            measured.events.push(event);
        }
    }
    if tables > 1 {
        measured
            .notes
            .push(format!("{tables} tables follow one another; how long after each other is not stated"));
        measured.subject.clear();
    }
    measured.note_scaled();
    measured
}

/// `0.179009332 seconds time elapsed`, `0.10554 +- 0.00207 seconds time elapsed`.
fn elapsed(line: &str) -> Option<f64> {
    let (number, rest) = line.split_once(' ')?;
    rest.contains("seconds time elapsed").then(|| number.replace(',', ".").parse().ok())?
}

/// One line of a table.
fn event(line: &str, intervals: bool) -> Option<Event> {
    let (line, brackets) = split_brackets(line);
    let line = line.split('#').next()?.trim();
    let (at_s, line) = if intervals {
        let (at, rest) = line.split_once(char::is_whitespace)?;
        (Some(at.replace(',', ".").parse::<f64>().ok().filter(|at| at.is_finite())?), rest.trim_start())
    } else {
        (None, line)
    };
    let (cpu, line) = match line.strip_prefix("CPU") {
        Some(rest) => {
            let (cpu, rest) = rest.split_once(char::is_whitespace)?;
            (cpu.to_owned(), rest.trim_start())
        }
        None => (String::new(), line),
    };
    let (counted, rest) = match line.split_once('>') {
        Some((head, rest)) if head.starts_with('<') => (EventCount::absent(&format!("{head}>"))?, rest),
        _ => {
            let (word, rest) = line.split_once(char::is_whitespace)?;
            (EventCount::Number(count(word)?), rest)
        }
    };
    let mut words = rest.split_whitespace();
    let first = words.next()?;
    let (unit, name) = if UNITS.contains(&first) { (first, words.next()?) } else { ("", first) };
    // Old versions write the unit behind the event: `task-clock (msec)`.
    let (unit, extra) = match words.next() {
        Some("(msec)") => ("msec", words.next()),
        other => (unit, other),
    };
    let is_event = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') && extra.is_none();
    let (name, unit) = (name.to_owned(), unit.to_owned());
    is_event.then_some(Event { name, counted, unit, cpu, at_s, running_share: brackets })
}

/// Takes what is in brackets at the end of a line: `( +-  0.62% ) [83.36%]`, `(59.53%)`, `(scaled from
/// 66.58%)`, and gives the share of the time that they state.
fn split_brackets(line: &str) -> (&str, Option<f64>) {
    let mut share = None;
    let mut rest = line.trim_end();
    while let Some(open) = rest.rfind(['(', '[']).filter(|_| rest.ends_with([')', ']'])) {
        let inner = rest[open + 1..rest.len() - 1].trim();
        let percent = inner.strip_suffix('%').map(|text| text.trim_start_matches("scaled from").trim());
        let value = percent
            .filter(|text| !text.starts_with("+-"))
            .and_then(|text| text.replace(',', ".").parse::<f64>().ok());
        if value.is_none() && !inner.starts_with("+-") {
            break;
        }
        share = share.or(value.map(|value| value / 100.0));
        rest = rest[..open].trim_end();
    }
    (rest, share)
}
