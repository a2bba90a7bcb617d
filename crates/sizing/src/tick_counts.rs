//! I/Os as providers count them, tick by tick, where the size of each I/O is known.

use std::collections::VecDeque;

use crate::accounting::{DISK_UNIT, SOLID_STATE_UNIT};
use crate::demand::Flow;
use crate::trace::TracedIo;

/// Ends of streams that are remembered in each direction.
const STREAMS: usize = 32;
/// A demand is sequential where at most one in so many of its I/Os makes a disk seek.
const IOS_A_SEEK: u64 = 10;

/// What each tick counts, both directions together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TickCounts {
    /// In units of 256 KiB, each I/O by itself.
    pub solid_state: Vec<u64>,
    /// In units of 1 MiB; an I/O that begins where another of its tick ended is joined to it.
    pub disk: Vec<u64>,
    /// I/Os below 1 MiB that begin where no other ended: each makes a disk seek.
    pub seeks: u64,
}

impl TickCounts {
    /// Of flows whose I/Os have all the same size in each tick, and begin where no other ended.
    pub fn of_equal_sizes(read: &Flow, write: &Flow) -> Self {
        let units = |flow: &Flow, unit: u64| -> Vec<u64> {
            let each = |(&count, &bytes): (&u64, &u64)| match bytes.checked_div(count) {
                Some(size) => count.saturating_mul(size.div_ceil(unit).max(1)),
                None => 0,
            };
            flow.operations.iter().zip(&flow.bytes).map(each).collect()
        };
        let both = |unit| {
            units(read, unit).into_iter().zip(units(write, unit)).map(|(r, w)| r.saturating_add(w)).collect()
        };
        let seeks = read.operations.iter().chain(&write.operations).sum();
        Self { solid_state: both(SOLID_STATE_UNIT), disk: both(DISK_UNIT), seeks }
    }

    /// Whether so few I/Os make a disk seek that it works at its rate for whole units.
    pub fn is_sequential(&self, ios: u64) -> bool {
        self.seeks.saturating_mul(IOS_A_SEEK) <= ios
    }
}

/// Counts I/Os one by one, ascending in time.
#[derive(Debug)]
pub struct Counter {
    counted: TickCounts,
    /// Of reads, and of writes.
    streams: [Streams; 2],
}

/// Streams of one direction: I/Os of which each begins where the one before ended. What went on last stands last.
#[derive(Debug, Default)]
struct Streams {
    /// By themselves, as most I/Os look through all of them and go on with none.
    ends: VecDeque<u64>,
    sums: VecDeque<StreamSum>,
}

/// What a stream has read or written in its last tick.
#[derive(Clone, Copy, Debug)]
struct StreamSum {
    tick: usize,
    bytes: u64,
}

impl Streams {
    /// Takes out the stream that ends at a place.
    fn take(&mut self, end: u64) -> Option<StreamSum> {
        if !self.ends.contains(&end) {
            return None;
        }
        let at = self.ends.iter().position(|known| *known == end)?;
        self.ends.remove(at);
        self.sums.remove(at)
    }

    /// Puts one in, for which the one that went on longest ago goes.
    fn put(&mut self, end: u64, sum: StreamSum) {
        if self.ends.len() == STREAMS {
            self.ends.pop_front();
            self.sums.pop_front();
        }
        self.ends.push_back(end);
        self.sums.push_back(sum);
    }
}

impl Counter {
    /// Of so many ticks.
    pub fn new(ticks: usize) -> Self {
        let counted = TickCounts { solid_state: vec![0; ticks], disk: vec![0; ticks], seeks: 0 };
        Self { counted, streams: Default::default() }
    }

    /// Counts one of a tick that is there.
    pub fn put(&mut self, tick: usize, io: &TracedIo) {
        self.counted.solid_state[tick] += io.bytes.div_ceil(SOLID_STATE_UNIT).max(1);
        let streams = &mut self.streams[usize::from(io.write)];
        let before = streams.take(io.offset);
        if before.is_none() && io.bytes < DISK_UNIT {
            self.counted.seeks += 1;
        }
        // What came in another tick has been counted there.
        let joined = before.filter(|sum| sum.tick == tick).map_or(0, |sum| sum.bytes);
        let bytes = joined.saturating_add(io.bytes);
        self.counted.disk[tick] += bytes.div_ceil(DISK_UNIT).max(1) - joined.div_ceil(DISK_UNIT);
        streams.put(io.offset.saturating_add(io.bytes), StreamSum { tick, bytes });
    }

    /// What was counted.
    pub fn finish(self) -> TickCounts {
        self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(ios: &[(u64, u64)]) -> TickCounts {
        let mut counter = Counter::new(2);
        for (offset, bytes) in ios {
            counter.put(1, &TracedIo { at_ns: 0, offset: *offset, bytes: *bytes, write: false });
        }
        counter.finish()
    }

    const KIB: u64 = 1 << 10;

    #[test]
    fn each_io_is_counted_by_itself_on_solid_state_and_streams_are_joined_on_disks() {
        // 384 KiB are two units, not one and a half, whatever the sizes beside them.
        assert_eq!(counted(&[(0, 384 * KIB), (1 << 30, 4 * KIB)]).solid_state, [0, 3]);
        assert_eq!(counted(&[(0, 256 * KIB), (1 << 30, 256 * KIB + 512)]).solid_state, [0, 3]);
        let stream: Vec<(u64, u64)> = (0..20).map(|i| (i * 128 * KIB, 128 * KIB)).collect();
        let found = counted(&stream);
        assert_eq!((found.solid_state[1], found.disk[1], found.seeks), (20, 3, 1));
        assert!(found.is_sequential(20));
        let random: Vec<(u64, u64)> = (0..20).map(|i| (i << 30, 128 * KIB)).collect();
        let found = counted(&random);
        assert_eq!((found.solid_state[1], found.disk[1], found.seeks), (20, 20, 20));
        assert!(!found.is_sequential(20));
    }
}
