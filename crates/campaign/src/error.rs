//! What ends a measurement before it has a result.

use fathom_engine::EngineError;
use fathom_record::workload::WorkloadError;
use fathom_store::StoreError;
use fathom_tools::Refusal;

use fathom_plan::PlanError;

/// From whichever layer it comes, with that layer's kind, place, cause and remedy. An enum of errors of the one shape,
/// and not one more: a failed store ends a campaign, what a target does not take is passed over, and the program has a
/// status for each layer's kinds.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The plan is wrong.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A value of the workload is wrong.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Target or engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Another tool cannot do it.
    #[error(transparent)]
    Foreign(#[from] Refusal),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}
