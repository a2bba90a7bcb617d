//! How like a profile a run was: figure by figure, and what nobody could have made like.

use fathom_record::{Direction, RunRecord};

use super::TargetDemand;

/// A tick further off than this is counted.
const TICK_OFF: f64 = 0.05;

impl TargetDemand {
    /// What is said of a run that was to be like the profile, a sentence each.
    pub fn similarity(&self, record: &RunRecord) -> Vec<String> {
        let mut said = vec![format!(
            "Like {}: {} s of it, from second {} on, times {:.2}.",
            self.name,
            self.rates_per_s.len() as u64 * u64::from(self.tick_s),
            self.from_s,
            self.scale
        )];
        said.extend(self.rates(record));
        said.extend(self.mix(record));
        let mut open = vec!["arrivals inside a tick come evenly".to_owned()];
        if !self.sizes_exact {
            open.push("of sizes only the means are known".to_owned());
        }
        match &self.access {
            None if self.sequential.is_some() => open.push(
                "addresses have the profile's sequential share, over all that may be used; which ones it touched is not known"
                    .to_owned(),
            ),
            None => open.push("addresses are not known: they are random over all that may be used".to_owned()),
            Some(access) => open.push(format!(
                "addresses have the profile's sequential share or hot spot, over all that may be used; the profile touched {} MiB: say so with --size",
                access.touched_bytes >> 20
            )),
        }
        if !self.directions_known {
            open.push("reads and writes are divided by their bytes".to_owned());
        }
        if self.gaps {
            open.push("ticks that were not seen are idle".to_owned());
        }
        said.push(format!("Not the profile's: {}.", open.join("; ")));
        said
    }

    fn rates(&self, record: &RunRecord) -> Option<String> {
        let tick_ns = u64::from(self.tick_s) * 1_000_000_000;
        let mut done = Vec::new();
        for interval in &record.intervals {
            let tick = usize::try_from((interval.start_ns + interval.duration_ns / 2) / tick_ns).ok()?;
            if done.len() <= tick {
                done.resize(tick + 1, 0u64);
            }
            done[tick] += interval.operations();
        }
        let whole_ticks = usize::try_from(record.summary.duration_ns / tick_ns).ok()?;
        done.truncate(whole_ticks.max(1));
        let wanted: Vec<f64> = self
            .rates_per_s
            .iter()
            .cycle()
            .take(done.len())
            .map(|rate| rate * f64::from(self.tick_s))
            .collect();
        let (all, asked) = (done.iter().sum::<u64>() as f64, wanted.iter().sum::<f64>());
        let most = done.iter().copied().max().unwrap_or(0) as f64;
        let asked_most = wanted.iter().copied().fold(0.0, f64::max);
        let off = done
            .iter()
            .zip(&wanted)
            .filter(|(done, wanted)| (**done as f64 - **wanted).abs() > (TICK_OFF * **wanted).max(2.0));
        (asked > 0.0).then(|| {
            format!(
                "I/Os {:+.1} % against the profile, the busiest tick {:+.1} %; {} of {} ticks are more than 5 % off.",
                (all / asked - 1.0) * 100.0,
                (most / asked_most - 1.0) * 100.0,
                off.count(),
                done.len()
            )
        })
    }

    fn mix(&self, record: &RunRecord) -> Option<String> {
        let sum = |direction: Direction| {
            let directions = record.intervals.iter().flat_map(|interval| &interval.directions);
            let of = directions.filter(|entry| entry.direction == direction);
            of.fold((0u64, 0u64), |(count, bytes), entry| (count + entry.operations, bytes + entry.bytes))
        };
        let done = [sum(Direction::Read), sum(Direction::Write)];
        let all = done[0].0 + done[1].0;
        let size = |at: usize| {
            let (count, bytes) = done[at];
            let wanted = self.mean_bytes[at].filter(|_| count > 0)?;
            let name = ["read", "write"][at];
            Some(format!("mean {name} {:+.1} %", (bytes as f64 / count as f64 / wanted - 1.0) * 100.0))
        };
        let mut parts: Vec<String> = [0, 1].into_iter().filter_map(size).collect();
        parts.push(format!(
            "reads {:.1} % of the I/Os, in the profile {:.1} %",
            done[0].0 as f64 / all.max(1) as f64 * 100.0,
            self.read_share * 100.0
        ));
        (all > 0).then(|| format!("{}.", parts.join("; ")))
    }
}
