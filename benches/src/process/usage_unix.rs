//! A child's end and its resources through `wait4`.
#![allow(unsafe_code)] // `wait4` through the C library: the standard library gives no resources of one child.

use std::io;
use std::process::Child;

use super::Usage;

/// `ru_maxrss` counts in these on Linux.
const RSS_UNIT_BYTES: u64 = 1024;

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
