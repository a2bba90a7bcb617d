//! Lines of campaigns ask for the same campaign again, whatever was asked for.

use clap::Parser;
use fathom_campaign::{
    Evaluation, RawAssess, RawCompare, RawExplain, RawRepeat, RawRestarts, RawSweep, assess_decorators,
};
use fathom_plan::quantity::{write_share, write_time_ns};
use fathom_plan::{
    PlanSource, RawKnownLimits, RawPlan, Text, assess_command_line, compare_command_line,
    explain_command_line, patterns, repeat_command_line, sweep_command_line,
};
use fathom_record::campaign::{
    AssessPlan, PreconditionPlan, Quantity, RepeatBound, RepeatOptimum, RepeatPlan, RepeatSide, RepeatStep,
    Slo,
};
use fathom_record::options::Decorators;
use fathom_record::{CeilingRate, KnownCeiling, shell_words};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

/// A seed that no drawn line holds: a lost seed shows.
const OTHER_SEED: u64 = 0x5eed;

#[derive(Parser)]
struct AssessCommand {
    #[command(flatten)]
    flags: RawAssess,
}

#[derive(Parser)]
struct SweepCommand {
    #[command(flatten)]
    sweep: RawSweep,
    #[command(flatten)]
    flags: RawPlan,
}

#[derive(Parser)]
struct CompareCommand {
    #[command(flatten)]
    compare: RawCompare,
    #[command(flatten)]
    flags: RawPlan,
}

#[derive(Parser)]
struct ExplainCommand {
    subject: Option<String>,
    #[command(flatten)]
    explain: RawExplain,
    #[command(flatten)]
    flags: RawPlan,
}

#[derive(Parser)]
struct RepeatCommand {
    evaluation: String,
    #[command(flatten)]
    repeat: RawRepeat,
    #[command(flatten)]
    flags: RawPlan,
}

/// Names as people and hostile people give them; no shell can pass a NUL.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z/:.0-9-]{1,20}", "[^\0]{1,20}", "[0-9]{1,22}"]
}

fn decorators() -> impl Strategy<Value = Decorators> {
    let delay = option::of((1u64..1_000_000_000, any::<bool>()));
    let throttle = option::of(1u64..1 << 50);
    (delay, throttle).prop_map(|(delay, throttle)| Decorators {
        delay: delay.map(|(ns, stalls)| {
            let stalls = if stalls { ",stall-every=9s,stall-length=1s" } else { "" };
            format!("exponential:{ns}ns{stalls}").parse().expect("a delay")
        }),
        throttle: throttle.map(|rate| format!("iops={rate},iops-bucket=7").parse().expect("a throttle")),
    })
}

fn words(line: &str) -> Vec<String> {
    shell_words(line).expect("a line of plain words")
}

fn some(text: &str) -> Option<Text> {
    Some(text.into())
}

/// What all runs of a campaign share.
fn base() -> impl Strategy<Value = RawPlan> {
    (
        text(),
        option::of(text()),
        any::<(bool, bool, bool, Option<bool>)>(),
        option::of(1u64..1000),
        any::<u64>(),
    )
        .prop_map(|(target, engine, (rate, delay, destroy, buffered), size_kib, seed)| RawPlan {
            target: Some(vec![target]),
            engine: engine.map(Text),
            rate: rate.then(|| "2k".into()),
            arrival: rate.then(|| "poisson".into()),
            delay: delay.then(|| "lognormal:100us/0.5".into()),
            throttle: delay.then(|| "iops=3000".into()),
            buffered,
            size: size_kib.map(|kib| Text(format!("{}k", kib * 4))),
            destroy: destroy.then(|| vec!["S3R1 AL".to_owned()]),
            seed: Some(Text(seed.to_string())),
            ..RawPlan::default()
        })
}

/// One step on sides of these names, within two bounds.
fn evaluation(sides: &[&str]) -> Evaluation {
    let side = |name: &&str| RepeatSide { name: (*name).to_owned(), devices: 2, ..RepeatSide::default() };
    let step = |name: &&str| RepeatStep {
        name: "4k".to_owned(),
        side: (*name).to_owned(),
        plan: json!({ "rw": "randread", "bs": "4k", "jobs": 2, "depth": 8 }),
        published_seconds: Some(60.0),
        published_runs: Some(3),
        ..RepeatStep::default()
    };
    let bound = |name: &str, quantity| RepeatBound { name: name.to_owned(), quantity, value: 1.0 };
    Evaluation {
        name: "two of them.toml".to_owned(),
        targets: vec![None; sides.len()],
        optimum: None,
        plan: RepeatPlan {
            evaluation: "two of them.toml".to_owned(),
            title: "Two of them".to_owned(),
            source: String::new(),
            sides: sides.iter().map(side).collect(),
            steps: sides.iter().map(step).collect(),
            conclusions: Vec::new(),
            bounds: vec![
                bound("one core", Quantity::Iops),
                bound("the clients' network", Quantity::Throughput),
            ],
            own_bounds: Vec::new(),
            given: json!(null),
            visits: 0,
            until_share: None,
            as_published: false,
            across_restarts: None,
            optimum: None,
            seed: 0,
        },
    }
}

/// What is asked of a repetition of the sides `native` and `a guest`.
fn repetition() -> impl Strategy<Value = RawRepeat> {
    let command = option::of(("[!-~][^\0]{0,20}", 1u64..1 << 50));
    let restarts = option::of((option::of(0u64..1 << 50), command));
    // Absent: as many as were published.
    let visits = option::of((1u32..100, 1u32..500));
    (text(), visits, any::<bool>(), restarts, 1e-3..1e9f64, 1000u32..).prop_map(
        |(target, visits, budget, restarts, iops, bytes_per_s)| {
            let across_restarts = restarts.is_some();
            let (settle, command) = restarts.unwrap_or_default();
            let is = ["native=kernel=6.1.*", "a guest=file:/etc/a side=x y"];
            RawRepeat {
                side: vec![
                    Text(format!("native={target}")),
                    Text(format!("a guest={target}")),
                    Text(format!("a guest={target}2")),
                ],
                passes: visits.map(|(passes, _)| Text(passes.to_string())),
                until: visits.map(|(_, per_mille)| Text(format!("{}%", f64::from(per_mille) / 10.0))),
                budget: (budget && visits.is_some()).then(|| "20m".into()),
                as_published: visits.is_none(),
                restarts: RawRestarts { across_restarts, settle: settle.map(|ns| Text(write_time_ns(ns))) },
                is: is.into_iter().filter(|_| across_restarts).map(Text::from).collect(),
                before: command.iter().map(|(text, _)| Text(format!("a guest={text}"))).collect(),
                before_limit: command.map(|(_, ns)| Text(write_time_ns(ns))),
                bound: vec![
                    Text(format!("one core={iops}")),
                    Text(format!("the clients' network={bytes_per_s} B/s")),
                ],
                ..RawRepeat::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn sweeps_read_back_from_their_line(
        flags in base(), sizes in any::<bool>(), passes in 1u32..100, until in option::of(1u32..500),
        (adaptive, budget) in any::<(bool, bool)>(),
    ) {
        let over = if sizes { "bs=4k;4k:70%,64k:30%" } else { "depth=1..64" };
        let raw = RawSweep {
            over: vec![over.into(), "jobs=1,2".into()],
            passes: Some(Text(passes.to_string())),
            until: until.map(|per_mille| Text(format!("{}%", f64::from(per_mille) / 10.0))),
            budget: budget.then(|| "20m".into()),
            adaptive,
            anew: false,
        };
        let asked = raw.resolve(&PlanSource::from_flags(flags), 4, OTHER_SEED).expect("a sweep").plan;
        let line = words(&sweep_command_line(&asked));
        let read = SweepCommand::try_parse_from(&line[1..]).expect("a written line parses");
        let again = read.sweep.resolve(&PlanSource::from_flags(read.flags), 4, OTHER_SEED).expect("a sweep").plan;
        prop_assert_eq!(again, asked);
    }

    #[test]
    fn comparisons_read_back_from_their_line(
        flags in base(), b in option::of(text()), commands in option::of("[^\0]{1,20}"), pairs in 5u32..40,
        by in 1u32..300, (fixed, patterns) in any::<(bool, bool)>(), depths in vec(1u32..64, 1..3),
        limit_ns in 1u64..1 << 50, settle in option::of(option::of(0u64..1 << 50)),
    ) {
        let a = flags.target.clone().expect("a target").remove(0);
        let mut depths: Vec<String> = depths.iter().map(u32::to_string).collect();
        depths.dedup();
        prop_assume!(depths.len() < 2 || depths[0] != depths[1]);
        let number = Some(Text(pairs.to_string()));
        let raw = RawCompare {
            a_name: a,
            b_name: b,
            a: vec!["cpus=0-1".into()],
            b: vec!["polled=true".into(), "io-flags=nowait,hipri".into()],
            before_a: commands.clone().map(Text),
            before_b: None,
            before_limit: commands.map(|_| Text(write_time_ns(limit_ns))),
            patterns: patterns.then(|| "randrw:8k:70%,read-1m".into()),
            budget: None,
            by: Some(Text(write_share(f64::from(by) / 1000.0))),
            pairs: number.clone().filter(|_| fixed),
            max_pairs: number.filter(|_| !fixed),
            anew: false,
            push: false,
            restarts: RawRestarts {
                across_restarts: settle.is_some(),
                settle: settle.flatten().map(|ns| Text(write_time_ns(ns))),
            },
            is_a: settle.iter().map(|_| "kernel=6.1.*".into()).collect(),
            is_b: settle.iter().flat_map(|_| ["kernel=6.12.*".into(), "file:/etc/a side=x y".into()]).collect(),
        };
        let flags = RawPlan { target: None, depth: Some(Text(depths.join(","))), ..flags };
        let asked = raw.resolve(&flags, OTHER_SEED).expect("a comparison");
        let line = words(&compare_command_line(&asked.plan, asked.before_limit_ns));
        let read = CompareCommand::try_parse_from(&line[1..]).expect("a written line parses");
        let again = read.compare.resolve(&read.flags, OTHER_SEED).expect("a comparison");
        prop_assert_eq!(again.plan, asked.plan);
        prop_assert_eq!(again.before_limit_ns, asked.before_limit_ns);
    }

    #[test]
    fn repetitions_read_back_from_their_line(
        flags in base(), two in repetition(), is_one in any::<bool>(), optimum in option::of("[a-z0-9-]{1,20}"),
    ) {
        let (evaluation, raw, flags) = if is_one {
            let (restarts, before_limit) = (RawRestarts::default(), None);
            let (side, is, before) = (Vec::new(), Vec::new(), Vec::new());
            (evaluation(&[""]), RawRepeat { side, restarts, is, before, before_limit, ..two }, flags)
        } else {
            (evaluation(&["native", "a guest"]), two, RawPlan { target: None, ..flags })
        };
        let found = |id: String| RepeatOptimum { campaign: id, ..RepeatOptimum::default() };
        let asked = raw.resolve(&evaluation, flags, OTHER_SEED).expect("a repetition");
        let plan = RepeatPlan { optimum: optimum.map(found), ..asked.plan };
        let line = words(&repeat_command_line(&plan, asked.before_limit_ns));
        let read = RepeatCommand::try_parse_from(&line[1..]).expect("a written line parses");
        prop_assert_eq!(&read.evaluation, &evaluation.name);
        let again = read.repeat.resolve(&evaluation, read.flags, OTHER_SEED).expect("a repetition");
        // The line has the id by which the assessment is looked up.
        let optimum = read.repeat.optimum.map(|id| found(id.0));
        prop_assert_eq!(RepeatPlan { optimum, ..again.plan }, plan);
        prop_assert_eq!(again.before_limit_ns, asked.before_limit_ns);
    }

    #[test]
    fn assessments_read_back_from_their_command_line(
        target in text(), engine in option::of(text()), budget_ns in 1u64.., size_bytes in option::of(1u64..),
        iops in 1e-3..1e9f64, bytes_per_s in 1000u32.., instance in any::<bool>(), volume in any::<bool>(), quantile in 1u32..100_000, limit_ns in 1u64.., seed in any::<u64>(),
        decorators in decorators(),
        until in 1u32..=500, thorough in any::<bool>(), precondition in 0..3
    ) {
        let thorough = thorough && budget_ns > 210_000_000_000;
        let elsewhere = !thorough && precondition == 0 && seed % 2 == 0;
        let mut patterns = patterns();
        for pattern in &mut patterns {
            (pattern.workload.span_bytes, pattern.workload.seed) = (size_bytes, seed);
        }
        let plan = AssessPlan {
            target, engine, budget_ns, size_bytes, patterns, seed,
            ceilings: vec![
                KnownCeiling::declared(CeilingRate::Iops { operations_per_s: iops }),
                KnownCeiling::declared(CeilingRate::Throughput { bytes_per_s: f64::from(bytes_per_s) }),
            ],
            instance: instance.then(|| "r6id.4xlarge".to_owned()),
            volume: volume.then(|| "gp3:iops=16000,throughput=1000".to_owned()),
            slo: Some(Slo { quantile: f64::from(quantile) / 100_000.0, limit_ns }),
            delay: decorators.delay.as_ref().map(ToString::to_string),
            throttle: decorators.throttle.as_ref().map(ToString::to_string),
            // Shares of a budget that is long enough for windows.
            until_share: (!thorough && budget_ns > 210_000_000_000).then(|| f64::from(until) / 1000.0),
            precondition: match precondition {
                0 if !thorough => PreconditionPlan::None,
                1 => PreconditionPlan::Auto,
                _ => PreconditionPlan::Full,
            },
            thorough,
            clients: if elsewhere { vec!["ssh:c1".to_owned(), "here=local".to_owned()] } else { Vec::new() },
            partition: elsewhere,
        };
        prop_assert_eq!(assess_decorators(&plan), Ok(decorators));
        let words = words(&assess_command_line(&plan));
        let command = AssessCommand::try_parse_from(&words[1..]).expect("a written line parses");
        prop_assert_eq!(command.flags.resolve(0x5eed).expect("a written plan resolves").plan, plan);
    }

    #[test]
    fn explanations_read_back_from_their_line(
        flags in base(), most in 0u32..20, budget_s in 60u64..100_000, rest in option::of(1u64..1 << 50),
        (ceilings, purge) in any::<(bool, bool)>(),
    ) {
        let writes = RawPlan { rw: some("randwrite"), ..flags.clone() };
        let raw = RawExplain {
            experiments: true,
            budget: Some(Text(format!("{budget_s}s"))),
            max_experiments: Some(Text(most.to_string())),
            second: None,
            rest: rest.map(|ns| Text(write_time_ns(ns))),
            purge,
            anew: false,
            known: RawKnownLimits {
                ceilings: if ceilings { vec!["instance:iops=40k,throughput=2GB/s".into()] } else { Vec::new() },
                instance: ceilings.then(|| "r6id.4xlarge".into()),
                volume: ceilings.then(|| "gp3:iops=16000,throughput=1000".into()),
            },
        };
        let asked = raw.resolve(&PlanSource::from_flags(if purge { writes } else { flags }), OTHER_SEED).expect("a plan");
        let line = words(&explain_command_line(&asked.plan, &asked.known));
        let read = ExplainCommand::try_parse_from(&line[1..]).expect("a written line parses");
        prop_assert_eq!(read.subject, None);
        let again = read.explain.resolve(&PlanSource::from_flags(read.flags), OTHER_SEED).expect("a plan");
        prop_assert_eq!((again.plan, again.known), (asked.plan, asked.known));
    }
}

#[test]
fn a_comparison_of_finished_runs_names_them() {
    let raw =
        RawCompare { a_name: "x".into(), b_name: Some("y".into()), by: some("2%"), ..RawCompare::default() };
    let plan = raw.stored(&RawPlan::default(), ("r-1", "r-2")).expect("a comparison");
    assert_eq!(compare_command_line(&plan, 0), "fathom compare --by 2% -- r-1 r-2");
}
