//! Time, context switches and page faults of this process, from `getrusage`: all threads, ended ones included,
//! where `/proc/self/status` counts the switches of the first thread alone.
#![allow(unsafe_code)] // `getrusage` is a plain system call that no safe crate of ours offers.

/// What this process used since it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Time in the program, in nanoseconds.
    pub user_ns: u64,
    /// Time in the kernel for it, in nanoseconds.
    pub system_ns: u64,
    /// Context switches because a thread waited.
    pub waits: u64,
    /// Context switches because another thread was due.
    pub preemptions: u64,
    /// Page faults that were served without I/O.
    pub minor_faults: u64,
    /// Page faults that waited for I/O.
    pub major_faults: u64,
}

/// This process's usage now.
pub fn usage() -> Option<ProcessUsage> {
    // SAFETY: `rusage` holds integers only, for which all bits zero is a value.
    let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a whole `rusage` that lives through the call.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut raw) } != 0 {
        return None;
    }
    let ns = |time: libc::timeval| {
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
            + u64::try_from(time.tv_usec).unwrap_or(0) * 1000
    };
    Some(ProcessUsage {
        user_ns: ns(raw.ru_utime),
        system_ns: ns(raw.ru_stime),
        waits: u64::try_from(raw.ru_nvcsw).unwrap_or(0),
        preemptions: u64::try_from(raw.ru_nivcsw).unwrap_or(0),
        minor_faults: u64::try_from(raw.ru_minflt).unwrap_or(0),
        major_faults: u64::try_from(raw.ru_majflt).unwrap_or(0),
    })
}
