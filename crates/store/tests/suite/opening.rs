//! Opening: what is made, what is refused, and that what is refused stays as it is.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]

use crate::sample;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use fathom_store::{RunFilter, Store, StoreError, StoreErrorKind, default_path};

fn temporary() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    (folder, path)
}

/// Names and contents of a folder.
fn contents(folder: &Path) -> Vec<(OsString, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

#[cfg(unix)]
#[test]
fn a_new_store_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/runs.sqlite");
    let store = Store::open(&path).unwrap();
    store.put_run(&sample::run(1, 1, 1)).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&folder.path().join("a/b/runs.sqlite-wal")), 0o600);
    assert_eq!((mode(&folder.path().join("a")), mode(&folder.path().join("a/b"))), (0o700, 0o700));
    drop(store);
    let names: Vec<_> = contents(path.parent().unwrap()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["runs.sqlite"], "nothing but the store is left");
}

#[test]
fn many_may_open_a_new_store_at_once() {
    let (folder, path) = temporary();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let path = &path;
            scope.spawn(move || {
                let store = Store::open(path).unwrap();
                store.put_run(&sample::run(number, 1, 5)).unwrap();
            });
        }
    });
    assert_eq!(Store::open(&path).unwrap().runs(&RunFilter::default()).unwrap().len(), 8);
    assert_eq!(contents(folder.path()).len(), 1);
}

#[test]
fn a_reader_sees_what_a_writer_has_saved() {
    let (_folder, path) = temporary();
    let writer = Store::open(&path).unwrap();
    let reader = Store::open_read_only(&path).unwrap();
    writer.put_run(&sample::run(1, 2, 20)).unwrap();
    assert_eq!(reader.runs(&RunFilter::default()).unwrap().len(), 1);
    let refused = reader.put_run(&sample::run(2, 1, 1)).unwrap_err();
    assert_eq!(refused.kind, StoreErrorKind::Permission, "{refused}");
}

#[test]
fn reading_needs_a_store_and_makes_none() {
    let (folder, path) = temporary();
    let error = Store::open_read_only(&path).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::NoStore);
    assert!(error.remedy.contains("fathom run"), "{error}");
    assert!(contents(folder.path()).is_empty());
}

#[test]
fn names_with_a_meaning_to_sqlite_are_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:x?mode=memory", ":memory:", "100% #1?.sqlite", "ü b"] {
        let path = folder.path().join(name);
        Store::open(&path).unwrap().put_run(&sample::run(1, 1, 1)).unwrap();
        assert!(path.is_file(), "{name}");
        assert_eq!(Store::open_read_only(&path).unwrap().runs(&RunFilter::default()).unwrap().len(), 1);
    }
    assert!(Store::open(Path::new("")).is_err());
    assert!(Store::open(Path::new("/")).is_err());
}

/// The same without shared memory and a log that holds nothing, which are SQLite's scratch paper.
fn lasting(folder: &Path) -> Vec<(OsString, Vec<u8>)> {
    let mut files = contents(folder);
    files.retain(|(name, bytes)| {
        let name = name.to_string_lossy();
        !(name.ends_with("-shm") || name.ends_with("-wal") && bytes.is_empty())
    });
    files
}

/// Both ways to open must refuse, with this kind, and leave every file as it was.
fn assert_refused(path: &Path, kind: StoreErrorKind, words: &str) {
    let before = lasting(path.parent().unwrap());
    let refuse = |outcome: Result<Store, StoreError>| {
        let error = outcome.map(drop).unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.place.contains(path.to_str().unwrap()), "{error}");
    };
    refuse(Store::open(path));
    refuse(Store::open_read_only(path));
    assert!(before == lasting(path.parent().unwrap()), "a refused file was changed");
}

#[test]
fn files_that_are_no_store_are_refused_and_left_alone() {
    let (_folder, path) = temporary();
    fs::write(&path, "").unwrap();
    assert_refused(&path, StoreErrorKind::NotAStore, "is empty");
    fs::write(&path, "x").unwrap();
    assert_refused(&path, StoreErrorKind::NotAStore, "never overwrites it");
    fs::write(&path, vec![b'x'; 100_000]).unwrap();
    assert_refused(&path, StoreErrorKind::NotAStore, "mv ");
    fs::write(&path, "SQLite format 3\0").unwrap();
    assert_refused(&path, StoreErrorKind::NotAStore, "never overwrites it");
    fs::remove_file(&path).unwrap();

    fs::create_dir(&path).unwrap();
    assert_refused(&path, StoreErrorKind::NotAFile, "not a file");
    fs::remove_dir(&path).unwrap();

    let foreign = rusqlite::Connection::open(&path).unwrap();
    foreign.execute_batch("CREATE TABLE run (id TEXT); PRAGMA user_version = 1").unwrap();
    foreign.close().unwrap();
    assert_refused(&path, StoreErrorKind::NotAStore, "another program");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_waiting_for_its_writer() {
    let (_folder, path) = temporary();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let error = Store::open(&path).map(drop).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::NotAFile, "{error}");
}

#[test]
fn a_store_of_a_newer_build_is_refused_and_left_alone() {
    let (_folder, path) = temporary();
    sample::fill(&path);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99").unwrap();
    connection.close().unwrap();
    assert_refused(&path, StoreErrorKind::Newer, "update fathom");
}

#[test]
fn a_truncated_store_is_refused_and_left_alone() {
    let (_folder, path) = temporary();
    sample::fill(&path);
    let whole = fs::read(&path).unwrap();
    for kept in [4096, 4097, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        fs::write(&path, &whole[..kept]).unwrap();
        assert_refused(&path, StoreErrorKind::Corrupt, "never overwrites it");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(Store::open(&path).unwrap().runs(&RunFilter::default()).unwrap().len(), 3);
}

#[test]
fn a_store_without_its_tables_is_corrupt() {
    let (_folder, path) = temporary();
    sample::fill(&path);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DROP TABLE journal; DROP TABLE run_header").unwrap();
    connection.close().unwrap();
    let store = Store::open(&path).unwrap();
    let error = store.run(&sample::id(0)).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("tables"), "{error}");
}

#[test]
fn a_log_whose_store_is_gone_is_not_mixed_into_a_new_one() {
    let (folder, path) = temporary();
    let store = Store::open(&path).unwrap();
    store.put_run(&sample::run(1, 2, 20)).unwrap();
    let log = folder.path().join("runs.sqlite-wal");
    let bytes = fs::read(&log).unwrap();
    drop(store);
    fs::rename(&path, folder.path().join("runs.sqlite.bad")).unwrap();
    fs::write(&log, &bytes).unwrap();
    let error = Store::open(&path).map(drop).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::NotAStore);
    assert!(
        error.remedy.contains(&format!("mv {} ", fathom_record::shell_word(&log.to_string_lossy()))),
        "{error}"
    );
    assert!(fs::read(&log).unwrap() == bytes && !path.exists());
    fs::remove_file(&log).unwrap();
    assert_eq!(Store::open(&path).unwrap().runs(&RunFilter::default()).unwrap(), []);
}

#[cfg(unix)]
#[test]
fn the_place_follows_the_users_data_folder() {
    let place = |pairs: &[(&str, &str)]| {
        let pairs: Vec<(String, OsString)> =
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        default_path(move |name| {
            pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        })
    };
    let home = ("HOME", "/home/me");
    let expected = Path::new("/home/me/.local/share/fathom/runs.sqlite");
    assert_eq!(place(&[home]).unwrap(), expected);
    assert_eq!(place(&[home, ("XDG_DATA_HOME", "/data")]).unwrap(), Path::new("/data/fathom/runs.sqlite"));
    assert_eq!(place(&[home, ("XDG_DATA_HOME", "")]).unwrap(), expected);
    assert_eq!(place(&[home, ("XDG_DATA_HOME", "relative")]).unwrap(), expected);
    let error = place(&[]).unwrap_err();
    assert!(error.to_string().contains("XDG_DATA_HOME, HOME") && error.remedy.contains("--store"), "{error}");
}
