//! One after the other within parts of a job's span, with gaps between them that are left out.

use super::extent::Extent;
use crate::pattern::Geometry;

/// Forward through a part, over the gap, through the next part, and again from the start.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    extent: Extent,
    part_bytes: u64,
    /// From the start of one part to that of the next.
    stride_bytes: u64,
    /// Start of this part, and of the next I/O in it.
    part: u64,
    within: u64,
}

impl Parts {
    pub fn new(geometry: &Geometry, job: u32, jobs: u32, (part_bytes, gap_bytes): (u64, u64)) -> Self {
        // Geometry::of refuses other parts; an address between two blocks must not come out.
        let whole = |bytes: u64| bytes.next_multiple_of(geometry.block_bytes);
        let part_bytes = whole(part_bytes.max(1));
        Self {
            extent: Extent::part(geometry, geometry.part(job, jobs)),
            part_bytes,
            stride_bytes: part_bytes.saturating_add(whole(gap_bytes)),
            part: 0,
            within: 0,
        }
    }

    /// The last I/O of a part may reach into the gap, where the part is no multiple of its length.
    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        if self.within >= self.part_bytes {
            self.within = 0;
            self.part = self.part.saturating_add(self.stride_bytes);
        }
        if self.part.saturating_add(self.within) > self.extent.last_start {
            (self.part, self.within) = (0, 0);
        }
        let start = self.part + self.within;
        self.within += self.extent.advance_bytes;
        self.extent.first_byte + start
    }
}
