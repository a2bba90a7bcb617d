//! Directions of I/Os.

use fathom_record::Direction;
use fathom_record::workload::Mix;
use rand::Rng;

use super::seed::threshold;

/// A mix of directions, as a value that draws the next one.
#[derive(Clone, Debug)]
pub struct MixPattern {
    shares: Shares,
    /// Writes between two flushes; `u64::MAX` for never, which no run reaches.
    flush_every_writes: u64,
    writes_since_flush: u64,
}

#[derive(Clone, Copy, Debug)]
enum Shares {
    Pure(Direction),
    /// A draw below the first limit is a read, below the second a trim, else a write.
    Mixed {
        read_below: u64,
        trim_below: u64,
    },
}

impl MixPattern {
    /// From shares that were validated.
    pub fn new(mix: &Mix) -> Self {
        // Shares that differ from all or nothing by rounding are all or nothing.
        let all = |share: f64| share > 1.0 - 1e-9;
        let shares = if all(mix.read_share) {
            Shares::Pure(Direction::Read)
        } else if all(mix.trim_share) {
            Shares::Pure(Direction::Trim)
        } else if all(mix.write_share()) {
            Shares::Pure(Direction::Write)
        } else {
            let read_and_trim = mix.read_share + mix.trim_share;
            let trim_below = if all(read_and_trim) { u64::MAX } else { threshold(read_and_trim) };
            Shares::Mixed { read_below: threshold(mix.read_share), trim_below }
        };
        let flush_every_writes = if mix.flush_every_writes == 0 { u64::MAX } else { mix.flush_every_writes };
        Self { shares, flush_every_writes, writes_since_flush: 0 }
    }

    /// Notes that another direction went on in the place of the one that was drawn last.
    pub fn went_on(&mut self, drawn: Direction, instead: Direction) {
        let is_write = |direction| u64::from(direction == Direction::Write);
        self.writes_since_flush = self.writes_since_flush - is_write(drawn) + is_write(instead);
    }

    /// The next direction. A pure mix draws nothing from `random`; flushes are counted, not drawn.
    #[inline]
    pub fn next(&mut self, random: &mut impl Rng) -> Direction {
        if self.writes_since_flush >= self.flush_every_writes {
            self.writes_since_flush = 0;
            return Direction::Flush;
        }
        let direction = match self.shares {
            Shares::Pure(direction) => direction,
            Shares::Mixed { read_below, trim_below } => {
                let draw = random.next_u64();
                if draw < read_below {
                    Direction::Read
                } else if draw < trim_below {
                    Direction::Trim
                } else {
                    Direction::Write
                }
            }
        };
        self.writes_since_flush += u64::from(direction == Direction::Write);
        direction
    }
}
