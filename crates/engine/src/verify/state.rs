//! What is known of one block: how often this run wrote it, which of those writes its content may come
//! from, and how many are under way.
//!
//! A burst is a time in which at least one write of the block is under way without a gap. Which write
//! of a burst the device carries out last is its own business, so after a burst the content may be any
//! of them, and nothing older.

/// The state as one word, so that jobs can share it without a lock: bits 0..16 writes under way,
/// 16..32 writes of the burst before the last one, 32..62 generation of the last write begun, 62
/// content unknown, 63 written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockState(pub u64);

const PENDING_MAX: u64 = 0xffff;
const BURST_AT: u32 = 16;
const BURST_MAX: u64 = 0xffff;
const ISSUED_AT: u32 = 32;
const ISSUED_MAX: u64 = (1 << 30) - 1;
const UNKNOWN: u64 = 1 << 62;
const WRITTEN: u64 = 1 << 63;

impl BlockState {
    /// Writes under way. Stays at its largest value once there, because it cannot count down then.
    fn pending(self) -> u64 {
        self.0 & PENDING_MAX
    }

    fn burst(self) -> u64 {
        self.0 >> BURST_AT & BURST_MAX
    }

    /// Generation of the last write begun, 1 to 2^30 - 1; 0 before the first.
    pub fn issued(self) -> u32 {
        (self.0 >> ISSUED_AT & ISSUED_MAX) as u32
    }

    /// A write, or anything else that changes the content, begins.
    pub fn begin(self) -> Self {
        let issued = match u64::from(self.issued()) {
            ISSUED_MAX => 1,
            issued => issued + 1,
        };
        let first = self.pending() == 0;
        let burst = if first { 0 } else { (self.burst() + 1).min(BURST_MAX) };
        // A burst of writes that all end well settles whatever was unknown before it.
        let unknown = if first { 0 } else { self.0 & UNKNOWN };
        let pending = (self.pending() + 1).min(PENDING_MAX);
        Self(self.0 & WRITTEN | unknown | issued << ISSUED_AT | burst << BURST_AT | pending)
    }

    /// It ends. `known` says that it was a write and that all of it is acknowledged.
    pub fn end(self, known: bool) -> Self {
        let pending = match self.pending() {
            PENDING_MAX => PENDING_MAX,
            pending => pending.saturating_sub(1),
        };
        Self(self.0 & !PENDING_MAX | if known { WRITTEN } else { UNKNOWN } | pending)
    }

    /// Whether several writes of the last burst were under way at once or without a gap.
    pub fn has_overlapped(self) -> bool {
        self.burst() > 0
    }

    /// Whether nothing of this run ever changed the block.
    pub fn is_untouched(self) -> bool {
        self.issued() == 0
    }

    /// Whether a failed write or a trim left the content open.
    pub fn is_unknown(self) -> bool {
        self.0 & UNKNOWN != 0
    }

    /// Whether the block holds a write of this run, for certain.
    pub fn is_settled(self) -> bool {
        self.0 & WRITTEN != 0 && self.pending() == 0 && !self.is_unknown()
    }

    /// Whether a write was under way at some time between `self` and the later state `after`.
    pub fn overlaps(self, after: Self) -> bool {
        // What began since then has left its generation, whether it has ended or not.
        self.pending() > 0 || self.issued() != after.issued()
    }

    /// Whether content of this generation may be what the block holds after its last burst.
    pub fn accepts(self, generation: u32) -> bool {
        let generation = u64::from(generation);
        let issued = u64::from(self.issued());
        if generation == 0 || generation > ISSUED_MAX {
            return false;
        }
        // Generations run in a ring that leaves out 0.
        let age = if issued >= generation { issued - generation } else { issued + ISSUED_MAX - generation };
        age <= self.burst() || self.burst() == BURST_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_burst_is_accepted() {
        let once = BlockState::default().begin().end(true);
        assert!(once.is_settled() && once.accepts(1) && !once.accepts(0) && !once.accepts(2));
        let both = once.begin().begin().end(true).end(true);
        assert_eq!([1, 2, 3, 4].map(|generation| both.accepts(generation)), [false, true, true, false]);
        let after = both.begin().end(true);
        assert!(after.accepts(4) && !after.accepts(3));
    }

    #[test]
    fn a_failure_leaves_the_content_open_until_a_write_alone_ends_well() {
        let failed = BlockState::default().begin().begin().end(true).end(false);
        assert!(failed.is_unknown() && !failed.is_settled());
        assert!(failed.begin().end(true).is_settled());
        assert!(!failed.begin().begin().end(false).end(true).is_settled());
        let chain = BlockState::default().begin().begin().end(false).begin().end(true).end(true);
        assert!(chain.is_unknown(), "the failed write may still land after the one that began beside it");
    }

    #[test]
    fn counters_at_their_ends_judge_nothing_wrongly() {
        let wrapped = BlockState(ISSUED_MAX << ISSUED_AT).begin();
        assert_eq!(wrapped.issued(), 1);
        let burst = wrapped.begin().end(true).end(true);
        assert!(burst.accepts(1) && burst.accepts(2) && !burst.accepts(ISSUED_MAX as u32));
        let across = BlockState((ISSUED_MAX - 1) << ISSUED_AT).begin().begin().end(true).end(true);
        assert!(
            across.accepts(1) && across.accepts(ISSUED_MAX as u32) && !across.accepts(ISSUED_MAX as u32 - 1)
        );
        let mut crowded = BlockState::default();
        (0..70_000).for_each(|_| crowded = crowded.begin());
        (0..70_000).for_each(|_| crowded = crowded.end(true));
        assert!(!crowded.is_settled() && crowded.overlaps(crowded), "a lost count is never taken for quiet");
        assert_eq!(crowded.issued(), 70_000);
    }
}
