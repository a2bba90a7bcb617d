//! Passes of a job over its files: with each the page cache drops what it holds of them, as fio has it.

use std::ops::Range;
use std::sync::Arc;

use fathom_record::Direction;
use fathom_record::workload::{AccessHint, CacheAdvice};

use crate::pattern::Draft;
use fathom_target::{Handle, advise, drop_cached, forget, is_block_device};

/// The files of a job, and how much of its pass is left.
#[derive(Debug)]
pub struct Passes {
    advised: AdvisedFiles,
    pass_bytes: u64,
    /// Whether the cache is emptied.
    drop: bool,
    /// Whether writes have a pass of their own.
    own: bool,
    hint: Option<AccessHint>,
    /// Bytes issued in this pass: all, or of reads and of writes.
    issued: [u64; 2],
}

/// Files with the part of each that the kernel is told about.
#[derive(Clone, Debug)]
pub struct AdvisedFiles {
    /// Open files or devices.
    pub files: Vec<Arc<Handle>>,
    /// The part of each.
    pub span: Range<u64>,
}

impl AdvisedFiles {
    /// What a run begins with: the cache is emptied, and told what order to expect. Advice that a file system does
    /// not take is none that a run depends on.
    pub fn begin(&self, advice: &CacheAdvice) {
        if advice.drop {
            self.drop_cached();
        }
        self.hint(advice.hint);
    }

    /// Of a device all that was changed is written back first, as its own call for this does (`BLKFLSBUF`); of a file
    /// what was changed stays.
    fn drop_cached(&self) {
        for file in &self.files {
            let _ = match is_block_device(file) {
                true => drop_cached(file, self.span.clone()),
                false => forget(file, self.span.clone()),
            };
        }
    }

    fn hint(&self, hint: Option<AccessHint>) {
        for (file, hint) in self.files.iter().zip(hint.into_iter().cycle()) {
            let _ = advise(file, self.span.clone(), hint);
        }
    }
}

impl Passes {
    /// `None` where there is one pass, or nothing to do in a further one.
    pub fn of(advice: &CacheAdvice, advised: AdvisedFiles) -> Option<Self> {
        let hint = advice.hint.filter(|_| advice.hint_again);
        let pass_bytes = advice.pass_bytes.filter(|_| advice.drop || hint.is_some())?;
        let own = advice.own_passes;
        Some(Self { advised, pass_bytes, drop: advice.drop, own, hint, issued: [0; 2] })
    }

    /// Before an I/O is issued: where a pass is over, the next one begins with it.
    #[inline]
    pub fn before(&mut self, draft: &Draft) {
        let own = self.own && draft.direction == Direction::Write;
        let issued = &mut self.issued[usize::from(own)];
        if *issued >= self.pass_bytes && draft.bytes > 0 {
            *issued = 0;
            if self.drop {
                self.advised.drop_cached();
            }
            self.advised.hint(self.hint);
        }
        self.issued[usize::from(own)] += u64::from(draft.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_target::cached_share;
    use std::os::unix::fs::FileExt;

    const BYTES: u64 = 1 << 20;

    #[test]
    fn the_cache_is_emptied_once_a_pass_and_dirty_pages_stay() {
        // Beside the test program: a temporary folder in memory would have nothing to drop.
        let program = std::env::current_exe().unwrap();
        let file = tempfile::tempfile_in(program.parent().unwrap()).unwrap();
        let content = vec![7; BYTES as usize];
        let share = |file: &Handle| cached_share(file, 0..BYTES).unwrap();
        let advice = CacheAdvice { drop: true, pass_bytes: Some(BYTES), ..CacheAdvice::default() };
        let file = Arc::new(file);
        let advised = AdvisedFiles { files: vec![Arc::clone(&file)], span: 0..BYTES };
        // The kernel starts writing back as it is told, and drops what a quick disk has taken by then: not each time.
        let stays = || {
            file.write_all_at(&content, 0).unwrap();
            advised.begin(&advice);
            share(&file) > 0.9
        };
        assert!((0..20).any(|_| stays()), "what is not written back yet is dropped");
        file.write_all_at(&content, 0).unwrap();
        file.sync_all().unwrap();
        let mut passes = Passes::of(&advice, advised).unwrap();
        let draft = |bytes| Draft { direction: Direction::Read, offset: 0, bytes };
        passes.before(&draft(1 << 19));
        passes.before(&draft(1 << 19));
        assert!(share(&file) > 0.9, "the pass is not over");
        passes.before(&Draft { direction: Direction::Flush, offset: 0, bytes: 0 });
        assert!(share(&file) > 0.9, "a flush begins no pass");
        passes.before(&draft(4096));
        assert!(share(&file) < 0.5, "the next one begins");
    }
}
