//! The initiator beside a bare loop over the same connection with the same PDUs, against one target.

mod bare;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::pairs::in_random_order;
use super::statistics::median;

pub const USAGE: &str = "\
cargo benches network [--fathom PROGRAM] [--pairs N] [--seconds N]
                                engine nvme-tcp beside a bare loop with the same PDUs, against fathom nvmet null:;
                                the target on CPU 0, the host on CPU 1";

/// Depths and I/O sizes.
const CASES: [(u32, u32); 4] = [(1, 4096), (32, 4096), (128, 4096), (8, 1 << 20)];
/// Largest transfer of a command that the target is told to take.
const MOST_TRANSFER: &str = "1MiB";

struct Options {
    program: PathBuf,
    pairs: usize,
    seconds: u32,
}

/// Measures all cases and prints a table; or is the bare loop, where `bare` says so.
///
/// # Errors
/// Arguments without sense, and programs that cannot be run or say no numbers.
pub fn run(root: &Path, arguments: &[String], bare: bool) -> Result<(), String> {
    if bare {
        return bare::run(arguments);
    }
    let options = options(root, arguments)?;
    let target = Target::start(&options.program)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    println!("| reads of | depth | `nvme-tcp` | bare loop | ratio, median of {} pairs |", options.pairs);
    println!("|---|---|---|---|---|");
    for (depth, bytes) in CASES {
        let mut rates = Vec::with_capacity(options.pairs);
        for _ in 0..options.pairs {
            let ours = || engine(&options, &target, depth, bytes);
            let theirs = || loop_alone(&options, &target, depth, bytes);
            rates.push(in_random_order(&mut random, ours, theirs)?);
        }
        let of = |value: fn(&(f64, f64)) -> f64| median(rates.iter().map(value)).unwrap_or(f64::NAN);
        println!(
            "| {} KiB | {depth} | {:.1} k/s | {:.1} k/s | {:.3} |",
            bytes >> 10,
            of(|pair| pair.0) / 1e3,
            of(|pair| pair.1) / 1e3,
            of(|pair| pair.0 / pair.1)
        );
    }
    Ok(())
}

fn options(root: &Path, arguments: &[String]) -> Result<Options, String> {
    let mut options = Options { program: root.join("target/release/fathom"), pairs: 5, seconds: 2 };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value\n\n{USAGE}"))?;
        let refuse = || format!("{word} {value}: not a number\n\n{USAGE}");
        match word.as_str() {
            "--fathom" => options.program = PathBuf::from(value),
            "--pairs" => options.pairs = value.parse().map_err(|_| refuse())?,
            "--seconds" => options.seconds = value.parse().map_err(|_| refuse())?,
            _ => return Err(format!("unknown word {word}\n\n{USAGE}")),
        }
    }
    Ok(options)
}

/// `fathom nvmet` on CPU 0; it ends with this.
struct Target {
    child: Child,
    address: String,
    subsystem: String,
    /// Where runs are saved meanwhile.
    folder: tempfile::TempDir,
}

impl Target {
    fn start(program: &Path) -> Result<Self, String> {
        let mut child = Command::new("taskset")
            .args(["-c", "0"])
            .arg(program)
            .args(["nvmet", "null:", "--listen", "127.0.0.1:0", "--json", "--workers", "1"])
            .args(["--max-transfer", MOST_TRANSFER, "--queues", "1", "--memory", "512MiB"])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("taskset, {}: {error}", program.display()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            // It prints one line when it is ready, and one at its end.
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let ready: serde_json::Value =
            serde_json::from_str(&line).map_err(|_| "fathom nvmet did not become ready".to_owned())?;
        let text = |name: &str| ready[name].as_str().unwrap_or_default().to_owned();
        let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
        Ok(Self { child, folder, address: text("address"), subsystem: text("nqn") })
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn engine(options: &Options, target: &Target, depth: u32, bytes: u32) -> Result<f64, String> {
    let name = format!("nvme+tcp://{}/{}", target.address, target.subsystem);
    let seconds = format!("{}s", options.seconds);
    let output = Command::new(&options.program)
        .args(["run", "--target", &name, "--rw", "randread", "--size", "1GiB", "--cpus", "1", "--json"])
        .args(["--depth", &depth.to_string(), "--bs", &bytes.to_string(), "--time", &seconds])
        .args(["--warmup", "0s", "--quiet", "--store"])
        .arg(target.folder.path().join("store"))
        .output()
        .map_err(|error| format!("{}: {error}", options.program.display()))?;
    let record: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let reads = &record["summary"]["directions"][0];
    reads["operations_per_s"].as_f64().ok_or_else(|| format!("no rate in {reads}"))
}

fn loop_alone(options: &Options, target: &Target, depth: u32, bytes: u32) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let output = Command::new("taskset")
        .args(["-c", "1"])
        .arg(this)
        .args(["network-bare", &target.address, &target.subsystem])
        .args([depth.to_string(), bytes.to_string(), options.seconds.to_string()])
        .output()
        .map_err(|error| format!("taskset: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())
}
