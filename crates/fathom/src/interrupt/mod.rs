//! Turns the first Ctrl-C, or a request to end, into a stop flag, and the second into the end.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::watch;
#[cfg(windows)]
pub use windows::watch;

/// Exit status of the second one: 128 + SIGINT, as shells have it.
const STATUS: i32 = 130;

const SAID: &str = "stopping: finishing what is in flight; press Ctrl-C again to end at once";
