//! Telemetry of other tools: published outputs and our own, held against what they state.

mod hostile;
mod own;
mod samples;
