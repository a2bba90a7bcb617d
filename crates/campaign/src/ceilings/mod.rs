//! Upper bounds that hold for a run before anything is measured: what the user says, what the catalogue has
//! of instance and volume, and what the system sets.

mod catalogued;
mod link;
mod system;

pub use catalogued::{instance_type, volume};

use fathom_record::campaign::AssessPlan;
use fathom_record::environment::Environment;
use fathom_record::facts::{DeviceFacts, TargetFacts, TargetKind};
use fathom_record::{KnownCeiling, RunRecord};

use crate::plan::{Place, PlanError, PlanErrorKind};

/// What a user knows of a target's limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Declared limits.
    pub ceilings: Vec<KnownCeiling>,
    /// Instance type, as `r6id.4xlarge`; absent: what the machine's firmware says.
    pub instance: Option<String>,
    /// Volume, e.g. `gp3:iops=16000`.
    pub volume: Option<String>,
}

impl Known {
    /// What an assessment was told.
    pub fn of(plan: &AssessPlan) -> Self {
        let AssessPlan { ceilings, instance, volume, .. } = plan;
        Self { ceilings: ceilings.clone(), instance: instance.clone(), volume: volume.clone() }
    }

    /// The bounds that follow without a target: of an instance those on the way to its network volumes.
    ///
    /// # Errors
    /// When instance or volume are not in the catalogue; which names are near.
    pub fn anywhere(&self) -> Result<Vec<KnownCeiling>, PlanError> {
        told(self, &[], &Environment::default()).map(|told| told.ceilings)
    }
}

/// The bounds that hold for a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applying {
    /// Each with whose it is and who says so.
    pub ceilings: Vec<KnownCeiling>,
    /// Remarks for people: what was looked up unasked, and what the catalogue does not have.
    pub notes: Vec<String>,
}

/// Finds the bounds that hold for a target on a machine. What a run record holds of both is enough, so that
/// finished runs can be asked too. Nothing is guessed: a volume's type cannot be seen from inside the
/// machine, and an instance that the catalogue does not have has no limits here.
///
/// # Errors
/// When instance or volume are not in the catalogue; which names are near.
pub fn applying(
    known: &Known,
    target: &TargetFacts,
    environment: &Environment,
) -> Result<Applying, PlanError> {
    let mut out = told(known, &target.devices, environment)?;
    if is_storage(target) {
        out.ceilings.extend(system::ceilings(target, environment));
        out.ceilings.extend(link::ceilings(target, environment));
    }
    Ok(out)
}

/// Whether the link to a target's own disks is known: PCI Express or SATA, no network.
pub fn has_link(target: &TargetFacts, environment: &Environment) -> bool {
    is_storage(target) && !link::ceilings(target, environment).is_empty()
}

/// What the user, the catalogue and the firmware say.
fn told(known: &Known, devices: &[DeviceFacts], environment: &Environment) -> Result<Applying, PlanError> {
    let refused = |flag: &str, cause| PlanError {
        kind: PlanErrorKind::Value,
        place: Place::Argument(flag.to_owned()),
        cause,
    };
    let mut out = Applying { ceilings: known.ceilings.clone(), notes: Vec::new() };
    if let Some(text) = &known.volume {
        out.ceilings.extend(volume(text).map_err(|cause| refused("--volume", cause))?);
    }
    catalogued::of_instance(known.instance.as_deref(), devices, environment, &mut out)
        .map_err(|cause| refused("--instance", cause))?;
    Ok(out)
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
