//! Permissions to destroy data where a campaign has several sides: each side is given those that can be meant for it.
//!
//! A permission that names nothing of a run is refused, since the person means another device. In a campaign that device
//! may be another side's: then it is left out here. Nothing is ever given that was not asked for, so that each side is
//! judged by the same rules, with fewer words at most.

use fathom_plan::RunPlan;
use fathom_target::{Permit, TargetName, named_by};

use crate::compare_campaign::compare_plan::SidesPlan;

/// What a side works on, and where: by this process, or by clients, whose paths cannot be looked at from here.
#[derive(Debug, PartialEq, Eq)]
struct SidePlace {
    targets: Vec<String>,
    is_here: bool,
}

impl SidePlace {
    fn of(plan: &RunPlan) -> Self {
        let of_clients = plan.options.clients.iter().flat_map(|client| &client.targets);
        Self {
            targets: plan.targets.iter().chain(of_clients).cloned().collect(),
            is_here: plan.options.clients.is_empty(),
        }
    }

    /// Which permissions name one of its targets; `None` where that cannot be told.
    fn named(&self, permits: &[Permit]) -> Option<Vec<bool>> {
        let names: Vec<TargetName> =
            self.targets.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
        if !self.is_here && names.iter().any(|name| matches!(name, TargetName::Path(_))) {
            return None;
        }
        named_by(&names, permits)
    }
}

/// Leaves out of each plan the permissions that name targets of others and none of its own.
pub fn to_each_its_own(plans: &mut [&mut RunPlan]) {
    let mut places: Vec<SidePlace> = Vec::new();
    for plan in plans.iter().filter(|plan| !plan.options.permits.is_empty()) {
        let place = SidePlace::of(plan);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let Some(first) = plans.first().filter(|_| places.len() > 1) else { return };
    // All sides of a campaign are given the same words.
    let words = first.options.permits.clone();
    let permits: Vec<Permit> = words.iter().cloned().map(Permit).collect();
    let named: Vec<Option<Vec<bool>>> = places.iter().map(|place| place.named(&permits)).collect();
    for plan in plans.iter_mut() {
        let own = SidePlace::of(plan);
        let Some(at) = places.iter().position(|place| *place == own) else { continue };
        let Some(of_own) = &named[at] else { continue };
        let is_of_others = |words: &String| {
            let Some(number) = permits.iter().position(|permit| permit.0 == *words) else { return false };
            !of_own[number] && named.iter().flatten().any(|of_other| of_other[number])
        };
        plan.options.permits.retain(|words| own.targets.contains(words) || !is_of_others(words));
    }
}

/// The same for both sides of a comparison's workloads.
pub fn to_each_side_its_own(workloads: &mut [SidesPlan]) {
    let mut plans: Vec<&mut RunPlan> =
        workloads.iter_mut().flat_map(|sides| [&mut sides.a, &mut sides.b]).collect();
    to_each_its_own(&mut plans);
}

#[cfg(test)]
mod tests {
    use fathom_plan::PlanSource;

    use super::*;

    fn plan(target: &str, words: &[&str]) -> RunPlan {
        let text = format!("rw = 'write'\ntarget = [{target:?}]\ndestroy = {words:?}");
        PlanSource::from_toml(&text, "a test").unwrap().resolve(1).unwrap()
    }

    /// What is left of the permissions for each of these targets.
    fn left(targets: &[&str], words: &[&str]) -> Vec<Vec<String>> {
        let mut plans: Vec<RunPlan> = targets.iter().map(|target| plan(target, words)).collect();
        to_each_its_own(&mut plans.iter_mut().collect::<Vec<_>>());
        plans.into_iter().map(|plan| plan.options.permits).collect()
    }

    #[test]
    fn each_side_has_the_words_that_name_its_own_target_and_those_that_name_nobodys() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "precious").unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (one, other) = (file("one"), file("other"));
        let remote = "nvme+tcp://127.0.0.1/nqn.2026-11.example:a/1";
        let words = ["one", "other", "nqn.2026-11.example:a/1", "stranger"];
        let found = left(&[&one, &other, remote, "sim:nvme"], &words);
        assert_eq!(found[0], ["one", "stranger"]);
        assert_eq!(found[1], ["other", "stranger"]);
        assert_eq!(found[2], ["nqn.2026-11.example:a/1", "stranger"]);
        assert_eq!(found[3], ["stranger"]);
    }

    #[test]
    fn one_side_alone_keeps_all_its_words_to_be_judged_by() {
        assert_eq!(left(&["sim:nvme"], &["S1", "S2"]), [["S1", "S2"]]);
        assert_eq!(left(&["sim:nvme", "sim:nvme"], &["S1"]), [["S1"], ["S1"]]);
    }

    #[test]
    fn what_is_not_there_yet_keeps_all_words() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let there = folder.path().join("there");
        std::fs::write(&there, "precious").unwrap();
        let found = left(&[missing.to_str().unwrap(), there.to_str().unwrap()], &["there"]);
        assert_eq!(found, [["there"], ["there"]]);
    }
}
