//! What others did during a run: what the target's devices moved that the run itself did not, by their counters
//! against its own bytes, and what other programs used of the processors.

use fathom_engine::job::Measurement;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::options::{Durability, IoFlags};
use fathom_record::workload::Verify;
use fathom_record::{Direction, Workload};
use fathom_telemetry::Root;
use fathom_telemetry::other_programs::{CpuBaseline, OthersUse};
use fathom_telemetry::traffic::{Program, Traffic};

/// File systems that put each byte of a direct I/O on their device once, and nothing with it: those that copy on
/// write, compress, checksum or spread over devices do not.
const PLAIN: [&str; 7] = ["ext2", "ext3", "ext4", "xfs", "vfat", "exfat", "msdos"];

/// Readings from before a run's first I/O.
#[derive(Debug)]
pub struct Neighbours {
    /// The devices, or why their counters say nothing of the run.
    devices: Result<(Traffic, Vec<String>), String>,
    /// The processors, or why nothing is known of them.
    processors: Result<CpuBaseline, String>,
}

/// What others did.
#[derive(Clone, Debug)]
pub struct NeighbourActivity {
    /// With the target's devices, or why that is not known, as a sentence.
    pub foreign: Result<ForeignTraffic, String>,
    /// With the processors, or why that is not known, as a sentence.
    pub others: Result<OthersUse, String>,
}

/// What others moved on the target's devices.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignTraffic {
    /// The devices that were compared.
    pub devices: Vec<String>,
    /// Bytes that were read and were not this run's.
    pub read_bytes: u64,
    /// Bytes that were written and were not this run's; absent where the file system adds writes to this run's own.
    pub write_bytes: Option<u64>,
    /// Bytes of this run itself, warm-up and drain included.
    pub own_bytes: u64,
    /// Time that all this took, in seconds.
    pub seconds: f64,
    /// The other program that was busiest with storage meanwhile.
    pub busiest: Option<Program>,
}

impl ForeignTraffic {
    /// Both directions together.
    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.write_bytes.unwrap_or(0)
    }
}

impl Neighbours {
    /// Reads the counters. `grouped` where other runs of the same process use the devices at the same time.
    pub fn watch(target: &TargetFacts, workload: &Workload, grouped: bool) -> Self {
        let root = Root::system();
        Self { devices: devices(&root, target, workload, grouped), processors: Ok(CpuBaseline::start(&root)) }
    }

    /// Where nothing is looked at.
    pub fn none(reason: &str) -> Self {
        Self { devices: Err(reason.to_owned()), processors: Err(reason.to_owned()) }
    }

    /// Reads the counters again.
    pub fn compare(
        self,
        measured: &Measurement,
        workload: &Workload,
        target: &TargetFacts,
    ) -> NeighbourActivity {
        let others = self.processors.and_then(|others| others.finish().map_err(|error| error.cause));
        let foreign = self.devices.and_then(|devices| foreign(devices, measured, workload, target));
        NeighbourActivity { foreign, others }
    }
}

/// Begins to watch the target's devices.
fn devices(
    root: &Root,
    target: &TargetFacts,
    workload: &Workload,
    grouped: bool,
) -> Result<(Traffic, Vec<String>), String> {
    if grouped {
        return Err("Several workloads ran at the same time: the device's counters are of all.".into());
    }
    if workload.data.verify == Verify::AtEnd {
        return Err("What is read back at the end is in no count of this run.".into());
    }
    let devices = counted(target)?;
    let names: Vec<&str> = devices.iter().map(String::as_str).collect();
    let traffic = Traffic::start(root, &names).map_err(|error| error.cause)?;
    Ok((traffic, devices))
}

/// What the devices moved that was not the run's.
fn foreign(
    (traffic, devices): (Traffic, Vec<String>),
    measured: &Measurement,
    workload: &Workload,
    target: &TargetFacts,
) -> Result<ForeignTraffic, String> {
    if !measured.engine.moves_data() {
        return Err("No data went to the target or came from it.".to_owned());
    }
    let moved = traffic.finish().ok_or("A device vanished during the run, or its counters began anew.")?;
    let own = |direction: Direction| measured.whole.directions[direction.index()].bytes;
    let (read, written) = (own(Direction::Read), own(Direction::Write));
    let write_bytes = moved.write_bytes.saturating_sub(written);
    Ok(ForeignTraffic {
        devices,
        read_bytes: moved.read_bytes.saturating_sub(read),
        write_bytes: (!adds_writes(measured, workload, target)).then_some(write_bytes),
        own_bytes: read + written,
        seconds: measured.exposed_ns as f64 / 1e9,
        busiest: moved.busiest,
    })
}

/// The devices whose counters grow by each byte of direct I/O to the target once: the one that holds it, or the
/// disk that a partition is on, which its other partitions share.
fn counted(target: &TargetFacts) -> Result<Vec<String>, String> {
    let one = std::slice::from_ref(target);
    let members = if target.members.is_empty() { one } else { target.members.as_slice() };
    let mut names = Vec::new();
    for member in members {
        match member.kind {
            TargetKind::File | TargetKind::BlockDevice => {}
            TargetKind::NvmeNamespace => return Err("The block layer does not count NVMe commands.".into()),
            _ => return Err("The target is not on a block device.".into()),
        }
        if !member.direct {
            let text = "I/O went through the page cache, which reads ahead and writes later: the device's counters \
                        cannot be compared with it.";
            return Err(text.into());
        }
        let file_system = member.file_system.as_ref().map(|file_system| file_system.kind.as_str());
        if let Some(kind) = file_system.filter(|kind| !PLAIN.contains(kind)) {
            return Err(format!("What {kind} reads and writes for one I/O of a file is not known."));
        }
        let mut devices = member.devices.iter();
        let top = devices.next().ok_or("No block device is known under the target.")?;
        let device = match top.layer.as_str() {
            "partition" => devices.find(|device| device.layer == "disk").unwrap_or(top),
            _ => top,
        };
        if !names.contains(&device.name) {
            names.push(device.name.clone());
        }
    }
    Ok(names)
}

/// Whether the file system writes its journal for this run's own I/O: for durable writes, flushes and holes.
fn adds_writes(measured: &Measurement, workload: &Workload, target: &TargetFacts) -> bool {
    let features = &measured.engine.features;
    let flags = IoFlags::of_features(features);
    let durable = Durability::of_features(features).is_some() || flags.dsync || flags.sync;
    let mix = &workload.mix;
    target.file_system.is_some() && (durable || mix.flush_every_writes > 0 || mix.trim_share > 0.0)
}

#[cfg(test)]
mod tests {
    use fathom_record::facts::{DeviceFacts, FileSystemFacts};

    use super::*;

    fn on(layers: &[(&str, &str)], file_system: Option<&str>) -> TargetFacts {
        let device = |(name, layer): &(&str, &str)| DeviceFacts {
            name: (*name).to_owned(),
            layer: (*layer).to_owned(),
            ..DeviceFacts::default()
        };
        let file_system = file_system.map(|kind| FileSystemFacts {
            kind: kind.to_owned(),
            mount_point: "/".to_owned(),
            options: String::new(),
            free_bytes: None,
        });
        TargetFacts {
            direct: true,
            devices: layers.iter().map(device).collect(),
            file_system,
            ..TargetFacts::named("x", TargetKind::File)
        }
    }

    #[test]
    fn a_partition_is_looked_at_with_its_whole_disk_and_a_stack_at_its_top() {
        let partition = on(&[("vda1", "partition"), ("vda", "disk")], Some("ext4"));
        assert_eq!(counted(&partition).unwrap(), ["vda"]);
        let stack = on(&[("dm-0", "device-mapper"), ("vda1", "partition"), ("vda", "disk")], Some("xfs"));
        assert_eq!(counted(&stack).unwrap(), ["dm-0"]);
        let several = TargetFacts { members: vec![partition.clone(), stack, partition], ..on(&[], None) };
        assert_eq!(counted(&several).unwrap(), ["vda", "dm-0"]);
    }

    #[test]
    fn what_the_counters_say_nothing_of_is_left_out_with_a_reason() {
        let disk: &[(&str, &str)] = &[("vda", "disk")];
        assert!(counted(&on(disk, Some("btrfs"))).unwrap_err().contains("btrfs"));
        assert!(counted(&on(&[], Some("ext4"))).is_err());
        assert!(
            counted(&TargetFacts { direct: false, ..on(disk, None) }).unwrap_err().contains("page cache")
        );
        assert!(counted(&TargetFacts { kind: TargetKind::NvmeNamespace, ..on(disk, None) }).is_err());
        assert!(counted(&TargetFacts { kind: TargetKind::Memory, ..on(disk, None) }).is_err());
    }
}
