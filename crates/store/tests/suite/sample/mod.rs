//! Records as real runs give them, made from a number: the same number gives the same record.

use std::path::Path;

use fathom_measure::Histogram;
use fathom_record::campaign::{AssessPlan, AssessRecord, PatternPlan, PreconditionPlan};
use fathom_record::environment_facts::{Environment, Fact, Preflight, Severity};
use fathom_record::facts::{ClockRecord, DeviceFacts, EngineFacts, EngineFeature, TargetFacts, TargetKind};
use fathom_record::run_record::{
    CampaignLink, DirectionSummary, JobSummary, Ledger, RunEnding, Summary, Tool,
};
use fathom_record::telemetry::{AbsentSource, MetricSeries, Telemetry};
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_record::{
    CampaignRecord, CeilingRate, Check, CheckName, CheckOutcome, Direction, DirectionInterval, Interval,
    KnownCeiling, LatencySummary, RunRecord, SparseHistogram, Workload,
};
use fathom_store::Store;

/// Splitmix64: enough disorder for samples, and the same everywhere.
pub struct Disorder(pub u64);

impl Disorder {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn share(&mut self) -> f64 {
        self.next() as f64 / u64::MAX as f64
    }
}

pub fn id(number: u64) -> String {
    format!("20261120T{number:06}-{:04x}", Disorder(number).next() & 0xffff)
}

pub fn time(number: u64) -> String {
    format!("2026-11-20T{:02}:{:02}:{:02}Z", number / 3600 % 24, number / 60 % 60, number % 60)
}

/// A run of `seconds` one-second intervals, reads and writes, at `values` I/Os per direction in each.
pub fn run(number: u64, seconds: u64, values: u64) -> RunRecord {
    let mut disorder = Disorder(number);
    let mut whole = [Histogram::new(), Histogram::new()];
    let intervals: Vec<Interval> =
        (0..seconds).map(|second| interval(second, values, &mut whole, &mut disorder)).collect();
    let directions = [Direction::Read, Direction::Write]
        .into_iter()
        .zip(&whole)
        .map(|(direction, histogram)| direction_summary(direction, histogram, seconds.max(1)))
        .collect();
    RunRecord {
        read_back: None,
        clients: None,
        expectation: None,
        format: RunRecord::FORMAT.into(),
        version: RunRecord::VERSION,
        id: id(number),
        started_at: time(number),
        tool: Tool { name: "fathom".into(), version: "0.1.0".into() },
        origin: None,
        campaign: None,
        workload: workload(8, 32, number),
        target: target(),
        engine: EngineFacts {
            name: "uring".into(),
            version: 1,
            features: vec![EngineFeature::new("registered_buffers", true, None)],
            completes_inline: false,
            returned_stamp: "return of io_uring_enter".into(),
        },
        clock: Some(clock()),
        checks: checks(number),
        ending: RunEnding::Complete,
        summary: Summary {
            duration_ns: seconds * 1_000_000_000,
            directions,
            in_flight_mean: Some(255.0 + disorder.share()),
            in_flight_requested: Some(256.0),
            generator_busy_share: Some(disorder.share()),
            cpu_user_ns: Some(disorder.below(1 << 40)),
            cpu_system_ns: None,
            ..Summary::default()
        },
        jobs: (0..8).map(|job| job_summary(job, &mut disorder)).collect(),
        targets: Vec::new(),
        ledger: Ledger {
            seconds: seconds as f64,
            bytes_read: Some(disorder.next()),
            bytes_written: Some(disorder.next()),
            span_bytes: Some(u64::MAX),
            written_over_capacity: Some(disorder.share()),
            span_touched_share: Some(disorder.share()),
            span_touched_basis: Some("expected".into()),
            resolves_events_per_s: 3.0 / seconds.max(1) as f64,
        },
        telemetry: telemetry(seconds, &mut disorder),
        intervals,
        environment: environment(),
        ceilings: vec![KnownCeiling {
            source: "/sys/fs/cgroup/io.max".into(),
            ..KnownCeiling::declared(CeilingRate::Iops { operations_per_s: 3000.0 })
        }],
        witness: None,
        priorities: Vec::new(),
        wall: None,
        standstills: Vec::new(),
        command: Some("fathom run --target 'it'\\''s' --rate 2k".to_owned()),
        notes: vec!["poll mode is not available: \u{201c}Operation not supported\u{201d}".into()],
    }
}

/// The same as a step of a campaign.
pub fn step_run(number: u64, campaign: &str, step: &str) -> RunRecord {
    let link = CampaignLink { id: campaign.into(), step: step.into() };
    RunRecord { campaign: Some(link), ..run(number, 3, 50) }
}

fn interval(second: u64, values: u64, whole: &mut [Histogram; 2], disorder: &mut Disorder) -> Interval {
    let mut directions = Vec::new();
    for (direction, whole) in [Direction::Read, Direction::Write].into_iter().zip(whole) {
        let mut histogram = Histogram::new();
        for _ in 0..values {
            // Around 100 us, with a tail.
            let spread = 40_000 + disorder.below(120_000);
            let tail = if disorder.below(1000) == 0 { disorder.below(20_000_000) } else { 0 };
            histogram.record(spread + tail);
        }
        whole.merge(&histogram);
        if !histogram.is_empty() {
            directions.push(DirectionInterval {
                direction,
                operations: histogram.count(),
                bytes: histogram.count() * 4096,
                errors: disorder.below(2),
                service: SparseHistogram::from(&histogram),
                response: None,
            });
        }
    }
    Interval {
        start_ns: second * 1_000_000_000,
        duration_ns: 1_000_000_000,
        warmup: second == 0,
        in_flight_integral_ns: 255_000_000_000 + disorder.below(1_000_000_000),
        directions,
    }
}

fn direction_summary(direction: Direction, histogram: &Histogram, seconds: u64) -> DirectionSummary {
    DirectionSummary {
        direction: direction.into(),
        operations: Some(histogram.count()),
        bytes: Some(histogram.count() * 4096),
        errors: Some(0),
        operations_per_s: histogram.count() as f64 / seconds as f64,
        throughput_bytes_per_s: histogram.count() as f64 * 4096.0 / seconds as f64,
        service: LatencySummary::of(histogram),
        response: None,
        submit: None,
        service_histogram: Some(SparseHistogram::from(histogram)),
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    }
}

fn job_summary(job: u32, disorder: &mut Disorder) -> JobSummary {
    JobSummary {
        job,
        cpu: Some(job % 2),
        target: None,
        placement: None,
        start: None,
        operations_per_s: None,
        operations: Some(disorder.below(1 << 40)),
        bytes: Some(disorder.next()),
        errors: Some(0),
        in_flight_mean: Some(31.0 + disorder.share()),
        busy_share: Some(disorder.share()),
        directions: Vec::new(),
    }
}

pub fn workload(jobs: u32, depth: u32, seed: u64) -> Workload {
    Workload {
        mix: Mix { read_share: 0.7, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomCycle,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs,
        depth,
        length: Length { time_ns: Some(30_000_000_000), ..Length::default() },
        seed,
        special: None,
    }
}

pub fn target() -> TargetFacts {
    TargetFacts {
        size_bytes: 1_920_383_410_176,
        logical_block_bytes: 512,
        physical_block_bytes: Some(4096),
        direct: true,
        devices: vec![DeviceFacts {
            name: "nvme0n1".into(),
            model: Some("SAMSUNG MZQL21T9HCJR-00A07 ".into()),
            serial: Some("S64GNE0R000000".into()),
            size_bytes: 1_920_383_410_176,
            layer: "disk".into(),
            rotational: Some(false),
            queue_requests: Some(1023),
            ..DeviceFacts::default()
        }],
        written_share: Some(0.1 + 0.2),
        simulated: Some(serde_json::json!({ "servers": 128, "service_us": [1.5, 2.25e-7], "cap": null })),
        ..TargetFacts::named("/dev/nvme0n1", TargetKind::BlockDevice)
    }
}

fn clock() -> ClockRecord {
    ClockRecord {
        source: "tsc".into(),
        fallback_reason: None,
        read_cost_ns: 8.9,
        resolution_ns: 1,
        calibration_error_ppm: 1.0 / 3.0,
        drift_ppm: Some(-0.0),
        bucket_width_share: 1.0 / 128.0,
    }
}

fn checks(number: u64) -> Vec<Check> {
    let outcome = if number % 10 == 9 { CheckOutcome::Fail } else { CheckOutcome::Pass };
    vec![
        Check::figure(
            CheckName::LittlesLaw,
            outcome,
            (0.0012, 0.01),
            "share",
            "in-flight fits rate x latency",
        ),
        Check::plain(CheckName::PageCache, CheckOutcome::NotApplicable, "O_DIRECT"),
    ]
}

fn telemetry(seconds: u64, disorder: &mut Disorder) -> Telemetry {
    let series = |metric: &str, label: &str, unit: &str, disorder: &mut Disorder| MetricSeries {
        metric: metric.into(),
        label: label.into(),
        unit: unit.into(),
        source: "/proc/stat".into(),
        values: (0..seconds).map(|_| (disorder.below(50) > 0).then(|| disorder.share())).collect(),
    };
    Telemetry {
        at_ns: (0..seconds).map(|second| second as i64 * 1_000_000_000 - 250_000_000).collect(),
        series: vec![
            series("cpu.user", "0", "share", disorder),
            series("cpu.user", "1", "share", disorder),
            series("disk.read", "nvme0n1", "bytes/s", disorder),
        ],
        absent: vec![AbsentSource { source: "perf".into(), reason: "no counters in this machine".into() }],
        own_cpu_ns: Some(disorder.below(1 << 30)),
    }
}

pub fn environment() -> Environment {
    Environment {
        host: None,
        os: "Debian GNU/Linux 13".into(),
        kernel: "6.18.0".into(),
        cpu_model: Some("AMD EPYC 9555".into()),
        cpus: 2,
        numa_nodes: 1,
        memory_bytes: 8_318_000_000,
        virtualization: Some("kvm".into()),
        instance: None,
        cpu_quota_cores: None,
        queue_tags: Some(1023),
        facts: vec![Fact {
            group: "nvme".into(),
            label: "nvme0n1".into(),
            name: "npwg_bytes".into(),
            value: "16384".into(),
            source: "identify namespace".into(),
        }],
        preflight: vec![Preflight {
            setting: "nvme0n1: scheduler".into(),
            value: "none".into(),
            severity: Severity::Good,
            effect: "requests go straight to the device".into(),
            remedy: None,
        }],
    }
}

pub fn campaign(id: &str, finished_at: Option<&str>) -> CampaignRecord {
    let record = AssessRecord {
        format: CampaignRecord::FORMAT.into(),
        version: CampaignRecord::VERSION,
        id: id.into(),
        started_at: time(0),
        finished_at: finished_at.map(str::to_owned),
        tool: Tool { name: "fathom".into(), version: "0.1.0".into() },
        target: target(),
        environment: environment(),
        command: Some("fathom assess --budget 2m -- /dev/nvme0n1".into()),
        plan: AssessPlan {
            target: "/dev/nvme0n1".into(),
            engine: None,
            budget_ns: 120_000_000_000,
            size_bytes: None,
            patterns: vec![PatternPlan {
                name: "randread-4k".into(),
                title: "4 KiB random read".into(),
                workload: workload(1, 1, 1),
            }],
            ceilings: vec![],
            instance: None,
            volume: None,
            slo: None,
            seed: u64::MAX,
            delay: None,
            throttle: None,
            until_share: None,
            precondition: PreconditionPlan::None,
            thorough: false,
            clients: Vec::new(),
            partition: false,
        },
        patterns: vec![],
        busy_seconds: 0.1,
        notes: vec![],
        preconditioning: None,
        repeats: None,
        points: Vec::new(),
    };
    record.into()
}

/// The id under which [`fill`] begins its campaign.
pub const CAMPAIGN: &str = "20261120T000001-c";

/// Makes a store with three runs, two of them steps of an unfinished campaign.
pub fn fill(path: &Path) -> Vec<RunRecord> {
    let store = Store::open(path).unwrap();
    let new = fathom_store::NewCampaign {
        id: CAMPAIGN,
        key: "plan-and-target",
        target: "/dev/nvme0n1",
        started_at: &time(1),
        plan_json: r#"{"budget":"2m"}"#,
    };
    let begun = store.begin_campaign(&new).unwrap();
    let records = vec![run(0, 3, 50), step_run(1, CAMPAIGN, "a"), step_run(2, CAMPAIGN, "b")];
    store.put_run(&records[0]).unwrap();
    store.put_run_for_step(&begun, "a", &records[1], &time(1)).unwrap();
    store.journal(&begun, "b", &fathom_store::StepState::Started, &time(2)).unwrap();
    store.put_run_for_step(&begun, "b", &records[2], &time(2)).unwrap();
    let failed = fathom_store::StepState::Failed { reason: "the device is gone".into() };
    store.journal(&begun, "c", &failed, &time(3)).unwrap();
    store.save_campaign_progress(&begun, &campaign(CAMPAIGN, None)).unwrap();
    records
}
