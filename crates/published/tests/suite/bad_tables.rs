//! Tables as people write them by mistake: each is refused by name, or explained honestly, at once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]
#![allow(clippy::disallowed_methods, reason = "how long an answer takes is what is tested")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use fathom_published::{RowExplanation, explain_published, parse_published, parse_separated, remarks};
use fathom_record::verdict::Limit;

/// Longest that a table of some rows may take.
const LONGEST: Duration = Duration::from_secs(1);
/// A named cause is said with at least this.
const NAMED: f64 = 0.5;

fn row(name: &str, more: &str) -> String {
    format!(
        "[[row]]\npattern = \"{name}\"\nblock_bytes = 4096\nread_percent = 100\norder = \"random\"\njobs = 1\n{more}\n"
    )
}

/// What a table comes to, and that a short one took no second.
#[track_caller]
fn explained(body: &str) -> Vec<RowExplanation> {
    let begin = Instant::now();
    let table =
        parse_published(&format!("title = \"t\"\n{body}")).unwrap_or_else(|refusal| panic!("{refusal}"));
    let all = explain_published(&table);
    let _ = remarks(&table);
    assert!(all.len() >= 100 || begin.elapsed() < LONGEST, "{:?}", begin.elapsed());
    for one in &all {
        let total: f64 = one.weighed.iter().map(|w| w.probability).sum();
        assert!((total - 1.0).abs() < 1e-6, "{}: {total}", one.title);
        assert!(!one.verdict.claims.is_empty(), "{}", one.title);
    }
    all
}

#[track_caller]
fn refused(body: &str, words: &[&str]) {
    let said = parse_published(&format!("title = \"t\"\n{body}")).unwrap_err().to_string();
    for word in words {
        assert!(said.contains(word), "no {word:?} in: {said}");
    }
}

/// The cause that is named, if any is.
fn named(one: &RowExplanation) -> Option<Limit> {
    let best = one.verdict.claims.first()?;
    (best.limit != Limit::Unknown && best.probability.unwrap_or(0.0) >= NAMED).then_some(best.limit)
}

#[test]
fn numbers_of_another_language_are_refused_with_how_to_write_them() {
    for rate in ["3.000,5", "3000,5", "3.000.000", "3 000", "3'000", "\"3,000\"", "\"3000 IOPS\""] {
        let said = ["line 8", "number", "write a number with a point"];
        refused(&row("a", &format!("iops = {rate}")), &said);
    }
    let said = |text: &str| parse_separated(text, "t").unwrap_err().to_string();
    // The comma parts values, and a decimal comma makes one too many, or words.
    assert!(said("pattern,iops\na,3000,5\n").contains("line 2"));
    assert!(said("pattern,iops\na,\"3000,5\"\n").contains("write a number with a point"));
}

#[test]
fn labels_by_mistake_are_refused_or_change_nothing() {
    let asked = |label: &str| {
        format!("[[explain]]\nrows = [\"a\"]\n{label}\n{}", row("a", "depth = 32\niops = 3000"))
    };
    refused(&asked("label = \"volume_iops\""), &["line 4", "cause = "]);
    refused(&asked("label = { cause = \"volume_iop\" }"), &["line 4", "did you mean \"volume_iops\"?"]);
    refused(&asked("label = { cause = \"the moon\" }"), &["\"the moon\"", "docs/published.md"]);
    refused(&asked("label = { cause = \"link\", sure = \"yes\" }"), &["line 4"]);
    refused(&row("a", "iops = 3000\nlabel = { cause = \"link\" }"), &["line 9", "[[explain]]"]);
    let other = "[[explain]]\nrows = [\"b\"]\nlabel = { cause = \"link\" }\n";
    refused(&format!("{other}{}", row("a", "iops = 3000")), &["\"b\"", "no [[row]]"]);
    // Right or wrong, a label is for tests: the verdict knows nothing of it.
    let without = explained(&asked(""));
    for label in ["volume_iops", "thermal", "unknown"] {
        let with = explained(&asked(&format!("label = {{ cause = \"{label}\", sure = true }}")));
        assert_eq!(with[0].weighed, without[0].weighed, "{label}");
    }
}

#[test]
fn one_row_and_rows_that_are_all_equal_name_no_cause() {
    for one in explained(&row("a", "iops = 3000")) {
        assert_eq!(named(&one), None, "{:?}", one.verdict.claims);
    }
    let same: String = (0..40).map(|_| row("a", "depth = 32\niops = 3000\nlatency_us = 10666.7")).collect();
    let all = explained(&same);
    assert_eq!(all.len(), 40);
    for one in &all {
        assert_eq!(named(one), None, "{:?}", one.verdict.claims);
    }
}

#[test]
fn rows_that_contradict_each_other_are_never_sure() {
    let twice =
        [3000.0, 50.0, 900_000.0].map(|rate| row("a", &format!("depth = 32\niops = {rate}"))).concat();
    for one in explained(&twice) {
        assert_eq!(named(&one), None, "{:?}", one.verdict.claims);
    }
    // Rate by size is not the throughput, and rate by latency is not what is in flight: both are said.
    let body = row("a", "depth = 32\niops = 3000\nthroughput = 500\nunit = \"MB/s\"\nlatency_us = 1000000.0");
    let table = parse_published(&format!("title = \"t\"\n{body}")).unwrap();
    let notes = remarks(&table).join("\n");
    assert!(notes.contains("size, rate or throughput") && notes.contains("in flight"), "{notes}");
    for one in explained(&body) {
        assert_eq!(named(&one), None, "{:?}", one.verdict.claims);
    }
}

/// How long so many rows take: the machine's speed is in it.
fn time_of(rows: usize) -> Duration {
    let mut body = String::new();
    for at in 1..=rows {
        let _ =
            write!(body, "{}", row(&format!("row {at}"), &format!("depth = {at}\niops = {}", 100 + 7 * at)));
    }
    let begin = Instant::now();
    assert_eq!(explained(&body).len(), rows);
    begin.elapsed()
}

/// Each row is held against each other: four times as many take sixteen times as long, and not 64.
#[test]
fn a_thousand_rows_are_explained_in_one_go() {
    let few = (0..3).map(|_| time_of(250)).min().unwrap();
    let many = time_of(1000);
    assert!(many < 40 * few, "{many:?} for {few:?}");
}

#[test]
fn units_and_limits_that_say_nothing_are_refused_by_name() {
    let limit =
        |fields: &str| format!("[[ceiling]]\nname = \"volume\"\n{fields}\n{}", row("a", "iops = 3000"));
    refused(&limit("throughput = 125"), &["line 4", "no unit", "MB/s"]);
    refused(&limit("iops = \"3000/s\""), &["line 4", "write a number"]);
    refused(&limit("throughput = 1\nunit = \"IOPS\""), &["line 5", "\"IOPS\"", "MiB/s"]);
    refused(&row("a", "throughput = 3\nunit = \"MB\""), &["did you mean \"MB/s\"?"]);
    refused(&row("a", "latency_us = \"3 ms\"\niops = 9"), &["line 8", "write a number"]);
    refused(&row("a", "cpu_of = [1]\niops = 9"), &["line 8", "write a word in quotes"]);
}
