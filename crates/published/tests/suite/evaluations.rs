//! The audit finds in published tables what careful readers found in them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]

use fathom_published::{audit_published, parse_published};
use fathom_tools::result_audit::{Finding, Rule, Weight};

fn audited(name: &str) -> Vec<Finding> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations").join(name);
    audit_published(&parse_published(&std::fs::read_to_string(path).unwrap()).unwrap())
}

fn find<'a>(found: &'a [Finding], rule: Rule, subject: &str, words: &str) -> &'a Finding {
    let fits = |finding: &&Finding| {
        finding.rule == rule && finding.subject.contains(subject) && finding.text.contains(words)
    };
    found
        .iter()
        .find(fits)
        .unwrap_or_else(|| panic!("{rule:?} of {subject} with {words:?} is not among {found:#?}"))
}

#[test]
fn two_stacks_at_different_concurrency_have_latencies_that_do_not_compare() {
    let found = audited("windows-native-nvme.toml");
    let pair = find(&found, Rule::SameConcurrency, "sequential 64K write", "292");
    assert_eq!(pair.weight, Weight::Caution);
    assert!(pair.text.contains("458") && pair.text.contains("cannot be compared"), "{}", pair.text);
    let same = find(&found, Rule::SameConcurrency, "random 4K read", "270");
    assert_eq!(same.weight, Weight::Note, "{}", same.text);
    assert!(found.iter().all(|finding| finding.weight < Weight::Contradiction), "{found:#?}");
}

#[test]
fn gbps_that_are_units_of_2_to_the_30_bits_are_told() {
    let found = audited("bdevperf-one-core.toml");
    let unit = find(&found, Rule::Units, "2 drives", "2^30 bits");
    assert!(unit.text.contains("21.58 Gbps") && unit.text.contains("20.09"), "{}", unit.text);
    for (drives, in_flight) in [("2 drives", "768"), ("3 drives", "1152")] {
        let law = find(&found, Rule::LittlesLaw, drives, in_flight);
        assert_eq!(law.weight, Weight::Note, "the figures agree with themselves: {}", law.text);
    }
}

#[test]
fn two_limits_that_explain_one_result_are_both_named() {
    let found = audited("windows-arm-ebs.toml");
    let ceiling = find(&found, Rule::Ceiling, "random 4K read", "volume's IOPS");
    assert!(ceiling.text.contains("133.0 %") && ceiling.text.contains("98.1 %"), "{}", ceiling.text);
    assert!(ceiling.text.contains("Both are candidates"), "{}", ceiling.text);
    find(&found, Rule::Units, "sequential 128K read", "the figure is in MiB/s");
}

#[test]
fn clients_that_did_not_keep_their_depth_are_told() {
    let found = audited("nvmeof-initiators.toml");
    let pair = find(&found, Rule::SameConcurrency, "randread-4k of four clients", "cannot be compared");
    assert!(pair.text.contains("2045") && pair.text.contains("1473"), "{}", pair.text);
    find(&found, Rule::Ceiling, "read-64k of four clients, Linux", "the clients' network");
    for side in ["Linux", "StarWind"] {
        let near = find(&found, Rule::Ceiling, &format!("read-1m of four clients, {side}"), "not full here");
        assert_eq!(near.weight, Weight::Caution, "{}", near.text);
        assert!(near.text.contains("95.5 %") && near.text.contains("9 % more"), "{}", near.text);
    }
    let beyond =
        find(&found, Rule::Ceiling, "randread-64k of eight drives, expected", "the clients' network");
    assert_eq!(beyond.weight, Weight::Caution, "{}", beyond.text);
    assert!(found.iter().all(|finding| finding.weight < Weight::Contradiction), "{found:#?}");
}

#[test]
fn a_table_without_contradictions_has_none() {
    let found = audited("gp3-vs-local-nvme.toml");
    assert!(found.iter().all(|finding| finding.weight < Weight::Contradiction), "{found:#?}");
}

#[test]
fn percentiles_that_fall_and_throughput_that_fits_no_unit_contradict() {
    let table = "title = \"x\"\n[[row]]\npattern = \"p\"\nblock_bytes = 4096\niops = 1000\nthroughput = 9\nunit = \"MB/s\"\npercentiles_us = [[50, 90], [99, 80]]\n";
    let found = audit_published(&parse_published(table).unwrap());
    let rules: Vec<Rule> =
        found.iter().filter(|f| f.weight == Weight::Contradiction).map(|f| f.rule).collect();
    assert_eq!(rules, [Rule::Units, Rule::Percentiles]);
    let refusal = parse_published("title = \"x\"\n[[row]]\niops = \"many\"\n").unwrap_err();
    assert_eq!(refusal.place, "line 3", "{refusal}");
}
