//! io_uring: one system call starts a batch and collects what has finished. Linux alone has it; its choices are
//! known everywhere, so that a plan that makes them is refused by name.

mod ring_options;

#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod inline_execution;
#[cfg(target_os = "linux")]
pub(crate) mod launch;
#[cfg(target_os = "linux")]
mod ring;
#[cfg(target_os = "linux")]
pub(crate) mod ring_queues;
#[cfg(target_os = "linux")]
pub(crate) mod ring_traffic;
#[cfg(target_os = "linux")]
pub(crate) mod setup;
#[cfg(target_os = "linux")]
mod workers;

#[cfg(not(target_os = "linux"))]
mod elsewhere;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::available;
#[cfg(target_os = "linux")]
pub use launch::NAME;
#[cfg(target_os = "linux")]
pub use ring::{MAX_DEPTH, Uring, available};
pub use ring_options::Options;
