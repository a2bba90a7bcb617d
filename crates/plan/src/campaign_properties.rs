//! Lines of campaigns ask for the same campaign again, whatever was asked for.

use clap::Parser;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::properties::{text, words};
use super::restarts::RawRestarts;
use super::*;

/// A seed that no drawn line holds: a lost seed shows.
const OTHER_SEED: u64 = 0x5eed;

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
            before_limit: commands.map(|_| Text(quantity::write_time_ns(limit_ns))),
            patterns: patterns.then(|| "randrw:8k:70%,read-1m".into()),
            budget: None,
            by: Some(Text(quantity::write_share(f64::from(by) / 1000.0))),
            pairs: number.clone().filter(|_| fixed),
            max_pairs: number.filter(|_| !fixed),
            anew: false,
            push: false,
            restarts: RawRestarts {
                across_restarts: settle.is_some(),
                settle: settle.flatten().map(|ns| Text(quantity::write_time_ns(ns))),
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
            rest: rest.map(|ns| Text(quantity::write_time_ns(ns))),
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
