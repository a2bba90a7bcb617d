//! The processor's own counter of time: whether it can be trusted, its raw value, and its rate where it says one.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod clocksource;
#[cfg(target_arch = "aarch64")]
#[path = "aarch64.rs"]
mod of_processor;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "elsewhere.rs"]
mod of_processor;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod of_processor;

pub use of_processor::{NAME, check, read, stated_hz};

/// Why the counter is not used; the text goes into the record. A plain text: this room is below record, which has the
/// one shape of errors.
pub type UnavailableReason = &'static str;
