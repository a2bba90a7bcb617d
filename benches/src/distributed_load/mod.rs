//! Several clients as one run: whether their sum is what one process measures, how soon a lost agent is noticed, how far
//! apart clients start, and what the coordinator costs.

mod lost_agents;
mod network_namespace;
mod ssh_server;
#[cfg_attr(target_os = "linux", path = "start/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "start_elsewhere.rs")]
mod start;
mod sum;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use super::bare::bare_host::now;
use super::program_run;
use super::release;
use super::testbed::load_now;

/// Seconds within which a lost agent is noticed.
const NOTICED_S: f64 = 6.0;
/// Agents of the coordinator whose cost is measured, and the most that it may cost: share of a core, and bytes.
const AGENTS: usize = 16;
const CORE_SHARE: f64 = 0.02;
const MEMORY_BYTES: u64 = 100_000_000;
/// Time over which its cost is measured.
const COST_TIME: Duration = Duration::from_secs(20);
/// Budget of an assessment, and how much longer it may take.
const BUDGET_S: u64 = 60;
const BUDGET_TIMES: f64 = 1.1;
/// Length of a tick of `/proc`: 100 a second on every machine that runs Linux today.
const TICKS_PER_S: f64 = 100.0;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// Program to measure. Default: a release build of this tree.
    #[arg(long, value_name = "PATH")]
    fathom: Option<PathBuf>,
    /// Agents that are lost, in equal parts killed, stopped and cut off; and starts over ssh.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    times: usize,
    /// Runs at once where agents are lost.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..))]
    at_once: u8,
    /// Assessments over four clients.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    assessments: usize,
    /// Pairs of four agents and one process at the same rate.
    #[arg(long, value_name = "NUMBER", default_value_t = 9)]
    pairs: usize,
    /// Only these parts: sum, lost, start, cost, assess. Default: all.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    parts: Vec<String>,
}

/// What all parts use.
struct Bench<'a> {
    fathom: &'a Path,
    /// Runs and keys.
    folder: &'a Path,
    options: &'a Options,
}

/// One part: the rows of its figures, or why it cannot be measured.
type Part = fn(&Bench<'_>) -> Result<Vec<String>, String>;

/// Measures all parts and prints what was found; a part that cannot be carried out says why.
///
/// # Errors
/// A program that cannot be built or found, or no folder.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    let fathom = match &options.fathom {
        Some(path) => std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?,
        None => release::build(root, "fathom", "release")?,
    };
    let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    let bench = Bench { fathom: &fathom, folder: folder.path(), options };
    let date = program_run::first_line("date", &["-u", "+%Y-%m-%d %H:%M UTC"]).unwrap_or_default();
    println!("{date}, load {} at the start\n", load_now());
    println!("| figure | asked | measured |\n|---|---|---|");
    let parts: [(&str, Part); 5] = [
        ("sum", sum::measure),
        ("lost", lost_agents::measure),
        ("start", start::measure),
        ("cost", cost),
        ("assess", assess),
    ];
    for (name, part) in parts {
        if !options.parts.is_empty() && !options.parts.iter().any(|wanted| wanted == name) {
            continue;
        }
        match part(&bench) {
            Ok(rows) => rows.iter().for_each(|row| println!("{row}")),
            Err(error) => println!("| {name} | | not measured: {error} |"),
        }
    }
    println!("\nload {} at the end", load_now());
    Ok(())
}

impl Bench<'_> {
    /// A command of the program, whose runs are kept apart from the user's.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.fathom);
        command.args(words).arg("--quiet").current_dir(self.folder).stdin(Stdio::null());
        command.env("FATHOM_CONFIG", "/dev/null").env("FATHOM_STORE", self.folder.join("runs.sqlite"));
        command
    }
}

fn with_local_clients(command: &mut Command, count: usize) {
    for number in 0..count {
        command.args(["--client", &format!("c{number}=local")]);
    }
}

/// A process that is killed when it is dropped.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn seconds_since(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64()
}

/// A record that was printed.
fn record(printed: &[u8], said: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(printed).map_err(|error| {
        let said = String::from_utf8_lossy(said);
        format!("no record ({error}): {}", said.lines().last().unwrap_or_default())
    })
}

/// Median and greatest of some times, as they are printed.
fn spread(values: &[f64], unit: &str) -> String {
    let median = super::ratio_statistics::median(values.iter().copied()).unwrap_or(f64::NAN);
    let most = values.iter().copied().fold(f64::NAN, f64::max);
    format!("{median:.2} {unit} in the median, {most:.2} {unit} at most")
}

/// What the coordinator of many local agents costs, by the kernel's counts of its process alone.
fn cost(bench: &Bench<'_>) -> Result<Vec<String>, String> {
    let mut command = bench.command(&["run", "--target", "null:", "--rate", "100", "--warmup", "0s"]);
    command.args(["--time", "40s"]).stdout(Stdio::null()).stderr(Stdio::null());
    with_local_clients(&mut command, AGENTS);
    let child = ChildGuard(command.spawn().map_err(|error| error.to_string())?);
    let process = child.0.id();
    // Agents have started and measure after this.
    std::thread::sleep(Duration::from_secs(12));
    let before = ticks(process)?;
    std::thread::sleep(COST_TIME);
    let share = (ticks(process)? - before) / TICKS_PER_S / COST_TIME.as_secs_f64();
    let status = read(&format!("/proc/{process}/status"))?;
    let bytes =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
    let bytes: u64 = bytes.map(|kib: u64| kib * 1024).ok_or("no VmHWM")?;
    Ok(vec![
        format!(
            "| CPU time of the coordinator of {AGENTS} local agents, over {} s | under {:.0} % of a core | {:.2} %: {} |",
            COST_TIME.as_secs(),
            CORE_SHARE * 100.0,
            share * 100.0,
            met(share < CORE_SHARE)
        ),
        format!(
            "| memory of the same at its peak | under {} MB | {:.1} MB: {} |",
            MEMORY_BYTES / 1_000_000,
            bytes as f64 / 1e6,
            met(bytes < MEMORY_BYTES)
        ),
    ])
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

/// Time of a process without its children's, in ticks.
fn ticks(process: u32) -> Result<f64, String> {
    let stat = read(&format!("/proc/{process}/stat"))?;
    let mut words = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let number =
        |word: Option<&str>| word.and_then(|word| word.parse::<f64>().ok()).ok_or("no times in stat");
    Ok(number(words.nth(11))? + number(words.next())?)
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "not met" }
}

/// How long assessments over four clients take beside their budget.
fn assess(bench: &Bench<'_>) -> Result<Vec<String>, String> {
    let budget = format!("{BUDGET_S}s");
    let mut taken = Vec::new();
    for _ in 0..bench.options.assessments {
        let words =
            ["assess", "null:", "--throttle", "iops=20k", "--patterns", "randread-4k", "--anew", "--json"];
        let mut command = bench.command(&[words.as_slice(), &["--budget", &budget]].concat());
        with_local_clients(&mut command, 4);
        let begun = now();
        let output = command.output().map_err(|error| error.to_string())?;
        taken.push(seconds_since(begun));
        record(&output.stdout, &output.stderr)?;
    }
    let most = taken.iter().copied().fold(0.0, f64::max);
    let allowed = BUDGET_S as f64 * BUDGET_TIMES;
    Ok(vec![format!(
        "| `assess` over four local clients, {} of a budget of {BUDGET_S} s | {allowed:.0} s at most | {}: {} |",
        taken.len(),
        spread(&taken, "s"),
        met(most <= allowed)
    )])
}
