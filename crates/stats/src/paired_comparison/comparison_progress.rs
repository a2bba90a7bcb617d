//! A comparison in progress: which pair to run next, and what the pairs so far say.

use fathom_record::comparison::{Decision, MetricComparison, MetricSense, Side, UndecidedReason};

use super::judge::judge;
use super::looks::level;
use super::{LogRatios, Rules, RulesError, RulesErrorKind, exchange_p_value, first_side, pairs_for};

/// Runs of a side that may fail before the comparison is given up.
const MAX_FAILURES: u32 = 3;
/// Primary metrics at most.
const MAX_PRIMARY: usize = 3;

/// One metric that is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Short name, as `operations_per_s`.
    pub name: String,
    /// Unit of its values.
    pub unit: String,
    /// Which way it is good.
    pub better: MetricSense,
    /// Whether it decides; one to three do.
    pub primary: bool,
    /// Relative error that all its values may share, as half a histogram bucket for a quantile; 0 where
    /// there is none.
    pub resolution: f64,
}

/// The values of one pair, one a metric and side; absent where a run could not resolve it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The side that ran first.
    pub first: Side,
    /// Side A, by metric.
    pub a: Vec<Option<f64>>,
    /// Side B, by metric.
    pub b: Vec<Option<f64>>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CampaignStep {
    /// Run both sides, the named one first.
    Pair {
        /// Number of the pair, from 0.
        number: u32,
        /// The side that runs first.
        first: Side,
    },
    /// Nothing more.
    Finished(ComparisonEnd),
}

/// Why a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonEnd {
    /// Every primary metric has its verdict.
    Decided,
    /// The pairs are used up.
    PairsSpent,
    /// Runs of a side kept failing.
    SideFailed(Side),
}

/// How far a comparison is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Pairs so far.
    pub pairs: u32,
    /// Pairs at which the data are looked at next; the same as `pairs` once it is over.
    pub next_look: u32,
    /// Looks so far.
    pub looks: u32,
    /// Confidence of the intervals at this point.
    pub confidence: f64,
}

/// A comparison by pairs.
#[derive(Clone, Debug)]
pub struct Comparison {
    metrics: Vec<Metric>,
    rules: Rules,
    seed: u64,
    pairs: Vec<Pair>,
    excluded: Vec<Option<UndecidedReason>>,
    failures: [u32; 2],
    state: State,
}

/// Where the pairs so far lead.
#[derive(Clone, Copy, Debug)]
struct State {
    finished: Option<ComparisonEnd>,
    next_look: u32,
    looks: u32,
    level: f64,
    /// Pairs that the results are from.
    counted: usize,
}

impl State {
    /// Before the first pair.
    fn before(rules: &Rules) -> Self {
        let level = level(rules, 0, rules.pilot == rules.max_pairs);
        Self { finished: None, next_look: rules.pilot, looks: 0, level, counted: 0 }
    }
}

impl Comparison {
    /// A comparison of these metrics. The seed sets the order of the sides within pairs.
    ///
    /// # Errors
    /// Rules that make no sense, or not one to three primary metrics.
    pub fn new(metrics: Vec<Metric>, rules: Rules, seed: u64) -> Result<Self, RulesError> {
        rules.validate()?;
        if !(1..=MAX_PRIMARY).contains(&metrics.iter().filter(|m| m.primary).count()) {
            let cause = "name one to three primary ones; every other one says less";
            return Err(RulesError::new(RulesErrorKind::PrimaryMetrics, "metrics", cause));
        }
        let excluded = vec![None; metrics.len()];
        let state = State::before(&rules);
        Ok(Self { metrics, rules, seed, pairs: Vec::new(), excluded, failures: [0; 2], state })
    }

    /// Takes in a pair.
    pub fn observe(&mut self, pair: Pair) {
        self.pairs.push(pair);
        self.advance(self.pairs.len());
    }

    /// Takes in that a side's run failed; its pair is to be run again.
    pub fn failed(&mut self, side: Side) {
        self.failures[side as usize] += 1;
        self.replay();
    }

    /// Marks a metric, by its place, as not comparable; the first reason stands.
    pub fn exclude(&mut self, metric: usize, reason: UndecidedReason) {
        if let Some(slot) = self.excluded.get_mut(metric) {
            slot.get_or_insert(reason);
        }
        self.replay();
    }

    /// What to do next.
    pub fn next(&self) -> CampaignStep {
        match self.state.finished {
            Some(finished) => CampaignStep::Finished(finished),
            None => {
                let number = self.pairs.len() as u32;
                CampaignStep::Pair { number, first: first_side(self.seed, number) }
            }
        }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let state = self.state;
        Progress {
            pairs: self.pairs.len() as u32,
            next_look: state.next_look,
            looks: state.looks,
            confidence: 1.0 - state.level,
        }
    }

    /// What the pairs say, by metric: of the look that ended it, or as if the next one were now.
    pub fn results(&self) -> Vec<MetricComparison> {
        let state = self.state;
        let mut results = self.judged(state.counted, state.level);
        for (at, result) in results.iter_mut().enumerate() {
            let ratios = self.log_ratios_of(at, state.counted).ok();
            result.exchange_p_value = ratios.and_then(|r| exchange_p_value(r.values(), self.seed));
        }
        if let Some(ComparisonEnd::SideFailed(side)) = state.finished {
            for result in &mut results {
                result.decision = Decision::NotComparable;
                result.reason =
                    Some(UndecidedReason::SideFailed { side, runs: self.failures[side as usize] });
                result.ratio = None;
            }
        }
        results
    }

    /// The pairs so far.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The metrics.
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Logarithms of the ratios of a metric, by its place, over the first pairs; or why there are none.
    fn log_ratios_of(&self, metric: usize, pairs: usize) -> Result<LogRatios, UndecidedReason> {
        if let Some(Some(reason)) = self.excluded.get(metric) {
            return Err(reason.clone());
        }
        let value = |values: &[Option<f64>]| values.get(metric).copied().flatten();
        let both: Vec<(f64, f64)> =
            self.pairs[..pairs].iter().filter_map(|p| value(&p.a).zip(value(&p.b))).collect();
        let resolution = self.metrics.get(metric).map_or(0.0, |m| m.resolution);
        LogRatios::of(&both, resolution, self.rules.pilot as usize)
    }

    fn judged(&self, pairs: usize, level: f64) -> Vec<MetricComparison> {
        let ratios = (0..self.metrics.len()).map(|m| self.log_ratios_of(m, pairs)).collect();
        judge(&self.metrics, ratios, &self.rules, level)
    }

    /// Goes through all pairs again, as they came.
    fn replay(&mut self) {
        self.state = State::before(&self.rules);
        let gave_up = [Side::A, Side::B].into_iter().find(|s| self.failures[*s as usize] >= MAX_FAILURES);
        self.state.finished = gave_up.map(ComparisonEnd::SideFailed);
        (1..=self.pairs.len()).for_each(|pairs| self.advance(pairs));
    }

    /// Takes one pair more into account, and looks at the data if it is time.
    fn advance(&mut self, pairs: usize) {
        let (rules, mut state) = (self.rules, self.state);
        if state.finished.is_some() {
            return;
        }
        state.counted = pairs;
        let pairs = pairs as u32;
        if pairs >= state.next_look {
            let is_last = pairs >= rules.max_pairs;
            state.level = level(&rules, state.looks, is_last);
            // The scatter is looked at again, not the difference; see `looks` for what that costs.
            let again = if is_last || state.looks == 0 { pairs } else { self.planned(pairs, state.looks) };
            if again > pairs {
                state.next_look = again;
                state.level = level(&rules, state.looks, again >= rules.max_pairs);
            } else {
                self.look(pairs, is_last, &mut state);
            }
        }
        self.state = state;
    }

    /// Judges the metrics and ends the comparison or sets the next look.
    fn look(&self, pairs: u32, is_last: bool, state: &mut State) {
        let rules = &self.rules;
        let results = self.judged(pairs as usize, state.level);
        state.looks += 1;
        let open: Vec<&MetricComparison> =
            results.iter().filter(|r| r.primary && r.decision == Decision::Inconclusive).collect();
        if open.is_empty() || is_last {
            state.finished =
                Some(if open.is_empty() { ComparisonEnd::Decided } else { ComparisonEnd::PairsSpent });
            state.next_look = pairs;
            return;
        }
        let least = pairs + (pairs / 4).max(1);
        let missing = |r: &MetricComparison| pairs + r.pairs_still_needed.unwrap_or(rules.max_pairs);
        let wanted = if state.looks == 1 {
            self.planned(pairs, state.looks)
        } else {
            open.into_iter().map(missing).max().unwrap_or(least)
        };
        state.next_look = wanted.max(least).min(rules.max_pairs);
        state.level = level(rules, state.looks, state.next_look >= rules.max_pairs);
    }

    /// Pairs that the wanted difference needs, by the scatter of the primary metrics, at most all.
    fn planned(&self, pairs: u32, looks: u32) -> u32 {
        let rules = &self.rules;
        if looks > 1 {
            return pairs;
        }
        let primary: Vec<usize> = (0..self.metrics.len()).filter(|m| self.metrics[*m].primary).collect();
        let alpha = level(rules, 1, false) / primary.len() as f64;
        let needed = |metric: &usize| {
            let ratios = self.log_ratios_of(*metric, pairs as usize).ok()?;
            let deviation = ratios.deviation();
            Some(pairs_for(rules.ln_detect(), deviation, alpha, rules.power).unwrap_or(u32::MAX))
        };
        primary.iter().filter_map(needed).max().unwrap_or(rules.max_pairs).min(rules.max_pairs)
    }
}
