//! Upper bounds that hold for a run before anything is measured: what the user says, what the catalogue has
//! of instance and volume, and what the system sets.

mod cgroup_limits;
mod link;

use fathom_plan::{ApplicableLimits, KnownLimits, PlanError};
use fathom_record::environment_facts::Environment;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::{KnownCeiling, RunRecord};

/// Finds the bounds that hold for a target on a machine. What a run record holds of both is enough, so that
/// finished runs can be asked too. Nothing is guessed: a volume's type cannot be seen from inside the
/// machine, and an instance that the catalogue does not have has no limits here.
///
/// # Errors
/// When instance or volume are not in the catalogue; which names are near.
pub fn applying(
    known: &KnownLimits,
    target: &TargetFacts,
    environment: &Environment,
) -> Result<ApplicableLimits, PlanError> {
    let mut out = known.applying(&target.devices, environment)?;
    if is_storage(target) {
        out.ceilings.extend(cgroup_limits::ceilings(target, environment));
    }
    if is_storage(target) || target.kind == TargetKind::FabricNamespace {
        out.ceilings.extend(link::ceilings(target, environment));
    }
    Ok(out)
}

/// Whether the link to a target's own disks is known: PCI Express or SATA, no network.
pub fn has_link(target: &TargetFacts, environment: &Environment) -> bool {
    is_storage(target) && !link::ceilings(target, environment).is_empty()
}

/// Bounds that were given and those that any run carries, each once.
pub(crate) fn of_runs(given: &[KnownCeiling], runs: &[RunRecord]) -> Vec<KnownCeiling> {
    let mut known: Vec<KnownCeiling> = Vec::new();
    for ceiling in given.iter().chain(runs.iter().flat_map(|run| &run.ceilings)) {
        if !known.contains(ceiling) {
            known.push(ceiling.clone());
        }
    }
    known
}

/// Whether I/O goes through the machine's block layer or file systems.
fn is_storage(target: &TargetFacts) -> bool {
    matches!(target.kind, TargetKind::File | TargetKind::BlockDevice | TargetKind::NvmeNamespace)
}

/// Names of the disks under a target, below all layers that split and pass on.
fn disks(target: &TargetFacts) -> Vec<&str> {
    let disks = target.devices.iter().filter(|device| device.layer == "disk");
    disks.map(|device| device.name.as_str()).collect()
}

#[cfg(test)]
mod tests;
