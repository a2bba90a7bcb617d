//! Measurements that fail by a condition, and what programs read of results.

use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::typed::{Answer, Typist};

const RUN: [&str; 5] = ["run", "--target", "sim:nvme", "--time", "1s"];

fn run(typist: &Typist, more: &[&str]) -> Answer {
    typist.run(&[&RUN[..], more].concat())
}

#[test]
fn a_condition_that_is_met_ends_with_a_status_of_its_own_and_is_told_first() {
    let typist = Typist::new();
    let answer = run(&typist, &["-q", "--fail-if", "p99>2ms", "--fail-if", "iops>1k"]);
    assert_eq!(answer.status, 4, "{answer:?}");
    assert!(answer.stderr.starts_with("FAILED: 39"), "{answer:?}");
    assert!(answer.stderr.contains("the limit is at most 1000 IOPS  (--fail-if 'iops>1k')"), "{answer:?}");
    assert!(answer.stderr.contains("\npassed: p99 of reads: "), "{answer:?}");
    let answer = run(&typist, &["--fail-if", "read p99>2ms", "--fail-if", "errors>0"]);
    assert_eq!(answer.status, 0, "{answer:?}");
}

#[test]
fn a_condition_may_be_on_another_measurement() {
    let typist = Typist::new();
    let first = typist.json(&[&RUN[..], &["--depth", "8", "--json"]].concat());
    let id = first["id"].as_str().unwrap();
    assert_eq!(run(&typist, &["--depth", "8", "--fail-if", "iops<90% of last"]).status, 0);
    let slower = run(&typist, &["--depth", "2", "--fail-if", &format!("iops<90% of {id}")]);
    assert_eq!(slower.status, 4, "{slower:?}");
    assert!(slower.stderr.contains(&format!("(90 % of {id})")), "{slower:?}");
    let absent = run(&typist, &["--fail-if", "iops<90% of r-19990101"]);
    assert_eq!(absent.status, 2, "{absent:?}");
}

#[test]
fn what_will_not_be_measured_is_refused_before_anything_is() {
    let typist = Typist::new();
    for (condition, words) in [
        ("write p99>2ms", "the workload has no writes"),
        ("response p99>2ms", "--rate"),
        ("p99>2", "`2` is not a time"),
        ("randread-4k iops<5", "fathom assess"),
        ("slower", "fathom compare"),
    ] {
        let answer = run(&typist, &["--fail-if", condition]);
        assert_eq!(answer.status, 2, "{condition}: {answer:?}");
        assert!(answer.stderr.contains(words), "{condition}: {answer:?}");
    }
    assert_eq!(typist.json(&["runs", "--json"])["runs"], Value::Array(Vec::new()));
}

#[test]
fn what_was_not_measured_does_not_pass() {
    let typist = Typist::new();
    let answer = typist.run(&[
        "run",
        "--target",
        "sim:gp3",
        "--depth",
        "1",
        "--time",
        "100ms",
        "--warmup",
        "0s",
        "--fail-if",
        "p99.9>1h",
    ]);
    assert_eq!(answer.status, 4, "{answer:?}");
    assert!(answer.stderr.contains("FAILED, not measured: "), "{answer:?}");
    assert!(answer.stderr.contains("too few for p99.9"), "{answer:?}");
}

#[test]
fn assessments_comparisons_and_other_tools_commands_fail_alike() {
    let typist = Typist::new();
    let assess = |condition: &str| {
        typist.run(&[
            "assess",
            "sim:gp3",
            "--budget",
            "20s",
            "--patterns",
            "randread-4k",
            "--fail-if",
            condition,
        ])
    };
    assert_eq!(assess("randread-4k peak iops<2k").status, 0);
    let answer = assess("iops<101% of last");
    assert_eq!(answer.status, 4, "{answer:?}");
    assert!(answer.stderr.contains("randread-4k at its peak point"), "{answer:?}");
    assert_eq!(assess("read-1m iops<1").status, 2);

    let sides =
        ["sim:gp3,iops=3300", "sim:gp3", "--patterns", "randread-4k", "--depth", "32", "--time", "1s"];
    let compare =
        |condition: &str| typist.run(&[&["compare"], &sides[..], &["--fail-if", condition]].concat());
    let answer = compare("slower");
    assert_eq!(answer.status, 4, "{answer:?}");
    assert!(answer.stderr.contains("B is slower than A"), "{answer:?}");
    assert_eq!(compare("iops<80% of a").status, 0);
    assert_eq!(compare("iops<95% of a").status, 4);

    let fio =
        ["fio", "--name=a", "--ioengine=null", "--size=1g", "--rw=randread", "--io_size=64m", "--runtime=1"];
    assert_eq!(typist.run(&[&fio[..], &["--fail-if=iops>1"]].concat()).status, 4);
    assert_eq!(typist.run(&[&fio[..], &["--fail-if=write p99>1s"]].concat()).status, 2);
    let diskspd = ["diskspd", "--fail-if", "MB/s>0", "-b4K", "-r", "-d1", "-W0", "null:"];
    assert_eq!(typist.run(&diskspd).status, 4);
}

#[test]
fn the_result_stands_first_and_agrees_with_the_record() {
    let typist = Typist::new();
    let answer = run(&typist, &["--rw", "randrw", "--json", "--fail-if", "iops>1"]);
    assert_eq!(answer.status, 4, "{answer:?}");
    assert!(
        answer.stdout.starts_with("{\n  \"result\": {\n    \"valid\": true,"),
        "{}",
        &answer.stdout[..80]
    );
    let record = answer.json();
    let (result, directions) = (&record["result"], &record["summary"]["directions"]);
    let sum: f64 =
        directions.as_array().unwrap().iter().map(|d| d["operations_per_s"].as_f64().unwrap()).sum();
    assert_eq!(result["iops"].as_f64(), Some(sum));
    let quantiles = directions[1]["service"]["quantiles"].as_array().unwrap();
    let p99 = quantiles.iter().find(|quantile| quantile["q"] == 0.99).unwrap();
    assert_eq!(result["write"]["service_p99_ns"], p99["value_ns"]);
    assert_eq!(result["conditions"][0]["outcome"], "met");
    let shown = typist.json(&["show", "last", "--json"]);
    assert_eq!(shown["result"]["read"], result["read"]);
    assert!(shown["result"].get("conditions").is_none());
}

#[test]
fn a_compact_record_is_one_line_and_a_record_all_the_same() {
    let typist = Typist::new();
    let answer = run(&typist, &["--json=whole.json"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    let compact = typist.run(&["show", "last", "--json", "--compact"]);
    assert_eq!(compact.stdout.lines().count(), 1);
    assert_eq!(compact.json()["intervals"], Value::Array(Vec::new()));
    std::fs::write(typist.path("compact.json"), &compact.stdout).unwrap();
    for name in ["whole.json", "compact.json"] {
        let other = Typist::new();
        std::fs::copy(typist.path(name), other.path(name)).unwrap();
        let taken = other.run(&["import", name]);
        assert_eq!(taken.status, 0, "{taken:?}");
        assert_eq!(other.json(&["show", "last", "--json"])["id"], compact.json()["id"]);
    }
}

#[test]
fn a_line_comes_for_each_second_and_the_record_comes_last() {
    let typist = Typist::new();
    let answer =
        typist.run(&["run", "--target", "sim:nvme", "--time", "3s", "--warmup", "1s", "--json-lines"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    let lines: Vec<Value> = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let formats: Vec<&str> = lines.iter().map(|line| line["format"].as_str().unwrap()).collect();
    assert_eq!(formats, ["fathom.second", "fathom.second", "fathom.second", "fathom.second", "fathom.run"]);
    assert_eq!((&lines[0]["warmup"], &lines[3]["warmup"]), (&Value::Bool(true), &Value::Bool(false)));
    assert!(lines[3]["iops"].as_f64().unwrap() > 1000.0);
    let refused = typist.run(&["run", "--json-lines", "--nonsense"]);
    assert_eq!(refused.stdout.lines().count(), 1);
    assert_eq!(refused.json()["format"], "fathom.error");
}

#[test]
fn when_nobody_reads_the_lines_the_run_ends_quietly() {
    let typist = Typist::new();
    let mut child = typist.start(&["run", "--target", "null:", "--time", "60s", "--json-lines", "-q"]);
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(first.contains("fathom.second"), "{first}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(typist.json(&["runs", "--json"])["runs"][0]["ending"], "interrupted");
}
