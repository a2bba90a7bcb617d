//! Rate and memory of importing results of fio: JSON with bins, and a log with a line for each I/O.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use super::alone::Finding;
use super::process::{self, Ended};
use super::programs::Programs;

pub const NAME: &str = "imports";
const JSON_BYTES: u64 = 256 << 20;
const LOG_BYTES: u64 = 1_000_000_000;
/// Bytes of JSON that a second of processor time reads at least.
const RATE_LIMIT: f64 = 200e6;
const LOG_MEMORY_LIMIT_BYTES: f64 = 200e6;

/// Measures both. The rate is over the processor time of the whole command, saving included.
///
/// # Errors
/// Where the files cannot be written, or fathom does not take them.
pub fn measure(programs: &Programs, folder: &Path) -> Result<Vec<Finding>, String> {
    let failed = |error: std::io::Error| format!("writing results to import: {error}");
    let json_bytes = write_json(&folder.join("imports.json")).map_err(failed)?;
    let log_bytes = write_log(&folder.join("imports_clat.1.log")).map_err(failed)?;
    let json = import(programs, folder, &["imports.json"])?;
    let log = import(programs, folder, &["--as", "fio-log-ns", "imports_clat.1.log"])?;
    let seconds = (json.usage.user_ns + json.usage.system_ns) as f64 / 1e9;
    let rate = json_bytes as f64 / seconds;
    let mega = |bytes: f64| format!("{:.0} MB", bytes / 1e6);
    let (json_peak, log_peak) = (json.usage.peak_rss_bytes as f64, log.usage.peak_rss_bytes as f64);
    let finding = |what: String, found: String, asked: String, met: Option<bool>| Finding {
        case: NAME,
        what,
        found,
        asked,
        met,
    };
    let json_size = mega(json_bytes as f64);
    Ok(vec![
        finding(
            format!("rate of `fathom import` of {json_size} of JSON+, per second of processor time"),
            format!("{}/s", mega(rate)),
            format!("{}/s or more", mega(RATE_LIMIT)),
            Some(rate >= RATE_LIMIT),
        ),
        finding(
            format!("peak resident memory with {json_size} of JSON+"),
            format!("{}, {:.1} times the file", mega(json_peak), json_peak / json_bytes as f64),
            "-".to_owned(),
            None,
        ),
        finding(
            format!("peak resident memory with a log of {}", mega(log_bytes as f64)),
            format!("{} in {:.1} s", mega(log_peak), log.wall.as_secs_f64()),
            format!("under {}", mega(LOG_MEMORY_LIMIT_BYTES)),
            Some(log_peak < LOG_MEMORY_LIMIT_BYTES),
        ),
    ])
}

/// Imports into a store of its own, so that no file is known.
fn import(programs: &Programs, folder: &Path, words: &[&str]) -> Result<Ended, String> {
    let store = folder.join("imports.sqlite");
    // There is none before the first.
    let _ = std::fs::remove_file(&store);
    let mut command = vec![programs.fathom.to_string_lossy().into_owned()];
    command.extend([format!("--store={}", store.display()), "import".to_owned()]);
    command.extend(words.iter().map(|word| (*word).to_owned()));
    let ended = process::run(&command, folder)?;
    if ended.stdout.starts_with("read: 1 file") {
        return Ok(ended);
    }
    Err(format!("fathom did not take {words:?}: {}{}", ended.stdout, ended.stderr))
}

/// One result with as many jobs as fill the file, each with bins as fio prints them.
fn write_json(path: &Path) -> std::io::Result<u64> {
    let mut job = String::new();
    let mut bins = String::new();
    let (mut count, mut sum) = (0u64, 0u64);
    // fio's bins from 8 us on: 64 to a power of two.
    for bin in 0..1024u64 {
        let (octave, step) = (bin / 64, bin % 64);
        let low = (64 + step) << (octave + 7);
        let (value, number) = (low + (1 << (octave + 7)) / 2, 1 + bin % 7);
        let comma = if bin == 0 { "" } else { "," };
        let _ = write!(bins, "{comma}\n              \"{value}\" : {number}");
        (count, sum) = (count + number, sum + value * number);
    }
    let mean = sum as f64 / count as f64;
    let (min, max) = (8192 + 64, ((64u64 + 63) << 22) + (1 << 21));
    let bytes = count * 4096;
    let _ = write!(
        job,
        "      \"groupid\" : 0,\n      \"error\" : 0,\n      \"elapsed\" : 11,\n      \"read\" : {{\n        \"io_bytes\" : {bytes},\n        \
         \"io_kbytes\" : {},\n        \"bw_bytes\" : {},\n        \"bw\" : {},\n        \"iops\" : {:.6},\n        \"runtime\" : 10000,\n        \
         \"total_ios\" : {count},\n        \"short_ios\" : 0,\n        \"drop_ios\" : 0,\n        \"clat_ns\" : {{\n          \"min\" : {min},\n          \
         \"max\" : {max},\n          \"mean\" : {mean:.6},\n          \"stddev\" : 1.0,\n          \"N\" : {count},\n          \"bins\" : {{{bins}\n          }}\n        }}\n      }}\n    }}",
        bytes / 1024,
        bytes / 10,
        bytes / 10 / 1024,
        count as f64 / 10.0,
    );
    let mut file = BufWriter::new(File::create(path)?);
    let mut written = 0;
    let mut put = |text: &str| {
        written += text.len() as u64;
        file.write_all(text.as_bytes()).map(|()| written)
    };
    put("{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1700000000,\n  \"jobs\" : [\n")?;
    let mut number = 0;
    while put(&format!("    {{\n      \"jobname\" : \"job{number}\",\n{job}"))? < JSON_BYTES {
        put(",\n")?;
        number += 1;
    }
    let all = put("\n  ]\n}\n")?;
    file.flush()?;
    Ok(all)
}

/// A line for each I/O, ten to a millisecond.
fn write_log(path: &Path) -> std::io::Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut at) = (0u64, 0u64);
    while written < LOG_BYTES {
        let line =
            format!("{}, {}, {}, 4096, {}\n", at / 10, 80_000 + at * 7919 % 100_000, at % 2, at * 4096);
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
        at += 1;
    }
    file.flush()?;
    Ok(written)
}
