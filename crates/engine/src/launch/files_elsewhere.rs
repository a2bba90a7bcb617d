//! Systems on which no engine of fathom carries I/O to files and devices.

use std::fs::File;
use std::sync::Arc;

use fathom_record::options::Priorities;

use super::Launch;
use crate::catalogue::EngineKind;
use crate::job::{Measured, Observer};
use crate::stripe::Volume;
use crate::{EngineError, ErrorKind};

impl Launch<'_> {
    /// With a priority for each I/O: refused.
    pub(super) fn prioritised(&self, _: &Priorities, _: &mut Observer<'_>) -> Result<Measured, EngineError> {
        Err(self.does_not_carry("it tells the kernel no priorities of single I/Os"))
    }

    /// By one of the engines that work on open files and devices: there is none.
    pub(super) fn on_files(
        &self,
        engine: EngineKind,
        _: &[Arc<File>],
        _: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        Err(unsupported(engine))
    }

    /// The same over several files as one address space.
    pub(super) fn striped(
        &self,
        engine: EngineKind,
        _: &Volume,
        _: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        Err(unsupported(engine))
    }
}

fn unsupported(engine: EngineKind) -> EngineError {
    let cause = "this build carries no I/O to files and devices on this operating system";
    EngineError::new(ErrorKind::Unsupported, format!("starting engine {}", engine.name()), cause)
        .with_remedy("use a target of fathom's own: null:, memory: or sim:gp3, for example")
}
