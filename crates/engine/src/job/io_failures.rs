//! I/Os that failed: the first few in full, and when there were too many.

use fathom_record::Direction;

use crate::os_error::{self, words};
use crate::passthrough::status_errno;

/// One failed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What it was to do.
    pub direction: Direction,
    /// Its first byte on the target.
    pub offset: u64,
    /// How many bytes it was to move.
    pub bytes: u32,
    /// The operating system's error number, or what stands for an NVMe status
    /// ([`crate::passthrough::status_errno`]); 0 for a short transfer.
    pub errno: i32,
}

/// How many failures are kept in full.
const KEPT: usize = 8;
/// So many failures in a row end a run: the target is gone or refuses everything.
const CONSECUTIVE_LIMIT: u32 = 1000;

/// Failures of one job. Allocates nothing after it was made.
#[derive(Debug)]
pub struct Failures {
    first: Vec<Failure>,
    consecutive: u32,
    fatal: Option<Failure>,
}

impl Failures {
    /// None yet.
    pub fn new() -> Self {
        Self { first: Vec::with_capacity(KEPT), consecutive: 0, fatal: None }
    }

    /// Notes a failure; decides whether it ends the run.
    #[cold]
    pub fn note(&mut self, failure: Failure) {
        if self.first.len() < KEPT {
            self.first.push(failure);
        }
        self.consecutive += 1;
        let gone = os_error::is_final(failure.errno)
            || status_errno::of_errno(failure.errno).is_some_and(status_errno::is_final);
        if self.fatal.is_none() && (gone || self.consecutive >= CONSECUTIVE_LIMIT) {
            self.fatal = Some(failure);
        }
    }

    /// Notes that an I/O ended well.
    #[inline(always)]
    pub fn clear_streak(&mut self) {
        self.consecutive = 0;
    }

    /// The failure that ends the run.
    pub fn fatal(&self) -> Option<Failure> {
        self.fatal
    }

    /// The first failures.
    pub fn into_first(self) -> Vec<Failure> {
        self.first
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = self.direction.name();
        if self.errno == 0 {
            return write!(
                f,
                "{what} of {} bytes at offset {} transferred fewer bytes",
                self.bytes, self.offset
            );
        }
        write!(f, "{what} of {} bytes at offset {}: ", self.bytes, self.offset)?;
        match status_errno::of_errno(self.errno) {
            Some(status) => write!(f, "{status}"),
            None => write!(f, "{}", words(self.errno)),
        }
    }
}

impl Default for Failures {
    fn default() -> Self {
        Self::new()
    }
}
