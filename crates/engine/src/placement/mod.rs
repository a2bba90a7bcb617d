//! Which processor each job is bound to: near its device, on a hardware queue and a core of its own.
//!
//! [`topology`] reads processors and devices as the kernel shows them; [`planner`] decides from that
//! alone. A thread that moves between processors changes its hardware queue, its caches and perhaps
//! its memory's node in the middle of a measurement; a bound one does not.

pub mod planner;
pub mod topology;

#[cfg(test)]
mod tests;

pub use planner::{Cpu, Device, Queue, Seat, other_node, seats};
pub use topology::Machine;
