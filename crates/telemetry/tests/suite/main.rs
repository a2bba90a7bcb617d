//! Telemetry of this machine and of drawn ones.

mod machines;
mod sources;
mod this_machine;
