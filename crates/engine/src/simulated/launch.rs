//! Runs over simulated devices: in simulated time on this thread, or by the wall clock on threads.

use std::sync::{Arc, Mutex, PoisonError};

use fathom_measure::{Clock, VirtualClock};
use fathom_sim::{SimDevice, SimHost, SimParameters};

use super::{Mode, SimEngine};
use crate::EngineError;
use crate::decorate::Stack;
use crate::job::{JobPlan, Measurement, Observer, virtual_time_jobs};
use crate::launch::{Launch, Launcher, Medium, of};
use crate::precise_sleep::PreciseSleep;

/// What a user types.
pub(super) const NAME: &str = "sim";

pub(crate) const LAUNCHER: Launcher = Launcher {
    others: Some(|launch, observe| match launch.medium {
        Medium::Simulated(devices) => launch.simulate(devices, observe),
        _ => Err(launch.does_not_carry()),
    }),
    ..Launcher::of(&[NAME])
};

type SharedDevice = Arc<Mutex<SimDevice>>;

/// A simulated device after a run, with the seed that it had before the run gave it its own.
fn left_as(was: &SimParameters, is: &SharedDevice, now_ns: u64) -> SimParameters {
    let device = is.lock().unwrap_or_else(PoisonError::into_inner);
    SimParameters { seed: was.seed, ..device.parameters_at(now_ns) }
}

impl Launch<'_> {
    fn simulate(
        &self,
        devices: &[SimParameters],
        observe: &mut Observer<'_>,
    ) -> Result<Measurement, EngineError> {
        let bytes = u64::from(self.largest_io_bytes());
        let parameters = devices;
        let devices = self.simulated_devices(parameters)?;
        let left =
            |now_ns| parameters.iter().zip(&devices).map(|(was, is)| left_as(was, is, now_ns)).collect();
        if self.options.real_time {
            let build = |plan: &JobPlan| {
                SimEngine::new(of(plan, &devices), plan.depth, bytes, self.clock, Mode::RealTime)
            };
            let measured = self.on_threads(build, observe)?;
            return Ok(Measurement { left: left(self.clock.now_ns()), ..measured });
        }
        self.refuse_verification()?;
        let clock = VirtualClock::new();
        let build = |plan: &JobPlan| {
            SimEngine::new(of(plan, &devices), plan.depth, bytes, clock.clone(), Mode::Virtual)
        };
        let measured = if self.options.decorators.is_empty() {
            virtual_time_jobs::run(self.crew_plan(), &clock, build, observe)?
        } else {
            let stack = Stack::new(&self.options.decorators, self.workload.seed, PreciseSleep::default());
            let decorated =
                |plan: &JobPlan| Ok(stack.around(Box::new(build(plan)?), (plan.job, plan.buffers()), &clock));
            virtual_time_jobs::run(self.crew_plan(), &clock, decorated, observe)?
        };
        Ok(Measurement { left: left(clock.now_ns()), ..measured })
    }

    /// A device's noise differs from run to run, as a real one's does, and from device to device; it
    /// replays with the run's seed. Devices that name the same instance share its limit.
    fn simulated_devices(&self, devices: &[SimParameters]) -> Result<Vec<SharedDevice>, EngineError> {
        let mut host = SimHost::default();
        let make = |(parameters, place): (&SimParameters, u64)| {
            let seed = parameters.seed.wrapping_add(self.workload.seed).wrapping_add(place);
            let device = host.device(SimParameters { seed, ..parameters.clone() })?;
            Ok(Arc::new(Mutex::new(device)))
        };
        devices.iter().zip(0..).map(make).collect()
    }
}
