//! Conditions under which a measurement fails, e.g. `read p99>2ms`: what is asked, and what was found.
//!
//! A condition names a quantity that records have, and a limit for it. What a record does not have is [`UnmeasuredReason`],
//! with its reason, and never a pass.

mod campaign_quantities;
mod figures;

pub use campaign_quantities::{of_assessment, of_comparison};
pub use figures::{ConditionFigure, UnmeasuredReason, of_run};

use fathom_measure::{ByteRate, Nanos, Rate};
use serde::{Deserialize, Serialize};

use crate::Direction;
use crate::campaign::OperatingPointKind;
use crate::comparison::Side;

/// When a measurement fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was typed.
    pub text: String,
    /// Which of a campaign's figures are meant.
    pub scope: ConditionScope,
    /// Only these I/Os; absent: a rate is of all, and a latency of each direction by itself.
    pub direction: Option<Direction>,
    /// What is held against the limit.
    pub quantity: JudgedQuantity,
    /// On which side of the limit it fails.
    pub relation: Relation,
    /// Where that begins.
    pub limit: ConditionLimit,
}

/// Which of a campaign's figures are meant; empty for single runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConditionScope {
    /// The pattern or workload; absent: each.
    pub pattern: Option<String>,
    /// The point to run at; absent: the peak for rates, the balanced point for latencies.
    pub point: Option<OperatingPointKind>,
    /// The side of a comparison; absent: B, which is judged.
    pub side: Option<Side>,
}

/// A quantity that a condition can be on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JudgedQuantity {
    /// I/Os that ended well, per second.
    Iops,
    /// Bytes that they transferred, per second.
    Throughput,
    /// A latency, in nanoseconds.
    Latency {
        /// From when on; absent: response where arrivals are open, service otherwise.
        kind: Option<LatencyKind>,
        /// Which number of the distribution.
        statistic: Statistic,
    },
    /// I/Os that ended in an error.
    Errors,
    /// Their share of all I/Os, 0 to 1.
    ErrorShare,
    /// That side B of a comparison was found to be slower; there is no limit to it.
    Slower,
}

/// From when on a latency is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencyKind {
    /// The submission.
    Service,
    /// The intended start.
    Response,
}

/// A number of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// A quantile of this order, 0 to 1.
    Quantile(f64),
    /// The mean.
    Mean,
    /// The largest.
    Max,
}

/// On which side of its limit a quantity fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

/// Where failing begins.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionLimit {
    /// At this value: operations per second, bytes per second, nanoseconds, a count or a share.
    Fixed(f64),
    /// At this share of what another measurement has.
    ShareOf {
        /// The share, e.g. 0.9.
        share: f64,
        /// A run or a campaign, by its name; `a` for side A of the same comparison.
        name: String,
    },
}

/// What became of a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConditionOutcome {
    /// As it was typed.
    pub condition: String,
    /// What followed.
    pub outcome: ConditionState,
    /// What was found, as a sentence.
    pub found: String,
    /// The figure that decided: operations or bytes per second, nanoseconds, a count, or a share from 0 to 1; absent
    /// where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The limit in the same unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// Whether a measurement fails by a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConditionState {
    /// It was not met: nothing fails.
    NotMet,
    /// It was met: the measurement fails.
    Met,
    /// The figure was not measured, which fails too.
    NotMeasured,
}

impl Relation {
    /// Whether it holds between a value and the limit.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
        }
    }

    /// Whether larger values fail.
    pub fn fails_upwards(self) -> bool {
        matches!(self, Self::Above | Self::AtLeast)
    }

    /// What goes before the limit in a sentence: what is allowed.
    fn word(self) -> &'static str {
        if self.fails_upwards() { "at most" } else { "at least" }
    }
}

impl JudgedQuantity {
    /// Its name in a sentence.
    pub fn name(self) -> String {
        match self {
            Self::Iops => "IOPS".to_owned(),
            Self::Throughput => "throughput".to_owned(),
            Self::Errors => "errors".to_owned(),
            Self::ErrorShare => "share of errors".to_owned(),
            Self::Slower => "slower".to_owned(),
            Self::Latency { kind, statistic } => {
                let kind = match kind {
                    Some(LatencyKind::Service) => "service ",
                    Some(LatencyKind::Response) => "response ",
                    None => "",
                };
                format!("{kind}{}", statistic.name())
            }
        }
    }

    /// A value of it with its unit.
    pub fn in_words(self, value: f64) -> String {
        match self {
            Self::Iops => format!("{} IOPS", Rate(value)),
            Self::Throughput => ByteRate(value).to_string(),
            Self::Latency { .. } => Nanos(value as u64).to_string(),
            Self::Errors | Self::Slower => format!("{value}"),
            Self::ErrorShare => format!("{:.3} %", value * 100.0),
        }
    }

    /// Whether it is a latency.
    pub fn is_latency(self) -> bool {
        matches!(self, Self::Latency { .. })
    }
}

impl Statistic {
    /// `p99.9`, `mean` or `max`.
    pub fn name(self) -> String {
        match self {
            Self::Quantile(q) => {
                let text = format!("{:.6}", q * 100.0);
                format!("p{}", text.trim_end_matches('0').trim_end_matches('.'))
            }
            Self::Mean => "mean".to_owned(),
            Self::Max => "max".to_owned(),
        }
    }
}

impl Condition {
    /// Holds figures against limits, of which there is one for each figure, or one for all: the figure that is furthest
    /// on the failing side decides.
    pub fn judge(
        &self,
        found: &Result<Vec<ConditionFigure>, UnmeasuredReason>,
        limits: &[f64],
    ) -> ConditionOutcome {
        let unmeasured = |why: String| ConditionOutcome {
            condition: self.text.clone(),
            outcome: ConditionState::NotMeasured,
            found: why,
            value: None,
            limit: limits.first().copied(),
        };
        let figures = match found {
            Ok(figures) => figures,
            Err(UnmeasuredReason(why)) => return unmeasured(format!("not measured: {why}")),
        };
        let limit_at =
            |at: usize| limits.get(at).or(limits.first()).copied().filter(|limit| limit.is_finite());
        // How far on the failing side, as a ratio; a limit of 0 is as good as any small one.
        let excess = |value: f64, limit: f64| {
            let ratio = (value + f64::MIN_POSITIVE) / (limit + f64::MIN_POSITIVE);
            if self.relation.fails_upwards() { ratio } else { 1.0 / ratio }
        };
        let mut worst: Option<(&ConditionFigure, f64)> = None;
        for (at, figure) in figures.iter().enumerate() {
            let Some(limit) = limit_at(at).filter(|_| figure.value.is_finite()) else {
                return unmeasured(format!("not measured: {} of {}", self.quantity.name(), figure.of));
            };
            if worst.is_none_or(|(other, of)| excess(figure.value, limit) > excess(other.value, of)) {
                worst = Some((figure, limit));
            }
        }
        let Some((figure, limit)) = worst else {
            return unmeasured(format!("not measured: nothing has {}", self.quantity.name()));
        };
        let met = self.relation.holds(figure.value, limit);
        ConditionOutcome {
            condition: self.text.clone(),
            outcome: if met { ConditionState::Met } else { ConditionState::NotMet },
            found: self.sentence(figure, limit),
            value: Some(figure.value),
            limit: Some(limit),
        }
    }

    /// `p99 of reads 3.2 ms; the limit is at most 2 ms`.
    fn sentence(&self, figure: &ConditionFigure, limit: f64) -> String {
        if self.quantity == JudgedQuantity::Slower {
            return figure.of.clone();
        }
        let mut text = match self.quantity {
            // Their unit says what they are.
            JudgedQuantity::Iops | JudgedQuantity::Throughput => figure.of.clone(),
            quantity if figure.of.is_empty() => quantity.name(),
            quantity => format!("{} of {}", quantity.name(), figure.of),
        };
        if !text.is_empty() {
            text += ": ";
        }
        let of = match &self.limit {
            ConditionLimit::Fixed(_) => String::new(),
            ConditionLimit::ShareOf { share, name } => format!(" ({} % of {name})", Share100(*share)),
        };
        let (value, limit) = (self.quantity.in_words(figure.value), self.quantity.in_words(limit));
        format!("{text}{value}; the limit is {} {limit}{of}", self.relation.word())
    }
}

/// A share as a number of percent without needless digits.
struct Share100(f64);

impl std::fmt::Display for Share100 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", self.0 * 100.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl ConditionOutcome {
    /// Whether the measurement fails by it.
    pub fn fails(&self) -> bool {
        self.outcome != ConditionState::NotMet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(relation: Relation) -> Condition {
        Condition {
            text: "as typed".to_owned(),
            scope: ConditionScope::default(),
            direction: None,
            quantity: JudgedQuantity::Latency { kind: None, statistic: Statistic::Quantile(0.99) },
            relation,
            limit: ConditionLimit::Fixed(2e6),
        }
    }

    fn figures(values: &[(&str, f64)]) -> Result<Vec<ConditionFigure>, UnmeasuredReason> {
        Ok(values.iter().map(|(of, value)| ConditionFigure { of: (*of).to_owned(), value: *value }).collect())
    }

    #[test]
    fn the_figure_that_is_furthest_out_decides() {
        let found = figures(&[("reads", 1.5e6), ("writes", 3.2e6)]);
        let outcome = condition(Relation::Above).judge(&found, &[2e6]);
        assert_eq!(outcome.outcome, ConditionState::Met);
        assert_eq!(outcome.found, "p99 of writes: 3.20 ms; the limit is at most 2.00 ms");
        let outcome = condition(Relation::Below).judge(&found, &[1e6]);
        assert_eq!((outcome.outcome, outcome.value), (ConditionState::NotMet, Some(1.5e6)));
    }

    #[test]
    fn each_figure_has_its_own_limit_where_there_are_several() {
        let found = figures(&[("randread-4k", 900.0), ("read-1m", 90.0)]);
        let outcome = condition(Relation::Below).judge(&found, &[800.0, 100.0]);
        assert_eq!((outcome.outcome, outcome.limit), (ConditionState::Met, Some(100.0)));
    }

    #[test]
    fn what_was_not_measured_fails() {
        let outcome = condition(Relation::Above).judge(&Err(UnmeasuredReason("no reads".to_owned())), &[2e6]);
        assert!(outcome.fails() && outcome.found == "not measured: no reads");
        assert!(condition(Relation::Above).judge(&figures(&[]), &[2e6]).fails());
        assert!(condition(Relation::Above).judge(&figures(&[("reads", f64::NAN)]), &[2e6]).fails());
        assert!(condition(Relation::Above).judge(&figures(&[("reads", 1.0)]), &[f64::NAN]).fails());
    }

    #[test]
    fn a_limit_of_nothing_is_met_by_anything_above_it() {
        let errors = Condition { quantity: JudgedQuantity::Errors, ..condition(Relation::Above) };
        assert!(errors.judge(&figures(&[("", 1.0)]), &[0.0]).fails());
        assert!(!errors.judge(&figures(&[("", 0.0)]), &[0.0]).fails());
    }
}
