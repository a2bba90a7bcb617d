//! One after the other, every so many bytes, or backwards, in one job's own part of the span.

use super::extent::Extent;
use crate::pattern::Geometry;

/// Forward from the start of the part, and again from its start when the next I/O would leave it.
#[derive(Clone, Debug)]
pub(super) struct ForwardAddresses {
    extent: Extent,
    /// Where the next I/O starts, relative to the part.
    position: u64,
}

impl ForwardAddresses {
    pub fn new(geometry: &Geometry, job: u32, jobs: u32) -> Self {
        Self { extent: Extent::part(geometry, geometry.part(job, jobs)), position: 0 }
    }

    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        let start = if self.position > self.extent.last_start { 0 } else { self.position };
        self.position = start + self.extent.advance_bytes;
        self.extent.first_byte + start
    }
}

/// Forward by the stride; at the end of the part the next lap starts one I/O further than the last,
/// and after a whole stride of laps from the start, so that in the end every byte had its turn.
#[derive(Clone, Debug)]
pub(super) struct StridedAddresses {
    extent: Extent,
    stride_bytes: u64,
    /// Start of this lap, relative to the part; below the stride.
    lap: u64,
    position: u64,
}

impl StridedAddresses {
    pub fn new(geometry: &Geometry, job: u32, jobs: u32, stride_bytes: u64) -> Self {
        Self {
            extent: Extent::part(geometry, geometry.part(job, jobs)),
            // Geometry::of refuses other strides; an address between two blocks must not come out.
            stride_bytes: stride_bytes.max(1).next_multiple_of(geometry.block_bytes),
            lap: 0,
            position: 0,
        }
    }

    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        if self.position > self.extent.last_start {
            self.lap += self.extent.advance_bytes;
            if self.lap >= self.stride_bytes || self.lap > self.extent.last_start {
                self.lap = 0;
            }
            self.position = self.lap;
        }
        let start = self.position;
        self.position = start.saturating_add(self.stride_bytes);
        self.extent.first_byte + start
    }
}

/// From the end of the part to its start, and again from the end.
#[derive(Clone, Debug)]
pub(super) struct BackwardAddresses {
    extent: Extent,
    step_bytes: u64,
    /// Start of the last I/O, relative to the part; none before the first.
    last: Option<u64>,
}

impl BackwardAddresses {
    pub fn new(geometry: &Geometry, job: u32, jobs: u32, step_bytes: u64) -> Self {
        Self {
            extent: Extent::part(geometry, geometry.part(job, jobs)),
            // Geometry::of refuses other steps; an address between two blocks must not come out.
            step_bytes: step_bytes.max(1).next_multiple_of(geometry.block_bytes),
            last: None,
        }
    }

    #[inline(always)]
    pub fn next(&mut self, bytes: u32) -> u64 {
        self.extent.fit(bytes);
        let before = self.last.and_then(|last| last.checked_sub(self.step_bytes));
        let start = match before {
            Some(start) => start.min(self.extent.last_start),
            None => self.extent.last_start.saturating_sub(self.step_bytes),
        };
        self.last = Some(start);
        self.extent.first_byte + start
    }
}
