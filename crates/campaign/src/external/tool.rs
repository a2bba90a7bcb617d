//! Which tool an engine's name means, and what it can be asked.

use fathom_engine::{EngineError, ErrorKind};

use fathom_plan::RunPlan;
use fathom_tools::bdevperf::workload_as_config::Kernel;
use fathom_tools::spdk::TransportId;

/// A generator that is not fathom's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// fio, here or on another machine.
    Fio,
    /// diskspd, through a command that reaches it.
    Diskspd,
    /// SPDK's bdevperf over AIO or io_uring bdevs, or over its own driver for NVMe.
    Bdevperf,
    /// SPDK's spdk_nvme_perf.
    NvmePerf,
}

/// An engine of another tool's, as `fio`, `fio:/opt/fio/fio`, `fio@host`, `bdevperf-uring:/opt/spdk/bdevperf`,
/// `diskspd:ssh host diskspd.exe`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// Which.
    pub tool: Tool,
    /// The program, with what reaches it in front.
    pub program: Vec<String>,
    /// Another machine where a server of fio's runs.
    pub host: Option<String>,
    /// How it reaches files and devices, where it has several ways.
    pub kernel: Kernel,
}

/// bdevperf, by io_uring.
const OVER_URING: &str = "bdevperf-uring";

/// Each tool with its names, and how to get it.
const TOOLS: [(&str, Tool, &str); 6] = [
    (
        "fio",
        Tool::Fio,
        "install it, as with `apt-get install fio`, or name its path: --engine fio:/path/to/fio",
    ),
    (
        "diskspd",
        Tool::Diskspd,
        "say how to reach it: --engine 'diskspd:ssh HOST diskspd.exe'; get it from github.com/microsoft/diskspd",
    ),
    (
        "bdevperf",
        Tool::Bdevperf,
        "build SPDK and name it: --engine bdevperf:/path/to/spdk/build/examples/bdevperf",
    ),
    (
        OVER_URING,
        Tool::Bdevperf,
        "build SPDK with io_uring (--with-uring) and name it: --engine bdevperf-uring:/path/to/spdk/build/examples/bdevperf",
    ),
    (
        "spdk_nvme_perf",
        Tool::NvmePerf,
        "build SPDK and name it: --engine spdk_nvme_perf:/path/to/spdk/build/bin/spdk_nvme_perf",
    ),
    (
        "nvme_perf",
        Tool::NvmePerf,
        "build SPDK and name it: --engine nvme_perf:/path/to/spdk/build/bin/spdk_nvme_perf",
    ),
];

impl External {
    /// The tool that an engine's name means, if it means one.
    pub fn of(engine: &str) -> Option<Self> {
        let (name, rest) = engine.split_once(':').unwrap_or((engine, ""));
        if let Some(host) = engine.strip_prefix("fio@") {
            let program = vec!["fio".to_owned()];
            let host = Some(host.to_owned());
            return Some(Self { tool: Tool::Fio, program, host, kernel: Kernel::Aio });
        }
        let (known, tool, _) = TOOLS.iter().find(|(known, ..)| *known == name)?;
        let program = match (tool, rest) {
            (Tool::NvmePerf, "") => vec!["spdk_nvme_perf".to_owned()],
            (Tool::Bdevperf, "") => vec!["bdevperf".to_owned()],
            (_, "") => vec![(*known).to_owned()],
            // How it is reached may be a command of several words.
            (Tool::Diskspd, rest) => rest.split_whitespace().map(str::to_owned).collect(),
            (_, path) => vec![path.to_owned()],
        };
        let kernel = if *known == OVER_URING { Kernel::Uring } else { Kernel::Aio };
        Some(Self { tool: *tool, program, host: None, kernel })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.tool {
            Tool::Fio => "fio",
            Tool::Diskspd => "diskspd",
            Tool::Bdevperf => "bdevperf",
            Tool::NvmePerf => "spdk_nvme_perf",
        }
    }

    /// How to get it where there is none.
    pub fn install(&self) -> &'static str {
        let over_uring = |known: &str| (known == OVER_URING) == (self.kernel == Kernel::Uring);
        let own = TOOLS.iter().find(|(known, tool, _)| *tool == self.tool && over_uring(known));
        own.map_or("", |(.., install)| *install)
    }

    /// Whether targets of it can be opened here, and so be looked at before anything is written.
    pub fn works_here(&self, targets: &[String]) -> bool {
        match self.tool {
            Tool::Fio => self.host.is_none(),
            Tool::Bdevperf => !targets.iter().any(|target| is_controller(target)),
            Tool::NvmePerf | Tool::Diskspd => false,
        }
    }

    /// Whether it runs on this machine.
    pub fn runs_here(&self) -> bool {
        match self.tool {
            Tool::Fio => self.host.is_none(),
            Tool::Bdevperf | Tool::NvmePerf => true,
            Tool::Diskspd => false,
        }
    }

    /// Refuses options of a run that another tool has no place for.
    ///
    /// # Errors
    /// The first one, why, and what to type.
    pub fn check_options(&self, plan: &RunPlan) -> Result<(), EngineError> {
        let options = &plan.options;
        let name = self.name();
        let controllers = plan.targets.iter().filter(|target| is_controller(target)).count();
        if self.tool == Tool::Bdevperf && controllers > 0 && controllers < plan.targets.len() {
            let cause = "a run is of files and devices, or of controllers that SPDK's driver has";
            return Err(EngineError::new(ErrorKind::Plan, format!("--target with engine {name}"), cause)
                .with_remedy("name one of the two"));
        }
        if self.kernel == Kernel::Uring && controllers > 0 {
            let cause = "io_uring is the kernel's, and has no controller that SPDK's driver took";
            return Err(EngineError::new(
                ErrorKind::Plan,
                format!("--target with engine {OVER_URING}"),
                cause,
            )
            .with_remedy("name a file or device, or use --engine bdevperf:PATH"));
        }
        if self.kernel == Kernel::Uring && !plan.workload.mix.changes_data() {
            let cause = "SPDK opens it for writing by io_uring, which no program may that a plan has read";
            return Err(EngineError::new(ErrorKind::Plan, format!("--rw with engine {OVER_URING}"), cause)
                .with_remedy("let some of it write, e.g. --rw randrw, or use --engine bdevperf:PATH"));
        }
        let cases = [
            ("--stripe", options.stripe_bytes.is_some(), "a stripe is put together by fathom's engines"),
            ("--polled", options.polled, "it has ways of its own to poll"),
            ("--witness", options.witness.is_some(), "the block layer's account is of fathom's own I/Os"),
            (
                "--io-flags",
                !options.io_flags.is_empty(),
                "flags of single I/Os are passed by fathom's engines",
            ),
            (
                "--delay and --throttle",
                !options.decorators.is_empty(),
                "they are put around fathom's engines",
            ),
            ("--real-time", options.real_time, "it works on no simulated device"),
            (
                "--durable",
                options.durable.is_some() && matches!(self.tool, Tool::Bdevperf | Tool::NvmePerf),
                "its writes end when the device says so",
            ),
            (
                "--buffered",
                !options.direct && matches!(self.tool, Tool::Bdevperf | Tool::NvmePerf),
                "it goes past the page cache",
            ),
            ("--cpus", options.cpus.is_some() && self.tool == Tool::Diskspd, "it binds its threads itself"),
        ];
        match cases.iter().find(|(_, given, _)| *given) {
            None => Ok(()),
            Some((flag, _, cause)) => {
                let place = format!("{flag} with engine {name}");
                Err(EngineError::new(ErrorKind::Plan, place, *cause).with_remedy(format!("leave {flag} out")))
            }
        }
    }
}

/// Whether a target is a controller of NVMe, which SPDK's own driver takes and no file of this machine stands for.
fn is_controller(target: &str) -> bool {
    TransportId::parse(target).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_commands_are_told_apart() {
        let of =
            |text: &str| External::of(text).map(|found| (found.tool, found.program.join(" "), found.host));
        assert_eq!(of("fio"), Some((Tool::Fio, "fio".to_owned(), None)));
        assert_eq!(of("fio:/opt/my fio/fio"), Some((Tool::Fio, "/opt/my fio/fio".to_owned(), None)));
        assert_eq!(of("fio@10.0.0.2"), Some((Tool::Fio, "fio".to_owned(), Some("10.0.0.2".to_owned()))));
        assert_eq!(External::of("diskspd:ssh host diskspd.exe").map(|found| found.program.len()), Some(3));
        assert_eq!(of("bdevperf:/x/bdevperf"), Some((Tool::Bdevperf, "/x/bdevperf".to_owned(), None)));
        assert_eq!(of("bdevperf-uring"), Some((Tool::Bdevperf, "bdevperf".to_owned(), None)));
        let over = |text: &str| External::of(text).map(|found| found.kernel);
        assert_eq!(over("bdevperf-uring:/x/bdevperf"), Some(Kernel::Uring));
        assert_eq!(over("bdevperf:/x/bdevperf"), Some(Kernel::Aio));
        assert!(External::of("bdevperf-uring").unwrap().install().contains("--with-uring"));
        assert!(!External::of("bdevperf").unwrap().install().contains("--with-uring"));
        let bdevperf = External::of("bdevperf").unwrap();
        assert!(bdevperf.works_here(&["/dev/nvme0n1".to_owned()]));
        assert!(!bdevperf.works_here(&["0000:04:00.0".to_owned()]));
        assert_eq!(of("nvme_perf"), Some((Tool::NvmePerf, "spdk_nvme_perf".to_owned(), None)));
        for fathoms in ["uring", "sync", "fiox", ""] {
            assert_eq!(of(fathoms), None, "{fathoms}");
        }
    }
}
