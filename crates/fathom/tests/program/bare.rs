//! Surroundings that lack what is usual: no environment, a narrow terminal, one of an unknown kind, readers that go.

use std::process::{Command, Stdio};

use fathom_measure::{Clock, WallClock};

use crate::typed::{Answer, Typist};

const RUN: [&str; 7] = ["run", "--target", "sim:nvme", "--time", "1s", "--seed", "1"];

/// The program with these variables and no others.
fn bare(typist: &Typist, words: &[&str], variables: &[(&str, &str)]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.args(words).env_clear().envs(variables.iter().copied());
    command.current_dir(typist.folder()).output().unwrap().into()
}

#[test]
fn without_an_environment_results_are_printed_and_it_is_said_that_none_is_saved() {
    let typist = Typist::new();
    let answer = bare(&typist, &RUN, &[]);
    assert_eq!(answer.status, 1, "a result that was to be saved and is not: {answer:?}");
    assert!(answer.stdout.contains("IOPS") && answer.stderr.contains("--store FILE"), "{answer:?}");
    let stored = bare(&typist, &[&RUN[..], &["--store", "runs.sqlite"]].concat(), &[]);
    assert_eq!(stored.status, 0, "{stored:?}");
}

#[test]
fn fios_command_lines_end_as_fio_does_where_nothing_says_where_the_store_is() {
    let typist = Typist::new();
    let job = ["fio", "--name=a", "--ioengine=null", "--size=1m", "--rw=read", "--output-format=normal"];
    let answer = bare(&typist, &job, &[]);
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""), "{answer:?}");
    assert!(answer.stdout.contains("not saved: neither --store"), "{answer:?}");
}

#[test]
fn a_terminal_of_twenty_columns_or_of_an_unknown_kind_gets_its_results() {
    let typist = Typist::new();
    let words = [&RUN[..], &["--store", "runs.sqlite"]].concat();
    let narrow = bare(&typist, &words, &[("COLUMNS", "20")]);
    assert_eq!(narrow.status, 0, "{narrow:?}");
    assert!(narrow.stdout.lines().all(|line| line.chars().count() <= 40), "{narrow:?}");
    // A row's name may be cut, and what is measured may not.
    let is_whole = |line: &str| line.split("  ").skip(1).all(|value| !value.contains('…'));
    assert!(narrow.stdout.lines().all(is_whole), "no value is cut: {narrow:?}");
    let unknown = bare(&typist, &words, &[("TERM", "no-such-terminal")]);
    assert_eq!(unknown.status, 0, "{unknown:?}");
    assert!(!unknown.stdout.contains('\u{1b}') && !unknown.stderr.contains('\u{1b}'), "{unknown:?}");
}

#[test]
fn seconds_that_nobody_reads_end_the_run() {
    let typist = Typist::new();
    let clock = WallClock::start_on_system_clock().0;
    let from_ns = clock.now_ns();
    let words =
        ["run", "--target", "sim:nvme", "--real-time", "--time", "100s", "--warmup", "0s", "--json-lines"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(words)
        .args(["--store", "runs.sqlite"])
        .current_dir(typist.folder())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    let took_ns = clock.now_ns() - from_ns;
    assert!(took_ns < 60_000_000_000, "{took_ns} ns");
}

#[test]
fn a_condition_on_what_is_not_measured_never_passes() {
    let typist = Typist::new();
    let answer = typist.run(&[&RUN[..], &["--fail-if", "write p99>1s"]].concat());
    assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{answer:?}");
    assert!(answer.stderr.contains("no writes"), "{answer:?}");
    let too_few =
        typist.run(&[&RUN[..], &["--count", "5", "--warmup", "0s", "--fail-if", "p99.9999>1s"]].concat());
    assert!(matches!(too_few.status, 2 | 4), "{too_few:?}");
}

#[test]
fn moments_are_shown_in_the_readers_own_zone() {
    let typist = Typist::new();
    let words = [&RUN[..], &["--store", "runs.sqlite"]].concat();
    // A zone as POSIX writes it, so that no table of zones is needed.
    let zone = [("TZ", "ABC-5:45")];
    assert_eq!(bare(&typist, &words, &zone).status, 0);
    let record = bare(&typist, &["show", "last", "--json", "--store", "runs.sqlite"], &zone).json();
    let at: jiff::Timestamp = record["started_at"].as_str().unwrap().parse().unwrap();
    let local = at.to_zoned(jiff::tz::TimeZone::posix("ABC-5:45").unwrap());
    let (minute, second) = (local.strftime("%Y-%m-%d %H:%M ABC"), local.strftime("%Y-%m-%d %H:%M:%S ABC"));
    let shown = bare(&typist, &["show", "last", "--store", "runs.sqlite"], &zone);
    assert!(shown.stdout.contains(&second.to_string()), "{second}: {shown:?}");
    let listed = bare(&typist, &["runs", "--store", "runs.sqlite"], &zone);
    assert!(listed.stdout.contains(&minute.to_string()), "{minute}: {listed:?}");
    let day = local.strftime("%Y-%m-%d").to_string();
    let since = bare(&typist, &["runs", "--since", &day, "--store", "runs.sqlite"], &zone);
    assert!(since.stdout.contains(&minute.to_string()), "{since:?}");
    let nowhere = bare(&typist, &["runs", "--store", "runs.sqlite"], &[("TZ", "Nowhere/At_all")]);
    assert!(nowhere.status == 0 && nowhere.stdout.contains("UTC"), "{nowhere:?}");
}

#[test]
fn what_the_run_before_lacked_too_is_named_and_not_explained_again() {
    let typist = Typist::new();
    let words = [&RUN[..], &["--store", "runs.sqlite"]].concat();
    let (first, second) = (bare(&typist, &words, &[]), bare(&typist, &words, &[]));
    assert!(first.stdout.contains("all not measured: time is simulated"), "{first:?}");
    let text = second.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Not measured, as in the run before: all; why: fathom show r-"), "{second:?}");
    assert!(!text.contains("time is simulated:"), "{second:?}");
    let whole = bare(&typist, &["show", "last", "--store", "runs.sqlite"], &[]);
    assert!(whole.stdout.contains("all not measured: time is simulated"), "{whole:?}");
}
