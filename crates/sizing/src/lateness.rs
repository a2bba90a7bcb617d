//! Which I/Os one limit makes wait too long: a first-in-first-out queue behind a token bucket, simulated
//! exactly, with stretches in which nothing can wait taken in one step.

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
        Self { tick_s, units, ios, blocks, most, total }
    }

    /// I/Os in all.
    pub fn ios(&self) -> u64 {
        self.ios.iter().sum()
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
        let mut judge = Judge { late: Lateness::default(), total: 0, allowed, ticks };
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
struct Judge {
    late: Lateness,
    total: u64,
    allowed: u64,
    ticks: usize,
}

impl Judge {
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
            let ios = u128::from(arrivals.ios[arrived_at]);
            let late = (u128::from(units) * ios).div_ceil(u128::from(arrived)) as u64;
            self.total += late;
            if self.total > self.allowed {
                return None;
            }
            self.late.late.push((arrived_at as u32, late));
        }
        Some(())
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
        fn more_of_a_limit_makes_nothing_later(units in bursty(), base in 1u64..12, more in 0u64..5, bucket in 0u64..500) {
            let arrivals = arrivals(1, units);
            let late = |base, bucket| arrivals
                .late(&Shaper { base_per_s: base, peak_per_s: base + 10, bucket }, 1, u64::MAX).unwrap().total();
            prop_assert!(late(base + more, bucket) <= late(base, bucket));
            prop_assert!(late(base, bucket + more * 100) <= late(base, bucket));
        }
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
