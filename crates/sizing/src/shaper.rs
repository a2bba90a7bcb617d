//! One limit of an offer: a base rate, and credits that let the rate rise to a peak until they are spent.

/// A token bucket as providers describe them. Without credits it is a plain cap.
///
/// Source of the model: the credit formulas of the EBS user guide; in each second
/// `served = min(waiting, peak, base + credits)` and `credits = min(bucket, credits + base - served)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shaper {
    /// Units a second that never run out.
    pub base_per_s: u64,
    /// Units a second while there are credits; at least the base.
    pub peak_per_s: u64,
    /// Credits that the bucket holds, in units above the base.
    pub bucket: u64,
}

/// Where a limit stands between two ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Credits left.
    pub credits: u64,
    /// Units that wait.
    pub waiting: u64,
}

impl Shaper {
    /// A plain cap.
    pub const fn cap(per_s: u64) -> Self {
        Self { base_per_s: per_s, peak_per_s: per_s, bucket: 0 }
    }

    /// The limits of several equal members together.
    #[must_use]
    pub const fn times(self, members: u64) -> Self {
        Self {
            base_per_s: self.base_per_s * members,
            peak_per_s: self.peak_per_s * members,
            bucket: self.bucket * members,
        }
    }

    /// This limit behind a plain cap: no rate is above it, and where not even the base is below it credits say nothing.
    #[must_use]
    pub fn behind(self, cap: u64) -> Self {
        let base_per_s = self.base_per_s.min(cap);
        let peak_per_s = self.peak_per_s.min(cap);
        Self { base_per_s, peak_per_s, bucket: if base_per_s < peak_per_s { self.bucket } else { 0 } }
    }

    /// The limit that a demand meets as the demand grown so many thousandths meets this one; what is left
    /// over by the division is not given.
    #[must_use]
    pub const fn over(&self, thousandths: u32) -> Self {
        const fn over(units: u64, thousandths: u32) -> u64 {
            // A divisor of 0 would be no growth at all.
            let divisor = if thousandths == 0 { 1 } else { thousandths as u128 };
            (units as u128 * 1000 / divisor) as u64
        }
        Self {
            base_per_s: over(self.base_per_s, thousandths),
            peak_per_s: over(self.peak_per_s, thousandths),
            bucket: over(self.bucket, thousandths),
        }
    }

    /// The bucket full and nothing waiting: the best start.
    pub const fn full(&self) -> State {
        State { credits: self.bucket, waiting: 0 }
    }

    /// No credits and nothing waiting: the worst start, which a requirement is judged from.
    pub const fn empty(&self) -> State {
        State { credits: 0, waiting: 0 }
    }

    /// One tick: what arrives joins what waits; returns what was served.
    pub fn tick(&self, state: &mut State, arriving: u64, tick_s: u32) -> u64 {
        let (base, peak) = (self.base_per_s * u64::from(tick_s), self.peak_per_s * u64::from(tick_s));
        let wanted = state.waiting + arriving;
        let served = wanted.min(peak).min(base.saturating_add(state.credits));
        state.credits = (state.credits + base - served.min(state.credits + base)).min(self.bucket);
        state.waiting = wanted - served;
        served
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The EBS guide's own figure: 100 GiB of gp2 bursts at 3,000 IOPS for 2,000 s.
    #[test]
    fn a_burst_lasts_as_long_as_its_credits() {
        let gp2 = Shaper { base_per_s: 300, peak_per_s: 3000, bucket: 5_400_000 };
        let mut state = gp2.full();
        let burst = (0..10_000).take_while(|_| gp2.tick(&mut state, 3000, 1) == 3000).count();
        assert_eq!(burst, 2000);
        assert_eq!(gp2.tick(&mut state, 3000, 1), 300);
    }

    #[test]
    fn credits_come_back_at_the_base_rate() {
        let gp2 = Shaper { base_per_s: 100, peak_per_s: 3000, bucket: 5_400_000 };
        let mut state = gp2.empty();
        let idle = (0..100_000).take_while(|_| {
            gp2.tick(&mut state, 0, 1);
            state.credits < gp2.bucket
        });
        assert_eq!(idle.count(), 53_999);
    }
}
