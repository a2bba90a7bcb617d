//! Rates and memory of sizing: fleets' tables as text and as Parquet, and one volume seen for two weeks second
//! by second.

mod lake;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::thread;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use super::alone::Finding;
use super::program_run::{self, ProgramEnd};
use super::programs::Programs;

pub const NAMES: [&str; 4] = ["fleet", "sizing", "lake", "apart"];
/// Volumes of the fleet that is written as text: a fiftieth of the fleet that figures are asked of, which would
/// be 115 GB. Its growth is taken from all volumes, so that each row is read twice.
const VOLUMES: u64 = 2000;
/// Volumes of the fleet whose rows lie apart.
const APART_VOLUMES: u64 = 1000;
const ASKED_VOLUMES: u64 = 100_000;
const MINUTES: u64 = 14 * 1440;
const SECONDS: u64 = 14 * 86_400;
const RATE_LIMIT: f64 = 20e6;
const MEMORY_LIMIT_BYTES: f64 = 1e9;
const TIME_LIMIT_S: f64 = 10.0;
const SEED: u64 = 7;
const FIRST_TICK_S: u64 = 1_760_000_000;

/// Measures one of the cases.
///
/// # Errors
/// Where the tables cannot be written, or fathom does not take them.
pub fn measure(name: &str, programs: &Programs, folder: &Path) -> Result<Vec<Finding>, String> {
    match name {
        "fleet" => fleet(programs, folder),
        "lake" => lake(programs, folder),
        "apart" => apart(programs, folder),
        _ => one(programs, folder),
    }
}

fn finding(case: &'static str, what: String, found: String, asked: String, met: bool) -> Finding {
    Finding { case, what, found, asked, met: Some(met) }
}

fn fleet(programs: &Programs, folder: &Path) -> Result<Vec<Finding>, String> {
    let bytes = write(&folder.join("fleet.csv"), VOLUMES, MINUTES, 60)?;
    let ended = size(
        programs,
        folder,
        &["fleet.csv", "--fleet", "--values=per-row", "--size=500GiB", "--rows=rows.csv", "--json"],
    )?;
    let of = format!("{:.1} GB of text; one in {}", bytes as f64 / 1e9, ASKED_VOLUMES / VOLUMES);
    findings(NAMES[0], &ended, VOLUMES, &of)
}

/// The whole fleet that figures are asked of, in two files.
fn lake(programs: &Programs, folder: &Path) -> Result<Vec<Finding>, String> {
    let halves = [0..ASKED_VOLUMES / 2, ASKED_VOLUMES / 2..ASKED_VOLUMES];
    let names = ["lake-0.parquet", "lake-1.parquet"];
    let bytes: Result<Vec<u64>, String> = thread::scope(|scope| {
        let write = |(volumes, name)| {
            let path = folder.join(name);
            scope.spawn(move || lake::write(&path, volumes))
        };
        let threads: Vec<_> = halves.into_iter().zip(names).map(write).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("writing a table".to_owned())))
            .collect()
    });
    let bytes: u64 = bytes?.into_iter().sum();
    let [first, second] = names;
    let ended = size(
        programs,
        folder,
        &[first, second, "--fleet", "--values=per-row", "--size=500GiB", "--rows=rows.csv", "--json"],
    )?;
    findings(NAMES[2], &ended, ASKED_VOLUMES, &format!("{:.1} GB of Parquet", bytes as f64 / 1e9))
}

/// A file for each day, in which the rows of no volume lie together.
fn apart(programs: &Programs, folder: &Path) -> Result<Vec<Finding>, String> {
    let bytes = lake::write_days(&folder.join("days"), APART_VOLUMES)?;
    let ended = size(
        programs,
        folder,
        &["days", "--fleet", "--values=per-row", "--size=500GiB", "--rows=rows.csv", "--scratch=.", "--json"],
    )?;
    let form = format!("{:.0} MB of Parquet, a file for each day", bytes as f64 / 1e6);
    let mut found = findings(NAMES[3], &ended, APART_VOLUMES, &form)?;
    // Both figures are asked of sorted tables.
    found.iter_mut().for_each(|finding| (finding.asked, finding.met) = ("-".to_owned(), None));
    Ok(found)
}

fn findings(
    case: &'static str,
    ended: &ProgramEnd,
    volumes: u64,
    form: &str,
) -> Result<Vec<Finding>, String> {
    let rows = json(ended)?["rows"].as_u64().unwrap_or(0);
    if rows != volumes * MINUTES {
        return Err(format!("fathom counts {rows} rows"));
    }
    let wall = ended.wall.as_secs_f64();
    let (rate, peak) = (rows as f64 / wall, ended.usage.peak_rss_bytes as f64);
    let cpu_s = (ended.usage.user_ns + ended.usage.system_ns) as f64 / 1e9;
    let of = format!("`fathom size --fleet` of {volumes} volumes of {MINUTES} minutes ({form})");
    Ok(vec![
        finding(
            case,
            format!("rows a second of {of}"),
            format!(
                "{:.1} million in {wall:.1} s, {:.0} ns of CPU time a row",
                rate / 1e6,
                cpu_s * 1e9 / rows as f64
            ),
            format!("{:.0} million or more", RATE_LIMIT / 1e6),
            rate >= RATE_LIMIT,
        ),
        finding(
            case,
            format!("peak resident memory of {of}"),
            format!("{:.0} MB", peak / 1e6),
            format!("under {:.0} MB", MEMORY_LIMIT_BYTES / 1e6),
            peak < MEMORY_LIMIT_BYTES,
        ),
    ])
}

fn one(programs: &Programs, folder: &Path) -> Result<Vec<Finding>, String> {
    write(&folder.join("one.csv"), 1, SECONDS, 1)?;
    let ended = size(programs, folder, &["one.csv", "--values=per-row", "--size=500GiB", "--json"])?;
    if json(&ended)?["choice"].is_null() {
        return Err("fathom chose nothing".to_owned());
    }
    let cpu_s = (ended.usage.user_ns + ended.usage.system_ns) as f64 / 1e9;
    Ok(vec![finding(
        NAMES[1],
        format!(
            "CPU time of `fathom size` of {SECONDS} s among all that a region sells (over 280,000 offers)"
        ),
        format!("{cpu_s:.1} s"),
        format!("under {TIME_LIMIT_S:.0} s"),
        cpu_s < TIME_LIMIT_S,
    )])
}

fn size(programs: &Programs, folder: &Path, words: &[&str]) -> Result<ProgramEnd, String> {
    let mut command = vec![programs.fathom.to_string_lossy().into_owned()];
    command.extend(["size", "--region=us-east-1"].map(str::to_owned));
    command.extend(words.iter().map(|word| (*word).to_owned()));
    program_run::run(&command, folder)
}

fn json(ended: &ProgramEnd) -> Result<Value, String> {
    serde_json::from_str(&ended.stdout).map_err(|_| format!("fathom did not take it: {}", ended.stderr))
}

/// Volumes one after the other.
fn write(path: &Path, volumes: u64, ticks: u64, tick_s: u64) -> Result<u64, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    writeln!(file, "volume,time,reads,writes,read_bytes,write_bytes").map_err(failed)?;
    for volume in 0..volumes {
        let mut demand = Counts::new(&mut random, tick_s);
        for tick in 0..ticks {
            let at = FIRST_TICK_S + tick * tick_s;
            let [reads, writes, read, written] = demand.next(&mut random);
            writeln!(file, "vol-{volume:08x},{at},{reads},{writes},{read},{written}").map_err(failed)?;
        }
    }
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.metadata().map(|meta| meta.len()).map_err(failed)
}

/// A volume's counts: a level, noise, and bursts of some ticks now and then.
struct Counts {
    tick_s: u64,
    level: u64,
    burst: u64,
}

impl Counts {
    fn new(random: &mut Xoshiro256PlusPlus, tick_s: u64) -> Self {
        Self { tick_s, level: 100 + random.next_u64() % 8000, burst: 0 }
    }

    /// Reads, writes, bytes read and bytes written in the next tick.
    fn next(&mut self, random: &mut Xoshiro256PlusPlus) -> [u64; 4] {
        let dice = random.next_u64();
        self.burst =
            if dice.is_multiple_of(400) { 1 + (dice >> 16) % 12 } else { self.burst.saturating_sub(1) };
        let rate = self.level * (64 + (dice >> 32) % 64) / 96 * if self.burst > 0 { 4 } else { 1 };
        let (reads, writes) = (rate * self.tick_s * 2 / 3, rate * self.tick_s / 3);
        [reads, writes, reads * 16_384, writes * 8192]
    }
}
