//! The promise about memory that every target keeps: what is read holds at most a hundred times its size.

#[path = "../../crates/interop/tests/hostile/counting.rs"]
mod counting;

pub use counting::within;
