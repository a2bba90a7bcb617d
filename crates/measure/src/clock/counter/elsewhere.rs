//! Processors whose counters nobody has described here.

use super::UnavailableReason;

/// No counter has this name.
pub const NAME: &str = "none";

/// Never called: [`check`] refuses first.
pub fn read() -> u64 {
    0
}

/// No rate is known.
pub fn stated_hz() -> Option<u64> {
    None
}

/// Refuses.
///
/// # Errors
/// Always.
pub fn check() -> Result<(), UnavailableReason> {
    Err("no counter of this CPU is known here")
}
