//! How a run goes about its target, in words: what people type for it, what plans and records hold, and what
//! engines are given.
//!
//! Each option is read, written and named here alone. What a kernel wants for it, as bits and numbers, is made of it
//! where the system is called.

mod client;
mod decorators;
mod delay;
mod durable;
mod flow;
mod io_flags;
mod priority;
mod stripe;
mod throttle;
mod witness;

pub use client::{Client, Reach, Role, program_of};
pub use decorators::Decorators;
pub use delay::{DelayPlan, Distribution, Stalls};
pub use durable::Durable;
pub use flow::FlowShare;
pub use io_flags::IoFlags;
pub use priority::{Priorities, Priority, PriorityRule};
pub use stripe::CHUNK_UNIT_BYTES;
pub use throttle::{ByteLimit, OperationLimit, ThrottlePlan};
pub use witness::WitnessSource;
