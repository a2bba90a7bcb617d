//! Turns the first Ctrl-C, or a request to end, into a stop flag, and the second into the end.
//!
//! Each measurement is handed the flag. While it takes in what was counted, `supervise` in `engine/src/job/crew.rs`
//! looks at it, and has each job start nothing more and finish what is in flight; the record covers what was measured
//! until then and says that it was interrupted. A campaign makes no further step, and the same command continues it
//! (`campaign/src/resumable_campaign.rs`).

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
