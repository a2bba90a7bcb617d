//! Moments as tools write them: times of the day with or without a date, in a zone or in none.

/// A date. `06/01/20` is June 1st where the locale says month first, and January 6th where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// Days from 1970 to it if the month stands first (or the date is ISO); absent if that is no date.
    pub month_first: Option<i32>,
    /// The same if the day stands first.
    pub day_first: Option<i32>,
}

/// A moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its day; absent where only the time of the day is written.
    pub day: Option<Day>,
    /// Milliseconds since midnight.
    pub ms: u32,
    /// Seconds that its zone is before UTC; absent for a local time of an unknown zone.
    pub zone_s: Option<i32>,
}

impl Day {
    /// The day where only one reading makes sense.
    pub fn certain(self) -> Option<i32> {
        match (self.month_first, self.day_first) {
            (Some(day), None) | (None, Some(day)) => Some(day),
            (Some(a), Some(b)) if a == b => Some(a),
            _ => None,
        }
    }

    /// Days from `self` to `later`: of the two readings the one that puts them closer together.
    pub fn until(self, later: Self) -> Option<i32> {
        let gap = |a: Option<i32>, b: Option<i32>| Some(b?.checked_sub(a?)?).filter(|days| *days >= 0);
        let (month, day) = (gap(self.month_first, later.month_first), gap(self.day_first, later.day_first));
        month.into_iter().chain(day).min()
    }
}

impl Stamp {
    /// Seconds from 1970, where date and zone are certain.
    pub fn utc_s(&self) -> Option<i64> {
        let day = i64::from(self.day?.certain()?);
        Some(day * 86_400 + i64::from(self.ms / 1000) - i64::from(self.zone_s?))
    }

    /// Milliseconds from `self` to `later`. Without dates a time that is more than half a day earlier is
    /// the next day's; one that is less than that earlier is a clock that was set back.
    pub fn until_ms(&self, later: &Self) -> i64 {
        let clock = i64::from(later.ms) - i64::from(self.ms);
        let days = match (self.day, later.day) {
            (Some(a), Some(b)) => a.until(b),
            _ => None,
        };
        match days {
            Some(days) => clock + i64::from(days) * 86_400_000,
            None if clock < -43_200_000 => clock + 86_400_000,
            None => clock,
        }
    }
}

/// Follows a text's stamps from its first on.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    last: Stamp,
    at_ms: i64,
}

impl Timeline {
    /// A line that begins at `zero` and has come to `first`.
    pub fn new(zero: Stamp, first: Stamp) -> Self {
        Self { last: first, at_ms: zero.until_ms(&first) }
    }

    /// Goes on to a stamp; nanoseconds after the zero, or as far as they go: 292 years.
    pub fn advance(&mut self, stamp: Stamp) -> i64 {
        self.at_ms = self.at_ms.saturating_add(self.last.until_ms(&stamp));
        self.last = stamp;
        self.at_ms.saturating_mul(1_000_000)
    }
}

/// Reads a stamp at the start of a text: `12:53:20`, `07:50:06 AM`, `06/01/20 12:53:20`,
/// `2026-11-20T22:28:24+0000`, `06/25/20 02:16:33`. Gives it with what follows.
pub fn stamp(text: &str) -> Option<(Stamp, &str)> {
    let text = text.trim_start();
    let (first, rest) = split_word(text);
    if let Some((date, time)) = first.split_once('T')
        && let Some(day) = day(date)
    {
        let (ms, zone_s) = time_with_zone(time)?;
        return Some((Stamp { day: Some(day), ms, zone_s }, rest));
    }
    if let Some(day) = day(first) {
        let (word, rest) = split_word(rest.trim_start());
        let (ms, zone_s) = time_with_zone(word)?;
        let (ms, rest) = with_half_of_day(ms, rest)?;
        return Some((Stamp { day: Some(day), ms, zone_s }, rest));
    }
    let (ms, zone_s) = time_with_zone(first)?;
    let (ms, rest) = with_half_of_day(ms, rest)?;
    Some((Stamp { day: None, ms, zone_s }, rest))
}

fn split_word(text: &str) -> (&str, &str) {
    text.find(char::is_whitespace).map_or((text, ""), |at| text.split_at(at))
}

/// `AM` or `PM` behind a time of a 12-hour clock.
fn with_half_of_day(ms: u32, rest: &str) -> Option<(u32, &str)> {
    let (word, after) = split_word(rest.trim_start());
    let half = match word {
        "AM" | "am" => 0,
        "PM" | "pm" => 12,
        _ => return Some((ms, rest)),
    };
    let hour = ms / 3_600_000;
    if !(1..=12).contains(&hour) {
        return None;
    }
    Some((ms % 3_600_000 + (hour % 12 + half) * 3_600_000, after))
}

/// `12:53:20`, with a fraction, with `Z` or `+0200` behind it: milliseconds and the zone.
fn time_with_zone(word: &str) -> Option<(u32, Option<i32>)> {
    let bytes = word.as_bytes();
    if bytes.get(2) != Some(&b':') || bytes.get(5) != Some(&b':') || !word.is_ascii() {
        return None;
    }
    let (clock, tail) = word.split_at_checked(8)?;
    let mut parts = clock.split(':').map(digits);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction, zone) = match tail.strip_prefix(['.', ',']) {
        Some(tail) => tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len())),
        None => ("", tail),
    };
    let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
    let ms = ((hour * 60 + minute) * 60 + second) * 1000 + digits(&thousandths)?;
    Some((ms, zone_s(zone)?))
}

/// Nothing, `Z`, `+0200` or `+02:00`.
fn zone_s(text: &str) -> Option<Option<i32>> {
    if text.is_empty() {
        return Some(None);
    }
    if text == "Z" {
        return Some(Some(0));
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(text.get(1..3)?)? as i32;
    let minutes = digits(text[3..].trim_start_matches(':'))? as i32;
    (hours <= 15 && minutes < 60).then_some(Some(sign * (hours * 60 + minutes) * 60))
}

fn digits(text: &str) -> Option<u32> {
    let all = !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit());
    if all { text.parse().ok() } else { None }
}

/// `2020-06-01`, `06/01/20`, `06/01/2020`, `01.06.2020`.
pub(super) fn day(text: &str) -> Option<Day> {
    let separator = ['-', '/', '.'].into_iter().find(|separator| text.contains(*separator))?;
    let mut parts = text.split(separator).map(digits);
    let (a, b, c) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() {
        return None;
    }
    let day = if a > 31 {
        Day { month_first: days(a, b, c), day_first: None }
    } else {
        let year = if c < 100 { 2000 + c } else { c };
        let day_first = days(year, b, a);
        // A point between the parts is written where the day stands first.
        Day { month_first: if separator == '.' { None } else { days(year, a, b) }, day_first }
    };
    (day.month_first.is_some() || day.day_first.is_some()).then_some(day)
}

/// Days from 1970 to a date of the Gregorian calendar, by the algorithm `days_from_civil` of Howard
/// Hinnant (2013); absent for what is no date.
fn days(year: u32, month: u32, day: u32) -> Option<i32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1970..=9999).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    let (year, month, day) = (year as i32, month as i32, day as i32);
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Stamp {
        stamp(text).unwrap_or_else(|| panic!("{text}")).0
    }

    #[test]
    fn moments_are_read_as_tools_write_them() {
        assert_eq!(read("07:50:06 AM CPU").ms, ((7 * 60 + 50) * 60 + 6) * 1000);
        assert_eq!(read("12:00:01 AM").ms, 1000);
        assert_eq!(read("12:00:01 PM").ms, 43_201_000);
        assert_eq!(stamp("12:53:20   CPU").unwrap().1, "   CPU");
        // 20 November 2026 is day 20777: `date -d 2026-11-20 +%s` / 86400.
        let iso = read("2026-11-20T22:28:24+0200");
        assert_eq!((iso.day.unwrap().certain(), iso.zone_s), (Some(20_777), Some(7200)));
        assert_eq!(iso.utc_s(), Some(20_777 * 86_400 + 20 * 3600 + 28 * 60 + 24));
        assert_eq!(read("11/20/26 22:28:20").day.unwrap().certain(), Some(20_777));
        assert_eq!(read("20.11.2026 22:28:20").day.unwrap().certain(), Some(20_777));
        assert_eq!(read("11/20/26 22:28:20").utc_s(), None, "no zone");
        assert_eq!(read("06/01/20 12:53:20").day.unwrap().certain(), None, "either order");
        for text in ["", "1:2:3", "25:00:00", "13:00:00 PM", "00:00:00 AM", "2026-13-01T00:00:00", "avg-cpu:"]
        {
            assert_eq!(stamp(text), None, "{text}");
        }
    }

    #[test]
    fn time_goes_on_over_midnight_and_over_either_order_of_a_date() {
        assert_eq!(read("23:59:59").until_ms(&read("00:00:04")), 5000);
        let gap = |a: &str, b: &str| read(a).until_ms(&read(b));
        assert_eq!(gap("06/01/20 23:59:59", "06/02/20 00:00:00"), 1000);
        assert_eq!(gap("01/06/20 23:59:59", "02/06/20 00:00:00"), 1000);
        assert_eq!(gap("06/01/20 10:00:00", "06/01/20 10:00:05"), 5000);
        assert_eq!(gap("12/31/20 10:00:00", "01/02/21 10:00:00"), 2 * 86_400_000);
        let (early, late) = (read("1970-01-01T00:00:00+0000"), read("2970-01-01T00:00:00+0000"));
        assert_eq!(Timeline::new(early, early).advance(late), i64::MAX, "more than nanoseconds can say");
    }
}
