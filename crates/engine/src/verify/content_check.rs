//! Holds what was read against what was written.

use super::block_table::VerifyTable;
use super::stamp::{Stamp, Start, is_whole};
use super::state::BlockState;
use super::verify_report::{Damage, VerifyReport};

/// One read: its first block, its content, and the states of its blocks before it was submitted.
pub(super) struct Evidence<'a> {
    pub table: &'a VerifyTable,
    pub first_block: usize,
    /// Whole blocks.
    pub content: &'a [u8],
    /// One entry a block.
    pub before: &'a [BlockState],
}

/// Sectors that a block of an earlier run may have been overwritten in.
const SECTOR_BYTES: usize = 512;

impl Evidence<'_> {
    /// Judges every block, and counts and keeps what was found.
    pub fn judge(&self, report: &mut VerifyReport) {
        let block_bytes = self.table.block_bytes() as usize;
        let mut at = 0;
        while at < self.content.len() {
            let block = at / block_bytes;
            if at % block_bytes == 0 && !self.is_untouched(block) {
                self.judge_own(block, report);
                at += block_bytes;
            } else {
                at = self.judge_foreign(at, report).unwrap_or((block + 1) * block_bytes);
            }
        }
    }

    /// Whether this run had begun no write of the block when the read was over.
    fn is_untouched(&self, block: usize) -> bool {
        self.table.state(self.first_block + block).is_untouched()
    }

    /// A block that this run has written, or is writing.
    fn judge_own(&self, block: usize, report: &mut VerifyReport) {
        let index = self.first_block + block;
        let (before, after) = (self.before[block], self.table.state(index));
        let unknown = before.is_unknown() || after.is_unknown();
        let racy = before.overlaps(after);
        let offset = self.table.offset(index);
        let block_bytes = self.table.block_bytes() as usize;
        let content = &self.content[block * block_bytes..][..block_bytes];
        let damage = match Start::of(content) {
            Start::Stamped(stamp) => self.damage(&stamp, content, offset, after),
            Start::Bare | Start::Unreadable => Some(Damage::StampGone),
        };
        match damage {
            // Neither the old nor the new content of a block belongs elsewhere.
            Some(damage @ Damage::Misplaced { .. }) if racy && !unknown => report.add(offset, damage),
            _ if unknown => report.uncertain += 1,
            // While it is being written the old content is as good as the new.
            Some(Damage::Stale { other_run: false, .. }) if racy => report.checked += 1,
            Some(_) if racy => report.uncertain += 1,
            // Writes that overlapped may lie mixed in the block: no target promises that they do not.
            Some(Damage::Checksum) if after.has_overlapped() => report.uncertain += 1,
            Some(damage) => report.add(offset, damage),
            None => report.checked += 1,
        }
    }

    fn damage(&self, stamp: &Stamp, content: &[u8], offset: u64, state: BlockState) -> Option<Damage> {
        let own = stamp.tag == self.table.tag() && stamp.block_bytes == self.table.block_bytes();
        let stale = Damage::Stale { found: stamp.generation, expected: state.issued(), other_run: !own };
        if stamp.block_bytes as usize > content.len() {
            // The start of an earlier run's larger block; its checksum covers more than was written here.
            return Some(stale);
        }
        if !is_whole(&content[..stamp.block_bytes as usize]) {
            return Some(Damage::Checksum);
        }
        if stamp.offset != offset {
            return Some(Damage::Misplaced { belongs_at: stamp.offset });
        }
        (!own || !state.accepts(stamp.generation)).then_some(stale)
    }

    /// Content at `at` bytes into the read that this run never changed: an earlier run may have stamped
    /// it, in blocks of its own size. Gives the end of the block that was judged.
    fn judge_foreign(&self, at: usize, report: &mut VerifyReport) -> Option<usize> {
        let block_bytes = self.table.block_bytes() as usize;
        let stamp = match Start::of(&self.content[at..]) {
            Start::Stamped(stamp) => stamp,
            Start::Bare | Start::Unreadable => {
                report.not_stamped += u64::from(at.is_multiple_of(block_bytes));
                return None;
            }
        };
        let end = at + stamp.block_bytes as usize;
        let covered = at / block_bytes..end.div_ceil(block_bytes);
        if end > self.content.len() || !covered.clone().all(|block| self.is_untouched(block)) {
            report.partial += 1;
            return None;
        }
        let offset = self.table.offset(self.first_block) + at as u64;
        let content = &self.content[at..end];
        let own = stamp.tag == self.table.tag();
        if is_whole(content) {
            if stamp.offset == offset {
                report.checked += 1;
            } else if own || self.table.judges_earlier() {
                report.add(offset, Damage::Misplaced { belongs_at: stamp.offset });
            } else {
                report.partial += 1;
            }
            return Some(end);
        }
        if has_later_stamp(content, offset) || !(own || self.table.judges_earlier()) {
            report.partial += 1;
            return None;
        }
        report.add(offset, if own { Damage::Checksum } else { Damage::AlteredSince });
        Some(end)
    }
}

/// Whether a smaller block was stamped over a part of `content`, which starts at `offset`.
fn has_later_stamp(content: &[u8], offset: u64) -> bool {
    (SECTOR_BYTES..content.len()).step_by(SECTOR_BYTES).any(
        |at| matches!(Start::of(&content[at..]), Start::Stamped(stamp) if stamp.offset == offset + at as u64),
    )
}
