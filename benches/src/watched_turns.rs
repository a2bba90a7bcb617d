//! What it costs a run to be looked on at, within one run: those who look on come for some seconds and go again, in pairs
//! of random order. What differs between two runs (addresses, memory, the moment) is the same on both sides, so that
//! minutes tell half a percent.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use super::alone::Finding;
use super::contender_pairs::in_random_order;
use super::fathom_contender::number;
use super::markdown_table::{nanoseconds, rate};
use super::program_run;
use super::programs::Programs;
use super::ratio_statistics::{Ratio, median, paired_median};
use super::task_options::Options;
use super::watched::{COST_LIMIT, free_port};

/// The case's name.
pub const NAME: &str = "watched-turns";

/// Seconds of a turn that count; in the one before them those who look on come or go.
const COUNTED: u64 = 2;
/// Seconds of the run before the first turn and behind the last.
const AROUND: u64 = 5;
/// Scrapes are a second apart; whether they are to end is looked at more often.
const LOOKS_PER_SCRAPE: usize = 20;
const LOOK: Duration = Duration::from_millis(50);

/// What a turn found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    rate_per_s: f64,
    /// CPU time an I/O of the whole process, in nanoseconds; absent where the system does not tell.
    cpu_ns: Option<f64>,
}

/// Measures the case.
///
/// # Errors
/// Where the run gives no numbers, or was not looked on at.
pub fn measure(
    options: &Options,
    programs: &Programs,
    folder: &Path,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Finding>, String> {
    let port = free_port()?;
    let mut running = WatchedRun::start(options, programs, folder, port)?;
    running.second()?;
    let seen = folder.join("watched");
    let scraped = AtomicUsize::new(0);
    let running = std::cell::RefCell::new(running);
    let turn = |is_watched: bool| {
        let mut running = running.borrow_mut();
        if !is_watched {
            return running.turn();
        }
        let watch = Watch::start(&programs.fathom, running.child.id(), &seen)?;
        let stop = AtomicBool::new(false);
        let turn = std::thread::scope(|scope| {
            scope.spawn(|| scrape(port, &stop, &scraped));
            let turn = running.turn();
            stop.store(true, Ordering::Relaxed);
            turn
        });
        drop(watch);
        turn
    };
    let pairs = (0..options.pairs)
        .map(|_| in_random_order(random, || turn(true), || turn(false)))
        .collect::<Result<Vec<_>, String>>()?;
    let lines = std::fs::read_to_string(&seen).unwrap_or_default();
    let told = lines.matches("fathom.second").count();
    if told < options.pairs || scraped.into_inner() < options.pairs {
        return Err("those who looked on saw less than a second a turn: is /dev/shm in memory?".to_owned());
    }
    Ok(findings(&pairs))
}

/// A run that tells of its seconds.
struct WatchedRun {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl WatchedRun {
    fn start(options: &Options, programs: &Programs, folder: &Path, port: u16) -> Result<Self, String> {
        let seconds = 2 * options.pairs as u64 * (1 + COUNTED) + 2 * AROUND;
        let mut child = Command::new(&programs.fathom)
            .args(["run", "--target", "memory:", "--rw=randread", "--bs=4k", "--depth=32", "--warmup=0s"])
            .args([format!("--time={seconds}s"), format!("--cpus={}", options.cpu)])
            .args([format!("--metrics={port}"), "--json-lines".to_owned(), "--store=turns.sqlite".to_owned()])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("fathom run cannot be started: {error}"))?;
        let lines = child.stdout.take().ok_or("fathom run has no output")?;
        Ok(Self { child, lines: BufReader::new(lines).lines() })
    }

    /// The rate of the next second.
    fn second(&mut self) -> Result<f64, String> {
        for line in self.lines.by_ref() {
            let line = line.map_err(|error| format!("fathom run's output: {error}"))?;
            let value: Value = serde_json::from_str(&line).unwrap_or_default();
            if value["format"] == "fathom.second" {
                return number(&value, "iops");
            }
        }
        Err("fathom run ended before its last turn".to_owned())
    }

    fn turn(&mut self) -> Result<Turn, String> {
        self.second()?;
        let (began, spent) = (program_run::now(), program_run::cpu_ns(self.child.id()));
        let rates = (0..COUNTED).map(|_| self.second()).collect::<Result<Vec<_>, _>>()?;
        let elapsed_s = began.elapsed().as_secs_f64();
        let spent =
            program_run::cpu_ns(self.child.id()).zip(spent).map(|(until, from)| (until - from) as f64);
        let rate_per_s = rates.iter().sum::<f64>() / rates.len() as f64;
        Ok(Turn { rate_per_s, cpu_ns: spent.map(|spent| spent / elapsed_s / rate_per_s) })
    }
}

impl Drop for WatchedRun {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `fathom watch`, until it is dropped.
struct Watch(Child);

impl Watch {
    fn start(program: &Path, pid: u32, seen: &Path) -> Result<Self, String> {
        let file = File::options().create(true).append(true).open(seen);
        let file = file.map_err(|error| format!("{}: {error}", seen.display()))?;
        let child = Command::new(program)
            .args(["watch", &pid.to_string(), "--json"])
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(Stdio::null())
            .spawn();
        child.map(Self).map_err(|error| format!("fathom watch cannot be started: {error}"))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks for the metrics once a second.
fn scrape(port: u16, stop: &AtomicBool, scraped: &AtomicUsize) {
    for look in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        if look % LOOKS_PER_SCRAPE == 0
            && let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port))
        {
            let mut text = String::new();
            let asked = stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
            if asked.and_then(|()| stream.read_to_string(&mut text)).is_ok() {
                scraped.fetch_add(text.matches("\nfathom_rate").count(), Ordering::Relaxed);
            }
        }
        std::thread::sleep(LOOK);
    }
}

fn findings(pairs: &[(Turn, Turn)]) -> Vec<Finding> {
    let rates: Vec<(f64, f64)> =
        pairs.iter().map(|(with, without)| (with.rate_per_s, without.rate_per_s)).collect();
    let cpu: Vec<(f64, f64)> =
        pairs.iter().filter_map(|(with, without)| with.cpu_ns.zip(without.cpu_ns)).collect();
    vec![
        finding("rate", &rates, rate, "at least 0.995", |ratio| {
            decided(ratio.low >= 1.0 - COST_LIMIT, ratio.high < 1.0 - COST_LIMIT)
        }),
        finding("CPU time an I/O, whole process", &cpu, nanoseconds, "at most 1.005", |ratio| {
            decided(ratio.high <= 1.0 + COST_LIMIT, ratio.low > 1.0 + COST_LIMIT)
        }),
    ]
}

/// Whether a figure was reached; `None` where the interval holds both.
fn decided(reached: bool, missed: bool) -> Option<bool> {
    (reached || missed).then_some(reached)
}

fn finding(
    what: &str,
    both: &[(f64, f64)],
    show: fn(f64) -> String,
    asked: &str,
    judge: impl Fn(&Ratio) -> Option<bool>,
) -> Finding {
    let ratio = paired_median(both);
    let met = ratio.as_ref().and_then(judge);
    let side = |take: fn(&(f64, f64)) -> f64| median(both.iter().map(take)).map_or("unknown".into(), show);
    let text = ratio.map_or("unknown".to_owned(), |ratio| {
        let undecided = if met.is_none() { ", undecided" } else { "" };
        format!("{:.4} ({:.4} to {:.4}){undecided}", ratio.median, ratio.low, ratio.high)
    });
    Finding {
        case: NAME,
        what: format!("{what}, watched against not, {} turns each (memory:)", both.len()),
        found: format!("{text}: {} against {}", side(|pair| pair.0), side(|pair| pair.1)),
        asked: asked.to_owned(),
        met,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(of: impl Fn(f64) -> (f64, f64)) -> Vec<(Turn, Turn)> {
        let turn = |rate_per_s: f64| Turn { rate_per_s, cpu_ns: Some(1e9 / rate_per_s) };
        (0..40).map(|at| of(f64::from(at * 17 % 40) / 40.0)).map(|(a, b)| (turn(a), turn(b))).collect()
    }

    #[test]
    fn a_cost_is_met_missed_or_undecided_by_its_interval() {
        let met = |of: &dyn Fn(f64) -> (f64, f64)| -> Vec<Option<bool>> {
            findings(&pairs(of)).into_iter().map(|finding| finding.met).collect()
        };
        assert_eq!(met(&|noise| (1000.0 + noise, 1000.5)), [Some(true); 2]);
        assert_eq!(met(&|noise| (980.0 + noise, 1000.0)), [Some(false); 2]);
        assert_eq!(met(&|noise| (990.0 + 10.0 * noise, 1000.0)), [None; 2]);
        // A turn in which the machine was taken away changes nothing.
        assert_eq!(met(&|noise| (if noise < 0.1 { 300.0 } else { 1000.0 + noise }, 1000.5)), [Some(true); 2]);
    }

    #[test]
    fn without_a_figure_nothing_is_said_to_be_met() {
        let turn = Turn { rate_per_s: 1.0, cpu_ns: None };
        let found = findings(&[(turn, turn); 12]);
        assert_eq!((found[0].met, found[1].met), (Some(true), None));
        assert!(found[1].found.starts_with("unknown"), "{}", found[1].found);
    }
}
