//! What verification found.

use std::fmt;

/// Findings that are kept; further ones are counted.
const KEPT: usize = 16;

/// Counts over all blocks that were read, one for each time a block was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// Judged, good or corrupt: by address and checksum, and by generation where this run had written
    /// the block and was not just writing it again.
    pub checked: u64,
    /// Without a stamp, and not written by this run: nothing to judge.
    pub not_stamped: u64,
    /// Stamped by an earlier run, and not judged: in larger blocks that were read or overwritten in part, or, in a run
    /// that writes, not whole or in another place.
    pub partial: u64,
    /// Open because a write of them failed, was trimmed, or was under way while they were read, or because
    /// writes that overlapped left a mixture.
    pub uncertain: u64,
    /// Not judged because reading them failed or ended early.
    pub unread: u64,
    /// Not what was written there.
    pub corrupt: u64,
    /// The first corrupt blocks, at most 16.
    pub findings: Vec<Finding>,
}

/// One corrupt block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its first byte on the target.
    pub offset: u64,
    /// What is wrong with it.
    pub damage: Damage,
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Stamp and content do not belong together: torn or altered.
    Checksum,
    /// A block that an earlier run stamped, and whose content is another since.
    AlteredSince,
    /// A true block that belongs elsewhere.
    Misplaced {
        /// Where it belongs.
        belongs_at: u64,
    },
    /// A true block, but not the last that was acknowledged: a write was lost.
    Stale {
        /// Its generation.
        found: u32,
        /// The last generation that this run wrote.
        expected: u32,
        /// Whether it comes from an earlier run.
        other_run: bool,
    },
    /// No readable stamp where this run wrote one: a write was lost, or the start of the block altered.
    StampGone,
}

impl Default for VerifyReport {
    fn default() -> Self {
        Self {
            checked: 0,
            not_stamped: 0,
            partial: 0,
            uncertain: 0,
            unread: 0,
            corrupt: 0,
            findings: Vec::with_capacity(KEPT),
        }
    }
}

impl VerifyReport {
    /// Adds another job's report.
    pub fn merge(&mut self, other: &VerifyReport) {
        self.checked += other.checked;
        self.not_stamped += other.not_stamped;
        self.partial += other.partial;
        self.uncertain += other.uncertain;
        self.unread += other.unread;
        self.corrupt += other.corrupt;
        let room = KEPT.saturating_sub(self.findings.len());
        self.findings.extend(other.findings.iter().take(room));
    }

    pub(super) fn add(&mut self, offset: u64, damage: Damage) {
        self.checked += 1;
        self.corrupt += 1;
        if self.findings.len() < KEPT {
            self.findings.push(Finding { offset, damage });
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block at byte {}: ", self.offset)?;
        match self.damage {
            Damage::Checksum => write!(f, "its checksum does not match its content (torn or altered)"),
            Damage::AlteredSince => write!(
                f,
                "an earlier run stamped it, and its content is another since: altered by the target, or written over in part \
                 without --verify"
            ),
            Damage::Misplaced { belongs_at } => {
                write!(f, "holds the block that belongs at byte {belongs_at} (misplaced)")
            }
            Damage::Stale { other_run: true, .. } => {
                write!(f, "holds an earlier run's content (a write of this run was lost)")
            }
            Damage::Stale { found, expected, .. } => {
                write!(f, "holds generation {found} instead of {expected} (a write was lost)")
            }
            Damage::StampGone => write!(f, "holds no stamp although this run wrote one (lost or altered)"),
        }
    }
}
