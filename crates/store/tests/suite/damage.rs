//! Damage: whatever happens to the bytes of a store or its log, opening and reading it ends, and
//! gives either the truth or an error.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]

use crate::sample;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sample::CAMPAIGN;
use fathom_record::RunRecord;
use fathom_store::{RunFilter, Store, StoreError, StoreErrorKind};
use proptest::prelude::*;
use proptest::sample::Index;

/// What happens to a file.
#[derive(Clone, Debug)]
enum Damage {
    Flip(Index, u8),
    Overwrite(Index, Vec<u8>),
    Zero(Index, usize),
    Copy { from: Index, to: Index, bytes: usize },
    Truncate(Index),
    Append(Vec<u8>),
}

fn any_damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        4 => (any::<Index>(), 0u8..8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        2 => (any::<Index>(), prop::collection::vec(any::<u8>(), 1..64)).prop_map(|(at, with)| Damage::Overwrite(at, with)),
        1 => (any::<Index>(), 1usize..5000).prop_map(|(at, bytes)| Damage::Zero(at, bytes)),
        1 => (any::<Index>(), any::<Index>(), 1usize..5000)
            .prop_map(|(from, to, bytes)| Damage::Copy { from, to, bytes }),
        1 => any::<Index>().prop_map(Damage::Truncate),
        1 => prop::collection::vec(any::<u8>(), 1..5000).prop_map(Damage::Append),
    ]
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        if length == 0 {
            return;
        }
        match self {
            Self::Flip(at, bit) => bytes[at.index(length)] ^= 1 << bit,
            Self::Overwrite(at, with) => {
                for (byte, new) in bytes[at.index(length)..].iter_mut().zip(with) {
                    *byte = *new;
                }
            }
            Self::Zero(at, count) => {
                bytes[at.index(length)..].iter_mut().take(*count).for_each(|byte| *byte = 0)
            }
            Self::Copy { from, to, bytes: count } => {
                let (from, to) = (from.index(length), to.index(length));
                let count = (*count).min(length - from).min(length - to);
                bytes.copy_within(from..from + count, to);
            }
            Self::Truncate(at) => bytes.truncate(at.index(length)),
            Self::Append(more) => bytes.extend(more),
        }
    }
}

/// The bytes of a store as a crashed process leaves it: part in the database, part in the log.
fn crashed_store() -> (Vec<RunRecord>, Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let mut records = sample::fill(&path);
    let store = Store::open(&path).unwrap();
    for number in 10..13 {
        records.push(sample::run(number, 2, 30));
        store.put_run(records.last().unwrap()).unwrap();
    }
    (records, fs::read(&path).unwrap(), fs::read(log_of(&path)).unwrap())
}

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("sqlite-wal")
}

/// Reads all there is, by every way there is.
fn read_everything(store: &Store, records: &[RunRecord]) -> Vec<Result<RunRecord, StoreError>> {
    let _ = store.runs(&RunFilter::default());
    let (target, campaign) = (Some("x".into()), Some(CAMPAIGN.into()));
    let _ = store.runs(&RunFilter { limit: Some(2), target, campaign, ..RunFilter::default() });
    let _ = store.campaigns();
    let _ = store.campaign(CAMPAIGN);
    let _ = store.journal_entries(CAMPAIGN);
    for name in ["last", "last-3", "2026", "nothing"] {
        let _ = store.resolve(name);
        let _ = store.resolve_run(name);
        let _ = store.resolve_campaign(name);
    }
    if let Ok(Some(campaign)) = store.open_campaign("plan-and-target") {
        let _ = store.finished_steps(&campaign);
    }
    for record in records {
        let mut visited = Vec::new();
        let outcome = store.visit_intervals(&record.id, |interval| visited.push(interval));
        assert!(outcome.is_err() || visited == record.intervals, "damaged intervals were read as if sound");
    }
    records.iter().map(|record| store.run(&record.id)).collect()
}

/// A run is the one that was saved, or an error.
fn assert_true_or_error(store: &Store, records: &[RunRecord]) {
    for (read, saved) in read_everything(store, records).into_iter().zip(records) {
        match read {
            Ok(record) => assert_eq!(&record, saved, "a damaged run was read as if it were sound"),
            Err(error) => assert!(!error.remedy.is_empty(), "{error}"),
        }
    }
}

fn check(records: &[RunRecord], database: &[u8], log: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    fs::write(&path, database).unwrap();
    fs::write(log_of(&path), log).unwrap();
    if let Ok(store) = Store::open_read_only(&path) {
        assert_true_or_error(&store, records);
    }
    match Store::open(&path) {
        Ok(store) => {
            assert_true_or_error(&store, records);
            // Writing into what could be opened must not panic either.
            let _ = store.put_run(&sample::run(99, 1, 5));
        }
        Err(error) => {
            assert!(!error.remedy.is_empty(), "{error}");
            assert!(path.exists(), "a refused store was removed");
        }
    }
}

#[test]
fn a_crashed_store_without_damage_is_whole() {
    let (records, database, log) = crashed_store();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    fs::write(&path, &database).unwrap();
    fs::write(log_of(&path), &log).unwrap();
    let read = read_everything(&Store::open(&path).unwrap(), &records);
    assert!(read.into_iter().zip(&records).all(|(read, saved)| read.unwrap() == *saved));
}

#[test]
fn damage_gives_an_error_and_never_a_wrong_run() {
    let (records, database, log) = crashed_store();
    let config = ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(
        to_database in prop::collection::vec(any_damage(), 0..4),
        to_log in prop::collection::vec(any_damage(), 0..3),
    )| {
        let (mut database, mut log) = (database.clone(), log.clone());
        to_database.iter().for_each(|damage| damage.apply(&mut database));
        to_log.iter().for_each(|damage| damage.apply(&mut log));
        check(&records, &database, &log);
    });
}

#[test]
fn a_log_cut_anywhere_loses_the_newest_runs_and_no_others() {
    let (records, database, log) = crashed_store();
    for kept in (0..=log.len()).step_by(1531) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.sqlite");
        fs::write(&path, &database).unwrap();
        fs::write(log_of(&path), &log[..kept]).unwrap();
        let store = Store::open(&path).unwrap();
        let read = read_everything(&store, &records);
        let whole = read.iter().take_while(|read| read.is_ok()).count();
        assert!(whole >= 3, "runs in the database itself are lost");
        for (number, (read, saved)) in read.into_iter().zip(&records).enumerate() {
            match read {
                Ok(record) => assert!(record == *saved && number < whole),
                Err(error) => assert_eq!(error.kind, StoreErrorKind::NotFound),
            }
        }
    }
}

#[test]
fn a_changed_digit_in_a_record_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let records = sample::fill(&path);
    let whole = fs::read(&path).unwrap();
    let changes: [(&str, &[u8], &[u8]); 3] = [
        ("header", b"1920383410176", b"1920383410177"),
        ("environment", b"AMD EPYC 9555", b"AMD EPYC 9556"),
        ("campaign", b"\"budget_ns\":120000000000", b"\"budget_ns\":120000000001"),
    ];
    for (what, from, to) in changes {
        let mut bytes = whole.clone();
        let places: Vec<usize> =
            (0..bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
        assert!(!places.is_empty(), "{what}");
        places.iter().for_each(|&at| bytes[at..at + to.len()].copy_from_slice(to));
        fs::write(&path, bytes).unwrap();
        let store = Store::open(&path).unwrap();
        let error = match what {
            "campaign" => store.campaign(CAMPAIGN).map(drop).unwrap_err(),
            _ => store.run_without_series(&records[0].id).map(drop).unwrap_err(),
        };
        assert!(error.kind == StoreErrorKind::Corrupt && error.cause.contains("checksum"), "{what}: {error}");
    }
}
