//! Imports: a process that saves whole files of runs is killed at any moment, and of each file all runs are there or none.
//!
//! The bug this guards against: a file that counts as read whose runs are not all there, or runs of a file that is
//! taken again.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use fathom_record::RunRecord;
use fathom_store::{ImportRow, RunFilter, Store};

use crate::crash::{STORE, process};
use crate::sample::{Disorder, run, time};

/// Enough for runs to be encoded on several threads, and for a transaction of many pages.
const RUNS: u64 = 100;

fn file(number: u64) -> (ImportRow, Vec<RunRecord>) {
    let import = ImportRow {
        sha256: format!("{number:064x}"),
        file: format!("{number}.json"),
        importer: "fio-json".into(),
        at: time(number),
    };
    let runs = (0..RUNS).map(|place| {
        let id = format!("i-20261120-{number:06}-n{place}");
        RunRecord { id, ..run(number * RUNS + place, 1, 20) }
    });
    (import, runs.collect())
}

/// The process that is killed: takes one file after another that is not known yet, and tells each once it is saved.
#[test]
fn importing_process() {
    let Some(path) = std::env::var_os(STORE) else {
        return;
    };
    let store = Store::open(Path::new(&path)).unwrap();
    for number in store.imports().unwrap().len() as u64.. {
        let (import, runs) = file(number);
        store.put_import(&import, &runs).unwrap();
        // The test harness would hold back what `println` prints.
        writeln!(std::io::stderr(), "saved {number}").unwrap();
    }
}

#[test]
fn of_a_file_all_runs_are_there_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let mut disorder = Disorder(11);
    let mut told = 0;
    for round in 0..12 {
        let mut child = process("crash_import::importing_process", &path);
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        for _ in 0..round % 3 {
            lines.next().expect("the importer ended by itself").unwrap();
        }
        std::thread::sleep(Duration::from_micros(disorder.below(60_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        drop(lines);
        if path.exists() {
            told = check(&path, told);
        }
    }
    assert!(told > 4, "{told} files were saved in all");
}

/// Holds the store against what was there before; gives the files that are there.
fn check(path: &Path, before: u64) -> u64 {
    let store = Store::open(path).unwrap();
    let files = store.imports().unwrap().len() as u64;
    assert!(files >= before, "{before} files were there, {files} are");
    let mut ids: Vec<String> =
        store.runs(&RunFilter::default()).unwrap().into_iter().map(|row| row.id).collect();
    ids.sort();
    let mut expected: Vec<String> = (0..files).flat_map(|number| file(number).1).map(|run| run.id).collect();
    expected.sort();
    assert_eq!(ids, expected, "half of a file was saved");
    if let Some(last) = files.checked_sub(1) {
        let (_, runs) = file(last);
        assert_eq!(store.run(&runs[RUNS as usize - 1].id).unwrap(), runs[RUNS as usize - 1]);
    }
    files
}
