//! The least plain caps that hold a demand, found by halves: more of a cap never makes an I/O later.

use std::sync::Arc;

use fathom_record::sizing_record::Requirement;

use crate::accounting::Accounting;
use crate::demand::Demand;
use crate::lateness::{Arrivals, Patience};
use crate::shaper::Shaper;

/// The least rates of I/Os and of bytes, each by itself, without a margin.
pub fn requirement(demand: &Demand, patience: Patience, precision: Precision) -> Requirement {
    let ios: Arc<[u64]> = demand.operations().into();
    let accounting = Accounting::SOLID_STATE;
    let arrivals = |units: Vec<u64>| Arrivals::new(demand.tick_s, units, Arc::clone(&ios));
    let [operations, bytes] = [accounting.operations(demand), accounting.bytes(demand)].map(arrivals);
    of_arrivals(demand, [&operations, &bytes], patience, precision)
}

/// As [`requirement`], of a demand whose I/Os and bytes are counted already as solid-state volumes do.
pub fn of_arrivals(
    demand: &Demand,
    [operations, bytes]: [&Arrivals; 2],
    patience: Patience,
    precision: Precision,
) -> Requirement {
    let operations_per_s = least(operations, patience, precision);
    let least_per_s = match demand.counted {
        Some(_) => operations_per_s,
        None => {
            let units = Accounting::SOLID_STATE.least_operations(demand);
            let ios = Arc::clone(operations.ios_by_tick());
            least(&Arrivals::new(demand.tick_s, units, ios), patience, precision)
        }
    };
    let bytes_per_s = least(bytes, patience, precision);
    Requirement { operations_per_s, operations_least_per_s: Some(least_per_s), bytes_per_s }
}

/// How near the least cap is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// To the last unit.
    Exact,
    /// A cap that holds, above the least by at most one in 2,000: half the steps of margins.
    Margin,
}

/// The least plain cap that makes no more of the arrivals late than is allowed.
pub fn least(arrivals: &Arrivals, patience: Patience, precision: Precision) -> u64 {
    let allowed = patience.allowed(arrivals.ios());
    let holds = |per_s: u64| arrivals.late(&Shaper::cap(per_s), patience.ticks, allowed).is_some();
    let (mut low, mut high) = (0, arrivals.peak_per_s());
    let near = |high: u64| if precision == Precision::Exact { 0 } else { high / 2000 };
    while high - low > near(high) {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Flow;
    use crate::tick_counts::TickCounts;

    #[test]
    fn a_burst_is_spread_over_what_one_waits_for() {
        let mut operations = vec![100u64; 100];
        operations[50] = 1100;
        let flow =
            |operations: Vec<u64>| Flow { bytes: operations.iter().map(|o| o * 4096).collect(), operations };
        let (read, write) = (flow(operations), flow(vec![0; 100]));
        let counted = Some(TickCounts::of_equal_sizes(&read, &write));
        let demand = Demand { tick_s: 1, read, write, gaps: Vec::new(), counted };
        let of = |ticks| requirement(&demand, Patience { ticks, late_millionths: 0 }, Precision::Exact);
        let need = |ticks| of(ticks).operations_per_s;
        // With n ticks to wait, the burst and what comes before it must leave within n + 1 ticks.
        assert_eq!((need(1), need(4)), (550, 220));
        assert_eq!((of(1).bytes_per_s, of(1).operations_least_per_s), (550 * 4096, Some(550)));
    }
}
