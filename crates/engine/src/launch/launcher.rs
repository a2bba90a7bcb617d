//! What an engine's folder says of launching runs on it.

use std::sync::Arc;

use fathom_record::facts::TargetFacts;
use fathom_record::options::Priorities;
use fathom_target::Handle;

use super::Launch;
use crate::EngineError;
use crate::job::{Measurement, Observer};
use crate::stripe::Volume;

/// A run over files and devices, of which each job has one.
pub type FileRunFunction =
    fn(&Launch<'_>, &[Arc<Handle>], &mut Observer<'_>) -> Result<Measurement, EngineError>;
/// The same with a priority for each I/O.
pub type PriorityRunFunction =
    fn(&Launch<'_>, &[Arc<Handle>], &Priorities, &mut Observer<'_>) -> Result<Measurement, EngineError>;
/// A run over several files and devices as one address space.
pub type StripeRunFunction = fn(&Launch<'_>, &Volume, &mut Observer<'_>) -> Result<Measurement, EngineError>;
/// A run over a [medium](super::Medium) of another kind.
pub type MediumRunFunction = fn(&Launch<'_>, &mut Observer<'_>) -> Result<Measurement, EngineError>;

/// What an opened target needs, so that completions of its I/Os are polled for.
pub type PollingFunction = fn(&TargetFacts) -> Result<(), EngineError>;

/// How runs are launched on an engine, or on several that differ by name. It has no place for what is absent here, which its
/// entry in the [list](fathom_record::engine_list::ENGINES) says to people.
#[derive(Clone, Copy)]
pub struct Launcher {
    /// Names of the engines, as a user types them.
    pub names: &'static [&'static str],
    /// Whether the system lets it be made.
    pub available: fn() -> Result<(), EngineError>,
    /// Files and devices.
    pub files: Option<FileRunFunction>,
    /// Files and devices with a priority for each I/O.
    pub prioritised: Option<PriorityRunFunction>,
    /// A stripe.
    pub striped: Option<StripeRunFunction>,
    /// What is no file.
    pub others: Option<MediumRunFunction>,
    /// Polling for all I/Os.
    pub polled: Option<PollingFunction>,
    /// Polling for single I/Os, by their flag.
    pub hipri: Option<PollingFunction>,
}

impl Launcher {
    /// One that works on nothing yet, and can always be made.
    pub const fn of(names: &'static [&'static str]) -> Self {
        Self {
            names,
            available: || Ok(()),
            files: None,
            prioritised: None,
            striped: None,
            others: None,
            polled: None,
            hipri: None,
        }
    }
}
