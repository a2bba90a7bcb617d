//! NVMe over TCP as state machines: bytes in, events and bytes out, for hosts and controllers alike.
//!
//! Nothing here reads a socket, a clock or a file, and nothing is allocated for a peer's word: who owns the connection
//! feeds what arrived, and writes what [`fill`](host::HostQueue::fill) gives. A stream that breaks the rules ends in a
//! [`Fatal`] with a name, never in a panic or in data at a wrong place.

#![forbid(unsafe_code)]

pub mod controller;
mod hash;
pub mod host;
pub mod name;
pub mod pdu;

pub use hash::identifier;
pub use pdu::{Extent, Fatal, Fault, Framing, Gathered, Payloads};
