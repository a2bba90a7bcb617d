//! A run's time: warm-up, measured window, drain, each cut into intervals of a second.

use fathom_record::workload::Length;

/// Length of an interval, in nanoseconds.
pub const INTERVAL_NS: u64 = 1_000_000_000;

/// Part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Before the measurement.
    #[default]
    Warmup,
    /// The measurement.
    Measured,
    /// What was still in flight when the measurement ended.
    Drain,
}

/// When the parts of a run start and end, in nanoseconds from the run's origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The run's origin on its clock.
    pub origin_ns: u64,
    /// End of the warm-up.
    pub warmup_ns: u64,
    /// End of the measured window; `u64::MAX` when only a count ends it.
    pub end_ns: u64,
}

impl Timeline {
    /// The timeline of a run that starts at `origin_ns` of its clock.
    pub fn new(origin_ns: u64, length: &Length) -> Self {
        let end_ns = length.time_ns.map_or(u64::MAX, |time| length.warmup_ns.saturating_add(time));
        Self { origin_ns, warmup_ns: length.warmup_ns, end_ns }
    }

    /// Phase of a moment.
    pub fn phase(&self, at_ns: u64) -> Phase {
        match at_ns {
            at if at < self.warmup_ns => Phase::Warmup,
            at if at < self.end_ns => Phase::Measured,
            _ => Phase::Drain,
        }
    }

    /// End of the interval that starts at `start_ns`, which is a start of the run, of a phase or of an
    /// interval.
    pub fn interval_end(&self, start_ns: u64) -> u64 {
        let limit = match self.phase(start_ns) {
            Phase::Warmup => self.warmup_ns,
            Phase::Measured => self.end_ns,
            Phase::Drain => u64::MAX,
        };
        if self.phase(start_ns) == Phase::Drain {
            return limit;
        }
        start_ns.saturating_add(INTERVAL_NS).min(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_seconds_cut_at_the_phases() {
        let length =
            Length { time_ns: Some(2_500_000_000), warmup_ns: 1_200_000_000, operations: None, bytes: None };
        let timeline = Timeline::new(7, &length);
        let mut starts = vec![0];
        while timeline.phase(starts[starts.len() - 1]) != Phase::Drain {
            starts.push(timeline.interval_end(starts[starts.len() - 1]));
        }
        let expected = [0u64, 1000, 1200, 2200, 3200, 3700].map(|ms| ms * 1_000_000);
        assert_eq!(starts, expected);
        assert_eq!(timeline.interval_end(3_700_000_000), u64::MAX);
    }
}
