//! Limits of the device that a workload goes beyond: the run takes place, and its record says it.

use fathom_engine::engine_kinds::EngineKind;
use fathom_record::Workload;
use fathom_record::engine_list::{EngineEntry, InFlight};
use fathom_record::facts::{TargetFacts, TargetKind};

/// A depth above 1 of an engine that has one I/O of a job in flight. In memory, where every engine does, there
/// is no choice to be told of.
pub fn lone(workload: &Workload, engine: EngineKind, target: &TargetFacts) -> Option<String> {
    let EngineEntry { name, in_flight, .. } = engine.entry();
    let is_storage = matches!(target.kind, TargetKind::File | TargetKind::BlockDevice);
    (*in_flight == InFlight::One && is_storage && workload.depth > 1).then(|| {
        format!(
            "Engine {name} ends each I/O inside its submission: each job has one in flight, and depth {} changes \
             nothing. More in flight takes more --jobs.",
            workload.depth
        )
    })
}

/// The one disk under a target, and what its queues take.
pub struct Queues<'a> {
    /// The disk's name.
    pub name: &'a str,
    /// Requests that each queue takes.
    pub requests: u64,
    /// Hardware queues that take I/O as the run has it: polled, or not.
    pub queues: u64,
}

impl<'a> Queues<'a> {
    /// Of I/O past the page cache to one disk. Of several disks nobody knows how many get which I/O, and the page
    /// cache sends its own. Polled I/O has queues of its own.
    pub fn of(target: &'a TargetFacts, is_polled: bool) -> Option<Self> {
        let mut disks = target.devices.iter().filter(|device| device.layer == "disk");
        let (Some(disk), None) = (disks.next(), disks.next()) else { return None };
        let queues = disk.queues_of(is_polled).filter(|queues| *queues > 0)?;
        let requests = disk.queue_requests?;
        target.direct.then_some(Self { name: &disk.name, requests, queues })
    }

    /// Requests that the disk takes at a time.
    pub const fn taken(&self) -> u64 {
        self.requests.saturating_mul(self.queues)
    }
}

/// More in flight than the one disk under the target takes.
pub fn tags(
    workload: &Workload,
    engine: EngineKind,
    target: &TargetFacts,
    is_polled: bool,
) -> Option<String> {
    if workload.arrival.is_open() || engine.entry().through_cache {
        return None;
    }
    let disk = Queues::of(target, is_polled)?;
    let (requests, queues, taken) = (disk.requests, disk.queues, disk.taken());
    let (jobs, depth) = (u64::from(workload.jobs), u64::from(workload.depth));
    let asked = jobs * depth;
    (asked > taken).then(|| {
        format!(
            "Depth beyond the device's tags: {jobs} jobs × depth {depth} are {asked} I/Os, and {name} takes {taken} \
             ({requests} requests × {queues} hardware queues): the others wait in the kernel, and their wait is part \
             of the latency. Use a smaller --depth or --jobs; where the driver allows more: echo {raised} > \
             /sys/block/{name}/queue/nr_requests",
            name = disk.name,
            raised = asked.div_ceil(queues),
        )
    })
}

#[cfg(test)]
mod tests {
    use fathom_record::facts::DeviceFacts;

    use super::*;

    fn kind(name: &str) -> EngineKind {
        EngineKind::named(name).expect(name)
    }

    fn told(change: impl FnOnce(&mut Workload, &mut TargetFacts)) -> Option<String> {
        told_of(false, change)
    }

    fn told_of(is_polled: bool, change: impl FnOnce(&mut Workload, &mut TargetFacts)) -> Option<String> {
        let json = include_bytes!("../../../../fuzz/seeds/record/run.json");
        let mut record = fathom_record::parse_run(json).expect("a record");
        let disk = DeviceFacts {
            name: "nvme0n1".to_owned(),
            layer: "disk".to_owned(),
            queue_requests: Some(64),
            hardware_queues: Some(2),
            ..DeviceFacts::default()
        };
        record.target.devices = vec![disk];
        record.target.direct = true;
        record.workload.arrival = fathom_record::workload::Arrival::Closed;
        (record.workload.jobs, record.workload.depth) = (2, 64);
        change(&mut record.workload, &mut record.target);
        tags(&record.workload, kind("uring"), &record.target, is_polled)
    }

    #[test]
    fn a_depth_without_effect_is_told() {
        let json = include_bytes!("../../../../fuzz/seeds/record/run.json");
        let mut record = fathom_record::parse_run(json).expect("a record");
        let mut told = |depth: u32, engine: EngineKind, target: TargetKind| {
            (record.workload.depth, record.target.kind) = (depth, target);
            lone(&record.workload, engine, &record.target)
        };
        let words = told(4, kind("mmap"), TargetKind::File).unwrap_or_default();
        assert!(words.contains("Engine mmap") && words.contains("depth 4 changes nothing"), "{words}");
        assert_eq!(told(1, kind("mmap"), TargetKind::File), None);
        assert_eq!(told(4, kind("uring"), TargetKind::File), None);
        assert_eq!(told(4, kind("memory"), TargetKind::Memory), None);
    }

    #[test]
    fn limits_are_named_only_where_they_are_passed() {
        assert_eq!(told(|_, _| ()), None);
        let deep = told(|workload, _| workload.depth = 65).unwrap_or_default();
        assert!(deep.contains("130 I/Os") && deep.contains("takes 128"), "{deep:?}");
        assert!(deep.contains("echo 65 > /sys/block/nvme0n1/queue/nr_requests"), "{deep:?}");
        let few_polled =
            |_: &mut Workload, target: &mut TargetFacts| target.devices[0].polled_queues = Some(1);
        let beyond = told(few_polled).unwrap_or_default();
        assert!(beyond.contains("takes 64 (64 requests × 1 hardware queues)"), "{beyond:?}");
        assert_eq!(told_of(true, few_polled), told(few_polled), "one queue of each kind");
        let two_of_three = |_: &mut Workload, target: &mut TargetFacts| {
            (target.devices[0].hardware_queues, target.devices[0].polled_queues) = (Some(3), Some(1));
        };
        assert!(told(two_of_three).is_none() && told_of(true, two_of_three).is_some());
        let buffered = |workload: &mut Workload, target: &mut TargetFacts| {
            (workload.depth, target.direct) = (1000, false);
        };
        assert!(told(buffered).is_none(), "the page cache sends its own I/Os");
    }
}
