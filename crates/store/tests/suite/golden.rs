//! Files of every version that was ever written stay readable.
//!
//! `golden/store-1.sqlite` was written by the first version. To make the files of a new version,
//! raise the names below and run `FATHOM_WRITE_GOLDEN=1 cargo test -p fathom-store golden_files`; those of
//! old versions are never written again.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]

use crate::sample;
use std::path::{Path, PathBuf};

use fathom_record::{CampaignRecord, parse_run};
use fathom_store::{RunFilter, Store};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

#[test]
fn a_store_of_version_1_stays_readable_and_writable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    std::fs::copy(golden("store-1.sqlite"), &path).unwrap();
    let expected = parse_run(&std::fs::read(golden("run-1.json")).unwrap()).unwrap();

    let old = Store::open_read_only(&path).unwrap();
    assert_eq!(old.run(&expected.id).unwrap(), expected);
    drop(old);

    let store = Store::open(&path).unwrap();
    assert_eq!(store.run(&expected.id).unwrap(), expected);
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 3);
    let CampaignRecord::Assess(campaign) = store.campaign(sample::CAMPAIGN).unwrap() else {
        panic!("the sample is an assessment")
    };
    assert_eq!(campaign.plan.patterns[0].name, "randread-4k");
    let resumed = store.open_campaign("plan-and-target").unwrap().unwrap();
    assert_eq!(store.finished_steps(&resumed).unwrap().len(), 2);
    assert_eq!(store.journal_entries(sample::CAMPAIGN).unwrap().len(), 4);
    store.put_run(&sample::run(77, 2, 10)).unwrap();
}

#[test]
fn golden_files_are_written_when_asked_for() {
    if std::env::var_os("FATHOM_WRITE_GOLDEN").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let records = sample::fill(&path);
    std::fs::write(golden("run-1.json"), serde_json::to_vec_pretty(&records[0]).unwrap()).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    for (kind, name) in [(1, "intervals-1.bin"), (2, "telemetry-1.bin")] {
        let blob: Vec<u8> = connection
            .query_row(
                "SELECT data FROM run_series JOIN run ON run.seq = run AND id = ?1 WHERE kind = ?2",
                (&records[0].id, kind),
                |row| row.get(0),
            )
            .unwrap();
        std::fs::write(golden(name), blob).unwrap();
    }
    connection.execute_batch("VACUUM").unwrap();
    connection.close().unwrap();
    std::fs::copy(&path, golden("store-1.sqlite")).unwrap();
}
