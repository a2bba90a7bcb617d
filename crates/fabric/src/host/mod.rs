//! The host's side: a queue pair of a controller, and what is said on the admin queue before I/O can flow.

mod association;
mod connection_setup;
pub mod discovery_log;
mod queue;

pub use association::{
    ADMIN_ENTRIES, Association, AssociationStep, ConnectOptions, Facts, Failure, NamespaceFacts,
    connect_refusal,
};
pub use queue::{HostQueue, Limits, SlotCompletion, Transfer};
