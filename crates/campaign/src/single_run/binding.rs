//! Which processors the jobs of a run are bound to, by the user's word or near their devices.

use std::collections::BTreeSet;
use std::net::SocketAddrV4;

use fathom_engine::EngineError;
use fathom_engine::placement::{Device, Machine, Seat, other_node, seats};
use fathom_record::Workload;
use fathom_record::engine_list::InFlight;
use fathom_record::facts::{BOUND_NEAR_DEVICE, EngineFacts, EngineFeature, TargetFacts, TargetKind};
use fathom_record::run_record::JobSummary;
use fathom_telemetry::environment::interface_of;

use super::session::Session;

/// The processors of a run's jobs.
#[derive(Debug, Default)]
pub struct Binding {
    /// One for each job, in turn; empty: the scheduler's choice.
    pub cpus: Vec<u32>,
    /// Why, one for each job; empty where nobody was bound, or the user chose.
    reasons: Vec<String>,
    /// Whether jobs were bound by default, and why not; absent where the user chose.
    default: Option<EngineFeature>,
}

impl Binding {
    /// The user's list; an empty one leaves jobs to the scheduler.
    pub fn explicit(cpus: &[u32]) -> Self {
        Self { cpus: cpus.to_vec(), ..Self::default() }
    }

    /// Nobody is bound, for this reason.
    fn none(why: String) -> Self {
        let feature = EngineFeature::new(BOUND_NEAR_DEVICE, false, Some(why));
        Self { default: Some(feature), ..Self::default() }
    }

    /// Near the devices: a seat for each job, unless that would hold it back, as where its engine
    /// `has_threads` of its own.
    pub fn near<'a>(
        members: impl Iterator<Item = &'a TargetFacts>,
        has_threads: bool,
        workload: &Workload,
        allowed: &Result<BTreeSet<u32>, EngineError>,
    ) -> Self {
        let allowed = match allowed {
            Ok(allowed) => allowed,
            Err(error) => return Self::none(format!("threads cannot be bound here: {}", error.cause)),
        };
        if has_threads {
            let why = "a job of this engine has a thread for each I/O in flight: one CPU would be too few";
            return Self::none(why.to_owned());
        }
        let machine = Machine::default();
        let devices: Vec<Option<Device>> = members.map(|facts| device_of(&machine, facts)).collect();
        match seats(&machine.cpus(allowed), &devices, workload.jobs) {
            Ok(seats) => Self::seated(seats),
            Err(error) => Self::none(error.cause),
        }
    }

    fn seated(seats: Vec<Seat>) -> Self {
        let (cpus, reasons) = seats.into_iter().map(|seat| (seat.cpu, seat.why)).unzip();
        let feature = EngineFeature::new(BOUND_NEAR_DEVICE, true, None);
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

impl Session {
    /// Processors for the jobs of one run.
    pub(super) fn binding(&self, workload: &Workload) -> Binding {
        match &self.plan.options.cpus {
            _ if self.is_simulated_time() => Binding::default(),
            Some(asked) => Binding::explicit(asked),
            None => {
                // Of a stripe, each part of an I/O has a thread too.
                let threads = self.engine.entry().in_flight == InFlight::Threads
                    && (workload.depth > 1 || self.targets.facts.stripe_bytes.is_some());
                Binding::near(self.targets.members(), threads, workload, &self.allowed)
            }
        }
    }

    /// Processors of another NUMA node that the jobs of a run could be moved to, where that would tell something.
    pub(crate) fn other_node(&self, workload: &Workload) -> Option<Vec<u32>> {
        let bound = self.binding(workload).cpus;
        away(self.targets.members(), &bound, self.allowed.as_ref().ok()?)
    }

    /// A remark where jobs of a run are on other NUMA nodes than their drives or cards.
    pub(super) fn far(&self, workload: &Workload) -> Option<String> {
        let bound = self.binding(workload).cpus;
        apart(self.targets.members(), &bound, workload.jobs, self.allowed.as_ref().ok()?)
    }
}

/// Processors of another NUMA node that jobs which are bound to these could be moved to, where that would tell something.
fn away<'a>(
    members: impl Iterator<Item = &'a TargetFacts>,
    bound: &[u32],
    allowed: &BTreeSet<u32>,
) -> Option<Vec<u32>> {
    let machine = Machine::default();
    let devices: Vec<Option<Device>> = members.map(|facts| device_of(&machine, facts)).collect();
    other_node(&machine.cpus(allowed), &devices, bound)
}

/// A remark where jobs that are bound are on other NUMA nodes than their drives or cards; nothing where that is not
/// known of any of them.
fn apart<'a>(
    members: impl Iterator<Item = &'a TargetFacts>,
    bound: &[u32],
    jobs: u32,
    allowed: &BTreeSet<u32>,
) -> Option<String> {
    let machine = Machine::default();
    let devices: Vec<Option<Device>> = members.map(|facts| device_of(&machine, facts)).collect();
    let cpus = machine.cpus(allowed);
    let node_of = |cpu: u32| cpus.iter().find(|other| other.id == cpu)?.node;
    far(&devices, bound, jobs, &node_of)
}

/// The same of devices, and of the nodes of processors: each job has the next processor and the next device.
fn far(
    devices: &[Option<Device>],
    bound: &[u32],
    jobs: u32,
    node_of: &dyn Fn(u32) -> Option<u32>,
) -> Option<String> {
    if bound.is_empty() || devices.is_empty() {
        return None;
    }
    let place = |job: usize| {
        let device = devices[job % devices.len()].as_ref()?;
        let (there, here) = (device.node?, node_of(bound[job % bound.len()])?);
        (there != here).then_some((device, there, here))
    };
    let all: Vec<_> = (0..jobs as usize).filter_map(place).collect();
    let (device, there, here) = all.first()?;
    Some(format!(
        "{} of {jobs} jobs run on another NUMA node than what they use: {} is on node {there}, and CPUs of node {here} work \
         on it. Leave --cpus out, or name CPUs of node {there}.",
        all.len(),
        device.name
    ))
}

/// A remark where the parts of a path, each with its NUMA node, are not all on one; nothing where fewer than two nodes
/// are known.
pub fn nodes_apart(parts: &[(String, Option<u32>)]) -> Option<String> {
    let known = || parts.iter().filter_map(|(what, node)| Some((what, (*node)?)));
    let (_, first) = known().next()?;
    if known().all(|(_, node)| node == first) {
        return None;
    }
    let told: Vec<String> = known().map(|(what, node)| format!("{what} on node {node}")).collect();
    Some(format!("Not all of the path is on one NUMA node: {}.", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, node: Option<u32>) -> Option<Device> {
        Some(Device { name: name.to_owned(), node, ..Device::default() })
    }

    /// Two nodes of two processors each.
    fn node_of(cpu: u32) -> Option<u32> {
        (cpu < 4).then_some(cpu / 2)
    }

    #[test]
    fn jobs_on_another_node_than_their_device_are_counted() {
        let drive = [device("nvme1n1", Some(1))];
        assert_eq!(far(&drive, &[2, 3], 2, &node_of), None);
        let said = far(&drive, &[0, 2], 4, &node_of).unwrap();
        assert!(said.starts_with("2 of 4 jobs") && said.contains("nvme1n1 is on node 1"), "{said}");
        // A job each: the first device's is near, the second's is not.
        let both = [device("nvme0n1", Some(0)), device("eth1", Some(1))];
        let said = far(&both, &[0, 1], 2, &node_of).unwrap();
        assert!(said.starts_with("1 of 2 jobs") && said.contains("eth1"), "{said}");
        for unknown in [[device("eth0", None)], [None]] {
            assert_eq!(far(&unknown, &[0], 1, &node_of), None);
        }
        assert_eq!(far(&drive, &[], 1, &node_of), None, "the scheduler's choice");
        assert_eq!(far(&drive, &[9], 1, &node_of), None, "a processor that nobody shows");
    }

    #[test]
    fn parts_on_several_nodes_are_named_with_them() {
        let part = |what: &str, node| (what.to_owned(), node);
        assert_eq!(nodes_apart(&[part("drive a", Some(0)), part("card b", None)]), None);
        assert_eq!(nodes_apart(&[part("drive a", Some(1)), part("card b", Some(1))]), None);
        let said = nodes_apart(&[part("drive a", Some(0)), part("card b", Some(1))]).unwrap();
        assert!(said.contains("drive a on node 0, card b on node 1"), "{said}");
    }
}
