//! Token bucket in exact integers: from a rate, a size and a balance to when an I/O may start.
//!
//! Tokens are counted in billionths, so that a rate in tokens per second earns a whole number of
//! billionths in each nanosecond: nothing is ever rounded, and a bucket is exact after any time.
//!
//! `limit.rs` puts two behind each limit, one for the sustained rate and one that paces what is spent; rates, sizes and
//! balances of gp2, st1 and instances, with their sources, are in `preset.rs`.

/// Billionths of a token.
pub const TOKEN: u128 = 1_000_000_000;

/// Keeps sums of balances and earnings far from the ends of `i128`.
const LARGEST: u128 = 1 << 120;

/// A bucket that earns at a steady rate and holds a limited balance.
#[derive(Clone, Debug)]
pub struct Bucket {
    per_s: u64,
    size: i128,
    balance: i128,
    at_ns: u64,
}

impl Bucket {
    /// A bucket of `size` tokens that starts with `balance` of them and earns `per_s` a second.
    ///
    /// # Panics
    /// If `per_s` is 0: nothing would ever pass.
    pub fn new(per_s: u64, size: u64, balance: u64) -> Self {
        assert!(per_s > 0, "a bucket earns something");
        let tokens = |count: u64| i128::from(count) * TOKEN as i128;
        Self { per_s, size: tokens(size), balance: tokens(balance.min(size)), at_ns: 0 }
    }

    /// Balance at a time, in billionths. What is earned in the nanosecond in which the bucket runs
    /// over is kept: an I/O that starts on the next whole nanosecond must not lose the fraction.
    #[inline]
    fn balance_at(&self, at_ns: u64) -> i128 {
        let earned = u128::from(at_ns - self.at_ns) * u128::from(self.per_s);
        let full = self.size + i128::from(self.per_s) - 1;
        (self.balance + earned.min(LARGEST) as i128).min(full)
    }

    /// First time, not before `from_ns`, at which an I/O may pass: when the bucket holds its cost, or
    /// is full if the cost exceeds its size. `cost` is in billionths.
    #[inline]
    pub fn earliest(&self, from_ns: u64, cost: u128) -> u64 {
        let from_ns = from_ns.max(self.at_ns);
        let missing = (cost.min(LARGEST) as i128).min(self.size) - self.balance_at(from_ns);
        if missing <= 0 {
            return from_ns;
        }
        let wait_ns = match u64::try_from(missing) {
            Ok(missing) => missing.div_ceil(self.per_s),
            Err(_) => u64::try_from((missing as u128).div_ceil(u128::from(self.per_s))).unwrap_or(u64::MAX),
        };
        from_ns.saturating_add(wait_ns)
    }

    /// Takes the cost of an I/O that passes at `at_ns`, a time that [`earliest`](Self::earliest)
    /// allows. The balance goes below zero when the cost exceeds the size.
    #[inline]
    pub fn take(&mut self, at_ns: u64, cost: u128) {
        let at_ns = at_ns.max(self.at_ns);
        self.balance = self.balance_at(at_ns) - cost.min(LARGEST) as i128;
        self.at_ns = at_ns;
    }

    /// Whole tokens at a time; 0 while in debt.
    pub fn tokens_at(&self, at_ns: u64) -> u64 {
        let balance = self.balance_at(at_ns.max(self.at_ns)).clamp(0, self.size);
        u64::try_from(balance as u128 / TOKEN).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pacing_at_an_awkward_rate_does_not_drift_in_an_hour() {
        let mut bucket = Bucket::new(2999, 0, 0);
        let mut at_ns = 0;
        for _ in 0..2999u64 * 3600 {
            at_ns = bucket.earliest(at_ns, TOKEN);
            bucket.take(at_ns, TOKEN);
        }
        // The I/O after the first n starts when n tokens were earned: exactly on the hour.
        assert_eq!(bucket.earliest(at_ns, TOKEN), 3600 * 1_000_000_000);
    }

    #[test]
    fn a_large_bucket_is_exact_after_a_day() {
        let day_s = 86_400;
        let mut bucket = Bucket::new(16_000_000_007, u64::MAX, 0);
        assert_eq!(bucket.tokens_at(day_s * 1_000_000_000), 16_000_000_007 * day_s);
        bucket.take(day_s * 1_000_000_000, TOKEN);
        assert_eq!(bucket.tokens_at(day_s * 1_000_000_000), 16_000_000_007 * day_s - 1);
    }

    proptest! {
        #[test]
        fn no_window_serves_more_than_its_earnings_and_one_bucket(
            per_s in 1u64..100_000,
            size in 0u64..1000,
            gaps in prop::collection::vec((0u64..3_000_000, 1u64..50), 2..80),
        ) {
            let mut bucket = Bucket::new(per_s, size, size);
            let mut arrival = 0;
            let mut passed: Vec<(u64, u64)> = Vec::new();
            for (gap, cost) in gaps {
                arrival += gap;
                let at = bucket.earliest(arrival, u128::from(cost) * TOKEN);
                prop_assert!(at >= arrival);
                bucket.take(at, u128::from(cost) * TOKEN);
                passed.push((at, cost));
            }
            for first in 0..passed.len() {
                for last in first..passed.len() {
                    let elapsed = passed[last].0 - passed[first].0;
                    let served: u64 = passed[first..=last].iter().map(|p| p.1).sum();
                    let largest = passed[last].1;
                    let earned = u128::from(elapsed) * u128::from(per_s) + u128::from(per_s);
                    let allowed = earned + u128::from(size.max(largest)) * TOKEN;
                    prop_assert!(u128::from(served) * TOKEN <= allowed, "{served} in {elapsed} ns");
                }
            }
        }
    }
}
