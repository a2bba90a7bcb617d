//! The promise about memory that every target keeps: what is read holds at most a hundred times its size.

#[path = "../../crates/tools/tests/hostile/counting.rs"]
mod counting;

pub use counting::within;
