//! Puts the parts of a run together into its record, with the self-checks that follow from them.

use std::collections::BTreeSet;
use std::ops::Range;

use fathom_engine::job::Measurement;
use fathom_engine::pattern::Geometry;
use fathom_engine::priority::PriorityTally;
use fathom_measure::WallClock;
use fathom_measure::clock::ClockFacts;
use fathom_measure::histogram::RELATIVE_WIDTH;
use fathom_record::facts::{CONNECTION_KEPT, ClockRecord, EngineFacts, FabricQueue, Outages, TargetFacts};
use fathom_record::latency::{LatencySummary, SparseHistogram};
use fathom_record::run_record::{CampaignLink, JobSummary, PrioritySummary, RunEnding, Tool};
use fathom_record::telemetry::Telemetry;
use fathom_record::{RunRecord, Witness, Workload};

use super::neighbours::NeighbourActivity;
use super::session::Session;
use super::summary::{ledger, summary, targets};
use crate::checks::{self, CheckEvidence, HungEdges, InterfaceLoad, Stillness};

/// Everything that a record is made of.
pub struct RecordParts<'a> {
    pub id: String,
    pub started_at: String,
    pub campaign: Option<CampaignLink>,
    pub workload: &'a Workload,
    /// Whether its jobs held back for those of other runs.
    pub held_back: bool,
    pub geometries: &'a [Geometry],
    pub target: &'a TargetFacts,
    pub measured: Measurement,
    pub telemetry: Telemetry,
    pub witness: Option<Witness>,
    pub cached_share: Option<f64>,
    /// What others did meanwhile.
    pub meanwhile: NeighbourActivity,
    pub notes: &'a [String],
}

/// The record of a run on the targets of a session.
pub fn assemble(session: &Session, parts: RecordParts<'_>) -> RunRecord {
    let measured = parts.measured;
    let simulated = session.is_simulated_time();
    let mut summary = summary(&measured, parts.workload, !simulated);
    if parts.held_back {
        summary.in_flight_requested = None;
    }
    let ledger = ledger(&measured, parts.workload, parts.geometries, parts.target.size_bytes);
    let targets = targets(&measured, parts.workload, parts.target, !simulated);
    let clock = clock_record((session.clock, &session.clock_facts), simulated, measured.exposed_ns);
    let first_failures: Vec<String> = measured.failures.iter().map(ToString::to_string).collect();
    let counts = &measured.whole.directions;
    let checks = checks::all(&CheckEvidence {
        workload: parts.workload,
        summary: &summary,
        target: parts.target,
        engine: &measured.engine,
        clock: &clock,
        simulated,
        short: counts.iter().map(|direction| direction.short).sum(),
        errors: counts.iter().map(|direction| direction.errors).sum(),
        first_failures: &first_failures,
        extended_intervals: measured.whole.extended,
        verified: measured.verified.as_ref(),
        cached_share: parts.cached_share,
        processors: session.allowed.as_ref().ok().map(BTreeSet::len).filter(|_| !simulated),
        hung: HungEdges::of(&measured.intervals),
        stillness: (!simulated).then(|| stillness(&measured, &parts.telemetry)),
        foreign: &parts.meanwhile.foreign,
        others: &parts.meanwhile.others,
        wire: InterfaceLoad::of(&session.environment, &parts.telemetry, &window_ns(&measured)),
    });
    let ending = ending(&measured);
    let notes = parts.notes.iter().cloned().chain(dropped(&measured.engine)).collect();
    RunRecord {
        format: RunRecord::FORMAT.to_owned(),
        version: RunRecord::VERSION,
        id: parts.id,
        started_at: parts.started_at,
        tool: this_tool(),
        origin: None,
        campaign: parts.campaign,
        workload: parts.workload.clone(),
        target: with_network(parts.target.clone(), measured.outages, measured.queues),
        engine: measured.engine,
        clock: Some(clock),
        checks,
        ending,
        summary,
        jobs: jobs(measured.jobs, simulated),
        targets,
        ledger,
        intervals: measured.intervals,
        telemetry: parts.telemetry,
        environment: session.environment.clone(),
        ceilings: session.ceilings.clone(),
        witness: parts.witness,
        priorities: priorities(&measured.priorities),
        wall: measured.wall.map(Box::new),
        standstills: measured.standstills,
        read_back: measured.read_back.as_ref().map(|tally| Box::new(tally.summary())),
        clients: None,
        expectation: None,
        command: None,
        notes,
    }
}

/// How a run ended.
fn ending(measured: &Measurement) -> RunEnding {
    match &measured.fatal {
        Some(failure) => RunEnding::Failed { error: failure.to_string() + &lost(&measured.engine) },
        None if measured.interrupted => RunEnding::Interrupted,
        None => RunEnding::Complete,
    }
}

/// A target with the losses of its connections that did not end the run, and with what its queues carried.
fn with_network(mut target: TargetFacts, outages: Option<Outages>, queues: Vec<FabricQueue>) -> TargetFacts {
    if let Some(fabric) = target.fabric.as_mut() {
        fabric.outages = outages.or(fabric.outages.take());
        fabric.each_queue = queues;
    }
    target
}

/// Why an engine's connection was lost, behind a semicolon; nothing where none was.
fn lost(engine: &EngineFacts) -> String {
    let mut features = engine.features.iter();
    let lost = features.find(|feature| feature.name == CONNECTION_KEPT && !feature.used);
    lost.and_then(|feature| feature.note.as_ref()).map_or_else(String::new, |why| format!("; {why}"))
}

/// Features of an engine that the kernel refused or its limits took away, a sentence each.
fn dropped(engine: &EngineFacts) -> impl Iterator<Item = String> {
    engine.features.iter().filter(|feature| feature.refused).filter_map(|feature| {
        let note = feature.note.as_deref()?;
        Some(format!("Engine {}: {} was not used: {note}.", engine.name, feature.name))
    })
}

/// The measured window, from the run's start.
fn window_ns(measured: &Measurement) -> Range<u64> {
    let start_ns = measured.timeline.warmup_ns;
    start_ns..start_ns + measured.window_ns
}

/// When nothing went on, against the measured window.
fn stillness<'a>(measured: &'a Measurement, telemetry: &Telemetry) -> Stillness<'a> {
    let window_ns = window_ns(measured);
    let stolen_share = checks::stolen_share(telemetry, &window_ns);
    Stillness { standstills: &measured.standstills, window_ns, stolen_share }
}

/// What came of each priority.
fn priorities(tallies: &[PriorityTally]) -> Vec<PrioritySummary> {
    let summary = |PriorityTally { direction, priority, service }: &PriorityTally| PrioritySummary {
        direction: *direction,
        class: priority.class,
        level: priority.level,
        hint: priority.hint,
        operations: service.count(),
        service: LatencySummary::of(service),
        service_histogram: SparseHistogram::from(service),
    };
    tallies.iter().map(summary).collect()
}

/// The jobs' shares; processor time is left out where time was simulated.
fn jobs(mut jobs: Vec<JobSummary>, simulated: bool) -> Vec<JobSummary> {
    if simulated {
        jobs.iter_mut().for_each(|job| job.busy_share = None);
    }
    jobs
}

/// This program, as records name it.
pub fn this_tool() -> Tool {
    Tool { name: "fathom".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

/// Over less than this a comparison of two clocks shows their edges, not their rates.
const DRIFT_SPAN_NS: u64 = 1_000_000_000;

fn clock_record((clock, facts): (WallClock, &ClockFacts), simulated: bool, exposed_ns: u64) -> ClockRecord {
    let source = if simulated { "virtual" } else { facts.source.name() };
    ClockRecord {
        source: source.to_owned(),
        fallback_reason: facts.fallback_reason.clone().filter(|_| !simulated),
        read_cost_ns: if simulated { 0.0 } else { facts.read_cost_ns },
        resolution_ns: if simulated { 1 } else { facts.resolution_ns },
        calibration_error_ppm: if simulated { 0.0 } else { facts.calibration_error_ppm },
        drift_ppm: (!simulated && exposed_ns >= DRIFT_SPAN_NS).then(|| clock.drift_ppm()),
        bucket_width_share: RELATIVE_WIDTH,
    }
}
