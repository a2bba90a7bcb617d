//! The initiator beside a bare loop over the same connection with the same PDUs, against one target.

mod spdk_pairings;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::Args;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::bare::bare_host::Controller;
use super::contender_pairs::in_random_order;
use super::program_run;
use super::ratio_statistics::median;

/// Depths and I/O sizes.
const CASES: [(u32, u32); 4] = [(1, 4096), (32, 4096), (128, 4096), (8, 1 << 20)];
/// Behind the target's name: neither digest, and both.
const PLAIN: &str = "";
const DIGESTED: &str = "?hdgst=on&ddgst=on";
/// Largest transfer of a command that the target is told to take.
const MOST_TRANSFER: &str = "1MiB";

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// Program to measure. Default: target/release/fathom.
    #[arg(long, value_name = "PROGRAM", value_parser = whole)]
    fathom: Option<PathBuf>,
    /// A built tree of SPDK: fathom and SPDK as host and as target, in all four pairings.
    #[arg(long, value_name = "DIR", value_parser = whole)]
    spdk: Option<PathBuf>,
    /// With --spdk: fathom polls too, as host and as target.
    #[arg(long, requires = "spdk")]
    polled: bool,
    /// Pairs of each case.
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pairs: usize,
    /// Length of each run.
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    seconds: u32,
}

/// What the process of the bare loop is told.
#[derive(Args, Debug)]
pub struct BareLoop {
    port: u16,
    subsystem: String,
    depth: u16,
    bytes: u32,
    seconds: u32,
}

/// A path that holds in any folder.
fn whole(text: &str) -> Result<PathBuf, String> {
    std::path::absolute(text).map_err(|error| format!("{text}: {error}"))
}

/// Measures all cases and prints a table.
///
/// # Errors
/// Programs that cannot be run or say no numbers.
pub fn run(root: &Path, mut options: Options) -> Result<(), String> {
    let program = options.fathom.get_or_insert_with(|| root.join("target/release/fathom")).clone();
    if let Some(spdk) = &options.spdk {
        let Options { pairs, seconds, polled, .. } = options;
        return spdk_pairings::run(&spdk_pairings::Programs {
            fathom: &program,
            spdk,
            polled,
            rounds: pairs,
            seconds,
        });
    }
    println!("fathom's initiator beside a bare loop; not beside SPDK's, as --spdk names none\n");
    let target = Target::start(&program)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    println!(
        "| reads of | depth | `nvme-tcp` | bare loop | rates | CPU time an I/O | bare loop | CPU times |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (depth, bytes) in CASES {
        let mut pairs = Vec::with_capacity(options.pairs);
        for _ in 0..options.pairs {
            let ours = || engine(&options, &target, (depth, bytes), PLAIN);
            let theirs = || loop_alone(&options, &target, depth, bytes);
            pairs.push(in_random_order(&mut random, ours, theirs)?);
        }
        let of = |value: fn(&(Cost, Cost)) -> f64| median(pairs.iter().map(value)).unwrap_or(f64::NAN);
        println!(
            "| {} KiB | {depth} | {:.1} k/s | {:.1} k/s | {:.3} | {:.2} us | {:.2} us | {:.3} |",
            bytes >> 10,
            of(|(ours, _)| ours.per_s) / 1e3,
            of(|(_, bare)| bare.per_s) / 1e3,
            of(|(ours, bare)| ours.per_s / bare.per_s),
            of(|(ours, _)| ours.cpu_us),
            of(|(_, bare)| bare.cpu_us),
            of(|(ours, bare)| bare.cpu_us / ours.cpu_us)
        );
    }
    digests(&options, &target, &mut random)
}

/// What digests of headers and data cost the host.
fn digests(options: &Options, target: &Target, random: &mut Xoshiro256PlusPlus) -> Result<(), String> {
    println!("\n| reads of | depth | with digests | without | rates | CPU time an I/O | without |");
    println!("|---|---|---|---|---|---|---|");
    for (depth, bytes) in CASES {
        let mut pairs = Vec::with_capacity(options.pairs);
        for _ in 0..options.pairs {
            let with = || engine(options, target, (depth, bytes), DIGESTED);
            let without = || engine(options, target, (depth, bytes), PLAIN);
            pairs.push(in_random_order(random, with, without)?);
        }
        let of = |value: fn(&(Cost, Cost)) -> f64| median(pairs.iter().map(value)).unwrap_or(f64::NAN);
        println!(
            "| {} KiB | {depth} | {:.1} k/s | {:.1} k/s | {:.3} | {:.2} us | {:.2} us |",
            bytes >> 10,
            of(|(with, _)| with.per_s) / 1e3,
            of(|(_, without)| without.per_s) / 1e3,
            of(|(with, without)| with.per_s / without.per_s),
            of(|(with, _)| with.cpu_us),
            of(|(_, without)| without.cpu_us)
        );
    }
    Ok(())
}

/// The bare loop in a process of its own: reads at random, and prints how many a second.
///
/// # Errors
/// As the target's answers break.
pub fn bare_loop(options: &BareLoop) -> Result<(), String> {
    let BareLoop { port, subsystem, depth, bytes, seconds } = options;
    let (port, depth, bytes) = (*port, *depth, *bytes);
    let time = Duration::from_secs(u64::from(*seconds));
    let made = Controller::connect(port, subsystem, 1).and_then(|controller| {
        let mut queue = controller.queue(port, subsystem, 1, depth.max(2))?;
        queue.reads(depth, bytes.max(512), time)
    });
    let made = made.map_err(|error| format!("the bare loop: {error}"))?;
    println!("{}", made.reads as f64 / made.seconds);
    Ok(())
}

/// What a host reached, and what each I/O cost it.
#[derive(Clone, Copy, Debug)]
struct Cost {
    per_s: f64,
    /// CPU time of the thread that does the I/O, user and system.
    cpu_us: f64,
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

fn engine(
    options: &Options,
    target: &Target,
    (depth, bytes): (u32, u32),
    choices: &str,
) -> Result<Cost, String> {
    let name = format!("nvme+tcp://{}/{}{choices}", target.address, target.subsystem);
    let line = format!(
        "run --target {name} --rw randread --size 1GiB --cpus 1 --depth {depth} --bs {bytes} --time {}s --warmup 0s \
         --json --quiet --store {}",
        options.seconds,
        target.folder.path().join("store").display()
    );
    let program = options.fathom.as_ref().ok_or("no program to measure")?.display().to_string();
    let command: Vec<String> = std::iter::once(program).chain(line.split(' ').map(str::to_owned)).collect();
    let ended = program_run::run(&command, target.folder.path())?;
    let record: serde_json::Value = serde_json::from_str(&ended.stdout).map_err(|_| ended.stderr)?;
    let rate = record["summary"]["directions"][0]["operations_per_s"].as_f64();
    let busy = record["jobs"][0]["busy_share"].as_f64();
    let (per_s, busy) = rate.zip(busy).ok_or("the record has no rate or CPU time")?;
    Ok(Cost { per_s, cpu_us: busy * 1e6 / per_s })
}

fn loop_alone(options: &Options, target: &Target, depth: u32, bytes: u32) -> Result<Cost, String> {
    let this = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let line = format!(
        "taskset -c 1 {} network-bare {} {} {depth} {bytes} {}",
        this.display(),
        target.address.rsplit(':').next().unwrap_or_default(),
        target.subsystem,
        options.seconds
    );
    let command: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let ended = program_run::run(&command, target.folder.path())?;
    let per_s: f64 = ended.stdout.trim().parse().map_err(|_| ended.stderr)?;
    let cpu_us = (ended.usage.user_ns + ended.usage.system_ns) as f64 / 1e3;
    Ok(Cost { per_s, cpu_us: cpu_us / (per_s * f64::from(options.seconds)) })
}
