//! Published results, explained from their tables alone: the verdicts are their authors', or better founded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fathom_published::{Label, RowExplanation, explain_published, parse_published};
use fathom_record::verdict::Limit;

/// From this probability on a cause counts as named.
const NAMED: f64 = 0.5;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations")
}

fn explained(path: &Path) -> Vec<RowExplanation> {
    let text = std::fs::read_to_string(path).unwrap();
    explain_published(
        &parse_published(&text).unwrap_or_else(|refusal| panic!("{}: {refusal}", path.display())),
    )
}

/// Causes in the order of their probability, without the unlisted one.
fn ranked(explained: &RowExplanation) -> Vec<(Limit, f64)> {
    let listed = explained.weighed.iter().filter(|w| w.limit != Limit::Unknown);
    listed.map(|w| (w.limit, w.probability)).collect()
}

fn is_right(label: &Label, limit: Limit) -> bool {
    label.cause == limit || label.also.contains(&limit)
}

fn name(limit: Limit) -> String {
    serde_json::to_value(limit).unwrap().as_str().unwrap().to_owned()
}

/// The explained row whose pattern begins so, on a side.
fn of<'a>(all: &'a [RowExplanation], pattern: &str, side: &str) -> &'a RowExplanation {
    all.iter()
        .find(|one| one.row.pattern.starts_with(pattern) && one.row.side == side)
        .unwrap_or_else(|| panic!("no {pattern}, {side}"))
}

fn first(explained: &RowExplanation) -> Limit {
    explained.verdict.claims[0].limit
}

fn told(explained: &RowExplanation) -> String {
    let mut out = format!("{:#?}\n", explained.verdict.claims.first());
    for seen in &explained.seen {
        let _ = writeln!(out, "{:?} {}", seen.figure, seen.text);
    }
    out + &format!("{:?}", explained.weighed)
}

#[test]
fn the_volume_binds_rather_than_an_instance_whose_limit_was_passed_and_both_are_named() {
    let all = explained(&folder().join("windows-arm-ebs.toml"));
    let reads = of(&all, "random 4K read", "");
    assert_eq!(first(reads), Limit::VolumeIops, "{}", told(reads));
    let limits: Vec<Limit> = reads.verdict.claims.iter().map(|claim| claim.limit).collect();
    assert!(limits.contains(&Limit::InstanceCap), "{}", told(reads));
    let next = reads.verdict.next_experiment.as_ref().unwrap();
    assert!(next.command.contains("SECOND_TARGET"), "{next:?}");
    assert!(next.reading.contains("share") && next.reading.contains("volume's"), "{next:?}");

    // At 331 MB/s, which are MiB/s by depth and latency, the instance's 347 MB/s bind.
    let throughput = of(&all, "sequential 128K read", "");
    assert_eq!(first(throughput), Limit::InstanceCap, "{}", told(throughput));
    let shallow = of(&all, "sequential 128K write at depth 4", "");
    assert_eq!(first(shallow), Limit::Concurrency, "{}", told(shallow));
}

#[test]
fn the_core_is_the_limit_from_two_drives_on() {
    let all = explained(&folder().join("bdevperf-one-core.toml"));
    let two = of(&all, "random 4K 70/30 on 2 drives", "");
    assert_eq!(first(two), Limit::OneCore, "{}", told(two));
}

#[test]
fn small_blocks_meet_the_volumes_operations_and_large_ones_the_instance() {
    let all = explained(&folder().join("gp3-vs-local-nvme.toml"));
    let small = of(&all, "4K read on r5d.4xlarge", "gp3");
    assert_eq!(first(small), Limit::VolumeIops, "{}", told(small));
    let large = of(&all, "4-16K and 64K read on r5d.4xlarge", "gp3");
    assert_eq!(first(large), Limit::InstanceCap, "{}", told(large));
    // On the larger instance nothing of the instance binds, but both limits of the volume are met.
    let newer = of(&all, "4-16K and 64K read on r6id.4xlarge", "gp3");
    assert!([Limit::VolumeIops, Limit::VolumeThroughput].contains(&first(newer)), "{}", told(newer));
}

#[test]
fn large_reads_fill_the_network_and_the_costlier_initiator_binds_small_ones() {
    let all = explained(&folder().join("nvmeof-initiators.toml"));
    for side in ["Linux", "StarWind"] {
        let large = of(&all, "randread-64k of four clients", side);
        assert_eq!(first(large), Limit::Link, "{}", told(large));
    }
    let small = of(&all, "randread-4k of four clients", "StarWind");
    // Its processor time is what binds; whether one processor's or the path's, the table does not tell.
    let named: Vec<Limit> = small.verdict.claims.iter().take(2).map(|claim| claim.limit).collect();
    assert!(named.contains(&Limit::Software) && named.contains(&Limit::OneCore), "{}", told(small));
}

#[test]
fn the_older_stack_binds_small_reads_and_the_mapping_unit_small_writes() {
    let all = explained(&folder().join("windows-native-nvme.toml"));
    let reads = of(&all, "random 4K read", "translating");
    assert_eq!(first(reads), Limit::Software, "{}", told(reads));
    let writes = of(&all, "random 4K write", "native");
    assert_eq!(first(writes), Limit::IndirectionUnit, "{}", told(writes));
}

/// One line of the accuracy table.
struct Scored {
    case: String,
    label: Label,
    ranked: Vec<(Limit, f64)>,
}

fn scored() -> Vec<Scored> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder().join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        for one in explained(path) {
            let case = path.file_stem().unwrap().to_string_lossy().into_owned();
            let label = one.asked.label.clone().unwrap_or_else(|| panic!("{case} has no label"));
            all.push(Scored { case, label, ranked: ranked(&one) });
        }
    }
    all
}

/// The table as docs/attribution.md has it.
fn as_table(all: &[Scored]) -> String {
    let mut out = "| case | known cause | sure | first | second |\n|---|---|---|---|---|\n".to_owned();
    for one in all {
        let known =
            if one.label.cause == Limit::Unknown { "not known".to_owned() } else { words(one.label.cause) };
        let place = |at: usize| {
            one.ranked
                .get(at)
                .map_or(String::new(), |(limit, p)| format!("{} {:.0} %", words(*limit), 100.0 * p))
        };
        let sure = if one.label.sure { "yes" } else { "no" };
        let _ = writeln!(out, "| {} | {known} | {sure} | {} | {} |", one.case, place(0), place(1));
    }
    out
}

fn words(limit: Limit) -> String {
    name(limit).replace('_', " ")
}

#[test]
fn published_cases_are_explained_as_often_as_promised() {
    let all = scored();
    println!("{}", as_table(&all));
    let known = |one: &&Scored| one.label.cause != Limit::Unknown;
    let sure: Vec<&Scored> = all.iter().filter(known).filter(|one| one.label.sure).collect();
    let hit =
        |one: &Scored, places: usize| one.ranked.iter().take(places).any(|(l, _)| is_right(&one.label, *l));
    let share =
        |places: usize| sure.iter().filter(|one| hit(one, places)).count() as f64 / sure.len().max(1) as f64;
    println!("of {} sure: {:.0} % first, {:.0} % among two", sure.len(), 100.0 * share(1), 100.0 * share(2));
    assert!(all.len() >= 31, "{} cases", all.len());
    assert!(share(1) >= 0.75 && share(2) >= 0.9);
    for one in all.iter().filter(|one| one.label.cause == Limit::Unknown) {
        // That nothing differs names no cause.
        let named = one.ranked.iter().find(|(limit, _)| *limit != Limit::NoDifference);
        let best = named.map_or(0.0, |(_, p)| *p);
        assert!(best < NAMED, "{} names {:?}", one.case, one.ranked.first());
    }
}
