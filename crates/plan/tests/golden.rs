//! Plan files as they were first written mean what they meant then.

use fathom_plan::{PlanSource, RunOptions, RunPlan};
use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, SizeShare, Sizes, SizesByDirection, Verify, Workload, Zone,
};

fn read(text: &str) -> RunPlan {
    PlanSource::from_toml(text, "plan.toml").expect("a plan").resolve(7).expect("a plan that can be run")
}

#[test]
fn a_plan_that_says_everything() {
    let split = |bytes: u64, share: f64| SizeShare { bytes, share };
    let zone = |access_share: f64, span_share: f64| Zone { access_share, span_share };
    let mixed = || Sizes::Split { shares: vec![split(4 << 10, 0.7), split(64 << 10, 0.3)] };
    let workload = Workload {
        mix: Mix { read_share: 0.7, trim_share: 0.05, flush_every_writes: 32 },
        addresses: Addresses::Zoned { zones: vec![zone(0.6, 0.1), zone(0.3, 0.2), zone(0.1, 0.7)] },
        sizes: SizesByDirection {
            read: mixed(),
            write: Sizes::Range { min_bytes: 4 << 10, max_bytes: 64 << 10, step_bytes: 20 << 10 },
            trim: mixed(),
            own_alignment: false,
            rewrites_trimmed: false,
        },
        offset_bytes: 1 << 30,
        span_bytes: Some(10 << 30),
        alignment_bytes: Some(4 << 10),
        data: Data { compressible_share: 0.5, duplicate_share: 0.3, verify: Verify::OnRead },
        arrival: Arrival::Ramp { from_per_s: 1e3, to_per_s: 5e3, over_ns: 20_000_000_000 },
        jobs: 2,
        depth: 64,
        length: Length {
            time_ns: Some(90_000_000_000),
            operations: Some(2_000_000),
            bytes: Some(1 << 40),
            warmup_ns: 2_000_000_000,
        },
        seed: 42,
        special: None,
    };
    let options = RunOptions {
        direct: false,
        permits: vec!["S3R1AL".to_owned()],
        keep: true,
        cpus: Some(vec![0, 1, 2, 3, 6]),
        ..RunOptions::default()
    };
    let plan = RunPlan {
        targets: vec!["/data/scratch".to_owned()],
        engine: Some("uring".to_owned()),
        workload,
        options,
    };
    assert_eq!(read(include_str!("golden/first.toml")), plan);
}

#[test]
fn a_plan_of_two_targets() {
    let RunPlan { targets, engine, workload, options } = read(include_str!("golden/first-of-two.toml"));
    assert_eq!((targets.as_slice(), engine), (["null:", "memory:"].map(str::to_owned).as_slice(), None));
    assert_eq!(workload.mix, Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 });
    assert_eq!(workload.addresses, Addresses::Strided { stride_bytes: 64 << 10 });
    assert_eq!(workload.arrival, Arrival::Poisson { rate_per_s: 2500.0 });
    // What it leaves out: a job for each target, and the depth of open arrivals.
    assert_eq!((workload.jobs, workload.depth, workload.seed), (2, 256, 7));
    assert_eq!(options, RunOptions::default());
}
