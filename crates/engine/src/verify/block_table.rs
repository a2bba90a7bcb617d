//! What a run knows of every block of its span, shared by all its jobs.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use fathom_record::workload::{Sizes, Workload};

use super::stamp::STAMP_BYTES;
use super::state::BlockState;
use crate::pattern::Geometry;
use crate::{EngineError, ErrorKind, Io};

/// One word a block. Made before the run; nothing in it is locked or grows.
#[derive(Debug)]
pub struct VerifyTable {
    first_byte: u64,
    block_bytes: u32,
    tag: u64,
    judges_earlier: bool,
    states: Box<[AtomicU64]>,
}

/// Memory that a table may take.
const LIMIT_BYTES: u64 = 1 << 30;

impl VerifyTable {
    /// A table of the blocks of `block_bytes` from `first_byte`, a multiple of that, on over
    /// `span_bytes`; a last part of a block is left out. `tag` is the run's and differs from every
    /// other run's on the same target, also from a replay's with the same seed.
    ///
    /// # Errors
    /// When the table would take more than 1 GiB, or the blocks are too small for a stamp.
    pub fn new(first_byte: u64, span_bytes: u64, block_bytes: u32, tag: u64) -> Result<Self, EngineError> {
        const PLACE: &str = "making the table of blocks to verify";
        if (block_bytes as usize) < STAMP_BYTES || !first_byte.is_multiple_of(u64::from(block_bytes)) {
            let cause =
                format!("blocks of {block_bytes} bytes from byte {first_byte} on cannot carry stamps");
            return Err(EngineError::new(ErrorKind::Plan, PLACE, cause)
                .with_remedy("use --align 4k, or turn verification off"));
        }
        let blocks = span_bytes / u64::from(block_bytes);
        let table_bytes = blocks.saturating_mul(size_of::<AtomicU64>() as u64);
        if table_bytes > LIMIT_BYTES {
            let most = LIMIT_BYTES / size_of::<AtomicU64>() as u64 * u64::from(block_bytes);
            let cause = format!(
                "{blocks} blocks of {block_bytes} bytes need {table_bytes} bytes of memory, above the limit of {LIMIT_BYTES}"
            );
            return Err(EngineError::new(ErrorKind::Unsupported, PLACE, cause).with_remedy(format!(
                "use --size {} or less, or larger blocks (--bs, --align)",
                fathom_measure::Bytes(most).to_string().replace(' ', "")
            )));
        }
        let mut states = Vec::new();
        states.try_reserve_exact(blocks as usize).map_err(|error| {
            EngineError::new(ErrorKind::System, PLACE, format!("{table_bytes} bytes: {error}"))
                .with_source(error)
                .with_remedy("use a smaller --size, or larger blocks (--bs, --align)")
        })?;
        states.resize_with(blocks as usize, AtomicU64::default);
        Ok(Self { first_byte, block_bytes, tag, judges_earlier: true, states: states.into_boxed_slice() })
    }

    /// The table for a workload: its blocks are the largest that every I/O consists of whole ones.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(workload: &Workload, geometry: &Geometry, tag: u64) -> Result<Self, EngineError> {
        let mut block_bytes = divisor(geometry.block_bytes, geometry.first_byte);
        for sizes in [&workload.sizes.read, &workload.sizes.write, &workload.sizes.trim] {
            block_bytes = match sizes {
                Sizes::Fixed { bytes } => divisor(block_bytes, *bytes),
                Sizes::Range { min_bytes, step_bytes, .. } => {
                    divisor(divisor(block_bytes, *min_bytes), *step_bytes)
                }
                Sizes::Split { shares } => {
                    shares.iter().fold(block_bytes, |all, part| divisor(all, part.bytes))
                }
            };
        }
        // No larger than the smallest size, so it fits.
        let table = Self::new(geometry.first_byte, geometry.span_bytes, block_bytes as u32, tag)?;
        Ok(Self { judges_earlier: !workload.mix.changes_data(), ..table })
    }

    /// Bytes of one block.
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// Whether what an earlier run stamped and what is whole no more is held against the target. That is what a run
    /// asks that only reads. One that writes answers for its own writes: what others wrote since the earlier run it
    /// cannot know.
    pub fn judges_earlier(&self) -> bool {
        self.judges_earlier
    }

    /// The run's tag.
    pub fn tag(&self) -> u64 {
        self.tag
    }

    /// What to read back after a run: first byte on the target and length of every stretch of blocks
    /// that certainly hold a write of this run, none longer than `most_bytes` (but at least a block).
    /// Meant for when no job is writing any more.
    pub fn written(&self, most_bytes: u32) -> impl Iterator<Item = (u64, u32)> + '_ {
        let most_blocks = (most_bytes / self.block_bytes).max(1) as usize;
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = (next..self.states.len()).find(|&index| self.state(index).is_settled())?;
            let limit = (start + most_blocks).min(self.states.len());
            let end = (start + 1..limit).find(|&index| !self.state(index).is_settled()).unwrap_or(limit);
            next = end;
            Some((self.offset(start), (end - start) as u32 * self.block_bytes))
        })
    }

    /// First byte on the target of a block.
    pub(super) fn offset(&self, index: usize) -> u64 {
        self.first_byte + index as u64 * u64::from(self.block_bytes)
    }

    /// The blocks that an I/O touches, and whether it touches only whole ones, all in the table.
    pub(super) fn blocks(&self, io: &Io) -> (Range<usize>, bool) {
        let block = u64::from(self.block_bytes);
        let end = io.offset.saturating_add(u64::from(io.bytes));
        let (from, to) = (io.offset.saturating_sub(self.first_byte), end.saturating_sub(self.first_byte));
        let limit = self.states.len() as u64;
        let range = (from / block).min(limit)..to.div_ceil(block).min(limit);
        let whole =
            io.offset >= self.first_byte && from % block == 0 && to % block == 0 && to / block <= limit;
        (range.start as usize..range.end as usize, whole)
    }

    pub(super) fn state(&self, index: usize) -> BlockState {
        BlockState(self.states[index].load(Ordering::Acquire))
    }

    /// Begins a write of one block; gives the state before.
    pub(super) fn begin(&self, index: usize) -> BlockState {
        self.change(index, BlockState::begin)
    }

    /// Ends it.
    pub(super) fn end(&self, index: usize, known: bool) {
        self.change(index, |state| state.end(known));
    }

    /// Takes a write back that was begun from `before` but never handed to the target. Where another
    /// write came in between, the block counts as uncertain.
    pub(super) fn take_back(&self, index: usize, before: BlockState) {
        let begun = before.begin().0;
        let taken = self.states[index].compare_exchange(begun, before.0, Ordering::AcqRel, Ordering::Acquire);
        if taken.is_err() {
            self.end(index, false);
        }
    }

    fn change(&self, index: usize, to: impl Fn(BlockState) -> BlockState) -> BlockState {
        let state = &self.states[index];
        let mut before = state.load(Ordering::Acquire);
        loop {
            let after = to(BlockState(before)).0;
            match state.compare_exchange_weak(before, after, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return BlockState(before),
                Err(now) => before = now,
            }
        }
    }
}

/// Greatest common divisor; 0 has every divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
