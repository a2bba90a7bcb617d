//! What perf stat reports, in its own words.

/// One count of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name, as `cycles:u`.
    pub name: String,
    /// What was counted.
    pub counted: EventCount,
    /// Unit of the count, as `msec`; empty for events.
    pub unit: String,
    /// Which processor, e.g. `0`; empty for all together.
    pub cpu: String,
    /// End of its interval after the start, in seconds; absent without intervals.
    pub at_s: Option<f64>,
    /// Share of the time in which a counter was free for it, 0 to 1; absent where it is not stated.
    pub running_share: Option<f64>,
}

/// The count, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventCount {
    /// Counted, and scaled to the whole time where a counter was free for a part of it.
    Number(f64),
    /// `<not supported>`
    NotSupported,
    /// `<not counted>`
    NotCounted,
}

/// A whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerfStat {
    /// What was counted, as perf names it: a command, `system wide`.
    pub subject: String,
    /// Events in the order of the text.
    pub events: Vec<Event>,
    /// Time elapsed; absent with intervals and where the text was cut.
    pub elapsed_s: Option<f64>,
    /// What to tell of the reading.
    pub notes: Vec<String>,
}

/// Share of the time below which a count is scaled up so far that it is named.
const SCALED_BELOW: f64 = 0.999;

impl PerfStat {
    /// Names the events that were scaled up from a part of the time.
    pub fn note_scaled(&mut self) {
        let scaled =
            self.events.iter().filter(|event| event.running_share.is_some_and(|share| share < SCALED_BELOW));
        let mut least: f64 = 1.0;
        let mut count = 0;
        for event in scaled {
            count += 1;
            least = least.min(event.running_share.unwrap_or(1.0));
        }
        if count > 0 {
            self.notes.push(format!(
                "{count} counts are scaled up from a part of the time (at least {:.0} % of it): more events than counters",
                least * 100.0
            ));
        }
    }
}

impl EventCount {
    /// Reads `<not supported>`, `<not counted>`.
    pub fn absent(text: &str) -> Option<Self> {
        match text.trim() {
            "<not supported>" => Some(Self::NotSupported),
            "<not counted>" => Some(Self::NotCounted),
            _ => None,
        }
    }
}

/// Reads a count with separators of thousands: `3,647,161`, `30,458.69`, `30.458,69`, `4713.879241`.
///
/// A separator that stands once with other than three digits behind it is the decimal point, as is the
/// last of two different ones; every other one groups thousands, as perf prints whole counts.
pub fn count(word: &str) -> Option<f64> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let separators: Vec<(usize, char)> =
        word.char_indices().filter(|(_, c)| matches!(c, ',' | '.')).collect();
    if word.len() > 40 || !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let point = match separators.as_slice() {
        [] => None,
        [(at, _)] => (word.len() - at - 1 != 3).then_some(*at),
        [.., (_, before), (at, last)] => (before != last).then_some(*at),
    };
    let (whole, fraction) = match point {
        Some(at) => (&word[..at], Some(&word[at + 1..])),
        None => (word, None),
    };
    let mut groups = whole.split([',', '.']);
    let first = groups.next()?;
    let grouped = groups.clone().next().is_some();
    if !digits(first)
        || (grouped && first.len() > 3)
        || groups.any(|group| group.len() != 3 || !digits(group))
    {
        return None;
    }
    let mut plain: String = whole.chars().filter(char::is_ascii_digit).collect();
    if let Some(fraction) = fraction.filter(|fraction| !fraction.is_empty()) {
        if !digits(fraction) {
            return None;
        }
        plain.push('.');
        plain.push_str(fraction);
    }
    plain.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_any_locale() {
        let table = [
            ("3,647,161", 3_647_161.0),
            ("15.134.497.088", 15_134_497_088.0),
            ("1,131", 1131.0),
            ("30,458.69", 30_458.69),
            ("30.458,69", 30_458.69),
            ("4713.879241", 4_713.879_241),
            ("0.75", 0.75),
            ("211980211", 211_980_211.0),
            ("0", 0.0),
        ];
        for (word, value) in table {
            assert_eq!(count(word), Some(value), "{word}");
        }
        for word in ["", ",", "1,2,3", "1,23,456", "1.2.3", "x", "12a", "-1", "1,,000"] {
            assert_eq!(count(word), None, "{word}");
        }
    }
}
