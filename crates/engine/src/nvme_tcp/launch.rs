//! A run over namespaces on the network: one controller a target, one queue of it a job.

use std::sync::{Arc, PoisonError};

use fathom_order::InOrder;
use fathom_record::facts::{CONNECTION_KEPT, EngineFeature, FabricQueue, Outages};
use fathom_target::remote::{Controller, Remote};

use super::{NvmeTcp, reconnect};
use crate::job::{Measurement, Observer};
use crate::launch::{Launch, Launcher, Medium};
use crate::{EngineError, ErrorKind};

/// What a user types.
pub(super) const NAME: &str = "nvme-tcp";

pub(crate) const LAUNCHER: Launcher = Launcher {
    others: Some(|launch, observe| match launch.medium {
        Medium::Remote(remotes) => launch.over_the_network(remotes, observe),
        _ => Err(launch.does_not_carry()),
    }),
    // The socket is asked, and not a device.
    polled: Some(|_| Ok(())),
    ..Launcher::of(&[NAME])
};

impl Launch<'_> {
    /// Runs the workload over connections of its own, which end with it.
    ///
    /// # Errors
    /// Where a target cannot be connected to, or does not grant what the workload needs.
    fn over_the_network(
        &self,
        remotes: &[Arc<Remote>],
        observe: &mut Observer<'_>,
    ) -> Result<Measurement, EngineError> {
        let (jobs, targets) = (self.workload.jobs, remotes.len() as u32);
        let bytes = self.largest_io_bytes();
        let connect = |(remote, target): (&Arc<Remote>, u32)| {
            let queues = jobs / targets + u32::from(target < jobs % targets);
            let queues = u16::try_from(queues).map_err(|_| too_many(queues))?;
            let controller = remote.connect(queues)?;
            controller.admit_depth(self.workload.depth, bytes)?;
            Ok(Arc::new(controller))
        };
        let controllers: Vec<Arc<Controller>> =
            remotes.iter().zip(0..).map(connect).collect::<Result<_, EngineError>>()?;
        let (controllers, clock) = (&controllers, self.clock);
        let build = |plan: &crate::job::JobPlan| {
            let controller = &controllers[plan.target as usize];
            let number = (plan.job / targets + 1) as u16;
            let engine = NvmeTcp::new(controller, number, plan.depth, u64::from(bytes), clock)?
                .polling(self.options.polled);
            let (remote, label) = (&remotes[plan.target as usize], format!("job {}", plan.job));
            reconnect::register(remote, &label, &engine.stream);
            Ok(engine.kept_by(remote, plan.job, &label, bytes))
        };
        remotes.iter().for_each(|remote| drop((taken(remote), carried(remote))));
        let measured = self.on_threads(build, observe);
        remotes.iter().for_each(|remote| reconnect::sockets(remote).clear());
        let mut measured = measured?;
        if remotes.iter().any(|remote| remote.reconnect_s().is_some()) {
            let mut all = Outages::default();
            remotes.iter().for_each(|remote| all.merge(&taken(remote)));
            measured.outages = Some(all);
        }
        measured.queues = remotes.iter().flat_map(|remote| carried(remote)).collect();
        measured.queues.put_in_order_by_key(|queue| queue.job);
        for controller in controllers {
            measured.engine.features.extend(said(controller));
        }
        Ok(measured)
    }
}

/// The losses since they were taken last.
fn taken(remote: &Remote) -> Outages {
    std::mem::take(&mut *remote.outages().lock().unwrap_or_else(PoisonError::into_inner))
}

/// What the queues that are closed carried, since it was taken last.
fn carried(remote: &Remote) -> Vec<FabricQueue> {
    std::mem::take(&mut *remote.queues().lock().unwrap_or_else(PoisonError::into_inner))
}

/// What a controller told of during the run.
fn said(controller: &Controller) -> impl Iterator<Item = EngineFeature> {
    let shared = controller.shared();
    let feature = |name: &str, used, note| EngineFeature::new(name, used, Some(note));
    let events = shared.events().into_iter().map(move |event| feature("controller_event", true, event));
    let lost = shared.why().map(|why| feature(CONNECTION_KEPT, false, why));
    events.chain(lost)
}

fn too_many(queues: u32) -> EngineError {
    let cause = format!("{queues} jobs on one target are more than the queues that a controller can have");
    EngineError::new(ErrorKind::Plan, "connecting", cause).with_remedy("use fewer --jobs")
}
