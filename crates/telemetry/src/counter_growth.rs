//! Growth of kernel counters, which may wrap at 32 bits or start anew.

/// Growth from `before` to `now`; absent when the counter was reset.
///
/// Several counters are 32 bits wide in the kernel (the times in diskstats on every machine). A
/// step back from below 2^32 is taken for a wrap if the growth that it implies is under half the
/// range, which no counter covers in the seconds between two samples, and for a reset otherwise.
pub(crate) fn growth(before: u64, now: u64) -> Option<u64> {
    const RANGE: u64 = 1 << 32;
    if now >= before {
        return Some(now - before);
    }
    let wrapped = (now + RANGE).checked_sub(before)?;
    (before < RANGE && wrapped < RANGE / 2).then_some(wrapped)
}

/// Growth per second over `elapsed_ns`; absent for a baseline or after a reset.
pub(crate) fn per_second(before: u64, now: u64, elapsed_ns: u64) -> Option<f64> {
    if elapsed_ns == 0 {
        return None;
    }
    Some(growth(before, now)? as f64 * 1e9 / elapsed_ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn resets_and_wraps_are_told_apart() {
        assert_eq!(growth(5, 5), Some(0));
        assert_eq!(growth(4_294_967_000, 500), Some(796));
        assert_eq!(growth(5_000, 100), None, "a wrap would mean 2^32 - 4900");
        assert_eq!(growth(1 << 40, 100), None, "a 64-bit counter does not wrap");
        assert_eq!(growth(u64::MAX, 0), None);
        assert_eq!(per_second(10, 30, 2_000_000_000), Some(10.0));
        assert_eq!(per_second(10, 30, 0), None);
    }

    proptest! {
        #[test]
        fn a_32_bit_counter_shows_its_true_growth(start in any::<u32>(), grown in 0u32..1 << 31) {
            let before = u64::from(start);
            let now = u64::from(start.wrapping_add(grown));
            prop_assert_eq!(growth(before, now), Some(u64::from(grown)));
        }

        #[test]
        fn any_two_readings_can_be_compared(before in any::<u64>(), now in any::<u64>()) {
            prop_assert!(growth(before, now).is_none_or(|g| g == now.wrapping_sub(before) || g < 1 << 31));
        }
    }
}
