//! Self-checks: what a run says of its own trustworthiness, before anybody else does.
//!
//! Limits are those of the method (docs/method.md) and stand with their checks: of in-flight and Little's law in
//! `concurrency` (of others' results: `fathom_tools::audit`), of the generator's lag in `generator`. A check that fails makes the run invalid; a caution says what the numbers do not mean.

mod clock_and_cache;
mod concurrency;
mod engine_contract;
mod generator_capacity;
mod hung_edges;
mod interference;
mod network_saturation;
mod transfers;

use fathom_engine::verify::VerifyReport;
use fathom_order::InOrder;
use fathom_record::facts::{ClockRecord, EngineFacts, TargetFacts};
use fathom_record::run_record::Summary;
use fathom_record::{Check, Workload};
use fathom_telemetry::other_programs::OthersUse;

pub use hung_edges::HungEdges;
pub use interference::{Stillness, other_programs, standstill, stolen_share};
pub use network_saturation::InterfaceLoad;

use crate::single_run::ForeignTraffic;

/// What the checks look at.
#[derive(Debug)]
pub struct CheckEvidence<'a> {
    /// What was asked for.
    pub workload: &'a Workload,
    /// What came out.
    pub summary: &'a Summary,
    /// Of what.
    pub target: &'a TargetFacts,
    /// Carried by what.
    pub engine: &'a EngineFacts,
    /// Stamped by what.
    pub clock: &'a ClockRecord,
    /// Whether time was simulated: processor time then means nothing.
    pub simulated: bool,
    /// I/Os that transferred fewer bytes than asked, whole run.
    pub short: u64,
    /// I/Os that failed, whole run.
    pub errors: u64,
    /// The first failures, as sentences.
    pub first_failures: &'a [String],
    /// Intervals that the control plane could not take in time.
    pub extended_intervals: u64,
    /// What verification found, if it was asked for.
    pub verified: Option<&'a VerifyReport>,
    /// Share of the span in the page cache when a buffered run started, where known.
    pub cached_share: Option<f64>,
    /// Processors that the jobs may use, where known and of meaning.
    pub processors: Option<usize>,
    /// What hung at the edges of the measured window.
    pub hung: HungEdges,
    /// When nothing went on; absent where time was simulated.
    pub stillness: Option<Stillness<'a>>,
    /// What others did with the target's devices, or why that is not known.
    pub foreign: &'a Result<ForeignTraffic, String>,
    /// What other programs used of the processors, or why that is not known.
    pub others: &'a Result<OthersUse, String>,
    /// The network on the way to the target, where there is one whose speed is known.
    pub wire: Option<InterfaceLoad>,
}

/// All checks, those that failed first.
pub fn all(evidence: &CheckEvidence<'_>) -> Vec<Check> {
    let mut checks = vec![
        // First, because others fail with it.
        engine_contract::contract(evidence),
        interference::stood_still(evidence),
        concurrency::in_flight(evidence),
        concurrency::littles_law(evidence),
        generator_capacity::busy(evidence),
        generator_capacity::reap_lag(evidence),
        generator_capacity::lag(evidence),
        generator_capacity::overload(evidence),
        generator_capacity::offered_rate(evidence),
        generator_capacity::lost_intervals(evidence),
        clock_and_cache::clock(evidence),
        clock_and_cache::unwritten(evidence),
        clock_and_cache::page_cache(evidence),
        clock_and_cache::write_cache(evidence),
        other_programs(evidence.others),
        interference::other_load(evidence),
        transfers::errors(evidence),
        transfers::short(evidence),
        transfers::verification(evidence),
    ];
    checks.extend(evidence.wire.as_ref().map(network_saturation::network_full));
    // Stable: within one outcome the order above is kept.
    checks.put_in_order_by_key(|check| std::cmp::Reverse(check.outcome));
    checks
}

#[cfg(test)]
mod tests;
