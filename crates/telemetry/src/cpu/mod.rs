//! Shares of processor time by kind, of each processor and of the machine, from `/proc/stat` or what Windows tells.

mod metrics;
#[cfg(any(windows, test))]
mod performance;
#[cfg_attr(not(windows), path = "reading_files.rs")]
#[cfg_attr(windows, path = "reading_windows.rs")]
mod reading;

pub use metrics::METRICS;

use std::collections::HashMap;

use crate::{MetricDecl, Root, Sample, Source};

/// Clock ticks by kind, in the order of [`METRICS`] up to `cpu.idle`.
type Ticks = [u64; 7];

/// The processors.
pub struct Cpu {
    reading: reading::CpuReader,
    before: HashMap<String, Ticks>,
}

impl Cpu {
    /// All processors of the machine.
    pub fn new(root: &Root) -> Self {
        Self { reading: reading::CpuReader::new(root), before: HashMap::new() }
    }
}

/// The `cpu` lines: label (empty for the machine, the number for a processor) and ticks.
///
/// Columns are user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice; older
/// kernels have fewer, which then count nothing. Guest time is part of user time already.
pub(crate) fn parse(text: &str) -> impl Iterator<Item = (&str, Ticks)> {
    text.lines().map_while(|line| line.starts_with("cpu").then_some(line)).filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let name = words.next()?;
        let mut columns = [0u64; 8];
        let mut known = 0;
        for (column, word) in columns.iter_mut().zip(words) {
            *column = word.parse().ok()?;
            known += 1;
        }
        let [user, nice, system, idle, iowait, irq, softirq, steal] = columns;
        let ticks = [user.saturating_add(nice), system, irq, softirq, steal, iowait, idle];
        (known >= 4).then_some((name.trim_start_matches("cpu"), ticks))
    })
}

/// Shares of the time between two readings, in the order of [`METRICS`]; absent if no time passed. `had` is the ticks that
/// the processors had between them, by a clock.
///
/// Linux counts idle time in full and the rest by a look at every tick, which never sees work that starts with a tick and
/// ends before the next. So kinds are shares of what was counted, and busy is what the clock says without the idle time.
fn shares(before: &Ticks, now: &Ticks, had: f64) -> Option<[f64; 8]> {
    // The kernel's idle and iowait may step back by a tick between readings: that is no time.
    let grown: [u64; 7] = std::array::from_fn(|kind| now[kind].saturating_sub(before[kind]));
    let total = grown.iter().fold(0u64, |sum, ticks| sum.saturating_add(*ticks));
    if total == 0 {
        return None;
    }
    let mut shares = [0.0; 8];
    for (share, ticks) in shares.iter_mut().zip(grown) {
        *share = ticks as f64 / total as f64;
    }
    let not_busy = grown[4..].iter().fold(0u64, |sum, ticks| sum.saturating_add(*ticks)) as f64;
    shares[7] = if had > 0.0 { (1.0 - not_busy / had).max(0.0) } else { 1.0 - not_busy / total as f64 };
    Some(shares)
}

impl Source for Cpu {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let labelled = match self.reading.now() {
            Ok(labelled) => labelled,
            Err(error) => {
                self.before.clear();
                return sample.absent("cpu", error.cause);
            }
        };
        let mut after = HashMap::with_capacity(self.before.len());
        let ticks = elapsed_ns as f64 / reading::TICK_NS;
        let processors = labelled.iter().filter(|(label, _)| !label.is_empty()).count();
        for (label, now) in labelled {
            let had = if label.is_empty() { ticks * processors as f64 } else { ticks };
            if let Some(shares) = self.before.get(&label).and_then(|before| shares(before, &now, had)) {
                let known = METRICS.iter().zip(shares);
                for (metric, share) in known.filter(|(metric, _)| !reading::UNKNOWN.contains(&metric.name)) {
                    sample.put(metric, &label, share);
                }
            }
            after.insert(label, now);
        }
        self.before = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_time_that_passed_by_kind() {
        let before = "cpu  100 10 50 1000 20 5 15 0 0 0\ncpu0 50 5 25 500 10 2 7 0 0 0\nintr 1\n";
        let after = "cpu  140 10 70 1100 30 5 25 20 7 0\ncpu0 50 5 25 500 10 2 7 0 0 0\nintr 1\n";
        let (before, after): (Vec<_>, Vec<_>) = (parse(before).collect(), parse(after).collect());
        assert_eq!((before.len(), before[0].0, before[1].0), (2, "", "0"));
        let shares = shares(&before[0].1, &after[0].1, 0.0).unwrap();
        // 40 user, 20 system, 0 irq, 10 softirq, 20 steal, 10 iowait, 100 idle: 200 ticks.
        assert_eq!(shares, [0.2, 0.1, 0.0, 0.05, 0.1, 0.05, 0.5, 0.35]);
        assert!(super::shares(&before[1].1, &after[1].1, 100.0).is_none(), "no tick passed");
    }

    #[test]
    fn work_between_ticks_that_is_never_counted_is_busy_time_all_the_same() {
        // A second of two processors, 200 ticks: 170 idle, 6 of them waiting and 4 stolen, and of 20 busy ones 5 were seen.
        let (before, after) = ([0; 7], [5, 0, 0, 0, 4, 6, 170]);
        let busy = shares(&before, &after, 200.0).unwrap()[7];
        assert!((busy - 0.1).abs() < 1e-12, "{busy}");
        assert_eq!(
            shares(&before, &after, 180.0).unwrap()[7],
            0.0,
            "readings are a tick apart from the clock"
        );
    }

    #[test]
    fn old_kernels_have_fewer_columns_and_broken_lines_count_nothing() {
        assert_eq!(parse("cpu 1 2 3 4\n").next(), Some(("", [3, 3, 0, 0, 0, 0, 4])));
        assert_eq!(parse("cpu 1 2 x 4\ncpu0 1\nctxt 5\ncpu1 1 1 1 1").count(), 0);
        assert_eq!(parse("").count(), 0);
        assert!(shares(&[u64::MAX; 7], &[0; 7], 1.0).is_none());
    }
}
