//! How a run goes about its target, in words: what people type for it, what plans and records hold, and what
//! engines are given.
//!
//! Each option is read, written and named here alone. What a kernel wants for it, as bits and numbers, is made of it
//! where the system is called.

mod client;
mod decorators;
mod delay_plan;
mod durability_option;
mod flow;
mod io_flag_names;
mod priority_rules;
mod stripe_chunk;
mod throttle_plan;
mod witness;

pub use client::{AgentLocation, Client, ClientRole, program_of};
pub use decorators::Decorators;
pub use delay_plan::{DelayPlan, Distribution, Stalls};
pub use durability_option::Durability;
pub use flow::FlowShare;
pub use io_flag_names::IoFlags;
pub use priority_rules::{Priorities, Priority, PriorityRule};
pub use stripe_chunk::CHUNK_UNIT_BYTES;
pub use throttle_plan::{ByteLimit, OperationLimit, ThrottlePlan};
pub use witness::WitnessSource;
