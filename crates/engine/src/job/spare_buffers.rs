//! Buffers beyond the depth: the content of the next writes is made in them while I/Os are in flight.
//!
//! Making a write unlike any other touches each of its sectors. Between two I/Os that time grows with the block and
//! leaves the target idle; while an I/O is in flight it costs nothing. What reads filled is kept apart from what
//! was made for writes, which is then renewed and not made again from the start. Buffers that only writes use are
//! filled once before the start.

/// Writes from this size on are worth the call that starts what is queued before their content is made.
pub(super) const WORTH_BYTES: u32 = 16 << 10;
/// Most memory that the buffers of one job beyond its depth take: enough for a device that ends all at once what
/// `assess` keeps in flight.
const MOST_BYTES: u64 = 128 << 20;

/// Buffers that a job has beyond its depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spares {
    /// All of them.
    pub count: u32,
    /// Those that are left to reads.
    pub for_reads: u32,
    /// Length of the writes that buffers are filled for before the start; 0: they are filled when they are first used.
    pub fill_bytes: u32,
}

impl Spares {
    /// Of a job of this depth whose longest write is `writes_bytes`, 0 where it has none.
    pub fn of(depth: u32, writes_bytes: u32, reads: bool) -> Self {
        let sets = match (reads, writes_bytes) {
            (_, 0) => 0,
            (true, _) => 2,
            // A lone I/O's successor is made ready while it is in flight, whatever its size.
            (false, bytes) => u32::from(depth == 1 || bytes >= WORTH_BYTES),
        };
        let room = MOST_BYTES / u64::from(writes_bytes.max(1));
        let room = u32::try_from(room).unwrap_or(u32::MAX).max(sets);
        let count = depth.saturating_mul(sets).min(room);
        Self { count, for_reads: if reads { count / 2 } else { 0 }, fill_bytes: writes_bytes }
    }
}

/// The buffers that are neither in flight nor free, by the numbers of their slots.
#[derive(Debug)]
pub struct SpareBuffers {
    /// Made for a write of this many bytes.
    ready: Vec<(u32, u32)>,
    /// Written already: to be renewed.
    used: Vec<u32>,
    /// Never filled, or filled by a read.
    blank: Vec<u32>,
    /// Blank ones that are left to reads.
    reserve: usize,
    /// Length of the newest write: the next one's, most likely.
    bytes: u32,
}

impl SpareBuffers {
    /// The buffers beyond `depth`, of which those that are not left to reads are `filled` already or not.
    pub fn new(depth: u32, Spares { count, for_reads, .. }: Spares, filled: bool) -> Self {
        // With what is exchanged for them they are never more.
        let list = || Vec::with_capacity(count as usize);
        let (mut blank, mut used) = (list(), list());
        let unfilled = if filled { for_reads.min(count) } else { count };
        blank.extend(depth..depth + unfilled);
        used.extend(depth + unfilled..depth + count);
        let ready = Vec::with_capacity(count as usize);
        Self { ready, used, blank, reserve: for_reads as usize, bytes: 0 }
    }

    /// A buffer with content for a write of `bytes`, in exchange for one that `was_written` or not.
    #[inline]
    pub fn take(&mut self, slot: u32, bytes: u32, was_written: bool) -> Option<u32> {
        self.bytes = bytes;
        let (made, _) = self.ready.pop_if(|(_, length)| *length == bytes)?;
        if was_written {
            self.used.push(slot);
        } else {
            self.blank.push(slot);
        }
        Some(made)
    }

    /// A buffer that was written, in exchange for one that was not.
    #[inline]
    pub fn written(&mut self, slot: u32) -> u32 {
        let Some(other) = self.used.pop() else { return slot };
        self.blank.push(slot);
        other
    }

    /// A buffer that need not keep what it holds, in exchange for one that was written.
    #[inline]
    pub fn blank(&mut self, slot: u32) -> u32 {
        let Some(other) = self.blank.pop() else { return slot };
        self.used.push(slot);
        other
    }

    /// Whether there is content to be made.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.bytes >= WORTH_BYTES && (!self.used.is_empty() || self.blank.len() > self.reserve)
    }

    /// The next buffer to make, and for how many bytes.
    pub fn next_to_make(&mut self) -> Option<(u32, u32)> {
        // What only has to be renewed comes first.
        let slot = match self.used.pop() {
            Some(used) => used,
            None if self.blank.len() > self.reserve => self.blank.pop()?,
            None => return None,
        };
        Some((slot, self.bytes))
    }

    /// The buffer to make for the next write, whose length is known; none where it is made, or none is there.
    pub fn make_for(&mut self, bytes: u32) -> Option<u32> {
        match self.ready.pop() {
            Some(made) if made.1 == bytes => {
                self.ready.push(made);
                None
            }
            Some((slot, _)) => Some(slot),
            None => self.next_to_make().map(|(slot, _)| slot),
        }
    }

    /// The buffer has its content.
    pub fn made(&mut self, slot: u32, bytes: u32) {
        self.ready.push((slot, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_jobs_that_profit_have_spare_buffers_and_never_too_many() {
        let count = |depth, writes_bytes, reads| Spares::of(depth, writes_bytes, reads).count;
        assert_eq!(count(32, 0, true), 0);
        assert_eq!(count(32, 4096, false), 0);
        assert_eq!(count(1, 4096, false), 1);
        assert_eq!(Spares::of(32, 4096, true), Spares { count: 64, for_reads: 32, fill_bytes: 4096 });
        assert_eq!(Spares::of(1, 1 << 20, false), Spares { count: 1, for_reads: 0, fill_bytes: 1 << 20 });
        assert_eq!(count(256, 1 << 20, false), 128);
        assert_eq!(count(4, 1 << 30, true), 2);
        assert_eq!(count(u32::MAX, 512, true), 262_144);
    }

    #[test]
    fn no_buffer_is_lost_or_handed_out_twice() {
        let (depth, spares) = (4u32, 8u32);
        let mut ahead =
            SpareBuffers::new(depth, Spares { count: spares, for_reads: 4, fill_bytes: 0 }, false);
        let mut free: Vec<(u32, bool)> = (0..depth).map(|slot| (slot, false)).collect();
        let mut state = 7u32;
        for _ in 0..10_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (slot, was_written) = free.remove(state as usize % free.len());
            let writes = state >> 20 & 1 == 0;
            let slot = match (writes, was_written) {
                (true, _) => ahead
                    .take(slot, 65_536, was_written)
                    .unwrap_or_else(|| if was_written { slot } else { ahead.written(slot) }),
                (false, true) => ahead.blank(slot),
                (false, false) => slot,
            };
            free.push((slot, writes));
            if state >> 21 & 1 == 0 && ahead.is_due() {
                let (slot, bytes) = ahead.next_to_make().unwrap();
                ahead.made(slot, bytes);
            }
            let spare = ahead.ready.iter().map(|(slot, _)| *slot).chain(ahead.used.clone());
            let mut all: Vec<u32> =
                spare.chain(ahead.blank.clone()).chain(free.iter().map(|(slot, _)| *slot)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..depth + spares).collect::<Vec<_>>());
        }
    }
}
