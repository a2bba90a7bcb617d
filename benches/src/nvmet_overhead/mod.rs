//! `fathom nvmet` beside a bare target that sends the same PDUs over the same sockets, both asked by one bare host; and
//! the target's own figures: its delay, its memory, the time to the first I/O, and many connections.

mod target;

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use clap::{Args, Subcommand};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::bare::bare_host::{Controller, now};
use super::contender_pairs::in_random_order;
use super::ratio_statistics::{median, paired_ratio};
use super::release;
use super::testbed::load_now;

const SUBSYSTEM: &str = "nqn.2014-08.org.nvmexpress:uuid:benches";
/// Name, depth and bytes of each read.
const CASES: [(&str, u16, u32); 4] = [
    ("4 KiB, depth 1", 1, 4096),
    ("4 KiB, depth 32", 32, 4096),
    ("4 KiB, depth 128", 128, 4096),
    ("1 MiB, depth 8", 8, 1 << 20),
];
/// The delay whose exactness is measured.
const DELAY: Duration = Duration::from_micros(100);
/// The share of the bare loop's rate that is asked for, and the goal.
const ASKED: f64 = 0.80;
const GOAL: f64 = 0.95;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    #[command(subcommand)]
    part: Option<Part>,
    /// Program to measure. Default: a release build of this tree.
    #[arg(long, value_name = "PATH")]
    fathom: Option<PathBuf>,
    /// Pairs of each case.
    #[arg(long, value_name = "NUMBER", default_value = "9", value_parser = crate::task_options::pairs)]
    pairs: usize,
    /// Length of each run.
    #[arg(long = "seconds", value_name = "NUMBER", default_value = "2", value_parser = seconds)]
    time: Duration,
}

/// What runs in a process of its own.
#[derive(Debug, Subcommand)]
enum Part {
    /// The bare loop on the target's side.
    #[command(hide = true)]
    BareTarget,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0);
    seconds.map(Duration::from_secs).ok_or_else(|| format!("`{text}` is no time"))
}

/// A target in a process of its own.
struct Target {
    child: Child,
    _stdout: BufReader<ChildStdout>,
    port: u16,
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Target {
    fn start(command: &mut Command) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("a target cannot be started: {error}"))?;
        let mut stdout = BufReader::new(child.stdout.take().ok_or("a target without output")?);
        let mut line = String::new();
        stdout.read_line(&mut line).map_err(|error| error.to_string())?;
        let port = match serde_json::from_str::<serde_json::Value>(&line) {
            Ok(serde_json::Value::Number(port)) => port.as_u64(),
            Ok(ready) => ready["address"].as_str().and_then(|it| it.rsplit(':').next()?.parse().ok()),
            Err(_) => None,
        };
        let port = port.and_then(|port| u16::try_from(port).ok());
        let port = port.ok_or_else(|| format!("a target said `{}`", line.trim()))?;
        Ok(Self { child, _stdout: stdout, port })
    }

    /// The bare loop, on the first processor.
    fn bare() -> Result<Self, String> {
        let this = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        Self::start(Command::new("taskset").args(["-c", "0"]).arg(this).args(["fabrics", "bare-target"]))
    }

    /// `fathom nvmet`, there too.
    fn fathom(program: &Path, backend: &str, transfer: &str, more: &[&str]) -> Result<Self, String> {
        Self::start(
            Command::new("taskset")
                .args(["-c", "0"])
                .arg(program)
                .args(["nvmet", backend, "--listen", "127.0.0.1:0", "--nqn", SUBSYSTEM, "--json"])
                .args(["--workers", "1", "--max-transfer", transfer, "--memory", "4GiB"])
                .args(more),
        )
    }

    /// Processor time so far, in seconds, and resident memory, in bytes, of the process.
    fn used(&self) -> (f64, u64) {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{}/{name}", self.child.id()));
        let stat = read("stat").unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0);
        let status = read("status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = resident.and_then(|it| it.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        ((ticks(11) + ticks(12)) / 100.0, kib.unwrap_or(0) * 1024)
    }
}

/// One run's rate, and the target's processor time a read in microseconds.
struct FabricMeasurement {
    rate: f64,
    cpu_us: f64,
}

fn reads(target: &Target, depth: u16, bytes: u32, time: Duration) -> Result<FabricMeasurement, String> {
    let failed = |error: std::io::Error| format!("the host: {error}");
    let controller = Controller::connect(target.port, SUBSYSTEM, 1).map_err(failed)?;
    let mut queue = controller.queue(target.port, SUBSYSTEM, 1, 128).map_err(failed)?;
    queue.reads(depth, bytes, time / 10).map_err(failed)?;
    let before = target.used().0;
    let made = queue.reads(depth, bytes, time).map_err(failed)?;
    let cpu = target.used().0 - before;
    Ok(FabricMeasurement { rate: made.reads as f64 / made.seconds, cpu_us: cpu * 1e6 / made.reads as f64 })
}

/// Measures what the arguments ask for and prints it.
///
/// # Errors
/// A build that fails, or a target that does not answer.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    if let Some(Part::BareTarget) = options.part {
        return target::run();
    }
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => release::build(root, "fathom", "release")?,
    };
    // The host has the second processor, the targets the first.
    let id = std::process::id().to_string();
    let bound = Command::new("taskset").args(["-cp", "1", &id]).stdout(Stdio::null()).status();
    if !bound.is_ok_and(|status| status.success()) {
        println!("not bound: there is no second CPU, or no taskset");
    }
    println!("load of the machine before: {}", load_now());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    beside_the_bare_loop(&fathom, options, &mut random)?;
    delays(&fathom, options)?;
    memory(&fathom)?;
    first_read(&fathom, options)?;
    connections(&fathom)?;
    println!("load of the machine after: {}", load_now());
    Ok(())
}

/// Rates as ratios of random pairs.
fn beside_the_bare_loop(
    fathom: &Path,
    options: &Options,
    random: &mut Xoshiro256PlusPlus,
) -> Result<(), String> {
    let (ours, bare) = (Target::fathom(fathom, "null:", "1MiB", &[])?, Target::bare()?);
    println!(
        "| reads | fathom nvmet null:, reads/s | bare loop, reads/s | ratio, median [95 % of the mean] | target's CPU a read: fathom / bare |"
    );
    println!("|---|---|---|---|---|");
    for (name, depth, bytes) in CASES {
        let mut pairs = Vec::with_capacity(options.pairs);
        for _ in 0..options.pairs {
            pairs.push(in_random_order(
                random,
                || reads(&ours, depth, bytes, options.time),
                || reads(&bare, depth, bytes, options.time),
            )?);
        }
        let rates: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (a.rate, b.rate)).collect();
        let ratio = paired_ratio(&rates).ok_or("too few pairs for a ratio")?;
        let of = |it: &dyn Fn(&(FabricMeasurement, FabricMeasurement)) -> f64| {
            median(pairs.iter().map(it)).unwrap_or(0.0)
        };
        let verdict = match ratio.median {
            it if it >= GOAL => "the goal is met",
            it if it >= ASKED => "met",
            _ => "not met",
        };
        println!(
            "| {name} | {:.0} | {:.0} | {:.2} [{:.2}, {:.2}], {verdict} | {:.2} / {:.2} us |",
            of(&|it| it.0.rate),
            of(&|it| it.1.rate),
            ratio.median,
            ratio.low,
            ratio.high,
            of(&|it| it.0.cpu_us),
            of(&|it| it.1.cpu_us),
        );
    }
    Ok(())
}

/// Median latency of reads at depth 1, in microseconds.
/// Median latency of one read at a time. With a rest before each it is that of a machine which has done no round trip for
/// as long as a delay takes: what it needs has left the caches of the processors by then.
fn round_trip_us(target: &Target, polls: bool, rest: Duration, time: Duration) -> Result<f64, String> {
    let failed = |error: std::io::Error| format!("the host: {error}");
    let controller = Controller::connect(target.port, SUBSYSTEM, 1).map_err(failed)?;
    let mut queue = controller.queue(target.port, SUBSYSTEM, 1, 128).map_err(failed)?;
    if polls {
        queue.poll().map_err(failed)?;
    }
    queue.rest_between(rest);
    let made = queue.reads(1, 4096, time).map_err(failed)?;
    let middle = made.latencies_ns.get(made.latencies_ns.len() / 2).ok_or("no reads")?;
    Ok(*middle as f64 / 1e3)
}

/// Keeps a processor from sleeping: a loop that runs only where nothing else wants to.
struct IdleLoop(Child);

impl IdleLoop {
    fn on(cpu: &str) -> Result<Self, String> {
        Command::new("chrt")
            .args(["-i", "0", "taskset", "-c", cpu, "sh", "-c", "while :; do :; done"])
            .spawn()
            .map(Self)
            .map_err(|error| format!("chrt: {error}"))
    }
}

impl Drop for IdleLoop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a delay of 100 us comes to beyond the round trip: where both ends poll, so that nobody has to wake up; where
/// processors sleep, which take longer to wake the longer they slept; and where those are kept awake.
fn delays(fathom: &Path, options: &Options) -> Result<(), String> {
    delay(fathom, options, (true, "both ends poll"))?;
    delay(fathom, options, (false, "CPUs sleep"))?;
    let _awake = [IdleLoop::on("0")?, IdleLoop::on("1")?];
    delay(fathom, options, (false, "CPUs kept awake"))
}

fn delay(fathom: &Path, options: &Options, (polls, how): (bool, &str)) -> Result<(), String> {
    let polled = if polls { &["--polled"][..] } else { &[] };
    let plain = Target::fathom(fathom, "null:", "128KiB", polled)?;
    let delay = format!("constant:{}us", DELAY.as_micros());
    let plan = [&["--delay", &delay], polled].concat();
    let delayed = Target::fathom(fathom, "null:", "128KiB", &plan)?;
    let mut rounds = Vec::new();
    for _ in 0..options.pairs {
        let round_trip = |target: &Target, rest| round_trip_us(target, polls, rest, options.time / 2);
        let at_once = round_trip(&plain, Duration::ZERO)?;
        let after_rest = if polls { round_trip(&plain, DELAY)? } else { at_once };
        rounds.push((at_once, after_rest, round_trip(&delayed, Duration::ZERO)?));
    }
    let middle = |it: &dyn Fn(&(f64, f64, f64)) -> f64| median(rounds.iter().map(it)).unwrap_or(0.0);
    let off = |plain: &dyn Fn(&(f64, f64, f64)) -> f64| {
        middle(&|round| (round.2 / (plain(round) + DELAY.as_secs_f64() * 1e6) - 1.0) * 100.0)
    };
    print!(
        "delay of 100 us, {how}: median read {:.1} us, without it {:.1} us; {:+.1} % from their sum",
        middle(&|it| it.2),
        middle(&|it| it.0),
        off(&|it| it.0),
    );
    if polls {
        print!(
            "; without it and 100 us after the last {:.1} us; {:+.1} % from their sum",
            middle(&|it| it.1),
            off(&|it| it.1)
        );
    }
    println!();
    Ok(())
}

/// Resident memory with 8 queues of 128 entries whose buffers were all used.
fn memory(fathom: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("the host: {error}");
    let target = Target::fathom(fathom, "memory:32MiB", "128KiB", &[])?;
    let before = target.used().1;
    let controller = Controller::connect(target.port, SUBSYSTEM, 8).map_err(failed)?;
    let mut queues = Vec::new();
    for number in 1..=8 {
        let mut queue = controller.queue(target.port, SUBSYSTEM, number, 128).map_err(failed)?;
        queue.reads(128, 128 << 10, Duration::from_millis(300)).map_err(failed)?;
        queues.push(queue);
    }
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let after = target.used().1;
    println!(
        "memory with 8 queues of 128 x 128 KiB, all used: {:.0} MiB resident, of which {:.0} MiB without queues (32 MiB are the backend)",
        mib(after),
        mib(before)
    );
    Ok(())
}

/// From the first connection to the first read's end.
fn first_read(fathom: &Path, options: &Options) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("the host: {error}");
    let target = Target::fathom(fathom, "null:", "128KiB", &[])?;
    let mut times = Vec::new();
    for _ in 0..options.pairs.max(5) {
        let start = now();
        let controller = Controller::connect(target.port, SUBSYSTEM, 1).map_err(failed)?;
        let mut queue = controller.queue(target.port, SUBSYSTEM, 1, 128).map_err(failed)?;
        queue.reads(1, 4096, Duration::ZERO).map_err(failed)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    println!(
        "connect to first read: {:.2} ms, median of {}",
        median(times.clone()).unwrap_or(0.0),
        times.len()
    );
    Ok(())
}

/// Many connections, one after the other and as many at once as there are descriptors for.
fn connections(fathom: &Path) -> Result<(), String> {
    const COUNT: usize = 10_000;
    const AT_ONCE: usize = 800;
    let target = Target::fathom(fathom, "null:", "128KiB", &[])?;
    let start = now();
    let mut open = Vec::new();
    for _ in 0..COUNT {
        let stream = TcpStream::connect(("127.0.0.1", target.port));
        open.push(stream.map_err(|error| format!("connecting: {error}"))?);
        if open.len() == AT_ONCE {
            open.clear();
        }
    }
    drop(open);
    let taken = start.elapsed();
    // Those that were let in are gone as soon as the target has seen it.
    let patience = Duration::from_secs(20);
    while reads(&target, 1, 4096, Duration::from_millis(100)).is_err() {
        if start.elapsed() > taken + patience {
            return Err("after 10,000 connections no host is served any more".to_owned());
        }
    }
    let mib = target.used().1 as f64 / f64::from(1 << 20);
    println!(
        "{COUNT} connections, up to {AT_ONCE} at once: {:.1} s; a host is served {:.2} s later, {mib:.0} MiB resident",
        taken.as_secs_f64(),
        (start.elapsed() - taken).as_secs_f64()
    );
    Ok(())
}
