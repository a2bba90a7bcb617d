//! Answers where a store, or what it holds, is not as one would wish.

use fathom_measure::Histogram;
use fathom_record::{Check, CheckName, CheckOutcome, Interval, RunRecord, SparseHistogram};
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
    let mut records: Vec<RunRecord> = (1..=5).map(|number| record(number, 2, 50)).collect();
    records[..3].iter_mut().for_each(|run| run.environment.kernel = "6.12.1-cloud".to_owned());
    records[4].environment.kernel = "6.14.0".to_owned();
    records[1].checks.push(Check::plain(CheckName::Clock, CheckOutcome::Fail, "The clock went back."));
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
    assert_eq!(most(&all, "kernel"), serde_json::json!([["6.12.1-cloud", 3], ["6.14.0", 1]]));
    assert_eq!(most(&all, "valid"), serde_json::json!([["valid", 4], ["invalid", 1]]));
    let on_kernel = ask(&mut shelf, "facets", "q=kernel:6.12+valid");
    assert_eq!(
        (&on_kernel["total"], most(&on_kernel, "tags")),
        (&2.into(), serde_json::json!([["weekly", 1]]))
    );
    assert_eq!(ask(&mut shelf, "runs", "q=kernel:%25")["total"], 0);
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

#[test]
fn files_that_are_no_store_are_said_to_be_with_what_to_do_and_others_are_served() {
    let (folder, first) = shelf(&[record(1, 2, 20)]);
    let path = first.paths().next().unwrap().to_owned();
    let whole = std::fs::read(&path).unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        file
    };
    let database = |name: &str, bytes: &[u8], sql: &str| {
        let file = file(name, bytes);
        Connection::open(&file).unwrap().execute_batch(sql).unwrap();
        file
    };
    let bad = [
        (file("empty", b""), "is empty"),
        (file("text", b"no store"), ""),
        (file("cut", &whole[..whole.len() / 2]), ""),
        (database("foreign", b"", "CREATE TABLE run (id TEXT)"), "another program"),
        (database("newer", &whole, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99"), ""),
        (folder.path().to_owned(), "not a file"),
    ];
    for (file, words) in bad {
        let mut both = Shelf::of(vec![file.clone(), path.clone()]);
        for asked in ["runs", "facets", "campaigns", "marks", "runs/none/analysis"] {
            let refusal = answer(&mut both, asked, "").unwrap_err();
            let told = String::from_utf8(refusal.document()).unwrap();
            assert!(refusal.status == 500 && refusal.kind == "store", "{asked}: {told}");
            let value: Value = serde_json::from_str(&told).unwrap();
            assert!(told.contains(words) && value["remedy"] != "", "{asked} of {}: {told}", file.display());
        }
        assert_eq!(ask(&mut both, "runs", "store=1")["total"], 1, "{}", file.display());
    }
}

#[test]
fn an_id_of_another_kind_is_not_found() {
    let run = record(1, 2, 20);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let path = shelf.paths().next().unwrap().to_owned();
    let store = Store::open(&path).unwrap();
    let (id, key, target) = ("a-1", "k", "/dev/x");
    let new =
        fathom_store::NewCampaign { id, key, target, started_at: "2026-11-26T04:00:00Z", plan_json: "{}" };
    let _held = store.begin_campaign(&new).unwrap();
    for part in ["", "/series", "/heat", "/second/0", "/said", "/analysis"] {
        for id in [id, "%25", "r-%", "'", &"x".repeat(10_000)] {
            assert_eq!(
                answer(&mut shelf, &format!("runs/{id}{part}"), "").unwrap_err().status,
                404,
                "{part}"
            );
        }
    }
    assert_eq!(answer(&mut shelf, &format!("campaigns/{}", run.id), "").unwrap_err().status, 404);
    assert_eq!(answer(&mut shelf, "compare", &format!("a={}&b=a-1", run.id)).unwrap_err().status, 404);
}

/// Every column has its own moment: what lies behind a gap is not moved into it.
#[test]
fn a_day_of_seconds_is_added_up_and_a_gap_stays_one() {
    const S: u64 = 1_000_000_000;
    let mut run = record(1, 1, 20);
    let second = run.intervals[0].clone();
    let all = (0..86_400).filter(|at| !(40_000..40_600).contains(at));
    run.intervals = all.map(|at| Interval { start_ns: at * S, ..second.clone() }).collect();
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let path = format!("runs/{}", run.id);
    let (header, found) = columns(&mut shelf, &format!("{path}/series"), "");
    assert_eq!((&header["of"], &header["per_column"]), (&85_800.into(), &128.into()));
    let (starts, durations) = (&found["start_s"], &found["duration_s"]);
    assert_eq!((starts.len(), durations.iter().sum::<f64>()), (671, 85_800.0));
    let gaps: Vec<f64> =
        (1..starts.len()).map(|at| starts[at] - starts[at - 1] - durations[at - 1]).collect();
    assert_eq!(gaps.iter().filter(|gap| **gap > 0.5).collect::<Vec<_>>(), [&600.0]);
    let (heat, counts) = columns(&mut shelf, &format!("{path}/heat"), "");
    assert_eq!((&heat["width"], counts["counts"].iter().sum::<f64>()), (&671.into(), 20.0 * 85_800.0));
    let last = ask(&mut shelf, &format!("{path}/second/85799"), "");
    assert_eq!(last["start_ns"], 86_399 * S);
}

#[test]
fn many_marks_in_any_letters_are_all_told() {
    let records: Vec<RunRecord> = (1..=9).map(|number| record(number * 2, 2, 50)).collect();
    let (_folder, mut shelf) = shelf(&records);
    let path = shelf.paths().next().unwrap().to_owned();
    let titles = ["🚀 <script>alert(1)</script>", "\u{202e}עדכון ליבה", "a\u{0}b\u{7}"];
    let mut writer = Connection::open(&path).unwrap();
    let transaction = writer.transaction().unwrap();
    for number in 0..10_000 {
        let from = format!("2026-11-{:02}T08:{:02}:{:02}Z", 1 + number % 20, number / 60 % 60, number % 60);
        let sql = "INSERT INTO mark (from_at, title, at) VALUES (?1, ?2, ?1)";
        transaction.execute(sql, (from, titles[number % titles.len()])).unwrap();
    }
    transaction.commit().unwrap();
    let marks = ask(&mut shelf, "marks", "");
    let all = marks["marks"].as_array().unwrap();
    assert_eq!(all.len(), 10_000);
    assert!(titles.iter().all(|title| all.iter().any(|mark| mark["title"] == *title)));
    let trend = ask(&mut shelf, "trend", "target=/dev/nvme0n1");
    assert_eq!(trend["marks"].as_array().unwrap().len(), 10_000);
}
