//! A child's end and its resources through `wait4`, and the CPU time of any process through its clock.
#![allow(unsafe_code)] // Both through the C library: the standard library has neither.

use std::io;
use std::process::Child;

use super::Usage;

/// `ru_maxrss` counts in these on Linux.
const RSS_UNIT_BYTES: u64 = 1024;

/// CPU time that a process has had.
pub fn cpu_ns(pid: u32) -> Option<u64> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    let mut clock: libc::clockid_t = 0;
    // SAFETY: the pointer is to a live, writable value of the type that the call fills in.
    if unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) } != 0 {
        return None;
    }
    // SAFETY: an all-zero `timespec` is a valid value of that plain C structure.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: as above; a process that has gone is refused.
    let read = unsafe { libc::clock_gettime(clock, &raw mut time) } == 0;
    read.then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Waits for the child's end; its exit status is `None` when a signal ended it.
pub fn wait(child: Child) -> io::Result<(Option<i32>, Usage)> {
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status: libc::c_int = 0;
    // SAFETY: an all-zero `rusage` is a valid value of that plain C structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable values of the types the call fills in. The child has
        // not been waited for, so its number still means it.
        let ended = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        if ended == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    let usage = Usage {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        peak_rss_bytes: usage.ru_maxrss as u64 * RSS_UNIT_BYTES,
    };
    Ok((code, usage))
}
