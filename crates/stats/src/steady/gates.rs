//! The four gates on one series, and the verdict that they give together.

use fathom_record::steadiness::{
    DriftGate, GuardGate, LevelGate, Period, Steadiness, SteadyVerdict, TransientGate,
};

use super::drift::{BATCHES, Line};
use super::{SHORTEST_WINDOW_S, SteadyRule, period, transient};
use crate::student::mean;

/// Longest horizon that is stated, in seconds: burst budgets of clouds come back once a day.
const LONGEST_HORIZON_S: f64 = 86_400.0;

/// A series with everything that the gates found.
pub(super) struct GatedSeries<'a> {
    rates: &'a [f64],
    start: usize,
    guard: GuardGate,
    transient: TransientGate,
    period: Option<Period>,
    line: Option<Line>,
    drift: Option<DriftGate>,
    level: Option<LevelGate>,
    tolerance_share: f64,
}

impl<'a> GatedSeries<'a> {
    pub(super) fn of(rates: &'a [f64], guard: GuardGate, rule: &SteadyRule) -> Self {
        let cut = transient::mser5(rates);
        let transient = TransientGate { passed: !cut.at_limit, transient_s: cut.seconds as f64 };
        let guard = seen_after(guard, rates.len());
        let start = behind_guard(rates, cut.seconds, guard, rule.tolerance_share);
        let window = &rates[start..];
        let period = period::dominant(window);
        let line = batches(window, period).and_then(|(count, batch_s)| Line::fit(window, count, batch_s));
        let drift = line.as_ref().map(|line| drift_gate(line, rule));
        let level = line.as_ref().map(|line| level_gate(line, rule));
        let tolerance_share = rule.tolerance_share;
        Self { rates, start, guard, transient, period, line, drift, level, tolerance_share }
    }

    /// Puts verdict, gates and numbers into the result.
    pub(super) fn write(&self, result: &mut Steadiness) {
        result.verdict = self.verdict();
        result.gates.guard = self.guard;
        result.gates.transient = Some(self.transient);
        (result.gates.drift, result.gates.level) = (self.drift, self.level);
        result.period = self.period;
        result.discarded_s = self.start as f64;
        let window = &self.rates[self.start..];
        result.window_s = window.len() as f64;
        result.mean = mean(window);
        if let Some(line) = &self.line {
            result.horizon_s = Some(line.horizon_s(self.tolerance_share).min(LONGEST_HORIZON_S));
            if self.period.is_some() {
                // Only whole periods, or the mean depends on where the window begins.
                let whole = line.batches.len() * line.batch_s;
                (result.window_s, result.discarded_s) = (whole as f64, (self.rates.len() - whole) as f64);
                result.mean = Some(line.mean);
            }
        }
    }

    fn verdict(&self) -> SteadyVerdict {
        if !self.transient.passed {
            return self.unsettled(self.rates).unwrap_or(SteadyVerdict::NotEnoughData);
        }
        let (Some(drift), Some(level)) = (self.drift, self.level) else {
            return SteadyVerdict::NotEnoughData;
        };
        let window = &self.rates[self.start..];
        if !drift.passed || !level.passed {
            return match (drift_shown(&drift), step_shown(&level)) {
                (true, _) => self.unsettled(window).unwrap_or(SteadyVerdict::Drifting),
                (false, true) => SteadyVerdict::Transient,
                (false, false) => SteadyVerdict::NotEnoughData,
            };
        }
        match (self.guard.passed, self.period) {
            (false, _) => SteadyVerdict::RegimeConditional,
            (true, Some(_)) => SteadyVerdict::Periodic,
            (true, None) => SteadyVerdict::Steady,
        }
    }

    /// Whether a stretch goes one way all the time (drifting), or levels off or steps (transient); `None`
    /// when it does none of these clearly.
    fn unsettled(&self, stretch: &[f64]) -> Option<SteadyVerdict> {
        let line = Line::fit(stretch, BATCHES, stretch.len() / BATCHES)?;
        let rule = SteadyRule { tolerance_share: self.tolerance_share / 2.0, horizon_s: 0.0 };
        if !drift_shown(&drift_gate(&line, &rule)) {
            return step_shown(&level_gate(&line, &rule)).then_some(SteadyVerdict::Transient);
        }
        let (first, second) = line.batches.split_at(BATCHES / 2);
        let slope = |half: &[f64]| Line::fit(half, half.len(), 1).map(|line| line.slope);
        let (before, after) = (slope(first)?, slope(second)?);
        let levels_off = after / before < 0.5 || before.abs() < line.slope.abs() / 2.0;
        Some(if levels_off { SteadyVerdict::Transient } else { SteadyVerdict::Drifting })
    }
}

/// Whether a drift is there beyond doubt and too large. To refuse, an upper end beyond the tolerance is
/// enough; to say "it drifts" takes twice the uncertainty, or noise would often be called a drift.
fn drift_shown(drift: &DriftGate) -> bool {
    drift.drift_share.abs() > (2.0 * drift.uncertainty_share).max(drift.tolerance_share)
}

/// Whether thirds differ by more than noise and tolerance: of three means of equal level the range stays
/// within 3.3 of their standard errors in 95 of 100, which is 2.9 times the error of the whole.
fn step_shown(level: &LevelGate) -> bool {
    level.range_share > level.tolerance_share + 3.0 * level.error_share
}

/// The guard with the time that the lasting state must have been seen for after it.
fn seen_after(guard: GuardGate, length: usize) -> GuardGate {
    let shown = guard
        .from_s
        .is_some_and(|from_s| from_s <= 0.0 || from_s + SHORTEST_WINDOW_S as f64 <= length as f64);
    GuardGate { passed: guard.passed && shown, ..guard }
}

/// First second of the window. It may reach back to before the guard's end only if the rate did not
/// change there: what was used up then made no difference.
fn behind_guard(rates: &[f64], cut: usize, guard: GuardGate, tolerance_share: f64) -> usize {
    let Some(from) = guard.from_s.filter(|_| guard.passed).map(|from_s| from_s.ceil() as usize) else {
        return cut;
    };
    if from <= cut || from >= rates.len() {
        return cut;
    }
    let changed = match (mean(&rates[cut..from]), mean(&rates[from..])) {
        (Some(before), Some(after)) => (before - after).abs() > tolerance_share * after,
        _ => true,
    };
    if changed { from } else { cut }
}

/// Number and length of the batches; whole periods where there is one. `None` when the window is too short.
fn batches(window: &[f64], period: Option<Period>) -> Option<(usize, usize)> {
    if window.len() < SHORTEST_WINDOW_S {
        return None;
    }
    let Some(period) = period else {
        return Some((BATCHES, window.len() / BATCHES));
    };
    let length = (period.seconds as usize).max(1);
    let batch_s = length * (window.len() / BATCHES).div_ceil(length).max(1);
    let count = window.len() / batch_s;
    (count >= period::WHOLE_PERIODS).then_some((count, batch_s))
}

fn drift_gate(line: &Line, rule: &SteadyRule) -> DriftGate {
    let claim_s = line.window_s().max(rule.horizon_s);
    let (drift, uncertainty) = line.drift_per_batch();
    let times = claim_s / line.batch_s as f64;
    let (drift_share, uncertainty_share) = (drift * times, uncertainty * times);
    DriftGate {
        passed: drift_share.abs() + uncertainty_share <= rule.tolerance_share,
        batches: line.batches.len() as u32,
        batch_s: line.batch_s as f64,
        claim_s,
        drift_share,
        uncertainty_share,
        tolerance_share: rule.tolerance_share,
    }
}

fn level_gate(line: &Line, rule: &SteadyRule) -> LevelGate {
    let (range_share, error_share) = (line.thirds_range(), line.error_share());
    LevelGate {
        passed: range_share <= rule.tolerance_share && error_share <= rule.tolerance_share / 2.0,
        range_share,
        error_share,
        tolerance_share: rule.tolerance_share,
    }
}
