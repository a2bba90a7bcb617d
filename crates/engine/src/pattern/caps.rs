//! Rates of their own for reads and writes: which of them may go on, and when.
//!
//! The rule is fio's (`rate_ddir` in its `io_u.c`): the mix draws a direction; one that is ahead of its rate leaves
//! its turn to the other where that is due, and where both are ahead the one that is due first is next.

use fathom_record::Direction;
use fathom_record::workload::Arrival;

use super::ArrivalPattern;

/// One job's share of the rates.
#[derive(Debug)]
pub struct Caps {
    read: Cap,
    write: Cap,
}

/// When the next I/O of a direction is due; always where it has no rate.
#[derive(Debug)]
struct Cap {
    due_ns: u64,
    starts: Option<ArrivalPattern>,
}

impl Caps {
    /// Of job number `job` of `jobs`, where the arrival is by direction; `seed` is the workload's.
    pub fn of(arrival: &Arrival, place: (u32, u32), seed: u64) -> Option<Self> {
        let &Arrival::PerDirection { read_per_s, write_per_s, poisson } = arrival else { return None };
        let cap = |rate: Option<f64>, seed: u64| {
            let starts = rate.map(|rate_per_s| {
                let process = match poisson {
                    true => Arrival::Poisson { rate_per_s },
                    false => Arrival::Constant { rate_per_s },
                };
                ArrivalPattern::new(&process, place, seed)
            });
            let mut cap = Cap { due_ns: 0, starts };
            cap.advance();
            cap
        };
        // A stream of its own for each, so that their gaps have nothing to do with one another.
        Some(Self { read: cap(read_per_s, seed), write: cap(write_per_s, !seed) })
    }

    /// First moment at which one of them is due, from the run's start.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.read.due_ns.min(self.write.due_ns)
    }

    /// The direction that goes on at `now_ns` where the mix drew `drawn`, and since when it is due.
    #[inline]
    pub fn take(&mut self, drawn: Direction, now_ns: u64) -> (Direction, u64) {
        let (own, other) = match drawn {
            Direction::Read => (&self.read, &self.write),
            _ => (&self.write, &self.read),
        };
        let stays = own.due_ns <= now_ns || other.due_ns > now_ns && own.due_ns <= other.due_ns;
        let goes_read = stays == (drawn == Direction::Read);
        let (direction, cap) = match goes_read {
            true => (Direction::Read, &mut self.read),
            false => (Direction::Write, &mut self.write),
        };
        let due_ns = cap.due_ns;
        cap.advance();
        (direction, due_ns)
    }
}

impl Cap {
    fn advance(&mut self) {
        self.due_ns = self.starts.as_mut().map_or(0, ArrivalPattern::next_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Reads and writes of a second on a target that takes `service_ns` for each, one at a time.
    fn counts(rates: (Option<f64>, Option<f64>), read_percent: u32, service_ns: u64) -> (u32, u32) {
        let (read_per_s, write_per_s) = rates;
        let arrival = Arrival::PerDirection { read_per_s, write_per_s, poisson: false };
        let mut caps = Caps::of(&arrival, (0, 1), 7).unwrap();
        let (mut now, mut state, mut counts) = (0, 1u32, (0, 0));
        while now < 1000 * MS {
            if caps.next_ns() > now {
                now = caps.next_ns();
                continue;
            }
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let drawn = if (state >> 8) % 100 < read_percent { Direction::Read } else { Direction::Write };
            match caps.take(drawn, now).0 {
                Direction::Read => counts.0 += 1,
                _ => counts.1 += 1,
            }
            now += service_ns;
        }
        counts
    }

    #[test]
    fn each_direction_has_its_rate_where_the_target_serves_both() {
        for read_percent in [50, 70, 90, 10] {
            assert_eq!(counts((Some(100.0), Some(50.0)), read_percent, MS / 10), (100, 50), "{read_percent}");
        }
        let (reads, writes) = counts((None, Some(128.0)), 50, MS / 10);
        assert_eq!(writes, 128);
        assert!((9800..=9900).contains(&reads), "{reads}");
    }

    #[test]
    fn a_target_that_is_slower_than_the_rates_gets_the_mix() {
        let (reads, writes) = counts((Some(1000.0), Some(1000.0)), 70, 10 * MS);
        assert_eq!(reads + writes, 100);
        assert!((60..=80).contains(&reads), "{reads}");
    }
}
