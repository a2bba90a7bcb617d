//! CSV: `perf stat -x SEPARATOR`, with an interval's end and a processor before the count.

use super::perf_event::{Event, EventCount, PerfStat};

/// Separators that people choose.
const SEPARATORS: [char; 5] = [',', ';', '\t', ':', '|'];

/// The separator of a text that is such CSV.
pub fn separator(text: &str) -> Option<char> {
    let lines =
        || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).take(4);
    SEPARATORS
        .into_iter()
        .find(|separator| lines().next().is_some() && lines().all(|line| event(line, *separator).is_some()))
}

/// Reads a text.
pub fn read(text: &str, separator: char) -> PerfStat {
    let mut measured = PerfStat::default();
    let mut strange = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match event(line, separator) {
            Some(event) => measured.events.push(event),
            None => strange += 1,
        }
    }
    if strange > 0 {
        measured.notes.push(format!("{strange} lines have no count and event and were left out"));
    }
    measured.note_scaled();
    measured
}

/// `[time,][CPUn,]count,unit,event,[deviation%,]running ns,running %,...`
fn event(line: &str, separator: char) -> Option<Event> {
    let mut fields: Vec<&str> = line.split(separator).map(str::trim).collect();
    let is_count = |field: &str| EventCount::absent(field).is_some() || plain(field).is_some();
    let name_at = |fields: &[&str], at: usize| {
        fields.get(at).is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'))
    };
    let mut at_s = None;
    // With intervals the time stands before a count or a processor; a unit is never a count.
    let second = fields.get(1)?;
    if plain(fields[0]).is_some() && (is_count(second) || second.starts_with("CPU")) {
        at_s = plain(fields[0]);
        fields.remove(0);
    }
    let mut cpu = String::new();
    if let Some(number) = fields.first()?.strip_prefix("CPU") {
        number.clone_into(&mut cpu);
        fields.remove(0);
    }
    let counted = match EventCount::absent(fields.first()?) {
        Some(absent) => absent,
        None => EventCount::Number(plain(fields.first()?)?),
    };
    let unit = fields.get(1).filter(|unit| unit.len() <= 8 && plain(unit).is_none())?;
    if fields.len() < 5 || !name_at(&fields, 2) {
        return None;
    }
    // A deviation over repeated runs stands before the time that was counted in.
    let running_at = if fields[3].ends_with('%') { 5 } else { 4 };
    let running_share = fields.get(running_at).and_then(|field| plain(field)).map(|percent| percent / 100.0);
    let (name, unit) = (fields[2].to_owned(), (*unit).to_owned());
    Some(Event { name, counted, unit, cpu, at_s, running_share })
}

fn plain(text: &str) -> Option<f64> {
    let digits = text.starts_with(|c: char| c.is_ascii_digit()) && text.len() <= 40;
    text.parse().ok().filter(|value: &f64| digits && value.is_finite())
}
