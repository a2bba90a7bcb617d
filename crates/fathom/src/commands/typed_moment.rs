//! Times as they are typed: a date, a time, or how long ago.

use fathom_measure::Nanos;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::failure::Failure;

/// A time as RFC 3339 has it, a date (its start, UTC), or how long ago; in seconds since 1970.
///
/// # Errors
/// When it is none of them.
pub fn moment(flag: &str, text: &str, now_unix_s: i64) -> Result<i64, Failure> {
    moment_in(TimeZone::UTC, flag, text, now_unix_s)
}

/// The same where a date is the start of a day in this zone.
fn moment_in(zone: TimeZone, flag: &str, text: &str, now_unix_s: i64) -> Result<i64, Failure> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at.as_second());
    }
    if let Some(at) = text.parse::<Date>().ok().and_then(|date| date.to_zoned(zone).ok()) {
        return Ok(at.timestamp().as_second());
    }
    let ago = text.parse::<Nanos>().ok().map(|time| time.as_seconds().round() as i64);
    ago.map(|ago| now_unix_s - ago).ok_or_else(|| {
        Failure::usage(
            flag,
            format!("{text:?} is not a valid time"),
            "type it as 2026-11-01 or 2026-11-01T00:00:00Z, or how long ago, e.g. 7d or 2h",
        )
    })
}

/// What `--since` says, as records have times; `now` is a time of theirs.
///
/// # Errors
/// When it is no time.
pub fn since(text: &str, now: &str) -> Result<String, Failure> {
    // A record's fractions of a second sort before a `Z`.
    instant("--since", text, now).map(|at| at.trim_end_matches('Z').to_owned())
}

/// What was typed behind a flag as RFC 3339, UTC; a date is the start of a day here. `now` is a time of records.
///
/// # Errors
/// When it is no time.
pub fn instant(flag: &str, text: &str, now: &str) -> Result<String, Failure> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at.to_string());
    }
    let now = now.parse::<Timestamp>().map_or(0, Timestamp::as_second);
    // Lists show local time.
    let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
    let at = Timestamp::from_second(moment_in(zone, flag, text, now)?);
    at.map(|at| at.to_string())
        .map_err(|error| Failure::usage(flag, error.to_string(), "type a later time").with_source(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_people_write_them() {
        let read = |text: &str| moment("--since", text, 1_800_000_000).ok();
        assert_eq!(read("2026-11-20"), Some(1_795_132_800));
        assert_eq!(read("2026-11-20T00:00:01Z"), Some(1_795_132_801));
        assert_eq!(read("2h"), Some(1_800_000_000 - 7200));
        assert_eq!(read("yesterday"), None);
    }
}
