//! Chooses operating points and says why.

use fathom_measure::Nanos;
use fathom_record::campaign::{OperatingPoint, OperatingPointKind, PatternResult, Slo};
use fathom_stats::{Observed, balanced, peak, slo};

/// The operating points of a pattern, and the peak's cell.
pub fn choose(cells: &[Observed], objective: Option<Slo>) -> (Vec<OperatingPoint>, Option<usize>) {
    let mut points = Vec::new();
    if let Some(point) = balanced(cells) {
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
    if let Some(point) = &highest {
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

/// A remark when an objective was set and no measured cell is known to hold it.
pub fn unmet(pattern: &PatternResult, objective: Option<Slo>) -> Option<String> {
    let objective = objective?;
    let met = pattern.operating_points.iter().any(|point| point.kind == OperatingPointKind::Slo);
    (!met && !pattern.cells.is_empty()).then(|| {
        format!(
            "{}: no concurrency measured is known to hold {} at the {} quantile.",
            pattern.title,
            Nanos(objective.limit_ns),
            objective.quantile
        )
    })
}
