//! How far apart clients start, where no kernel stamps what a socket receives: it says so.

use super::Bench;

/// Not here.
///
/// # Errors
/// Always.
pub fn measure(_bench: &Bench<'_>) -> Result<Vec<String>, String> {
    Err("it needs Linux, whose kernel stamps what a socket receives".to_owned())
}
