//! Percentiles from fio's coarse table of latencies, where it prints no others.

use fathom_order::InOrder;
use fathom_record::latency::{QUANTILES, Quantile};
use fathom_record::run_record::DirectionSummary;

use super::result_document::Job;

/// Gives the only direction of one job the quantiles of the table, each with the edges of its step. The table
/// is of completion latencies and of all directions, so with two of them it is of neither.
pub fn fill(jobs: &[Job], directions: &mut [DirectionSummary]) {
    let ([job], [direction]) = (jobs, directions) else { return };
    let Some(completion) = &mut direction.completion else { return };
    if completion.quantiles.is_empty() {
        completion.quantiles = quantiles(&job.steps);
    }
}

/// Quantiles by the steps that they lie in, in order.
fn quantiles(steps: &[(Option<u64>, f64)]) -> Vec<Quantile> {
    let mut steps: Vec<(u64, f64)> = steps.iter().filter_map(|(edge, p)| Some(((*edge)?, *p))).collect();
    steps.put_in_order_by_key(|(edge, _)| *edge);
    let mut out = Vec::new();
    for q in QUANTILES {
        let (mut below, mut low_ns) = (0.0, 0);
        for (edge, percent) in &steps {
            if below + percent >= q * 100.0 && *percent > 0.0 {
                let high_ns = *edge;
                out.push(Quantile { q, value_ns: low_ns + (high_ns - low_ns) / 2, low_ns, high_ns });
                break;
            }
            (below, low_ns) = (below + percent, *edge);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_lies_in_the_step_that_reaches_its_share() {
        let steps = [(Some(250_000), 40.0), (Some(500_000), 55.0), (Some(750_000), 4.5), (None, 0.5)];
        let found = quantiles(&steps);
        let at = |q: f64| found.iter().find(|entry| entry.q == q).map(|entry| (entry.low_ns, entry.high_ns));
        assert_eq!((at(0.25), at(0.5)), (Some((0, 250_000)), Some((250_000, 500_000))));
        assert_eq!(at(0.99), Some((500_000, 750_000)));
        assert_eq!(at(0.999), None, "above the last edge nothing is known");
    }
}
