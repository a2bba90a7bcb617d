//! The host's side: a queue pair of a controller, and what is said on the admin queue before I/O can flow.

mod association;
mod connection_setup;
pub mod discovery_log;
mod queue;

pub use association::{
    ADMIN_ENTRIES, Association, ConnectOptions, Facts, Failure, NamespaceFacts, Next, connect_refusal,
};
pub use queue::{Ended, HostQueue, Limits, Transfer};
