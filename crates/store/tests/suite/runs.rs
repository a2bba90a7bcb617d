//! Runs: what is saved is read back as it was, listed, and found by the start of its id.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests may")]

use crate::sample;
use std::error::Error as _;
use std::path::Path;

use crate::sample::{environment, run, time};
use fathom_record::run_record::RunEnding;
use fathom_record::workload::{Addresses, Arrival, HotSpot, Mix, SizeShare, Sizes, SizesByDirection};
use fathom_record::{Check, CheckName, CheckOutcome, RunRecord};
use fathom_store::{ImportRow, RunFilter, Store, StoreErrorKind, StoredId};
use proptest::prelude::*;

fn new_store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
    (folder, store)
}

fn count(path: &Path, table: &str) -> i64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0)).unwrap()
}

#[test]
fn runs_read_back_as_they_were_saved() {
    let (_folder, store) = new_store();
    let mut open_loop = run(2, 30, 200);
    open_loop.workload.arrival = Arrival::Poisson { rate_per_s: 0.1 + 0.2 };
    open_loop.ending = RunEnding::Failed { error: "nvme0n1: Input/output error".into() };
    for interval in &mut open_loop.intervals {
        interval.directions.iter_mut().for_each(|d| d.response = Some(d.service.clone()));
    }
    let empty = run(3, 0, 0);
    let records = [run(1, 100, 300), open_loop, empty];
    for record in &records {
        store.put_run(record).unwrap();
        assert_eq!(&store.run(&record.id).unwrap(), record);
    }
    let again = Store::open_read_only(store.path()).unwrap();
    for record in &records {
        assert_eq!(&again.run(&record.id).unwrap(), record);
        let short = again.run_without_series(&record.id).unwrap();
        let expected = RunRecord { intervals: vec![], telemetry: Default::default(), ..record.clone() };
        assert_eq!(short, expected);
        let mut visited = Vec::new();
        again.visit_intervals(&record.id, |interval| visited.push(interval)).unwrap();
        assert_eq!(visited, record.intervals);
        assert_eq!(again.telemetry(&record.id, |_| true).unwrap(), record.telemetry);
        let mut some = record.telemetry.clone();
        some.series.retain(|series| series.metric == "disk.read");
        assert_eq!(again.telemetry(&record.id, |metric| metric == "disk.read").unwrap(), some);
    }
    assert_eq!(again.telemetry("none", |_| true).unwrap_err().kind, StoreErrorKind::NotFound);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_finite_figure_reads_back_to_the_bit(bits in prop::collection::vec(any::<u64>(), 8), text: String, n: u64) {
        let figures: Vec<f64> =
            bits.iter().map(|&bits| f64::from_bits(bits)).map(|f| if f.is_finite() { f } else { 0.5 }).collect();
        let (_folder, store) = new_store();
        let mut record = run(1, 2, 20);
        record.summary.in_flight_mean = Some(figures[0]);
        record.summary.offered_per_s = Some(figures[1]);
        record.ledger.seconds = figures[2];
        record.clock.as_mut().unwrap().drift_ppm = Some(figures[3]);
        record.jobs[0].in_flight_mean = Some(figures[4]);
        record.jobs[0].bytes = Some(n);
        record.telemetry.series[0].values[0] = Some(figures[5]);
        record.target.simulated = Some(serde_json::json!({ text.clone(): figures[6] }));
        record.workload.addresses = Addresses::Zipf { exponent: figures[7] };
        record.notes.push(text);
        store.put_run(&record).unwrap();
        let read = store.run(&record.id).unwrap();
        prop_assert_eq!(read.summary.in_flight_mean.map(f64::to_bits), Some(figures[0].to_bits()));
        prop_assert_eq!(read, record);
    }
}

#[test]
fn a_record_that_would_not_read_back_is_refused_and_leaves_nothing() {
    let (_folder, store) = new_store();
    let good = run(1, 2, 10);
    let mut not_a_number = good.clone();
    not_a_number.ledger.seconds = f64::NAN;
    let foreign = RunRecord { format: "fio".into(), ..good.clone() };
    let newer = RunRecord { version: RunRecord::VERSION + 1, ..good.clone() };
    let mut records = vec![not_a_number, foreign, newer];
    records.extend(
        ["", "last", "last-3", "../x", "a b", "-x"].map(|id| RunRecord { id: id.into(), ..good.clone() }),
    );
    for record in &records {
        let error = store.put_run(record).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::BadRecord, "{error}");
    }
    assert_eq!(store.runs(&RunFilter::default()).unwrap(), []);

    let mut optional = good;
    optional.clock.as_mut().unwrap().drift_ppm = Some(f64::NAN);
    store.put_run(&optional).unwrap();
    assert_eq!(store.run(&optional.id).unwrap().clock.unwrap().drift_ppm, None);
}

#[test]
fn an_id_is_taken_once() {
    let (_folder, store) = new_store();
    let first = run(1, 2, 10);
    store.put_run(&first).unwrap();
    let error = store.put_run(&RunRecord { notes: vec!["other".into()], ..first.clone() }).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Exists);
    assert!(error.cause.contains(&first.id), "{error}");
    assert_eq!(store.run(&first.id).unwrap(), first);
}

#[test]
fn one_bad_run_among_many_keeps_all_of_its_file_out() {
    let (_folder, store) = new_store();
    let mut runs: Vec<RunRecord> = (0..150).map(|number| run(number, 1, 5)).collect();
    runs[97].ledger.seconds = f64::NAN;
    let import = ImportRow {
        sha256: "0".repeat(64),
        file: "many.json".into(),
        importer: "fio-json".into(),
        at: time(0),
    };
    let error = store.put_import(&import, &runs).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::BadRecord, "{error}");
    assert!(error.source().is_some(), "{error}");
    assert!(error.cause.contains(&runs[97].id), "{error}");
    assert_eq!((store.runs(&RunFilter::default()).unwrap(), store.imports().unwrap()), (vec![], vec![]));
    runs.remove(97);
    store.put_import(&import, &runs).unwrap();
    for record in &runs {
        assert_eq!(&store.run(&record.id).unwrap(), record);
    }
}

#[test]
fn equal_environments_are_kept_once() {
    let (_folder, store) = new_store();
    for number in 0..5 {
        store.put_run(&run(number, 1, 5)).unwrap();
    }
    let mut other = run(5, 1, 5);
    other.environment.kernel = "6.19.0".into();
    store.put_run(&other).unwrap();
    assert_eq!(count(store.path(), "environment"), 2);
    assert_eq!(store.run(&other.id).unwrap().environment.kernel, "6.19.0");
    assert_eq!(store.run(&run(4, 0, 0).id).unwrap().environment, environment());
}

#[test]
fn runs_are_listed_newest_first_and_filtered() {
    let (_folder, store) = new_store();
    for number in [3, 1, 12, 9] {
        store.put_run(&run(number, 2, 300)).unwrap();
    }
    let mut elsewhere = run(5, 2, 300);
    elsewhere.target.name = "null:".into();
    elsewhere.target.devices.clear();
    store.put_run(&elsewhere).unwrap();

    let ids = |filter: &RunFilter| -> Vec<String> {
        store.runs(filter).unwrap().into_iter().map(|row| row.started_at).collect()
    };
    assert_eq!(ids(&RunFilter::default()), [12, 9, 5, 3, 1].map(time));
    assert_eq!(ids(&RunFilter { limit: Some(2), ..RunFilter::default() }), [12, 9].map(time));
    assert_eq!(ids(&RunFilter { target: Some("null:".into()), ..RunFilter::default() }), [time(5)]);
    let both = RunFilter { limit: Some(1), target: Some("/dev/nvme0n1".into()), ..RunFilter::default() };
    assert_eq!(ids(&both), [time(12)]);
    assert_eq!(ids(&RunFilter { campaign: Some("none".into()), ..RunFilter::default() }), [] as [String; 0]);
    assert_eq!(ids(&RunFilter { since: Some(time(9)), ..RunFilter::default() }), [12, 9].map(time));
    let valid = store.runs(&RunFilter { valid: true, ..RunFilter::default() }).unwrap();
    assert!(!valid.is_empty() && valid.len() < 5 && valid.iter().all(|row| row.valid));
    let alone = store.runs(&RunFilter { alone: true, ..RunFilter::default() }).unwrap();
    let all = store.runs(&RunFilter::default()).unwrap();
    assert_eq!(alone.len(), all.iter().filter(|row| row.campaign.is_none()).count());

    let rows = store.runs(&RunFilter::default()).unwrap();
    let record = run(12, 2, 300);
    assert_eq!(rows[0].id, record.id);
    assert_eq!(rows[0].device.as_deref(), Some("nvme0n1 (SAMSUNG MZQL21T9HCJR-00A07)"));
    assert_eq!(rows[0].operations_per_s, record.summary.operations_per_s());
    assert_eq!(rows[0].throughput_bytes_per_s, record.summary.throughput_bytes_per_s());
    assert_eq!((rows[0].jobs, rows[0].depth, rows[0].ending.as_str()), (8, 32, "complete"));
    assert_eq!(rows[0].response_p50_ns, None);
    assert!(rows[0].valid && !rows[1].valid, "run 9 has a failed check");
    assert_eq!(rows[2].device, None);
    // Reads and writes have one distribution, uniform from 40 to 160 us, so their union has its median.
    let p50_ns = rows[0].service_p50_ns.unwrap() as f64;
    assert!((90_000.0..110_000.0).contains(&p50_ns), "{p50_ns}");
    assert!(rows[0].service_p99_ns.unwrap() >= 150_000);
}

#[test]
fn listing_needs_no_record() {
    let (_folder, store) = new_store();
    let record = run(1, 50, 300);
    store.put_run(&record).unwrap();
    let connection = rusqlite::Connection::open(store.path()).unwrap();
    connection
        .execute_batch("DELETE FROM run_series; UPDATE run_header SET json = 'gone'; DELETE FROM journal;")
        .unwrap();
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 1);
    assert_eq!(store.run_without_series(&record.id).unwrap_err().kind, StoreErrorKind::Corrupt);
}

#[test]
fn patterns_are_listed_in_words() {
    let (_folder, store) = new_store();
    let read = Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 };
    let write = Mix { read_share: 0.0, ..read };
    let mixed = Mix { read_share: 0.6, trim_share: 0.1, flush_every_writes: 4 };
    let fixed = |bytes| Sizes::Fixed { bytes };
    let split = Sizes::Split {
        shares: vec![SizeShare { bytes: 4096, share: 0.9 }, SizeShare { bytes: 65536, share: 0.1 }],
    };
    let hot = Addresses::HotSpot(HotSpot { span_share: 0.1, access_share: 0.9 });
    let cases = [
        (read, Addresses::RandomCycle, fixed(4096), Arrival::Closed, "4 KiB random read"),
        (write, Addresses::Sequential, fixed(1 << 20), Arrival::Closed, "1 MiB sequential write"),
        (mixed, hot, split, Arrival::Closed, "4 KiB to 64 KiB hot-spot 60/30/10 read/write/trim"),
        (
            read,
            Addresses::Zipf { exponent: 0.99 },
            fixed(4096),
            Arrival::Poisson { rate_per_s: 5000.0 },
            "4 KiB Zipf 0.99 read, Poisson 5000/s",
        ),
    ];
    for (number, (mix, addresses, sizes, arrival, text)) in cases.into_iter().enumerate() {
        let mut record = run(number as u64, 1, 1);
        // Sizes of directions that are not used must not show.
        let mut by_direction = SizesByDirection::all(fixed(512));
        for (share, of) in [
            (mix.read_share, &mut by_direction.read),
            (mix.write_share(), &mut by_direction.write),
            (mix.trim_share, &mut by_direction.trim),
        ] {
            if share > 0.0 {
                *of = sizes.clone();
            }
        }
        record.workload.mix = mix;
        record.workload.addresses = addresses;
        record.workload.sizes = by_direction;
        record.workload.arrival = arrival;
        store.put_run(&record).unwrap();
        assert_eq!(
            store.runs(&RunFilter { limit: Some(1), ..RunFilter::default() }).unwrap()[0].pattern,
            text
        );
    }
}

#[test]
fn names_are_found_by_their_start() {
    let (folder, store) = new_store();
    let error = store.resolve("x").unwrap_err();
    assert!(error.kind == StoreErrorKind::NotFound && error.remedy.contains("empty"), "{error}");
    drop((store, folder));

    let (_folder, store) = new_store();
    let named = |id: &str, number| RunRecord { id: id.into(), ..run(number, 1, 1) };
    for (number, id) in ["ab1", "ab2", "b", "b7", "percent_1", "percentx2"].into_iter().enumerate() {
        store.put_run(&named(id, number as u64)).unwrap();
    }
    let run_named = |id: &str| StoredId::Run(id.into());
    assert_eq!(store.resolve("ab1").unwrap(), run_named("ab1"));
    assert_eq!(store.resolve("b").unwrap(), run_named("b"), "a whole id comes before a start");
    assert_eq!(store.resolve("b7").unwrap(), run_named("b7"));
    assert_eq!(store.resolve("percent_").unwrap(), run_named("percent_1"), "no wildcards");
    assert_eq!(store.resolve("last").unwrap(), run_named("percentx2"));
    assert_eq!(store.resolve_run("last-2").unwrap(), "b7");

    let ambiguous = store.resolve("a").unwrap_err();
    assert_eq!(ambiguous.kind, StoreErrorKind::Ambiguous);
    assert!(ambiguous.cause.contains("ab1") && ambiguous.cause.contains("ab2"), "{ambiguous}");
    assert_eq!(store.resolve("").unwrap_err().kind, StoreErrorKind::Ambiguous);
    let unknown = store.resolve("ab9").unwrap_err();
    assert_eq!(unknown.kind, StoreErrorKind::NotFound);
    assert!(unknown.remedy.contains("ab1") && !unknown.remedy.contains("percent"), "{unknown}");
    for name in ["last-6", "last-99999999999", "last-", "lastx", "A", "ä", "%", "\0"] {
        assert_eq!(store.resolve(name).unwrap_err().kind, StoreErrorKind::NotFound, "{name:?}");
    }
    assert_eq!(store.run("ab").unwrap_err().kind, StoreErrorKind::NotFound);
}

#[test]
fn last_counts_a_campaign_and_not_the_runs_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    sample::fill(&path);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.resolve("last").unwrap(), StoredId::Campaign(sample::CAMPAIGN.into()));
    assert_eq!(store.resolve("last-1").unwrap(), StoredId::Run(sample::id(0)));
    assert_eq!(store.resolve_run("last").unwrap(), sample::id(2));
    assert_eq!(store.resolve_campaign("last").unwrap(), sample::CAMPAIGN);
    // The campaign and its first run begin alike.
    assert_eq!(store.resolve("20261120T000001-").unwrap_err().kind, StoreErrorKind::Ambiguous);
    assert_eq!(store.resolve_campaign("2026").unwrap(), sample::CAMPAIGN);
}

#[test]
fn a_failed_check_and_an_interruption_make_a_run_invalid() {
    let (_folder, store) = new_store();
    let mut failed = run(1, 1, 1);
    failed.checks = vec![Check::plain(CheckName::Clock, CheckOutcome::Fail, "the clock drifted")];
    let interrupted = RunRecord { ending: RunEnding::Interrupted, ..run(2, 1, 1) };
    store.put_run(&failed).unwrap();
    store.put_run(&interrupted).unwrap();
    let rows = store.runs(&RunFilter::default()).unwrap();
    assert_eq!(
        rows.iter().map(|row| (row.valid, row.ending.as_str())).collect::<Vec<_>>(),
        [(false, "interrupted"), (false, "complete")]
    );
}
