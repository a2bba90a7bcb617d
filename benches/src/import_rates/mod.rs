//! Rate and memory of importing what other tools wrote: fio's JSON with bins and its log with a line for each I/O,
//! iostat's reports, and a trace.

mod generated_files;

use std::path::Path;

use super::alone::Finding;
use super::program_run::{self, ProgramEnd};
use super::programs::Programs;

pub const NAME: &str = "imports";
const LOG_MEMORY_LIMIT_BYTES: f64 = 200e6;

/// A file, what reads it, and how fast that has to be.
struct Case {
    what: &'static str,
    file: &'static str,
    make: fn(&Path) -> std::io::Result<u64>,
    /// Words before the file's name.
    command: &'static [&'static str],
    /// How what is printed begins where all was read.
    begins: &'static str,
    /// Bytes that a second of processor time reads at least.
    rate: f64,
    /// Peak resident memory, where it is bounded.
    memory_bytes: Option<f64>,
}

const CASES: [Case; 4] = [
    Case {
        what: "`fathom import` of fio's JSON+",
        file: "imports.json",
        make: generated_files::json,
        command: &["import"],
        begins: READ,
        rate: 200e6,
        memory_bytes: None,
    },
    Case {
        what: "`fathom import` of a latency log of fio",
        file: "imports_clat.1.log",
        make: generated_files::log,
        command: &["import", "--as", "fio-log-ns"],
        begins: READ,
        rate: 200e6,
        memory_bytes: Some(LOG_MEMORY_LIMIT_BYTES),
    },
    Case {
        what: "`fathom import` of iostat's reports",
        file: "imports.iostat",
        make: generated_files::iostat,
        command: &["import"],
        begins: READ,
        rate: 100e6,
        memory_bytes: None,
    },
    Case {
        what: "`fathom profile` of an MSR trace",
        file: "imports.csv",
        make: generated_files::trace,
        command: &["profile"],
        begins: "",
        rate: 100e6,
        memory_bytes: None,
    },
];

const READ: &str = "read: 1 file";

/// Measures all. A rate is over the processor time of the whole command, saving included.
///
/// # Errors
/// Where the files cannot be written, or fathom does not take them.
pub fn measure(programs: &Programs, folder: &Path) -> Result<Vec<Finding>, String> {
    let mut findings = Vec::new();
    for case in &CASES {
        let path = folder.join(case.file);
        let bytes = (case.make)(&path).map_err(|error| format!("{}: {error}", path.display()))? as f64;
        let ended = read(programs, folder, case)?;
        // The largest is a gigabyte, and the next one needs its room.
        std::fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        findings.extend(found(case, bytes, &ended));
    }
    Ok(findings)
}

fn found(case: &Case, bytes: f64, ended: &ProgramEnd) -> [Finding; 2] {
    let mega = |bytes: f64| format!("{:.0} MB", bytes / 1e6);
    let rate = bytes / ((ended.usage.user_ns + ended.usage.system_ns) as f64 / 1e9);
    let peak = ended.usage.peak_rss_bytes as f64;
    [
        Finding {
            case: NAME,
            what: format!("rate of {}, {}, per second of CPU time", case.what, mega(bytes)),
            found: format!(
                "{}/s ({:.1} s, {:.1} s of it the kernel's; {:.1} s elapsed)",
                mega(rate),
                (ended.usage.user_ns + ended.usage.system_ns) as f64 / 1e9,
                ended.usage.system_ns as f64 / 1e9,
                ended.wall.as_secs_f64()
            ),
            asked: format!("{}/s or more", mega(case.rate)),
            met: Some(rate >= case.rate),
        },
        Finding {
            case: NAME,
            what: format!("peak resident memory of {}", case.what),
            found: format!("{}, {:.2} times the file", mega(peak), peak / bytes),
            asked: case.memory_bytes.map_or("-".to_owned(), |limit| format!("under {}", mega(limit))),
            met: case.memory_bytes.map(|limit| peak < limit),
        },
    ]
}

/// With a store of its own, so that no file is known.
fn read(programs: &Programs, folder: &Path, case: &Case) -> Result<ProgramEnd, String> {
    let store = folder.join("imports.sqlite");
    // There is none before the first.
    let _ = std::fs::remove_file(&store);
    let mut command = vec![programs.fathom.to_string_lossy().into_owned()];
    command.push(format!("--store={}", store.display()));
    command.extend(case.command.iter().chain([&case.file]).map(|word| (*word).to_owned()));
    let ended = program_run::run(&command, folder)?;
    if ended.stdout.starts_with(case.begins) && !ended.stdout.is_empty() {
        return Ok(ended);
    }
    Err(format!("fathom did not take {}: {}{}", case.file, ended.stdout, ended.stderr))
}
