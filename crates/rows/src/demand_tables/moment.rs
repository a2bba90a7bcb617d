//! Times of a table's cells, in nanoseconds since 1970: numbers, and dates in the form that most tools write.

use super::cell_numbers::{leading, number};
use crate::interval_table::counted_ns;
use crate::time_ns;

const SECOND_NS: i64 = 1_000_000_000;
/// A date and a time without a zone.
const DATE_BYTES: usize = 19;

/// A cell's time: seconds or milliseconds since 1970, or a date and a time; without a zone it is UTC.
pub fn moment_ns(cell: &[u8]) -> Option<i64> {
    match number(cell) {
        Some(value) => counted_ns(value),
        None => plain(cell).or_else(|| time_ns(std::str::from_utf8(cell).ok()?.trim())),
    }
}

/// The time that a text begins with, up to a comma, in one of the usual forms, and its length.
pub fn leading_moment(text: &[u8]) -> Option<(i64, usize)> {
    let (value, length) = leading(text)?;
    if text.get(length) == Some(&b',') {
        return Some((counted_ns(value)?, length));
    }
    let length = [DATE_BYTES, DATE_BYTES + 1].into_iter().find(|length| text.get(*length) == Some(&b','))?;
    Some((plain(&text[..length])?, length))
}

/// `2026-11-01 00:00:00`, with a `T` instead of the space, and with a `Z` at its end or without.
fn plain(cell: &[u8]) -> Option<i64> {
    let cell = cell.strip_suffix(b"Z").unwrap_or(cell);
    let shaped = cell.len() == DATE_BYTES
        && [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')].iter().all(|(at, byte)| cell[*at] == *byte)
        && matches!(cell[10], b' ' | b'T');
    if !shaped {
        return None;
    }
    let part = |from: usize, to: usize| {
        cell[from..to]
            .iter()
            .try_fold(0i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    let in_range =
        (1..=12).contains(&month) && (1..=28).contains(&day) && hour < 24 && minute < 60 && second < 60;
    // The last days of months are left to the calendar, which knows how long each is.
    in_range.then(|| (days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second) * SECOND_NS)
}

/// Days since 1970 (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for text in [
            "2026-11-01T00:00:00Z",
            "2026-11-01 07:08:09",
            "2024-02-28T23:59:59",
            "2024-02-29 12:00:00",
            "2000-03-01T00:00:00Z",
            "1999-12-31T23:59:59Z",
            "1970-01-01 00:00:00",
            "2026-11-01T00:00:00.5Z",
            "2026-11-01T02:00:00+02:00",
        ] {
            assert_eq!(moment_ns(text.as_bytes()), time_ns(text), "{text}");
        }
        assert_eq!(moment_ns(b"1700000000"), Some(1_700_000_000 * SECOND_NS));
        assert_eq!(moment_ns(b"1700000000123"), time_ns("1700000000123"));
        for text in ["", "yesterday", "2026-13-01 00:00:00", "2026-02-30 00:00:00"] {
            assert_eq!(moment_ns(text.as_bytes()), None, "{text}");
        }
    }
}
