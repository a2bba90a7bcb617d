//! Markdown: its words, and the pictures that it refers to.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail by panicking")]

use crate::sample::{Device, Shape, campaign, run};
use fathom_record::CampaignRecord;
use fathom_report::{canonical_json, markdown};

const NVME: Device = Device { unloaded_ns: 82e3, most_per_s: 585e3, sharpness: 3.0 };

fn keep(out: &markdown::Markdown) {
    if let Ok(folder) = std::env::var("FATHOM_REPORT_KEEP") {
        std::fs::write(format!("{folder}/report.md"), &out.text).unwrap();
        for (name, svg) in &out.pictures {
            std::fs::write(format!("{folder}/{name}"), svg).unwrap();
        }
    }
}

#[test]
fn a_run() {
    let shape = Shape {
        read_share: 1.0,
        bytes: 4096,
        jobs: 1,
        depth: 32,
        seconds: 10,
        warmup_seconds: 0,
        seed: 7,
        random: true,
    };
    let record = run("r-20261120-161500-01", "/data/a_b|c", &NVME, &shape);
    let out = markdown::run(&record).unwrap();
    insta::assert_snapshot!("run", out.text);
    assert_eq!(out.pictures.len(), 2);
}

#[test]
fn a_campaign_refers_to_every_picture_it_brings() {
    let (mut record, runs) = campaign("/data", 3);
    record.patterns[0].name = "../Rand read\n4k".to_owned();
    record.patterns[0].verdict.as_mut().unwrap().claims[0].statement =
        "a | b <img src=x> [l](http://x)".to_owned();
    let out = markdown::campaign(&record.clone().into(), &runs).unwrap();
    keep(&out);
    assert_eq!(out.pictures.len(), 28);
    for (name, svg) in &out.pictures {
        assert!(out.text.contains(&format!("]({name})")), "{name}");
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c)),
            "{name}"
        );
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("prefers-color-scheme:dark") && !svg.contains("var("));
    }
    let mut names: Vec<_> = out.pictures.iter().map(|p| &p.0).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 28, "names are unique");
    assert!(!out.text.contains("<img") && !out.text.contains("http://"));
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let tables: Vec<_> = out.text.lines().collect();
    for pair in tables.windows(2).filter(|pair| pair[0].starts_with('|') && pair[1].starts_with('|')) {
        assert_eq!(columns(pair[0]), columns(pair[1]), "{}", pair[1]);
    }
}

#[test]
fn json_is_the_record_and_always_the_same() {
    let (record, _) = campaign("/data/\u{1b}\"", 1);
    let record = CampaignRecord::from(record);
    let text = canonical_json::pretty(&record).unwrap();
    assert_eq!(text, canonical_json::pretty(&record.clone()).unwrap());
    let back = fathom_record::parse_campaign(text.as_bytes()).unwrap();
    assert_eq!(back, record);
    let start = "{\n  \"kind\": \"assess\",\n  \"format\": \"fathom.campaign\"";
    assert!(text.ends_with("}\n") && text.starts_with(start), "{}", &text[..start.len()]);
}
