//! What the machine did beside a run, once a second, and what it is.
//!
//! A [`Sampler`] thread asks every [`Source`] once a period and ends as the record's telemetry;
//! [`environment::collect`] describes the machine once, with the settings that distort results.
//! A source is a folder whose metrics are a constant table; [`sources`] lists them all. Everything
//! is read below a [`Root`], so that tests feed it trees of their own. Nothing is ever changed.

pub mod blocktrace;
pub mod boots;
pub mod cgroup;
mod collector;
mod counter_growth;
pub mod cpu;
mod declare;
pub mod disk;
pub mod environment;
mod error;
pub mod ethtool;
mod kept_file;
pub mod memory;
pub mod net;
pub mod nvme;
pub mod other_programs;
pub mod perf;
pub mod preflight;
pub mod pressure;
pub mod process;
mod root;
mod sample_columns;
mod sampler;
pub mod server_process;
pub mod sources;
pub mod tcp;
pub mod thermal;
pub mod traffic;

pub use collector::Collector;
pub use declare::{MetricDecl, MetricKind, Source};
pub use error::{TelemetryError, TelemetryErrorKind};
pub use root::Root;
pub use sample_columns::Sample;
pub use sampler::{Latest, Sampler, SamplerPlan};
