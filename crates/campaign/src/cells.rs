//! Runs at the same jobs and depth, put together: what they measured and what was seen beside them.

use std::collections::BTreeMap;

use fathom_attribute::{CellTelemetry, Connections, TargetCores};
use fathom_measure::Histogram;
use fathom_record::campaign::{CellResult, Slo};
use fathom_record::client_facts::TargetSide;
use fathom_record::facts::TargetKind;
use fathom_record::latency::LatencySummary;
use fathom_record::run_record::RunEnding;
use fathom_record::telemetry::{MetricSeries, Telemetry};
use fathom_record::workload::Arrival;
use fathom_record::{CheckName, CheckOutcome, Direction, RunRecord, SparseHistogram};
use fathom_stats::{MeasuredCell, coefficient_of_variation, student};

/// Two runs give an interval twelve times their scatter: true, and no help to anybody.
const LEAST_RUNS: usize = 3;

/// One entry a cell in each list, in the order in which cells were first measured.
pub struct Cells {
    pub results: Vec<CellResult>,
    pub telemetry: Vec<CellTelemetry>,
    pub observed: Vec<MeasuredCell>,
}

impl Cells {
    /// Groups runs by cell. Runs that did not come to their end are left out.
    pub fn of(runs: &[RunRecord], slo: Option<Slo>) -> Self {
        let mut order: Vec<(u32, u32)> = Vec::new();
        let mut groups: BTreeMap<(u32, u32), Vec<&RunRecord>> = BTreeMap::new();
        for run in runs.iter().filter(|run| run.ending == RunEnding::Complete) {
            let key = (run.workload.jobs, run.workload.depth);
            if !groups.contains_key(&key) {
                order.push(key);
            }
            groups.entry(key).or_default().push(run);
        }
        let mut cells = Self { results: Vec::new(), telemetry: Vec::new(), observed: Vec::new() };
        for key in order {
            let (group, disturbed) = sound(&groups[&key]);
            let group = group.as_slice();
            // Runs of this program have every distribution.
            let service = merged_service(group).unwrap_or_default();
            let mut result = put_together(key, group, &service);
            result.disturbed_runs = disturbed;
            cells.observed.push(MeasuredCell {
                jobs: key.0,
                depth: key.1,
                x_per_s: result.operations_per_s,
                r_ns: result.service_mean_ns,
                quantile_ns: slo.and_then(|slo| resolved(&service, slo.quantile)),
            });
            cells.telemetry.push(telemetry_of(group));
            cells.results.push(result);
        }
        cells
    }
}

/// Self-checks that fail where something else came between for a moment. A fault of target or engine is not among
/// them: it is told however often the same went well.
const MOMENTARY: [CheckName; 5] = [
    CheckName::Standstill,
    CheckName::InFlight,
    CheckName::LittlesLaw,
    CheckName::GeneratorLag,
    CheckName::OfferedRate,
];

/// The runs of a cell that its figures rest on, and the others: those that were disturbed for a moment, where at least
/// as many were not.
fn sound<'a>(group: &[&'a RunRecord]) -> (Vec<&'a RunRecord>, Vec<String>) {
    let is_disturbed = |run: &RunRecord| {
        let mut failed = run.failed_checks().peekable();
        failed.peek().is_some() && failed.all(|check| MOMENTARY.contains(&check.name))
    };
    let (disturbed, rest): (Vec<&RunRecord>, Vec<&RunRecord>) =
        group.iter().partition(|run| is_disturbed(run));
    let whole = rest.iter().filter(|run| run.failed_checks().next().is_none()).count();
    if disturbed.is_empty() || whole < disturbed.len() {
        return (group.to_vec(), Vec::new());
    }
    (rest, disturbed.into_iter().map(|run| run.id.clone()).collect())
}

/// Mean over runs of what a check found, where it ended in one of these ways.
fn found(group: &[&RunRecord], name: CheckName, outcomes: &[CheckOutcome]) -> Option<f64> {
    let checks = group.iter().filter_map(|run| run.checks.iter().find(|check| check.name == name));
    let values = checks.filter(|check| outcomes.contains(&check.outcome)).filter_map(|check| check.value);
    student::mean(&values.collect::<Vec<_>>())
}

/// What runs of one cell come to; `None` where none of them came to its end, or another tool measured them and
/// told no distribution.
pub fn result_of(runs: &[RunRecord]) -> Option<CellResult> {
    let group: Vec<&RunRecord> = runs.iter().filter(|run| run.ending == RunEnding::Complete).collect();
    let first = group.first()?;
    let place = (first.workload.jobs, first.workload.depth);
    Some(put_together(place, &group, &merged_service(&group)?))
}

/// Relative half-width of the 95 % interval of a rate over runs; `None` under three runs.
pub fn interval_share(rates: &[f64]) -> Option<f64> {
    student::mean_interval(rates).filter(|interval| interval.runs >= LEAST_RUNS)?.half_width_share()
}

/// A quantile that at least ten values lie beyond, in nanoseconds.
fn resolved(service: &Histogram, q: f64) -> Option<f64> {
    let beyond = (1.0 - q) * service.count() as f64;
    (beyond >= 10.0).then(|| service.quantile(q)).flatten().map(|ns| ns as f64)
}

/// Service latencies of all directions and runs. A histogram that contradicts itself cannot come from
/// this program, and is left out; `None` where a direction has none.
fn merged_service(group: &[&RunRecord]) -> Option<Histogram> {
    let mut service = Histogram::new();
    for direction in group.iter().flat_map(|run| &run.summary.directions) {
        if let Ok(histogram) = Histogram::try_from(direction.service_histogram.as_ref()?) {
            service.merge(&histogram);
        }
    }
    Some(service)
}

fn put_together((jobs, depth): (u32, u32), group: &[&RunRecord], service: &Histogram) -> CellResult {
    let over =
        |figure: &dyn Fn(&RunRecord) -> f64| -> Vec<f64> { group.iter().map(|run| figure(run)).collect() };
    let mean = |figure: &dyn Fn(&RunRecord) -> f64| student::mean(&over(figure)).unwrap_or(0.0);
    let rates = over(&|run| run.summary.operations_per_s());
    let stated = |figure: &dyn Fn(&RunRecord) -> Option<f64>| -> Vec<f64> {
        group.iter().filter_map(|run| figure(run)).collect()
    };
    let quantiles = LatencySummary::of(service).unwrap_or_default();
    let mut failed: Vec<String> = Vec::new();
    for check in group.iter().flat_map(|run| run.failed_checks()) {
        if !failed.contains(&check.explanation) {
            failed.push(check.explanation.clone());
        }
    }
    CellResult {
        jobs,
        depth,
        runs: group.iter().map(|run| run.id.clone()).collect(),
        operations_per_s: mean(&|run| run.summary.operations_per_s()),
        throughput_bytes_per_s: mean(&|run| run.summary.throughput_bytes_per_s()),
        interval_share: interval_share(&rates),
        in_flight_mean: mean(&|run| run.summary.in_flight().unwrap_or(0.0)),
        // Tools that print no histogram still print a mean.
        service_mean_ns: service
            .mean()
            .or_else(|| student::mean(&stated(&|run| run.summary.service_mean_ns())))
            .unwrap_or(0.0),
        service_p50_ns: quantiles.quantile_ns(0.5).unwrap_or(0),
        service_p99_ns: quantiles.quantile_ns(0.99),
        service_p999_ns: quantiles.quantile_ns(0.999),
        cpu_ns_per_operation: cpu_per_operation(group),
        busiest_core_share: core_shares(group).into_iter().max_by(f64::total_cmp),
        others_cpu_share: found(
            group,
            CheckName::OtherPrograms,
            &[CheckOutcome::Pass, CheckOutcome::Caution],
        ),
        others_device_share: found(group, CheckName::OtherLoad, &[CheckOutcome::Caution]),
        disturbed_runs: Vec::new(),
        failed_checks: failed,
    }
}

fn cpu_per_operation(group: &[&RunRecord]) -> Option<f64> {
    let cpu = |run: &RunRecord| Some(run.summary.cpu_user_ns? + run.summary.cpu_system_ns?);
    let total: u64 = group.iter().map(|run| cpu(run)).sum::<Option<u64>>()?;
    let operations: u64 = group.iter().map(|run| run.summary.operations()).sum::<Option<u64>>()?;
    (operations > 0).then(|| total as f64 / operations as f64)
}

/// Busy share of each processor, mean over the runs' samples; of a sum, of the client whose busiest processor is busiest.
fn core_shares(group: &[&RunRecord]) -> Vec<f64> {
    let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for series in group.iter().flat_map(|run| generating(run)).flat_map(|seen| seen.all("cpu.busy")) {
        if !series.label.is_empty() {
            shares.entry(&series.label).or_default().extend(series.values.iter().flatten());
        }
    }
    shares.values().filter_map(|values| student::mean(values)).collect()
}

/// The telemetry of the machine that made the load. Of a sum it is that of the client with the busiest processor; of no
/// client that shares its machine with the target, since nobody knows whose work its processors do.
fn generating(run: &RunRecord) -> Option<&Telemetry> {
    let Some(facts) = run.clients.as_deref() else { return Some(&run.telemetry) };
    let served = facts.target_side.as_ref().map(|side| side.host.as_str());
    let busiest = |seen: &Telemetry| {
        let of_one = seen.all("cpu.busy").filter(|series| !series.label.is_empty());
        of_one.filter_map(MetricSeries::mean).fold(0.0, f64::max)
    };
    let apart = facts.clients.iter().filter(|part| served != Some(part.host.as_str()));
    apart.map(|part| &part.telemetry).max_by(|a, b| busiest(a).total_cmp(&busiest(b)))
}

/// What the target's machine showed of its processors, where an agent was there.
fn target_cores(group: &[&RunRecord]) -> Option<TargetCores> {
    let sides = || group.iter().filter_map(|run| run.clients.as_deref()?.target_side.as_deref());
    let mean =
        |of: fn(&TargetSide) -> Option<f64>| student::mean(&sides().filter_map(of).collect::<Vec<_>>());
    Some(TargetCores { busiest_share: mean(TargetSide::busiest)?, mean_share: mean(TargetSide::mean_core) })
}

/// A run without the histograms of its seconds, which are in the store: rates and totals of each second
/// stay, at a twentieth of the memory.
pub fn without_histograms(mut run: RunRecord) -> RunRecord {
    let empty = SparseHistogram::from(&Histogram::new());
    for direction in run.intervals.iter_mut().flat_map(|interval| &mut interval.directions) {
        (direction.service, direction.response) = (empty.clone(), None);
    }
    run
}

/// Rates of the whole seconds of a run's measured window.
pub fn rates_by_second(run: &RunRecord) -> Vec<f64> {
    const WHOLE_NS: u64 = 990_000_000;
    let measured =
        run.intervals.iter().filter(|interval| !interval.warmup && interval.duration_ns >= WHOLE_NS);
    measured.map(|interval| interval.operations() as f64 / (interval.duration_ns as f64 / 1e9)).collect()
}

fn telemetry_of(group: &[&RunRecord]) -> CellTelemetry {
    let mean_of = |figures: Vec<f64>| student::mean(&figures);
    let busy = group.iter().filter(|run| !run.workload.arrival.is_open());
    let variations = group.iter().filter_map(|run| coefficient_of_variation(&rates_by_second(run)));
    let user: Option<u64> = group.iter().map(|run| run.summary.cpu_user_ns).sum();
    let system: Option<u64> = group.iter().map(|run| run.summary.cpu_system_ns).sum();
    CellTelemetry {
        seconds: group.iter().map(|run| run.summary.duration_ns as f64 / 1e9).sum(),
        core_busy_shares: core_shares(group),
        generator_busy_share: mean_of(busy.filter_map(|run| run.summary.generator_busy_share).collect()),
        generator_user_share: user
            .zip(system)
            .and_then(|(user, system)| (user + system > 0).then(|| user as f64 / (user + system) as f64)),
        rate_variation: mean_of(variations.collect()),
        rate_change: rate_change(group),
        device_bytes_share: device_bytes_share(group),
        asked_share: asked_share(group),
        simulated_time: group.iter().all(|run| run.is_virtual()),
        steal_share: mean_of(
            group
                .iter()
                .filter_map(|run| run.telemetry.find("cpu.steal", "").and_then(|s| s.mean()))
                .collect(),
        ),
        quota_share: highest_share(group, &["cgroup.cpu_throttled"]),
        heat_share: highest_share(group, &["nvme.throttled", "nvme.hot", "nvme.temperature_warning"]),
        volume_iops_exceeded_share: highest_share(group, &["nvme.volume_iops_exceeded"]),
        volume_throughput_exceeded_share: highest_share(group, &["nvme.volume_throughput_exceeded"]),
        instance_exceeded_share: highest_share(group, &INSTANCE_EXCEEDED),
        connections: connections(group),
        target_cores: target_cores(group),
    }
}

/// What an instance counts of its own limits.
const INSTANCE_EXCEEDED: [&str; 2] = ["nvme.instance_iops_exceeded", "nvme.instance_throughput_exceeded"];

/// What the kernel said of the connections of the runs' jobs; none where nobody asked it.
fn connections(group: &[&RunRecord]) -> Option<Connections> {
    let all = |metric: &'static str| group.iter().flat_map(move |run| run.telemetry.all(metric));
    let means = |metric| -> Vec<f64> { all(metric).filter_map(MetricSeries::mean).collect() };
    let sum = |metric| Some(means(metric)).filter(|means| !means.is_empty()).map(|means| means.iter().sum());
    let share = |part, whole| -> Option<f64> {
        let (part, whole): (f64, f64) = (sum(part)?, sum(whole)?);
        (whole > 0.0).then(|| (part / whole).min(1.0))
    };
    let round_trips = all("tcp.min_rtt").flat_map(|series| series.values.iter().flatten().copied());
    // A read's connection sends commands alone, which never fill a window.
    let (sent, received): (f64, f64) = (sum("tcp.sent")?, sum("tcp.received")?);
    let resent = share("tcp.retransmitted", "tcp.sent");
    let reordered = share("tcp.out_of_order", "tcp.segments_in");
    Some(Connections {
        least_rtt_ns: round_trips.min_by(f64::total_cmp)?,
        resent_share: resent.into_iter().chain(reordered).max_by(f64::total_cmp),
        window_share: share("tcp.unacknowledged", "tcp.window").filter(|_| sent > received),
        receiver_limited_share: student::mean(&means("tcp.receiver_limited")),
        buffer_limited_share: student::mean(&means("tcp.buffer_limited")),
    })
}

/// Highest of the runs' mean shares of time over metrics and labels; `None` where none was sampled.
fn highest_share(group: &[&RunRecord], metrics: &[&str]) -> Option<f64> {
    let of_run = |run: &RunRecord| {
        let all = run.telemetry.series.iter().filter(|series| metrics.contains(&series.metric.as_str()));
        all.filter_map(|series| series.mean()).max_by(f64::total_cmp)
    };
    group.iter().filter_map(|run| of_run(run)).max_by(f64::total_cmp)
}

/// Rate of the last sixth of a run over that of its first sixth: of the run that changed most.
pub fn rate_change(group: &[&RunRecord]) -> Option<f64> {
    const LEAST_SECONDS: usize = 6;
    let changes = group.iter().filter_map(|run| {
        let rates = rates_by_second(run);
        let part = rates.len() / LEAST_SECONDS;
        let first = student::mean(rates.get(..part).filter(|part| !part.is_empty())?)?;
        let last = student::mean(&rates[rates.len() - part..])?;
        (first > 0.0 && last > 0.0).then_some(last / first)
    });
    changes.max_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()))
}

/// Rate over the rate that was asked for, of open loops.
fn asked_share(group: &[&RunRecord]) -> Option<f64> {
    let shares = group.iter().filter_map(|run| {
        let (Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s }) = run.workload.arrival
        else {
            return None;
        };
        (rate_per_s > 0.0).then(|| run.summary.operations_per_s() / rate_per_s)
    });
    student::mean(&shares.collect::<Vec<_>>())
}

/// Bytes that the disk under the target moved, over those of the workload; of the lowest layer that is
/// one disk. NVMe commands pass the block layer's counters and say nothing. Where I/O past the page cache moved
/// nothing at all, the counters are off, as in memory by default, or count elsewhere, as the paths of a multipath
/// namespace do.
fn device_bytes_share(group: &[&RunRecord]) -> Option<f64> {
    let shares = group.iter().filter(|run| run.target.kind != TargetKind::NvmeNamespace).filter_map(|run| {
        let disk = |layer: &str| matches!(layer, "disk" | "memory");
        let device = run.target.devices.iter().rev().find(|device| disk(&device.layer))?;
        let mean = |metric: &str| run.telemetry.find(metric, &device.name).and_then(|series| series.mean());
        let moved = mean("disk.read_bytes")? + mean("disk.write_bytes")?;
        let data = |direction| run.summary.direction(direction).map_or(0.0, |d| d.throughput_bytes_per_s);
        let asked = data(Direction::Read) + data(Direction::Write);
        (asked > 0.0 && (moved > 0.0 || !run.target.direct)).then_some(moved / asked)
    });
    student::mean(&shares.collect::<Vec<_>>())
}
