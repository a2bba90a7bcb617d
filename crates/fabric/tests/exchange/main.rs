//! A host and a controller against each other in memory, and against peers that break the rules.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

mod hostile;
mod memory;
mod pair;
