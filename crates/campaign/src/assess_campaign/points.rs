//! Chooses operating points and says why.

use fathom_measure::Nanos;
use fathom_record::campaign::{OperatingPoint, OperatingPointKind, Slo};
use fathom_stats::{MeasuredCell, balanced, peak, slo};

/// Rates that differ by less are taken for one.
const TIE: f64 = 0.02;

/// The operating points of a pattern, and the peak's cell. A cell of which a self-check failed is passed over where one
/// that `holds` reaches its rate.
pub fn choose(
    cells: &[MeasuredCell],
    holds: &[bool],
    objective: Option<Slo>,
) -> (Vec<OperatingPoint>, Option<usize>) {
    let of_all = choose_among(cells, objective);
    if of_all.0.iter().all(|point| holds.get(point.cell) == Some(&true)) {
        return of_all;
    }
    let places: Vec<usize> = (0..cells.len()).filter(|at| holds.get(*at) == Some(&true)).collect();
    let sound: Vec<MeasuredCell> = places.iter().map(|at| cells[*at]).collect();
    let highest = |cells: &[MeasuredCell]| cells.iter().map(|cell| cell.x_per_s).fold(0.0, f64::max);
    let (mut points, focus) = choose_among(&sound, objective);
    if points.is_empty() || highest(&sound) < (1.0 - TIE) * highest(cells) {
        return of_all;
    }
    points.iter_mut().for_each(|point| point.cell = places[point.cell]);
    (points, focus.map(|at| places[at]))
}

/// The same of all of these. Of one test point alone nobody knows whether it is a peak, or balanced.
fn choose_among(cells: &[MeasuredCell], objective: Option<Slo>) -> (Vec<OperatingPoint>, Option<usize>) {
    let mut points = Vec::new();
    let several = cells.len() > 1;
    if let Some(point) = balanced(cells).filter(|_| several) {
        let latency = point
            .latency_factor
            .map_or(String::new(), |factor| format!(" at {factor:.1} times the unloaded latency"));
        let reason = format!(
            "best balance of rate and latency: {:.0} % of the highest rate{latency}",
            point.rate_share * 100.0
        );
        points.push(OperatingPoint { kind: OperatingPointKind::Balanced, cell: point.index, reason });
    }
    let highest = peak(cells);
    if let Some(point) = highest.as_ref().filter(|_| several) {
        let edge = if point.at_edge { "; the highest concurrency tried, so more may be there" } else { "" };
        let reason = format!(
            "least concurrency within 2 % of the highest rate seen ({:.1} %){edge}",
            point.rate_share * 100.0
        );
        points.push(OperatingPoint { kind: OperatingPointKind::Peak, cell: point.index, reason });
    }
    if let Some(objective) = objective
        && let Some(point) = slo(cells, objective.limit_ns as f64)
    {
        let reason = format!(
            "highest rate that holds {} at the {} quantile: {}",
            Nanos(objective.limit_ns),
            objective.quantile,
            Nanos(point.quantile_ns as u64)
        );
        points.push(OperatingPoint { kind: OperatingPointKind::Slo, cell: point.index, reason });
    }
    (points, highest.map(|point| point.index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(depth: u32, x_per_s: f64, r_ns: f64) -> MeasuredCell {
        MeasuredCell { jobs: 1, depth, x_per_s, r_ns, quantile_ns: None }
    }

    #[test]
    fn a_cell_that_failed_is_passed_over_where_one_that_holds_is_as_fast() {
        let cells =
            [cell(1, 100.0, 1e7), cell(64, 990.0, 6.4e7), cell(128, 1000.0, 1.28e8), cell(32, 500.0, 6.4e7)];
        let peak = |holds: [bool; 4]| choose(&cells, &holds, None).1;
        let unhurt = choose(&cells, &[true; 4], None);
        assert_eq!(unhurt, choose_among(&cells, None));
        assert_eq!(peak([true, true, false, true]), Some(1), "a failed neighbour changes nothing");
        assert_eq!(peak([true, false, true, true]), Some(2), "the other one is as fast");
        // Nothing that holds comes near: what is published is what was seen, and it fails.
        assert_eq!(peak([true, false, false, true]), unhurt.1);
        assert_eq!(peak([false; 4]), unhurt.1);
    }

    fn observed(depth: u32, x_per_s: f64) -> MeasuredCell {
        let r_ns = f64::from(depth) / x_per_s * 1e9;
        MeasuredCell { jobs: 1, depth, x_per_s, r_ns, quantile_ns: Some(r_ns * 2.0) }
    }

    #[test]
    fn one_test_point_is_neither_a_peak_nor_a_balance_and_may_hold_an_objective() {
        let one = [observed(1, 20_500.0)];
        let (points, focus) = choose_among(&one, None);
        assert!(points.is_empty(), "{points:?}");
        assert_eq!(focus, Some(0), "what limits it can still be asked");
        let slo = Slo { quantile: 0.99, limit_ns: 1_000_000 };
        let kinds: Vec<_> = choose_among(&one, Some(slo)).0.iter().map(|point| point.kind).collect();
        assert_eq!(kinds, [OperatingPointKind::Slo]);
        let two = [observed(1, 20_500.0), observed(4, 60_000.0)];
        assert!(choose_among(&two, None).0.len() >= 2);
    }
}
