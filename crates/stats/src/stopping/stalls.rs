//! What stalls of the target add to the interval of a mean.
//!
//! Windows that all lie between two stalls agree with each other, and so do windows that all meet one: their spread
//! says nothing of how many stalls they could have met. So every second on the target is looked at, whatever it was
//! spent on: warm-ups, the search, windows of other points. Where stalls took another share of that time than of
//! these windows, the difference is a part of the error. Where the windows met few, how many is chance: of `n` the
//! share is known to about `1.96 / sqrt(n)` of itself.

use fathom_record::precision::StallSummary;

/// A second with less than this share of the run's usual rate is one in which the target stands still.
const STILL: f64 = 0.05;
/// The run's usual rate: that of its faster seconds, so that a run that mostly stands still has one too.
const USUAL_QUANTILE: f64 = 0.9;
/// Slower targets complete nothing in a second now and then, in I/Os a second.
const SLOWEST_PER_S: f64 = 5.0;
/// From so many stalls on windows show by themselves how they vary.
const ENOUGH: u32 = 5;
/// Of the normal distribution, for 95 %.
const Z: f64 = 1.96;

/// A second of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Second {
    /// I/Os completed in it.
    pub rate_per_s: f64,
    /// Whether it belongs to the measured window.
    pub measured: bool,
}

/// The stalls that one run saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunStalls {
    seconds: f64,
    lost_s: f64,
    measured_s: f64,
    measured_lost_s: f64,
    /// Each stall, by whether the measured window met it.
    stalls: Vec<bool>,
    begins_still: bool,
    ends_still: bool,
}

impl RunStalls {
    /// Of a run's seconds in their order, and the time in which its last I/Os were waited for.
    pub fn of(seconds: &[Second], drain_s: f64) -> Self {
        let usual = usual(seconds);
        let slow = usual > 0.0 && usual < SLOWEST_PER_S;
        let lost = |at: usize| {
            let rate = seconds[at].rate_per_s;
            if usual > 0.0 { (1.0 - rate / usual).clamp(0.0, 1.0) } else { 1.0 }
        };
        let is_still = |at: usize| !slow && lost(at) > 1.0 - STILL;
        let mut found = Self::default();
        for (at, second) in seconds.iter().enumerate() {
            // A stall begins and ends within seconds of which a part is lost.
            let beside = (at > 0 && is_still(at - 1)) || (at + 1 < seconds.len() && is_still(at + 1));
            let lost_s = if is_still(at) || beside { lost(at) } else { 0.0 };
            found.seconds += 1.0;
            found.lost_s += lost_s;
            if second.measured {
                found.measured_s += 1.0;
                found.measured_lost_s += lost_s;
            }
            if !is_still(at) {
                continue;
            }
            if at == 0 || !is_still(at - 1) {
                found.stalls.push(false);
            }
            if let Some(met) = found.stalls.last_mut() {
                *met |= second.measured;
            }
        }
        found.begins_still = !seconds.is_empty() && is_still(0);
        found.ends_still = !seconds.is_empty() && is_still(seconds.len() - 1);
        // What is waited for at the end of a stall is a part of it.
        if found.ends_still && drain_s.is_finite() {
            found.seconds += drain_s.max(0.0);
            found.lost_s += drain_s.max(0.0);
        }
        found
    }
}

/// The rate of the faster seconds.
fn usual(seconds: &[Second]) -> f64 {
    let mut rates: Vec<f64> = seconds.iter().map(|second| second.rate_per_s).collect();
    rates.sort_by(f64::total_cmp);
    let at = (rates.len() as f64 * USUAL_QUANTILE) as usize;
    rates.get(at.min(rates.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// The stalls of all runs on a target in their order, each with the point that it was a window of, against those that
/// the windows of one point met. `None` where no run saw any.
pub fn seen(runs: &[(Option<usize>, RunStalls)], point: usize) -> Option<StallSummary> {
    let own = |of: fn(&RunStalls) -> f64| {
        runs.iter().filter(|(who, _)| *who == Some(point)).map(|(_, run)| of(run)).sum::<f64>()
    };
    let all = |of: fn(&RunStalls) -> f64| runs.iter().map(|(_, run)| of(run)).sum::<f64>();
    let (mut in_all, mut met, mut last_met, mut still) = (0u32, 0u32, 0u32, false);
    for (who, run) in runs {
        for (at, measured) in run.stalls.iter().enumerate() {
            // One that outlasts a run goes on in the next.
            in_all += u32::from(!(at == 0 && run.begins_still && still));
            if *who == Some(point) && *measured && last_met != in_all {
                (met, last_met) = (met + 1, in_all);
            }
        }
        still = run.ends_still;
    }
    if in_all == 0 {
        return None;
    }
    let share = own(|run| run.measured_lost_s) / own(|run| run.measured_s).max(1.0);
    let share_in_all = all(|run| run.lost_s) / all(|run| run.seconds).max(1.0);
    let moving = (1.0 - share).max(STILL);
    let apart = (share - share_in_all).abs() / moving;
    let by_chance =
        if met < ENOUGH { Z * share.max(share_in_all) / f64::from(met.max(1)).sqrt() / moving } else { 0.0 };
    Some(StallSummary { met, share, in_all, share_in_all, half_width_share: apart.max(by_chance) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Warm-up of 5 s and a window of 60 s, without I/O in these seconds.
    fn run(still: std::ops::Range<usize>) -> RunStalls {
        let second = |at: usize| Second {
            rate_per_s: if still.contains(&at) { 0.0 } else { 1000.0 + (at % 3) as f64 },
            measured: at >= 5,
        };
        RunStalls::of(&(0..65).map(second).collect::<Vec<_>>(), 0.0)
    }

    #[test]
    fn healthy_runs_have_none_and_slow_targets_are_not_judged() {
        let healthy = vec![(Some(0), run(0..0)); 8];
        assert_eq!(seen(&healthy, 0), None);
        let slow: Vec<Second> =
            (0..60).map(|at| Second { rate_per_s: f64::from(at % 2), measured: true }).collect();
        assert_eq!(seen(&[(Some(0), RunStalls::of(&slow, 0.0))], 0), None);
        assert_eq!(seen(&[(Some(0), RunStalls::of(&[], 0.0))], 0), None);
    }

    #[test]
    fn windows_that_missed_the_stalls_of_others_are_not_sure() {
        let both = [(Some(0), run(0..0)), (Some(1), run(10..40))];
        let mut runs: Vec<_> = both.iter().cycle().take(16).cloned().collect();
        let found = seen(&runs, 0).unwrap();
        assert_eq!((found.met, found.in_all, found.share), (0, 8, 0.0));
        assert!(found.half_width_share > 0.2, "{found:?}");
        // Nor are those that met all of them: half of the time there were none.
        assert!(seen(&runs, 1).unwrap().half_width_share > 0.4);
        // In step with the windows' own warm-ups.
        runs = vec![(Some(0), run(0..5)); 8];
        let found = seen(&runs, 0).unwrap();
        assert_eq!((found.met, found.in_all), (0, 8));
        assert!((0.07..0.2).contains(&found.half_width_share), "{found:?}");
    }

    #[test]
    fn few_stalls_are_a_chance_and_many_alike_are_not() {
        let mut runs = vec![(Some(0), run(0..0)); 8];
        runs[3].1 = run(20..50);
        let found = seen(&runs, 0).unwrap();
        assert_eq!((found.met, found.in_all), (1, 1));
        assert!(found.half_width_share > 0.1, "{found:?}");
        let found = seen(&vec![(Some(0), run(20..23)); 8], 0).unwrap();
        assert_eq!((found.met, found.in_all), (8, 8));
        assert!(found.half_width_share < 0.01, "{found:?}");
    }

    #[test]
    fn a_stall_over_several_runs_is_one_and_waiting_for_its_end_counts() {
        let seconds = |still: std::ops::Range<usize>| -> Vec<Second> {
            let rate = |at| if still.contains(&at) { 0.0 } else { 500.0 };
            (0..60).map(|at| Second { rate_per_s: rate(at), measured: true }).collect()
        };
        let first = RunStalls::of(&seconds(30..60), 30.0);
        let second = RunStalls::of(&seconds(0..30), 0.5);
        let found = seen(&[(Some(0), first.clone()), (Some(0), second)], 0).unwrap();
        assert_eq!((found.met, found.in_all, found.share), (1, 1, 0.5));
        assert!((found.share_in_all - 90.0 / 150.0).abs() < 1e-9, "{found:?}");
        let apart = seen(&[(Some(0), first.clone()), (None, run(0..0)), (Some(0), first)], 0).unwrap();
        assert_eq!((apart.met, apart.in_all), (2, 2));
    }

    #[test]
    fn a_run_that_stood_still_all_the_time_is_a_stall() {
        let nothing = vec![Second { rate_per_s: 0.0, measured: true }; 60];
        let found = seen(&[(Some(0), RunStalls::of(&nothing, 0.0)), (Some(0), run(0..0))], 0).unwrap();
        assert_eq!((found.met, found.in_all), (1, 1));
        assert!((found.share - 0.5).abs() < 1e-9, "{found:?}");
    }
}
