//! A whole assessment: seven patterns, twelve cells each.

use fathom_measure::Histogram;
use fathom_record::campaign::*;
use fathom_record::verdict::*;
use fathom_record::*;

use super::device::{Device, Shape, run};

const CELLS: [(u32, u32); 12] =
    [(1, 1), (1, 4), (1, 16), (2, 8), (2, 16), (2, 32), (4, 16), (4, 32), (8, 8), (8, 16), (8, 32), (4, 64)];

struct Case {
    name: &'static str,
    title: &'static str,
    read_share: f64,
    bytes: u64,
    random: bool,
    device: Device,
}

fn case(
    (name, title): (&'static str, &'static str),
    read_share: f64,
    bytes: u64,
    random: bool,
    (unloaded_ns, most_per_s, sharpness): (f64, f64, f64),
) -> Case {
    Case { name, title, read_share, bytes, random, device: Device { unloaded_ns, most_per_s, sharpness } }
}

fn cases() -> Vec<Case> {
    vec![
        case(("randread-4k", "4 KiB random read"), 1.0, 4096, true, (82e3, 585e3, 3.0)),
        case(("randwrite-4k", "4 KiB random write"), 0.0, 4096, true, (14e3, 212e3, 2.0)),
        case(("randread-64k", "64 KiB random read"), 1.0, 65536, true, (130e3, 101e3, 4.0)),
        case(("randwrite-64k", "64 KiB random write"), 0.0, 65536, true, (48e3, 15e3, 3.0)),
        case(("read-1m", "1 MiB sequential read"), 1.0, 1 << 20, false, (350e3, 6.3e3, 6.0)),
        case(("write-1m", "1 MiB sequential write"), 0.0, 1 << 20, false, (330e3, 3.3e3, 5.0)),
        case(("mixed-4k", "4 KiB random 70 % read / 30 % write"), 0.7, 4096, true, (70e3, 3000.0, 12.0)),
    ]
}

/// The campaign and its runs, `seconds` long each; the target bears the given name.
pub fn campaign(target: &str, seconds: u64) -> (AssessRecord, Vec<RunRecord>) {
    let mut runs = Vec::new();
    let mut patterns = Vec::new();
    let mut plans = Vec::new();
    for (number, case) in cases().iter().enumerate() {
        let (result, made) = pattern(number, case, target, seconds);
        plans.push(PatternPlan {
            name: case.name.to_owned(),
            title: case.title.to_owned(),
            workload: made[0].workload.clone(),
        });
        patterns.push(result);
        runs.extend(made);
    }
    let first = &runs[0];
    let campaign = AssessRecord {
        format: CampaignRecord::FORMAT.to_owned(),
        version: CampaignRecord::VERSION,
        id: "c-20261120-161500-7f3a".to_owned(),
        started_at: "2026-11-20T16:15:00Z".to_owned(),
        finished_at: Some("2026-11-20T16:17:04Z".to_owned()),
        tool: first.tool.clone(),
        target: first.target.clone(),
        environment: first.environment.clone(),
        command: Some(format!("fathom assess --budget 2m --delay constant:100us -- {target}")),
        plan: AssessPlan {
            target: target.to_owned(),
            engine: None,
            budget_ns: 120_000_000_000,
            size_bytes: Some(4 << 30),
            patterns: plans,
            ceilings: vec![KnownCeiling::declared(CeilingRate::Iops { operations_per_s: 3000.0 })],
            instance: None,
            volume: None,
            slo: Some(Slo { quantile: 0.99, limit_ns: 500_000 }),
            seed: 1,
            delay: None,
            throttle: None,
            until_share: None,
            precondition: PreconditionPlan::None,
            thorough: false,
            clients: Vec::new(),
            partition: false,
        },
        patterns,
        busy_seconds: runs.iter().map(|r| r.ledger.seconds).sum(),
        notes: vec!["polled completion was dropped: the device has no polled queues".to_owned()],
        preconditioning: None,
        repeats: None,
        points: Vec::new(),
    };
    (campaign, runs)
}

fn pattern(number: usize, case: &Case, target: &str, seconds: u64) -> (PatternResult, Vec<RunRecord>) {
    let mut runs = Vec::new();
    let mut cells = Vec::new();
    for (at, (jobs, depth)) in CELLS.into_iter().enumerate() {
        let repeats = if at == 7 || at == 5 { 3 } else { 1 };
        let made: Vec<RunRecord> = (0..repeats)
            .map(|repeat| {
                let shape = Shape {
                    read_share: case.read_share,
                    bytes: case.bytes,
                    jobs,
                    depth,
                    seconds,
                    warmup_seconds: 2,
                    seed: (number * 1000 + at * 10 + repeat) as u64,
                    random: case.random,
                };
                run(&format!("r-{number}-{jobs}x{depth}-{repeat}"), target, &case.device, &shape)
            })
            .collect();
        cells.push(cell(jobs, depth, &made));
        runs.extend(made);
    }
    let peak = 7;
    let balanced = 5;
    let operating_points = vec![
        point(OperatingPointKind::Balanced, balanced, "highest X^9/R of 12 cells"),
        point(OperatingPointKind::Peak, peak, "least concurrency within 2 % of the highest rate"),
        point(OperatingPointKind::Slo, 4, "highest rate with p99 under 500 us"),
    ];
    let result = PatternResult {
        name: case.name.to_owned(),
        title: case.title.to_owned(),
        verdict: Some(verdict(case, cells[peak].operations_per_s)),
        operating_points,
        cells,
        incomplete: None,
    };
    (result, runs)
}

fn point(kind: OperatingPointKind, cell: usize, reason: &str) -> OperatingPoint {
    OperatingPoint { kind, cell, reason: reason.to_owned() }
}

fn cell(jobs: u32, depth: u32, runs: &[RunRecord]) -> CellResult {
    let mean = |value: &dyn Fn(&RunRecord) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
    let mut all = Histogram::new();
    for direction in runs.iter().flat_map(|run| &run.summary.directions) {
        all.merge(&Histogram::try_from(direction.service_histogram.as_ref().unwrap()).unwrap());
    }
    let rate = mean(&|run| run.summary.operations_per_s());
    CellResult {
        jobs,
        depth,
        runs: runs.iter().map(|run| run.id.clone()).collect(),
        operations_per_s: rate,
        throughput_bytes_per_s: mean(&|run| run.summary.throughput_bytes_per_s()),
        interval_share: (runs.len() > 1).then_some(0.031),
        in_flight_mean: mean(&|run| run.summary.in_flight_mean.unwrap()),
        service_mean_ns: all.mean().unwrap(),
        service_p50_ns: all.quantile(0.5).unwrap(),
        service_p99_ns: all.quantile(0.99),
        service_p999_ns: all.quantile(0.999),
        cpu_ns_per_operation: Some(1600.0),
        busiest_core_share: Some((rate * 1.6e-6).min(0.99)),
        others_cpu_share: None,
        others_device_share: None,
        disturbed_runs: Vec::new(),
        failed_checks: Vec::new(),
    }
}

fn verdict(case: &Case, best: f64) -> Verdict {
    let ceiling = |name: &str, limit, operations_per_s: f64, source: &str| Ceiling {
        name: name.to_owned(),
        limit,
        operations_per_s,
        source: source.to_owned(),
        reached_share: best / operations_per_s,
    };
    let capped = case.device.most_per_s == 3000.0;
    let mut ceilings = vec![
        ceiling(
            "N / R1",
            Limit::Concurrency,
            128.0 / case.device.unloaded_ns * 1e9,
            "derived from the latency at 1 × 1",
        ),
        ceiling("4 cores at 1.60 us a I/O", Limit::AllCores, 4.0 / 1.6e-6, "measured: CPU per I/O"),
        ceiling("one core a job", Limit::OneCore, 4.0 / 1.6e-6 * 0.9, "measured: CPU per I/O"),
    ];
    let evidence = |supports, text: &str| Evidence { supports, text: text.to_owned() };
    let claim = if capped {
        ceilings.push(ceiling("declared IOPS", Limit::VolumeIops, 3000.0, "declared: --ceiling iops=3000"));
        Claim {
            limit: Limit::VolumeIops,
            statement: "The declared ceiling of 3000 IOPS binds.".to_owned(),
            confidence: Confidence::Strong,
            probability: None,
            evidence: vec![
                evidence(true, "99.9 % of the declared 3000 IOPS were reached"),
                evidence(true, "the rate moved by 0.4 % over a 16-fold range of concurrency"),
            ],
            scope: "this target and pattern, 16 to 256 in flight".to_owned(),
        }
    } else {
        Claim {
            limit: Limit::DeviceParallelism,
            statement: "The target's own parallelism limits the rate: more I/Os in flight only wait longer."
                .to_owned(),
            confidence: Confidence::Likely,
            probability: None,
            evidence: vec![
                evidence(true, "latency at the peak is 2.7 times the unloaded latency"),
                evidence(true, "the busiest core was at 62 %"),
                evidence(false, "no ceiling is declared for this target, so a cap cannot be excluded"),
            ],
            scope: "this target and pattern, up to 256 in flight, for 32 s at a stretch".to_owned(),
        }
    };
    Verdict {
        claims: vec![claim],
        ceilings,
        next_experiment: Some(Experiment {
            question: "Is it a cap or the device?".to_owned(),
            command: "fathom assess /data --patterns randread-4k --ceiling iops=600000".to_owned(),
            reading: "A share of 97 % or more means the cap; less means the device.".to_owned(),
        }),
    }
}
