//! Each limit on synthetic measurements whose truth is known, and cases where nothing may be claimed.

use crate::scene::{self, Scene, claims};
use fathom_attribute::CellTelemetry;
use fathom_attribute::evidence::Feature;
use fathom_record::campaign::CellResult;
use fathom_record::facts::{DecoratorFacts, TargetKind};
use fathom_record::verdict::{Claim, Confidence, Limit, Verdict};
use fathom_record::workload::{Addresses, Mix, Sizes, SizesByDirection};

/// A device that saturates softly: `Xm N / (N + h)`.
fn soft(most: f64, half: f64) -> impl Fn(f64, f64) -> f64 {
    move |jobs, depth| most * jobs * depth / (jobs * depth + half)
}

/// Each I/O takes 100 us, up to a rate.
fn capped(most: f64) -> impl Fn(f64, f64) -> f64 {
    move |jobs, depth| (jobs * depth * 1e4).min(most)
}

/// Each job handles so many I/Os a second.
fn per_job(most: f64) -> impl Fn(f64, f64) -> f64 {
    move |jobs, depth| (jobs * depth * 1e4).min(jobs * most)
}

fn first(verdict: &Verdict) -> (Limit, Confidence) {
    claims(verdict)[0]
}

/// Every truth with its scene; the first cause named must be it, with at least this probability.
fn cases() -> Vec<(&'static str, Scene, Limit, f64)> {
    const LIKELY: f64 = 0.8;
    const BEST: f64 = 0.5;
    let full_thread = |user: f64| {
        Scene::new(per_job(1e5), 0.015).with(|s| {
            // Only one job was tried at depth.
            s.cells.retain(|c| c.jobs == 1);
            s.cells.extend([scene::cell(1, 16, 1e5), scene::cell(1, 64, 1e5)]);
            s.telemetry = vec![scene::quiet(0.015); s.cells.len()];
            for seen in &mut s.telemetry {
                seen.core_busy_shares[0] = 0.99;
                seen.generator_busy_share = Some(0.99);
                seen.generator_user_share = Some(user);
            }
        })
    };
    vec![
        // Where the ladder ends while the rate still climbs, a knee may lie exactly there.
        (
            "latency-bound to the end of the ladder",
            Scene::new(capped(f64::INFINITY), 0.015),
            Limit::Concurrency,
            BEST,
        ),
        (
            "latency-bound below a deeper point",
            Scene::new(capped(f64::INFINITY), 0.015).with(|s| s.focus = Some(3)),
            Limit::Concurrency,
            LIKELY,
        ),
        (
            "latency-bound sequential",
            Scene::new(capped(f64::INFINITY), 0.015).with(|s| s.workload.addresses = Addresses::Sequential),
            Limit::Concurrency,
            BEST,
        ),
        ("declared IOPS", Scene::new(capped(3e4), 0.004).declare_iops(3e4), Limit::VolumeIops, LIKELY),
        (
            "declared IOPS, slow seconds unknown",
            Scene::new(capped(3e4), 0.004).declare_iops(3.05e4).each(|_, seen| seen.rate_variation = None),
            Limit::VolumeIops,
            BEST,
        ),
        (
            "declared throughput",
            Scene::new(capped(3e4), 0.004).declare_iops(1e5).declare_throughput(3e4 * 4096.0),
            Limit::VolumeThroughput,
            LIKELY,
        ),
        ("generator's own code", full_thread(0.8), Limit::Generator, BEST),
        ("kernel side of one thread", full_thread(0.2), Limit::OneCore, BEST),
        (
            "interrupts on one CPU",
            Scene::new(capped(2e5), 0.02).each(|_, seen| seen.core_busy_shares[3] = 0.98),
            Limit::OneCore,
            BEST,
        ),
        (
            "one CPU a job, shown by more jobs",
            Scene::new(per_job(3e4), 0.015).with(|s| {
                s.cells.push(scene::cell(16, 8, 4.8e5));
                s.cells.push(scene::cell(4, 32, 1.2e5));
                s.telemetry = vec![scene::quiet(0.015); s.cells.len()];
                s.telemetry.iter_mut().for_each(|seen| {
                    seen.generator_busy_share = Some(0.98);
                    seen.generator_user_share = Some(0.2);
                    seen.core_busy_shares[0] = 0.99;
                });
                s.focus = Some(s.cells.len() - 1);
            }),
            Limit::OneCore,
            BEST,
        ),
        (
            "all CPUs",
            Scene::new(capped(4e5), 0.02).each(|_, seen| seen.core_busy_shares = vec![0.98; 8]),
            Limit::AllCores,
            BEST,
        ),
        ("a device that queues", Scene::new(soft(2e5, 8.0), 0.025), Limit::DeviceParallelism, BEST),
        (
            "a device that queues below what is declared",
            Scene::new(soft(2e5, 8.0), 0.025).declare_iops(1e6),
            Limit::DeviceParallelism,
            BEST,
        ),
        (
            "unwritten blocks",
            Scene::new(soft(2e5, 8.0), 0.025).with(|s| s.target.written_share = Some(0.1)),
            Limit::CacheArtefact,
            LIKELY,
        ),
        (
            "page cache",
            Scene::new(capped(8e5), 0.02)
                .with(|s| s.target.direct = false)
                .each(|_, seen| seen.device_bytes_share = Some(0.01)),
            Limit::CacheArtefact,
            LIKELY,
        ),
        (
            "far above what is declared",
            Scene::new(capped(4e5), 0.03).declare_iops(1.6e4),
            Limit::CacheArtefact,
            BEST,
        ),
        (
            "a neighbour on the disk",
            Scene::new(soft(2e5, 8.0), 0.04).each(|_, seen| seen.device_bytes_share = Some(1.8)),
            Limit::Interference,
            LIKELY,
        ),
        (
            "uneven seconds and a long tail",
            Scene::new(soft(2e5, 8.0), 0.2)
                .each(|cell, _| cell.service_p999_ns = Some(20 * cell.service_p50_ns)),
            Limit::Interference,
            BEST,
        ),
        (
            "a hypervisor that takes time away",
            Scene::new(soft(2e5, 8.0), 0.05).each(|_, seen| seen.steal_share = Some(0.3)),
            Limit::Interference,
            BEST,
        ),
    ]
}

#[test]
fn each_limit_is_named_on_its_own_truth() {
    for (what, scene, limit, least) in cases() {
        let verdict = scene.verdict();
        let claim = verdict
            .claims
            .iter()
            .find(|claim| ![Limit::Unknown, Limit::RateCap].contains(&claim.limit))
            .unwrap();
        let probability = claim.probability.unwrap();
        println!("{what}: {:?} {probability:.3}", claim.limit);
        assert_eq!(claim.limit, limit, "{what}: {:#?}", verdict.claims);
        assert!(probability >= least, "{what}: {probability} {:#?}", verdict.claims);
        assert!(verdict.claims.iter().all(|c| c.scope.contains("/dev/nvme1n1")));
        assert!(!claim.evidence.is_empty(), "{what}");
    }
}

#[test]
fn a_fixed_rate_that_nobody_declared_is_some_cap_and_an_experiment_tells_which() {
    let caps =
        [Limit::VolumeIops, Limit::VolumeThroughput, Limit::InstanceCap, Limit::BurstCredits, Limit::Link];
    let verdict = Scene::new(capped(3e4), 0.004).verdict();
    let all: f64 =
        verdict.claims.iter().filter(|c| caps.contains(&c.limit)).filter_map(|c| c.probability).sum();
    assert!(all >= 0.75, "{all} {:#?}", claims(&verdict));
    assert_eq!(verdict.claims[0].limit, Limit::RateCap);
    // A full device, a lock or a cache that drains evenly would look the same.
    assert!(verdict.claims[0].probability.unwrap() <= 0.75, "{:?}", claims(&verdict));
    assert!(verdict.claims[1..].iter().all(|claim| claim.confidence < Confidence::Likely));
    let next = verdict.next_experiment.unwrap();
    assert!(next.command.contains("--bs 2048") || next.command.contains("--bs 8192"), "{next:?}");
    // A limit far above the rate is no candidate.
    let verdict = Scene::new(capped(3e4), 0.004).declare_iops(1e5).verdict();
    assert!(verdict.claims.iter().all(|c| c.limit != Limit::VolumeIops), "{:?}", claims(&verdict));
}

#[test]
fn a_cap_that_nobody_declared_is_asked_what_would_refute_it() {
    let flat = || {
        let writes = |scene: &mut Scene| {
            scene.workload.mix = Mix { read_share: 0.0, trim_share: 0.0, flush_every_writes: 0 };
            scene.target.written_share = Some(1.0);
            // One job alone: nothing is known of more.
            scene.cells.retain(|cell| cell.jobs == 1 || (cell.jobs, cell.depth) == (2, 8));
            scene.telemetry.truncate(scene.cells.len());
        };
        let sized =
            |scene: Scene| scene.answered(Feature::HalfBlock, 1.0).answered(Feature::DoubleBlock, 1.0);
        sized(Scene::new(capped(3e4), 0.0005).with(writes))
    };
    let next = |scene: &Scene| scene.verdict().next_experiment.map(|next| next.question);
    let question = |feature| fathom_attribute::evidence::table().trial(feature).map(|t| t.question.clone());
    assert_eq!(next(&flat()), question(Feature::DoubleJobs));
    let steady = flat().answered(Feature::DoubleJobs, 1.0);
    assert_eq!(next(&steady), question(Feature::Reads));
    let read = steady.answered(Feature::Reads, 1.0);
    assert_eq!(next(&read), question(Feature::FarBlock));
    assert_eq!(next(&read.answered(Feature::FarBlock, 1.0)), question(Feature::Sequential));
    // A limit that was declared and reached needs no such question.
    assert_ne!(next(&flat().declare_iops(3e4)), question(Feature::DoubleJobs));
    let first = |scene: Scene| scene.verdict().claims[0].limit;
    assert_eq!(first(flat().answered(Feature::DoubleJobs, 0.6)), Limit::Software);
    // Reads that are as slow leave it a cap; reads that are faster may be a provider's doing too, and are not sure.
    let faster = Scene::new(capped(3e4), 0.0005)
        .with(|scene| scene.workload.mix.read_share = 0.0)
        .answered(Feature::HalfBlock, 2.0)
        .answered(Feature::DoubleBlock, 0.5)
        .answered(Feature::DoubleJobs, 1.0)
        .answered(Feature::Reads, 3.0)
        .verdict();
    assert_eq!(faster.claims[0].limit, Limit::WriteCliff, "{:?}", claims(&faster));
    assert!(faster.claims[0].probability.unwrap() <= 0.75, "{:?}", claims(&faster));
}

#[test]
fn many_jobs_are_asked_in_place_of_twice_as_many_and_each_of_them_has_to_cost_as_much() {
    let flat = || {
        let one_job = |scene: &mut Scene| {
            scene.cells.retain(|cell| cell.jobs == 1 || (cell.jobs, cell.depth) == (2, 8));
            scene.telemetry.truncate(scene.cells.len());
            scene.means.most_jobs = 64;
            scene.focus = Some(2);
        };
        // Of the processors nothing is known.
        let unseen = |cell: &mut CellResult, seen: &mut CellTelemetry| {
            cell.busiest_core_share = None;
            (seen.core_busy_shares, seen.generator_busy_share) = (Vec::new(), None);
        };
        Scene::new(capped(3e4), 0.0005)
            .with(one_job)
            .each(unseen)
            .answered(Feature::HalfBlock, 1.0)
            .answered(Feature::DoubleBlock, 1.0)
    };
    let next = |scene: &Scene| scene.verdict().next_experiment.map(|next| next.question);
    let question = |feature| fathom_attribute::evidence::table().trial(feature).map(|t| t.question.clone());
    assert_eq!(next(&flat()), question(Feature::ManyJobs));
    // Eight times the jobs take 14 % longer, twice as many a seventh of that: a lock that is handed over.
    let slower = || flat().answered(Feature::ManyJobs, 1.0 / 1.14);
    assert_eq!(next(&slower()), question(Feature::DoubleJobs));
    let first = |scene: Scene| scene.verdict().claims[0].limit;
    assert_eq!(first(slower().answered(Feature::DoubleJobs, 1.0 / 1.02)), Limit::Software);
    // Nothing with twice as many: the last of the many filled something else.
    assert_eq!(
        first(flat().answered(Feature::ManyJobs, 0.3).answered(Feature::DoubleJobs, 1.0)),
        Limit::RateCap
    );
}

#[test]
fn a_far_block_tells_few_even_servers_from_a_limit() {
    // 870 us for each I/O and 16 us for the bytes of the block, or a limit on operations and far away one on bytes.
    let with = |double: f64| {
        let of_writes = |scene: &mut Scene| scene.cells.retain(|cell| cell.jobs == 1);
        let scene = Scene::new(capped(2256.0), 0.0005).with(of_writes).each(|_, _| ());
        let scene = scene
            .with(|scene| scene.telemetry.truncate(scene.cells.len()))
            .answered(Feature::DoubleBlock, double)
            .answered(Feature::DoubleJobs, 1.0)
            .answered(Feature::FarBlock, 886.0 / (870.0 + 16.0 * 16.0));
        let verdict = scene.verdict();
        let of = |limit| {
            verdict.claims.iter().find(|c| c.limit == limit).and_then(|c| c.probability).unwrap_or(0.0)
        };
        (of(Limit::DeviceParallelism), of(Limit::VolumeIops))
    };
    let (served, capped) = (with(886.0 / 902.0), with(1.0));
    assert!(served.0 > 3.0 * capped.0 && served.1 < 0.7 * capped.1, "{served:?} {capped:?}");
}

#[test]
fn what_nothing_waits_for_is_not_full() {
    // As long for each I/O with 512 in flight as alone, and a data sheet that is passed.
    let scene = Scene::new(|jobs, depth| 2e4 * jobs * depth, 0.0005)
        .answered(Feature::DoubleBlock, 0.66)
        .answered(Feature::HalfBlock, 1.35);
    let verdict = scene.verdict();
    for limit in [Limit::DeviceParallelism, Limit::VolumeIops, Limit::Software] {
        let said =
            verdict.claims.iter().find(|c| c.limit == limit).and_then(|c| c.probability).unwrap_or(0.0);
        assert!(said <= 0.1, "{:?}", claims(&verdict));
    }
    let asked = scene.answered(Feature::DoubleDepth, 1.99).verdict();
    assert_eq!(asked.claims[0].limit, Limit::Concurrency, "{:?}", claims(&asked));
}

/// Scenes in which nothing is known to bind.
fn undecidable() -> Vec<(&'static str, Scene)> {
    let blind = |scene: Scene| {
        scene.each(|cell, seen| {
            cell.busiest_core_share = None;
            *seen = CellTelemetry::default();
        })
    };
    vec![
        // Between latency-bound and full: the rate still grows by half a doubling.
        ("half way up the curve", Scene::new(|jobs, depth| 2e4 * (jobs * depth).sqrt(), 0.03)),
        (
            "half way and well below the declared",
            Scene::new(|j, d| 1e4 * (j * d).sqrt(), 0.03).declare_iops(1e6),
        ),
        ("one cell alone", Scene::new(capped(3e4), 0.03).with(|s| s.cells.truncate(1))),
        ("a bend without telemetry", blind(Scene::new(soft(2e5, 8.0), 0.0))),
        ("a plateau without telemetry", blind(Scene::new(capped(3e4), 0.0))),
        (
            "self-check failed",
            Scene::new(capped(3e4), 0.004)
                .declare_iops(3e4)
                .each(|cell, _| cell.failed_checks = vec!["only 3 of 8 I/Os were in flight.".to_owned()]),
        ),
        (
            "uneven writes of a device that may tidy up",
            Scene::new(soft(2e5, 8.0), 0.2).with(|s| s.workload.mix.read_share = 0.0).each(|cell, seen| {
                cell.service_p999_ns = Some(20 * cell.service_p50_ns);
                seen.core_busy_shares = Vec::new();
                cell.busiest_core_share = None;
            }),
        ),
        ("slightly above the declared", Scene::new(capped(3.6e4), 0.03).declare_iops(3e4)),
        (
            "a busy thread whose jobs bring nothing",
            Scene::new(capped(3e4), 0.03).each(|_, seen| {
                seen.core_busy_shares[0] = 0.99;
                seen.generator_busy_share = Some(0.99);
                seen.generator_user_share = Some(0.4);
            }),
        ),
        (
            "near the declared, still growing",
            Scene::new(|j, d| 3e4 * ((j * d) / 512.0).powf(0.4), 0.03).declare_iops(3.1e4),
        ),
    ]
}

#[test]
fn nothing_is_claimed_where_nothing_is_shown() {
    for (what, scene) in undecidable() {
        let verdict = scene.verdict();
        let most = verdict.claims.iter().map(|c| c.confidence).max().unwrap();
        assert!(most <= Confidence::Possible, "{what}: {:#?}", verdict.claims);
    }
}

#[test]
fn two_limits_that_bind_together_are_both_named() {
    let scene = Scene::new(capped(3e4), 0.004).declare_iops(3e4).declare_throughput(3.02e4 * 4096.0);
    let verdict = scene.verdict();
    let found: Vec<Limit> = verdict.claims.iter().take(2).map(|claim| claim.limit).collect();
    assert!(found.contains(&Limit::VolumeIops) && found.contains(&Limit::VolumeThroughput), "{found:?}");
    for claim in &verdict.claims[..2] {
        assert!(claim.probability.unwrap() >= 0.9, "{claim:#?}");
        assert!(claim.evidence.iter().any(|e| e.text.contains("both limit the rate")), "{claim:#?}");
    }
}

#[test]
fn failed_checks_and_short_runs_only_take_confidence_away() {
    let sure = || Scene::new(capped(3e4), 0.004).declare_iops(3e4).each(|_, seen| seen.seconds = 60.0);
    let probability = |scene: Scene| scene.verdict().claims[0].probability.unwrap();
    let before = probability(sure());
    let failed =
        sure().each(|cell, _| cell.failed_checks = vec!["only 3 of 8 I/Os were in flight.".to_owned()]);
    assert!(probability(failed) <= 0.5_f64.min(before));
    let short = sure().each(|_, seen| seen.seconds = 2.0);
    assert!(probability(short) < 0.8);
}

#[test]
fn limits_that_contradict_each_other_are_said_and_take_confidence_away() {
    let declared = |limits: &[f64]| {
        limits
            .iter()
            .fold(Scene::new(capped(3000.0), 0.004), |scene, iops| scene.declare_iops(*iops))
            .verdict()
    };
    let (right, disputed) = (declared(&[3000.0]), declared(&[3000.0, 16_000.0]));
    let probability = |verdict: &Verdict| verdict.claims[0].probability.unwrap();
    assert_eq!(first(&right).0, Limit::VolumeIops);
    assert!(probability(&right) > 0.8 && probability(&disputed) < 0.8, "{right:?} {disputed:?}");
    let said = |verdict: &Verdict, words: &str| {
        verdict.claims.iter().flat_map(|claim| &claim.evidence).any(|piece| piece.text.contains(words))
    };
    assert!(said(&disputed, "Two limits contradict each other"), "{disputed:?}");
    assert!(!said(&right, "contradict"), "{right:?}");

    let passed = declared(&[1500.0]);
    assert!(probability(&passed) < 0.8, "{passed:?}");
    assert!(said(&passed, "that limit is not the one in force"), "{passed:?}");
}

#[test]
fn memory_and_null_have_no_device_to_blame() {
    for kind in [TargetKind::Null, TargetKind::Memory] {
        let scene = Scene::new(soft(2e5, 8.0), 0.025).with(|s| {
            s.target = scene::target(kind);
            s.target.direct = false;
        });
        let found = claims(&scene.verdict());
        let blamed = [Limit::DeviceParallelism, Limit::CacheArtefact];
        assert!(found.iter().all(|(limit, _)| !blamed.contains(limit)), "{found:?}");
    }
}

/// The target of a scene, measured behind decorators.
fn behind(delay: Option<&str>, operations_per_s: Option<f64>) -> impl FnOnce(&mut Scene) {
    let decorated = DecoratorFacts {
        delay: delay.map(str::to_owned),
        throttle: operations_per_s.map(|rate| format!("iops={rate}")),
        operations_per_s,
        bytes_per_s: None,
    };
    |scene| scene.target.decorated = Some(decorated)
}

#[test]
fn a_throttle_is_named_and_says_nothing_of_the_target() {
    let verdict = Scene::new(capped(50_000.0), 0.0005).with(behind(None, Some(50_000.0))).verdict();
    let claim = &verdict.claims[0];
    assert!(claim.limit == Limit::VolumeIops && claim.probability.unwrap() > 0.8, "{claim:#?}");
    assert!(
        claim.statement.starts_with("Limited by the throttle in front of the target"),
        "{}",
        claim.statement
    );
    assert!(claim.scope.contains("behind throttle iops=50000"), "{}", claim.scope);
    assert!(verdict.ceilings.iter().any(|c| c.source.contains("--throttle")));

    // Behind a delay, nothing is sure of the device.
    for scene in [Scene::new(capped(50_000.0), 0.0005), Scene::new(soft(2e5, 8.0), 0.025)] {
        let verdict = scene.with(behind(Some("constant:100us"), None)).verdict();
        assert!(claims(&verdict).iter().all(|(_, confidence)| *confidence <= Confidence::Possible));
    }
}

#[test]
fn too_few_in_flight_behind_a_delay_is_still_said_and_names_it() {
    let verdict = Scene::new(capped(1e9), 0.01)
        .with(behind(Some("constant:100us"), None))
        .with(|s| s.focus = Some(3))
        .verdict();
    assert_eq!(first(&verdict).0, Limit::Concurrency);
    assert!(verdict.claims[0].confidence >= Confidence::Likely);
    assert!(verdict.claims[0].scope.contains("delay constant:100us"));
}

/// A curve that ends at the knee of a hard limit, where too few in flight and the limit bind together: nothing that was
/// measured tells them apart, with a perfect last doubling or with one that falls short.
#[test]
fn at_the_knee_too_few_in_flight_is_neither_sure_nor_said_to_give_more() {
    for most in [1.6e5, 1.5e5, 1.4e5] {
        for alone in [true, false] {
            let verdict = Scene::new(capped(most), 0.015)
                .with(|s| {
                    let cells = [(1, 1), (1, 2), (1, 4), (1, 8), (1, 16)];
                    let cells = if alone { &cells[..] } else { &cells[3..] };
                    let rate = |jobs: u32, depth: u32| capped(most)(f64::from(jobs), f64::from(depth));
                    s.cells = cells
                        .iter()
                        .map(|&(jobs, depth)| scene::cell(jobs, depth, rate(jobs, depth)))
                        .collect();
                    s.telemetry = vec![scene::quiet(0.015); s.cells.len()];
                    s.focus = Some(s.cells.len() - 1);
                })
                .verdict();
            let claim = verdict.claims.iter().find(|claim| claim.limit == Limit::Concurrency).unwrap();
            assert!(claim.probability.unwrap() <= 0.8, "{most} {alone}: {:?}", claims(&verdict));
            assert!(
                claim.statement.ends_with("whether more give more was not measured."),
                "{}",
                claim.statement
            );
            let next = verdict.next_experiment.unwrap();
            assert!(next.command.contains("--depth 32"), "{next:?}");
        }
    }
}

#[test]
fn ceilings_say_how_much_of_them_was_reached() {
    let verdict = Scene::new(soft(2e5, 8.0), 0.025).declare_iops(1e6).declare_throughput(1e9).verdict();
    let reached = |name: &str| verdict.ceilings.iter().find(|c| c.name.contains(name)).unwrap().reached_share;
    let rate = 2e5 * 256.0 / 264.0;
    assert!((reached("1.00 M IOPS") - rate / 1e6).abs() < 1e-9);
    assert!((reached("GB/s") - rate * 4096.0 / 1e9).abs() < 1e-9);
    assert!((reached("busiest CPU core") - 0.3).abs() < 1e-9);
    // 256 in flight, each alone 45 us.
    assert!((reached("I/Os in flight over unloaded latency") - 9.0 / 264.0).abs() < 1e-9);
}

#[test]
fn the_next_experiment_separates_what_is_left() {
    let command = |scene: Scene| scene.verdict().next_experiment.unwrap();
    let large = command(Scene::new(capped(3e4), 0.004).with(|s| {
        s.workload.sizes = SizesByDirection::all(Sizes::Fixed { bytes: 65536 });
    }));
    assert!(!large.command.contains("--bs 65536"), "{}", large.command);
    assert!(large.reading.contains("IOPS"), "{}", large.reading);
    let alone = command(Scene::new(capped(3e4), 0.03).with(|s| s.cells.truncate(1)));
    // One cell leaves open whether more in flight gives more, and what the rate counts.
    let is_telling = ["--depth 2", "--bs 8192"].iter().any(|change| alone.command.contains(change));
    assert!(is_telling && !alone.command.contains("--depth 2 --bs 8192"), "{}", alone.command);
}

#[test]
fn sentences_hold_no_symbols_and_end() {
    for (what, scene) in cases().into_iter().map(|(what, scene, ..)| (what, scene)).chain(undecidable()) {
        let verdict = scene.verdict();
        println!("== {what}");
        for claim in &verdict.claims {
            println!("{:?} {:?}: {}", claim.limit, claim.confidence, claim.statement);
            claim
                .evidence
                .iter()
                .for_each(|e| println!("  {} {}", if e.supports { '+' } else { '-' }, e.text));
            let texts = claim.evidence.iter().map(|e| &e.text).chain([&claim.statement, &claim.scope]);
            for text in texts {
                assert!(text.ends_with('.'), "{text}");
                for symbol in ["rho", "NaN", "inf", "  ", "R1", "CV"] {
                    assert!(!text.split([' ', '.']).any(|word| word == symbol), "{text}");
                }
            }
        }
        if let Some(next) = &verdict.next_experiment {
            println!("  ? {} {} -> {}", next.question, next.command, next.reading);
        }
        println!("  {}", verdict.claims[0].scope);
    }
}

#[test]
fn a_cpu_that_others_used_is_no_sure_limit() {
    let busy = |others: Option<f64>| {
        Scene::new(capped(4e5), 0.02).each(|cell, seen| {
            seen.core_busy_shares = vec![0.98; 8];
            cell.others_cpu_share = others;
        })
    };
    let of = |scene: &Scene| scene.verdict().claims[0].clone();
    let alone = of(&busy(Some(0.05)));
    assert_eq!((alone.limit, of(&busy(None)).probability), (Limit::AllCores, alone.probability));
    let shared = of(&busy(Some(0.62)));
    assert!(shared.probability <= Some(0.5) && shared.confidence <= Confidence::Possible, "{shared:?}");
    let says = |claim: &Claim| {
        claim.evidence.iter().any(|e| !e.supports && e.text.contains("Other programs used 62 % of the CPU"))
    };
    assert!(says(&shared) && !says(&alone), "{shared:?}");
    // Whatever else limits it is less sure too.
    let device = |others: Option<f64>| {
        of(&Scene::new(capped(3e4), 0.004).declare_iops(3e4).each(|cell, _| cell.others_cpu_share = others))
    };
    assert!(device(None).probability > Some(0.8) && device(Some(0.3)).probability < Some(0.8));
}
