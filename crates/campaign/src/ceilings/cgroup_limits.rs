//! Limits that control groups put on this process's I/O, from the facts of the environment.

use fathom_record::environment_facts::{Environment, Fact};
use fathom_record::facts::TargetFacts;
use fathom_record::{CeilingRate, CeilingScope, Direction, KnownCeiling};

use super::disks;

/// Makes a figure a bound.
type Rate = fn(f64) -> CeilingRate;

/// Names of the facts, and what each bounds.
const LIMITS: [(&str, Direction, Rate); 4] = [
    ("read_operations_per_s", Direction::Read, iops),
    ("write_operations_per_s", Direction::Write, iops),
    ("read_bytes_per_s", Direction::Read, throughput),
    ("write_bytes_per_s", Direction::Write, throughput),
];

fn iops(operations_per_s: f64) -> CeilingRate {
    CeilingRate::Iops { operations_per_s }
}

fn throughput(bytes_per_s: f64) -> CeilingRate {
    CeilingRate::Throughput { bytes_per_s }
}

/// The least limit that the groups put on a device, and the fact that says so.
fn least<'a>(environment: &'a Environment, device: &str, name: &str) -> Option<(f64, &'a Fact)> {
    let of = |fact: &&Fact| fact.group == "cgroup" && fact.label == device && fact.name == name;
    let limits =
        environment.facts.iter().filter(of).filter_map(|fact| Some((fact.value.parse().ok()?, fact)));
    limits.filter(|(limit, _): &(f64, _)| *limit > 0.0).min_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// Bounds of the target: of a layer that everything passes, or of all disks together where each has one.
pub fn ceilings(target: &TargetFacts, environment: &Environment) -> Vec<KnownCeiling> {
    LIMITS
        .iter()
        .filter_map(|(name, direction, rate)| {
            let (limit, source) = bound(target, environment, name)?;
            Some(KnownCeiling {
                rate: rate(limit),
                scope: CeilingScope::Volume,
                direction: Some(*direction),
                burst: false,
                source: format!("control group of this process: {source}"),
            })
        })
        .collect()
}

fn bound(target: &TargetFacts, environment: &Environment, name: &str) -> Option<(f64, String)> {
    let disks = disks(target);
    let each: Option<Vec<(f64, &Fact)>> = disks.iter().map(|disk| least(environment, disk, name)).collect();
    let of_disks = each.filter(|each| !each.is_empty()).map(|each| {
        let places: Vec<&str> = each.iter().map(|(_, fact)| fact.source.as_str()).collect();
        (each.iter().map(|(limit, _)| limit).sum::<f64>(), places)
    });
    // Of several targets no layer is above all.
    let top =
        target.devices.first().filter(|top| target.members.is_empty() && !disks.contains(&top.name.as_str()));
    let of_top = top.and_then(|top| least(environment, &top.name, name));
    let of_top = of_top.map(|(limit, fact)| (limit, vec![fact.source.as_str()]));
    let bounds = of_disks.into_iter().chain(of_top);
    let (limit, mut places) = bounds.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    places.dedup();
    Some((limit, places.join(", ")))
}
