//! What the kernel itself keeps time with.

use std::fs;

use super::UnavailableReason;

/// What the kernel says of its clock source: the one in use, and all that it could use.
///
/// # Errors
/// When it is not shown.
pub fn sources() -> Result<(String, String), UnavailableReason> {
    let read = |file: &str| {
        fs::read_to_string(format!("/sys/devices/system/clocksource/clocksource0/{file}"))
            .map_err(|_| "the kernel's clock source could not be read")
    };
    Ok((read("current_clocksource")?.trim().to_owned(), read("available_clocksource")?))
}
