//! What was typed after `cargo benches`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::{distributed_load, gaps, initiator_overhead, instructions, nvmet_overhead};

/// A command line of the benches.
#[derive(Debug, Parser)]
#[command(
    name = "benches",
    bin_name = "cargo benches",
    about = "Measures fathom beside its peers, as ratios of random pairs",
    args_conflicts_with_subcommands = true
)]
pub struct BenchCommandLine {
    #[command(subcommand)]
    pub task: Option<Task>,
    #[command(flatten)]
    pub peers: Options,
}

/// What else there is to measure.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Several clients as one run: agents that are lost, starts over ssh, and what the coordinator costs.
    Clients(distributed_load::Options),
    /// fathom nvmet beside a bare loop over the same sockets.
    Fabrics(nvmet_overhead::Options),
    /// Read the clock in a bare loop, and print each gap above 150 ns in nanoseconds.
    Gaps(gaps::Options),
    /// Count the instructions of an I/O, against benches/instructions/baseline.toml.
    #[command(after_help = "It needs valgrind (apt install valgrind). A rise of over 5 % in a case fails.")]
    Instructions(instructions::Options),
    /// Engine nvme-tcp beside a bare loop with the same PDUs, against fathom nvmet null:; the target on CPU 0, the
    /// host on CPU 1; rates, and the CPU time of the host an I/O.
    Network(initiator_overhead::Options),
    /// The bare loop of `network`, in a process of its own.
    #[command(hide = true)]
    NetworkBare(initiator_overhead::BareLoop),
}

/// What to measure, with what, for how long.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Block device or file that is read (only read).
    #[arg(long, value_name = "PATH", default_value = "/dev/zram0")]
    pub target: String,
    /// Only these cases, or all whose name starts so. Default: all.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub cases: Vec<String>,
    /// Pairs of runs a comparison, at least 2.
    #[arg(long, value_name = "NUMBER", default_value = "7", value_parser = pairs)]
    pub pairs: usize,
    /// Length of each run.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub seconds: u64,
    /// Processor that both sides are bound to.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub cpu: usize,
    /// Replays the order of the pairs. Default: a new one, printed.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Program to measure. Default: built from this tree, in release.
    #[arg(long, value_name = "PATH")]
    pub fathom: Option<PathBuf>,
    /// An earlier build of fathom, to compare with too: rates and starts.
    #[arg(long, value_name = "PATH")]
    pub earlier: Option<PathBuf>,
    /// fio, if it is installed.
    #[arg(long, value_name = "PATH", default_value = "fio")]
    pub fio: String,
    /// fio's t/io_uring, to compare with too.
    #[arg(long, value_name = "PATH")]
    pub t_io_uring: Option<String>,
    /// SPDK's bdevperf, to compare with too, on an AIO bdev.
    #[arg(long, value_name = "PATH")]
    pub bdevperf: Option<String>,
    /// Run store of the case `analysis`; simulated first if there is none.
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// Write the section for benches/README.md too.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// List the cases.
    #[arg(long)]
    pub list: bool,
}

impl Options {
    /// Whether a case is to be measured.
    pub fn wants(&self, case: &str) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|prefix| case.starts_with(prefix.as_str()))
    }
}

/// A number of pairs that a ratio can be had from.
///
/// # Errors
/// What is none.
pub fn pairs(text: &str) -> Result<usize, String> {
    let pairs = text.parse().ok().filter(|pairs| *pairs >= 2);
    pairs.ok_or_else(|| format!("`{text}` is not a number of at least 2"))
}

/// What a line comes to.
#[cfg(test)]
pub fn typed(line: &str) -> Options {
    BenchCommandLine::parse_from(["benches"].into_iter().chain(line.split_whitespace())).peers
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_task_is_typed_as_it_is_documented() {
        BenchCommandLine::command().debug_assert();
        let read = |line: &str| {
            BenchCommandLine::try_parse_from(["benches"].into_iter().chain(line.split_whitespace()))
        };
        let peers = read("--pairs 9 --cases device,null-d1").unwrap().peers;
        assert!(peers.wants("device-d32") && peers.wants("null-d1") && !peers.wants("null-d32"));
        assert!(read("").unwrap().peers.wants("anything"));
        let counted = read("instructions --cases=read,zipf-d32").unwrap().task;
        assert!(
            matches!(counted, Some(Task::Instructions(options)) if options.wants("read-d1") && !options.wants("clock"))
        );
        for line in ["--pairs 1", "--seconds 0", "--cpu", "gaps x", "network-bare 1 2", "fabrics --pairs 0"] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_is_not_asked_rightly_is_not_measured() {
        let said = |word: &str| BenchCommandLine::try_parse_from(["benches", word]).unwrap_err();
        let all = said("--help");
        let text = all.to_string();
        assert!(all.exit_code() == 0 && text.contains("clients") && text.contains("network"), "{text}");
        assert_eq!(said("--no-such-flag").exit_code(), 2);
    }
}
