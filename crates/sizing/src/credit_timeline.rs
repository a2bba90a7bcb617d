//! A demand in some hundred points with the credits that limits have left: what a picture needs.

use fathom_record::sizing_advice::{Timeline, TimelinePoint};

use crate::demand::Demand;
use crate::offer::Limits;
use crate::shaper::{Shaper, State};

/// Points that a picture can show.
const POINTS: usize = 400;

/// The demand as seen, with the credits of a choice and an instance under the demand with its margin.
pub fn timeline(
    demand: &Demand,
    grown: &Demand,
    chosen: Option<Limits>,
    instance: Option<Limits>,
) -> Timeline {
    let ticks = demand.ticks();
    let each = ticks.div_ceil(POINTS).max(1);
    let (operations, bytes, seen) = (demand.operations(), demand.bytes(), demand.seen());
    let tick_s = f64::from(demand.tick_s);
    let credits = credits(grown, [chosen, instance]);
    let points = (0..ticks).step_by(each).map(|from| {
        let stretch = from..(from + each).min(ticks);
        let most = |units: &[u64]| {
            let known = stretch.clone().filter(|tick| seen[*tick]).map(|tick| units[tick]);
            known.max().map(|units| units as f64 / tick_s)
        };
        let least =
            credits.as_ref().map(|credits| credits[stretch.clone()].iter().copied().fold(1.0, f64::min));
        TimelinePoint {
            at_s: from as f64 * tick_s,
            operations_per_s: most(&operations),
            bytes_per_s: most(&bytes),
            credits_share: least,
        }
    });
    let base = |limits: Option<Limits>, of: fn(&Limits) -> Shaper| limits.map(|l| of(&l).base_per_s as f64);
    Timeline {
        step_s: each as f64 * tick_s,
        points: points.collect(),
        operations_base_per_s: base(chosen, |limits| limits.operations),
        bytes_base_per_s: base(chosen, |limits| limits.bytes),
        instance_operations_base_per_s: base(instance, |limits| limits.operations),
        instance_bytes_base_per_s: base(instance, |limits| limits.bytes),
    }
}

/// The least share of any bucket after each tick, from full; absent where no limit has one.
fn credits(demand: &Demand, limits: [Option<Limits>; 2]) -> Option<Vec<f64>> {
    let mut least: Option<Vec<f64>> = None;
    for limits in limits.into_iter().flatten() {
        let accounting = limits.accounting;
        for (shaper, units) in
            [(limits.operations, accounting.operations(demand)), (limits.bytes, accounting.bytes(demand))]
        {
            if shaper.bucket == 0 {
                continue;
            }
            let mut state: State = shaper.full();
            let shares = units.iter().map(|&units| {
                shaper.tick(&mut state, units, demand.tick_s);
                state.credits as f64 / shaper.bucket as f64
            });
            least = Some(match least.take() {
                None => shares.collect(),
                Some(before) => before.into_iter().zip(shares).map(|(a, b)| a.min(b)).collect(),
            });
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::Accounting;
    use crate::demand::Flow;

    #[test]
    fn peaks_and_empty_buckets_survive_any_length() {
        let mut operations = vec![10u64; 10_000];
        operations[7777] = 5000;
        operations[3000..3100].fill(200);
        let flow =
            |operations: Vec<u64>| Flow { bytes: operations.iter().map(|o| o * 512).collect(), operations };
        let demand = Demand {
            tick_s: 1,
            read: flow(vec![0; 10_000]),
            write: flow(operations),
            gaps: vec![],
            counted: None,
        };
        let operations = Shaper { base_per_s: 100, peak_per_s: 200, bucket: 5000 };
        let limits = Limits { operations, bytes: Shaper::cap(1 << 30), accounting: Accounting::SOLID_STATE };
        let found = timeline(&demand, &demand, Some(limits), None);
        assert_eq!((found.points.len(), found.step_s), (400, 25.0));
        let most = found.points.iter().filter_map(|point| point.operations_per_s).fold(0.0, f64::max);
        let least = found.points.iter().filter_map(|point| point.credits_share).fold(1.0, f64::min);
        assert_eq!((most, least), (5000.0, 0.0));
        assert_eq!(timeline(&demand, &demand, None, None).points[0].credits_share, None);
    }
}
