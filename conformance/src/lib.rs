//! One suite that every engine runs.
