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

/// What a page of a record says to type, without the program's name.
fn reproduction(typist: &Typist, record: &Value) -> Vec<String> {
    let answer = typist.run(&["report", record["id"].as_str().unwrap(), "--md", "page.md"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    let page = std::fs::read_to_string(typist.path("page.md")).unwrap();
    let line = page.lines().find(|line| line.starts_with("fathom run ")).expect("a command");
    line.split(' ').skip(1).map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn the_way_to_the_target_is_in_the_record_and_in_what_its_page_says_to_type() {
    let typist = Typist::new();
    let write = ["--rw", "randwrite", "--depth", "2"];
    let striped = ["--target", ".", "--stripe", "64k", "--durable", "data"];
    for (engine, flags, feature) in [
        ("sync", &["--durable", "data"][..], "opened_o_dsync"),
        ("aio", &["--durable", "all"], "opened_o_sync"),
        ("uring", &striped, "opened_o_dsync"),
        ("sync", &["--io-flags", "dsync"], "rwf_dsync"),
        ("uring", &["--io-flags", "sync", "--cpus", "0"], "rwf_sync"),
        ("aio", &["--buffered", "--durable", "data", "--cpus", "any"], "opened_o_dsync"),
        ("sync", &["--durable", "data", "--delay", "constant:1ms", "--throttle", "iops=500"], "throttle"),
    ] {
        let first = run(&typist, &[&["--engine", engine], &write[..], flags].concat()).json();
        let again = reproduction(&typist, &first);
        let again: Vec<&str> = again.iter().map(String::as_str).chain(["--json"]).collect();
        let second = typist.run(&again).json();
        for record in [&first, &second] {
            assert!(note(record, feature).is_some(), "{engine} {flags:?}: {record}");
            assert_eq!(errors(record), 0, "{engine} {flags:?}");
            let checks = record["checks"].as_array().unwrap();
            let check = checks.iter().find(|check| check["name"] == "write_cache").unwrap();
            assert_eq!(check["outcome"], "pass", "{engine} {flags:?}: {record}");
        }
        for part in [
            "/workload",
            "/engine/name",
            "/engine/features",
            "/target/direct",
            "/target/stripe_bytes",
            "/target/decorated",
        ] {
            assert_eq!(first.pointer(part), second.pointer(part), "{engine} {flags:?}: {again:?}");
        }
    }
}

#[test]
fn more_threads_than_a_process_can_have_are_refused() {
    let answer = run(&Typist::new(), &["--engine", "sync", "--depth", "256", "--jobs", "200"]);
    assert_eq!(answer.status, 2, "{answer:?}");
    assert!(answer.stderr.contains("51200 threads"), "{answer:?}");
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
    if answer.status == 77 {
        fathom_skips::skipped("ulimit sets no limit of locked memory here");
        return;
    }
    if answer.stderr.contains("io_uring") {
        fathom_skips::skipped("no io_uring here");
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
