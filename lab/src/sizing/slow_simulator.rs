//! The slow simulator: I/Os wait in one line before a token bucket and are served one after the other, tick by
//! tick, as the page on sizing defines it.

use std::collections::VecDeque;

/// A token bucket, in thousandths of a token and of a second's tokens. It begins without credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub base: u64,
    pub peak: u64,
    pub bucket: u64,
}

impl Limit {
    /// One rate, without credits.
    pub fn even(base: u64) -> Self {
        Self { base, peak: base, bucket: 0 }
    }
}

/// I/Os that arrive together and cost the same: one of a trace, or those of a tick of which only sums are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub tick: usize,
    pub ios: u64,
    /// Tokens of all of them, in hundredths: times the margin.
    pub cost: u64,
}

/// All pieces before one limit.
#[derive(Clone, Debug)]
pub struct Line {
    pub pieces: Vec<Piece>,
    pub ticks: usize,
    pub tick_s: u64,
    /// Ticks that an I/O may wait.
    pub patience: usize,
}

/// A tick's late I/Os, for each tick in which they arrived.
pub type LateCounts = Vec<u64>;

impl Line {
    /// Serves all of them.
    pub fn serve(&self, limit: Limit) -> LateCounts {
        // Hundredths of tokens against thousandths of rates: both in 10^-5.
        let in_tick = |rate: u64| u128::from(rate) * u128::from(self.tick_s) * 100;
        let (base, peak, bucket) = (in_tick(limit.base), in_tick(limit.peak), u128::from(limit.bucket) * 100);
        let mut late = vec![0; self.ticks];
        let mut line: VecDeque<(Piece, u128, u128)> = VecDeque::new();
        let mut arriving = self.pieces.iter().peekable();
        let mut credits = 0u128;
        for tick in 0.. {
            while let Some(piece) = arriving.next_if(|piece| piece.tick <= tick) {
                line.push_back((*piece, u128::from(piece.cost) * 1000, 0));
            }
            if tick >= self.ticks + self.patience {
                break;
            }
            let most = peak.min(base + credits);
            let mut left = most;
            while let Some((piece, waiting, too_late)) = line.front_mut() {
                let served = left.min(*waiting);
                *waiting -= served;
                left -= served;
                if tick > piece.tick + self.patience {
                    *too_late += served;
                }
                if *waiting > 0 {
                    break;
                }
                late[piece.tick] += count(piece, *too_late);
                line.pop_front();
            }
            credits = bucket.min(credits + base - (most - left).min(credits + base));
        }
        // Whatever waits still has waited too long.
        for (piece, waiting, too_late) in line {
            late[piece.tick] += count(&piece, too_late + waiting);
        }
        late
    }
}

/// I/Os of which not all was served in time.
fn count(piece: &Piece, too_late: u128) -> u64 {
    if too_late == 0 {
        return 0;
    }
    let cost = u128::from(piece.cost) * 1000;
    let in_time = (cost - too_late) * u128::from(piece.ios) / cost;
    piece.ios - in_time as u64
}

/// Of each tick's I/Os those that are late before the limit where most are, added up.
pub fn together(lates: &[&LateCounts]) -> u64 {
    let ticks = lates.iter().map(|late| late.len()).max().unwrap_or(0);
    let most =
        |tick| lates.iter().filter_map(|late: &&LateCounts| late.get(tick)).max().copied().unwrap_or(0);
    (0..ticks).map(most).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(counts: &[u64]) -> Line {
        let pieces = counts
            .iter()
            .enumerate()
            .filter(|(_, ios)| **ios > 0)
            .map(|(tick, ios)| Piece { tick, ios: *ios, cost: ios * 100 })
            .collect();
        Line { pieces, ticks: counts.len(), tick_s: 1, patience: 1 }
    }

    #[test]
    fn an_io_may_wait_for_the_next_tick_and_no_longer() {
        // 10 a second: 10 in the first tick, 10 in the second, 5 too late.
        assert_eq!(line(&[25, 0, 0, 0]).serve(Limit::even(10_000)), [5, 0, 0, 0]);
        assert_eq!(line(&[20, 0, 0]).serve(Limit::even(10_000)), [0, 0, 0]);
        // First come, first served: those of the second tick wait for the rest of the first's.
        assert_eq!(line(&[25, 10, 0, 0, 0]).serve(Limit::even(10_000)), [5, 5, 0, 0, 0]);
        assert_eq!(line(&[0, 0, 40]).serve(Limit::even(10_000)), [0, 0, 20], "the end is no excuse");
    }

    #[test]
    fn credits_are_earned_by_rest_and_spent_at_the_peak() {
        let limit = Limit { base: 10_000, peak: 30_000, bucket: 25_000 };
        // Without rest there is nothing to spend; after two ticks of rest 20 credits are there.
        assert_eq!(line(&[35, 0, 0]).serve(limit), [15, 0, 0]);
        // The peak is 30: 10 of the third tick's wait for the fourth, in which nothing but the base is left.
        assert_eq!(line(&[0, 0, 45, 0, 0]).serve(limit), [0, 0, 5, 0, 0]);
        // The bucket holds 25: a longer rest gives 5 credits more than two ticks do.
        assert_eq!(line(&[0, 0, 0, 0, 0, 60, 0, 0]).serve(limit), [0, 0, 0, 0, 0, 15, 0, 0]);
    }

    #[test]
    fn an_io_of_which_a_part_is_late_is_late() {
        let piece = Piece { tick: 0, ios: 1, cost: 2100 };
        let line = Line { pieces: vec![piece], ticks: 1, tick_s: 1, patience: 1 };
        assert_eq!(line.serve(Limit::even(10_000)), [1]);
        assert_eq!(line.serve(Limit::even(10_500)), [0]);
    }

    #[test]
    fn the_slowest_limit_of_each_tick_counts() {
        assert_eq!(together(&[&vec![1, 0, 5], &vec![2, 0, 3]]), 7);
    }
}
