//! Refuses what is not [admissible] on the chosen target and engine, and what only the opened target shows to be without effect.

use std::collections::BTreeSet;

use fathom_engine::engine_kinds::{self, EngineKind};
use fathom_engine::{EngineError, ErrorKind};
use fathom_record::Workload;
use fathom_record::facts::TargetKind;
use fathom_target::TargetName;

use super::session::SessionPlan;
use crate::external::ToolEngine;
use crate::write_cap;
use fathom_plan::{Carrier, NameKind, RunOptions, RunRequest, TargetUse, admissible, processors};

/// What can be said before the target is opened.
///
/// # Errors
/// The first flag without effect, why it has none, and what to type.
pub fn check_flags(plan: &SessionPlan<'_>) -> Result<(), EngineError> {
    let asked = plan.plan.engine.as_deref();
    let options = &plan.plan.options;
    if let Some(external) = asked.and_then(ToolEngine::of).filter(|_| !options.clients.is_empty()) {
        first(&RunRequest { carrier: Carrier::Tool(external.entry), ..RunRequest::of(options, plan.needs) })?;
    }
    let targets = plan.plan.targets.iter().map(|target| Ok((target.as_str(), named(target)?)));
    let targets = targets.collect::<Result<Vec<_>, EngineError>>()?;
    first(&RunRequest {
        targets: &targets,
        literal: plan.literal,
        replayed: plan.plan.workload.addresses.traced(),
        limits_writes: write_cap::limit().is_some(),
        carrier: carrier(plan, &targets),
        ..RunRequest::of(options, plan.needs)
    })?;
    // What a client has for a target of its own is looked at where it is.
    for target in options.measuring().flat_map(|client| &client.targets) {
        let Ok(named) = named(target) else { continue };
        first(&RunRequest { targets: &[(target, named)], ..RunRequest::of(options, plan.needs) })?;
    }
    Ok(())
}

/// What a target's name says of it.
///
/// # Errors
/// A name that is none.
pub fn named(target: &str) -> Result<NameKind, EngineError> {
    Ok(match target.parse()? {
        TargetName::Path(_) => NameKind::Path,
        TargetName::Sim(_) => NameKind::Simulated,
        TargetName::Fabric(_) => NameKind::Remote,
        TargetName::Memory { .. } => NameKind::Memory,
        TargetName::Null { .. } => NameKind::Null,
    })
}

/// Who carries a plan, as far as the targets' names tell.
fn carrier<'a>(plan: &SessionPlan<'a>, targets: &[(&str, NameKind)]) -> Carrier<'a> {
    let asked = plan.plan.engine.as_deref();
    if let Some(external) = asked.and_then(ToolEngine::of) {
        return Carrier::UndrivenTool(external.entry);
    }
    let are_paths = targets.iter().all(|(_, named)| *named == NameKind::Path);
    match (engine_kinds::choose(asked, TargetKind::File), asked) {
        (Ok(engine), _) if are_paths => here(engine),
        // An engine of other targets than files is judged by its flags once it is chosen. Clients may be on another
        // system, with engines of their own.
        (_, Some(name)) if plan.plan.options.clients.is_empty() => Carrier::Called(name, engine_kinds::HERE),
        _ => Carrier::Unknown,
    }
}

/// An engine on this system.
fn here(engine: EngineKind) -> Carrier<'static> {
    Carrier::Engine(engine.entry(), engine_kinds::HERE)
}

/// What an engine has no place for: flags, and what is done to the targets.
///
/// # Errors
/// The first one, why, and what to type.
pub fn check_engine(
    (options, needs): (&RunOptions, TargetUse),
    literal: bool,
    engine: EngineKind,
) -> Result<(), EngineError> {
    first(&RunRequest { literal, carrier: here(engine), ..RunRequest::of(options, needs) })
}

/// The same of one more workload on targets that were opened for all that is read and written, its jobs and depth among it.
///
/// # Errors
/// As of [`check_engine`].
pub fn check_workload(
    (options, workload): (&RunOptions, &Workload),
    literal: bool,
    engine: EngineKind,
) -> Result<(), EngineError> {
    let needs = TargetUse { reads: false, writes: true, ..TargetUse::of([workload]) };
    let (workload, carrier) = (Some(workload), here(engine));
    first(&RunRequest { workload, literal, carrier, ..RunRequest::of(options, needs) })
}

/// Refuses what is not admissible.
///
/// # Errors
/// The first refusal of all.
pub fn first(request: &RunRequest<'_>) -> Result<(), EngineError> {
    admissible(request).into_iter().next().map_or(Ok(()), Err)
}

/// Processors that the process may not run on, or that there are not: jobs would not be where they were put.
///
/// # Errors
/// The first one, with those that there are.
pub fn check_processors(cpus: &[u32], allowed: Option<&BTreeSet<u32>>) -> Result<(), EngineError> {
    let Some(allowed) = allowed else { return Ok(()) };
    let Some(cpu) = cpus.iter().find(|cpu| !allowed.contains(cpu)) else { return Ok(()) };
    let known: Vec<u32> = allowed.iter().copied().collect();
    let known = processors(&known);
    let cause = format!("this process may run on CPUs {known}, and not on {cpu}");
    Err(EngineError::new(ErrorKind::Plan, "binding the jobs to --cpus", cause)
        .with_remedy(format!("choose from these: --cpus {known}")))
}
