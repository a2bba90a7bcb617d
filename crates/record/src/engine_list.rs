//! The one list of engines: what they are called, what they carry, and which is taken by default.
//!
//! It is data, so that plans are read and refused by it without any engine; the engines themselves hold their kinds
//! against it. Which of them a name means for a kind of target is [asked](asked_for) here too: by plans before anything
//! is opened, and by whoever has opened a target.

use crate::error::{EngineError, ErrorKind};
use crate::facts::TargetKind;
use crate::workload::TraceSource;

/// One engine of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineEntry {
    /// What a user types.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// What it carries I/O to.
    pub targets: &'static [TargetKind],
    /// Where it does.
    pub platforms: &'static [Platform],
    /// The engine that is taken where this one is the default and the kernel refuses it.
    pub instead: Option<&'static str>,
    /// Whether reads give back what was written, so that content can be verified.
    pub keeps_content: bool,
    /// Whether its I/O goes through the page cache, however its target is opened.
    pub through_cache: bool,
    /// What it makes of a job's depth.
    pub in_flight: InFlight,
    /// Whether it works on names in a folder of its own, and on no file or device.
    pub names_alone: bool,
    /// What it has no place for: a run that asks for it is refused, since silence would be taken for effect.
    pub no_place_for: &'static [UnsupportedRequirement],
}

impl EngineEntry {
    /// Whether it has a place for something that a run can ask for, on one platform at least.
    pub fn takes(&self, what: EngineRequirement) -> bool {
        let lacks = |one: EngineRequirement| {
            self.no_place_for.iter().any(|lack| lack.what == one && lack.platform.is_none())
        };
        // The one flag is among them all.
        !(lacks(what) || what == EngineRequirement::Hipri && lacks(EngineRequirement::IoFlags))
    }

    /// Whether it carries I/O to a kind of target.
    pub fn carries(&self, target: TargetKind) -> bool {
        self.targets.contains(&target)
    }
}

/// An operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux.
    Linux,
    /// Windows.
    Windows,
}

/// Something that a run can ask for and an engine has no place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedRequirement {
    /// What.
    pub what: EngineRequirement,
    /// The platform where it has none; absent: it has none anywhere.
    pub platform: Option<Platform>,
    /// Why, after the engine's name.
    pub cause: &'static str,
    /// What to type.
    pub remedy: &'static str,
}

/// What a run asks of its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineRequirement {
    /// Several targets as one.
    Stripe,
    /// Writes that end when they are durable.
    Durable,
    /// Flags of single I/Os, any of them.
    IoFlags,
    /// The flag that polls for single I/Os.
    Hipri,
    /// Completions of all I/Os that are polled for.
    Polled,
    /// The same of a workload that flushes or trims.
    PolledBesides,
    /// A priority for each I/O.
    Priorities,
    /// Content that is verified.
    Content,
    /// Any reads.
    Reads,
    /// Reads and no writes.
    ReadsAlone,
    /// A workload that changes nothing.
    NoWrites,
    /// The block layer's account of its I/Os.
    Witness,
    /// A delay or a throttle around it.
    Decorators,
    /// A simulated device by the wall clock.
    RealTime,
    /// A trace that is replayed.
    Replay,
    /// Trims.
    Trims,
    /// Scratch files that stay.
    KeptFiles,
    /// The page cache.
    Buffered,
    /// Jobs bound to processors.
    Cpus,
    /// Controllers that SPDK's driver has.
    Controllers,
    /// Such controllers next to files and devices.
    ControllersBesides,
}

pub(crate) const fn no_place(
    what: EngineRequirement,
    cause: &'static str,
    remedy: &'static str,
) -> UnsupportedRequirement {
    UnsupportedRequirement { what, platform: None, cause, remedy }
}

const fn no_place_on_windows(
    what: EngineRequirement,
    cause: &'static str,
    remedy: &'static str,
) -> UnsupportedRequirement {
    UnsupportedRequirement { platform: Some(Platform::Windows), ..no_place(what, cause, remedy) }
}

const NO_IO_FLAGS: UnsupportedRequirement = no_place(
    EngineRequirement::IoFlags,
    "it passes no flags with single I/Os",
    "use --engine sync, aio or uring, or leave --io-flags out",
);
const NO_POLLING: UnsupportedRequirement = no_place(
    EngineRequirement::Polled,
    "it does not poll for completions",
    "leave --polled out, or use --engine uring; passthrough and nvme-tcp poll too",
);
const NO_PRIORITIES: UnsupportedRequirement = no_place(
    EngineRequirement::Priorities,
    "it passes no priorities of single I/Os to the kernel",
    "use --engine uring or aio, or one priority for all of a job's I/Os",
);
/// Of engines that do not keep content.
pub const NO_CONTENT: UnsupportedRequirement =
    no_place(EngineRequirement::Content, "it does not keep what is written", "leave --verify out");
/// Of engines whose calls move no data.
const NO_STRIPE_OF_CALLS: UnsupportedRequirement = no_place(
    EngineRequirement::Stripe,
    "it moves no data",
    "leave --stripe out, or use --engine uring, aio or sync",
);
const NO_DURABLE_CALLS: UnsupportedRequirement =
    no_place(EngineRequirement::Durable, "it moves no data", "leave --durable out");
const FLUSH_INSTEAD: &str = "leave --durable out, and flush instead: --flush-every 1";

/// Of engines on files of Windows, which are opened past the system's cache alone.
pub const NO_CACHE_ON_WINDOWS: UnsupportedRequirement = no_place_on_windows(
    EngineRequirement::Buffered,
    "engines and flags that go through the system's cache are not here on this operating system",
    "leave --buffered out, and use --engine iocp or sync",
);
/// Of engines on files of Windows, which are opened without write-through.
pub const NO_DURABLE_WRITES_ON_WINDOWS: UnsupportedRequirement = no_place_on_windows(
    EngineRequirement::Durable,
    "writes that end when they are durable are not here on this operating system",
    FLUSH_INSTEAD,
);
/// Of engines on files of Windows, where scratch files go when they are closed.
pub const NO_KEPT_FILES_ON_WINDOWS: UnsupportedRequirement = no_place_on_windows(
    EngineRequirement::KeptFiles,
    "scratch files that stay are not here on this operating system",
    "leave --keep out",
);
const NO_TRIMS_ON_WINDOWS: UnsupportedRequirement = no_place_on_windows(
    EngineRequirement::Trims,
    "trims are not carried on this operating system",
    "leave the trims out: --trim-share 0",
);

const URING_LACKS: &[UnsupportedRequirement] = &[
    no_place(
        EngineRequirement::Hipri,
        "a ring polls for all of its I/Os or for none",
        "use --polled, or --engine sync",
    ),
    no_place(
        EngineRequirement::PolledBesides,
        "io_uring polls for reads and writes alone, and this workload flushes or trims",
        "leave --polled or the flushes and trims out, or use --engine passthrough on /dev/ngX",
    ),
];
const AIO_LACKS: &[UnsupportedRequirement] = &[
    no_place(
        EngineRequirement::Hipri,
        "the kernel polls for no I/O of this interface",
        "use --engine sync, or --engine uring --polled",
    ),
    NO_POLLING,
];
const IOCP_LACKS: &[UnsupportedRequirement] = &[
    no_place(EngineRequirement::Durable, "it opens files without write-through", FLUSH_INSTEAD),
    NO_IO_FLAGS,
    NO_POLLING,
    NO_PRIORITIES,
    NO_CACHE_ON_WINDOWS,
    NO_KEPT_FILES_ON_WINDOWS,
    NO_TRIMS_ON_WINDOWS,
];
const SYNC_LACKS: &[UnsupportedRequirement] = &[
    NO_POLLING,
    NO_PRIORITIES,
    NO_CACHE_ON_WINDOWS,
    NO_DURABLE_WRITES_ON_WINDOWS,
    NO_KEPT_FILES_ON_WINDOWS,
    NO_TRIMS_ON_WINDOWS,
];
const MEMORY_LACKS: &[UnsupportedRequirement] = &[NO_IO_FLAGS, NO_POLLING, NO_PRIORITIES];
const MMAP_LACKS: &[UnsupportedRequirement] = &[
    no_place(
        EngineRequirement::Stripe,
        "it copies within one mapping, and a stripe would be as many as targets",
        "leave --stripe out, or use --engine uring, aio or sync",
    ),
    no_place(
        EngineRequirement::Durable,
        "a write to a mapping ends in the page cache, however the file was opened",
        FLUSH_INSTEAD,
    ),
    NO_IO_FLAGS,
    NO_POLLING,
    NO_PRIORITIES,
];
/// Of the engine of NVMe commands, and of what it carries them to.
pub const NO_CACHE_OF_COMMANDS: UnsupportedRequirement = no_place(
    EngineRequirement::Buffered,
    "NVMe commands never go through the page cache",
    "leave --buffered out",
);
const PASSTHROUGH_LACKS: &[UnsupportedRequirement] = &[
    no_place(
        EngineRequirement::Stripe,
        "it sends the commands of one namespace",
        "leave --stripe out, or name the block devices, e.g. /dev/nvme0n1",
    ),
    no_place(
        EngineRequirement::Durable,
        "NVMe commands do not look at how the device was opened",
        FLUSH_INSTEAD,
    ),
    NO_CACHE_OF_COMMANDS,
    NO_IO_FLAGS,
    NO_PRIORITIES,
];
const NVME_TCP_LACKS: &[UnsupportedRequirement] = &[
    no_place(
        EngineRequirement::Stripe,
        "it sends the commands of one namespace",
        "leave --stripe out, and name the namespaces one by one: jobs are spread over them",
    ),
    no_place(
        EngineRequirement::Durable,
        "commands over the network do not look at how a file was opened",
        FLUSH_INSTEAD,
    ),
    NO_IO_FLAGS,
    NO_PRIORITIES,
];
const ALLOCATION_LACKS: &[UnsupportedRequirement] = &[
    NO_IO_FLAGS,
    NO_STRIPE_OF_CALLS,
    NO_DURABLE_CALLS,
    no_place(
        EngineRequirement::ReadsAlone,
        "space is given to a file by reads too, and the file would be opened for reading alone",
        "use --rw write, or --rw rw for both",
    ),
    NO_POLLING,
    NO_PRIORITIES,
];
const TRUNCATION_LACKS: &[UnsupportedRequirement] = &[
    NO_IO_FLAGS,
    NO_STRIPE_OF_CALLS,
    NO_DURABLE_CALLS,
    no_place(EngineRequirement::Reads, "a length is set by writes alone", "use --rw write"),
    NO_POLLING,
    NO_PRIORITIES,
];
const NAMES_LACK: &[UnsupportedRequirement] =
    &[NO_IO_FLAGS, NO_STRIPE_OF_CALLS, NO_DURABLE_CALLS, NO_POLLING, NO_PRIORITIES];

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

/// Threads of a job at most, of engines with one for each I/O: more would measure the scheduler.
pub const MOST_THREADS_OF_A_JOB: u32 = 256;

/// Why an engine with a thread for each I/O of a job does not start with this many in flight.
pub fn too_many_threads(engine: &str, in_flight: u64) -> EngineError {
    let cause = format!(
        "{in_flight} I/Os in flight need as many threads; at most {MOST_THREADS_OF_A_JOB} make sense"
    );
    EngineError::new(ErrorKind::Plan, format!("starting engine {engine}"), cause)
        .with_remedy("use a smaller --depth, or --engine uring")
}

/// Why a trace is not replayed: nobody read it before the run, or the run has several targets.
pub fn replay_refusal(traced: &TraceSource) -> EngineError {
    let cause = "only a run of its own replays a trace, on one target";
    EngineError::new(ErrorKind::Plan, "--replay", cause)
        .with_remedy(format!("fathom run --replay {} --target TARGET", traced.file))
}

const STORAGE: &[TargetKind] = &[TargetKind::File, TargetKind::BlockDevice];
const LINUX: &[Platform] = &[Platform::Linux];
const ANYWHERE: &[Platform] = &[Platform::Linux, Platform::Windows];

/// All engines; for a target the first that carries it is the default.
pub const ENGINES: &[EngineEntry] = &[
    EngineEntry {
        name: "uring",
        summary: "io_uring with registered file and buffers; one system call a batch",
        targets: STORAGE,
        platforms: LINUX,
        instead: Some("sync"),
        keeps_content: true,
        through_cache: false,
        in_flight: InFlight::Depth,
        names_alone: false,
        no_place_for: URING_LACKS,
    },
    EngineEntry {
        name: "aio",
        summary: "Linux native asynchronous I/O, the interface behind libaio",
        targets: STORAGE,
        platforms: LINUX,
        instead: None,
        keeps_content: true,
        through_cache: false,
        in_flight: InFlight::Depth,
        names_alone: false,
        no_place_for: AIO_LACKS,
    },
    EngineEntry {
        name: "iocp",
        summary: "overlapped I/O of Windows; completions come out of a port, a batch at a time",
        targets: STORAGE,
        platforms: &[Platform::Windows],
        instead: None,
        keeps_content: true,
        through_cache: false,
        in_flight: InFlight::Depth,
        names_alone: false,
        no_place_for: IOCP_LACKS,
    },
    EngineEntry {
        name: "sync",
        summary: "pread and pwrite, one thread for each I/O in flight",
        targets: STORAGE,
        platforms: ANYWHERE,
        instead: None,
        keeps_content: true,
        through_cache: false,
        in_flight: InFlight::Threads,
        names_alone: false,
        no_place_for: SYNC_LACKS,
    },
    EngineEntry {
        name: "mmap",
        summary: "copies to and from a shared mapping, through the page cache",
        targets: STORAGE,
        platforms: LINUX,
        instead: None,
        keeps_content: true,
        through_cache: true,
        in_flight: InFlight::One,
        names_alone: false,
        no_place_for: MMAP_LACKS,
    },
    calls_on_files(
        "falloc",
        "fallocate of ranges of a file: space given, or taken back by trims",
        ALLOCATION_LACKS,
    ),
    calls_on_files("ftruncate", "ftruncate to the offsets of writes", TRUNCATION_LACKS),
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
        platforms: LINUX,
        instead: None,
        keeps_content: true,
        through_cache: false,
        in_flight: InFlight::Depth,
        names_alone: false,
        no_place_for: PASSTHROUGH_LACKS,
    },
    EngineEntry {
        name: "nvme-tcp",
        summary: "NVMe commands over TCP to another machine, by fathom's own initiator; one connection a job",
        targets: &[TargetKind::FabricNamespace],
        platforms: ANYWHERE,
        instead: None,
        keeps_content: true,
        through_cache: false,
        in_flight: InFlight::Depth,
        names_alone: false,
        no_place_for: NVME_TCP_LACKS,
    },
    EngineEntry {
        name: "memory",
        summary: "copies within the process's own memory",
        targets: &[TargetKind::Memory],
        platforms: ANYWHERE,
        instead: None,
        keeps_content: true,
        through_cache: false,
        in_flight: InFlight::One,
        names_alone: false,
        no_place_for: MEMORY_LACKS,
    },
    EngineEntry {
        name: "null",
        summary: "completes at once; measures the instrument itself",
        targets: &[TargetKind::Null],
        platforms: ANYWHERE,
        instead: None,
        keeps_content: false,
        through_cache: false,
        in_flight: InFlight::One,
        names_alone: false,
        no_place_for: MEMORY_LACKS,
    },
    EngineEntry {
        name: "sim",
        summary: "a simulated device with known truth",
        targets: &[TargetKind::Simulated],
        platforms: ANYWHERE,
        instead: None,
        keeps_content: false,
        through_cache: false,
        in_flight: InFlight::Depth,
        names_alone: false,
        no_place_for: MEMORY_LACKS,
    },
];

/// Calls about a file's space or its length.
const fn calls_on_files(
    name: &'static str,
    summary: &'static str,
    no_place_for: &'static [UnsupportedRequirement],
) -> EngineEntry {
    EngineEntry {
        name,
        summary,
        targets: &[TargetKind::File],
        platforms: LINUX,
        instead: None,
        keeps_content: false,
        through_cache: false,
        in_flight: InFlight::One,
        names_alone: false,
        no_place_for,
    }
}

/// Calls about names.
const fn calls_on_names(name: &'static str, summary: &'static str) -> EngineEntry {
    EngineEntry { names_alone: true, ..calls_on_files(name, summary, NAMES_LACK) }
}

/// The entry of that name, if there is one.
pub fn named(name: &str) -> Option<&'static EngineEntry> {
    ENGINES.iter().find(|entry| entry.name == name)
}

/// All that carry I/O to a kind of target on a system, the default first.
pub fn carrying(target: TargetKind, here: Platform) -> impl Iterator<Item = &'static EngineEntry> {
    ENGINES.iter().filter(move |entry| entry.platforms.contains(&here) && entry.carries(target))
}

const OF_OTHER_TARGETS: &str = "it does not carry I/O to this kind of target";

/// The engine of that name, where it carries I/O to a kind of target on a system.
///
/// # Errors
/// There is none of that name, it is another system's, or it carries I/O to other kinds of targets.
pub fn asked_for(
    name: &str,
    target: TargetKind,
    here: Platform,
) -> Result<&'static EngineEntry, EngineError> {
    let refuse = |kind, cause: &str, remedy: String| {
        Err(EngineError::new(kind, format!("choosing engine {name}"), cause).with_remedy(remedy))
    };
    let others = || {
        let names: Vec<&str> = carrying(target, here).map(|entry| entry.name).collect();
        format!("for this target use one of: {}", names.join(", "))
    };
    let of_another_system = match here {
        Platform::Linux => "it needs Windows",
        Platform::Windows => "it needs the kernel of Linux",
    };
    match named(name) {
        None => refuse(ErrorKind::UnknownEngine, "unknown engine", others()),
        Some(entry) if !entry.platforms.contains(&here) => {
            refuse(ErrorKind::Unsupported, of_another_system, others())
        }
        Some(entry) if entry.carries(target) => Ok(entry),
        // Other engines are not what was wanted.
        Some(entry) if entry.carries(TargetKind::NvmeNamespace) => {
            let remedy = "NVMe commands go to a namespace: --target /dev/ng0n1, for example; `fathom devices` lists \
                          what is here";
            refuse(ErrorKind::Plan, OF_OTHER_TARGETS, remedy.to_owned())
        }
        Some(_) => refuse(ErrorKind::Plan, OF_OTHER_TARGETS, others()),
    }
}
