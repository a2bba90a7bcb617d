//! Processes with a known answer: what a storage target shows second by second, drawn from a seed.

pub mod course;
pub mod device;
pub mod fleet;
pub mod hang;
pub mod noise;
pub mod shape;
pub mod sides;
pub mod tail;
pub mod wander;
