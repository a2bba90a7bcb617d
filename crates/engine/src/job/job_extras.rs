//! What few jobs do at each I/O besides: rates of their own for reads and writes, and advice to the page cache
//! with each pass.

use fathom_record::Direction;

use super::file_passes::Passes;
use super::wear_limit::WearLimit;
use crate::pattern::{Caps, Draft, Generator};

/// Nothing of it by default.
#[derive(Debug, Default)]
pub struct JobExtras {
    /// Rates of reads and writes.
    pub caps: Option<Caps>,
    /// What the kernel is told as passes begin.
    pub passes: Option<Passes>,
    /// Whether the job flushes when its last I/O has ended.
    pub flush_at_end: bool,
    /// Most I/Os that are submitted together; absent: all that are due.
    pub batch: Option<u32>,
    /// What its writes are taken from; absent: it writes as much as it likes.
    pub wear: Option<WearLimit>,
}

impl JobExtras {
    /// `None` where there is nothing to do.
    pub fn boxed(self) -> Option<Box<Self>> {
        let any = self.caps.is_some()
            || self.passes.is_some()
            || self.flush_at_end
            || self.batch.is_some()
            || self.wear.is_some();
        any.then(|| Box::new(self))
    }

    /// The next I/O at `now_ns` from the run's start, and since when it is due: `due_ns` but for a direction with a
    /// rate of its own. `None` where the limit on written bytes does not let it be written. Out of line, so that other
    /// jobs do not pay for it.
    #[inline(never)]
    pub fn next(&mut self, generator: &mut Generator, now_ns: u64, due_ns: u64) -> Option<(Draft, u64)> {
        let (draft, due_ns) = match &mut self.caps {
            Some(caps) => generator.next_within(caps, now_ns),
            None => (generator.next(), due_ns),
        };
        if let (Some(wear), Direction::Write) = (&self.wear, draft.direction)
            && !wear.take(draft.bytes.into())
        {
            return None;
        }
        if let Some(passes) = &mut self.passes {
            passes.before(&draft);
        }
        Some((draft, due_ns))
    }

    /// When a direction with a rate is due next; absent where there are no such rates.
    pub fn next_ns(&self) -> Option<u64> {
        self.caps.as_ref().map(Caps::next_ns)
    }
}
