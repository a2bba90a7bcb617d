//! NVMe over TCP as state machines: bytes in, events and bytes out, for hosts and controllers alike.
//!
//! Nothing here reads a socket, a clock or a file, and nothing is allocated for a peer's word: who owns the connection
//! feeds what arrived, and writes what [`fill`](host::HostQueue::fill) gives. A stream that breaks the rules ends in a
//! [`FatalError`] with a name, never in a panic or in data at a wrong place.

#![forbid(unsafe_code)]

pub mod controller;
pub mod framing;
mod hash;
pub mod host;
pub mod namespace_url;

pub use framing::{Extent, FatalError, Fault, Framing, GatherList, Payloads};
pub use hash::identifier;
