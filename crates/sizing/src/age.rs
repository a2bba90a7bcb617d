//! How old prices are, by the day that they are of and the day on which they are asked for.

use crate::catalogue::Price;

/// Prices older than so many days are called old.
const OLD_DAYS: i64 = 365;

/// What is said of prices of which some are old, on a day as `2026-01-31`.
pub fn note<'a>(today: &str, prices: impl Iterator<Item = &'a Price>) -> Option<String> {
    let today = days(today)?;
    let oldest = prices.filter_map(|price| Some((days(&price.as_of)?, price))).min_by_key(|(day, _)| *day)?;
    let (day, price) = oldest;
    (today - day > OLD_DAYS).then(|| {
        format!(
            "Prices are old: those of {} in {} are of {}, {:.1} years ago. Compare with your bill, or give your own with --prices FILE.csv.",
            price.volume,
            price.region,
            price.as_of,
            (today - day) as f64 / 365.25
        )
    })
}

/// A date as days from a fixed one; absent for what is no date of year, month and day.
///
/// Days of the civil calendar as H. Hinnant counts them, "chrono-compatible low-level date algorithms" (2013).
fn days(date: &str) -> Option<i64> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1900..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // The year begins in March, so that the leap day is its last.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(365 * year + year / 4 - year / 100 + year / 400 + day_of_year)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Prices;

    #[test]
    fn prices_of_more_than_a_year_ago_are_called_old() {
        let text = "provider,region,type,component,price,as_of\n\
            own,here,gp3,capacity,0.08,2024-07-18\nown,here,gp3,iops,0.005,2025-12-01\nown,here,gp3,throughput,0.04,\n";
        let prices = Prices::read("own.csv", text).unwrap();
        let of = |today| note(today, prices.of("here", "gp3"));
        assert_eq!((of("2025-07-18"), of("whenever")), (None, None));
        let old = of("2026-07-18").unwrap();
        assert!(old.contains("2024-07-18, 2.0 years ago"), "{old}");
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let apart = |from, to| days(to).unwrap() - days(from).unwrap();
        assert_eq!((apart("2024-02-28", "2024-03-01"), apart("2023-02-28", "2023-03-01")), (2, 1));
        assert_eq!((apart("2000-01-01", "2001-01-01"), apart("1999-12-31", "2000-01-01")), (366, 1));
        assert_eq!((days("undated"), days("2025-10"), days("2025-13-01")), (None, None, None));
    }
}
