//! What was asked of SPDK's generators: their command lines, as logs show them.

use fathom_record::Workload;
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};

/// What is told of what was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandOptions {
    /// `randread`, `rw`, `verify`, ...
    pub workload: Option<String>,
    /// Depth of each job that tells it.
    pub depths: Vec<u64>,
    /// The depth that the tool reduced it to.
    pub limited: Option<u64>,
    /// Size of an I/O.
    pub io_bytes: Option<u64>,
    /// Share of reads in percent.
    pub read_percent: Option<u64>,
    /// Length of the run.
    pub seconds: Option<f64>,
    /// The command line, if there is one.
    pub line: String,
}

impl CommandOptions {
    /// From a line that runs one of the tools, as a shell's or a script's trace.
    pub fn of_line(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = |word: &&str| word.rsplit('/').next().unwrap_or(word).to_owned();
        let program = words
            .iter()
            .position(|word| matches!(name(word).as_str(), "perf" | "spdk_nvme_perf" | "bdevperf"))?;
        let mut asked = Self { line: words[program..].join(" "), ..Self::default() };
        let options = &words[program + 1..];
        for (at, word) in options.iter().enumerate() {
            let value = options.get(at + 1).copied().unwrap_or_default();
            match *word {
                "-q" | "--io-depth" => asked.depths.extend(value.parse::<u64>().ok()),
                "-o" | "--io-size" => asked.io_bytes = value.parse().ok(),
                "-w" | "--io-pattern" => asked.workload = Some(value.to_owned()),
                "-M" | "--rwmixread" => {
                    asked.read_percent = value.parse().ok().filter(|percent| *percent <= 100)
                }
                "-t" | "--time" => asked.seconds = value.parse().ok(),
                _ => {}
            }
        }
        (asked.workload.is_some() || !asked.depths.is_empty()).then_some(asked)
    }

    /// Depth of each job: as asked, or as it was reduced.
    pub fn depth(&self) -> Option<u64> {
        self.limited.or_else(|| self.depths.iter().copied().max())
    }

    /// Share of reads, where the workload or the command says it.
    pub fn read_share(&self) -> Option<f64> {
        match self.workload.as_deref()? {
            "read" | "randread" => Some(1.0),
            "write" | "randwrite" | "write_zeroes" => Some(0.0),
            "rw" | "randrw" => self.read_percent.map(|percent| percent as f64 / 100.0),
            _ => None,
        }
    }

    /// The workload of so many jobs, and the fields of it that are guesses.
    pub fn workload(&self, jobs: usize) -> (Workload, Vec<&'static str>) {
        let mut guesses = Vec::new();
        let mut known = |value: Option<u64>, otherwise: u64, field: &'static str| {
            value.filter(|value| *value > 0).unwrap_or_else(|| {
                guesses.push(field);
                otherwise
            })
        };
        let depth = known(self.depth(), 1, "workload.depth");
        let io_bytes = known(self.io_bytes, 4096, "workload.sizes");
        let sequential = match self.workload.as_deref() {
            Some("read" | "write" | "rw" | "write_zeroes") => true,
            Some(name) if name.starts_with("rand") => false,
            _ => {
                guesses.push("workload.addresses");
                false
            }
        };
        let read_share = self.read_share().unwrap_or_else(|| {
            guesses.push("workload.mix");
            1.0
        });
        let workload = Workload {
            mix: Mix { read_share, trim_share: 0.0, flush_every_writes: 0 },
            addresses: if sequential { Addresses::Sequential } else { Addresses::RandomIndependent },
            sizes: SizesByDirection::all(Sizes::Fixed { bytes: io_bytes }),
            offset_bytes: 0,
            span_bytes: None,
            alignment_bytes: None,
            data: Data::default(),
            arrival: Arrival::Closed,
            jobs: u32::try_from(jobs.max(1)).unwrap_or(u32::MAX),
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            length: Length {
                time_ns: self.seconds.map(|seconds| (seconds * 1e9) as u64),
                ..Length::default()
            },
            seed: 0,
            special: None,
        };
        (workload, guesses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_logs_tell_what_was_asked() {
        let line = "00:01 host -- # /x/build/bin/spdk_nvme_perf -i 0 -q 32 -o 4096 -w randrw -M 50 -t 1 -r 'trtype:PCIe'";
        let asked = CommandOptions::of_line(line).expect("a command");
        assert_eq!((asked.depth(), asked.io_bytes, asked.read_share()), (Some(32), Some(4096), Some(0.5)));
        let long = CommandOptions::of_line(
            "> sudo ./perf --io-depth 64 --io-size 4096 --io-pattern randread --time 10",
        );
        assert_eq!(long.and_then(|asked| asked.depth()), Some(64));
        assert_eq!(CommandOptions::of_line("perf stat -e cycles"), None);
        assert_eq!(CommandOptions::of_line("nothing of it"), None);
    }
}
