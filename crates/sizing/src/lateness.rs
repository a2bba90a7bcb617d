//! Which I/Os one limit makes wait too long: a first-in-first-out queue behind a token bucket, simulated
//! exactly, with stretches in which nothing can wait taken in one step.
//!
//! Behind a plain cap that is a short sum. What still waits of a tick's arrivals `k` ticks later has had the cap's
//! whole rate in each of them, since the queue was never empty: of what waited at the end of the tick, all beyond
//! `k` ticks of the cap is late, as far as it arrived in that tick. So no tick has to be looked back at, and blocks
//! after which less than that waits are passed without a branch.

use std::sync::Arc;

use crate::shaper::{Shaper, State};

/// Ticks that are looked at as one where nothing waits.
const BLOCK: usize = 16;

/// How long an I/O may wait before it counts as late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// In ticks; at least 1, because within a tick nothing is known.
    pub ticks: usize,
    /// Share of all I/Os that may be late, in millionths.
    pub late_millionths: u64,
}

impl Patience {
    /// I/Os that may be late, of so many; the part of one that is left over is not allowed.
    pub fn allowed(&self, total: u64) -> u64 {
        (u128::from(total) * u128::from(self.late_millionths) / 1_000_000) as u64
    }
}

/// What arrives at one kind of limit, ready to be simulated many times.
#[derive(Clone, Debug)]
pub struct Arrivals {
    tick_s: u32,
    units: Vec<u64>,
    ios: Arc<[u64]>,
    blocks: Vec<Block>,
    /// The largest tick.
    most: u64,
    total: u64,
    /// Whether sums of all units fit into signed numbers.
    is_small: bool,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    most: u64,
    sum: u64,
}

/// I/Os that were late, tick by tick of their arrival; ticks without any are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Tick of arrival and I/Os late, ascending.
    pub late: Vec<(u32, u64)>,
}

impl Lateness {
    /// I/Os late in all.
    pub fn total(&self) -> u64 {
        self.late.iter().map(|(_, ios)| ios).sum()
    }

    /// Late behind this limit or another: in each tick the larger count, because the I/Os that wait
    /// at one limit are the ones that arrive last at all of them.
    #[must_use]
    pub fn either(&self, other: &Self) -> Self {
        let mut late = Vec::with_capacity(self.late.len().max(other.late.len()));
        let (mut left, mut right) = (self.late.iter().peekable(), other.late.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(&&(a, x)), Some(&&(b, y))) => {
                    (a.min(b), if a <= b { x } else { 0 }.max(if b <= a { y } else { 0 }))
                }
                (Some(&&only), None) | (None, Some(&&only)) => only,
                (None, None) => return Self { late },
            };
            left.next_if(|(tick, _)| *tick == next.0);
            right.next_if(|(tick, _)| *tick == next.0);
            late.push(next);
        }
    }
}

impl Arrivals {
    /// From units wanted in each tick, and the I/Os that they belong to.
    pub fn new(tick_s: u32, units: Vec<u64>, ios: Arc<[u64]>) -> Self {
        let block =
            |ticks: &[u64]| Block { most: ticks.iter().copied().max().unwrap_or(0), sum: ticks.iter().sum() };
        let blocks: Vec<Block> = units.chunks(BLOCK).map(block).collect();
        let (most, total) = blocks.iter().fold((0, 0), |(most, sum), b| (b.most.max(most), sum + b.sum));
        let is_small = blocks.iter().map(|block| u128::from(block.sum)).sum::<u128>() < 1 << 62;
        Self { tick_s, units, ios, blocks, most, total, is_small }
    }

    /// I/Os in all.
    pub fn ios(&self) -> u64 {
        self.ios.iter().sum()
    }

    /// I/Os that arrive in each tick.
    pub fn ios_by_tick(&self) -> &Arc<[u64]> {
        &self.ios
    }

    /// Units that are wanted in each tick.
    pub fn units(&self) -> &[u64] {
        &self.units
    }

    /// Units in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The largest tick as a rate: a plain cap of that much makes nothing wait.
    pub fn peak_per_s(&self) -> u64 {
        self.most.div_ceil(u64::from(self.tick_s))
    }

    /// I/Os that wait longer than `ticks`, from an empty bucket on; `None` as soon as more than
    /// `allowed` of them do. An I/O is late with the last of its units.
    pub fn late(&self, shaper: &Shaper, ticks: usize, allowed: u64) -> Option<Lateness> {
        let base = shaper.base_per_s * u64::from(self.tick_s);
        if self.most <= base {
            return Some(Lateness::default());
        }
        let is_cap = shaper.bucket == 0 || shaper.peak_per_s == shaper.base_per_s;
        if is_cap && self.is_small && shaper.peak_per_s >= shaper.base_per_s {
            return self.late_at_cap(base, ticks, allowed);
        }
        self.late_behind_bucket(shaper, ticks, allowed)
    }

    /// As [`Self::late`], behind a plain cap of so many units a tick.
    fn late_at_cap(&self, base: u64, ticks: usize, allowed: u64) -> Option<Lateness> {
        // The largest tick is above it, and so both fit.
        let base = base as i64;
        let far = base.saturating_mul(i64::try_from(ticks).unwrap_or(i64::MAX));
        let mut late = Lateness::default();
        let (mut total, mut waiting) = (0, 0i64);
        for (at, (units, block)) in self.units.chunks(BLOCK).zip(&self.blocks).enumerate() {
            if waiting == 0 && block.most <= base as u64 {
                continue;
            }
            let before = waiting;
            let most;
            // A whole block is one stretch of code without a loop.
            (waiting, most) = match <&[u64; BLOCK]>::try_from(units) {
                Ok(units) => pass(units, waiting, base),
                Err(_) => pass(units, waiting, base),
            };
            if most > far {
                let from = at * BLOCK;
                let mut waiting = before;
                for (tick, &units) in (from..).zip(units) {
                    waiting = (waiting + (units as i64 - base)).max(0);
                    if waiting > far && units > 0 {
                        let ios = share(((waiting - far) as u64).min(units), units, self.ios[tick]);
                        total += ios;
                        if total > allowed {
                            return None;
                        }
                        late.late.push((tick as u32, ios));
                    }
                }
            }
        }
        Some(late)
    }

    fn late_behind_bucket(&self, shaper: &Shaper, ticks: usize, allowed: u64) -> Option<Lateness> {
        let base = shaper.base_per_s * u64::from(self.tick_s);
        let mut judge = LatenessJudge { late: Lateness::default(), total: 0, allowed, ticks };
        let mut state = shaper.empty();
        let mut tick = 0;
        while tick < self.units.len() {
            let block = self.blocks[tick / BLOCK];
            if tick.is_multiple_of(BLOCK) && state.waiting == 0 && block.most <= base {
                self.skip(shaper, &mut state, tick, block);
                tick += BLOCK;
                continue;
            }
            shaper.tick(&mut state, self.units[tick], self.tick_s);
            judge.after(self, tick, &state)?;
            tick += 1;
        }
        // What still waits at the end is served without anything new behind it.
        for tick in self.units.len()..self.units.len() + ticks {
            if state.waiting == 0 {
                break;
            }
            shaper.tick(&mut state, 0, self.tick_s);
            judge.after(self, tick, &state)?;
        }
        Some(judge.late)
    }

    /// A whole block below the base rate: everything is served at once and credits only grow.
    fn skip(&self, shaper: &Shaper, state: &mut State, tick: usize, block: Block) {
        let ticks = (self.units.len() - tick).min(BLOCK) as u64;
        let gained = shaper.base_per_s * u64::from(self.tick_s) * ticks - block.sum;
        state.credits = state.credits.saturating_add(gained).min(shaper.bucket);
    }
}

/// Finds, after each tick, what of the I/Os that arrived `ticks` before it still waits.
struct LatenessJudge {
    late: Lateness,
    total: u64,
    allowed: u64,
    ticks: usize,
}

impl LatenessJudge {
    /// What waits now and did not arrive since has waited too long; first in, first out.
    fn after(&mut self, arrivals: &Arrivals, now: usize, state: &State) -> Option<()> {
        if state.waiting == 0 || now < self.ticks {
            return Some(());
        }
        let arrived_at = now - self.ticks;
        let Some(&arrived) = arrivals.units.get(arrived_at) else { return Some(()) };
        let end = arrivals.units.len().min(now + 1);
        let since: u64 = arrivals.units[arrived_at + 1..end].iter().sum();
        let units = state.waiting.saturating_sub(since).min(arrived);
        if units > 0 {
            let late = share(units, arrived, arrivals.ios[arrived_at]);
            self.total += late;
            if self.total > self.allowed {
                return None;
            }
            self.late.late.push((arrived_at as u32, late));
        }
        Some(())
    }
}

/// What waits behind a plain cap after some ticks, and the most that waited after any of them.
#[inline]
fn pass<'a>(units: impl IntoIterator<Item = &'a u64>, mut waiting: i64, base: i64) -> (i64, i64) {
    let mut most = 0;
    for &units in units {
        waiting = (waiting + (units as i64 - base)).max(0);
        most = most.max(waiting);
    }
    (waiting, most)
}

/// I/Os that have their last unit among the last so many of `of` units, which carried `ios` of them; a part of one
/// is one.
fn share(units: u64, of: u64, ios: u64) -> u64 {
    match units.checked_mul(ios) {
        _ if ios == of => units,
        Some(product) => product.div_ceil(of),
        None => (u128::from(units) * u128::from(ios)).div_ceil(u128::from(of)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every unit by itself: when it came and when it left.
    fn by_hand(units: &[u64], shaper: &Shaper, tick_s: u32, ticks: usize) -> Vec<(u32, u64)> {
        let mut state = shaper.empty();
        let mut queue = std::collections::VecDeque::new();
        let mut late = vec![0; units.len()];
        for now in 0..units.len() + 10_000 {
            let arriving = units.get(now).copied().unwrap_or(0);
            queue.extend(std::iter::repeat_n(now, arriving as usize));
            for _ in 0..shaper.tick(&mut state, arriving, tick_s) {
                let came: usize = queue.pop_front().unwrap();
                late[came] += u64::from(now - came > ticks);
            }
        }
        queue.into_iter().for_each(|came| late[came] += 1);
        (0u32..).zip(late).filter(|(_, late)| *late > 0).collect()
    }

    fn arrivals(tick_s: u32, units: Vec<u64>) -> Arrivals {
        let ios = units.clone().into();
        Arrivals::new(tick_s, units, ios)
    }

    fn bursty() -> impl Strategy<Value = Vec<u64>> {
        let stretch = (prop_oneof![Just(0u64), 0u64..4, 0u64..30], 1usize..300);
        prop::collection::vec(stretch, 1..8)
            .prop_map(|runs| runs.into_iter().flat_map(|(level, n)| std::iter::repeat_n(level, n)).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn late_units_are_those_found_by_following_each(
            units in bursty(), base in 1u64..12, above in 0u64..20, bucket in 0u64..2000, ticks in 1usize..5, tick_s in 1u32..3,
        ) {
            let shaper = Shaper { base_per_s: base, peak_per_s: base + above, bucket };
            let found = arrivals(tick_s, units.clone()).late(&shaper, ticks, u64::MAX).unwrap();
            prop_assert_eq!(found.late, by_hand(&units, &shaper, tick_s, ticks));
        }

        #[test]
        fn a_plain_cap_makes_late_what_it_makes_late_as_an_empty_bucket(
            units in bursty(), base in 0u64..40, ticks in 1usize..6, tick_s in 1u32..3, ratio in 1u64..5, allowed in 0u64..400,
        ) {
            let ios: Vec<u64> = units.iter().map(|units| units.div_ceil(ratio)).collect();
            let arrivals = Arrivals::new(tick_s, units, ios.into());
            let cap = Shaper::cap(base);
            for allowed in [allowed, u64::MAX] {
                let found = arrivals.late(&cap, ticks, allowed);
                prop_assert_eq!(&found, &arrivals.late_behind_bucket(&cap, ticks, allowed));
                // Credits that nothing can be bought with.
                let still = Shaper { bucket: 1000, ..cap };
                prop_assert_eq!(&found, &arrivals.late(&still, ticks, allowed));
                let dry = Shaper { peak_per_s: base * 3, ..cap };
                prop_assert_eq!(&found, &arrivals.late(&dry, ticks, allowed));
                prop_assert_eq!(&found, &arrivals.late_behind_bucket(&still, ticks, allowed));
                prop_assert_eq!(&found, &arrivals.late_behind_bucket(&dry, ticks, allowed));
            }
        }

        #[test]
        fn more_of_a_limit_makes_nothing_later(units in bursty(), base in 1u64..12, more in 0u64..5, bucket in 0u64..500) {
            let arrivals = arrivals(1, units);
            let late = |base, bucket| arrivals
                .late(&Shaper { base_per_s: base, peak_per_s: base + 10, bucket }, 1, u64::MAX).unwrap().total();
            prop_assert!(late(base + more, bucket) <= late(base, bucket));
            prop_assert!(late(base, bucket + more * 100) <= late(base, bucket));
        }
    }

    #[test]
    fn sums_that_need_more_than_signed_numbers_and_an_endless_patience_are_the_same() {
        let units = vec![1 << 61, 1 << 61, 0, 7, 1 << 60];
        let arrivals = arrivals(1, units);
        assert!(!arrivals.is_small);
        let late = arrivals.late(&Shaper::cap(1 << 59), 1, u64::MAX).unwrap();
        assert_eq!(late.late[0], (0, (1 << 61) - (1 << 60)));
        let small = Arrivals { is_small: true, ..self::arrivals(1, vec![1000, 2000, 0, 7]) };
        assert_eq!(small.late(&Shaper::cap(10), 1_000_000, 0), Some(Lateness::default()));
        assert_eq!(small.late_at_cap(10, usize::MAX, 0), Some(Lateness::default()));
    }

    #[test]
    fn late_at_two_limits_is_counted_once() {
        let left = Lateness { late: vec![(1, 5), (4, 2)] };
        let right = Lateness { late: vec![(0, 1), (4, 3), (9, 1)] };
        assert_eq!(left.either(&right).late, [(0, 1), (1, 5), (4, 3), (9, 1)]);
    }

    #[test]
    fn a_count_above_what_is_allowed_ends_the_simulation() {
        let arrivals = arrivals(1, vec![10; 1000]);
        assert_eq!(arrivals.late(&Shaper::cap(5), 1, 100), None);
        assert_eq!(arrivals.late(&Shaper::cap(10), 1, 0), Some(Lateness::default()));
    }
}
