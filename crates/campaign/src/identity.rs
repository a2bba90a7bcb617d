//! Names of runs and campaigns, and calendar time.

use jiff::{Timestamp, Unit};

/// The calendar time now, RFC 3339, UTC, to the millisecond.
pub fn now() -> String {
    let now = Timestamp::now();
    now.round(Unit::Millisecond).unwrap_or(now).to_string()
}

/// A name that sorts by time and differs from any made elsewhere: a prefix, the time, and six digits of
/// `entropy`.
pub fn new_id(prefix: &str, entropy: u64) -> String {
    let time = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    // The golden-ratio multiplier spreads nearby values, such as clock readings, over all digits.
    let mixed = entropy.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    format!("{prefix}-{time}-{mixed:06x}")
}

/// A number that differs for different names (FNV-1a, 64 bits).
pub fn tag_of(id: &str) -> u64 {
    id.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_time_and_differ() {
        let (first, second) = (new_id("r", 1), new_id("r", 2));
        assert!(first.starts_with("r-2") && first.len() == "r-20261120-155300-7f3a9c".len());
        assert_ne!(first, second);
        assert!(now().ends_with('Z'));
    }
}
