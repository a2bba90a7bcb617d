//! The second target of experiments: another one of the first one's kind, that is there.

use std::path::Path;

use fathom_plan::{PlanError, PlanErrorKind, RunPlan};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_target::TargetName;

use crate::process_control::share_file_system;

/// Refuses a second target that is not another one: beside itself a target shares everything, and its answer would be
/// evidence for a limit that nobody has.
///
/// # Errors
/// Why it is none, and what to name.
pub fn other_target(second: &str, targets: &[String]) -> Result<(), PlanError> {
    let wrong = |cause: String| PlanError::new(PlanErrorKind::Contradiction, "--second", cause);
    let simulated = TargetName::is_simulated;
    for target in targets {
        // Two simulated devices of one name are two devices.
        if simulated(target) && simulated(second) {
            continue;
        }
        if simulated(target) != simulated(second) {
            return Err(wrong(format!(
                "`{second}` is not of the kind of `{target}`: name another one of its kind"
            )));
        }
        if target == second || same_file(target, second) {
            return Err(wrong(format!("`{second}` is `{target}` itself: name another target of its kind")));
        }
    }
    if simulated(second) {
        if let Err(error) = fathom_sim::parse(second) {
            return Err(wrong(error.cause.clone()).with_remedy(error.remedy.clone()).with_source(error));
        }
    } else if !Path::new(second).exists() {
        return Err(wrong(format!("`{second}` is not there: name a target that can be opened")));
    }
    Ok(())
}

/// A second target that shares nothing but the machine, and another file on the path of the first one, of which at most one is
/// given: a file of the same file system has the volume below in common, and where files are made and taken away again,
/// another one is made in the same way.
pub fn parted(
    target: &TargetFacts,
    base: &RunPlan,
    second: Option<&str>,
) -> (Option<String>, Option<String>) {
    let [own] = base.targets.as_slice() else { return (second.map(str::to_owned), None) };
    let is_on_the_path = |second: &&str| {
        target.kind == TargetKind::File && share_file_system(Path::new(own), Path::new(second))
    };
    match (second.map(str::to_owned), second.filter(is_on_the_path)) {
        (second, Some(_)) => (None, second),
        (second, None) => {
            let is_made_again = target.kind == TargetKind::File && target.scratch && !base.options.keep;
            (second, is_made_again.then(|| own.clone()))
        }
    }
}

/// Whether two names lead to one file, by whatever links.
fn same_file(a: &str, b: &str) -> bool {
    let place = |name: &str| std::fs::canonicalize(name).ok();
    place(a).is_some_and(|a| place(b) == Some(a))
}
