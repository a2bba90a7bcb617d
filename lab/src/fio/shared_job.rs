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
        let turns = ["random", "zipf", "pareto", "normal", "gauss"];
        let draws_files =
            self.values("file_service_type").any(|order| turns.iter().any(|turn| order.starts_with(turn)));
        random
            || draws_files
            || ["bsrange", "blocksize_range", "bssplit", "percentage_random"]
                .iter()
                .any(|name| self.sets(name))
    }

    /// Whether an entry of the results adds up jobs of different block sizes: its mean size is then a matter of how
    /// fast each of them was.
    pub fn merges_sizes(&self) -> bool {
        let sizes: BTreeSet<&str> =
            ["bs", "blocksize"].iter().flat_map(|name| self.values(name)).map(str::trim).collect();
        sizes.len() > 1 && self.text.lines().any(|line| line.trim().starts_with("group_reporting"))
    }

    /// Whether a direction, by fio's word for it, has a rate.
    pub fn has_rate(&self, way: &str) -> bool {
        let at = ["read", "write", "trim"].iter().position(|name| *name == way).unwrap_or(0);
        let of = |value: &str| {
            let parts: Vec<&str> = value.split(',').map(str::trim).collect();
            !matches!(*parts.get(at).unwrap_or(&parts[0]), "" | "0")
        };
        let any = ["rate", "rate_iops"].iter().any(|name| self.values(name).any(of));
        any && self.each_has_a_rate()
    }

    /// Whether no section goes as fast as it can: each one sets a rate, or all get it by `[global]`.
    fn each_has_a_rate(&self) -> bool {
        let parts = self.text.split("\n[").map(|part| part.trim_start_matches('['));
        let rated = |part: &str| part.lines().any(|line| line.trim().starts_with("rate"));
        let (global, jobs): (Vec<&str>, Vec<&str>) =
            parts.filter(|part| part.contains(']')).partition(|part| part.starts_with("global"));
        global.into_iter().any(rated) || jobs.into_iter().all(rated)
    }

    /// Whether several sections may run for a time beside one another: how much of the I/O each does is then the
    /// machine's doing.
    pub fn is_a_race(&self) -> bool {
        let sections = self.text.lines().map(str::trim).filter(|line| line.starts_with('['));
        let jobs = sections.filter(|line| !line.starts_with("[global")).count();
        self.pace != Pace::Sized && jobs > 1
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
    fn a_rate_may_be_of_one_direction_alone() {
        let job = |line: &str| Job { text: format!("[a]\n{line}\n"), ..Job::default() };
        assert!(job("rate=1m").has_rate("read") && job("rate=1m").has_rate("write"));
        assert!(!job("rate=,512k").has_rate("read") && job("rate=,512k").has_rate("write"));
        assert!(!job("bs=4k").has_rate("read"));
        assert!(!job("rate=1m\n[b]\nrw=write").has_rate("write"), "one goes as fast as it can");
        assert!(job("rate=1m\n[b]\nrate=1m").has_rate("write"));
    }

    #[test]
    fn jobs_that_run_for_a_time_race() {
        let job = |text: &str| Job { text: text.to_owned(), pace: Job::pace_of(text), ..Job::default() };
        assert!(job("[global]\nruntime=1\n[a]\n[b]\n").is_a_race());
        assert!(!job("[global]\nruntime=1\n[a]\n").is_a_race() && !job("[a]\n[b]\n").is_a_race());
    }

    #[test]
    fn jobs_of_several_sizes_may_be_merged() {
        let job = |text: &str| Job { text: text.to_owned(), ..Job::default() };
        assert!(job("[global]\ngroup_reporting\n[a]\nbs=4k\n[b]\nbs=64k\n").merges_sizes());
        assert!(!job("[global]\ngroup_reporting\n[a]\nbs=4k\n[b]\nbs=4k\n").merges_sizes());
        assert!(!job("[a]\nbs=4k\n[b]\nbs=64k\n").merges_sizes());
    }

    #[test]
    fn files_are_drawn_as_offsets_are() {
        let job = |order: &str| Job {
            text: format!("[a]\nrw=read\nfile_service_type={order}\n"),
            ..Job::default()
        };
        assert!(job("random").is_drawn() && job("zipf:1.2").is_drawn());
        assert!(!job("roundrobin:8").is_drawn() && !job("sequential").is_drawn());
    }

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
