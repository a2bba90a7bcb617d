//! Flags of single I/Os, and whether a target takes them.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::try_on;
#[cfg(target_os = "linux")]
pub use linux::{on_reads, on_writes, read, try_on, write};
