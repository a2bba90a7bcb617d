//! Names of Windows on other systems.

/// The target of this machine that a name of Windows is itself: none.
pub fn target(_: &str) -> Option<String> {
    None
}
