//! The one list of engines: names, what they carry, and which is taken by default.

use fathom_record::facts::TargetKind;

use crate::metadata::{Act, NameAct};
use crate::{EngineError, ErrorKind};

/// An engine by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// io_uring.
    Uring,
    /// Native asynchronous I/O.
    Aio,
    /// `pread` and `pwrite`.
    Sync,
    /// A shared mapping.
    Mmap,
    /// Calls about space, lengths and names.
    Metadata(Act),
    /// NVMe commands through io_uring.
    Passthrough,
    /// The process's memory.
    Memory,
    /// Nothing.
    Null,
    /// A simulated device.
    Sim,
}

/// One engine of the list.
#[derive(Clone, Copy, Debug)]
pub struct EngineEntry {
    /// Which.
    pub kind: EngineKind,
    /// What a user types.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// What it carries I/O to.
    pub targets: &'static [TargetKind],
    /// Whether reads give back what was written, so that content can be verified.
    pub keeps_content: bool,
    /// What it makes of a job's depth.
    pub in_flight: InFlight,
}

/// I/Os of one job that an engine has in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFlight {
    /// As many as the depth, from the job's own thread.
    Depth,
    /// As many as the depth, by a thread for each.
    Threads,
    /// One, whatever the depth: it ends inside its submission.
    One,
}

const STORAGE: &[TargetKind] = &[TargetKind::File, TargetKind::BlockDevice];

/// All engines; for a target the first that carries it is the default.
pub const ENGINES: &[EngineEntry] = &[
    EngineEntry {
        kind: EngineKind::Uring,
        name: "uring",
        summary: "io_uring with registered file and buffers; one system call a batch",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::Depth,
    },
    EngineEntry {
        kind: EngineKind::Aio,
        name: "aio",
        summary: "Linux native asynchronous I/O, the interface behind libaio",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::Depth,
    },
    EngineEntry {
        kind: EngineKind::Sync,
        name: "sync",
        summary: "pread and pwrite, one thread for each I/O in flight",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::Threads,
    },
    EngineEntry {
        kind: EngineKind::Mmap,
        name: "mmap",
        summary: "copies to and from a shared mapping, through the page cache",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::One,
    },
    metadata(Act::Allocate, "fallocate of ranges of a file: space given, or taken back by trims"),
    metadata(Act::Truncate, "ftruncate to the offsets of writes"),
    metadata(Act::Name(NameAct::CreateFile), "files opened under new names, in a folder of its own"),
    metadata(Act::Name(NameAct::StatFile), "files looked up by their names, in a folder of its own"),
    metadata(Act::Name(NameAct::DeleteFile), "files removed by their names, in a folder of its own"),
    metadata(Act::Name(NameAct::CreateFolder), "folders made, in a folder of its own"),
    metadata(Act::Name(NameAct::StatFolder), "folders looked up, in a folder of its own"),
    metadata(Act::Name(NameAct::DeleteFolder), "folders removed, in a folder of its own"),
    EngineEntry {
        kind: EngineKind::Passthrough,
        name: "passthrough",
        summary: "NVMe commands through io_uring, past the block layer",
        targets: &[TargetKind::NvmeNamespace],
        keeps_content: true,
        in_flight: InFlight::Depth,
    },
    EngineEntry {
        kind: EngineKind::Memory,
        name: "memory",
        summary: "copies within the process's own memory",
        targets: &[TargetKind::Memory],
        keeps_content: true,
        in_flight: InFlight::One,
    },
    EngineEntry {
        kind: EngineKind::Null,
        name: "null",
        summary: "completes at once; measures the instrument itself",
        targets: &[TargetKind::Null],
        keeps_content: false,
        in_flight: InFlight::One,
    },
    EngineEntry {
        kind: EngineKind::Sim,
        name: "sim",
        summary: "a simulated device with known truth",
        targets: &[TargetKind::Simulated],
        keeps_content: false,
        in_flight: InFlight::Depth,
    },
];

/// What calls about a file's space, a length or a name are in the list.
const fn metadata(act: Act, summary: &'static str) -> EngineEntry {
    EngineEntry {
        kind: EngineKind::Metadata(act),
        name: act.name(),
        summary,
        targets: &[TargetKind::File],
        keeps_content: false,
        in_flight: InFlight::One,
    }
}

impl EngineKind {
    /// Whether it works on names in a folder, and not on a file or device.
    pub fn is_of_names(self) -> bool {
        matches!(self, Self::Metadata(act) if act.is_of_names())
    }

    /// The engine's entry in the list.
    pub fn entry(self) -> &'static EngineEntry {
        ENGINES.iter().find(|entry| entry.kind == self).expect("every kind has an entry")
    }
}

/// The entry of that name, if there is one.
pub fn named(name: &str) -> Option<&'static EngineEntry> {
    ENGINES.iter().find(|entry| entry.name == name)
}

/// The engine for a target: the one asked for, or the default of its kind.
///
/// # Errors
/// When there is no such engine, or it does not carry I/O to this kind of target.
pub fn choose(asked: Option<&str>, target: TargetKind) -> Result<EngineKind, EngineError> {
    let carries = |entry: &&EngineEntry| entry.targets.contains(&target);
    let names = || ENGINES.iter().filter(carries).map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let Some(name) = asked else {
        let default = ENGINES.iter().find(carries).expect("every kind of target has an engine");
        return Ok(default.kind);
    };
    let place = format!("choosing engine {name}");
    match named(name) {
        Some(entry) if carries(&entry) => Ok(entry.kind),
        Some(_) => {
            Err(EngineError::new(ErrorKind::Plan, place, "it does not carry I/O to this kind of target")
                .with_remedy(format!("for this target use one of: {}", names())))
        }
        None => Err(EngineError::new(ErrorKind::UnknownEngine, place, "unknown engine")
            .with_remedy(format!("for this target use one of: {}", names()))),
    }
}
