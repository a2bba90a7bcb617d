//! A device as a formula, and runs on it.

use std::collections::BTreeMap;

use fathom_measure::Histogram;
use fathom_measure::histogram::{RELATIVE_WIDTH, bucket_of};
use fathom_record::check::{CheckName, CheckOutcome};
use fathom_record::environment_facts::{Environment, Fact, Preflight, Severity};
use fathom_record::facts::*;
use fathom_record::run_record::*;
use fathom_record::telemetry::{AbsentSource, MetricSeries, Telemetry};
use fathom_record::workload::*;
use fathom_record::*;

/// X(N) = ((N/R0)^-p + Xm^-p)^(-1/p), with lognormal latencies around N/X.
#[derive(Clone, Copy)]
pub struct Device {
    pub unloaded_ns: f64,
    pub most_per_s: f64,
    pub sharpness: f64,
}

impl Device {
    pub fn rate_per_s(&self, in_flight: f64) -> f64 {
        let free = in_flight / self.unloaded_ns * 1e9;
        (free.powf(-self.sharpness) + self.most_per_s.powf(-self.sharpness)).powf(-1.0 / self.sharpness)
    }
}

/// What a run is made like.
#[derive(Clone, Copy)]
pub struct Shape {
    pub read_share: f64,
    pub bytes: u64,
    pub jobs: u32,
    pub depth: u32,
    pub seconds: u64,
    pub warmup_seconds: u64,
    pub seed: u64,
    pub random: bool,
}

pub fn noise(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*state >> 33) as f64 / (1u64 << 31) as f64 - 0.5) * 2.0
}

/// Inverse of the normal distribution, near enough (Tukey's lambda).
fn normal(q: f64) -> f64 {
    (q.powf(0.1349) - (1.0 - q).powf(0.1349)) / 0.1975
}

/// `count` latencies around `mean_ns`, with a tail of stalls from `1 - stalls` on.
pub fn latencies(mean_ns: f64, spread: f64, count: u64, stalls: f64) -> Histogram {
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut sum, mut min, mut max, mut given) = (0u128, u64::MAX, 0u64, 0u64);
    let mut edges: Vec<f64> = (0..180).map(|step| step as f64 / 200.0).collect();
    edges.extend((20..=100).map(|step| 1.0 - 10f64.powf(-f64::from(step) / 20.0)));
    edges.push(1.0);
    for pair in edges.windows(2) {
        let upto = (pair[1] * count as f64).round() as u64;
        let here = upto.saturating_sub(given);
        if here == 0 {
            continue;
        }
        given = upto;
        let q = (pair[0] + pair[1]) / 2.0;
        let stall = if q > 1.0 - stalls { 6.0 } else { 1.0 };
        let value = (mean_ns * (spread * normal(q) - spread * spread / 2.0).exp() * stall) as u64;
        *counts.entry(bucket_of(value)).or_insert(0) += here;
        sum += u128::from(value) * u128::from(here);
        min = min.min(value);
        max = max.max(value);
    }
    Histogram::from_parts(counts, sum, min, max).unwrap()
}

fn workload(shape: &Shape) -> Workload {
    Workload {
        mix: Mix { read_share: shape.read_share, trim_share: 0.0, flush_every_writes: 0 },
        addresses: if shape.random { Addresses::RandomCycle } else { Addresses::Sequential },
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: shape.bytes }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: shape.jobs,
        depth: shape.depth,
        length: Length {
            time_ns: Some(shape.seconds * 1_000_000_000),
            operations: None,
            bytes: None,
            warmup_ns: shape.warmup_seconds * 1_000_000_000,
        },
        seed: shape.seed,
        special: None,
    }
}

fn intervals(device: &Device, shape: &Shape) -> Vec<Interval> {
    let in_flight = f64::from(shape.jobs * shape.depth);
    let rate = device.rate_per_s(in_flight);
    let mean_ns = in_flight / rate * 1e9;
    let mut state = shape.seed;
    (0..shape.seconds + shape.warmup_seconds)
        .map(|second| {
            let stalled = second % 13 == 11;
            let speed = 1.0 + 0.01 * noise(&mut state) - if stalled { 0.12 } else { 0.0 };
            let parts =
                [(Direction::Read, shape.read_share, 1.0), (Direction::Write, 1.0 - shape.read_share, 0.7)];
            let directions = parts
                .into_iter()
                .filter(|part| part.1 > 0.0)
                .map(|(direction, share, slower)| {
                    let operations = (rate * speed * share) as u64;
                    let stalls = if stalled { 0.01 } else { 0.0004 };
                    DirectionInterval {
                        direction,
                        operations,
                        bytes: operations * shape.bytes,
                        errors: 0,
                        service: SparseHistogram::from(&latencies(
                            mean_ns / speed * slower,
                            0.28,
                            operations,
                            stalls,
                        )),
                        response: None,
                    }
                })
                .collect();
            Interval {
                start_ns: second * 1_000_000_000,
                duration_ns: 1_000_000_000,
                warmup: second < shape.warmup_seconds,
                in_flight_integral_ns: (in_flight * 0.998 * 1e9) as u64,
                directions,
            }
        })
        .collect()
}

fn direction_summary(direction: Direction, intervals: &[Interval], seconds: f64) -> Option<DirectionSummary> {
    let mut all = Histogram::new();
    let (mut operations, mut bytes) = (0, 0);
    for part in intervals.iter().filter(|i| !i.warmup).flat_map(|i| &i.directions) {
        if part.direction == direction {
            all.merge(&Histogram::try_from(&part.service).unwrap());
            operations += part.operations;
            bytes += part.bytes;
        }
    }
    (operations > 0).then(|| DirectionSummary {
        direction: direction.into(),
        operations: Some(operations),
        bytes: Some(bytes),
        errors: Some(0),
        operations_per_s: operations as f64 / seconds,
        throughput_bytes_per_s: bytes as f64 / seconds,
        service: LatencySummary::of(&all),
        response: None,
        submit: None,
        service_histogram: Some(SparseHistogram::from(&all)),
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    })
}

fn telemetry(shape: &Shape, busy: f64) -> Telemetry {
    let mut state = shape.seed ^ 77;
    let seconds = shape.seconds + shape.warmup_seconds;
    let mut core = |label: &str, level: f64| MetricSeries {
        metric: "cpu.busy".to_owned(),
        label: label.to_owned(),
        unit: "share".to_owned(),
        source: "/proc/stat".to_owned(),
        values: (0..seconds).map(|_| Some((level + 0.04 * noise(&mut state)).clamp(0.0, 1.0))).collect(),
    };
    let series =
        vec![core("", busy / 2.0), core("0", busy), core("1", busy * 0.6), core("2", 0.05), core("3", 0.04)];
    Telemetry {
        at_ns: (1..=seconds as i64).map(|s| s * 1_000_000_000).collect(),
        series,
        absent: vec![AbsentSource {
            source: "perf".to_owned(),
            reason: "no hardware counters in this virtual machine".to_owned(),
        }],
        own_cpu_ns: Some(3_100_000),
    }
}

fn target(name: &str) -> TargetFacts {
    TargetFacts {
        size_bytes: 4 << 30,
        logical_block_bytes: 512,
        direct: true,
        devices: vec![DeviceFacts {
            name: "nvme0n1".to_owned(),
            model: Some("Samsung SSD 990 PRO 2TB".to_owned()),
            serial: Some("S7KHNJ0W123456".to_owned()),
            size_bytes: 2_000_398_934_016,
            layer: "disk".to_owned(),
            rotational: Some(false),
            write_cache: Some("write back".to_owned()),
            scheduler: Some("none".to_owned()),
            queue_requests: Some(1023),
            hardware_queues: Some(4),
            polled_queues: None,
            numa_node: None,
        }],
        file_system: Some(FileSystemFacts {
            kind: "ext4".to_owned(),
            mount_point: "/data".to_owned(),
            options: "rw,relatime".to_owned(),
            free_bytes: Some(800 << 30),
        }),
        scratch: true,
        written_share: Some(1.0),
        ..TargetFacts::named(name, TargetKind::File)
    }
}

fn environment() -> Environment {
    let fact = |group: &str, label: &str, name: &str, value: &str, source: &str| Fact {
        group: group.to_owned(),
        label: label.to_owned(),
        name: name.to_owned(),
        value: value.to_owned(),
        source: source.to_owned(),
    };
    let setting = |setting: &str, value: &str, severity, effect: &str, remedy: Option<&str>| Preflight {
        setting: setting.to_owned(),
        value: value.to_owned(),
        severity,
        effect: effect.to_owned(),
        remedy: remedy.map(str::to_owned),
    };
    Environment {
        host: Some("db-7".to_owned()),
        os: "Debian GNU/Linux 13".to_owned(),
        kernel: "6.12.48".to_owned(),
        cpu_model: Some("AMD EPYC 9R14".to_owned()),
        cpus: 4,
        numa_nodes: 1,
        memory_bytes: 16 << 30,
        virtualization: Some("KVM".to_owned()),
        instance: None,
        cpu_quota_cores: None,
        queue_tags: Some(1023),
        facts: vec![
            fact(
                "cpu",
                "",
                "mitigations",
                "Spectre v2: automatic IBRS",
                "/sys/devices/system/cpu/vulnerabilities",
            ),
            fact("device", "nvme0n1", "nr_requests", "1023", "/sys/block/nvme0n1/queue/nr_requests"),
            fact("nvme", "nvme0n1", "npwg_bytes", "not supported", "Identify Namespace"),
        ],
        preflight: vec![
            setting("nvme0n1: scheduler", "none", Severity::Good, "No reordering in the kernel.", None),
            setting(
                "cpu: governor",
                "powersave",
                Severity::Warning,
                "Cores run slower between I/Os; latency at low depth rises.",
                Some("cpupower frequency-set -g performance"),
            ),
        ],
    }
}

fn checks() -> Vec<Check> {
    vec![
        Check::figure(
            CheckName::InFlight,
            CheckOutcome::Pass,
            (0.998, 0.98),
            "share",
            "99.8 % of the I/Os asked for were in flight.",
        ),
        Check::figure(
            CheckName::LittlesLaw,
            CheckOutcome::Pass,
            (0.0012, 0.01),
            "share",
            "In-flight and rate times latency agree within 0.1 %.",
        ),
        Check::figure(
            CheckName::ReapLag,
            CheckOutcome::Pass,
            (820.0, 5000.0),
            "ns",
            "Completions were seen within 820 ns of being ready (p99.9).",
        ),
        Check::plain(
            CheckName::WriteCache,
            CheckOutcome::Caution,
            "The device caches writes (write back): rates hold until its cache is full.",
        ),
        Check::plain(
            CheckName::GeneratorLag,
            CheckOutcome::NotApplicable,
            "A closed loop has no scheduled starts.",
        ),
    ]
}

/// One run of the device.
pub fn run(id: &str, name: &str, device: &Device, shape: &Shape) -> RunRecord {
    let intervals = intervals(device, shape);
    let seconds = shape.seconds as f64;
    let directions: Vec<DirectionSummary> =
        Direction::ALL.into_iter().filter_map(|d| direction_summary(d, &intervals, seconds)).collect();
    let operations: u64 = directions.iter().filter_map(|d| d.operations).sum();
    let moved =
        |direction| directions.iter().find(|d| d.direction == direction).and_then(|d| d.bytes).unwrap_or(0);
    let (bytes_read, bytes_written) = (moved(Direction::Read), moved(Direction::Write));
    let asked = f64::from(shape.jobs * shape.depth);
    let busy = (operations as f64 / seconds * 1.6e-6).min(0.99);
    RunRecord {
        read_back: None,
        clients: None,
        expectation: None,
        format: RunRecord::FORMAT.to_owned(),
        version: RunRecord::VERSION,
        id: id.to_owned(),
        started_at: "2026-11-20T16:15:00Z".to_owned(),
        tool: Tool { name: "fathom".to_owned(), version: "0.1.0".to_owned() },
        origin: None,
        campaign: None,
        workload: workload(shape),
        target: target(name),
        engine: EngineFacts {
            name: "uring".to_owned(),
            version: 1,
            features: vec![
                EngineFeature::new("registered_buffers", true, None),
                EngineFeature::new(
                    "polled_completion",
                    false,
                    Some("the device has no polled queues".to_owned()),
                ),
            ],
            completes_inline: false,
            returned_stamp: "io_uring_enter returned".to_owned(),
        },
        clock: Some(ClockRecord {
            source: "tsc".to_owned(),
            fallback_reason: None,
            read_cost_ns: 10.4,
            resolution_ns: 1,
            calibration_error_ppm: 2.1,
            drift_ppm: Some(0.8),
            bucket_width_share: RELATIVE_WIDTH,
        }),
        checks: checks(),
        ending: RunEnding::Complete,
        jobs: (0..shape.jobs)
            .map(|job| JobSummary {
                job,
                cpu: None,
                target: None,
                placement: None,
                start: None,
                operations_per_s: None,
                operations: Some(operations / u64::from(shape.jobs)),
                bytes: Some(operations / u64::from(shape.jobs) * shape.bytes),
                errors: Some(0),
                in_flight_mean: Some(f64::from(shape.depth) * 0.998),
                busy_share: Some(busy),
                directions: Vec::new(),
            })
            .collect(),
        summary: Summary {
            duration_ns: shape.seconds * 1_000_000_000,
            directions,
            in_flight_mean: Some(asked * 0.998),
            in_flight_requested: Some(asked),
            generator_busy_share: Some(busy),
            cpu_user_ns: Some((operations as f64 * 420.0) as u64),
            cpu_system_ns: Some((operations as f64 * 1180.0) as u64),
            ..Summary::default()
        },
        targets: Vec::new(),
        ledger: Ledger {
            seconds: (shape.seconds + shape.warmup_seconds) as f64,
            bytes_read: Some(bytes_read),
            bytes_written: Some(bytes_written),
            span_bytes: Some(4 << 30),
            written_over_capacity: Some(bytes_written as f64 / (4u64 << 30) as f64),
            span_touched_share: Some(
                1.0 - (-((bytes_read + bytes_written) as f64) / (4u64 << 30) as f64).exp(),
            ),
            span_touched_basis: Some("expected".to_owned()),
            resolves_events_per_s: 3.0 / (shape.seconds + shape.warmup_seconds) as f64,
        },
        intervals,
        telemetry: telemetry(shape, busy),
        environment: environment(),
        ceilings: Vec::new(),
        witness: None,
        priorities: Vec::new(),
        wall: None,
        standstills: Vec::new(),
        command: Some(format!("fathom run --target {name} --rw randrw --rate 2k --arrival poisson")),
        notes: vec!["polled completion was dropped: the device has no polled queues".to_owned()],
    }
}
