//! fio's t/io_uring as a peer: a generator that keeps no latencies, and prints a rate each second.

use super::measured_load::{Cpu, Load, ToolMeasurement};
use super::program_run::ProgramEnd;

/// It prints no rate for its last second, so it gets one more.
const SILENT_SECONDS: u64 = 1;

/// Completions that it waits for in each call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitMode {
    /// As many as it submits, up to 32: its default. Down to depth 32 nothing is in flight when it submits again.
    Batch,
    /// The first, as fathom does.
    One,
}

/// Not polled; registered files and one registered buffer are its defaults.
pub fn command(program: &str, load: &Load, waits_for: WaitMode) -> Vec<String> {
    let mut command: Vec<String> =
        [program, "-p0", "-B1", "-F1", "-b4096", "-R1"].map(str::to_owned).to_vec();
    let seconds = load.seconds + SILENT_SECONDS;
    command.extend([format!("-d{}", load.depth), format!("-r{seconds}")]);
    command.extend((waits_for == WaitMode::One).then(|| "-c1".to_owned()));
    command.push(load.target.clone());
    command
}

/// What it must say of itself, so that the comparison is the one that is meant.
const SETTINGS: [&str; 4] = ["polled=0", "fixedbufs=1", "register_files=1", "buffered=0"];

/// Reads the mean of its lines; the rate that it calls `Maximum` is its best second alone.
///
/// # Errors
/// Where it printed no rate, or ran with other settings.
pub fn read(ended: &ProgramEnd, load: &Load) -> Result<ToolMeasurement, String> {
    let settings = ended.stdout.lines().find(|line| line.starts_with("polled=")).unwrap_or("");
    let depth = format!("QD={}", load.depth);
    let asked = SETTINGS.into_iter().chain([depth.as_str()]);
    if let Some(other) = asked.into_iter().find(|asked| !settings.split(", ").any(|told| told == *asked)) {
        return Err(format!("t/io_uring does not say {other} but `{settings}`: {}", ended.stderr.trim()));
    }
    let rates: Vec<f64> = ended.stdout.lines().filter_map(rate).collect();
    let rate_per_s = rates.iter().sum::<f64>() / rates.len() as f64;
    if rates.is_empty() || rate_per_s == 0.0 {
        return Err(format!("t/io_uring printed no rate: {} {}", ended.stdout.trim(), ended.stderr.trim()));
    }
    let operations = rate_per_s * (load.seconds + SILENT_SECONDS) as f64;
    let process = Cpu::of_process(ended.usage, operations);
    Ok(ToolMeasurement { rate_per_s, operations, median_latency_ns: None, own: None, process })
}

/// The rate of a line as `IOPS=360.67K, BW=...`.
fn rate(line: &str) -> Option<f64> {
    let text = line.strip_prefix("IOPS=")?.split(',').next()?;
    let (digits, unit) = match text.chars().last()? {
        'K' => (&text[..text.len() - 1], 1e3),
        'M' => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::measured_load::Interface;
    use crate::program_run::Usage;

    #[test]
    fn the_rate_is_the_mean_of_the_seconds_not_the_best() {
        let stdout = "submitter=0, tid=25676, file=/dev/zram0, nfiles=1, node=-1\n\
                      polled=0, fixedbufs=1, register_files=1, buffered=0, QD=32\n\
                      IOPS=1.25M, BW=4882MiB/s, IOS/call=32/32\nIOPS=750.00K, BW=2929MiB/s, IOS/call=32/32\n\
                      IOPS=99500, BW=388MiB/s, IOS/call=32/32\nExiting on timeout\nMaximum IOPS=1.25M\n";
        let usage = Usage { user_ns: 0, system_ns: 2_799_333, peak_rss_bytes: 1 };
        let mut ended =
            ProgramEnd { stdout: stdout.to_owned(), stderr: String::new(), wall: Duration::ZERO, usage };
        let load = Load { interface: Interface::Uring, target: String::new(), depth: 32, seconds: 3 };
        let measured = read(&ended, &load).unwrap();
        assert!((measured.rate_per_s - 699_833.3).abs() < 0.1, "{}", measured.rate_per_s);
        assert!((measured.process.system_ns - 1.0).abs() < 1e-6);

        let polled = stdout.replace("polled=0", "polled=1");
        ended.stdout = "polled=0, fixedbufs=1, register_files=1, buffered=0, QD=32\n".to_owned();
        assert!(read(&ended, &load).unwrap_err().contains("no rate"));
        for (settings, word) in [(polled, "polled=0"), (stdout.replace("QD=32", "QD=3"), "QD=32")] {
            ended.stdout = settings;
            assert!(read(&ended, &load).unwrap_err().contains(word));
        }
    }
}
