//! `--status-interval`: the state of the jobs while they run, in the shape that the installed fio gives it.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Deserializer, Value};

use crate::fio::{fathom_fio, has};

const JOB: &str = "--name=a --filename=data --size=8m --rw=randread --bs=4k --ioengine=psync --rate_iops=100 \
                   --time_based --runtime=3 --status-interval=1 --eta=never";

fn documents(text: &str) -> Vec<Value> {
    let all: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter().collect();
    all.unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn reads(document: &Value, what: &str) -> u64 {
    let jobs = document["jobs"].as_array().unwrap();
    jobs.iter().map(|job| job["read"][what].as_u64().unwrap()).sum()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn each_report_has_all_until_then_and_the_last_is_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let (printed, said, status) = fathom_fio(folder.path(), &format!("{JOB} --output-format=json"));
    assert_eq!((status, said.as_str()), (Some(0), ""), "{printed}");
    let all = documents(&printed);
    let (last, running) = all.split_last().unwrap();
    assert!((1..=3).contains(&running.len()), "{} reports in 3 s: {printed}", running.len());
    for (before, after) in all.iter().zip(all.iter().skip(1)) {
        assert!(reads(before, "total_ios") <= reads(after, "total_ios"), "{printed}");
        assert!(reads(before, "runtime") <= reads(after, "runtime"), "{printed}");
    }
    assert!(reads(&running[0], "total_ios") > 0 && reads(last, "total_ios") >= 250, "{printed}");
    for report in running {
        let job = &report["jobs"][0];
        assert_eq!(job["fathom"]["running"], true, "{report}");
        // Whole seconds of it, at the rate that was asked for.
        let (ios, ms) = (reads(report, "total_ios") as f64, reads(report, "runtime") as f64);
        assert!((ios / (ms / 1000.0) - 100.0).abs() < 20.0, "{ios} in {ms} ms");
        assert_eq!(job["eta"].as_u64().unwrap(), 3 - (ms / 1000.0) as u64, "{report}");
        assert_eq!(keys(&job["read"]), keys(&last["jobs"][0]["read"]));
        assert!(job["read"]["clat_ns"]["percentile"].is_object(), "{report}");
    }
    assert!(last["jobs"][0]["fathom"]["valid"].is_boolean() && last["jobs"][0]["eta"] == 0, "{last}");
    if !has("fio") {
        return;
    }
    let theirs = Command::new("fio")
        .args(format!("{JOB} --output-format=json").split_whitespace())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let theirs = documents(&String::from_utf8_lossy(&theirs.stdout));
    // One of fio's may fall on the end itself.
    assert!(all.len().abs_diff(theirs.len()) <= 1, "{} reports, fio {}", all.len(), theirs.len());
    for (which, lacks) in [("read", 0), ("write", 0)] {
        let (own, of_fio) = (&running[0]["jobs"][0][which], &theirs[0]["jobs"][0][which]);
        let missing: Vec<&str> = keys(of_fio).difference(&keys(own)).copied().collect();
        assert_eq!(missing.len(), lacks, "{which} lacks {missing:?}");
    }
}

#[test]
fn each_clone_has_its_own_report_and_a_file_takes_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let words = format!("{JOB} --numjobs=2 --runtime=2 --output-format=json --output=out.json");
    let (printed, said, status) = fathom_fio(folder.path(), &words);
    assert_eq!((status, printed.as_str(), said.as_str()), (Some(0), "", ""));
    let all = documents(&std::fs::read_to_string(folder.path().join("out.json")).unwrap());
    assert!((2..=3).contains(&all.len()), "{all:?}");
    for document in &all {
        let jobs = document["jobs"].as_array().unwrap();
        assert_eq!(jobs.len(), 2, "{document}");
        assert!(jobs.iter().all(|job| job["read"]["total_ios"].as_u64().unwrap() > 0), "{document}");
    }
    // What this command wrote may be written again.
    let (_, said, status) = fathom_fio(folder.path(), &words);
    assert_eq!((status, said.as_str()), (Some(0), ""));
    let again = documents(&std::fs::read_to_string(folder.path().join("out.json")).unwrap());
    assert!((2..=3).contains(&again.len()), "{again:?}");
}

#[test]
fn text_and_terse_lines_are_repeated_and_the_head_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (printed, said, status) =
        fathom_fio(folder.path(), &format!("{JOB} --runtime=2 --output-format=terse,normal"));
    assert_eq!((status, said.as_str()), (Some(0), ""), "{printed}");
    let count = |part: &str| printed.lines().filter(|line| line.contains(part)).count();
    let (reports, lines) = (count("a: (groupid=0, jobs=1)"), count("3;fio-3."));
    assert!((2..=3).contains(&reports) && reports == lines, "{reports} and {lines}: {printed}");
    assert_eq!((count("a: (g=0): rw=randread"), count("Run status group 0")), (1, reports), "{printed}");
    let issued: Vec<&str> = printed.lines().filter(|line| line.contains("issued rwts")).collect();
    assert!(issued.first() != issued.last(), "{issued:?}");
}

#[test]
fn an_interval_that_is_none_is_refused_and_a_short_one_is_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let (_, said, status) =
        fathom_fio(folder.path(), "--name=a --size=1m --ioengine=null --status-interval=0");
    assert!(status == Some(2) && said.contains("write a second or more"), "{said}");
    let words = "--name=a --size=1m --ioengine=null --status-interval=100ms";
    let (printed, said, status) = fathom_fio(folder.path(), words);
    assert_eq!((status, said.as_str()), (Some(0), ""));
    assert!(printed.contains("reported once a second") && printed.contains("a: (g=0)"), "{printed}");
}
