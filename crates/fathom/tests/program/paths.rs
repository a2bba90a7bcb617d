//! Ways to a file and what they are told: engines, flags and limits in force are in the record.

use std::process::Command;

use serde_json::Value;

use crate::typed::{Answer, Typist};

const SHORT: [&str; 6] = ["--time", "200ms", "--warmup", "0s", "--size", "4MiB"];

fn run(typist: &Typist, flags: &[&str]) -> Answer {
    typist.run(&[&["run", "--target", ".", "--json"], flags, &SHORT].concat())
}

fn note<'a>(record: &'a Value, feature: &str) -> Option<&'a str> {
    let features = record["engine"]["features"].as_array().unwrap();
    let known = features.iter().find(|known| known["name"] == feature && known["used"] == true)?;
    known["note"].as_str()
}

fn errors(record: &Value) -> u64 {
    let directions = record["summary"]["directions"].as_array().unwrap();
    directions.iter().map(|direction| direction["errors"].as_u64().unwrap()).sum()
}

#[test]
fn durable_writes_and_flags_are_in_the_record_and_in_its_replay() {
    let typist = Typist::new();
    for (engine, flags, feature) in [
        ("sync", ["--durable", "data"], "opened_o_dsync"),
        ("aio", ["--durable", "all"], "opened_o_sync"),
        ("uring", ["--durable", "data"], "opened_o_dsync"),
        ("sync", ["--io-flags", "dsync"], "rwf_dsync"),
        ("uring", ["--io-flags", "sync"], "rwf_sync"),
    ] {
        let answer =
            run(&typist, &[&["--engine", engine, "--rw", "randwrite", "--depth", "1"], &flags[..]].concat());
        let record = answer.json();
        assert!(note(&record, feature).is_some(), "{engine} {flags:?}: {record}");
        assert_eq!(errors(&record), 0, "{engine} {flags:?}");
        let check = record["checks"].as_array().unwrap().iter().find(|check| check["name"] == "write_cache");
        assert_eq!(check.unwrap()["outcome"], "pass", "{record}");
    }
}

#[test]
fn a_mapping_goes_through_the_page_cache_and_says_so() {
    let typist = Typist::new();
    let record = run(&typist, &["--engine", "mmap", "--rw", "randrw", "--verify", "at-end"]).json();
    assert_eq!(record["target"]["direct"], false);
    assert!(record["notes"].to_string().contains("as with --buffered"), "{}", record["notes"]);
    assert!(note(&record, "shared_mapping").is_some() && errors(&record) == 0);
}

#[test]
fn what_would_wait_is_an_error_or_the_flag_is_refused_before_the_run() {
    let typist = Typist::new();
    let answer = run(&typist, &["--engine", "sync", "--io-flags", "nowait"]);
    if answer.status == 1 && answer.stdout.contains("fathom.error") {
        assert!(answer.stderr.contains("`nowait`"), "{answer:?}");
        return;
    }
    assert!(note(&answer.json(), "rwf_nowait").unwrap().contains("counts as failed"), "{answer:?}");
}

#[test]
fn an_empty_file_is_refused_with_both_numbers() {
    let typist = Typist::new();
    std::fs::write(typist.path("empty"), b"").unwrap();
    let answer = typist.run(&["run", "--target", "empty"]);
    assert_eq!(answer.status, 3, "{answer:?}");
    assert!(answer.stderr.contains("0 bytes, fewer than the"), "{answer:?}");
}

/// With a limit of 64 KiB, and for root without the right to go beyond it.
#[test]
fn buffers_beyond_the_limit_of_locked_memory_are_a_recorded_fallback() {
    let typist = Typist::new();
    let program = env!("CARGO_BIN_EXE_fathom");
    let without_right = "setpriv --bounding-set=-ipc_lock";
    let script = format!(
        "ulimit -l 64 || exit 77\n{without_right} true 2>/dev/null && exec {without_right} \"$0\" \"$@\"\nexec \"$0\" \"$@\""
    );
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(program).current_dir(typist.folder());
    command.args(["--store", "store", "run", "--target", ".", "--json", "--engine", "uring"]).args(SHORT);
    let answer: Answer = command.output().unwrap().into();
    if answer.status == 77 || answer.stderr.contains("io_uring") {
        return;
    }
    let record = answer.json();
    assert!(note(&record, "registered_file").is_some() || errors(&record) == 0);
    let notes = record["notes"].to_string();
    assert!(
        notes.contains("limit of locked memory of 64 KiB") && notes.contains("ulimit -l unlimited"),
        "{notes}"
    );
    assert_eq!(errors(&record), 0);
}
