//! One workload under comparison: its pairs so far, and what they come to.

use fathom_record::RunRecord;
use fathom_record::campaign::{
    ComparedMetric, ComparedPair, ComparedWorkload, ComparisonEnding, ControlResult,
};
use fathom_record::comparison::{Decision, MetricComparison, Side, UndecidedReason};
use fathom_stats::paired_comparison::{
    CampaignStep, Comparison, ComparisonEnd, Conditions, Control, Pair, QuantilePair, Rules, SHIFT_QUANTILES,
    latencies_comparable, order_effect, pairs_of_one_side, shift_function,
};
use fathom_stats::student;

use super::comparison_metrics::{BUCKET, MetricFigures, RunValues};
use crate::cells::result_of;

/// A workload and its runs.
pub struct WorkloadRuns {
    name: String,
    title: String,
    figures: MetricFigures,
    comparison: Comparison,
    seed: u64,
    /// Runs of complete pairs, in the order of the pairs.
    a: Vec<(RunRecord, RunValues)>,
    b: Vec<(RunRecord, RunValues)>,
    first: Vec<Side>,
    /// Runs that belong to no pair: they failed, or the other side did.
    lone: Vec<RunRecord>,
}

impl WorkloadRuns {
    /// Without pairs yet. `rules` have been seen to make sense.
    pub fn new((name, title): (&str, &str), figures: MetricFigures, rules: Rules, seed: u64) -> Self {
        let comparison = Comparison::new(figures.metrics(), rules, seed)
            .expect("a plan's rules make sense, and there is one primary metric");
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            figures,
            comparison,
            seed,
            a: Vec::new(),
            b: Vec::new(),
            first: Vec::new(),
            lone: Vec::new(),
        }
    }

    /// Title in words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether another pair is wanted.
    pub fn is_open(&self) -> bool {
        matches!(self.comparison.next(), CampaignStep::Pair { .. })
    }

    /// Pairs so far, and at which number the data are looked at next.
    pub fn pairs(&self) -> (u32, u32) {
        let progress = self.comparison.progress();
        (progress.pairs, progress.next_look)
    }

    /// Takes in a pair.
    pub fn take(&mut self, first: Side, a: RunRecord, b: RunRecord) {
        let (a_values, b_values) = (self.figures.values(&a), self.figures.values(&b));
        let (a, b) = (without_series(a), without_series(b));
        self.comparison.observe(Pair { first, a: a_values.metrics.clone(), b: b_values.metrics.clone() });
        self.first.push(first);
        self.a.push((a, a_values));
        self.b.push((b, b_values));
    }

    /// Takes in that a side failed; what ran belongs to no pair.
    pub fn failed(&mut self, side: Side, runs: impl IntoIterator<Item = RunRecord>) {
        self.lone.extend(runs.into_iter().map(without_series));
        self.comparison.failed(side);
    }

    /// Every run.
    pub fn runs(&self) -> impl Iterator<Item = &RunRecord> {
        self.a.iter().chain(&self.b).map(|(run, _)| run).chain(&self.lone)
    }

    /// Runs of a side that are in pairs.
    pub fn runs_of(&self, side: Side) -> impl Iterator<Item = &RunRecord> {
        match side {
            Side::A => self.a.iter(),
            Side::B => self.b.iter(),
        }
        .map(|(run, _)| run)
    }

    /// All runs, for reports.
    pub fn into_runs(self) -> impl Iterator<Item = RunRecord> {
        self.a.into_iter().chain(self.b).map(|(run, _)| run).chain(self.lone)
    }

    /// What the pairs say; `None` before the first run.
    pub fn concluded(&self) -> Option<ComparedWorkload> {
        let workload = self.runs_of(Side::A).next().or_else(|| self.runs().next())?.workload.clone();
        let latencies = self.latencies();
        let mut comparison = self.comparison.clone();
        if let Some(reason) = &latencies {
            let places = 0..comparison.metrics().len();
            places
                .filter(|at| self.figures.is_latency(*at))
                .for_each(|at| comparison.exclude(at, reason.clone()));
        }
        let (control, order) = self.controls();
        let mut results = comparison.results();
        if let (Some(primary), Some(control)) = (results.first_mut(), &control) {
            hold_against(primary, control);
        }
        for (at, result) in results.iter_mut().enumerate() {
            if let Some(UndecidedReason::TooFewPairs { run_s, .. }) = &mut result.reason {
                *run_s = self.figures.run_s_for(at, self.a.iter().chain(&self.b).map(|(run, _)| run));
            }
        }
        Some(ComparedWorkload {
            name: self.name.clone(),
            title: self.title.clone(),
            workload,
            a: result_of(&self.runs_of(Side::A).cloned().collect::<Vec<_>>()),
            b: result_of(&self.runs_of(Side::B).cloned().collect::<Vec<_>>()),
            metrics: self.metrics(results),
            pairs: self.compared_pairs(),
            shift: if latencies.is_none() { self.shift() } else { None },
            latencies,
            control,
            order,
            ended: match self.comparison.next() {
                CampaignStep::Pair { .. } => None,
                CampaignStep::Finished(ComparisonEnd::Decided) => Some(ComparisonEnding::Decided),
                CampaignStep::Finished(ComparisonEnd::PairsSpent) => Some(ComparisonEnding::PairsSpent),
                CampaignStep::Finished(ComparisonEnd::SideFailed(_)) => Some(ComparisonEnding::SideFailed),
            },
        })
    }

    /// Why latencies are not compared.
    fn latencies(&self) -> Option<UndecidedReason> {
        let conditions = |runs: &'_ [(RunRecord, RunValues)]| {
            let in_flight: Vec<f64> = runs.iter().filter_map(|(run, _)| run.summary.in_flight()).collect();
            student::mean(&in_flight)
        };
        let (a, b) = (conditions(&self.a)?, conditions(&self.b)?);
        let conditions = |run: &'_ RunRecord, in_flight| (run.workload.clone(), in_flight);
        let (a, b) = (conditions(&self.a[0].0, a), conditions(&self.b[0].0, b));
        latencies_comparable(
            Conditions { workload: &a.0, in_flight: a.1 },
            Conditions { workload: &b.0, in_flight: b.1 },
        )
        .err()
    }

    fn metrics(&self, results: Vec<MetricComparison>) -> Vec<ComparedMetric> {
        let mean = |runs: &[(RunRecord, RunValues)], at: usize| {
            geometric_mean(runs.iter().filter_map(|(_, values)| values.metrics[at]))
        };
        results
            .into_iter()
            .enumerate()
            .map(|(at, comparison)| {
                (at, ComparedMetric { comparison, a: mean(&self.a, at), b: mean(&self.b, at) })
            })
            .filter(|(at, metric)| !self.figures.is_optional(*at) || metric.a.is_some() || metric.b.is_some())
            .map(|(_, metric)| metric)
            .collect()
    }

    fn primary_of(values: &RunValues) -> Option<f64> {
        values.metrics.first().copied().flatten().filter(|value| *value > 0.0)
    }

    fn compared_pairs(&self) -> Vec<ComparedPair> {
        self.first
            .iter()
            .zip(self.a.iter().zip(&self.b))
            .map(|(first, (a, b))| ComparedPair {
                first: *first,
                a_run: a.0.id.clone(),
                b_run: b.0.id.clone(),
                ratio: Self::primary_of(&a.1).zip(Self::primary_of(&b.1)).map(|(a, b)| b / a),
            })
            .collect()
    }

    fn shift(&self) -> Option<fathom_record::comparison::ShiftFunction> {
        let pairs: Vec<QuantilePair> = self
            .a
            .iter()
            .zip(&self.b)
            .map(|(a, b)| QuantilePair { a: a.1.quantiles.clone(), b: b.1.quantiles.clone() })
            .collect();
        let shift = shift_function(&SHIFT_QUANTILES, &pairs, BUCKET, self.seed).ok()?;
        (!shift.points.is_empty()).then_some(shift)
    }

    /// Each side against itself, and the second run of a pair against the first.
    fn controls(&self) -> (Option<ControlResult>, Option<ControlResult>) {
        let values = |runs: &[(RunRecord, RunValues)]| -> Option<Vec<f64>> {
            runs.iter().map(|(_, values)| Self::primary_of(values)).collect()
        };
        let Some((a, b)) = values(&self.a).zip(values(&self.b)) else { return (None, None) };
        let resolution = self.comparison.metrics().first().map_or(0.0, |metric| metric.resolution);
        let mut own = pairs_of_one_side(&a, self.seed);
        own.extend(pairs_of_one_side(&b, self.seed.rotate_left(32)));
        let ordered: Vec<(Side, f64, f64)> =
            self.first.iter().zip(a.iter().zip(&b)).map(|(first, (a, b))| (*first, *a, *b)).collect();
        let recorded = |control: Control| ControlResult {
            pairs: control.pairs,
            ratio: control.ratio,
            noise_floor: control.noise_floor,
        };
        (
            Control::of(&own, resolution).ok().map(recorded),
            order_effect(&ordered, resolution).ok().map(recorded),
        )
    }
}

/// What a comparison still needs of a run whose figures were taken: its seconds, and all telemetry but the
/// load of the processors, are in the store.
fn without_series(mut run: RunRecord) -> RunRecord {
    run.intervals = Vec::new();
    run.telemetry.series.retain(|series| series.metric == "cpu.busy");
    run
}

/// A difference that is no larger than what a side shows against itself is not the sides'.
fn hold_against(primary: &mut MetricComparison, control: &ControlResult) {
    let (Some(ratio), false) = (primary.ratio, control.ratio.contains_one()) else { return };
    let differs = matches!(primary.decision, Decision::Faster | Decision::Slower);
    if differs && ratio.ratio.ln().abs() <= control.ratio.ratio.ln().abs() {
        primary.decision = Decision::Inconclusive;
        primary.reason = Some(UndecidedReason::ControlFailed);
        primary.pairs_still_needed = None;
    }
}

/// `None` without a value, or with one that has no logarithm.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    student::mean(&logs).map(f64::exp).filter(|mean| mean.is_finite() && *mean > 0.0)
}

#[cfg(test)]
mod tests {
    use fathom_record::comparison::{MetricSense, Ratio};

    use super::*;

    #[test]
    fn a_difference_within_what_a_side_shows_against_itself_is_not_one() {
        let around = |ratio: f64| Ratio { ratio, low: ratio * 0.999, high: ratio * 1.001, confidence: 0.95 };
        let found = |ratio: f64| MetricComparison {
            metric: "operations_per_s".into(),
            unit: "1/s".into(),
            better: MetricSense::Higher,
            primary: true,
            pairs: 9,
            ratio: Some(around(ratio)),
            decision: Decision::Faster,
            reason: None,
            deviation: None,
            p_value: None,
            exchange_p_value: None,
            minimum_detectable: None,
            pairs_still_needed: None,
        };
        let control = ControlResult { pairs: 8, ratio: around(0.98), noise_floor: 0.001 };
        let mut small = found(1.015);
        hold_against(&mut small, &control);
        assert_eq!(
            (small.decision, small.reason),
            (Decision::Inconclusive, Some(UndecidedReason::ControlFailed))
        );
        let mut large = found(1.2);
        hold_against(&mut large, &control);
        assert_eq!(large.decision, Decision::Faster);
    }

    #[test]
    fn values_without_a_logarithm_have_no_mean() {
        assert_eq!(geometric_mean([0.0, 4.0].into_iter()), None);
        assert_eq!(geometric_mean(std::iter::empty()), None);
        assert!((geometric_mean([1.0, 4.0].into_iter()).unwrap() - 2.0).abs() < 1e-12);
    }
}
