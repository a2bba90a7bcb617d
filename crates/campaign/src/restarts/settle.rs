//! When a machine that has just started is quiet enough to be measured.

use std::collections::VecDeque;

use fathom_telemetry::boots::ProcessorTime;

/// Share of its processors below which a machine is idle.
pub(super) const IDLE_SHARE: f64 = 0.05;
/// A machine is idle over this share of the time that it has to be up.
const IDLE_PART: f64 = 0.2;
/// It is waited for so many times as long at most.
pub(super) const LIMIT_TIMES: u64 = 3;

/// A machine that is waited for.
#[derive(Debug)]
pub(super) struct Settling {
    settle_s: f64,
    began_s: Option<f64>,
    looks: VecDeque<(f64, ProcessorTime)>,
}

/// It has settled, or is waited for no longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SettleOutcome {
    /// Busy share of its processors over the last looks; absent where nothing says it or nothing was waited for.
    pub(super) busy_share: Option<f64>,
}

impl Settling {
    /// A machine that has to be up so long, in nanoseconds.
    pub(super) fn new(settle_ns: u64) -> Self {
        Self { settle_s: settle_ns as f64 / 1e9, began_s: None, looks: VecDeque::new() }
    }

    /// A look at it, at a time in seconds of any clock; `None` while it is to be waited for.
    pub(super) fn look(
        &mut self,
        now_s: f64,
        up_s: Option<f64>,
        time: Option<ProcessorTime>,
    ) -> Option<SettleOutcome> {
        if self.settle_s == 0.0 {
            return Some(SettleOutcome { busy_share: None });
        }
        let began_s = *self.began_s.get_or_insert(now_s);
        let window_s = self.settle_s * IDLE_PART;
        if let Some(time) = time {
            self.looks.push_back((now_s, time));
            // The one that is older than the window stays: the window lies between it and now.
            while self.looks.get(1).is_some_and(|(at_s, _)| now_s - at_s >= window_s) {
                self.looks.pop_front();
            }
        }
        let busy_share = self.busy_share();
        let is_old = up_s.is_none_or(|up_s| up_s >= self.settle_s);
        let has_looked = now_s - began_s >= window_s;
        let is_idle = time.is_none() || busy_share.is_some_and(|share| share < IDLE_SHARE);
        let is_late = now_s - began_s >= LIMIT_TIMES as f64 * self.settle_s;
        ((is_old && has_looked && is_idle) || is_late).then_some(SettleOutcome { busy_share })
    }

    fn busy_share(&self) -> Option<f64> {
        let ((_, first), (_, last)) = (self.looks.front()?, self.looks.back()?);
        let all = last.all.checked_sub(first.all).filter(|all| *all > 0)?;
        Some(last.busy.saturating_sub(first.busy) as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLE_NS: u64 = 300_000_000_000;

    /// When a machine settles that is up at `up_s` and whose share of busy time at each second is `share`, and with
    /// which share.
    fn settles(up_s: f64, share: impl Fn(u64) -> f64) -> (u64, Option<f64>) {
        let mut settling = Settling::new(SETTLE_NS);
        let mut time = ProcessorTime { busy: 0, all: 0 };
        for second in 0..2000 {
            time.all += 200;
            time.busy += (200.0 * share(second)) as u64;
            if let Some(settled) = settling.look(second as f64, Some(up_s + second as f64), Some(time)) {
                return (second, settled.busy_share);
            }
        }
        panic!("it is waited for without an end");
    }

    #[test]
    fn a_machine_that_just_started_is_waited_for_until_it_is_old_and_idle() {
        assert_eq!(settles(10.0, |_| 0.01), (290, Some(0.01)));
        // Up for long: a minute of idleness is seen all the same.
        assert_eq!(settles(5000.0, |_| 0.01), (60, Some(0.01)));
    }

    #[test]
    fn what_still_starts_is_waited_for() {
        let (second, share) = settles(10.0, |second| if second < 400 { 0.5 } else { 0.0 });
        assert!((450..=461).contains(&second) && share.unwrap() < IDLE_SHARE, "{second} {share:?}");
    }

    #[test]
    fn a_machine_that_never_settles_is_waited_for_three_times_as_long() {
        let (second, share) = settles(10.0, |_| 0.3);
        assert!(second == 900 && (share.unwrap() - 0.3).abs() < 1e-9, "{second} {share:?}");
    }

    #[test]
    fn where_nothing_is_to_be_waited_for_or_nothing_says_it_no_share_is_told() {
        assert_eq!(Settling::new(0).look(0.0, Some(1.0), None), Some(SettleOutcome { busy_share: None }));
        let mut unknown = Settling::new(SETTLE_NS);
        assert_eq!(unknown.look(0.0, None, None), None);
        assert_eq!(unknown.look(61.0, None, None), Some(SettleOutcome { busy_share: None }));
    }
}
