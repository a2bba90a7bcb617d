//! Campaigns as data: what was asked, the runs that were made, and what was concluded, by kind.

mod assess_record;
mod cell;
mod compare_record;
mod explain_record;
mod preconditioning;
mod repeat_record;
mod repeats;
mod side_states;
mod sweep_record;

pub use assess_record::{
    AssessPlan, AssessRecord, OperatingPoint, OperatingPointKind, PatternPlan, PatternResult, Slo,
};
pub use cell::CellResult;
pub use compare_record::{
    CommandOutcome, ComparePlan, CompareRecord, ComparedMetric, ComparedPair, ComparedWorkload,
    ComparisonEnding, ControlResult, Setting, SideFacts, SidePlan,
};
pub use explain_record::{
    CauseProbability, ExperimentResult, ExplainPlan, ExplainRecord, ExplainedPattern, Symptom,
};
pub use preconditioning::{
    PreconditionEnd, PreconditionKind, PreconditionPlan, PreconditionStage, Preconditioning,
};
pub use repeat_record::{
    Conclusion, ConclusionResult, Judgement, Operand, OptimumPoint, Quantity, RepeatBound, RepeatCell,
    RepeatOptimum, RepeatPlan, RepeatRecord, RepeatSide, RepeatStep, StatementStanding, StepFigure,
};
pub use repeats::{PointQuality, RepeatEnd, RepeatRule, Repeats};
pub use side_states::{AcrossRestarts, BootTurn, MachineFact, SideState};
pub use sweep_record::{SweepAxis, SweepCell, SweepPlan, SweepRecord};

use serde::Serialize;

/// The record of a campaign of any kind, which [`parse_campaign`](crate::parse_campaign) reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CampaignRecord {
    /// What a target can do at which concurrency, and what limits it.
    Assess(Box<AssessRecord>),
    /// A grid of runs over chosen properties of a plan.
    Sweep(Box<SweepRecord>),
    /// Two sides under the same workloads.
    Compare(Box<CompareRecord>),
    /// What limits a workload, by experiments.
    Explain(Box<ExplainRecord>),
    /// A published evaluation on one's own storage.
    Repeat(Box<RepeatRecord>),
}

impl CampaignRecord {
    /// The format's name.
    pub const FORMAT: &'static str = "fathom.campaign";
    /// The version that this build writes.
    pub const VERSION: u32 = 3;

    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Assess(record) => &record.id,
            Self::Sweep(record) => &record.id,
            Self::Compare(record) => &record.id,
            Self::Explain(record) => &record.id,
            Self::Repeat(record) => &record.id,
        }
    }

    /// End, RFC 3339, UTC; absent while it runs.
    pub fn finished_at(&self) -> Option<&str> {
        match self {
            Self::Assess(record) => record.finished_at.as_deref(),
            Self::Sweep(record) => record.finished_at.as_deref(),
            Self::Compare(record) => record.finished_at.as_deref(),
            Self::Explain(record) => record.finished_at.as_deref(),
            Self::Repeat(record) => record.finished_at.as_deref(),
        }
    }
}

impl From<AssessRecord> for CampaignRecord {
    fn from(record: AssessRecord) -> Self {
        Self::Assess(Box::new(record))
    }
}

impl From<SweepRecord> for CampaignRecord {
    fn from(record: SweepRecord) -> Self {
        Self::Sweep(Box::new(record))
    }
}

impl From<CompareRecord> for CampaignRecord {
    fn from(record: CompareRecord) -> Self {
        Self::Compare(Box::new(record))
    }
}

impl From<ExplainRecord> for CampaignRecord {
    fn from(record: ExplainRecord) -> Self {
        Self::Explain(Box::new(record))
    }
}

impl From<RepeatRecord> for CampaignRecord {
    fn from(record: RepeatRecord) -> Self {
        Self::Repeat(Box::new(record))
    }
}
