//! The one list of engines: what they are called, what they carry, and which is taken by default.
//!
//! It is data, so that plans are read and refused by it without any engine; the engines themselves hold their kinds
//! against it.

use crate::facts::TargetKind;

/// One engine of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineEntry {
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
    /// Whether it works on names in a folder of its own, and on no file or device.
    pub names_alone: bool,
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
        name: "uring",
        summary: "io_uring with registered file and buffers; one system call a batch",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::Depth,
        names_alone: false,
    },
    EngineEntry {
        name: "aio",
        summary: "Linux native asynchronous I/O, the interface behind libaio",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::Depth,
        names_alone: false,
    },
    EngineEntry {
        name: "sync",
        summary: "pread and pwrite, one thread for each I/O in flight",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::Threads,
        names_alone: false,
    },
    EngineEntry {
        name: "mmap",
        summary: "copies to and from a shared mapping, through the page cache",
        targets: STORAGE,
        keeps_content: true,
        in_flight: InFlight::One,
        names_alone: false,
    },
    calls_on_files("falloc", "fallocate of ranges of a file: space given, or taken back by trims"),
    calls_on_files("ftruncate", "ftruncate to the offsets of writes"),
    calls_on_names("filecreate", "files opened under new names, in a folder of its own"),
    calls_on_names("filestat", "files looked up by their names, in a folder of its own"),
    calls_on_names("filedelete", "files removed by their names, in a folder of its own"),
    calls_on_names("dircreate", "folders made, in a folder of its own"),
    calls_on_names("dirstat", "folders looked up, in a folder of its own"),
    calls_on_names("dirdelete", "folders removed, in a folder of its own"),
    EngineEntry {
        name: "passthrough",
        summary: "NVMe commands through io_uring, past the block layer",
        targets: &[TargetKind::NvmeNamespace],
        keeps_content: true,
        in_flight: InFlight::Depth,
        names_alone: false,
    },
    EngineEntry {
        name: "memory",
        summary: "copies within the process's own memory",
        targets: &[TargetKind::Memory],
        keeps_content: true,
        in_flight: InFlight::One,
        names_alone: false,
    },
    EngineEntry {
        name: "null",
        summary: "completes at once; measures the instrument itself",
        targets: &[TargetKind::Null],
        keeps_content: false,
        in_flight: InFlight::One,
        names_alone: false,
    },
    EngineEntry {
        name: "sim",
        summary: "a simulated device with known truth",
        targets: &[TargetKind::Simulated],
        keeps_content: false,
        in_flight: InFlight::Depth,
        names_alone: false,
    },
];

/// Calls about a file's space or its length.
const fn calls_on_files(name: &'static str, summary: &'static str) -> EngineEntry {
    EngineEntry {
        name,
        summary,
        targets: &[TargetKind::File],
        keeps_content: false,
        in_flight: InFlight::One,
        names_alone: false,
    }
}

/// Calls about names.
const fn calls_on_names(name: &'static str, summary: &'static str) -> EngineEntry {
    EngineEntry { names_alone: true, ..calls_on_files(name, summary) }
}

/// The entry of that name, if there is one.
pub fn named(name: &str) -> Option<&'static EngineEntry> {
    ENGINES.iter().find(|entry| entry.name == name)
}
