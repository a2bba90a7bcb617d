//! A kernel context of native asynchronous I/O, and its four system calls.
#![allow(unsafe_code)] // Raw system calls; each says why it is sound.

use std::io;

use super::abi::{Event, Request};
use crate::{EngineError, ErrorKind};

/// A context; 0 after it was destroyed.
#[derive(Debug)]
pub struct Context(u64);

fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

impl Context {
    /// A context for `depth` requests.
    pub fn new(depth: u32) -> Result<Self, EngineError> {
        let mut context = 0u64;
        // SAFETY: the kernel writes one word to `context` during the call.
        if unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) } == 0 {
            return Ok(Self(context));
        }
        const PLACE: &str = "starting native asynchronous I/O";
        Err(match last_errno() {
            libc::ENOSYS => {
                EngineError::new(ErrorKind::Unsupported, PLACE, "this kernel is built without it")
                    .with_remedy("use --engine uring or --engine sync")
            }
            libc::EAGAIN => EngineError::new(
                ErrorKind::Unsupported,
                PLACE,
                format!("{depth} requests exceed what the system allows for all processes together"),
            )
            .with_remedy("raise it with `sysctl fs.aio-max-nr=1048576`, or use a smaller --depth or --jobs"),
            errno => EngineError::system(PLACE, &io::Error::from_raw_os_error(errno)),
        })
    }

    /// Submits requests in order; how many were taken, or the error number of the first.
    #[inline]
    pub fn submit(&self, requests: &mut [*mut Request]) -> Result<usize, i32> {
        // SAFETY: each pointer is to a request of the engine that calls, whose buffer is a slot's own
        // and stays mapped until the completion; the kernel copies requests during the call.
        let outcome =
            unsafe { libc::syscall(libc::SYS_io_submit, self.0, requests.len(), requests.as_mut_ptr()) };
        if outcome < 0 { Err(last_errno()) } else { Ok(outcome as usize) }
    }

    /// Takes completions that are there; without any, waits at most `wait_ns` for one.
    #[inline]
    pub fn take(&self, events: &mut [Event], wait_ns: u64) -> Result<usize, EngineError> {
        let timeout = libc::timespec {
            tv_sec: (wait_ns / 1_000_000_000) as _,
            tv_nsec: (wait_ns % 1_000_000_000) as libc::c_long,
        };
        let least = i64::from(wait_ns > 0);
        // SAFETY: the kernel writes at most `events.len()` events, and reads one `timespec`, during the call.
        let outcome = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.0,
                least,
                events.len(),
                events.as_mut_ptr(),
                &raw const timeout,
            )
        };
        match outcome {
            count if count >= 0 => Ok(count as usize),
            _ if last_errno() == libc::EINTR => Ok(0),
            _ => Err(EngineError::system("waiting for native asynchronous I/O", &io::Error::last_os_error())),
        }
    }

    /// Waits for everything in flight and gives the context back; whether that worked.
    pub fn destroy(&mut self) -> bool {
        // SAFETY: the context is this value's own; the kernel waits for its requests.
        unsafe { libc::syscall(libc::SYS_io_destroy, std::mem::take(&mut self.0)) == 0 }
    }
}
