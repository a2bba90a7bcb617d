//! A run of blocks on the target, and where an I/O of a given size may start in it.

use crate::pattern::Geometry;

/// Bytes of the target, cut into blocks, with the answers for the size that was asked last kept:
/// sizes rarely change from one I/O to the next, so no division is left on that path.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    pub first_byte: u64,
    bytes: u64,
    block_bytes: u64,
    /// log2 of the block, where it has one.
    shift: Option<u32>,
    fitted_bytes: u32,
    /// Number of block-aligned starts that keep the I/O inside; at least 1.
    pub starts: u64,
    /// The last of them, relative to `first_byte`.
    pub last_start: u64,
    /// The I/O's length rounded up to blocks.
    pub advance_bytes: u64,
}

impl Extent {
    /// The whole span.
    pub fn whole(geometry: &Geometry) -> Self {
        Self::part(geometry, (geometry.first_byte, geometry.span_bytes))
    }

    /// A part of the span: first byte on the target, and length.
    pub fn part(geometry: &Geometry, (first_byte, bytes): (u64, u64)) -> Self {
        let block_bytes = geometry.block_bytes;
        let shift = block_bytes.is_power_of_two().then(|| block_bytes.trailing_zeros());
        let mut extent = Self {
            first_byte,
            bytes,
            block_bytes,
            shift,
            fitted_bytes: 0,
            starts: 1,
            last_start: 0,
            advance_bytes: block_bytes,
        };
        extent.refit(geometry.smallest_io_bytes);
        extent
    }

    /// Makes the three answers those for I/Os of `bytes`.
    #[inline(always)]
    pub fn fit(&mut self, bytes: u32) {
        if bytes != self.fitted_bytes {
            self.refit(bytes);
        }
    }

    fn refit(&mut self, bytes: u32) {
        let blocks = |bytes: u64| match self.shift {
            Some(shift) => bytes >> shift,
            None => bytes / self.block_bytes,
        };
        let last = blocks(self.bytes.saturating_sub(u64::from(bytes)));
        let advance = blocks(u64::from(bytes) + self.block_bytes - 1);
        self.fitted_bytes = bytes;
        self.starts = last + 1;
        self.last_start = last * self.block_bytes;
        self.advance_bytes = advance * self.block_bytes;
    }

    /// First byte of the block that a number below `starts` stands for.
    #[inline(always)]
    pub fn block(&self, index: u64) -> u64 {
        self.first_byte + index * self.block_bytes
    }
}
