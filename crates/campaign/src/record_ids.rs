//! Names of runs and campaigns, and calendar time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{Timestamp, Unit};

/// The calendar time now, RFC 3339, UTC, to the millisecond.
pub fn now() -> String {
    let now = Timestamp::now();
    now.round(Unit::Millisecond).unwrap_or(now).to_string()
}

/// A name that sorts by time, to the millisecond, and differs from any made elsewhere: a prefix, the
/// time, and four digits that count up from a start of the process's own.
pub fn new_id(prefix: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    static START: OnceLock<u64> = OnceLock::new();
    let now = Timestamp::now();
    let start = *START.get_or_init(|| {
        let entropy = now.subsec_nanosecond() as u64 ^ u64::from(std::process::id()) << 32;
        // The golden-ratio multiplier spreads nearby values over all digits.
        entropy.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48
    });
    let digits = start.wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed)) & 0xffff;
    format!("{prefix}-{}-{digits:04x}", now.strftime("%Y%m%d-%H%M%S%3f"))
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
        let ids: std::collections::BTreeSet<String> = (0..1000).map(|_| new_id("r")).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.starts_with("r-2") && id.len() == "r-20261120-155300123-7f3a".len()));
        assert!(now().ends_with('Z'));
    }
}
