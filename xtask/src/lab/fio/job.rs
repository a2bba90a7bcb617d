//! A job file that both tools are given, with what stands in its folder before.

use std::collections::BTreeSet;

/// What a run of it can be judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// It ends when its I/Os are done: they are counted.
    #[default]
    Sized,
    /// It ends after a time: only shares count.
    Timed,
    /// It ends after a time and has a rate: I/Os are counted, within a tolerance.
    Rated,
}

/// One of the suite's jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    pub name: String,
    /// `{DEV0}` to `{DEV3}` stand for block devices of the lab.
    pub text: String,
    /// Words on the command line behind the job file.
    pub arguments: Vec<String>,
    /// Files that are there before, with their sizes in bytes.
    pub files: Vec<(String, u64)>,
    pub pace: Pace,
    /// Where it was collected.
    pub origin: Option<String>,
}

/// Bytes of the file `data`, which is there before every job.
pub const DATA_BYTES: u64 = 4 << 20;

impl Job {
    /// Whether a block device of the lab is needed.
    pub fn needs_devices(&self) -> bool {
        self.text.contains("{DEV") || self.arguments.iter().any(|argument| argument.contains("{DEV"))
    }

    /// Values that a line gives to this option.
    pub fn values<'a>(&'a self, option: &'a str) -> impl Iterator<Item = &'a str> {
        self.lines().filter(move |(name, _)| *name == option).map(|(_, value)| value)
    }

    /// Whether any line or argument sets the option.
    pub fn sets(&self, option: &str) -> bool {
        let dashed = format!("--{option}");
        self.values(option).next().is_some() || self.arguments.iter().any(|word| word.starts_with(&dashed))
    }

    /// Whether addresses or sizes are drawn, so that two programs need not agree on each.
    pub fn is_drawn(&self) -> bool {
        let random = ["rw", "readwrite"].iter().any(|name| self.values(name).any(|rw| rw.contains("rand")));
        random
            || ["bsrange", "blocksize_range", "bssplit", "percentage_random"]
                .iter()
                .any(|name| self.sets(name))
    }

    /// Options and values of its lines, in order.
    fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.text.lines().map(str::trim).filter(|line| !line.starts_with(['[', '#', ';']));
        lines.map(|line| match line.split_once('=') {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (line, ""),
        })
    }

    /// Its pace, as its options tell it.
    pub fn pace_of(text: &str) -> Pace {
        let job = Self { text: text.to_owned(), ..Self::default() };
        let names: BTreeSet<&str> = job.lines().map(|(name, _)| name).collect();
        let any = |options: &[&str]| options.iter().any(|option| names.contains(option));
        if any(&["rate", "rate_iops"]) && any(&["runtime", "timeout"]) {
            Pace::Rated
        } else if any(&["runtime", "timeout", "time_based"]) {
            Pace::Timed
        } else {
            Pace::Sized
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_tell_what_a_job_is_judged_by() {
        assert_eq!(Job::pace_of("[a]\nrw=read\nsize=1m"), Pace::Sized);
        assert_eq!(Job::pace_of("[a]\nruntime=1\ntime_based"), Pace::Timed);
        assert_eq!(Job::pace_of("[a]\nruntime=1\nrate_iops=5"), Pace::Rated);
        let text = "[global]\n#rw=read\nrw = randrw\n[a]\nbs=4k\n".to_owned();
        let job = Job { text, arguments: vec!["--fsync=1".to_owned()], ..Job::default() };
        assert!(job.sets("fsync") && job.is_drawn() && !job.needs_devices());
        assert_eq!(job.values("rw").collect::<Vec<_>>(), ["randrw"]);
    }
}
