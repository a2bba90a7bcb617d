//! Waiting for sockets and for other threads, to the nanosecond where there is a moment to keep.

pub use crate::platform::{Poller, Waker};

/// Token of the bell.
pub const BELL: u64 = u64::MAX;

/// What a socket is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Something to read, or the end.
    Read,
    /// Room to write, or the end.
    Write,
}
