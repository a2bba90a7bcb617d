//! The controller's side: a connection's commands and data, what a subsystem is, and who may do what.

mod admin;
mod identify;
mod queue;
mod session;
mod subsystem;

pub use queue::{Admitted, Answer, Begun, ControllerQueue, Digests, Handler, QueueLimits, Refusal};
pub use session::{ADMIN_BYTES, Io, Role, Serve, Session};
pub use subsystem::{Access, Controller, Directory, Namespace, Subsystem, SubsystemLimits};
