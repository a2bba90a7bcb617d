//! What the number of an error means on the system that fio ran on, which need not be this one.

/// Numbers that all systems share: those of Unix's seventh edition (ERANGE is the last).
const SHARED: std::ops::RangeInclusive<i64> = 1..=34;

/// Those of Windows' C library that other systems give other meanings (Microsoft, `errno.h`).
const WINDOWS: [(i64, &str); 6] = [
    (36, "Resource deadlock avoided"),
    (38, "Filename too long"),
    (39, "No locks available"),
    (40, "Function not implemented"),
    (41, "Directory not empty"),
    (42, "Illegal byte sequence"),
];

/// The meaning in brackets behind a blank; empty where the number does not say it.
pub fn meaning(number: i64, is_windows: bool) -> String {
    if is_windows && let Some((_, words)) = WINDOWS.iter().find(|(known, _)| *known == number) {
        return format!(" ({words})");
    }
    if !SHARED.contains(&number) {
        return String::new();
    }
    let words = std::io::Error::from_raw_os_error(i32::try_from(number).unwrap_or(0)).to_string();
    format!(" ({})", words.split(" (os error").next().unwrap_or(&words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_means_what_it_does_where_fio_ran() {
        assert_eq!(meaning(28, false), " (No space left on device)");
        assert_eq!(meaning(42, true), " (Illegal byte sequence)");
        assert_eq!(meaning(42, false), "", "ENOMSG here, EILSEQ there");
        assert_eq!(meaning(i64::MAX, true), "");
    }
}
