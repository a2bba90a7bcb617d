//! A device with known truth, on a virtual or a real clock.
//!
//! [`SimParameters`] says what the device is: chosen by a preset's name and changed key by key
//! ([`parse`]). [`device::SimDevice`] computes when each I/O ends. [`Truth`] gives what a right measurement must find, in closed form.

pub mod device;
mod key;
mod parameter_validation;
mod parameters;
mod parse;
mod preset;
mod truth;

#[cfg(test)]
mod tests;

pub use device::{SimDevice, SimHost};
pub use key::Key;
pub use parameters::{Accounting, Instance, Link, Noise, ServiceTime, SimParameters, Work, WriteCache};
pub use parse::{describe, describe_keys, parse};
pub use preset::Preset;
pub use truth::{Access, Bound, Regime, Resource, Truth};
