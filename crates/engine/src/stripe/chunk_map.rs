//! Where each byte of a stripe lies: chunk by chunk on one member after the other, as RAID-0 does it.

use std::ops::Range;

use fathom_record::options::CHUNK_UNIT_BYTES;

use crate::{EngineError, ErrorKind};

/// One address space over the members of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    members: u64,
    chunk_bytes: u64,
    member_bytes: u64,
}

/// The stretch of an I/O that lies in one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// On which member, from 0.
    pub member: u32,
    /// First byte on that member.
    pub offset: u64,
    /// Bytes of the I/O before this stretch.
    pub skip_bytes: u32,
    /// Length; 0 for a flush.
    pub bytes: u32,
}

impl Layout {
    /// A stripe over members of these sizes in bytes: of each as many whole chunks as the smallest holds.
    /// `block_bytes` is the largest logical block among them.
    ///
    /// # Errors
    /// With fewer than two members, with a chunk that is no multiple of 4 KiB and of the block, or that
    /// the smallest member does not hold.
    pub fn new(sizes: &[u64], chunk_bytes: u64, block_bytes: u32) -> Result<Self, EngineError> {
        let refuse = |cause: String, remedy: &str| {
            let error = EngineError::new(ErrorKind::Plan, "striping the targets", cause);
            Err(error.with_remedy(remedy))
        };
        if sizes.len() < 2 {
            let cause = format!("a stripe takes two targets or more, and {} is named", sizes.len());
            return refuse(cause, "give --target again for each further one, or leave --stripe out");
        }
        for (unit, whose) in [(CHUNK_UNIT_BYTES, "a page"), (block_bytes.into(), "the largest logical block")]
        {
            if chunk_bytes == 0 || !chunk_bytes.is_multiple_of(unit.max(1)) {
                let cause =
                    format!("a chunk of {chunk_bytes} bytes is not a multiple of {whose}, {unit} bytes");
                return refuse(cause, "use a larger power of two, e.g. --stripe 64k");
            }
        }
        let (members, smallest) = (sizes.len() as u64, sizes.iter().copied().min().unwrap_or(0));
        let member_bytes = smallest / chunk_bytes * chunk_bytes;
        if member_bytes == 0 {
            let cause = format!(
                "the smallest target has {smallest} bytes, which do not hold one chunk of {chunk_bytes}"
            );
            return refuse(cause, "use a smaller --stripe, or larger targets");
        }
        if member_bytes.checked_mul(members).is_none() {
            let cause = format!("{members} targets of {member_bytes} bytes are more than 64 bits count");
            return refuse(cause, "use a --size");
        }
        Ok(Self { members, chunk_bytes, member_bytes })
    }

    /// Bytes that a member must have for a stripe of at least `bytes` over `members`.
    pub fn share_bytes(bytes: u64, members: usize, chunk_bytes: u64) -> u64 {
        let chunks = bytes.div_ceil(chunk_bytes.max(1)).div_ceil(members.max(1) as u64);
        chunks.saturating_mul(chunk_bytes)
    }

    /// Size of the address space.
    pub fn size_bytes(&self) -> u64 {
        self.member_bytes * self.members
    }

    /// Bytes that lie on one member before the next one's turn.
    pub fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Number of members.
    pub fn members(&self) -> u32 {
        self.members as u32
    }

    /// The stretches of an I/O, in the order of its bytes.
    #[inline]
    pub fn pieces(&self, offset: u64, bytes: u32) -> Pieces {
        Pieces { layout: *self, offset, skip_bytes: 0, left_bytes: bytes }
    }

    /// How many stretches an I/O within the address space has; `bytes` is at least 1.
    #[inline]
    pub fn pieces_of(&self, offset: u64, bytes: u32) -> u64 {
        (offset + u64::from(bytes) - 1) / self.chunk_bytes - offset / self.chunk_bytes + 1
    }

    /// Most stretches that an I/O of at most `largest_bytes` has, at a multiple of `block_bytes`.
    pub fn most_pieces(&self, largest_bytes: u32, block_bytes: u64) -> u64 {
        // An I/O starts at a multiple of the common divisor, so at least that much is left of its first chunk.
        let first = greatest_common_divisor(block_bytes, self.chunk_bytes);
        1 + u64::from(largest_bytes).saturating_sub(first).div_ceil(self.chunk_bytes)
    }

    /// The bytes of each member that a span of the stripe touches, to whole chunks.
    pub fn span_on_members(&self, span: Range<u64>) -> Range<u64> {
        let row_bytes = self.chunk_bytes * self.members;
        let first = span.start / row_bytes * self.chunk_bytes;
        let end = span.end.div_ceil(row_bytes).saturating_mul(self.chunk_bytes);
        first..end.min(self.member_bytes)
    }
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// See [`Layout::pieces`].
#[derive(Clone, Debug)]
pub struct Pieces {
    layout: Layout,
    offset: u64,
    skip_bytes: u32,
    left_bytes: u32,
}

impl Iterator for Pieces {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        if self.left_bytes == 0 {
            return None;
        }
        let Layout { members, chunk_bytes, .. } = self.layout;
        let (chunk, within) = (self.offset / chunk_bytes, self.offset % chunk_bytes);
        let (row, member) = (chunk / members, chunk % members);
        let bytes = (chunk_bytes - within).min(self.left_bytes.into()) as u32;
        let piece = Piece {
            member: member as u32,
            offset: row * chunk_bytes + within,
            skip_bytes: self.skip_bytes,
            bytes,
        };
        self.offset += u64::from(bytes);
        self.skip_bytes += bytes;
        self.left_bytes -= bytes;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Layouts of few bytes, so that every one of them can be looked at.
    fn layout() -> impl Strategy<Value = Layout> {
        (2u64..6, 1u64..5, 1u64..6, 0u64..4096).prop_map(|(members, pages, chunks, rest)| {
            let sizes: Vec<u64> =
                (0..members).map(|member| pages * 4096 * (chunks + member % 2) + rest).collect();
            Layout::new(&sizes, pages * 4096, 512).expect("a layout")
        })
    }

    proptest! {
        #[test]
        fn pieces_tile_an_io_and_stay_within_their_chunks(
            layout in layout(), at in any::<prop::sample::Index>(), length in any::<prop::sample::Index>()
        ) {
            let sectors = (layout.size_bytes() / 512) as usize;
            let first = at.index(sectors);
            let count = 1 + length.index(sectors - first);
            let (offset, bytes) = (first as u64 * 512, count as u32 * 512);
            let pieces: Vec<Piece> = layout.pieces(offset, bytes).collect();
            let mut skip = 0;
            for piece in &pieces {
                prop_assert_eq!(piece.skip_bytes, skip);
                prop_assert!(piece.bytes > 0 && u64::from(piece.member) < layout.members);
                let (start, end) = (piece.offset, piece.offset + u64::from(piece.bytes));
                prop_assert!(end <= layout.member_bytes);
                prop_assert_eq!(start / layout.chunk_bytes, (end - 1) / layout.chunk_bytes);
                skip += piece.bytes;
            }
            prop_assert_eq!(skip, bytes);
            prop_assert_eq!(pieces.len() as u64, layout.pieces_of(offset, bytes));
            prop_assert!(pieces.len() as u64 <= layout.most_pieces(bytes, 512));
            let on_members = layout.span_on_members(offset..offset + u64::from(bytes));
            prop_assert!(pieces.iter().all(|piece| on_members.start <= piece.offset
                && piece.offset + u64::from(piece.bytes) <= on_members.end));
        }

        #[test]
        fn every_byte_lies_on_one_byte_of_one_member(layout in layout()) {
            // Sectors stand for bytes: within one, neighbours stay neighbours.
            let place = |sector: u64| {
                let pieces: Vec<Piece> = layout.pieces(sector * 512, 512).collect();
                assert_eq!(pieces.len(), 1);
                (pieces[0].member, pieces[0].offset)
            };
            let sectors = layout.size_bytes() / 512;
            let places: BTreeSet<_> = (0..sectors).map(place).collect();
            prop_assert_eq!(places.len() as u64, sectors, "two sectors on one place");
            prop_assert_eq!(places.last().map(|last| last.1 + 512), Some(layout.member_bytes));
        }
    }

    #[test]
    fn the_most_pieces_are_reached() {
        let layout = Layout::new(&[1 << 20, 1 << 20], 16 << 10, 512).unwrap();
        for (bytes, block, most) in
            [(4096, 4096, 1), (4096, 512, 2), (16384, 4096, 2), (65536, 65536, 4), (65536, 4096, 5)]
        {
            let starts = (0..64u64).map(|at| at * block).filter(|start| start + 65536 <= layout.size_bytes());
            let found = starts.map(|start| layout.pieces(start, bytes).count()).max();
            assert_eq!(
                (found, layout.most_pieces(bytes, block)),
                (Some(most), most as u64),
                "{bytes} at {block}"
            );
        }
    }

    #[test]
    fn a_stripe_over_three_lies_as_raid_0_does() {
        let layout = Layout::new(&[100_000, 70_000, 80_000], 8192, 4096).unwrap();
        assert_eq!((layout.members(), layout.size_bytes()), (3, 3 * 65_536));
        let piece = |member, offset, skip_bytes, bytes| Piece { member, offset, skip_bytes, bytes };
        let pieces: Vec<_> = layout.pieces(8192 * 4 + 4096, 20_480).collect();
        assert_eq!(
            pieces,
            [piece(1, 12_288, 0, 4096), piece(2, 8192, 4096, 8192), piece(0, 16_384, 12_288, 8192)]
        );
        assert_eq!(Layout::share_bytes(8192 * 4, 3, 8192), 16_384);
        assert_eq!(layout.span_on_members(0..1), 0..8192);
    }

    #[test]
    fn what_makes_no_stripe_is_refused_with_numbers() {
        let cause = |sizes: &[u64], chunk, block| Layout::new(sizes, chunk, block).unwrap_err().cause;
        assert!(cause(&[1 << 20], 65_536, 512).contains("two targets"));
        assert!(cause(&[1 << 20; 2], 6000, 512).contains("6000 bytes"));
        assert!(cause(&[1 << 20; 2], 0, 512).contains("0 bytes"));
        assert!(cause(&[1 << 20; 2], 8192, 16_384).contains("16384"));
        assert!(cause(&[1 << 20, 60_000], 65_536, 512).contains("60000 bytes"));
        assert!(cause(&[u64::MAX; 3], 65_536, 512).contains("64 bits"));
    }
}
