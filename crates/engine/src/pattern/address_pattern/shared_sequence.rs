//! One after the other, with one position that all jobs share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::extent::Extent;
use crate::pattern::Geometry;

/// Takes the next place of a counter that only grows; laps over the span are subtracted here, so that
/// the counter needs one atomic addition and no loop.
#[derive(Clone, Debug)]
pub(super) struct SharedSequence {
    extent: Extent,
    /// Bytes that the jobs have claimed together, over all laps.
    cursor: Arc<AtomicU64>,
    /// Bytes of one lap; the same for all jobs.
    lap_bytes: u64,
    /// Start of the last lap that this job saw.
    lap_start: u64,
}

impl SharedSequence {
    pub fn new(geometry: &Geometry, cursor: &Arc<AtomicU64>) -> Self {
        let unit_bytes = geometry.unit_bytes();
        Self {
            extent: Extent::whole(geometry),
            cursor: Arc::clone(cursor),
            lap_bytes: (geometry.span_bytes / unit_bytes).max(1) * unit_bytes,
            lap_start: 0,
        }
    }

    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        // The position itself is all that is shared; nothing else is published through it.
        let claimed = self.cursor.fetch_add(self.extent.advance_bytes, Ordering::Relaxed);
        let mut start = claimed.wrapping_sub(self.lap_start);
        if start >= self.lap_bytes {
            self.lap_start = claimed - claimed % self.lap_bytes;
            start = claimed - self.lap_start;
        }
        // A larger I/O than the unit may be claimed across the end of a lap.
        self.extent.first_byte + start.min(self.extent.last_start)
    }
}
