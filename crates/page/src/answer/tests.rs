//! Answers against what the records hold.

mod odd;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fathom_measure::Histogram;
use fathom_record::campaign::{SweepAxis, SweepPlan, SweepRecord};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::run_record::{CampaignLink, DirectionSummary, RunEnding, Tool};
use fathom_record::{
    CampaignRecord, Check, CheckName, CheckOutcome, Direction, DirectionInterval, Interval, LatencySummary,
    RunRecord, SparseHistogram,
};
use fathom_store::Store;
use serde_json::Value;
use tempfile::TempDir;

use super::heat::{row_high_ns, row_low_ns};
use super::{Answer, Refusal, answer};
use crate::shelf::Shelf;

/// Latencies of a second that no other second has, with a tail.
fn second(number: u64, operations: u64) -> Histogram {
    let mut histogram = Histogram::new();
    for at in 0..operations {
        let disorder = (number * 1009 + at).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        histogram
            .record(80_000 + number * 500 + disorder % 40_000 + if at % 97 == 0 { 3_000_000 } else { 0 });
    }
    histogram
}

pub(crate) fn record(number: u64, seconds: u64, operations: u64) -> RunRecord {
    let workload = fathom_plan::pattern("randread-4k").unwrap().workload;
    let tool = Tool { name: "fathom".to_owned(), version: "0.1.0".to_owned() };
    let target = TargetFacts::named(format!("/dev/nvme{}n1", number % 2), TargetKind::BlockDevice);
    let mut run = RunRecord::begun(tool, workload, target, "uring");
    run.id = format!("r-2026110{}-00000000{number}-0000", 1 + number % 9);
    run.started_at = format!("2026-11-{:02}T08:00:00Z", 1 + number);
    run.ending = RunEnding::Complete;
    let mut whole = Histogram::new();
    for at in 0..seconds {
        let histogram = second(at, operations);
        whole.merge(&histogram);
        run.intervals.push(Interval {
            start_ns: at * 1_000_000_000,
            duration_ns: 1_000_000_000,
            warmup: at == 0,
            in_flight_integral_ns: 4_000_000_000,
            directions: vec![DirectionInterval {
                direction: Direction::Read,
                operations: histogram.count(),
                bytes: histogram.count() * 4096,
                errors: at % 3,
                service: SparseHistogram::from(&histogram),
                response: None,
            }],
        });
    }
    run.summary.duration_ns = seconds * 1_000_000_000;
    run.summary.directions = vec![DirectionSummary {
        direction: Direction::Read.into(),
        operations: Some(whole.count()),
        bytes: Some(whole.count() * 4096),
        errors: Some(0),
        operations_per_s: 1000.0 * number as f64,
        throughput_bytes_per_s: 4_096_000.0 * number as f64,
        service: LatencySummary::of(&whole),
        response: None,
        submit: None,
        service_histogram: Some(SparseHistogram::from(&whole)),
        response_histogram: None,
        completion: None,
        completion_histogram: None,
    }];
    run
}

pub(crate) fn shelf(records: &[RunRecord]) -> (TempDir, Shelf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let store = Store::open(&path).unwrap();
    records.iter().for_each(|record| store.put_run(record).unwrap());
    (folder, Shelf::of(vec![path]))
}

pub(crate) fn ask(shelf: &mut Shelf, path: &str, query: &str) -> Value {
    match answer(shelf, path, query) {
        Ok(Answer::Json(bytes)) => serde_json::from_slice(&bytes).unwrap(),
        other => panic!("{path}?{query}: {other:?}"),
    }
}

pub(crate) fn refused(shelf: &mut Shelf, path: &str, query: &str) -> Refusal {
    match answer(shelf, path, query) {
        Err(refusal) => refusal,
        Ok(_) => panic!("{path}?{query} was answered"),
    }
}

/// The header of a binary answer, and its columns by name as figures.
pub(crate) fn columns(shelf: &mut Shelf, path: &str, query: &str) -> (Value, BTreeMap<String, Vec<f64>>) {
    let Ok(Answer::Columns(bytes)) = answer(shelf, path, query) else { panic!("{path}?{query}") };
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    assert!((4 + length).is_multiple_of(8));
    let header: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    let body = &bytes[4 + length..];
    let read = |column: &Value| {
        let from = column["offset"].as_u64().unwrap() as usize;
        let length = column["length"].as_u64().unwrap() as usize;
        if column["type"] == "u8" {
            let letters = body[from..from + length].iter().map(|letter| f64::from(*letter)).collect();
            return (column["name"].as_str().unwrap().to_owned(), letters);
        }
        let part = &body[from..from + 4 * length];
        let numbers = part.chunks(4).map(|four| {
            let four: [u8; 4] = four.try_into().unwrap();
            if column["type"] == "u32" {
                f64::from(u32::from_le_bytes(four))
            } else {
                f64::from(f32::from_le_bytes(four))
            }
        });
        (column["name"].as_str().unwrap().to_owned(), numbers.collect::<Vec<f64>>())
    };
    let found = header["columns"].as_array().unwrap().iter().map(read).collect();
    (header, found)
}

#[test]
fn a_list_is_columns_whose_words_stand_in_dictionaries() {
    let mut records: Vec<RunRecord> = (1..=5).map(|number| record(number, 2, 50)).collect();
    records[1].checks.push(Check::plain(CheckName::Clock, CheckOutcome::Fail, "The clock went back."));
    records[2].campaign = Some(CampaignLink { id: "c-1".to_owned(), step: "a".to_owned() });
    let (_folder, mut shelf) = shelf(&records);
    let all = ask(&mut shelf, "runs", "");
    assert_eq!((&all["total"], &all["next"]), (&Value::from(5), &Value::Null));
    let started: Vec<&str> =
        all["columns"]["started_at"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(started.is_sorted_by(|one, other| one > other), "{started:?}");
    let target = |at: usize| {
        let place = all["columns"]["target"][at].as_u64().unwrap() as usize;
        all["words"]["target"][place].as_str().unwrap().to_owned()
    };
    assert_eq!([target(0), target(1)], ["/dev/nvme1n1", "/dev/nvme0n1"]);
    assert_eq!(all["words"]["target"].as_array().unwrap().len(), 2);
    assert_eq!(all["columns"]["valid"], serde_json::json!([true, true, true, false, true]));
    assert_eq!(all["columns"]["campaign"], serde_json::json!([null, null, 0, null, null]));

    let first = ask(&mut shelf, "runs", "limit=2");
    let next = first["next"].as_str().unwrap().to_owned();
    let rest = ask(&mut shelf, "runs", &format!("limit=10&after={next}"));
    assert_eq!((&first["total"], &rest["total"]), (&Value::from(5), &Value::from(5)));
    let ids = |page: &Value| page["columns"]["id"].as_array().unwrap().clone();
    assert_eq!([ids(&first), ids(&rest)].concat(), ids(&all));
}

#[test]
fn a_search_finds_what_it_says_and_its_signs_mean_nothing() {
    let records: Vec<RunRecord> = (1..=5).map(|number| record(number, 2, 50)).collect();
    let (_folder, mut shelf) = shelf(&records);
    let mut total = |q: &str| ask(&mut shelf, "runs", &format!("q={q}"))["total"].as_u64().unwrap();
    assert_eq!(total("target:NVME1"), 3);
    assert_eq!(total("iops%3E%3D3k"), 3);
    assert_eq!(total("iops%3C3k+target:nvme1"), 1);
    assert_eq!(total("p50%3C1us"), 0);
    assert_eq!(total("p50%3C1ms+valid"), 5);
    assert_eq!(total("invalid"), 0);
    assert_eq!(total("since:2026-11-04"), 3);
    assert_eq!(total("before:2026-11-04"), 2);
    assert_eq!(total("random"), 5);
    for signs in ["%25", "_", "'", "'%20OR%201=1--", "%5C", "*"] {
        assert!(total(&format!("target:{signs}")) == 0, "{signs}");
    }
    assert_eq!(refused(&mut shelf, "runs", "q=p99%3Cfast").status, 400);
}

#[test]
fn a_header_is_the_record_without_its_series() {
    let run = record(1, 3, 20);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let header = ask(&mut shelf, &format!("runs/{}", run.id), "");
    assert_eq!(
        (&header["format"], &header["id"]),
        (&Value::from("fathom.run"), &Value::from(run.id.as_str()))
    );
    assert_eq!(header["intervals"], serde_json::json!([]));
}

/// Whatever the width, every I/O is counted once, in the row that its bucket lies in.
#[test]
fn a_heat_map_has_the_exact_counts_at_every_width() {
    let run = record(1, 37, 400);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let path = format!("runs/{}/heat", run.id);
    let mut whole = Histogram::new();
    run.intervals.iter().for_each(|i| whole.merge(&Histogram::try_from(&i.directions[0].service).unwrap()));
    for (query, width, per_column) in
        [("", 37, 1), ("width=20", 19, 2), ("width=1", 1, 64), ("width=5&direction=read", 5, 8)]
    {
        let (header, found) = columns(&mut shelf, &path, query);
        assert_eq!((&header["width"], &header["per_column"]), (&width.into(), &per_column.into()), "{query}");
        let (height, counts) = (header["height"].as_u64().unwrap() as usize, &found["counts"]);
        assert_eq!(counts.iter().sum::<f64>(), whole.count() as f64, "{query}");
        let bounds: Vec<u64> =
            header["bounds_ns"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        assert_eq!((bounds.len(), bounds.is_sorted()), (height + 1, true));
        for row in 0..height {
            let drawn: f64 = counts.iter().skip(row).step_by(height).sum();
            let within = |value: u64| (bounds[row]..bounds[row + 1]).contains(&value);
            let held: u64 = whole
                .buckets()
                .filter(|(bucket, _)| within(fathom_measure::histogram::bucket_bounds(*bucket).0))
                .map(|(_, count)| count)
                .sum();
            // The last bound is the highest value that the last row holds.
            assert!(row + 1 == height || drawn == held as f64, "{query}: row {row}: {drawn} for {held}");
        }
    }
    let (header, found) = columns(&mut shelf, &path, "from=5&until=7");
    assert_eq!((&header["width"], &header["of"], &header["from"]), (&2.into(), &37.into(), &5.into()));
    assert_eq!(found["counts"].iter().sum::<f64>(), 800.0);
    assert_eq!(columns(&mut shelf, &path, "direction=write").1["counts"].len(), 0);
}

#[test]
fn rows_follow_each_other_without_a_gap() {
    for row in 0..400 {
        assert!(row_low_ns(row) <= row_high_ns(row) && row_high_ns(row) + 1 == row_low_ns(row + 1), "{row}");
    }
}

#[test]
fn series_have_what_each_second_had() {
    let run = record(1, 6, 1000);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let (header, found) = columns(&mut shelf, &format!("runs/{}/series", run.id), "");
    assert_eq!((&header["directions"], &header["width"]), (&serde_json::json!(["read"]), &6.into()));
    assert_eq!(found["read.operations_per_s"], [1000.0; 6]);
    assert_eq!(found["read.bytes_per_s"], [4_096_000.0; 6]);
    assert_eq!(found["read.errors"], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    assert_eq!(found["in_flight"], [4.0; 6]);
    assert_eq!(found["warmup"], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for (at, drawn) in found["read.service_p50_ns"].iter().enumerate() {
        assert_eq!(*drawn, second(at as u64, 1000).quantile(0.5).unwrap() as f32 as f64, "{at}");
    }
    assert!(found["read.service_p99_ns"].iter().all(|value| value.is_finite()));
    assert!(found["read.service_p999_ns"].iter().all(|value| value.is_nan()), "1 of 1000 lies beyond");
    assert!(!found.contains_key("read.response_p50_ns"));
}

#[test]
fn a_second_stands_beside_its_run() {
    let run = record(1, 4, 300);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let second = ask(&mut shelf, &format!("runs/{}/second/2", run.id), "");
    assert_eq!((&second["start_ns"], &second["in_flight"]), (&2_000_000_000_u64.into(), &4.0.into()));
    let rows = second["directions"][0]["rows"].as_array().unwrap();
    let sum = |name: &str| rows.iter().filter_map(|row| row[name].as_u64()).sum::<u64>();
    assert_eq!((sum("count"), sum("run_count")), (300, 1200));
    for (path, status) in [("second/4", 404), ("second/x", 400), ("second/-1", 400)] {
        assert_eq!(refused(&mut shelf, &format!("runs/{}/{path}", run.id), "").status, status);
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_says_why() {
    let run = record(1, 2, 20);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let heat = format!("runs/{}/heat", run.id);
    for (path, query, status) in [
        ("", "", 404),
        ("runs/", "", 404),
        ("../etc/passwd", "", 404),
        ("runs/%2e%2e", "", 404),
        ("runs/none/heat", "", 404),
        ("runs", "limit=0", 400),
        ("runs", "limit=10001", 400),
        ("runs", "limit=NaN", 400),
        ("runs", "after=x", 400),
        ("runs", "store=1", 404),
        ("runs", "stroe=0", 400),
        (&heat, "width=0", 400),
        (&heat, "width=2401", 400),
        (&heat, "from=3&until=3", 400),
        (&heat, "direction=up", 400),
        (&heat, "kind=x", 400),
        ("trend", "", 400),
        ("trend", "target=x&metric=max", 400),
        ("trend", "target=x&least=2", 400),
    ] {
        let refusal = refused(&mut shelf, path, query);
        assert!(refusal.status == status && !refusal.cause.is_empty(), "{path}?{query}: {refusal:?}");
    }
}

#[test]
fn a_trend_is_that_of_the_terminal() {
    let mut records: Vec<RunRecord> = (1..=14).map(|number| record(number * 2, 2, 50)).collect();
    for (at, run) in records.iter_mut().enumerate() {
        run.id = format!("r-{at}");
        let rate = if at < 7 { 1000.0 } else { 800.0 } + (at as f64 * 0.618).fract();
        run.summary.directions[0].operations_per_s = rate;
    }
    let (_folder, mut shelf) = shelf(&records);
    let trend = ask(&mut shelf, "trend", "target=/dev/nvme0n1");
    assert_eq!(trend["format"], "fathom.trend");
    let levels = trend["workloads"][0]["levels"].as_array().unwrap();
    assert_eq!((levels.len(), &levels[1]["change"]["slower"]), (2, &Value::Bool(true)), "{trend}");
    assert_eq!(levels[1]["from_run"], "r-7");
    assert_eq!(ask(&mut shelf, "trend", "target=none")["workloads"], serde_json::json!([]));
}

#[test]
fn a_store_that_is_absent_damaged_or_replaced_is_said_to_be() {
    let (folder, mut shelf) = shelf(&[record(1, 2, 20)]);
    assert_eq!(ask(&mut shelf, "runs", "")["total"], 1);
    let path: PathBuf = shelf.paths().next().unwrap().to_owned();
    let other = folder.path().join("other.sqlite");
    let store = Store::open(&other).unwrap();
    (2..=4).for_each(|number| store.put_run(&record(number, 2, 20)).unwrap());
    drop(store);
    // File systems may keep the moment at which a file was made no finer than their clock's tick.
    let changed = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let later = folder.path().join("later");
    std::fs::write(&later, "x").unwrap();
    while changed(&later) <= changed(&path) {
        std::thread::yield_now();
        std::fs::write(&later, "x").unwrap();
    }
    std::fs::remove_file(&path).unwrap();
    let refusal = refused(&mut shelf, "runs", "");
    assert!(refusal.status == 404 && refusal.kind == "no_store", "{refusal:?}");
    std::fs::copy(&other, &path).unwrap();
    assert_eq!(ask(&mut shelf, "runs", "")["total"], 3);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, b"no store").unwrap();
    let refusal = refused(&mut shelf, "runs", "");
    assert!(refusal.status == 500 && refusal.kind == "store", "{refusal:?}");
}

#[test]
fn what_people_say_stands_in_the_list_and_with_the_run() {
    let records: Vec<RunRecord> = (1..=3).map(|number| record(number * 2, 2, 50)).collect();
    let (_folder, mut shelf) = shelf(&records);
    let path = shelf.paths().next().unwrap().to_owned();
    let store = Store::open(&path).unwrap();
    let at = "2026-11-26T04:00:00Z";
    let id = records[1].id.clone();
    let what = store.resolve(&id).unwrap();
    store.label(&what, &["weekly".to_owned(), "<b>".to_owned()], at).unwrap();
    store.write_note(&what, "the cache is <off>", None, at).unwrap();
    store.set_baseline(&id, at).unwrap();
    let all = ask(&mut shelf, "runs", "");
    assert_eq!(all["words"]["tags"], serde_json::json!(["<b>", "weekly"]));
    assert_eq!(all["columns"]["tags"], serde_json::json!([[], [0, 1], []]));
    assert_eq!(all["columns"]["notes"], serde_json::json!([0, 1, 0]));
    assert_eq!(all["columns"]["baseline"], serde_json::json!([false, true, false]));
    assert_eq!(ask(&mut shelf, "runs", "q=tag:week")["total"], 1);
    assert_eq!(ask(&mut shelf, "runs", "q=baseline")["columns"]["id"], serde_json::json!([id]));
    let said = ask(&mut shelf, &format!("runs/{id}/said"), "");
    assert_eq!(said["notes"][0]["text"], "the cache is <off>");
    let other = ask(&mut shelf, &format!("runs/{}/said", records[0].id), "");
    assert_eq!((&other["baseline"], &other["tags"]), (&Value::from(id), &serde_json::json!([])));
    let unknown = refused(&mut shelf, "runs/none/said", "");
    assert!(unknown.status == 404 && unknown.kind == "not_found", "{unknown:?}");
}

#[test]
fn a_verdict_is_that_of_fathom_compare() {
    let mut records: Vec<RunRecord> = (1..=12).map(|number| record(number * 2, 2, 50)).collect();
    for (at, run) in records.iter_mut().enumerate() {
        run.id = format!("r-{at}");
        run.summary.directions[0].operations_per_s =
            if at < 6 { 1000.0 } else { 800.0 } + (at as f64 * 0.618).fract();
    }
    let (_folder, mut shelf) = shelf(&records);
    let found = ask(&mut shelf, "compare", "a=r-0,r-1,r-2,r-3,r-4,r-5&b=r-6,r-7,r-8,r-9,r-10,r-11");
    let side = |records: &[RunRecord], id: &str| fathom_campaign::StoredSide {
        id: id.to_owned(),
        kind: "run",
        runs: records.to_vec(),
    };
    let (a, b) = (side(&records[..6], "a"), side(&records[6..], "b"));
    let plan = fathom_campaign::stored_plan("a", "b").unwrap();
    let expected = fathom_campaign::compare_sides(&plan, &a, &b).unwrap();
    let workload = &found["workloads"][0];
    assert_eq!(workload["decision"], "slower");
    assert_eq!(
        workload["sentence"].as_str().unwrap(),
        fathom_report::compare_text::sentence(&expected.workloads[0])
    );
    let ratio = &workload["metrics"][0]["ratio"];
    assert_eq!(ratio["ratio"], expected.workloads[0].metrics[0].comparison.ratio.unwrap().ratio);
    assert!(found["failures"][0].as_str().unwrap().contains("different times"), "{found}");
    assert_eq!(workload["table"]["headings"][0], "metric");

    let pair = ask(&mut shelf, "compare", "a=r-0&b=r-6");
    assert_eq!(pair["workloads"][0]["decision"], "inconclusive", "one run a side shows nothing: {pair}");
    assert_eq!(pair["command"], "fathom compare r-0 r-6");
    let path = shelf.paths().next().unwrap().to_owned();
    assert!(Store::open(&path).unwrap().campaigns().unwrap().is_empty(), "nothing is saved");
    for (query, status) in [
        ("a=r-0", 400),
        ("a=&b=r-1", 400),
        ("a=r-0&b=r-0", 400),
        ("a=r-0,r-1&b=r-1", 400),
        ("a=r-0&b=none", 404),
    ] {
        assert_eq!(refused(&mut shelf, "compare", query).status, status, "{query}");
    }
    let many = vec!["r-0"; 40].join(",");
    assert_eq!(refused(&mut shelf, "compare", &format!("a={many}&b=r-1")).status, 400);
}

#[test]
fn a_store_of_an_earlier_version_is_served_and_again_when_it_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/golden/store-1.sqlite");
    std::fs::copy(golden, &path).unwrap();
    let mut shelf = Shelf::of(vec![path.clone()]);
    let all = ask(&mut shelf, "runs", "");
    assert_eq!((&all["total"], &all["columns"]["tags"]), (&Value::from(3), &serde_json::json!([[], [], []])));
    let id = all["columns"]["id"][0].as_str().unwrap().to_owned();
    for path in [format!("runs/{id}"), format!("runs/{id}/said"), "campaigns".to_owned()] {
        ask(&mut shelf, &path, "");
    }
    let target = all["words"]["target"][0].as_str().unwrap().to_owned();
    assert_eq!(ask(&mut shelf, "trend", &format!("target={target}"))["format"], "fathom.trend");
    assert_eq!(ask(&mut shelf, "runs", "q=tag:x")["total"], 0);

    let writer = Store::open(&path).unwrap();
    writer.label(&writer.resolve(&id).unwrap(), &["new".to_owned()], "2026-11-26T04:00:00Z").unwrap();
    drop(writer);
    assert_eq!(ask(&mut shelf, "runs", "q=tag:new")["total"], 1);
}

#[test]
fn campaigns_are_listed_and_one_that_has_nothing_yet_says_so() {
    let (_folder, mut shelf) = shelf(&[record(1, 2, 20)]);
    let path = shelf.paths().next().unwrap().to_owned();
    let store = Store::open(&path).unwrap();
    let new = fathom_store::NewCampaign {
        id: "a-1",
        key: "k",
        target: "/dev/x",
        started_at: "2026-11-26T04:00:00Z",
        plan_json: "{}",
    };
    let _held = store.begin_campaign(&new).unwrap();
    let list = ask(&mut shelf, "campaigns", "");
    assert_eq!((&list["total"], &list["campaigns"][0]["state"]), (&Value::from(1), &"unfinished".into()));
    let one = ask(&mut shelf, "campaigns/a-1", "");
    assert_eq!((&one["kind"], &one["assessment"], &one["runs"]), (&Value::Null, &Value::Null, &0.into()));
    assert_eq!(refused(&mut shelf, "campaigns/none", "").status, 404);
}

/// A sweep and an explanation that keep no command, as older builds saved them.
fn older_campaigns(run: &RunRecord) -> [CampaignRecord; 2] {
    let explained = fathom_campaign::explain_finished(&run.id, std::slice::from_ref(run), &[]);
    let axis = SweepAxis { key: "depth".to_owned(), values: vec!["1".to_owned(), "2".to_owned()] };
    let swept = SweepRecord {
        format: CampaignRecord::FORMAT.to_owned(),
        version: CampaignRecord::VERSION,
        id: "s-1".to_owned(),
        started_at: run.started_at.clone(),
        finished_at: None,
        tool: run.tool.clone(),
        targets: vec![run.target.clone()],
        environment: run.environment.clone(),
        plan: SweepPlan {
            base: serde_json::json!({ "target": ["/data/x"], "time": "1s" }),
            axes: vec![axis],
            passes: 3,
            until_share: None,
            adaptive: false,
            seed: 7,
        },
        command: None,
        cells: Vec::new(),
        busy_seconds: 9.0,
        notes: Vec::new(),
    };
    [swept.into(), explained.into()]
}

#[test]
fn an_older_record_has_the_command_that_its_report_has() {
    let run = include_bytes!("../../../../fuzz/seeds/record/run.json");
    let run = fathom_record::parse_run(run).unwrap();
    assert_eq!(run.command, None);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let found = ask(&mut shelf, &format!("runs/{}", run.id), "");
    assert_eq!(found["command"], fathom_plan::run_line(&run).unwrap());
    let store = Store::open(shelf.paths().next().unwrap()).unwrap();
    for record in older_campaigns(&run) {
        let new = fathom_store::NewCampaign {
            id: record.id(),
            key: record.id(),
            target: "/data/x",
            started_at: "2026-11-26T04:00:00Z",
            plan_json: "{}",
        };
        let begun = store.begin_campaign(&new).unwrap();
        store.save_campaign_progress(&begun, &record).unwrap();
        let found = ask(&mut shelf, &format!("campaigns/{}", record.id()), "");
        let line = fathom_plan::campaign_line(&record).unwrap();
        assert!(line.starts_with("fathom "), "{line}");
        assert_eq!(found["command"], line);
        // In the first version each kind had its own.
        assert_eq!((&found["format"], &found["version"]), (&"fathom.page.campaign".into(), &2.into()));
        assert!(["assessment", "sweep"].iter().all(|kind| found[*kind].get("command").is_none()), "{found}");
    }
}
