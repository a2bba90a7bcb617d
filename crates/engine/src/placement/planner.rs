//! Seats for jobs, from processors and devices as values.

use std::cmp::Reverse;

use crate::{EngineError, ErrorKind};

/// One processor that the process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// The kernel's number.
    pub id: u32,
    /// NUMA node, where there are nodes.
    pub node: Option<u32>,
    /// Package and core: the same for threads of one core.
    pub core: (u32, u32),
    /// What it can do beside the machine's largest, which has 1024, where processors differ (Arm's large and small
    /// cores); absent where the kernel does not show it.
    pub capacity: Option<u32>,
}

/// One hardware queue of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The kernel's number.
    pub number: u32,
    /// Processors that submit to it.
    pub cpus: Vec<u32>,
}

/// What is near a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Kernel's name of the disk.
    pub name: String,
    /// NUMA node, where it has one.
    pub node: Option<u32>,
    /// Hardware queues; empty where they are not shown.
    pub queues: Vec<Queue>,
    /// Processors that its interrupts arrive at.
    pub interrupts: Vec<u32>,
}

/// One job's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Processor.
    pub cpu: u32,
    /// Why this one, as `queue 1 of nvme0n1, node 0`.
    pub why: String,
}

/// A seat for each of `jobs` jobs; job j works on the device at j modulo their number, of which there
/// is at least one; `None` stands for a target without one.
///
/// Each job takes the free processor that is best by, in this order: on the device's node; on a core
/// that no job has yet; of the largest capacity; on a hardware queue with the fewest of the device's jobs; where the device's
/// interrupts arrive; the lowest number.
///
/// # Errors
/// When there are more jobs than processors: why nobody is bound.
pub fn seats(cpus: &[Cpu], devices: &[Option<Device>], jobs: u32) -> Result<Vec<Seat>, EngineError> {
    if jobs as usize > cpus.len() {
        let cause = format!("{jobs} jobs share {} CPUs, as the scheduler decides", cpus.len());
        return Err(EngineError::new(ErrorKind::Plan, "binding jobs to CPUs", cause));
    }
    let mut taken: Vec<ChosenCpu<'_>> = Vec::with_capacity(jobs as usize);
    for job in 0..jobs as usize {
        let place = job % devices.len().max(1);
        let device = devices.get(place).and_then(Option::as_ref);
        let free = cpus.iter().filter(|cpu| taken.iter().all(|other| other.cpu.id != cpu.id));
        let best = free.min_by_key(|cpu| {
            let queue = device.and_then(|device| queue_of(device, cpu));
            let beside = |other: &&ChosenCpu<'_>| other.cpu.core == cpu.core;
            let same_queue = |other: &&ChosenCpu<'_>| other.place == place && other.queue == queue;
            (
                is_far(device, cpu),
                taken.iter().filter(beside).count(),
                Reverse(capacity(cpu)),
                queue.map_or(0, |_| taken.iter().filter(same_queue).count()),
                !device.is_some_and(|device| device.interrupts.contains(&cpu.id)),
                cpu.id,
            )
        });
        let cpu = best.expect("there are at least as many CPUs as jobs");
        taken.push(ChosenCpu { cpu, place, queue: device.and_then(|device| queue_of(device, cpu)) });
    }
    let why = |(at, seat): (usize, &ChosenCpu<'_>)| Seat {
        cpu: seat.cpu.id,
        why: reason(seat, devices.get(seat.place).and_then(Option::as_ref), &taken[..at]),
    };
    Ok(taken.iter().enumerate().map(why).collect())
}

/// Processors of another NUMA node than jobs on `bound` run on, which would tell what the distance costs: those of the
/// devices' node where a job is not on it, and those of the next node where nobody knows the devices' and all jobs are on one.
/// `None` where jobs are near their devices, on a machine of one node, and where jobs are bound to nothing.
pub fn other_node(cpus: &[Cpu], devices: &[Option<Device>], bound: &[u32]) -> Option<Vec<u32>> {
    let of = |id: &u32| cpus.iter().find(|cpu| cpu.id == *id)?.node;
    let mut on = bound.iter().map(of).collect::<Option<Vec<u32>>>()?;
    on.sort_unstable();
    on.dedup();
    let node = |device: &Option<Device>| device.as_ref()?.node;
    let home = devices.first().and_then(node).filter(|home| devices.iter().all(|d| node(d) == Some(*home)));
    let wanted = match (home, on.as_slice()) {
        (_, []) => return None,
        (Some(home), on) => Some(home).filter(|_| on != [home])?,
        (None, [here]) => {
            let others = || cpus.iter().filter_map(|cpu| cpu.node).filter(|node| node != here);
            others().filter(|node| node > here).min().or_else(|| others().min())?
        }
        (None, _) => return None,
    };
    let there: Vec<u32> = cpus.iter().filter(|cpu| cpu.node == Some(wanted)).map(|cpu| cpu.id).collect();
    (!there.is_empty()).then_some(there)
}

struct ChosenCpu<'a> {
    cpu: &'a Cpu,
    /// Which device.
    place: usize,
    queue: Option<u32>,
}

/// Of the machine's largest processors, in the kernel's unit.
const FULL_CAPACITY: u32 = 1024;

fn capacity(cpu: &Cpu) -> u32 {
    cpu.capacity.unwrap_or(FULL_CAPACITY)
}

fn queue_of(device: &Device, cpu: &Cpu) -> Option<u32> {
    device.queues.iter().find(|queue| queue.cpus.contains(&cpu.id)).map(|queue| queue.number)
}

/// On a node that is known not to be the device's.
fn is_far(device: Option<&Device>, cpu: &Cpu) -> bool {
    let nodes = device.and_then(|device| device.node).zip(cpu.node);
    nodes.is_some_and(|(device, cpu)| device != cpu)
}

fn reason(seat: &ChosenCpu<'_>, device: Option<&Device>, before: &[ChosenCpu<'_>]) -> String {
    let mut parts = Vec::new();
    match (device, seat.queue) {
        (Some(device), Some(queue)) => parts.push(format!("queue {queue} of {}", device.name)),
        (Some(device), None) => parts.push(format!("near {}", device.name)),
        (None, _) => parts.push("no device to be near to".to_owned()),
    }
    if let Some(node) = seat.cpu.node {
        let away = device.and_then(|device| device.node).filter(|_| is_far(device, seat.cpu));
        parts.push(match away {
            Some(home) => format!("node {node} as node {home} is full"),
            None => format!("node {node}"),
        });
    }
    if before.iter().any(|other| other.cpu.core == seat.cpu.core) {
        parts.push("another thread of a core in use".to_owned());
    }
    if capacity(seat.cpu) < FULL_CAPACITY {
        parts.push(format!("a smaller core ({} of {FULL_CAPACITY})", capacity(seat.cpu)));
    }
    parts.join(", ")
}
