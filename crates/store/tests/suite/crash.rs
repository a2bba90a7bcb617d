//! Crashes: a process that saves runs is killed at any moment, and whatever it was told is saved, is.
//!
//! The bug this guards against: a run reported as saved, or a step journalled as done, whose record
//! is not there after the crash. A kill leaves the page cache alone, so this shows that
//! transactions are whole and no state outlives the process; it cannot show what a power loss does.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]
#![cfg(unix)]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::sample::{Disorder, id, step_run, time};
use fathom_store::{NewCampaign, RunFilter, StepState, Store, StoreErrorKind};

pub const STORE: &str = "FATHOM_TEST_STORE";
const KEY: &str = "crash test";
const CAMPAIGN: &str = "c-crash";

/// The process that is killed: continues the campaign and saves one step after another, telling each
/// on its standard output once it is saved.
#[test]
fn writer_process() {
    let Some(path) = std::env::var_os(STORE) else {
        return;
    };
    let store = Store::open(Path::new(&path)).unwrap();
    let campaign = match store.open_campaign(KEY).unwrap() {
        Some(campaign) => campaign,
        None => {
            let new = NewCampaign {
                id: CAMPAIGN,
                key: KEY,
                target: "null:",
                started_at: &time(0),
                plan_json: "{}",
            };
            store.begin_campaign(&new).unwrap()
        }
    };
    let finished = store.finished_steps(&campaign).unwrap().len() as u64;
    for number in finished.. {
        let step = format!("step-{number}");
        store.journal(&campaign, &step, &StepState::Started, &time(number)).unwrap();
        store.put_run_for_step(&campaign, &step, &step_run(number, CAMPAIGN, &step), &time(number)).unwrap();
        // The test harness would hold back what `println` prints.
        writeln!(std::io::stderr(), "saved {number}").unwrap();
    }
}

/// A process of its own that runs one test of this program on a store, and tells on its standard error what it saved.
pub fn process(test: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(STORE, path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets the writer save `wait_for` steps, kills it a little later, and gives the last step it told of.
fn run_and_kill(path: &Path, wait_for: u64, then: Duration) -> Option<u64> {
    let mut child = process("crash::writer_process", path);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut heard = Vec::new();
    for _ in 0..wait_for {
        heard.push(lines.next().expect("the writer ended by itself").unwrap());
    }
    std::thread::sleep(then);
    child.kill().unwrap();
    child.wait().unwrap();
    heard.extend(lines.map_while(Result::ok));
    // The last line may be cut short by the kill; what is whole was saved.
    let numbers = heard.iter().map(|line| {
        line.strip_prefix("saved ").unwrap_or_else(|| panic!("the writer failed: {line}")).parse::<u64>()
    });
    numbers.filter_map(Result::ok).next_back()
}

#[test]
fn what_was_saved_survives_a_kill_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/runs.sqlite");
    let mut disorder = Disorder(7);
    let mut told = None;
    for round in 0..30 {
        let wait_for = if round % 3 == 0 { 0 } else { disorder.below(4) };
        let then = Duration::from_micros(disorder.below(if wait_for == 0 { 30_000 } else { 4_000 }));
        told = run_and_kill(&path, wait_for, then).or(told);
        if !path.exists() {
            assert_eq!(told, None);
            continue;
        }
        check_after_kill(&path, told);
    }
    assert!(told.is_some_and(|last| last > 20), "the writer hardly ran: {told:?}");
}

fn check_after_kill(path: &Path, told: Option<u64>) {
    let store = Store::open(path).unwrap();
    let rows = store.runs(&RunFilter::default()).unwrap();
    // Steps are saved one after another, and one more may have been saved than was told.
    let saved = rows.len() as u64;
    let least = told.map_or(0, |last| last + 1);
    assert!(saved >= least, "{least} runs were told of, {saved} are there");
    for number in saved.saturating_sub(8)..saved {
        let step = format!("step-{number}");
        assert_eq!(store.run(&id(number)).unwrap(), step_run(number, CAMPAIGN, &step));
    }
    let Some(campaign) = store.open_campaign(KEY).expect("the lock went with its process") else {
        assert_eq!(saved, 0);
        return;
    };
    let finished: Vec<(String, String)> =
        store.finished_steps(&campaign).unwrap().into_iter().map(|done| (done.step, done.run_id)).collect();
    let expected: Vec<(String, String)> =
        (0..saved).map(|number| (format!("step-{number}"), id(number))).collect();
    assert_eq!(finished, expected, "the journal and the runs differ");
    let entries = store.journal_entries(CAMPAIGN).unwrap();
    let started: HashSet<&str> = entries
        .iter()
        .filter(|entry| entry.state == StepState::Started)
        .map(|entry| entry.step.as_str())
        .collect();
    assert!(finished.iter().all(|(step, _)| started.contains(step.as_str())));
    assert!(started.len() <= finished.len() + 1);
}

#[test]
fn a_campaign_that_another_process_runs_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let mut child = process("crash::writer_process", &path);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let store = Store::open(&path).unwrap();
    let error = store.open_campaign(KEY).map(drop).unwrap_err();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(error.kind, StoreErrorKind::CampaignBusy, "{error}");
    assert!(store.open_campaign(KEY).unwrap().is_some());
}
