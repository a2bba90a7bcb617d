//! Pressure stall information: time lost to waiting for processors, I/O and memory.

mod metrics;

pub use metrics::METRICS;

use crate::counter_growth::per_second;
use crate::kept_file::KeptFile;
use crate::{MetricDecl, Root, Sample, Source};

/// One line of a pressure file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    /// Mean over 10 seconds, in percent.
    avg10: f64,
    /// Time stalled since boot, in microseconds.
    total_us: u64,
}

struct Resource {
    label: &'static str,
    file: KeptFile,
    /// `some` and `full` of the sample before.
    before: [Option<Line>; 2],
}

/// All three resources.
pub struct Pressure {
    resources: [Resource; 3],
}

impl Pressure {
    /// Pressure on the whole machine.
    pub fn new(root: &Root) -> Self {
        let resource =
            |label, path| Resource { label, file: KeptFile::new(root, path), before: [None, None] };
        Self {
            resources: [
                resource("cpu", "/proc/pressure/cpu"),
                resource("io", "/proc/pressure/io"),
                resource("memory", "/proc/pressure/memory"),
            ],
        }
    }
}

/// The `some` and `full` lines, as `some avg10=0.29 avg60=1.01 avg300=0.57 total=11885405`.
fn parse(text: &str) -> [Option<Line>; 2] {
    ["some", "full"].map(|kind| {
        let line = text.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))?;
        let value = |key: &str| {
            line.split_ascii_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
        };
        Some(Line { avg10: value("avg10")?.parse().ok()?, total_us: value("total")?.parse().ok()? })
    })
}

impl Source for Pressure {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        for resource in &mut self.resources {
            let now =
                match resource.file.text("boot with `psi=1`, on Linux 4.20 or newer built with CONFIG_PSI") {
                    Ok(text) => parse(&text),
                    Err(error) => {
                        resource.before = [None, None];
                        sample.absent("pressure", error.cause);
                        continue;
                    }
                };
            for (kind, (before, now)) in resource.before.iter().zip(now).enumerate() {
                let Some(now) = now else { continue };
                let grown = before.and_then(|before| per_second(before.total_us, now.total_us, elapsed_ns));
                sample.put(&METRICS[kind], resource.label, grown.map(|us_per_s| (us_per_s / 1e6).min(1.0)));
                sample.put(&METRICS[kind + 2], resource.label, now.avg10 / 100.0);
            }
            resource.before = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lines_are_found_and_old_kernels_lack_one() {
        let text = "some avg10=0.29 avg60=1.01 avg300=0.57 total=11885405\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        let [some, full] = parse(text);
        assert_eq!(some, Some(Line { avg10: 0.29, total_us: 11_885_405 }));
        assert_eq!(full, Some(Line { avg10: 0.0, total_us: 7 }));
        // Before 5.13 the processors' file has no `full` line.
        assert_eq!(parse("some avg10=1.00 avg60=0 avg300=0 total=5\n")[1], None);
        assert_eq!(parse("some avg10=x total=5\nfullavg10=1 total=2"), [None, None]);
    }
}
