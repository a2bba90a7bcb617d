//! The controller's side: a connection's commands and data, what a subsystem is, and who may do what.

mod admin_commands;
mod connection_role;
mod identify;
mod queue;
mod subsystem;

pub use connection_role::{ADMIN_BYTES, Io, IoHandler, Role, Session};
pub use queue::{
    Answer, CommandStart, ControllerQueue, Digests, Handler, HostDataLength, QueueLimits, Refusal,
};
pub use subsystem::{Access, Controller, Directory, Namespace, Subsystem, SubsystemLimits};
