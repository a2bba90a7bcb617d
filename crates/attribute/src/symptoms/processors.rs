//! What the processors and the generator's threads show.

use crate::evidence::Feature;
use crate::printed;
use crate::shape::Shape;

use super::Symptom;

/// Busy share of the generator from which on its user share says what fills it.
const BUSY: f64 = 0.8;
/// Standard error of a busy share from ticks.
const TICK_ERROR: f64 = 0.01;

pub fn seen(shape: &Shape<'_>) -> Vec<Symptom> {
    let telemetry = &shape.telemetry;
    if telemetry.simulated_time {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut push = |feature, share: Option<f64>, text: &dyn Fn(String) -> String| {
        if let Some(share) = share {
            found.extend(Symptom::new(feature, share, TICK_ERROR, text(printed::percent(share))));
        }
    };
    let cores = telemetry.core_busy_shares.len();
    let target = telemetry.target_cores;
    // Beside a busier core of the target, those of the client say nothing.
    let counts = |own: &f64| target.is_none_or(|seen| seen.busiest_share < *own);
    let own = shape.busiest_core().filter(counts);
    push(Feature::BusiestCore, own, &|p| format!("The busiest CPU core was busy {p} of the time."));
    let all = shape.mean_core().filter(|_| cores > 1 && (own.is_some() || target.is_none()));
    push(Feature::MeanCore, all, &|p| format!("All {cores} CPUs together were busy {p} of the time."));
    let busy = telemetry.generator_busy_share;
    push(Feature::GeneratorBusy, busy, &|p| format!("The generator's threads worked {p} of the time."));
    let user = telemetry.generator_user_share.filter(|_| busy.is_some_and(|share| share >= BUSY));
    push(Feature::GeneratorUser, user, &|p| {
        format!("Of the generator's CPU time, {p} was its own code and the rest the kernel's.")
    });
    push(Feature::TargetBusiestCore, target.map(|seen| seen.busiest_share), &|p| {
        format!("The busiest core or serving thread of the target's machine was busy {p} of the time.")
    });
    push(Feature::TargetMeanCore, target.and_then(|seen| seen.mean_share), &|p| {
        format!("All CPUs of the target's machine together were busy {p} of the time.")
    });
    push(Feature::Steal, telemetry.steal_share, &|p| {
        format!("The hypervisor gave {p} of the CPUs' time to others.")
    });
    push(Feature::Quota, telemetry.quota_share, &|p| {
        format!("A cgroup throttled this process's CPU {p} of the time.")
    });
    found
}
