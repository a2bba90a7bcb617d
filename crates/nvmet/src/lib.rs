//! An NVMe over TCP target: hosts of any system connect, and each namespace is one of fathom's own engines with what
//! is put around it, so that what an initiator is measured against is known.
//!
//! [`Export::open`] admits what is served, by the same guard that a run has; [`Server::start`] listens. One thread
//! accepts; each worker has its connections for good, with an engine of its own for each I/O queue and namespace, and
//! shares nothing with the others but the list of controllers.

mod acceptor;
mod carrier;
mod connection;
mod counters;
mod exported_targets;
mod limits;
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;
mod readiness_wait;
mod server;
mod worker;

pub use counters::Summary;
pub use exported_targets::{Export, ExportPlan, ExportedNamespace};
pub use fathom_fabric::controller::Digests;
pub use limits::Limits;
pub use server::{Server, ServerPlan};
