//! Engines of files and devices on Linux: made for each job, with what a run chose of them.

use std::sync::Arc;

use fathom_record::options::Priorities;
use fathom_target::Handle;
use fathom_target::namespace::Namespace;

use super::{Launch, Medium, of};
use crate::EngineError;
use crate::aio::Aio;
use crate::catalogue::EngineKind;
use crate::job::{JobPlan, Measured, Observer};
use crate::metadata::Metadata;
use crate::mmap::Mmap;
use crate::passthrough::Passthrough;
use crate::pattern::largest_transfer_bytes;
use crate::priority::{Single, Tallies};
use crate::stripe::{Shape, Slots, Stripe, Volume};
use crate::sync::Sync as SyncEngine;
use crate::uring::{self, Uring};

impl Launch<'_> {
    /// With a priority for each I/O.
    pub(super) fn prioritised(
        &self,
        priorities: &Priorities,
        observe: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        let (bytes, clock, seed) = (u64::from(self.largest_io_bytes()), self.clock, self.workload.seed);
        let tallies = Arc::new(Tallies::default());
        let own = |plan: &JobPlan| (plan.buffers(), (seed, plan.job), Arc::clone(&tallies));
        let mut measured = match (self.engine, self.medium) {
            (EngineKind::Uring, Medium::Files(files)) => {
                let options = self.uring_options();
                let build = |plan: &JobPlan| {
                    let slots = Slots::spared(plan.depth, plan.spares.count);
                    let engine = Uring::over(&[of(plan, files)], slots, bytes, options, clock)?;
                    let (depth, stream, tallies) = own(plan);
                    Ok(Single::new(engine, priorities, depth, stream, tallies))
                };
                self.on_shared_loop(build, observe)?
            }
            (EngineKind::Aio, Medium::Files(files)) => {
                let build = |plan: &JobPlan| {
                    let slots = Slots::spared(plan.depth, plan.spares.count);
                    let engine =
                        Aio::over(&[of(plan, files)], slots, bytes, clock)?.with_flags(self.options.io_flags);
                    let (depth, stream, tallies) = own(plan);
                    Ok(Single::new(engine, priorities, depth, stream, tallies))
                };
                self.on_shared_loop(build, observe)?
            }
            _ => return Err(self.does_not_carry("it tells the kernel no priorities of single I/Os")),
        };
        measured.priorities = tallies.take();
        Ok(measured)
    }

    /// By one of the engines that work on open files and devices.
    pub(super) fn on_files(
        &self,
        engine: EngineKind,
        files: &[Arc<Handle>],
        observe: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        let (bytes, clock) = (u64::from(self.largest_io_bytes()), self.clock);
        let uring_options = self.uring_options();
        match engine {
            EngineKind::Uring => self.on_threads(
                |plan| {
                    let slots = Slots::spared(plan.depth, plan.spares.count);
                    Uring::over(&[of(plan, files)], slots, bytes, uring_options, clock)
                },
                observe,
            ),
            EngineKind::Aio => {
                let flags = self.options.io_flags;
                let build = |plan: &JobPlan| {
                    let slots = Slots::spared(plan.depth, plan.spares.count);
                    Ok(Aio::over(&[of(plan, files)], slots, bytes, clock)?.with_flags(flags))
                };
                self.on_threads(build, observe)
            }
            EngineKind::Sync => {
                let flags = self.options.io_flags;
                let build = |plan: &JobPlan| {
                    SyncEngine::with_flags(of(plan, files), (plan.depth, bytes), flags, clock)
                };
                self.on_threads(build, observe)
            }
            EngineKind::Mmap => {
                let addresses = &self.workload.addresses;
                let build = |plan: &JobPlan| {
                    let span = of(plan, self.geometries).span();
                    Mmap::new(of(plan, files), span, addresses, (plan.depth, bytes), clock)
                };
                self.on_threads(build, observe)
            }
            EngineKind::Metadata(act) => {
                let build = |plan: &JobPlan| {
                    let span = of(plan, self.geometries).span();
                    Metadata::new(act, of(plan, files), span, (plan.depth, bytes), clock)
                };
                self.on_shared_loop(build, observe)
            }
            EngineKind::Passthrough => {
                for file in files {
                    Namespace::of(file)?.admit_transfer(largest_transfer_bytes(self.workload))?;
                }
                self.on_threads(
                    |plan| {
                        let slots = Slots::spared(plan.depth, plan.spares.count);
                        Passthrough::over(of(plan, files), slots, bytes, uring_options, clock)
                    },
                    observe,
                )
            }
            _ => Err(self.does_not_carry("it does not carry I/O to this kind of target")),
        }
    }

    fn uring_options(&self) -> uring::Options {
        uring::Options {
            polled: self.options.polled,
            flags: self.options.io_flags,
            on_time: self.workload.arrival.is_open(),
        }
    }

    /// The same over several files as one address space.
    pub(super) fn striped(
        &self,
        engine: EngineKind,
        volume: &Volume,
        observe: &mut Observer<'_>,
    ) -> Result<Measured, EngineError> {
        let (bytes, clock) = (self.largest_io_bytes(), self.clock);
        let Volume { files, layout } = volume;
        let block_bytes = self.geometries.first().map_or(1, |geometry| geometry.block_bytes);
        let flushes = self.workload.mix.flush_every_writes > 0;
        let shape = Shape::new(layout, self.workload.depth, (bytes, block_bytes), flushes)?
            .spared(self.spares().count);
        let (slots, bytes) = (shape.slots(), u64::from(bytes));
        match engine {
            EngineKind::Uring => self.on_threads(
                |_| {
                    let inner = Uring::over(files, slots, bytes, self.uring_options(), clock)?;
                    Ok(Stripe::new(inner, *layout, shape, clock))
                },
                observe,
            ),
            EngineKind::Aio => self.on_shared_loop(
                |_| {
                    let inner = Aio::over(files, slots, bytes, clock)?.with_flags(self.options.io_flags);
                    Ok(Stripe::new(inner, *layout, shape, clock))
                },
                observe,
            ),
            EngineKind::Sync => self.on_shared_loop(
                |_| {
                    let inner = SyncEngine::over(files, (slots, bytes), self.options.io_flags, clock)?;
                    Ok(Stripe::new(inner, *layout, shape, clock))
                },
                observe,
            ),
            _ => Err(self.does_not_carry("it does not carry I/O to a stripe")),
        }
    }
}
