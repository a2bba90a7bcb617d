//! Linux: waiting for sockets and engines at once, engines of files and devices, and the lock on what is served.

mod epoll;
mod files;

pub use epoll::{Poller, Waker};
pub use files::{hold, on_file, on_stripe};
