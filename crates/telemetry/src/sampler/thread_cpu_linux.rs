//! Processor time of the calling thread.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds that the calling thread has used.
pub fn thread_cpu_ns() -> Option<u64> {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}
