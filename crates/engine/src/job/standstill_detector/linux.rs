//! What the kernel counts of a thread's waits, and of the machine's sleep.

use std::fs::File;
use std::os::unix::fs::FileExt;

use rustix::time::{ClockId, clock_gettime};

/// Waits of one thread for a processor.
#[derive(Debug)]
pub struct Waits {
    /// `/proc/thread-self/schedstat` of that thread.
    schedstat: Option<File>,
}

impl Waits {
    /// Of the calling thread.
    pub fn of_this_thread() -> Self {
        Self { schedstat: File::open("/proc/thread-self/schedstat").ok() }
    }

    /// The second number of three: time on a processor, time waiting for one, turns.
    pub fn waited_ns(&self) -> Option<u64> {
        let mut text = [0u8; 96];
        let length = self.schedstat.as_ref()?.read_at(&mut text, 0).ok()?;
        std::str::from_utf8(&text[..length]).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

/// The clock that counts suspended time against the one that does not.
pub fn suspended_ns() -> u64 {
    let ns = |id| {
        let time = clock_gettime(id);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    };
    let awake = ns(ClockId::Monotonic);
    ns(ClockId::Boottime).saturating_sub(awake)
}
