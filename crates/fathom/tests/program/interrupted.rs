//! Ends that nobody planned: Ctrl-C, and a process that is killed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::typed::{Answer, Typist, until, until_a_job_runs};

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for the end, for a time that a person would wait.
fn ends_soon(child: Child) -> Answer {
    let id = child.id().to_string();
    let (send, receive) = mpsc::channel();
    // What it prints is read meanwhile: a pipe that is full would hold it up.
    std::thread::spawn(move || send.send(child.wait_with_output()));
    let Ok(output) = receive.recv_timeout(Duration::from_secs(2)) else {
        let _ = Command::new("kill").args(["-s", "KILL", &id]).status();
        panic!("it goes on 2 s after the signal");
    };
    output.unwrap().into()
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_leaves_no_scratch_file() {
    let typist = Typist::new();
    let folder = typist.path("data");
    std::fs::create_dir(&folder).unwrap();
    let ask = [
        "run", "--target", "data", "--size", "16MiB", "--time", "60s", "--warmup", "0s", "--depth", "2",
        "--json",
    ];
    let child = typist.start(&ask);
    until_a_job_runs(child.id(), true);
    signal(&child, "INT");
    let answer = ends_soon(child);
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stderr.contains("press Ctrl-C again"), "{answer:?}");
    let record = answer.json();
    assert_eq!(record["ending"]["reason"], "interrupted");
    assert!(record["summary"]["directions"][0]["operations"].as_u64().unwrap() > 0);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let runs = typist.json(&["runs", "--all", "--json"]);
    assert_eq!(runs["runs"][0]["id"], record["id"]);
    assert_eq!(runs["runs"][0]["ending"], "interrupted");
    assert_eq!(runs["runs"][0]["valid"], false);
}

#[test]
fn a_killed_assessment_is_continued_by_the_same_command() {
    let typist = Typist::new();
    let ask = ["assess", "memory:16MiB", "--budget", "8s", "--patterns", "randread-4k", "--json"];
    let ids = || -> Vec<Value> {
        let list = typist.json(&["runs", "--all", "--json"]);
        list["runs"].as_array().unwrap().iter().map(|run| run["id"].clone()).collect()
    };
    let mut child = typist.start(&ask);
    until("a second run", || ids().len() >= 2);
    signal(&child, "KILL");
    child.wait().unwrap();
    let before = ids();
    let campaigns = typist.json(&["runs", "--all", "--json"])["campaigns"].clone();
    assert_eq!(campaigns[0]["state"], "unfinished");

    let answer = typist.run(&ask);
    let record = answer.json();
    assert_eq!(record["format"], "fathom.campaign", "{answer:?}");
    assert_eq!(record["id"], campaigns[0]["id"]);
    let used: Vec<&Value> = record["patterns"][0]["cells"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|cell| [&cell["runs"], &cell["disturbed_runs"]])
        .flat_map(|runs| runs.as_array().into_iter().flatten())
        .collect();
    for id in &before {
        assert!(used.contains(&id), "{id} is lost");
    }
    assert!(ids().len() > before.len());
    let after = typist.json(&["runs", "--all", "--json"]);
    assert_eq!(after["campaigns"][0]["state"], "finished");
    assert_eq!(after["campaigns"].as_array().unwrap().len(), 1);
}

#[test]
fn an_interrupted_assessment_says_how_to_continue_and_does() {
    let typist = Typist::new();
    let ask = ["assess", "memory:16MiB", "--budget", "6s", "--patterns", "randread-4k"];
    let child = typist.start(&ask);
    until("a run", || !typist.json(&["runs", "--all", "--json"])["runs"].as_array().unwrap().is_empty());
    signal(&child, "TERM");
    let answer = ends_soon(child);
    assert_eq!(answer.status, 1, "{answer:?}");
    let line = answer.stderr.lines().last().unwrap().trim().strip_prefix("fathom ").unwrap();
    let words: Vec<&str> = line.split(' ').skip_while(|word| *word != "assess").collect();
    let continued = typist.run(&[&words[..1], &["--json"], &words[1..]].concat());
    assert_eq!(continued.json()["format"], "fathom.campaign", "{continued:?}");
    let campaigns = typist.json(&["runs", "--all", "--json"])["campaigns"].clone();
    assert_eq!(campaigns.as_array().unwrap().len(), 1);
    assert_eq!(campaigns[0]["state"], "finished");
}

#[test]
fn the_second_ctrl_c_ends_at_once() {
    let typist = Typist::new();
    // An I/O in flight that takes far longer to finish than a person waits.
    let ask = ["run", "--target", "sim:ideal,read=20s", "--real-time", "--time", "60s", "--depth", "1"];
    let mut child = typist.start(&ask);
    until_a_job_runs(child.id(), false);
    signal(&child, "INT");
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.contains("press Ctrl-C again")));
    signal(&child, "INT");
    let answer = ends_soon(child);
    assert_eq!(answer.status, 130, "{answer:?}");
}
