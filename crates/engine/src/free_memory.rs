//! Whether what is about to be filled fits into the memory that is free, so that a plan that is too
//! large is refused instead of driving the machine out of memory.

use crate::{EngineError, ErrorKind};

/// Checks `bytes` against what the kernel estimates to be available without swapping. A machine that
/// does not say is trusted to have enough.
///
/// # Errors
/// When it is less; with the given place and remedy.
pub fn check(place: &str, bytes: u128, remedy: &str) -> Result<(), EngineError> {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    match available_bytes(&text) {
        Some(available) if bytes > u128::from(available) => {
            let cause = format!("it takes {bytes} bytes of memory, and {available} are available");
            Err(EngineError::new(ErrorKind::System, place, cause).with_remedy(remedy))
        }
        _ => Ok(()),
    }
}

/// `MemAvailable` of `/proc/meminfo`, which is in KiB.
fn available_bytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_estimate_is_read_and_held_against() {
        let text = "MemTotal:        8146864 kB\nMemFree:  12 kB\nMemAvailable:    7043408 kB\n";
        assert_eq!(available_bytes(text), Some(7_043_408 * 1024));
        assert_eq!(available_bytes("MemAvailable: many kB"), None);
        assert!(check("here", 1 << 20, "").is_ok());
        let error = check("here", 1 << 80, "use less").unwrap_err();
        assert_eq!((error.kind, error.remedy.as_str()), (ErrorKind::System, "use less"));
    }
}
