//! How like its trace a replay was: rates, sizes, directions, and how late it was.

use fathom_measure::Nanos;
use fathom_record::{Direction, RunRecord};

use super::survey::{Tick, TraceSurvey, add};

/// A tick further off than this is counted.
const TICK_OFF: f64 = 0.05;

impl TraceSurvey {
    /// What is said of a run that replayed the trace, a sentence each.
    pub fn similarity(&self, record: &RunRecord) -> Vec<String> {
        let limited = if self.is_limited() { ", as far as the run's length goes" } else { "" };
        let mut said = vec![format!(
            "Replay of {} ({}): {} I/Os over {} at {} times its speed{limited}.",
            self.traced.file,
            self.kind,
            self.operations,
            Nanos(self.last_ns).coarse(),
            self.speed
        )];
        said.extend(self.counts(record));
        said.extend(lag(record));
        let [left_out, late] = self.odd;
        if left_out > 0 {
            said.push(format!(
                "{left_out} lines of the trace neither read nor write, have no size, or one above 1 GiB, and were left out."
            ));
        }
        if late > 0 {
            said.push(format!("{late} I/Os stood far behind later ones in the trace, and came with those."));
        }
        said
    }

    /// I/Os, ticks, sizes and directions against the trace's.
    fn counts(&self, record: &RunRecord) -> Vec<String> {
        let mut done: Vec<Tick> = Vec::new();
        for interval in &record.intervals {
            let at = ((interval.start_ns + interval.duration_ns / 2) / self.tick_ns) as usize;
            if done.len() <= at {
                done.resize(at + 1, Tick::default());
            }
            for entry in &interval.directions {
                let direction = usize::from(entry.direction == Direction::Write);
                done[at].operations[direction] += entry.operations;
                done[at].bytes[direction] += entry.bytes;
            }
        }
        let whole = |ticks: &[Tick]| ticks.iter().copied().fold(Tick::default(), add);
        let count = |tick: &Tick| tick.operations[0] + tick.operations[1];
        let (all, wanted) = (whole(&done), whole(&self.ticks));
        let ticks = self.ticks.len().max(done.len());
        let of = |ticks: &[Tick], at: usize| ticks.get(at).map_or(0, count) as f64;
        let off = (0..ticks).filter(|&at| {
            let (done, wanted) = (of(&done, at), of(&self.ticks, at));
            (done - wanted).abs() > (TICK_OFF * wanted).max(2.0)
        });
        let most = |ticks: &[Tick]| ticks.iter().map(count).max().unwrap_or(0);
        let mut said = vec![format!(
            "{} of {} I/Os ended well ({:+.2} %), the busiest {} {:+.1} %; {} of {ticks} ticks are more than 5 % off.",
            count(&all),
            count(&wanted),
            apart(count(&all), count(&wanted)),
            Nanos(self.tick_ns).coarse(),
            apart(most(&done), most(&self.ticks)),
            off.count()
        )];
        let mean = |tick: &Tick, at: usize| tick.bytes[at] as f64 / tick.operations[at].max(1) as f64;
        let mut parts: Vec<String> = [0, 1]
            .into_iter()
            .filter(|&at| wanted.operations[at] > 0 && all.operations[at] > 0)
            .map(|at| {
                let (done, wanted) = (mean(&all, at), mean(&wanted, at));
                format!("mean {} {:+.1} %", ["read", "write"][at], (done / wanted.max(1.0) - 1.0) * 100.0)
            })
            .collect();
        parts.push(format!(
            "reads {:.1} % of the I/Os, in the trace {:.1} %",
            all.operations[0] as f64 / count(&all).max(1) as f64 * 100.0,
            self.read_share() * 100.0
        ));
        said.push(format!("{}.", parts.join("; ")));
        said
    }
}

/// Percent by which it is more.
fn apart(done: u64, wanted: u64) -> f64 {
    (done as f64 / wanted.max(1) as f64 - 1.0) * 100.0
}

/// How long after their moments the I/Os were submitted, and how many had to wait for others to end.
fn lag(record: &RunRecord) -> Option<String> {
    let lag = record.summary.generator_lag.as_ref()?;
    let mut parts = Vec::new();
    for (name, value) in [
        ("half of them within", lag.quantile_ns(0.5)),
        ("99 % within", lag.quantile_ns(0.99)),
        ("all within", lag.max_ns),
    ] {
        parts.extend(value.map(|ns| format!("{name} {}", Nanos(ns))));
    }
    let delayed = record.summary.delayed_arrivals.unwrap_or(0);
    let late = match delayed {
        0 => "none found too many in flight".to_owned(),
        delayed => format!(
            "{delayed} more were late, because --depth I/Os were in flight at their moment: the target did not keep up"
        ),
    };
    Some(format!("Submitted after the trace's moments: {}; {late}.", parts.join(", ")))
}
