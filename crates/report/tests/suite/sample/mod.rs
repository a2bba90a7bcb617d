//! Records as a real assessment makes them, from a closed formula and a seed: the same on every machine.

mod device;
mod whole;

pub use device::{Device, Shape, run};
pub use whole::campaign;
