//! Moments for people: records have them in UTC, a terminal shows them in the reader's own zone, and a page that is sent
//! on in UTC.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Whose time a moment is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zone {
    /// Everybody's.
    #[default]
    Utc,
    /// That of this system (`TZ`, then its own setting); UTC where it has none.
    Local,
}

impl Zone {
    /// A moment as records have it, to the second. What is no such moment stays as it is.
    pub fn second(self, rfc3339: &str) -> String {
        self.written(rfc3339, "%Y-%m-%d %H:%M:%S %Z")
    }

    /// The same to the minute.
    pub fn minute(self, rfc3339: &str) -> String {
        self.written(rfc3339, "%Y-%m-%d %H:%M %Z")
    }

    fn written(self, rfc3339: &str, form: &str) -> String {
        let zone = match self {
            Self::Utc => TimeZone::UTC,
            Self::Local => TimeZone::try_system().unwrap_or(TimeZone::UTC),
        };
        // The store's own have no zone, being in UTC all of them.
        let of_store = || rfc3339.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
        let at = rfc3339.parse::<Timestamp>().ok().or_else(|| Some(of_store()?.timestamp()));
        at.map_or_else(|| rfc3339.to_owned(), |at| at.to_zoned(zone).strftime(form).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_for_people_and_have_their_zone() {
        assert_eq!(Zone::Utc.second("2026-11-20T16:15:00.123Z"), "2026-11-20 16:15:00 UTC");
        assert_eq!(Zone::Utc.minute("2026-11-20T16:15:59Z"), "2026-11-20 16:15 UTC");
        assert_eq!(Zone::Utc.minute("2026-11-21T02:10:33.5"), "2026-11-21 02:10 UTC");
        assert_eq!(Zone::Utc.second("yesterday"), "yesterday");
        let local = Zone::Local.minute("2026-11-20T16:15:59Z");
        assert!(local.starts_with("2026-11-2") && local.len() > 17, "{local}");
    }
}
