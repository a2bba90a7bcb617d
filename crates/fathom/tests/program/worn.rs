//! `--wear-limit`: no byte beyond it is written, and what was measured until then is kept.

use crate::typed::Typist;

const MIB: u64 = 1 << 20;

#[test]
fn a_run_ends_before_the_write_that_would_pass_its_limit() {
    let typist = Typist::new();
    let answer = typist.run(&[
        "run",
        "--target",
        "memory:64MiB",
        "--rw",
        "randrw",
        "--jobs",
        "2",
        "--time",
        "60s",
        "--warmup",
        "0s",
        "--wear-limit",
        "10MiB",
        "--json",
    ]);
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stderr.contains("writes at most 10 MiB in all (--wear-limit)"), "{answer:?}");
    let record = answer.json();
    assert_eq!(record["ending"]["reason"], "interrupted");
    assert_eq!(record["ledger"]["bytes_written"], 10 * MIB, "4 KiB divides it");
    assert!(record["ledger"]["bytes_read"].as_u64().unwrap() > MIB);
    let note = record["notes"][0].as_str().unwrap();
    assert!(note.starts_with("Stopped by --wear-limit 10 MiB: the command had written 10 MiB"), "{note}");
}

#[test]
fn what_is_known_to_write_more_is_refused_before_anything_is_written() {
    let typist = Typist::new();
    let limit = ["--wear-limit", "1MiB"];
    let by_bytes = ["run", "--target", "memory:64MiB", "--rw", "write", "--bytes", "2MiB"];
    let answer = typist.run(&[&by_bytes[..], &limit].concat());
    assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{answer:?}");
    assert!(answer.stderr.contains("2 MiB, and 1 MiB of 1 MiB may still be written"), "{answer:?}");
    let laid_out = ["run", "--target", ".", "--size", "64MiB", "--time", "1s"];
    let answer = typist.run(&[&laid_out[..], &limit].concat());
    assert_eq!(answer.status, 2, "{answer:?}");
    assert!(answer.stderr.contains("laying out the file writes about 64 MiB"), "{answer:?}");
    let not_counted = ["run", "--target", "x", "--engine", "fio@host", "--rw", "write"];
    let answer = typist.run(&[&not_counted[..], &limit].concat());
    assert!(answer.status == 2 && answer.stderr.contains("only what this process writes"), "{answer:?}");
    let swept = ["sweep", "--target", "x", "--engine", "fio@host", "--rw", "write", "--over", "depth=1,2"];
    let answer = typist.run(&[&swept[..], &limit].concat());
    assert!(answer.status == 2 && answer.stderr.contains("only what this process writes"), "{answer:?}");
    let reads = ["run", "--target", "x", "--engine", "fio@host", "--rw", "read"];
    let answer = typist.run(&[&reads[..], &limit].concat());
    assert!(answer.status == 2 && !answer.stderr.contains("only what this process writes"), "{answer:?}");
    assert!(
        answer.stderr.contains("add --size"),
        "nothing is written, but how much is read is not known: {answer:?}"
    );
    let wrong = typist.run(&["run", "--target", "null:", "--wear-limit", "lots"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("100GiB"), "{wrong:?}");
}

#[test]
fn all_runs_of_a_campaign_share_one_limit() {
    let typist = Typist::new();
    let answer = typist.run(&[
        "sweep",
        "--target",
        "sim:nvme",
        "--rw",
        "randwrite",
        "--over",
        "depth=1,2",
        "--passes",
        "3",
        "--time",
        "100ms",
        "--warmup",
        "0s",
        "--wear-limit",
        "100MiB",
    ]);
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stderr.contains("Stopped by --wear-limit 100 MiB"), "{answer:?}");
    assert!(answer.stderr.contains("stopped before its end; what was measured is saved"), "{answer:?}");
    let runs = typist.json(&["runs", "--all", "--json"]);
    let runs = runs["runs"].as_array().unwrap();
    assert!(!runs.is_empty() && runs.iter().all(|run| run["ending"] == "complete"), "{runs:?}");
}

#[test]
fn fios_jobs_share_one_limit_too() {
    let typist = Typist::new();
    let shared = ["--ioengine=null", "--size=8m", "--rw=write", "--bs=64k", "--time_based", "--runtime=60"];
    let words = [
        &["fio", "--wear-limit=12MiB", "--output-format=json"][..],
        &shared,
        &["--name=a", "--numjobs=2", "--stonewall"],
        &["--name=b"],
    ];
    let answer = typist.run(&words.concat());
    assert_eq!(answer.status, 1, "{answer:?}");
    let text = answer.stdout.get(answer.stdout.find('{').unwrap()..).unwrap();
    let result: serde_json::Value = serde_json::from_str(text).unwrap();
    let written =
        result["jobs"].as_array().unwrap().iter().map(|job| job["write"]["io_bytes"].as_u64().unwrap());
    assert_eq!(written.sum::<u64>(), 12 * MIB, "{text}");
}
