//! Facts that a table states, and what follows of each by itself.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]

use fathom_attribute::evidence::Feature;
use fathom_published::{RowExplanation, explain_published, parse_published};
use fathom_record::verdict::Limit;

const WRITES: &str = "block_bytes = 4096\nread_percent = 0\norder = \"random\"\n";

/// What is said of the first question of a table, or of its first row.
fn first(parts: &[&str]) -> RowExplanation {
    let table = parse_published(&format!("title = \"t\"\n{}", parts.concat()));
    explain_published(&table.unwrap_or_else(|refusal| panic!("{refusal}"))).remove(0)
}

fn row(name: &str, facts: &str) -> String {
    format!("[[row]]\npattern = \"{name}\"\n{facts}")
}

fn probability(of: &RowExplanation, limit: Limit) -> f64 {
    of.weighed.iter().find(|weighed| weighed.limit == limit).map_or(0.0, |weighed| weighed.probability)
}

fn value(of: &RowExplanation, feature: Feature) -> Option<f64> {
    of.seen.iter().find(|seen| seen.figure.feature == feature).map(|seen| seen.figure.value)
}

#[test]
fn what_the_device_below_does_by_itself_is_none_of_its_limits() {
    let writes = row("through a daemon", &format!("{WRITES}iops = 4000\n"));
    let sequential =
        row("in sequence", "block_bytes = 4096\nread_percent = 0\norder = \"sequential\"\niops = 20000\n");
    let below = row("the drive", &format!("{WRITES}below = true\niops = 45000\n"));
    let device = [Limit::IndirectionUnit, Limit::WriteCliff, Limit::DeviceParallelism];
    let sum = |of: &RowExplanation| device.into_iter().map(|limit| probability(of, limit)).sum::<f64>();
    let (without, with) = (first(&[&writes, &sequential]), first(&[&writes, &sequential, &below]));
    assert!(sum(&with) < 0.5 * sum(&without), "{} {}", sum(&with), sum(&without));
}

#[test]
fn copies_count_against_the_device_below_too() {
    let written = row("three copies", &format!("{WRITES}copies = 3\niops = 12000\n"));
    let below = row("the drive", &format!("{WRITES}below = true\niops = 40000\n"));
    let found = first(&[&written, &below]);
    assert!((value(&found, Feature::DeviceRate).unwrap() - 0.9f64.ln()).abs() < 1e-9);
    assert!((value(&found, Feature::Copied).unwrap() - 0.9f64.ln()).abs() < 1e-9);
    assert_eq!(found.verdict.claims[0].limit, Limit::Copies, "{:?}", found.verdict.claims[0]);
}

#[test]
fn that_more_of_them_bring_more_is_no_answer_to_what_limits_one() {
    let volumes = |count: u32| {
        let facts = format!("{WRITES}target = \"volume\"\ndevices = {count}\niops = {}\n", 2000 * count);
        row(&format!("{count} volumes"), &facts)
    };
    let asked = |name: &str| {
        let asked = format!("[[explain]]\nrows = [\"{name} volumes\"]\n");
        probability(&first(&[&asked, &volumes(1), &volumes(2), &volumes(4)]), Limit::Scales)
    };
    assert!(asked("1") < 0.9 * asked("4"), "{} {}", asked("1"), asked("4"));
}
