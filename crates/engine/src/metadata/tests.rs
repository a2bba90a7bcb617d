//! Each call, what it leaves behind, and what it does not touch.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use fathom_measure::WallClock;
use fathom_record::Direction;

use super::*;
use crate::{Engine, Io, Submission};

const BYTES: u64 = 4096;

fn io(direction: Direction, number: u64) -> Io {
    Io { slot: 0, direction, offset: number * BYTES, bytes: BYTES as u32 }
}

fn result(engine: &mut impl Engine, io: Io) -> i32 {
    match engine.submit(io) {
        Submission::Done(completion) => completion.result,
        other => panic!("not done: {other:?}"),
    }
}

fn names(act: NameAct, folder: &std::path::Path, count: u64) -> Metadata<WallClock> {
    let folder = Arc::new(File::open(folder).unwrap());
    Metadata::new(MetadataCall::Name(act), folder, 0..count * BYTES, (1, BYTES), WallClock::start().0)
        .unwrap()
}

#[test]
fn names_are_made_looked_up_and_removed_and_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("0"), "of somebody").unwrap();
    for act in [
        NameAct::CreateFile,
        NameAct::StatFile,
        NameAct::DeleteFile,
        NameAct::CreateFolder,
        NameAct::StatFolder,
        NameAct::DeleteFolder,
    ] {
        let mut engine = names(act, folder.path(), 3);
        let own = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let own = own.filter(|path| path.is_dir()).collect::<Vec<_>>();
        let inside = |own: &std::path::Path| std::fs::read_dir(own).unwrap().count();
        assert_eq!(own.len(), 1, "{act:?}");
        assert_eq!(inside(&own[0]), if act.needs_it_there() { 3 } else { 0 }, "{act:?}");
        for number in 0..3 {
            assert_eq!(result(&mut engine, io(Direction::Read, number)), BYTES as i32, "{act:?}");
        }
        let left = match act {
            NameAct::DeleteFile | NameAct::DeleteFolder => 0,
            _ => 3,
        };
        assert_eq!(inside(&own[0]), left, "{act:?}");
        assert_eq!(result(&mut engine, io(Direction::Read, 3)), -libc::EINVAL, "beyond the names");
        let again = match act {
            NameAct::CreateFolder => -libc::EEXIST,
            NameAct::DeleteFile | NameAct::DeleteFolder => -libc::ENOENT,
            _ => BYTES as i32,
        };
        assert_eq!(result(&mut engine, io(Direction::Read, 0)), again, "{act:?}");
        drop(engine);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{act:?} left something");
        assert_eq!(std::fs::read_to_string(folder.path().join("0")).unwrap(), "of somebody");
    }
}

#[test]
fn names_need_a_folder_and_sizes_that_are_powers_of_two() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, _) = WallClock::start();
    let make = |path: &std::path::Path, bytes| {
        let file = Arc::new(File::open(path).unwrap());
        Metadata::new(MetadataCall::Name(NameAct::CreateFile), file, 0..1 << 20, (1, bytes), clock)
            .unwrap_err()
    };
    assert!(make(folder.path(), 12288).cause.contains("power of two"));
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert!(make(&file, 4096).remedy.contains("name a folder"));
}

#[test]
fn space_is_given_and_taken_back() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    let (clock, _) = WallClock::start();
    let mut engine =
        Metadata::new(MetadataCall::Allocate, Arc::clone(&file), 0..1 << 20, (1, BYTES), clock).unwrap();
    let outcome = result(&mut engine, io(Direction::Read, 4));
    if outcome == -libc::EOPNOTSUPP {
        fathom_skips::skipped("no fallocate on this file system");
        return;
    }
    assert_eq!(outcome, BYTES as i32);
    assert_eq!(file.metadata().unwrap().len(), 0, "a read does not make it longer");
    assert_eq!(result(&mut engine, io(Direction::Write, 4)), BYTES as i32);
    assert_eq!(file.metadata().unwrap().len(), 5 * BYTES);
    let given = file.metadata().unwrap().blocks();
    assert_eq!(result(&mut engine, io(Direction::Trim, 4)), BYTES as i32);
    assert!(file.metadata().unwrap().blocks() < given);
}

#[test]
fn a_length_changes_and_is_given_back() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    file.set_len(8 * BYTES).unwrap();
    let (clock, _) = WallClock::start();
    let mut engine =
        Metadata::new(MetadataCall::Truncate, Arc::clone(&file), 0..8 * BYTES, (1, BYTES), clock).unwrap();
    for number in [3, 0, 7] {
        assert_eq!(result(&mut engine, io(Direction::Write, number)), BYTES as i32);
        assert_eq!(file.metadata().unwrap().len(), number * BYTES);
    }
    assert_eq!(result(&mut engine, io(Direction::Read, 0)), -libc::EINVAL);
    drop(engine);
    assert_eq!(file.metadata().unwrap().len(), 8 * BYTES);
}
