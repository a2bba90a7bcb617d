//! What the kernel accounts to a thread and to its process.
#![allow(unsafe_code)] // `getrusage` through the C library.

use super::Usage;

/// Of the calling thread.
pub fn of_thread() -> Usage {
    read(libc::RUSAGE_THREAD)
}

/// Of all threads of this process.
pub fn of_process() -> Usage {
    read(libc::RUSAGE_SELF)
}

fn read(who: libc::c_int) -> Usage {
    // SAFETY: an all-zero `rusage` is a valid value of that plain C structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable and of the type the call fills in. A failure leaves zeros.
    unsafe { libc::getrusage(who, &raw mut usage) };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    Usage { user_ns: ns(usage.ru_utime), system_ns: ns(usage.ru_stime) }
}
