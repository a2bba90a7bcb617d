//! Content of writes.

use fathom_record::workload::{ConstantContent, Data};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::seed::{Purpose, random_of, seed_of, threshold};

/// One job's content, as a value that fills the next buffer.
///
/// By default every sector of every write is new and does not compress, so that neither compression
/// nor deduplication nor a shortcut for repeated writes can profit.
#[derive(Clone, Debug)]
pub struct DataPattern {
    /// Share of each piece that is random, as a factor of 2^-32; the rest is zeros.
    random_share: u64,
    /// A draw below this repeats one of the fixed contents; 0 for never.
    duplicate_below: u64,
    /// Seed of the first fixed content; the same for all jobs.
    duplicate_seed: u64,
    /// What is there in place of zeros, and where all is; absent: zeros.
    fixed: Option<FixedContent>,
    random: Xoshiro256PlusPlus,
}

/// Content that is not drawn by chance.
#[derive(Clone, Debug)]
enum FixedContent {
    /// These bytes, again and again.
    Pattern(Box<[u8]>),
    /// What a buffer was first filled with.
    Kept,
}

/// The share that compresses is kept in every piece of this size.
const PIECE_BYTES: usize = 4096;
/// Smallest unit that a device could compare with an earlier one.
const SECTOR_BYTES: usize = 512;
/// From one sector's start to the next one's: odd, so that 2^64 sectors differ (2^64 over the golden ratio).
const SECTOR_STEP: u64 = 0x9E37_79B9_7F4A_7C15;
/// Number of contents that repeat, a power of two.
const DUPLICATES: u64 = 16;

impl DataPattern {
    /// The content of job number `job`; `seed` is the workload's.
    pub fn new(data: &Data, seed: u64, job: u32) -> Self {
        let random_share = (1.0 - data.compressible_share.clamp(0.0, 1.0)) * 2f64.powi(32);
        Self {
            random_share: random_share.round() as u64,
            duplicate_below: threshold(data.duplicate_share),
            duplicate_seed: seed_of(seed, Purpose::Duplicate, 0),
            fixed: None,
            random: random_of(seed, Purpose::Data, job),
        }
    }

    /// The same with content that is told. A pattern is all of it where no share compresses.
    pub fn with(mut self, content: Option<&ConstantContent>) -> Self {
        self.fixed = match content {
            None => None,
            Some(ConstantContent::Kept) => Some(FixedContent::Kept),
            Some(content) => content.pattern().map(|bytes| FixedContent::Pattern(bytes.into_boxed_slice())),
        };
        if let Some(FixedContent::Pattern(_)) = self.fixed
            && self.random_share == 1 << 32
        {
            self.random_share = 0;
        }
        self
    }

    /// Makes `buffer` the content of the next write.
    ///
    /// `still_filled` says that all of `buffer` still holds what this value once filled it with, but
    /// for changes at the start of blocks. Then only 8 bytes of each 512-byte sector are renewed, which
    /// is enough to make each sector unlike any other.
    #[inline]
    pub fn fill(&mut self, buffer: &mut [u8], still_filled: bool) {
        if self.duplicate_below > 0 {
            let draw = self.random.next_u64();
            if draw < self.duplicate_below {
                return self.fill_again(buffer);
            }
        }
        if still_filled {
            if !matches!(self.fixed, Some(FixedContent::Kept)) {
                self.renew(buffer);
            }
        } else {
            let seed = self.random.next_u64();
            self.fill_from(seed, buffer);
        }
    }

    /// One of the fixed contents: equal bytes for equal lengths, whichever job asks.
    fn fill_again(&mut self, buffer: &mut [u8]) {
        let which = self.random.next_u64() & (DUPLICATES - 1);
        self.fill_from(self.duplicate_seed.wrapping_add(which), buffer);
    }

    fn fill_from(&self, seed: u64, buffer: &mut [u8]) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for (piece, number) in buffer.chunks_mut(PIECE_BYTES).zip(0..) {
            let (content, zeros) = piece.split_at_mut(self.random_bytes(piece.len()));
            random.fill_bytes(content);
            match &self.fixed {
                Some(FixedContent::Pattern(bytes)) => {
                    repeat(bytes, number * PIECE_BYTES + content.len(), zeros)
                }
                _ => zeros.fill(0),
            }
        }
    }

    /// One draw for all sectors: steps of an odd number never meet within a write, and do not wait for one another as
    /// draws do.
    fn renew(&mut self, buffer: &mut [u8]) {
        let mut next = self.random.next_u64();
        for piece in buffer.chunks_mut(PIECE_BYTES) {
            let random_bytes = self.random_bytes(piece.len());
            for sector in piece[..random_bytes].chunks_mut(SECTOR_BYTES) {
                if let Some(start) = sector.first_chunk_mut::<8>() {
                    *start = next.to_le_bytes();
                    next = next.wrapping_add(SECTOR_STEP);
                }
            }
        }
    }

    /// Bytes at the start of a piece that are random, whole words.
    #[inline(always)]
    fn random_bytes(&self, piece_bytes: usize) -> usize {
        ((piece_bytes as u64 * self.random_share) >> 32) as usize & !7
    }
}

/// Fills a part of a buffer, `skip` bytes from its start, with a pattern that begins there.
fn repeat(pattern: &[u8], skip: usize, part: &mut [u8]) {
    let first = skip % pattern.len();
    let (head, rest) = part.split_at_mut(part.len().min(pattern.len() - first));
    head.copy_from_slice(&pattern[first..first + head.len()]);
    for again in rest.chunks_mut(pattern.len()) {
        again.copy_from_slice(&pattern[..again.len()]);
    }
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
