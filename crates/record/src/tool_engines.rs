//! The one list of other tools that carry a plan in place of an engine: what they are called, how to get them, and what
//! they have no place for.
//!
//! What is named here is a flag that a tool has no place for, whatever its value. What of a workload a tool cannot say,
//! as a pattern, a mix or a rate, is the grammar of whoever writes its command, in `fathom-tools`.

use crate::engine_list::{EngineRequirement, UnsupportedRequirement, no_place};

/// One tool of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolEntry {
    /// What a user types, and puts a colon behind before what reaches it.
    pub name: &'static str,
    /// All that can be typed for it, as help shows it.
    pub forms: &'static str,
    /// What its program is called, by which people know it too; several names may mean one program.
    pub program: &'static str,
    /// What can stand behind its name.
    pub places: &'static [ToolPlace],
    /// How to get it where there is none.
    pub install: &'static str,
    /// Whose command lines it takes as they are, of those that fathom reads too.
    pub grammar: Option<CommandGrammar>,
    /// Whether its targets are files and devices that fathom can open too.
    pub opens_paths: bool,
    /// Whether it knows NVMe controllers by their addresses, which no file of this machine stands for.
    pub knows_controllers: bool,
    /// Whether it is told how many bytes of a target it uses, which nobody here knows of one on another machine.
    pub told_sizes: bool,
    /// What it has no place for: a run that asks for it is refused, since silence would be taken for effect.
    pub no_place_for: &'static [UnsupportedRequirement],
}

/// Where a tool is, as it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolPlace {
    /// `NAME:PATH`, a program of this machine; without a path the search path finds it.
    Path,
    /// `NAME@HOST`, a server of its own on another machine, which the program here asks.
    Server,
    /// `NAME:COMMAND`, a command of several words that reaches it on another machine.
    Command,
}

/// A tool's language of command lines that fathom reads as the tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandGrammar {
    /// fio's.
    Fio,
    /// diskspd's.
    Diskspd,
}

const NO_STRIPE: UnsupportedRequirement =
    no_place(EngineRequirement::Stripe, "a stripe is put together by fathom's engines", "leave --stripe out");
const NO_POLLING: UnsupportedRequirement =
    no_place(EngineRequirement::Polled, "it has ways of its own to poll", "leave --polled out");
const NO_WITNESS: UnsupportedRequirement = no_place(
    EngineRequirement::Witness,
    "the block layer's account is of fathom's own I/Os",
    "leave --witness out",
);
const NO_IO_FLAGS: UnsupportedRequirement = no_place(
    EngineRequirement::IoFlags,
    "flags of single I/Os are passed by fathom's engines",
    "leave --io-flags out",
);
const NO_DECORATORS: UnsupportedRequirement = no_place(
    EngineRequirement::Decorators,
    "they are put around fathom's engines",
    "leave --delay and --throttle out",
);
const NO_REAL_TIME: UnsupportedRequirement =
    no_place(EngineRequirement::RealTime, "it works on no simulated device", "leave --real-time out");
/// Of all of them.
pub const NO_REPLAY: UnsupportedRequirement =
    no_place(EngineRequirement::Replay, "fathom replays traces itself", "use an engine of fathom");
const NO_DURABLE: UnsupportedRequirement =
    no_place(EngineRequirement::Durable, "its writes end when the device says so", "leave --durable out");
const NO_CACHE: UnsupportedRequirement =
    no_place(EngineRequirement::Buffered, "it goes past the page cache", "leave --buffered out");
const NO_CPUS: UnsupportedRequirement =
    no_place(EngineRequirement::Cpus, "it binds its threads itself", "leave --cpus out");
const ONE_KIND_OF_TARGET: UnsupportedRequirement = no_place(
    EngineRequirement::ControllersBesides,
    "a run is of files and devices, or of controllers that SPDK's driver has",
    "name one of the two",
);

/// Of SPDK's tools.
const NO_VERIFICATION: UnsupportedRequirement = no_place(
    EngineRequirement::Content,
    "it has a verification of its own, which fathom does not read",
    "leave --verify out",
);

const FIO_LACKS: &[UnsupportedRequirement] = &[
    NO_STRIPE,
    NO_POLLING,
    NO_WITNESS,
    NO_IO_FLAGS,
    NO_DECORATORS,
    NO_REAL_TIME,
    NO_REPLAY,
    no_place(
        EngineRequirement::Content,
        "fio has stamps of its own, which fathom does not read",
        "leave --verify out",
    ),
];
const DISKSPD_LACKS: &[UnsupportedRequirement] = &[
    NO_STRIPE,
    NO_POLLING,
    NO_WITNESS,
    NO_IO_FLAGS,
    NO_DECORATORS,
    NO_REAL_TIME,
    NO_REPLAY,
    NO_CPUS,
    no_place(EngineRequirement::Content, "it does not verify", "leave --verify out"),
];
const BDEVPERF_LACKS: &[UnsupportedRequirement] = &[
    ONE_KIND_OF_TARGET,
    NO_STRIPE,
    NO_POLLING,
    NO_WITNESS,
    NO_IO_FLAGS,
    NO_DECORATORS,
    NO_REAL_TIME,
    NO_REPLAY,
    NO_DURABLE,
    NO_CACHE,
    NO_VERIFICATION,
];
const BDEVPERF_OVER_URING_LACKS: &[UnsupportedRequirement] = &[
    ONE_KIND_OF_TARGET,
    no_place(
        EngineRequirement::Controllers,
        "io_uring is the kernel's, and has no controller that SPDK's driver took",
        "name a file or device, or use --engine bdevperf:PATH",
    ),
    no_place(
        EngineRequirement::NoWrites,
        "SPDK opens it for writing by io_uring, which no program may that a plan has read",
        "let some of it write, e.g. --rw randrw, or use --engine bdevperf:PATH",
    ),
    NO_STRIPE,
    NO_POLLING,
    NO_WITNESS,
    NO_IO_FLAGS,
    NO_DECORATORS,
    NO_REAL_TIME,
    NO_REPLAY,
    NO_DURABLE,
    NO_CACHE,
    NO_VERIFICATION,
];
const NVME_PERF_LACKS: &[UnsupportedRequirement] = &[
    NO_STRIPE,
    NO_POLLING,
    NO_WITNESS,
    NO_IO_FLAGS,
    NO_DECORATORS,
    NO_REAL_TIME,
    NO_REPLAY,
    NO_DURABLE,
    NO_CACHE,
    NO_VERIFICATION,
];

/// All tools.
pub const TOOL_ENGINES: &[ToolEntry] = &[
    ToolEntry {
        name: "fio",
        forms: "fio, fio:PATH, fio@HOST",
        program: "fio",
        places: &[ToolPlace::Path, ToolPlace::Server],
        install: "install it, as with `apt-get install fio`, or name its path: --engine fio:/path/to/fio",
        grammar: Some(CommandGrammar::Fio),
        opens_paths: true,
        knows_controllers: false,
        told_sizes: true,
        no_place_for: FIO_LACKS,
    },
    ToolEntry {
        name: "bdevperf",
        forms: "bdevperf:PATH",
        program: "bdevperf",
        places: &[ToolPlace::Path],
        install: "build SPDK and name it: --engine bdevperf:/path/to/spdk/build/examples/bdevperf",
        grammar: None,
        opens_paths: true,
        knows_controllers: true,
        told_sizes: false,
        no_place_for: BDEVPERF_LACKS,
    },
    ToolEntry {
        name: "bdevperf-uring",
        forms: "bdevperf-uring:PATH",
        program: "bdevperf",
        places: &[ToolPlace::Path],
        install: "build SPDK with io_uring (--with-uring) and name it: --engine bdevperf-uring:/path/to/spdk/build/examples/bdevperf",
        grammar: None,
        opens_paths: true,
        knows_controllers: true,
        told_sizes: false,
        no_place_for: BDEVPERF_OVER_URING_LACKS,
    },
    ToolEntry {
        name: "spdk_nvme_perf",
        forms: "spdk_nvme_perf:PATH",
        program: "spdk_nvme_perf",
        places: &[ToolPlace::Path],
        install: "build SPDK and name it: --engine spdk_nvme_perf:/path/to/spdk/build/bin/spdk_nvme_perf",
        grammar: None,
        opens_paths: false,
        knows_controllers: true,
        told_sizes: false,
        no_place_for: NVME_PERF_LACKS,
    },
    // The same by a shorter name.
    ToolEntry {
        name: "nvme_perf",
        forms: "",
        program: "spdk_nvme_perf",
        places: &[ToolPlace::Path],
        install: "build SPDK and name it: --engine nvme_perf:/path/to/spdk/build/bin/spdk_nvme_perf",
        grammar: None,
        opens_paths: false,
        knows_controllers: true,
        told_sizes: false,
        no_place_for: NVME_PERF_LACKS,
    },
    ToolEntry {
        name: "diskspd",
        forms: "diskspd:COMMAND",
        program: "diskspd",
        places: &[ToolPlace::Command],
        install: "say how to reach it: --engine 'diskspd:ssh HOST diskspd.exe'; get it from github.com/microsoft/diskspd",
        grammar: Some(CommandGrammar::Diskspd),
        opens_paths: false,
        knows_controllers: false,
        told_sizes: false,
        no_place_for: DISKSPD_LACKS,
    },
];

/// The tool of that name, if there is one.
pub fn tool_named(name: &str) -> Option<&'static ToolEntry> {
    TOOL_ENGINES.iter().find(|entry| entry.name == name)
}
