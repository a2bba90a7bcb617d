//! The part of diskspd's text that repeats what was asked for.

use super::caching::CacheMode;
use super::size_notation::{read_printed_size, size};
use super::span_profile::{Limit, Profile, Target, TimeSpan};

/// Time spans as they are told, line by line.
#[derive(Debug, Default)]
pub struct Input {
    spans: Vec<TimeSpan>,
}

impl Input {
    /// Takes one line; lines that say nothing known are passed over.
    pub fn line(&mut self, text: &str) {
        if text.starts_with("timespan:") {
            self.spans.push(TimeSpan::default());
            return;
        }
        let Some(span) = self.spans.last_mut() else { return };
        if let Some(path) = text.strip_prefix("path:") {
            span.targets.push(Target::new(path.trim().trim_matches('\'')));
            return;
        }
        match span.targets.last_mut() {
            None => of_span(span, text),
            Some(target) => of_target(target, text),
        }
    }

    /// What was told; `None` without a target.
    pub fn profile(self) -> Option<Profile> {
        let whole = !self.spans.is_empty() && self.spans.iter().all(|span| !span.targets.is_empty());
        whole.then(|| Profile { spans: self.spans, ..Profile::default() })
    }
}

fn of_span(span: &mut TimeSpan, text: &str) {
    match text {
        "measuring latency" => span.latency = true,
        "affinity disabled" => span.no_affinity = true,
        _ => {}
    }
    if let Some(rest) = text.strip_prefix("gathering IOPS at intervals of ") {
        span.iops_interval_ms = rest.trim_end_matches("ms").parse().ok();
    }
    if let Some(rest) = text.strip_prefix("thread pool with ") {
        span.threads = rest.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
    }
    if text.starts_with("generating random data") {
        span.random_write_data = true;
    }
    let Some((name, value)) = text.split_once(':') else { return };
    let number = || value.trim().trim_end_matches('s').parse::<u64>().ok();
    match name {
        "duration" => span.duration_s = number().unwrap_or(span.duration_s),
        "warm up time" => span.warmup_s = number().unwrap_or(span.warmup_s),
        "cool down time" => span.cooldown_s = number().unwrap_or(span.cooldown_s),
        "random seed" => span.seed = number().unwrap_or(0),
        "number of outstanding I/O operations per thread" => span.outstanding = number().unwrap_or(0),
        _ => {}
    }
}

fn of_target(target: &mut Target, text: &str) {
    match text {
        "performing read test" => target.write_percent = 0,
        "performing write test" => target.write_percent = 100,
        "software cache disabled" => target.caching.mode = CacheMode::Unbuffered,
        "local software cache disabled, remote cache enabled" => target.caching.mode = CacheMode::Remote,
        _ => {}
    }
    if text.ends_with("writethrough on") {
        target.caching.write_through = true;
    }
    if text.starts_with("memory mapped I/O enabled") {
        target.caching.mapped = true;
    }
    if let Some((reads, writes)) = mix(text) {
        target.write_percent = if reads + writes == 100 { writes } else { target.write_percent };
    }
    access(target, text);
    if let Some(rest) = text.strip_prefix("throughput rate-limited to ") {
        let (number, unit) = rest.split_once(' ').unwrap_or((rest, ""));
        target.limit = number.parse().ok().and_then(|number| match unit {
            "IOPS" => Some(Limit::PerS(number)),
            "B/ms" => Some(Limit::BytesPerMs(number)),
            _ => None,
        });
    }
    let Some((name, value)) = text.split_once(':') else { return };
    let value = value.trim();
    let bytes = || read_printed_size(value).or_else(|| size(value, target.block_bytes).ok());
    match name {
        "block size" => {
            if let Some(bytes) = bytes().filter(|bytes| *bytes > 0) {
                target.block_bytes = bytes;
            }
        }
        "number of outstanding I/O operations" | "number of outstanding I/O operations per thread" => {
            target.outstanding = value.parse().unwrap_or(target.outstanding);
        }
        "threads per file" => target.threads = value.parse().unwrap_or(target.threads),
        "base file offset" => target.base_bytes = bytes().unwrap_or(0),
        "max file size" => target.end_bytes = bytes().filter(|bytes| *bytes > 0),
        "thread stride size" => target.thread_stride_bytes = bytes().unwrap_or(0),
        "burst size" => target.burst = value.parse().unwrap_or(0),
        "think time" => target.think_ms = value.trim_end_matches("ms").parse().unwrap_or(0),
        _ => {}
    }
}

/// Shares of reads and writes of `performing mix test (read/write ratio: 70/30)`; old versions name them the
/// other way round.
fn mix(text: &str) -> Option<(u64, u64)> {
    let rest = text.strip_prefix("performing mix test (")?.strip_suffix(')')?;
    let (names, shares) = rest.split_once(" ratio: ")?;
    let (first, second) = shares.split_once('/')?;
    let (first, second) = (first.trim().parse().ok()?, second.trim_end_matches('%').trim().parse().ok()?);
    match names {
        "read/write" => Some((first, second)),
        "write/read" => Some((second, first)),
        _ => None,
    }
}

fn access(target: &mut Target, text: &str) {
    let step = text
        .rsplit_once(": ")
        .and_then(|(_, step)| read_printed_size(step.trim_end_matches(')')))
        .filter(|step| *step > 0);
    if text.starts_with("using random I/O") {
        (target.random_percent, target.step_bytes) = (100, step);
    } else if let Some(rest) = text.strip_prefix("using mixed random/sequential I/O (") {
        let percent = rest.split('%').next().and_then(|percent| percent.parse().ok());
        (target.random_percent, target.step_bytes) = (percent.unwrap_or(0), step);
    } else if text.starts_with("using interlocked sequential I/O") || text.starts_with("using sequential I/O")
    {
        target.interlocked = text.contains("interlocked");
        (target.random_percent, target.step_bytes) = (0, step);
    }
}
