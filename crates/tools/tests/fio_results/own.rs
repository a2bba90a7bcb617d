//! Files that an installed fio 3.33 wrote for this test.

use std::path::{Path, PathBuf};

use fathom_measure::Histogram;
use fathom_record::Direction;
use fathom_record::run_record::{IoGroup, RunEnding};
use fathom_tools::result_import::ImportedItem;

use super::{hold_against_stated, import, runs};

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio_results/own").join(name)
}

fn found(name: &str) -> Vec<ImportedItem> {
    let (_, found) = import(&own(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    for run in runs(&found).into_iter().filter(|run| run.origin.as_ref().unwrap().parser == "fio JSON") {
        hold_against_stated(run, name);
    }
    found
}

#[test]
fn bins_of_json_plus_give_fios_own_percentiles() {
    let found = found("mix-jsonplus.json");
    let run = runs(&found)[0];
    assert_eq!((run.workload.jobs, run.workload.depth), (1, 1));
    assert!((run.workload.mix.read_share - 0.7).abs() < 1e-9);
    for direction in &run.summary.directions {
        let stated = direction.service.as_ref().unwrap();
        let whole = Histogram::try_from(direction.service_histogram.as_ref().unwrap()).unwrap();
        assert_eq!(Some(whole.count()), direction.operations);
        for quantile in stated.quantiles.iter().filter(|quantile| quantile.q < 0.9999) {
            let ours = whole.quantile(quantile.q).unwrap();
            assert!(
                (quantile.low_ns..=quantile.high_ns).contains(&ours),
                "{} is {ours} for {quantile:?}",
                quantile.q
            );
        }
    }
}

#[test]
fn clones_are_one_run_and_other_jobs_are_not() {
    let found = found("clones.json");
    let [run] = runs(&found)[..] else { panic!("{} runs", found.len()) };
    assert_eq!((run.workload.jobs, run.jobs.len()), (3, 3));
    let read = run.summary.direction(Direction::Read).unwrap();
    assert_eq!(read.operations, Some(3 * 1024));
    assert!(read.completion.as_ref().unwrap().quantiles.is_empty(), "percentiles of three jobs are of none");
    assert!(run.origin.as_ref().unwrap().why_absent("summary.directions.quantiles").is_some());
}

#[test]
fn groups_and_flushes_are_read() {
    let found = found("group-fsync.json");
    let run = runs(&found)[0];
    assert_eq!((run.workload.jobs, run.workload.depth, run.workload.mix.flush_every_writes), (2, 4, 16));
    assert!(run.summary.direction(Direction::Flush).is_some_and(|flush| flush.operations > Some(0)));
}

#[test]
fn times_that_were_not_taken_are_absent() {
    let found = found("gtod-reduce.json");
    let run = runs(&found)[0];
    let read = run.summary.direction(Direction::Read).unwrap();
    assert_eq!((&read.service, &read.completion), (&None, &None));
    assert!(read.operations > Some(0));
    assert!(run.origin.as_ref().unwrap().why_absent("summary.directions.read.service").is_some());
}

#[test]
fn directions_that_are_reported_together_stay_together() {
    let found = found("mixed.json");
    let run = runs(&found)[0];
    assert_eq!(run.summary.directions.len(), 1);
    assert_eq!(run.summary.directions[0].direction, IoGroup::Mixed);
    assert_eq!(run.ledger.bytes_read, None, "nobody can tell");
}

#[test]
fn states_on_the_way_are_not_taken_for_runs() {
    let found = found("status-interval.json");
    let [run] = runs(&found)[..] else { panic!("{} runs", found.len()) };
    assert!(run.summary.duration_ns > 2_900_000_000, "the last one holds all: {}", run.summary.duration_ns);
    let quirks = &run.origin.as_ref().unwrap().quirks;
    assert!(quirks.iter().any(|quirk| quirk.name == "status_interval"), "{quirks:?}");
}

#[test]
fn a_result_in_the_middle_of_a_job_log_is_found() {
    let found = found("enospc-in-a-log.txt");
    let run = runs(&found)[0];
    assert!(matches!(&run.ending, RunEnding::Failed { error } if error.contains("28")), "{:?}", run.ending);
    let quirks: Vec<&str> = run.origin.iter().flat_map(|o| &o.quirks).map(|q| q.name.as_str()).collect();
    assert!(quirks.contains(&"text_before_json") && quirks.contains(&"text_after_json"), "{quirks:?}");
}

#[test]
fn logs_of_single_ios_agree_with_the_result_beside_them() {
    let result = found("io.json");
    let result = runs(&result)[0];
    for (file, latency) in [
        ("io_lat.1.log", "service"),
        ("io_clat.1.log", "completion"),
        ("io_bw.1.log", ""),
        ("io_iops.1.log", ""),
    ] {
        let found = found(file);
        let run = runs(&found)[0];
        for direction in [Direction::Read, Direction::Write] {
            let (log, json) =
                (run.summary.direction(direction).unwrap(), result.summary.direction(direction).unwrap());
            assert_eq!((log.operations, log.bytes), (json.operations, json.bytes), "{file}");
            let pair = match latency {
                "service" => (&log.service, &json.service),
                "completion" => (&log.completion, &json.completion),
                _ => continue,
            };
            let (ours, theirs) = (pair.0.as_ref().unwrap(), pair.1.as_ref().unwrap());
            assert_eq!((ours.min_ns, ours.max_ns), (theirs.min_ns, theirs.max_ns), "{file}");
            assert!((ours.mean_ns - theirs.mean_ns).abs() < 0.001 * theirs.mean_ns, "{file}");
        }
    }
}

#[test]
fn a_histogram_log_has_the_distribution_of_its_run() {
    let result = found("h.json");
    let (log, json) = (found("h_clat_hist.1.log"), runs(&result)[0]);
    let log = runs(&log)[0];
    for direction in [Direction::Read, Direction::Write] {
        let (log, json) =
            (log.summary.direction(direction).unwrap(), json.summary.direction(direction).unwrap());
        let (counted, all) = (log.operations.unwrap() as f64, json.operations.unwrap() as f64);
        assert!(counted <= all && counted > 0.4 * all, "{counted} of {all}; the last interval is left out");
        let median = |d: &fathom_record::run_record::DirectionSummary| {
            d.completion.as_ref().unwrap().quantile_ns(0.5).unwrap() as f64
        };
        // Sixteen of fio's bins in one are a quarter of a value wide.
        assert!((median(log) / median(json)).ln().abs() < 0.5, "{} for {}", median(log), median(json));
    }
}

#[test]
fn means_over_time_become_series() {
    let found = found("h_lat.1.log");
    let [ImportedItem::Telemetry(found)] = found.as_slice() else { panic!("{found:?}") };
    assert!(found.telemetry.find("fio.lat", "read").is_some_and(|series| series.values.len() >= 3));
}
