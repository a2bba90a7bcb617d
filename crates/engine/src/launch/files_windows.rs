//! Engines of files on Windows: made for each job, with what a run chose of them.

use std::sync::Arc;

use fathom_record::options::Priorities;
use fathom_target::Handle;

use super::{Launch, of};
use crate::catalogue::EngineKind;
use crate::iocp::{Inside, Iocp};
use crate::job::{JobPlan, Measured, Observer};
use crate::stripe::{Shape, Slots, Stripe, Volume};
use crate::sync::Sync as SyncEngine;
use crate::{EngineError, ErrorKind};

impl Launch<'_> {
    /// With a priority for each I/O: refused.
    pub(super) fn prioritised(&self, _: &Priorities, _: &mut Observer<'_>) -> Result<Measured, EngineError> {
        Err(self.does_not_carry("it tells the system no priorities of single I/Os"))
    }

    /// By an engine that works on open files.
    pub(super) fn on_files(
        &self,
        engine: EngineKind,
        files: &[Arc<Handle>],
        observe: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        self.refuse_trims(engine)?;
        let (bytes, clock) = (u64::from(self.largest_io_bytes()), self.clock);
        match engine {
            EngineKind::Iocp => {
                let inside = Arc::<Inside>::default();
                let build = |plan: &JobPlan| {
                    let slots = Slots::spared(plan.depth, plan.spares.count);
                    Ok::<_, EngineError>(
                        Iocp::over(&[of(plan, files)], (slots, bytes), clock)?.counting(&inside),
                    )
                };
                self.on_threads(build, observe).map(|measured| with_calls(measured, &inside))
            }
            EngineKind::Sync => {
                let build = |plan: &JobPlan| {
                    SyncEngine::with_flags(of(plan, files), (plan.depth, bytes), self.options.io_flags, clock)
                };
                self.on_threads(build, observe)
            }
            _ => Err(self.does_not_carry("it does not carry I/O to this kind of target")),
        }
    }

    /// The same over several files as one address space.
    pub(super) fn striped(
        &self,
        engine: EngineKind,
        volume: &Volume,
        observe: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        self.refuse_trims(engine)?;
        let (bytes, clock) = (self.largest_io_bytes(), self.clock);
        let Volume { files, layout } = volume;
        let block_bytes = self.geometries.first().map_or(1, |geometry| geometry.block_bytes);
        let flushes = self.workload.mix.flush_every_writes > 0;
        let shape = Shape::new(layout, self.workload.depth, (bytes, block_bytes), flushes)?
            .spared(self.spares().count);
        let slots = (shape.slots(), u64::from(bytes));
        match engine {
            EngineKind::Iocp => {
                let inside = Arc::<Inside>::default();
                let build = |_: &JobPlan| {
                    let inner = Iocp::over(files, slots, clock)?.counting(&inside);
                    Ok::<_, EngineError>(Stripe::new(inner, *layout, shape, clock))
                };
                self.on_threads(build, observe).map(|measured| with_calls(measured, &inside))
            }
            EngineKind::Sync => self.on_threads(
                |_: &JobPlan| {
                    let inner = SyncEngine::over(files, slots, self.options.io_flags, clock)?;
                    Ok(Stripe::new(inner, *layout, shape, clock))
                },
                observe,
            ),
            _ => Err(self.does_not_carry("it does not carry I/O to a stripe")),
        }
    }

    /// Nobody is to find out in the middle of a run that every trim is refused.
    fn refuse_trims(&self, engine: EngineKind) -> Result<(), EngineError> {
        if self.workload.mix.trim_share > 0.0 {
            let cause = "trims are not carried on this operating system";
            let place = format!("starting engine {}", engine.name());
            return Err(EngineError::new(ErrorKind::Unsupported, place, cause)
                .with_remedy("leave the trims out: --trim-share 0"));
        }
        Ok(())
    }
}

/// With what the calls took that started the I/Os; all engines have ended.
fn with_calls(mut measured: Measured, inside: &Inside) -> Measured {
    measured.engine.features.push(inside.sum().feature());
    measured
}
