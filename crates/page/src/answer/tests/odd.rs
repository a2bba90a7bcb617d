//! Answers where a store, or what it holds, is not as one would wish.

use fathom_measure::Histogram;
use fathom_record::RunRecord;
use fathom_record::SparseHistogram;
use fathom_store::Store;
use rusqlite::Connection;
use serde_json::Value;

use super::super::answer;
use super::{ask, columns, record, shelf};
use crate::shelf::Shelf;

fn ids(list: &Value) -> Vec<String> {
    let ids = list["columns"]["id"].as_array().unwrap();
    ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn facets_count_all_that_a_search_finds_however_few_are_listed() {
    let records: Vec<RunRecord> = (1..=5).map(|number| record(number, 2, 50)).collect();
    let (_folder, mut shelf) = shelf(&records);
    let path = shelf.paths().next().unwrap().to_owned();
    let store = Store::open(&path).unwrap();
    let tag = |id: &str| {
        let what = store.resolve(id).unwrap();
        store.label(&what, &["weekly".to_owned()], "2026-11-26T04:00:00Z").unwrap();
    };
    tag(&records[0].id);
    let all = ask(&mut shelf, "facets", "");
    assert_eq!((&all["format"], &all["total"]), (&"fathom.page.facets".into(), &5.into()));
    let most = |facets: &Value, column: &str| facets["facets"][column]["most"].clone();
    assert_eq!(most(&all, "target"), serde_json::json!([["/dev/nvme1n1", 3], ["/dev/nvme0n1", 2]]));
    assert_eq!(most(&all, "tags"), serde_json::json!([["weekly", 1]]));
    assert_eq!(all["facets"]["device"], serde_json::json!({"values": 0, "most": []}), "no device is known");
    let found = ask(&mut shelf, "facets", "q=target:nvme1+iops%3E1k");
    assert_eq!(
        (&found["total"], most(&found, "target")),
        (&2.into(), serde_json::json!([["/dev/nvme1n1", 2]]))
    );
    assert_eq!(ask(&mut shelf, "facets", "q=tag:weekly")["total"], 1);
    // What was counted is kept, and no longer than it holds.
    assert_eq!(ask(&mut shelf, "facets", ""), all);
    tag(&records[2].id);
    store.put_run(&record(7, 2, 50)).unwrap();
    let more = ask(&mut shelf, "facets", "");
    assert_eq!((&more["total"], most(&more, "tags")), (&6.into(), serde_json::json!([["weekly", 2]])));
    for (query, status) in [("store=1", 404), ("q=p99%3Cfast", 400), ("limit=1", 400)] {
        assert_eq!(answer(&mut shelf, "facets", query).unwrap_err().status, status, "{query}");
    }
}

#[test]
fn a_run_whose_seconds_are_damaged_says_so_and_the_list_stays() {
    let records = [record(1, 4, 50), record(2, 4, 50)];
    let (_folder, mut shelf) = shelf(&records);
    let path = shelf.paths().next().unwrap().to_owned();
    let writer = Connection::open(&path).unwrap();
    let damaged = "UPDATE run_series SET data = zeroblob(length(data))
                   WHERE kind = 1 AND run = (SELECT seq FROM run WHERE id = ?1)";
    assert!(writer.execute(damaged, [&records[0].id]).unwrap() > 0);
    assert_eq!(ask(&mut shelf, "runs", "")["total"], 2);
    for part in ["heat", "series", "second/1"] {
        let refusal = answer(&mut shelf, &format!("runs/{}/{part}", records[0].id), "").unwrap_err();
        assert!(refusal.status == 500 && refusal.kind == "store", "{part}: {refusal:?}");
        assert!(answer(&mut shelf, &format!("runs/{}/{part}", records[1].id), "").is_ok(), "{part}");
    }
}

#[test]
fn a_store_is_read_while_it_is_written() {
    let (_folder, mut shelf) = shelf(&[record(1, 2, 50)]);
    assert_eq!(ask(&mut shelf, "runs", "")["total"], 1);
    let path = shelf.paths().next().unwrap().to_owned();
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; UPDATE run SET target = '/dev/other'").unwrap();
    assert_eq!(ask(&mut shelf, "runs", "q=target:other")["total"], 0, "what is not saved is not there");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(ask(&mut shelf, "runs", "q=target:other")["total"], 1);
}

#[test]
fn runs_of_one_moment_and_of_a_clock_that_went_back_are_each_listed_once() {
    let mut records: Vec<RunRecord> = (1..=5).map(|number| record(number, 2, 50)).collect();
    for (at, run) in records.iter_mut().enumerate() {
        run.id = format!("r-{}", 9 - at);
        run.started_at = ["2026-11-05T08:00:00Z", "2026-11-01T08:00:00Z"][at / 4].to_owned();
    }
    let (_folder, mut shelf) = shelf(&records);
    let (mut query, mut found) = ("limit=2".to_owned(), Vec::new());
    while found.len() < 9 {
        let page = ask(&mut shelf, "runs", &query);
        found.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        query = format!("limit=2&after={next}");
    }
    assert_eq!(found, ["r-9", "r-8", "r-7", "r-6", "r-5"]);
    let trend = ask(&mut shelf, "trend", "target=/dev/nvme1n1");
    let values = trend["workloads"][0]["values"].as_array().unwrap();
    let times: Vec<&str> = values.iter().map(|value| value["started_at"].as_str().unwrap()).collect();
    assert!(times.len() == 3 && times.is_sorted(), "{times:?}");
}

#[test]
fn a_run_that_two_stores_have_is_that_of_the_store_that_is_asked() {
    let (folder, first) = shelf(&[record(1, 2, 50)]);
    let path = first.paths().next().unwrap().to_owned();
    let other = folder.path().join("other.sqlite");
    let store = Store::open(&other).unwrap();
    let mut same = record(1, 2, 50);
    same.target.name = "/dev/elsewhere".to_owned();
    store.put_run(&same).unwrap();
    let mut both = Shelf::of(vec![path, other]);
    let id = same.id.as_str();
    let name =
        |shelf: &mut Shelf, query: &str| ask(shelf, &format!("runs/{id}"), query)["target"]["name"].clone();
    assert_eq!(
        (name(&mut both, ""), name(&mut both, "store=1")),
        ("/dev/nvme1n1".into(), "/dev/elsewhere".into())
    );
}

#[test]
fn runs_without_io_without_seconds_and_without_latencies_are_shown_as_far_as_they_go() {
    let mut empty = record(1, 0, 50);
    empty.summary.directions.clear();
    let mut totals = record(2, 3, 50);
    totals.intervals.clear();
    for direction in &mut totals.summary.directions {
        (direction.service, direction.service_histogram) = (None, None);
    }
    let single = record(3, 1, 50);
    let (_folder, mut shelf) = shelf(&[empty.clone(), totals.clone(), single.clone()]);
    assert_eq!(ask(&mut shelf, "runs", "")["total"], 3);
    for (run, width) in [(&empty, 0), (&totals, 0), (&single, 1)] {
        for part in ["series", "heat"] {
            let (header, _) = columns(&mut shelf, &format!("runs/{}/{part}", run.id), "");
            assert_eq!(header["width"], width, "{} {part}", run.id);
        }
        assert_eq!(ask(&mut shelf, &format!("runs/{}", run.id), "")["id"], run.id.as_str());
    }
}

#[test]
fn a_count_that_is_too_large_for_its_place_is_cut_and_said_to_be() {
    let many = 1_u64 << 54;
    let mut run = record(1, 2, 50);
    let bucket =
        Histogram::try_from(&run.intervals[0].directions[0].service).unwrap().buckets().next().unwrap().0;
    let low = fathom_measure::histogram::bucket_bounds(bucket).0;
    let large = Histogram::from_parts([(bucket, many)], u128::from(low) * u128::from(many), low, low);
    let part = &mut run.intervals[0].directions[0];
    part.service = SparseHistogram::from(&large.unwrap());
    part.operations = many;
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let (header, found) = columns(&mut shelf, &format!("runs/{}/heat", run.id), "");
    assert_eq!(header["is_cut"], true);
    assert!(found["counts"].contains(&f64::from(u32::MAX)));
    let second = ask(&mut shelf, &format!("runs/{}/second/0", run.id), "");
    assert_eq!(second["directions"][0]["operations"], many, "JSON has it in full");
    let (header, _) = columns(&mut shelf, &format!("runs/{}/heat", run.id), "from=1");
    assert_eq!(header["is_cut"], false);
}
