//! When to stop: the mean of runs in separate passes, against the error that was asked for.
//!
//! Windows of a minute, eight at least, in separate passes with pauses between them. After each pass from
//! the eighth on the half-width of Student's t interval over runs is held against the target, and the runs
//! end when it fits or at the cap; then the error reached is the answer. Looking only at so many runs, and
//! not at seconds, is what keeps the promise: with checks every ten seconds and seconds taken as
//! independent, the "95 %" interval held the truth in 20 to 95 % of simulated series (`stopping` of
//! `cargo xtask statistics` measures what this rule reaches).
//!
//! Runs that went on past the first look end at a moment when their deviation is small by luck, so the
//! interval of that moment would be too narrow. What the theory of such stops gives is an interval of the
//! width that was waited for (Chow and Robbins 1965, fixed-width sequential intervals): the target itself
//! is then stated. Without that, targets that dip kept 89 % of the nominal 95 %.
//!
//! Kalibera and Jones 2013: repeat where the variance arises.

pub mod ess;
pub mod forecast;
pub mod median;
pub mod normality;
pub mod stalls;
pub mod within;

use fathom_record::precision::{Precision, Spacing, StallSummary, StopDecision};

use crate::student::{MeanInterval, mean_interval};

/// Below this probability runs are called clearly not normal.
pub const NOT_NORMAL: f64 = 0.01;
/// Fewest runs whose distribution is judged.
const JUDGED_RUNS: usize = 9;
/// Shortest pause between passes, in seconds.
pub const LEAST_GAP_S: f64 = 300.0;

/// The error asked for and the limits of the effort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Half-width of the 95 % interval as a share of the mean.
    pub target_share: f64,
    /// Fewest runs: with less, a variance that is small by luck ends the measurement.
    pub fewest_runs: usize,
    /// Most runs.
    pub most_runs: usize,
    /// Length of each window, for the forecast, in seconds.
    pub window_s: f64,
    /// Longest correlation time seen within runs, in seconds; 0 if none was seen.
    pub correlation_s: f64,
}

impl StopRule {
    /// The default rule for a target: 8 to 20 windows of 60 s.
    pub fn for_target(target_share: f64) -> Self {
        Self { target_share, fewest_runs: 8, most_runs: 20, window_s: 60.0, correlation_s: 0.0 }
    }

    /// Least measured time in seconds, 3 / target: the rule of three bounds what an unseen stall can do.
    pub fn floor_s(&self) -> f64 {
        3.0 / self.target_share
    }

    /// Pause between passes in seconds: five minutes, or three correlation times if that is more.
    pub fn gap_s(&self) -> f64 {
        LEAST_GAP_S.max(3.0 * self.correlation_s)
    }
}

/// One run of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpacedRun {
    /// Start of the measured window, in seconds of any common clock.
    pub start_s: f64,
    /// Length of the measured window, in seconds.
    pub seconds: f64,
    /// Its mean rate or mean latency, in any unit.
    pub value: f64,
}

/// Judges the runs so far, in the order in which they were made.
pub fn assess(runs: &[SpacedRun], rule: &StopRule) -> Precision {
    assess_with(runs, rule, None)
}

/// The same for a target that was seen to stall: what stalls add to the error counts like the rest of it.
pub fn assess_with(runs: &[SpacedRun], rule: &StopRule, stalls: Option<StallSummary>) -> Precision {
    let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
    let measured_s: f64 = runs.iter().map(|run| run.seconds).sum();
    let mut precision = Precision {
        runs: runs.len() as u32,
        mean: None,
        deviation: None,
        half_width: None,
        half_width_share: None,
        target_share: rule.target_share,
        measured_s,
        floor_s: rule.floor_s(),
        decision: StopDecision::Continue,
        forecast: None,
        normality: None,
        median: None,
        spacing: Spacing { least_gap_s: least_gap_s(runs), required_gap_s: rule.gap_s() },
        stalls,
    };
    if let Some(reason) = unusable(runs, rule) {
        precision.decision = StopDecision::Unusable { reason };
        return precision;
    }
    precision.mean = crate::student::mean(&values);
    precision.normality = normality::shapiro_wilk(&values);
    if values.len() >= JUDGED_RUNS && precision.normality.is_some_and(|test| test.p < NOT_NORMAL) {
        precision.median = median::median_interval(&values);
    }
    let Some(interval) = mean_interval(&values) else {
        return precision;
    };
    let by_stalls = stalls.map_or(0.0, |stalls| stalls.half_width_share);
    let half_width = wider(&interval, by_stalls);
    precision.deviation = Some(interval.deviation);
    precision.half_width = Some(half_width);
    precision.half_width_share = MeanInterval { half_width, ..interval }.half_width_share();
    precision.decision = if fits(runs, rule, by_stalls) {
        if values.len() > rule.fewest_runs
            && !(rule.fewest_runs..values.len()).any(|end| fits(&runs[..end], rule, by_stalls))
        {
            precision.half_width = Some(rule.target_share * interval.mean);
            precision.half_width_share = Some(rule.target_share);
        }
        StopDecision::Reached
    } else if values.len() >= rule.most_runs {
        StopDecision::CapReached
    } else {
        precision.forecast = forecast::runs_to_come(&interval, measured_s, rule);
        StopDecision::Continue
    };
    precision
}

/// The half-width with what stalls add, a share of the mean.
fn wider(interval: &MeanInterval, by_stalls: f64) -> f64 {
    if by_stalls > 0.0 { interval.half_width.hypot(by_stalls * interval.mean) } else { interval.half_width }
}

/// Whether these runs reach the target: enough of them, long enough, and their interval within it.
fn fits(runs: &[SpacedRun], rule: &StopRule, by_stalls: f64) -> bool {
    let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
    let measured_s: f64 = runs.iter().map(|run| run.seconds).sum();
    let narrow = mean_interval(&values).is_some_and(|i| wider(&i, by_stalls) <= rule.target_share * i.mean);
    narrow && values.len() >= rule.fewest_runs && measured_s >= rule.floor_s()
}

/// Why these runs have no common mean, if they have none.
fn unusable(runs: &[SpacedRun], rule: &StopRule) -> Option<String> {
    if !(rule.target_share > 0.0 && rule.target_share < 1.0) {
        return Some(format!("an error of {} of the mean cannot be aimed at", rule.target_share));
    }
    for (index, run) in runs.iter().enumerate() {
        let number = index + 1;
        if !run.value.is_finite() || run.value < 0.0 {
            return Some(format!("run {number} has no value"));
        }
        if run.value == 0.0 {
            return Some(format!("run {number} did no I/O"));
        }
        if !(run.seconds.is_finite() && run.seconds > 0.0) {
            return Some(format!("run {number} has no length"));
        }
    }
    let longest = runs.iter().map(|run| run.seconds).fold(0.0, f64::max);
    let shortest = runs.iter().map(|run| run.seconds).fold(f64::INFINITY, f64::min);
    (longest > 1.5 * shortest).then(|| {
        format!("windows of {shortest:.0} s and {longest:.0} s do not weigh the same: compare like with like")
    })
}

/// Shortest pause between runs that follow each other.
fn least_gap_s(runs: &[SpacedRun]) -> Option<f64> {
    runs.windows(2).map(|pair| pair[1].start_s - pair[0].start_s - pair[0].seconds).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(values: &[f64]) -> Vec<SpacedRun> {
        let at = |(index, &value): (usize, &f64)| SpacedRun {
            start_s: 400.0 * index as f64,
            seconds: 60.0,
            value,
        };
        values.iter().enumerate().map(at).collect()
    }

    #[test]
    fn eight_even_runs_reach_the_target_and_seven_do_not() {
        let rule = StopRule::for_target(0.02);
        let values = [100.0, 101.0, 99.0, 100.5, 99.5, 100.0, 100.2, 99.8];
        let reached = assess(&runs(&values), &rule);
        assert_eq!(reached.decision, StopDecision::Reached);
        assert!(reached.half_width_share.unwrap() < 0.01 && reached.forecast.is_none());
        let before = assess(&runs(&values[..7]), &rule);
        assert_eq!(before.decision, StopDecision::Continue);
        assert_eq!(before.forecast.unwrap().likely, 1);
    }

    #[test]
    fn stalls_that_windows_may_have_missed_keep_the_target_from_being_reached() {
        let rule = StopRule::for_target(0.02);
        let stalls = |half_width_share| StallSummary {
            met: 0,
            share: 0.0,
            in_all: 3,
            share_in_all: 0.2,
            half_width_share,
        };
        let missed = assess_with(&runs(&[100.0; 8]), &rule, Some(stalls(0.25)));
        assert_eq!((missed.decision, missed.half_width_share), (StopDecision::Continue, Some(0.25)));
        let capped = assess_with(&runs(&[100.0; 20]), &rule, Some(stalls(0.25)));
        assert_eq!((capped.decision, capped.half_width), (StopDecision::CapReached, Some(25.0)));
        let little = assess_with(&runs(&[100.0; 8]), &rule, Some(stalls(0.001)));
        assert_eq!(little.decision, StopDecision::Reached);
    }

    #[test]
    fn a_stop_that_was_waited_for_states_the_width_that_was_waited_for() {
        let rule = StopRule::for_target(0.02);
        let mut values = vec![97.0, 103.0, 97.5, 102.5, 98.0, 102.0, 97.5, 102.5];
        assert_eq!(assess(&runs(&values), &rule).decision, StopDecision::Continue);
        values.push(100.0);
        let waited = assess(&runs(&values), &rule);
        assert_eq!((waited.decision, waited.half_width_share), (StopDecision::Reached, Some(0.02)));
        // One more than needed was no wait: its interval is its own.
        values.push(99.8);
        assert!(assess(&runs(&values), &rule).half_width_share.unwrap() < 0.02);
    }

    #[test]
    fn at_the_cap_the_error_reached_is_the_answer() {
        let values: Vec<f64> = (0..20).map(|i| 100.0 + 20.0 * f64::from(i % 3 - 1)).collect();
        let capped = assess(&runs(&values), &StopRule::for_target(0.02));
        assert_eq!(capped.decision, StopDecision::CapReached);
        assert!(capped.half_width_share.unwrap() > 0.02);
    }

    #[test]
    fn short_windows_do_not_get_round_the_floor() {
        let short: Vec<SpacedRun> =
            runs(&[100.0; 8]).into_iter().map(|run| SpacedRun { seconds: 5.0, ..run }).collect();
        let rule = StopRule { window_s: 5.0, ..StopRule::for_target(0.02) };
        let judged = assess(&short, &rule);
        assert_eq!(judged.decision, StopDecision::Continue);
        // 150 s are 30 windows of 5 s.
        assert_eq!(judged.forecast.unwrap().likely, 22);
    }

    #[test]
    fn runs_that_follow_at_once_are_not_called_spaced() {
        let rule = StopRule::for_target(0.02);
        assert!(assess(&runs(&[1.0, 1.0]), &rule).spacing.kept());
        let close: Vec<SpacedRun> = (0..8)
            .map(|index| SpacedRun { start_s: 61.0 * f64::from(index), seconds: 60.0, value: 1.0 })
            .collect();
        assert!(!assess(&close, &rule).spacing.kept());
        assert!(!assess(&runs(&[1.0, 1.0]), &StopRule { correlation_s: 200.0, ..rule }).spacing.kept());
    }

    #[test]
    fn runs_that_cannot_be_put_together_have_no_number() {
        let rule = StopRule::for_target(0.02);
        let mut odd = runs(&[1.0; 8]);
        odd[3].seconds = 600.0;
        for broken in [runs(&[1.0, f64::NAN]), runs(&[1.0, 0.0]), runs(&[1.0, -1.0]), odd] {
            let judged = assess(&broken, &rule);
            assert!(matches!(judged.decision, StopDecision::Unusable { .. }), "{judged:?}");
            assert_eq!(judged.mean, None);
        }
        assert_eq!(assess(&[], &rule).decision, StopDecision::Continue);
        assert_eq!(assess(&runs(&[5.0]), &rule).half_width, None);
        let senseless = assess(&runs(&[1.0; 8]), &StopRule::for_target(0.0));
        assert!(matches!(senseless.decision, StopDecision::Unusable { .. }));
    }

    #[test]
    fn clearly_uneven_runs_also_get_an_interval_of_the_median() {
        let mut values = vec![100.0, 100.4, 99.7, 100.1, 99.9, 100.2, 99.8, 100.3];
        assert_eq!(assess(&runs(&values), &StopRule::for_target(0.001)).median, None);
        values.push(20.0);
        let judged = assess(&runs(&values), &StopRule::for_target(0.02));
        assert!(judged.normality.unwrap().p < NOT_NORMAL);
        let median = judged.median.unwrap();
        assert!(median.low > 99.0 && median.high < 101.0);
    }
}
