//! The part of a target that a workload uses, and the grid of blocks on it.

use std::ops::Range;

use fathom_record::Direction;
use fathom_record::workload::{Addresses, Sizes, Workload};

use crate::{EngineError, ErrorKind};

/// Where a workload's I/Os may lie. The same for all jobs of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// First byte of the span on the target; a multiple of the block, unless blocks are counted from it.
    pub first_byte: u64,
    /// Bytes of the span; at least the largest I/O.
    pub span_bytes: u64,
    /// Offsets are multiples of this.
    pub block_bytes: u64,
    /// Smallest I/O of any direction in use, in bytes.
    pub smallest_io_bytes: u32,
    /// Largest I/O of any direction in use, in bytes.
    pub largest_io_bytes: u32,
}

impl Geometry {
    /// A span of `span_bytes` from `first_byte` on, held to multiples of `block_bytes`. A first byte
    /// between two blocks moves up to the next.
    ///
    /// # Errors
    /// When the span does not hold one I/O of the largest size.
    pub fn new(
        first_byte: u64,
        span_bytes: u64,
        block_bytes: u64,
        io_bytes: (u32, u32),
    ) -> Result<Self, EngineError> {
        let (smallest_io_bytes, largest_io_bytes) = io_bytes;
        let refuse = |cause: String, remedy: &str| {
            Err(EngineError::new(ErrorKind::Plan, "laying out the workload's span", cause)
                .with_remedy(remedy))
        };
        if block_bytes == 0 || smallest_io_bytes == 0 || smallest_io_bytes > largest_io_bytes {
            return refuse(
                format!(
                    "blocks of {block_bytes} bytes and I/Os of {smallest_io_bytes} to {largest_io_bytes} bytes"
                ),
                "give sizes above 0, e.g. --bs 4k",
            );
        }
        let skipped_bytes = match first_byte % block_bytes {
            0 => 0,
            over => block_bytes - over,
        };
        let left_bytes = span_bytes.saturating_sub(skipped_bytes);
        let fits = first_byte.checked_add(span_bytes).is_some();
        if !fits || left_bytes < u64::from(largest_io_bytes) {
            return refuse(
                format!(
                    "{span_bytes} bytes from byte {first_byte} on do not hold an aligned I/O of {largest_io_bytes} bytes"
                ),
                "use a smaller --offset, a larger --size or a smaller --bs",
            );
        }
        Ok(Self {
            first_byte: first_byte + skipped_bytes,
            span_bytes: left_bytes,
            block_bytes,
            smallest_io_bytes,
            largest_io_bytes,
        })
    }

    /// The span that `workload` uses of a target of `target_bytes`.
    ///
    /// # Errors
    /// When the workload reaches beyond the target, or its largest I/O does not fit.
    pub fn of(workload: &Workload, target_bytes: u64) -> Result<Self, EngineError> {
        let beyond = || {
            EngineError::new(
                ErrorKind::Plan,
                "laying out the workload's span",
                format!(
                    "the workload reaches beyond the target's {target_bytes} bytes (offset {}, size {})",
                    workload.offset_bytes,
                    workload.span_bytes.map_or("to the end".to_owned(), |bytes| bytes.to_string())
                ),
            )
            .with_remedy("use a smaller --offset or --size")
        };
        let rest = target_bytes.checked_sub(workload.offset_bytes).ok_or_else(beyond)?;
        let span_bytes = workload.span_bytes.unwrap_or(rest);
        if span_bytes > rest {
            return Err(beyond());
        }
        let (smallest, largest) = io_bytes(workload);
        let block_bytes = workload.alignment_bytes.unwrap_or(u64::from(smallest));
        let from_offset = workload.special.as_ref().is_some_and(|special| special.blocks_from_offset);
        let geometry = match from_offset {
            true => Self {
                first_byte: workload.offset_bytes,
                ..Self::new(0, span_bytes, block_bytes, (smallest, largest))?
            },
            false => Self::new(workload.offset_bytes, span_bytes, block_bytes, (smallest, largest))?,
        };
        if let Addresses::Strided { stride_bytes } = workload.addresses
            && stride_bytes % block_bytes != 0
        {
            return Err(EngineError::new(
                ErrorKind::Plan,
                "laying out the workload's span",
                format!(
                    "a stride of {stride_bytes} bytes is not a multiple of the alignment of {block_bytes}"
                ),
            )
            .with_remedy("use a stride that is a multiple of the alignment, or a smaller --align"));
        }
        let parts = match workload.addresses {
            Addresses::Backwards { step_bytes } => [step_bytes, 0],
            Addresses::Parts { part_bytes, gap_bytes } => [part_bytes, gap_bytes],
            _ => [0, 0],
        };
        if parts.iter().any(|bytes| bytes % block_bytes != 0) {
            let cause =
                format!("the pattern does not go by multiples of the alignment of {block_bytes} bytes");
            return Err(EngineError::new(ErrorKind::Plan, "laying out the workload's span", cause)
                .with_remedy(
                    "use a step, parts and gaps that are multiples of the alignment, or a smaller --align",
                ));
        }
        if let Addresses::Laps { step_bytes, apart_bytes, .. } = workload.addresses
            && (step_bytes.unwrap_or(0) % block_bytes != 0 || apart_bytes % block_bytes != 0)
        {
            let cause = format!("laps do not go by multiples of the alignment of {block_bytes} bytes");
            return Err(EngineError::new(ErrorKind::Plan, "laying out the workload's span", cause)
                .with_remedy(
                    "use a step and a distance that are multiples of the alignment, or a smaller --align",
                ));
        }
        Ok(geometry)
    }

    /// Refuses I/Os that are not made of whole logical blocks, which is all that a device takes.
    ///
    /// # Errors
    /// [`ErrorKind::Plan`] with the size, or the alignment, and the block.
    pub fn require_whole_blocks(workload: &Workload, logical_block_bytes: u32) -> Result<(), EngineError> {
        let block = u64::from(logical_block_bytes.max(1));
        let is_part = |bytes: &u64| !bytes.is_multiple_of(block);
        let part = directions_in_use(workload).find_map(|direction| match sizes_of(workload, direction) {
            Sizes::Fixed { bytes } => Some(*bytes).filter(is_part),
            Sizes::Range { min_bytes, max_bytes, step_bytes } => {
                let step = if min_bytes < max_bytes { *step_bytes } else { *min_bytes };
                [*min_bytes, step].into_iter().find(is_part)
            }
            Sizes::Split { shares } => {
                shares.iter().filter(|part| part.share > 0.0).map(|part| part.bytes).find(is_part)
            }
        });
        let what = match (part, workload.alignment_bytes.filter(is_part)) {
            (Some(bytes), _) => format!("I/O sizes of {bytes} bytes"),
            (None, Some(bytes)) => format!("offsets at multiples of {bytes} bytes"),
            (None, None) => return Ok(()),
        };
        let cause = format!("{what} are not made of whole logical blocks, which have {block} bytes here");
        Err(EngineError::new(ErrorKind::Plan, "laying out the workload's blocks", cause)
            .with_remedy(format!("use multiples of {block} for --bs and --align, or --buffered on a file")))
    }

    /// Bytes of the target that I/Os may touch.
    pub fn span(&self) -> Range<u64> {
        self.first_byte..self.first_byte + self.span_bytes
    }

    /// Distance of two starts that patterns count in: the block, or the smallest I/O rounded up to
    /// blocks where that is larger, so that I/Os of one size tile the span without overlap.
    pub fn unit_bytes(&self) -> u64 {
        u64::from(self.smallest_io_bytes).next_multiple_of(self.block_bytes)
    }

    /// Number of units that an I/O of the smallest size can start at; at least 1.
    pub fn units(&self) -> u64 {
        (self.span_bytes - u64::from(self.smallest_io_bytes)) / self.unit_bytes() + 1
    }

    /// Part of the span that belongs to one job: first byte on the target and length. The parts are
    /// equal to within a unit and do not overlap, unless they would be too small for one I/O of the
    /// largest size.
    pub(super) fn part(&self, job: u32, jobs: u32) -> (u64, u64) {
        let (job, jobs) = (u128::from(job), u128::from(jobs.max(1)));
        let edge = |job: u128| (u128::from(self.units()) * job / jobs) as u64 * self.unit_bytes();
        let start = edge(job);
        let end = if job + 1 >= jobs { self.span_bytes } else { edge(job + 1) };
        let largest = u64::from(self.largest_io_bytes);
        if end.saturating_sub(start) >= largest {
            return (self.first_byte + start, end - start);
        }
        let latest = (self.span_bytes - largest) / self.block_bytes * self.block_bytes;
        let start = start.min(latest);
        (self.first_byte + start, largest)
    }
}

/// Smallest and largest I/O over the directions that the mix uses.
fn io_bytes(workload: &Workload) -> (u32, u32) {
    let jumps = workload.special.as_deref().and_then(|special| special.jump_sizes.as_ref());
    let in_use: Vec<&Sizes> =
        directions_in_use(workload).map(|direction| sizes_of(workload, direction)).chain(jumps).collect();
    let smallest = in_use.iter().map(|sizes| sizes.min_bytes()).min().unwrap_or(0);
    let largest = in_use.iter().map(|sizes| sizes.max_bytes()).max().unwrap_or(0);
    let clamp = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
    (clamp(smallest), clamp(largest))
}

/// Largest read or write that a workload draws, in bytes; 0 for one of trims alone.
pub fn largest_transfer_bytes(workload: &Workload) -> u64 {
    let moves_data = |direction: &Direction| *direction != Direction::Trim;
    let sizes = directions_in_use(workload).filter(moves_data).map(|direction| sizes_of(workload, direction));
    sizes.map(Sizes::max_bytes).max().unwrap_or(0)
}

/// Directions with data that the mix draws.
pub(super) fn directions_in_use(workload: &Workload) -> impl Iterator<Item = Direction> {
    let shares = direction_shares(workload);
    shares.into_iter().filter(|&(_, share)| share > 0.0).map(|(direction, _)| direction)
}

/// Each direction with its share of all I/Os but flushes.
pub(super) fn direction_shares(workload: &Workload) -> [(Direction, f64); 3] {
    let mix = &workload.mix;
    // What rounding leaves of shares that add up to 1 is not a direction in use.
    let write = mix.write_share();
    let write = if write < 1e-9 { 0.0 } else { write };
    [(Direction::Read, mix.read_share), (Direction::Write, write), (Direction::Trim, mix.trim_share)]
}

/// Sizes of one direction; those of writes for a flush, which has none.
pub(super) fn sizes_of(workload: &Workload, direction: Direction) -> &Sizes {
    match direction {
        Direction::Read => &workload.sizes.read,
        Direction::Write | Direction::Flush => &workload.sizes.write,
        Direction::Trim => &workload.sizes.trim,
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::workload::SizeShare;

    use super::*;
    use crate::pattern::test_workload::plain;

    #[test]
    fn parts_of_logical_blocks_are_refused() {
        let judged = |block: u32, change: &dyn Fn(&mut Workload)| {
            let mut workload = plain();
            workload.sizes.read = Sizes::Fixed { bytes: 4096 };
            change(&mut workload);
            Geometry::require_whole_blocks(&workload, block).map_err(|error| error.cause)
        };
        assert_eq!(judged(4096, &|_| ()), Ok(()));
        let cause = judged(8192, &|_| ()).unwrap_err();
        assert!(cause.contains("sizes of 4096 bytes") && cause.contains("8192 bytes here"), "{cause}");
        let range = |min_bytes, step_bytes| Sizes::Range { min_bytes, max_bytes: 65536, step_bytes };
        assert_eq!(judged(4096, &|workload| workload.sizes.read = range(8192, 4096)), Ok(()));
        assert!(judged(4096, &|workload| workload.sizes.read = range(8192, 512)).is_err());
        let part = |bytes, share| SizeShare { bytes, share };
        let split = |share| Sizes::Split { shares: vec![part(4096, 1.0 - share), part(512, share)] };
        assert!(judged(4096, &|workload| workload.sizes.read = split(0.1)).is_err());
        assert_eq!(judged(4096, &|workload| workload.sizes.read = split(0.0)), Ok(()));
        assert!(judged(4096, &|workload| workload.alignment_bytes = Some(512)).is_err());
        // Writes that are not drawn do not matter.
        assert_eq!(judged(4096, &|workload| workload.sizes.write = Sizes::Fixed { bytes: 512 }), Ok(()));
    }
}
