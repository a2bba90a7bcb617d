//! The time of another process, as the one that serves a target, and which process listens on a port.

mod listener;
mod metrics;

pub use listener::{Listener, listener};
pub use metrics::METRICS;

use std::collections::HashMap;

use crate::counter_growth::per_second;
use crate::{MetricDecl, Root, Sample, Source};

/// Length of a tick of `/proc` in nanoseconds: `USER_HZ` is 100 on every machine that runs Linux today.
const TICK_NS: u64 = 10_000_000;
/// Threads that are followed at most.
const THREADS_MAX: usize = 4096;

/// Another process, where one was named.
pub struct Server {
    root: Root,
    process: Option<u32>,
    before: Option<(u64, u64)>,
    threads_before: HashMap<String, u64>,
}

impl Server {
    /// The process of this number; absent: nothing is sampled.
    pub fn new(root: &Root, process: Option<u32>) -> Self {
        Self { root: root.clone(), process, before: None, threads_before: HashMap::new() }
    }

    /// Time of each thread, in nanoseconds.
    fn threads(&self, process: u32) -> HashMap<String, u64> {
        let folder = format!("/proc/{process}/task");
        let names = self.root.names(&folder).into_iter().take(THREADS_MAX);
        let time = |name: String| {
            let (user, system) = times(&self.root.text(format!("{folder}/{name}/stat"))?)?;
            Some((name, user.saturating_add(system)))
        };
        names.filter_map(time).collect()
    }
}

/// User and system time of a process or thread, in nanoseconds.
fn times(stat: &str) -> Option<(u64, u64)> {
    // The name stands in brackets and may hold any byte.
    let mut words = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let user: u64 = words.nth(11)?.parse().ok()?;
    let system: u64 = words.next()?.parse().ok()?;
    Some((user.saturating_mul(TICK_NS), system.saturating_mul(TICK_NS)))
}

impl Source for Server {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let Some(process) = self.process else { return };
        let stat = self.root.text(format!("/proc/{process}/stat"));
        let Some(now) = stat.as_deref().and_then(times) else {
            self.before = None;
            return sample.absent("server", format!("process {process} has ended, or may not be looked at"));
        };
        let cores = |before, now| per_second(before, now, elapsed_ns).map(|ns| ns / 1e9);
        let threads = self.threads(process);
        if let Some(before) = self.before {
            sample.put(&METRICS[0], "", cores(before.0, now.0));
            sample.put(&METRICS[1], "", cores(before.1, now.1));
            // A thread that was not there before began within this time.
            let grown = |(name, now): (&String, &u64)| {
                cores(self.threads_before.get(name).copied().unwrap_or(0), *now)
            };
            sample.put(&METRICS[2], "", threads.iter().filter_map(grown).max_by(f64::total_cmp));
        }
        (self.before, self.threads_before) = (Some(now), threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collector, SamplerPlan};

    fn write(root: &std::path::Path, name: &str, (user, system): (u64, u64)) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("7 (a ) b) S 1 7 7 0 -1 0 0 0 0 0 {user} {system} 0 0 20 0 3 0"))
            .unwrap();
    }

    #[test]
    fn a_process_and_the_busiest_of_its_threads_are_told() {
        let tree = tempfile::tempdir().unwrap();
        let at = |ticks: (u64, u64), threads: [(u64, u64); 2]| {
            write(tree.path(), "proc/7/stat", ticks);
            write(tree.path(), "proc/7/task/7/stat", threads[0]);
            write(tree.path(), "proc/7/task/8/stat", threads[1]);
        };
        at((100, 50), [(80, 40), (20, 10)]);
        let plan = SamplerPlan { root: Root::at(tree.path()), server: Some(7), ..SamplerPlan::default() };
        let mut collector = Collector::new(&plan);
        collector.tick(1);
        at((160, 120), [(85, 40), (75, 80)]);
        collector.tick(1 + 2_000_000_000);
        let seen = collector.finish(0, None);
        let value = |metric: &str| seen.find(metric, "").and_then(|series| series.values[0]).unwrap();
        // 60 and 70 ticks in two seconds; the second thread had 125 of them.
        assert!((value("server.user") - 0.3).abs() < 1e-9);
        assert!((value("server.system") - 0.35).abs() < 1e-9);
        assert!((value("server.busiest_thread") - 0.625).abs() < 1e-9);
    }

    #[test]
    fn a_process_that_is_gone_is_said_and_one_that_nobody_named_is_not() {
        let tree = tempfile::tempdir().unwrap();
        let sampled = |server| {
            let plan = SamplerPlan { root: Root::at(tree.path()), server, ..SamplerPlan::default() };
            let mut collector = Collector::new(&plan);
            (1..3).for_each(|second| collector.tick(second * 1_000_000_000));
            let seen = collector.finish(0, None);
            seen.absent.iter().any(|absent| absent.source == "server")
        };
        assert!(sampled(Some(7)) && !sampled(None));
    }
}
