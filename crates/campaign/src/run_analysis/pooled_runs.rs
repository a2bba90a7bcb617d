//! Runs of one workload on one target, put together: each run is one value.

use fathom_record::analysis_record::{AnalysedRun, AnalysedWorkload};
use fathom_stats::paired_comparison::workloads_comparable;
use fathom_stats::student;
use fathom_stats::tail::quantile_over_runs;

use super::AnalysedRunFacts;
use crate::cells::interval_share;

/// Quantiles that are compared over runs.
const OVER_RUNS: [f64; 3] = [0.5, 0.99, 0.999];

/// One entry a workload, and the runs with the place of theirs.
pub fn together(
    heads: &[&AnalysedRunFacts],
    mut runs: Vec<AnalysedRun>,
) -> (Vec<AnalysedWorkload>, Vec<AnalysedRun>) {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, head) in heads.iter().enumerate() {
        let is_same = |group: &Vec<usize>| {
            let first = heads[group[0]];
            first.target == head.target && workloads_comparable(&first.workload, &head.workload, &[]).is_ok()
        };
        let place = groups.iter().position(is_same).unwrap_or_else(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(at);
        runs[at].workload = place as u32;
    }
    let workloads = groups
        .iter()
        .map(|group| {
            let own: Vec<&AnalysedRun> = group.iter().map(|at| &runs[*at]).collect();
            workload(&heads[group[0]].title, &own)
        })
        .collect();
    (workloads, runs)
}

fn workload(title: &str, runs: &[&AnalysedRun]) -> AnalysedWorkload {
    let rates: Vec<f64> = runs.iter().filter_map(|run| run.rate_per_s).collect();
    let over = |q: f64| {
        let value = |run: &&AnalysedRun| run.quantiles.iter().find(|found| found.q == q)?.value_ns;
        let values: Vec<f64> = runs.iter().filter_map(value).map(|ns| ns as f64).collect();
        // A run that does not resolve it may be the one with the longest tail.
        (values.len() == runs.len()).then(|| quantile_over_runs(q, &values).ok()).flatten()
    };
    AnalysedWorkload {
        title: title.to_owned(),
        runs: runs.len() as u32,
        settled: runs.iter().filter(|run| run.steadiness.verdict.is_settled()).count() as u32,
        rate_per_s: student::mean(&rates),
        rate_half_width_share: interval_share(&rates),
        quantiles: OVER_RUNS.into_iter().filter_map(over).collect(),
    }
}
