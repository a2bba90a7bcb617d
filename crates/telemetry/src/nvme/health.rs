//! A controller's health log as metrics: states as they are, counters by their growth.

use fathom_spec::SmartLog;

use super::METRICS;
use crate::Sample;
use crate::counter_growth::{growth, per_second};

/// Counters of the log that only grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counters {
    throttled_s: u64,
    transitions: u64,
    media_errors: u64,
    hot_minutes: u64,
}

impl Counters {
    fn of(log: &SmartLog) -> Self {
        let sum = |a: u32, b: u32| u64::from(a) + u64::from(b);
        Self {
            throttled_s: sum(log.light_throttle_seconds.get(), log.heavy_throttle_seconds.get()),
            transitions: sum(log.light_throttle_count.get(), log.heavy_throttle_count.get()),
            media_errors: u64::try_from(log.media_errors.get()).unwrap_or(u64::MAX),
            hot_minutes: sum(log.warning_temperature_time.get(), log.critical_temperature_time.get()),
        }
    }
}

/// Puts a log that was read `since_ns` after the one before; gives its counters for the next.
pub fn put(
    log: &SmartLog,
    name: &str,
    before: Option<Counters>,
    since_ns: u64,
    sample: &mut Sample<'_>,
) -> Counters {
    sample.put(&METRICS[0], name, log.celsius());
    sample.put(&METRICS[1], name, log.warnings().count() as f64);
    sample.put(&METRICS[2], name, log.used_share());
    sample.put(&METRICS[3], name, f64::from(log.available_spare) / 100.0);
    sample.put(&METRICS[13], name, f64::from(u8::from(log.warns_of_temperature())));
    let now = Counters::of(log);
    if let Some(before) = before.filter(|_| since_ns > 0) {
        let share = |before: u64, now: u64, unit_ns: f64| {
            growth(before, now).map(|grown| (grown as f64 * unit_ns / since_ns as f64).min(1.0))
        };
        sample.put(&METRICS[4], name, share(before.throttled_s, now.throttled_s, 1e9));
        sample.put(&METRICS[5], name, per_second(before.transitions, now.transitions, since_ns));
        sample.put(&METRICS[6], name, per_second(before.media_errors, now.media_errors, since_ns));
        sample.put(&METRICS[7], name, share(before.hot_minutes, now.hot_minutes, 60e9));
    }
    now
}
