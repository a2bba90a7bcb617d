//! From a pattern's runs to what is published of it: cells, operating points and verdict.

use fathom_attribute::{
    ExperimentAnswer, ExperimentConditions, ExperimentResources, MeasuredPattern, attribute,
};
use fathom_record::campaign::{AssessPlan, OperatingPoint, PatternPlan, PatternResult};
use fathom_record::{RunRecord, Workload};

use super::points;
use crate::ceilings;
use crate::cells::Cells;
use crate::explain_campaign::{is_drive, queue_tags};
use crate::single_run::Session;
use fathom_plan::{Client, RunOptions, RunPlan, to_command_line};

/// Operating points that were chosen, and the peak's cell: indices into the cells in the order in which
/// they were first measured.
#[derive(Clone, Debug, Default)]
pub struct PointChoice {
    pub points: Vec<OperatingPoint>,
    pub focus: Option<usize>,
}

impl PointChoice {
    /// Chooses from a pattern's runs.
    pub fn of(plan: &AssessPlan, runs: &[RunRecord]) -> Self {
        let cells = Cells::of(runs, plan.slo);
        let holds: Vec<bool> = cells.results.iter().map(|cell| cell.failed_checks.is_empty()).collect();
        let (points, focus) = points::choose(&cells.observed, &holds, plan.slo);
        Self { points, focus }
    }
}

/// The result of one pattern from runs whose cells are in the order that the choice was made from, with what the other
/// patterns answer about it and why it is incomplete.
pub fn conclude(
    session: &Session,
    plan: &AssessPlan,
    pattern: &PatternPlan,
    runs: &[RunRecord],
    choice: &PointChoice,
    (answers, incomplete): (&[ExperimentAnswer], Option<String>),
) -> PatternResult {
    let cells = Cells::of(runs, plan.slo);
    let clients: Vec<Client> = plan.clients.iter().filter_map(|text| Client::parse(text).ok()).collect();
    let command = |workload: &Workload, way: &ExperimentConditions| {
        // The whole is as many jobs as clients times each one's.
        let jobs = (workload.jobs / session.clients()).max(1);
        to_command_line(&RunPlan {
            targets: way.place.targets(std::slice::from_ref(&plan.target)),
            engine: plan.engine.clone(),
            workload: Workload { jobs, ..workload.clone() },
            options: RunOptions {
                decorators: session.decorators().clone(),
                clients: clients.clone(),
                partition: plan.partition,
                ..RunOptions::default()
            },
        })
    };
    let verdict = (!cells.results.is_empty()).then(|| {
        attribute(&MeasuredPattern {
            title: &pattern.title,
            target: session.target(),
            engine: session.engine().name(),
            workload: &pattern.workload,
            cells: &cells.results,
            telemetry: &cells.telemetry,
            focus: choice.focus,
            known: &ceilings::of_runs(&plan.ceilings, runs),
            answers,
            queue_tags: queue_tags(session.target(), session.environment(), false),
            is_drive: is_drive(session.target(), session.environment()),
            durable: false,
            means: &ExperimentResources::default(),
            memory_bytes: Some(session.environment().memory_bytes).filter(|bytes| *bytes > 0),
            command: &command,
        })
        .verdict
    });
    PatternResult {
        name: pattern.name.clone(),
        title: pattern.title.clone(),
        cells: cells.results,
        operating_points: choice.points.clone(),
        verdict,
        incomplete,
    }
}
