//! Systems where a thread's processor time is not read.

/// Not known here.
pub fn thread_cpu_ns() -> Option<u64> {
    None
}
