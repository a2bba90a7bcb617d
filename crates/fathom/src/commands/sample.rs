//! `fathom sample`: demands to try `profile`, `size` and `run --replay` on, made from a formula.
//!
//! The same bytes each time: every figure follows from its place by a mixing function, and times begin on a fixed Monday.

use std::f64::consts::TAU;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use fathom_record::shell_word;
use serde::Serialize;

use crate::arguments::SampleArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};

/// Monday, 5 January 2026, 00:00 UTC, in seconds of the Unix epoch.
const MONDAY_S: u64 = 1_767_571_200;
const DAY_S: u64 = 86_400;
const WEEK_S: u64 = 7 * DAY_S;
/// Seconds of a row of the one volume.
const VOLUME_STEP_S: u64 = 10;
/// Seconds of a row of the fleet's volumes.
const FLEET_STEP_S: u64 = 300;
/// Volumes of the fleet.
const FLEET: u64 = 12;
/// I/Os of the trace, and their mean distance in nanoseconds.
const TRACE: u64 = 20_000;
const TRACE_STEP_NS: f64 = 2e6;
/// Bytes that the trace's addresses span.
const TRACE_SPAN: u64 = 1 << 30;

/// One file.
struct Sample {
    name: &'static str,
    what: &'static str,
    /// What is typed with it.
    next: &'static str,
    text: fn() -> String,
}

const SAMPLES: [Sample; 3] = [
    Sample {
        name: "node3.csv",
        what: "a week of one volume, a row every 10 s: office hours, a backup at night",
        next: "fathom profile node3.csv --values per-row --json=profile.json\n\
               fathom size profile.json --size 1000GiB --region eu-central-1 --current gp3:iops=16000,throughput=1000",
        text: volume,
    },
    Sample {
        name: "volumes.csv",
        what: "a week of 12 volumes, a row every 5 min, some of them growing",
        next: "fathom size --fleet volumes.csv --values per-row --region us-east-1 --rows verdicts.csv",
        text: fleet,
    },
    Sample {
        name: "trace.csv",
        what: "20,000 single I/Os in 40 s over 1 GiB",
        next: "fathom run --replay trace.csv --target sim:gp3,size=10GiB",
        text: trace,
    },
];

/// What was written, for programs.
#[derive(Serialize)]
struct SampleSummary {
    format: &'static str,
    version: u32,
    files: Vec<PathBuf>,
}

/// Writes the files, or none of them where one is there.
///
/// # Errors
/// When a file is there and is not to be replaced, or cannot be written.
pub fn perform(arguments: &SampleArguments) -> Result<Status, Failure> {
    let folder = &arguments.folder;
    let content = Content::Foreign { force: arguments.force };
    if !folder.as_os_str().is_empty() && !folder.exists() {
        fs::create_dir(folder).map_err(|error| Failure::output(folder, error, "name an existing folder"))?;
    }
    let named = |sample: &Sample| {
        let path =
            if folder.as_os_str() == "." { PathBuf::from(sample.name) } else { folder.join(sample.name) };
        OutputFile::check(&path, content)
    };
    let files = SAMPLES.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    for (sample, file) in SAMPLES.iter().zip(&files) {
        file.write(&(sample.text)())?;
    }
    let files: Vec<PathBuf> = files.iter().map(|file| file.name().to_owned()).collect();
    if arguments.json {
        output::result(&output::json(&SampleSummary { format: "fathom.sample", version: 1, files }))?;
        return Ok(Status::Done);
    }
    let mut text = String::new();
    for sample in &SAMPLES {
        text += &format!("{:<12} {}\n", sample.name, sample.what);
        text += &sample.next.lines().map(|line| format!("  {line}\n")).collect::<String>();
    }
    if folder.as_os_str() != "." {
        text += &format!("\nThey are in {}: cd there first.\n", shell_word(&folder.display().to_string()));
    }
    output::result(&text)?;
    Ok(Status::Done)
}

/// A number from 0 to 1 that looks like chance: the finaliser of splitmix64 (Steele and others, 2014) of a place.
fn noise(series: u64, place: u64) -> f64 {
    let mut mixed = series.wrapping_mul(0xd134_2543_de82_ef95) ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64
}

/// How busy an office is at a second of the week, 0.15 to 1.
fn office(second: u64) -> f64 {
    let hour = (second % DAY_S) as f64 / 3600.0;
    let is_weekend = second / DAY_S % 7 >= 5;
    let day = (1.0 - ((hour - 14.0) / 24.0 * TAU).cos().mul_add(-0.5, 0.5)).max(0.0);
    let share = if is_weekend { 0.35 } else { 1.0 };
    (day * day * share).max(0.15)
}

fn volume() -> String {
    let mut text = "time,reads,writes,read_bytes,write_bytes\n".to_owned();
    for at in (0..WEEK_S).step_by(VOLUME_STEP_S as usize) {
        let place = at / VOLUME_STEP_S;
        let busy = office(at) * (0.8 + 0.4 * noise(1, place));
        // A burst now and then, and a backup from 01:00 to 01:40.
        let burst = if noise(2, place) > 0.998 { 2.5 } else { 1.0 };
        let backup = (3600..6000).contains(&(at % DAY_S));
        let step_s = VOLUME_STEP_S as f64;
        let reads = (400.0 * busy * burst * step_s) as u64;
        let writes = (2600.0 * busy * burst * step_s) as u64;
        let backup_reads = if backup { (900.0 * step_s * (0.9 + 0.2 * noise(3, place))) as u64 } else { 0 };
        let _ = writeln!(
            text,
            "{},{},{writes},{},{}",
            MONDAY_S + at,
            reads + backup_reads,
            reads * 16_384 + backup_reads * 262_144,
            writes * 16_384
        );
    }
    text
}

fn fleet() -> String {
    let mut text = "volume,time,reads,writes,read_bytes,write_bytes,size,current\n".to_owned();
    for number in 0..FLEET {
        let rate = 150.0 * 1.6_f64.powi((number % 8) as i32);
        let growth = if number % 3 == 0 { 0.25 } else { 0.02 };
        let current = if number % 4 == 1 { "gp3:iops=3000" } else { "\"gp3:iops=12000,throughput=500\"" };
        let size = 200 + 100 * (number % 5);
        for at in (0..WEEK_S).step_by(FLEET_STEP_S as usize) {
            let place = at / FLEET_STEP_S;
            let grown = 1.0 + growth * at as f64 / WEEK_S as f64;
            let busy = office(at) * grown * (0.8 + 0.4 * noise(10 + number, place)) * FLEET_STEP_S as f64;
            let (reads, writes) = ((rate * busy) as u64, (rate * 0.6 * busy) as u64);
            let _ = writeln!(
                text,
                "vol-{number:02},{},{reads},{writes},{},{},{size},{current}",
                MONDAY_S + at,
                reads * 8192,
                writes * 16_384
            );
        }
    }
    text
}

fn trace() -> String {
    let mut text = "time,op,offset,bytes\n".to_owned();
    let mut at_ns = 0.0;
    let blocks = (TRACE_SPAN / 16_384) as f64;
    for place in 0..TRACE {
        // Times as a Poisson process has them; a square brings most addresses to the front.
        at_ns += -TRACE_STEP_NS * (1.0 - noise(30, place)).max(1e-9).ln();
        let hot = noise(31, place).powi(4);
        let offset = ((hot * (blocks - 4.0)) as u64) * 16_384;
        let op = if noise(32, place) < 0.7 { "R" } else { "W" };
        let bytes = [4096, 8192, 16_384, 65_536][(noise(33, place) * 3.99) as usize % 4];
        let _ = writeln!(text, "{:.6},{op},{offset},{bytes}", MONDAY_S as f64 + at_ns / 1e9);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_their_rows_and_are_the_same_each_time() {
        assert_eq!(volume().lines().count() as u64, 1 + WEEK_S / VOLUME_STEP_S);
        assert_eq!(fleet().lines().count() as u64, 1 + FLEET * WEEK_S / FLEET_STEP_S);
        assert_eq!((trace().lines().count() as u64, trace() == trace()), (1 + TRACE, true));
        let end_of = |line: &str| {
            let fields: Vec<u64> = line.split(',').skip(2).filter_map(|field| field.parse().ok()).collect();
            fields.iter().sum::<u64>()
        };
        assert!(trace().lines().skip(1).all(|line| end_of(line) <= TRACE_SPAN));
    }

    #[test]
    fn offices_are_busy_by_day_and_backups_read_by_night() {
        assert!(office(14 * 3600) > 0.9 && office(2 * 3600) < 0.3 && office(5 * DAY_S + 14 * 3600) < 0.5);
        let reads = |second: u64| -> u64 {
            let text = volume();
            let line = text.lines().nth(1 + (second / VOLUME_STEP_S) as usize).expect("a row");
            line.split(',').nth(3).and_then(|bytes| bytes.parse().ok()).expect("bytes")
        };
        assert!(reads(4000) > 4 * reads(8000));
    }
}
