//! Hosts over real sockets against a real target: what it serves, what it refuses, and what it survives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test panics when it is wrong")]
#![allow(clippy::disallowed_methods, reason = "time as a host sees it")]

mod client;
mod hostile;
mod io;
mod mangler;
