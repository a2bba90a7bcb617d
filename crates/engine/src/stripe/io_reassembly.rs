//! One I/O put together from the ends of its parts.

use crate::{Completion, Stamps};

/// What is known of an I/O while parts of it are under way.
#[derive(Clone, Copy, Debug)]
pub struct WholeIo {
    /// Parts that have not ended.
    pub under_way: u32,
    moved_bytes: u64,
    /// Bytes before the first gap: a part that fell short leaves one.
    gap_at_bytes: u64,
    /// The failure nearest to the I/O's start, with the bytes before its part.
    failure: Option<(u32, i32)>,
    stamps: Stamps,
}

/// Where a part lies in its I/O.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// Slot of the I/O.
    pub slot: u32,
    /// Bytes of the I/O before the part.
    pub skip_bytes: u32,
    /// Length of the part.
    pub bytes: u32,
}

impl WholeIo {
    /// Nothing has ended, and nothing is under way.
    pub const fn new() -> Self {
        let stamps = Stamps { submitted_ns: u64::MAX, returned_ns: 0, reaped_ns: 0 };
        Self { under_way: 0, moved_bytes: 0, gap_at_bytes: u64::MAX, failure: None, stamps }
    }

    /// Takes the end of a part.
    #[inline]
    pub fn add(&mut self, place: Place, end: &Completion) {
        self.under_way -= 1;
        let own = &end.stamps;
        self.stamps.submitted_ns = self.stamps.submitted_ns.min(own.submitted_ns);
        self.stamps.returned_ns = self.stamps.returned_ns.max(own.returned_ns);
        self.stamps.reaped_ns = self.stamps.reaped_ns.max(own.reaped_ns);
        self.moved_bytes += end.bytes();
        if end.result < 0 {
            if self.failure.is_none_or(|(skip_bytes, _)| place.skip_bytes < skip_bytes) {
                self.failure = Some((place.skip_bytes, end.result));
            }
        } else if end.bytes() < u64::from(place.bytes) {
            self.gap_at_bytes = self.gap_at_bytes.min(u64::from(place.skip_bytes) + end.bytes());
        }
    }

    /// The I/O's end, when all of its parts have ended: from the first submission to the last reaping.
    #[inline]
    pub fn completion(&self, slot: u32) -> Completion {
        let moved = self.moved_bytes.min(self.gap_at_bytes).min(i32::MAX as u64) as i32;
        let result = self.failure.map_or(moved, |(_, result)| result);
        Completion { slot, result, stamps: self.stamps }
    }
}
