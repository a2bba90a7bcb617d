//! What runs of a step come to, as figures with intervals.

use fathom_measure::Histogram;
use fathom_record::campaign::{Quantity, StepFigure};
use fathom_record::latency::LatencySummary;
use fathom_record::run_record::RunEnding;
use fathom_record::telemetry::{MetricSeries, Telemetry};
use fathom_record::{Direction, RunRecord};
use fathom_stats::student;

use crate::cells::interval_share;

/// Means over runs that came to their end, each with the interval that the runs give it; a figure that one of them
/// does not have is left out.
pub fn figures(runs: &[RunRecord]) -> Vec<StepFigure> {
    let whole: Vec<&RunRecord> = runs.iter().filter(|run| run.ending == RunEnding::Complete).collect();
    let of_runs: Vec<Vec<(Quantity, Option<Direction>, f64)>> = whole.iter().map(|run| of_run(run)).collect();
    let Some((first, rest)) = of_runs.split_first() else { return Vec::new() };
    let mut out = Vec::new();
    for (quantity, direction, value) in first {
        let same = |list: &Vec<(Quantity, Option<Direction>, f64)>| {
            list.iter().find(|(q, d, _)| q == quantity && d == direction).map(|(.., value)| *value)
        };
        let Some(mut values) = rest.iter().map(same).collect::<Option<Vec<f64>>>() else { continue };
        values.insert(0, *value);
        if let Some(value) = student::mean(&values) {
            let half_width_share = interval_share(&values);
            out.push(StepFigure { quantity: *quantity, direction: *direction, value, half_width_share });
        }
    }
    out
}

fn of_run(run: &RunRecord) -> Vec<(Quantity, Option<Direction>, f64)> {
    let summary = &run.summary;
    let rate = summary.operations_per_s();
    let mut out =
        vec![(Quantity::Iops, None, rate), (Quantity::Throughput, None, summary.throughput_bytes_per_s())];
    let mut all = Histogram::new();
    for direction in &summary.directions {
        if let Some(Ok(service)) = direction.service_histogram.as_ref().map(Histogram::try_from) {
            all.merge(&service);
        }
    }
    let mut put = |quantity, direction, value: Option<f64>| {
        out.extend(value.filter(|value| value.is_finite()).map(|value| (quantity, direction, value)));
    };
    put(Quantity::Mean, None, all.mean().or_else(|| summary.service_mean_ns()));
    if let Some(latency) = LatencySummary::of(&all) {
        for (quantity, q) in Quantity::ORDERS {
            put(quantity, None, latency.quantile_ns(q).map(|ns| ns as f64));
        }
    }
    for direction in [Direction::Read, Direction::Write] {
        let Some(found) = summary.direction(direction) else { continue };
        put(Quantity::Iops, Some(direction), Some(found.operations_per_s));
        put(Quantity::Throughput, Some(direction), Some(found.throughput_bytes_per_s));
        let Some(latency) = &found.service else { continue };
        put(Quantity::Mean, Some(direction), Some(latency.mean_ns));
        for (quantity, q) in Quantity::ORDERS {
            put(quantity, Some(direction), latency.quantile_ns(q).map(|ns| ns as f64));
        }
    }
    put(Quantity::Cpu, None, busy_share(run));
    let cpu_ns = summary.cpu_user_ns.zip(summary.cpu_system_ns).map(|(user, system)| (user + system) as f64);
    let count = summary.operations().filter(|count| *count > 0).map(|count| count as f64);
    put(Quantity::CpuPerIo, None, cpu_ns.zip(count).map(|(ns, count)| ns / count));
    let asked = f64::from(run.workload.jobs) * f64::from(run.workload.depth);
    put(Quantity::InFlight, None, summary.in_flight());
    put(Quantity::InFlightShare, None, summary.in_flight().map(|found| found / asked));
    out
}

/// What the run's own process took of the machine: the kernel counts that in full. A kernel that lets no tick out counts idle
/// time by looks at every tick, and never sees work that starts with one and ends before the next.
fn own_share(run: &RunRecord) -> f64 {
    let summary = &run.summary;
    let took_ns = summary.cpu_user_ns.zip(summary.cpu_system_ns).map_or(0, |(user, system)| user + system);
    let had_ns = summary.duration_ns.saturating_mul(u64::from(run.environment.cpus));
    if had_ns == 0 { 0.0 } else { took_ns as f64 / had_ns as f64 }
}

/// Busy share of the machine that made the load; of a sum, mean of its clients' machines, where each was seen.
fn busy_share(run: &RunRecord) -> Option<f64> {
    let of = |seen: &Telemetry| seen.find("cpu.busy", "").and_then(MetricSeries::mean);
    let Some(facts) = run.clients.as_deref() else {
        return of(&run.telemetry).map(|seen| seen.max(own_share(run)).min(1.0));
    };
    student::mean(&facts.clients.iter().map(|part| of(&part.telemetry)).collect::<Option<Vec<f64>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_as_busy_as_its_measuring_process_at_least() {
        let record = include_bytes!("../../../../fuzz/seeds/record/run.json");
        let mut run = fathom_record::parse_run(record).unwrap();
        run.clients = None;
        run.environment.cpus = 4;
        run.summary.duration_ns = 1_000_000_000;
        (run.summary.cpu_user_ns, run.summary.cpu_system_ns) = (Some(900_000_000), Some(300_000_000));
        run.telemetry.series.clear();
        assert_eq!(busy_share(&run), None, "the machine was not looked at");
        for (seen, told) in [(0.01, 0.3), (0.5, 0.5)] {
            run.telemetry.series = vec![MetricSeries {
                metric: "cpu.busy".to_owned(),
                label: String::new(),
                unit: "share".to_owned(),
                source: "/proc/stat".to_owned(),
                values: vec![Some(seen)],
            }];
            assert_eq!(busy_share(&run), Some(told));
        }
    }
}
