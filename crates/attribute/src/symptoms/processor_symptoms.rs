//! What the processors and the generator's threads show.

use crate::curve_shape::CurveShape;
use crate::evidence::Feature;

use super::{BusyShares, Symptom};

pub fn seen(shape: &CurveShape<'_>) -> Vec<Symptom> {
    let telemetry = &shape.telemetry;
    if telemetry.simulated_time {
        return Vec::new();
    }
    let target = telemetry.target_cores;
    // Beside a busier core of the target, those of the client say nothing.
    let counts = |own: &f64| target.is_none_or(|seen| seen.busiest_share < *own);
    let busiest = shape.busiest_core().filter(counts);
    let mean = shape.mean_core().filter(|_| busiest.is_some() || target.is_none());
    let cores = Some(telemetry.core_busy_shares.len() as f64);
    let mut found = BusyShares { busiest, mean, cores }.symptoms();
    found.extend(Symptom::generator(telemetry.generator_busy_share, telemetry.generator_user_share));
    let counted = |feature, share: Option<f64>, what| Symptom::counted(feature, share?, what);
    let of_target = "The busiest core or serving thread of the target's machine was busy";
    found.extend(counted(Feature::TargetBusiestCore, target.map(|seen| seen.busiest_share), of_target));
    let all = "All CPUs of the target's machine together were busy";
    found.extend(counted(Feature::TargetMeanCore, target.and_then(|seen| seen.mean_share), all));
    found.extend(telemetry.steal_share.and_then(Symptom::steal));
    found.extend(counted(Feature::Quota, telemetry.quota_share, "A cgroup throttled this process's CPU"));
    found
}
