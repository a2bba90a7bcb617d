//! Which processors the jobs of a run are bound to, by the user's word or near their devices.

use std::collections::BTreeSet;
use std::net::SocketAddrV4;

use fathom_engine::placement::{Device, Machine, Seat, other_node, seats};
use fathom_record::Workload;
use fathom_record::facts::TargetKind;
use fathom_record::facts::{BOUND_NEAR_DEVICE, EngineFacts, Feature, TargetFacts};
use fathom_record::run::JobSummary;
use fathom_telemetry::environment::interface_of;

/// The processors of a run's jobs.
#[derive(Debug, Default)]
pub struct Binding {
    /// One for each job, in turn; empty: the scheduler's choice.
    pub cpus: Vec<u32>,
    /// Why, one for each job; empty where nobody was bound, or the user chose.
    reasons: Vec<String>,
    /// Whether jobs were bound by default, and why not; absent where the user chose.
    default: Option<Feature>,
}

impl Binding {
    /// The user's list; an empty one leaves jobs to the scheduler.
    pub fn asked(cpus: &[u32]) -> Self {
        Self { cpus: cpus.to_vec(), ..Self::default() }
    }

    /// Nobody is bound, for this reason.
    fn none(why: String) -> Self {
        let feature = Feature { name: BOUND_NEAR_DEVICE.to_owned(), used: false, note: Some(why) };
        Self { default: Some(feature), ..Self::default() }
    }

    /// Near the devices: a seat for each job, unless that would hold it back, as where its engine
    /// `has_threads` of its own.
    pub fn near<'a>(
        members: impl Iterator<Item = &'a TargetFacts>,
        has_threads: bool,
        workload: &Workload,
        allowed: &Result<BTreeSet<u32>, String>,
    ) -> Self {
        let allowed = match allowed {
            Ok(allowed) => allowed,
            Err(why) => return Self::none(why.clone()),
        };
        if has_threads {
            let why = "a job of this engine has a thread for each I/O in flight: one CPU would be too few";
            return Self::none(why.to_owned());
        }
        let machine = Machine::default();
        let devices: Vec<Option<Device>> = members.map(|facts| device_of(&machine, facts)).collect();
        match seats(&machine.cpus(allowed), &devices, workload.jobs) {
            Ok(seats) => Self::seated(seats),
            Err(why) => Self::none(why),
        }
    }

    fn seated(seats: Vec<Seat>) -> Self {
        let (cpus, reasons) = seats.into_iter().map(|seat| (seat.cpu, seat.why)).unzip();
        let feature = Feature { name: BOUND_NEAR_DEVICE.to_owned(), used: true, note: None };
        Self { cpus, reasons, default: Some(feature) }
    }

    /// Says in what was measured where each job ran, and why.
    pub fn describe(self, engine: &mut EngineFacts, jobs: &mut [JobSummary]) {
        for (job, why) in jobs.iter_mut().zip(self.reasons) {
            job.placement = Some(why);
        }
        if self.default.is_none() {
            jobs.iter_mut()
                .filter(|job| job.cpu.is_some())
                .for_each(|job| job.placement = Some("asked for".into()));
        }
        engine.features.extend(self.default);
    }
}

/// What a target stands on, as far as processors are concerned.
fn device_of(machine: &Machine, facts: &TargetFacts) -> Option<Device> {
    if facts.kind == TargetKind::FabricNamespace {
        let address = facts.fabric.as_ref()?.address.as_ref()?.parse::<SocketAddrV4>().ok()?;
        return machine.interface(&interface_of(*address.ip())?);
    }
    let layer = |layer: &str| {
        let of_layer = facts.devices.iter().filter(|device| device.layer == layer);
        of_layer.map(|device| device.name.as_str()).collect::<Vec<_>>()
    };
    let disks = layer("disk");
    machine.device_of(if disks.is_empty() { layer("memory") } else { disks }.as_slice())
}

/// Processors of another NUMA node that jobs which are bound to these could be moved to, where that would tell something.
pub fn away<'a>(
    members: impl Iterator<Item = &'a TargetFacts>,
    bound: &[u32],
    allowed: &BTreeSet<u32>,
) -> Option<Vec<u32>> {
    let machine = Machine::default();
    let devices: Vec<Option<Device>> = members.map(|facts| device_of(&machine, facts)).collect();
    other_node(&machine.cpus(allowed), &devices, bound)
}

/// Processors that this process may use, if it may bind threads at all.
///
/// # Errors
/// Why it may not.
pub fn allowed() -> Result<BTreeSet<u32>, String> {
    fathom_engine::job::allowed_cpus()
        .map_err(|error| format!("threads cannot be bound here: {}", error.cause))
}
