//! The plan that a run record was made by.

use fathom_record::facts::{BOUND_NEAR_DEVICE, TargetKind};
use fathom_record::options::{Decorators, Durability, IoFlags, WitnessSource};
use fathom_record::{RunRecord, Witness};

use super::{RunOptions, RunPlan};

/// The source that a witness was asked of; of one that could not be had, only that it was asked for.
fn asked_of(witness: &Witness) -> WitnessSource {
    witness.seen().and_then(|trace| WitnessSource::named(&trace.source)).unwrap_or_default()
}

/// The plan that makes the same run again, with the record's seed.
///
/// Permission to destroy data is not carried over: whoever replays gives it again.
pub fn plan_of_record(record: &RunRecord) -> RunPlan {
    let simulated = record.target.kind == TargetKind::Simulated;
    RunPlan {
        targets: names(record),
        engine: Some(record.engine.name.clone()),
        workload: record.workload.clone(),
        options: RunOptions {
            direct: record.target.direct,
            stripe_bytes: record.target.stripe_bytes,
            real_time: simulated && !record.is_virtual(),
            polled: record.engine.is_polled(),
            witness: record.witness.as_ref().map(asked_of),
            durable: Durability::of_features(&record.engine.features),
            io_flags: IoFlags::of_features(&record.engine.features),
            cpus: cpus(record),
            decorators: decorators(record),
            ..RunOptions::default()
        },
    }
}

/// The processors that were asked for; a run that chose them itself chooses again.
fn cpus(record: &RunRecord) -> Option<Vec<u32>> {
    let chosen = record.engine.features.iter().any(|feature| feature.name == BOUND_NEAR_DEVICE);
    let cpus = record.jobs.iter().map(|job| job.cpu).collect::<Option<Vec<u32>>>();
    // Nobody was bound by a record that says nothing of it: the scheduler chose.
    (!chosen && !record.is_virtual()).then(|| cpus.unwrap_or_default())
}

/// The targets as they were named.
fn names(record: &RunRecord) -> Vec<String> {
    match record.target.members.as_slice() {
        [] => vec![record.target.name.clone()],
        members => members.iter().map(|member| member.name.clone()).collect(),
    }
}

/// The decorators of a record. One that this build cannot read is left out: its text came from another.
fn decorators(record: &RunRecord) -> Decorators {
    let Some(decorated) = &record.target.decorated else { return Decorators::default() };
    Decorators {
        delay: decorated.delay.as_ref().and_then(|text| text.parse().ok()),
        throttle: decorated.throttle.as_ref().and_then(|text| text.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::facts::EngineFeature;

    use super::*;
    use crate::{PlanSource, to_toml};

    #[test]
    fn a_record_gives_the_plan_that_made_it() {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut record = fathom_record::parse_run(json).expect("a record");
        let plan = plan_of_record(&record);
        assert_eq!(plan.workload, record.workload);
        assert_eq!(plan.targets, ["/dev/nvme0n1"]);
        assert!(plan.options.direct && !plan.options.real_time && plan.options.permits.is_empty());
        let read = PlanSource::from_toml(&to_toml(&plan), "plan.toml").and_then(|source| source.resolve(99));
        assert_eq!(read, Ok(plan));

        let decorators = Decorators {
            delay: Some("exponential:100us".parse().expect("a delay")),
            throttle: Some("iops=3000".parse().expect("a throttle")),
        };
        record.target.decorated = decorators.facts();
        assert_eq!(plan_of_record(&record).options.decorators, decorators);

        record.target.kind = TargetKind::Simulated;
        record.jobs.iter_mut().for_each(|job| job.cpu = Some(3));
        let plan = plan_of_record(&record);
        assert!(plan.options.real_time, "the record's clock is not a virtual one");
        assert_eq!(plan.options.cpus, Some(vec![3; record.jobs.len()]));
        let feature = EngineFeature::new(BOUND_NEAR_DEVICE, true, None);
        record.engine.features.push(feature);
        assert_eq!(plan_of_record(&record).options.cpus, None, "chosen again");
    }
}
