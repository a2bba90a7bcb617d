//! What it costs a run to be looked on at: the same run with `fathom watch` and a scrape a second of its `--metrics`, and
//! without, in pairs of random order.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::alone::Finding;
use super::contender_pairs::in_random_order;
use super::fathom_contender;
use super::markdown_table::{nanoseconds, rate};
use super::measured_load::ToolMeasurement;
use super::program_run;
use super::programs::Programs;
use super::ratio_statistics::{median, paired_ratio};
use super::task_options::Options;

/// Names of the cases: a target that is a device or a file, and memory at the full rate of a processor.
pub const NAMES: [&str; 2] = ["watched-device", "watched-memory"];

/// Onlookers may take this share of the rate.
pub const COST_LIMIT: f64 = 0.005;
/// Between two attempts to find the run.
const LOOK: Duration = Duration::from_millis(200);
/// Between two scrapes.
const SCRAPE: Duration = Duration::from_secs(1);

/// Measures a case.
///
/// # Errors
/// Where a run gives no numbers, or was not looked on at.
pub fn measure(
    case: &'static str,
    options: &Options,
    programs: &Programs,
    folder: &Path,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Finding>, String> {
    let target = if case == NAMES[0] { options.target.as_str() } else { "memory:" };
    let (time, cpus) = (format!("--time={}s", options.seconds), format!("--cpus={}", options.cpu));
    let load = ["--rw=randread", "--bs=4k", "--depth=32", "--warmup=0s", &time, &cpus];
    let run = |more: &[&str]| {
        let flags = [&load[..], more].concat();
        fathom_contender::read(&program_run::run(
            &fathom_contender::run(&programs.fathom, target, &flags),
            folder,
        )?)
    };
    let watched = || {
        let port = free_port()?;
        let metrics = format!("--metrics={port}");
        let onlookers = Onlookers {
            program: &programs.fathom,
            port,
            stop: AtomicBool::new(false),
            read: AtomicUsize::new(0),
        };
        let measured = std::thread::scope(|scope| {
            scope.spawn(|| onlookers.watch());
            scope.spawn(|| onlookers.scrape());
            let measured = run(&[&metrics]);
            onlookers.stop.store(true, Ordering::Relaxed);
            measured
        })?;
        match onlookers.read.into_inner() {
            0 => Err("no second of the run was seen: is /dev/shm in memory?".to_owned()),
            _ => Ok(measured),
        }
    };
    let pairs = (0..options.pairs)
        .map(|_| in_random_order(random, watched, || run(&[])))
        .collect::<Result<Vec<_>, String>>()?;
    Ok(findings(case, target, &pairs))
}

/// A port of this machine that nothing has.
pub fn free_port() -> Result<u16, String> {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("no free port: {error}"))
}

/// Those who look on, until they are stopped.
struct Onlookers<'a> {
    program: &'a Path,
    port: u16,
    stop: AtomicBool,
    /// Lines and scrapes with figures.
    read: AtomicUsize,
}

impl Onlookers<'_> {
    fn goes_on(&self, pause: Duration) -> bool {
        std::thread::sleep(pause);
        !self.stop.load(Ordering::Relaxed)
    }

    fn watch(&self) {
        while self.goes_on(LOOK) {
            let mut command = Command::new(self.program);
            command.args(["watch", "--json"]).stdin(Stdio::null()).stderr(Stdio::null());
            let Ok(output) = command.output() else { return };
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            self.read.fetch_add(text.matches("fathom.second").count(), Ordering::Relaxed);
        }
    }

    fn scrape(&self) {
        while self.goes_on(SCRAPE) {
            let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { continue };
            let mut text = String::new();
            let asked = stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
            if asked.and_then(|()| stream.read_to_string(&mut text)).is_ok() {
                self.read.fetch_add(text.matches("\nfathom_rate").count(), Ordering::Relaxed);
            }
        }
    }
}

fn findings(case: &'static str, target: &str, pairs: &[(ToolMeasurement, ToolMeasurement)]) -> Vec<Finding> {
    let row = |what: &str, of: &dyn Fn(&ToolMeasurement) -> f64, show: fn(f64) -> String, judged: bool| {
        let both: Vec<(f64, f64)> = pairs.iter().map(|(with, without)| (of(with), of(without))).collect();
        let ratio = paired_ratio(&both);
        let text = ratio
            .as_ref()
            .map_or("unknown".to_owned(), |r| format!("{:.4} ({:.4} to {:.4})", r.median, r.low, r.high));
        let side =
            |take: fn(&(f64, f64)) -> f64| median(both.iter().map(take)).map_or("unknown".into(), show);
        Finding {
            case,
            what: format!("{what}, watched against not ({target})"),
            found: format!("{text}: {} against {}", side(|b| b.0), side(|b| b.1)),
            asked: if judged { "at least 0.995".to_owned() } else { String::new() },
            met: ratio.filter(|_| judged).map(|ratio| ratio.median >= 1.0 - COST_LIMIT),
        }
    };
    let own = |measured: &ToolMeasurement| measured.process.user_ns + measured.process.system_ns;
    vec![
        row("rate", &|measured| measured.rate_per_s, rate, true),
        row("CPU time an I/O, whole process", &own, nanoseconds, false),
    ]
}
