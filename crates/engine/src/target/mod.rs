//! What is measured: named, found, guarded, opened and described.

pub mod guard;
mod name;
pub mod signature;

pub use name::TargetName;
