//! Time and memory of analysing a campaign again: every second and histogram of every run.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::alone::Finding;
use super::program_run;
use super::programs::Programs;
use super::ratio_statistics::median;

pub const NAME: &str = "analysis";
/// Runs of an hour that the figures are asked of.
const RUNS: u64 = 1000;
const LIMIT_S: f64 = 10.0;
const LIMIT_BYTES: f64 = 1e9;
const REPEATS: usize = 3;
/// Ten cells in a hundred passes: hours of a simulated volume, reads and writes, up to 512 in flight.
const SWEEP: [&str; 12] = [
    "sweep",
    "--target=sim:gp3,iops=1500",
    "--rw=randrw",
    "--read-share=70%",
    "--time=1h",
    "--warmup=0s",
    "--over=depth=1..512",
    "--passes=100",
    "--quiet",
    "--jobs=1",
    "--bs=4k",
    "--json=sweep.json",
];

/// Measures the analysis of the last campaign in `store`, which is simulated where there is none.
///
/// # Errors
/// Without a store, or where fathom gives no result.
pub fn measure(programs: &Programs, folder: &Path, store: Option<&PathBuf>) -> Result<Vec<Finding>, String> {
    let store =
        store.ok_or("name a store with --store FILE; a new one is filled first, in about half an hour")?;
    let store = std::path::absolute(store).map_err(|error| format!("{}: {error}", store.display()))?;
    let command = |words: &[&str]| {
        let program = programs.fathom.to_string_lossy().into_owned();
        let words = words.iter().map(|word| (*word).to_owned());
        std::iter::once(program)
            .chain(words)
            .chain([format!("--store={}", store.display())])
            .collect::<Vec<_>>()
    };
    if !store.exists() {
        eprintln!("{NAME}: simulating {RUNS} hours ...");
        program_run::run(&command(&SWEEP), folder)?;
    }
    let told = program_run::run(&command(&["analyse", "last", "--json"]), folder)?;
    let (runs, seconds) = read(&told.stdout)?;
    let mut walls = Vec::new();
    let mut peak: u64 = 0;
    for _ in 0..REPEATS {
        let ended = program_run::run(&command(&["analyse", "last", "--html=analysis.html"]), folder)?;
        walls.push(ended.wall.as_secs_f64());
        peak = peak.max(ended.usage.peak_rss_bytes);
    }
    let wall = median(walls).unwrap_or(f64::NAN);
    let whole = runs >= RUNS && seconds >= RUNS * 3600;
    let what = |of: &str| format!("{of} of `fathom analyse --html`, {runs} runs, {seconds} s of series");
    let finding = |of: &str, found: String, asked: String, met: bool| Finding {
        case: NAME,
        what: what(of),
        found,
        asked,
        met: whole.then_some(met),
    };
    Ok(vec![
        finding("time", format!("{wall:.1} s"), format!("under {LIMIT_S:.0} s"), wall < LIMIT_S),
        finding(
            "peak resident memory",
            format!("{:.0} MB", peak as f64 / 1e6),
            format!("under {:.0} MB", LIMIT_BYTES / 1e6),
            (peak as f64) < LIMIT_BYTES,
        ),
    ])
}

/// Runs and seconds of an analysis.
fn read(text: &str) -> Result<(u64, u64), String> {
    let analysis: Value =
        serde_json::from_str(text).map_err(|error| format!("fathom printed no analysis: {error}"))?;
    let runs = analysis["runs"].as_array().filter(|runs| !runs.is_empty()).ok_or("no run was analysed")?;
    let seconds = runs.iter().filter_map(|run| run["seconds"].as_u64()).sum();
    Ok((runs.len() as u64, seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_analysis_is_counted() {
        assert_eq!(read(r#"{"runs":[{"seconds":3600},{"seconds":100}]}"#), Ok((2, 3700)));
        assert!(read("{}").is_err());
        assert!(read("x").is_err());
    }
}
