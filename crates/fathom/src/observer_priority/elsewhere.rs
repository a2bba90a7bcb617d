//! Priorities stay as they are.

/// Does nothing here.
pub fn go_behind() {}
