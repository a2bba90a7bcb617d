//! The sum of four agents at an offered rate beside the same load by one process, and the sum's histograms beside those
//! of its clients.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::super::ratio_statistics;
use super::{Bench, ChildGuard, met, record, with_local_clients};

/// What the target serves, and what is asked of it in all: reads a second.
const SERVED: &str = "iops=20k";
const ASKED: u32 = 4_000;
const AGENTS: u32 = 4;
const SUBSYSTEM: &str = "nqn.2026-11.fathom:benches.sum";
/// Largest difference of the two rates.
const APART: f64 = 0.005;

/// I/Os by bucket of a histogram.
type Counts = BTreeMap<u64, u64>;

/// Rows of the figures.
///
/// # Errors
/// A target that does not start, or a run that gives no record.
pub fn measure(bench: &Bench<'_>) -> Result<Vec<String>, String> {
    let (_target, name) = target(bench)?;
    let (mut ratios, mut unequal, mut buckets) = (Vec::new(), 0, 0);
    for pair in 0..bench.options.pairs {
        let both = |first: bool| side(bench, &name, first);
        // Either first in turn, so that neither always comes after the other.
        let (agents, one) = if pair % 2 == 0 {
            let agents = both(true)?;
            (agents, both(false)?)
        } else {
            let one = both(false)?;
            (both(true)?, one)
        };
        ratios.push(rate(&agents)? / rate(&one)?);
        for kind in ["service", "response"] {
            let (sum, parts) = histograms(&agents, kind)?;
            buckets += sum.len();
            unequal += usize::from(sum != parts || sum.is_empty());
        }
    }
    let most = ratios.iter().map(|ratio| (ratio - 1.0).abs()).fold(0.0, f64::max);
    let within = ratios.iter().filter(|ratio| (*ratio - 1.0).abs() <= APART).count();
    let median = ratio_statistics::median(ratios.iter().copied()).unwrap_or(f64::NAN);
    Ok(vec![
        format!(
            "| reads/s of {AGENTS} agents over those of one process, {} pairs of {ASKED} reads/s | within {:.1} % | {median:.5} in the \
             median, {:.3} % apart at most, {within} within: {} |",
            ratios.len(),
            APART * 100.0,
            most * 100.0,
            met(within == ratios.len())
        ),
        format!(
            "| histograms of the sum against those of the clients, service and response, of each pair | equal bucket for bucket | \
             {} of {} equal, {buckets} buckets: {} |",
            2 * ratios.len() - unequal,
            2 * ratios.len(),
            met(unequal == 0)
        ),
    ])
}

/// A throttled target of this machine, and its name.
fn target(bench: &Bench<'_>) -> Result<(ChildGuard, String), String> {
    let mut command = Command::new(bench.fathom);
    command.args([
        "nvmet",
        "null:",
        "--throttle",
        SERVED,
        "--listen",
        "127.0.0.1:0",
        "--nqn",
        SUBSYSTEM,
        "--json",
    ]);
    command.args(["--queues", "40"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut held = ChildGuard(command.spawn().map_err(|error| error.to_string())?);
    let stdout = held.0.stdout.take().ok_or("no output of the target")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
    let said: Value =
        serde_json::from_str(&line).map_err(|error| format!("the target said `{line}`: {error}"))?;
    let address = said["address"].as_str().ok_or_else(|| format!("the target said no address: {line}"))?;
    Ok((held, format!("nvme+tcp://{address}/{SUBSYSTEM}/1")))
}

/// A run of four agents, or of one process that is asked for as much.
fn side(bench: &Bench<'_>, target: &str, of_agents: bool) -> Result<Value, String> {
    let rate = if of_agents { ASKED / AGENTS } else { ASKED }.to_string();
    let words = ["run", "--target", target, "--rw", "randread", "--depth", "32", "--rate", &rate];
    let mut command =
        bench.command(&[words.as_slice(), &["--time", "4s", "--warmup", "500ms", "--json"]].concat());
    if of_agents {
        with_local_clients(&mut command, AGENTS as usize);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    record(&output.stdout, &output.stderr)
}

fn rate(record: &Value) -> Result<f64, String> {
    record["result"]["iops"].as_f64().ok_or_else(|| "no rate in the record".to_owned())
}

/// Counts by bucket of the sum, and of its clients added up.
fn histograms(record: &Value, kind: &str) -> Result<(Counts, Counts), String> {
    let sum = counts(&record["summary"], kind);
    let mut parts = Counts::new();
    let clients = record["clients"]["clients"].as_array().ok_or("no clients in the record")?;
    for client in clients {
        for (bucket, count) in counts(&client["summary"], kind) {
            *parts.entry(bucket).or_default() += count;
        }
    }
    Ok((sum, parts))
}

/// Counts by the number of the bucket: the record has gaps between buckets, each before its count.
fn counts(summary: &Value, kind: &str) -> Counts {
    let mut out = Counts::new();
    for direction in summary["directions"].as_array().into_iter().flatten() {
        let list = &direction[format!("{kind}_histogram")]["buckets"];
        let numbers: Vec<u64> = list.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let mut bucket = 0;
        for pair in numbers.chunks_exact(2) {
            bucket += pair[0];
            *out.entry(bucket).or_default() += pair[1];
        }
    }
    out
}
