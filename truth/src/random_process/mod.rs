//! Processes with a known answer: what a storage target shows second by second, drawn from a seed.

pub mod course;
pub mod device_process;
pub mod fleet_process;
pub mod hang;
pub mod noise_process;
pub mod shape_process;
pub mod sides;
pub mod tail_process;
pub mod wander;
