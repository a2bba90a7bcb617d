//! Changes as the page sends them, and what the store holds behind them.

use fathom_record::RunRecord;
use fathom_store::Store;
use serde_json::{Value, json};

use super::{Editor, edit};
use crate::answer::tests::{ask, record, shelf};
use crate::answer::{Answer, Refusal};
use crate::shelf::Shelf;

fn post(shelf: &mut Shelf, path: &str, body: &Value) -> Result<i64, Refusal> {
    let editor = Editor { author: Some("me <i>".to_owned()) };
    match edit(shelf, &editor, path, body.to_string().as_bytes())? {
        Answer::Json(bytes) => Ok(serde_json::from_slice::<Value>(&bytes).unwrap()["seq"].as_i64().unwrap()),
        Answer::Columns(_) => panic!("{path}"),
    }
}

fn seq(shelf: &mut Shelf) -> i64 {
    ask(shelf, "marks", "")["seq"].as_i64().unwrap()
}

#[test]
fn what_is_said_on_the_page_is_what_the_terminal_shows() {
    let records: Vec<RunRecord> = (1..=3).map(|number| record(number * 2, 2, 50)).collect();
    let (_folder, mut shelf) = shelf(&records);
    let path = shelf.paths().next().unwrap().to_owned();
    let id = records[1].id.clone();
    let mut at = seq(&mut shelf);
    let mut change = |path: &str, body: Value| {
        let mut body = body;
        body["seq"] = at.into();
        at = post(&mut shelf, path, &body).unwrap();
    };
    change("labels", json!({ "object": id, "words": ["weekly", "<b>"] }));
    change("labels", json!({ "object": id, "words": ["<b>"], "remove": true }));
    change("notes", json!({ "object": id, "text": "  <script>alert(1)</script> " }));
    change("notes", json!({ "object": id, "text": "wrong" }));
    change("notes", json!({ "object": id, "remove": 2 }));
    change("baselines", json!({ "run": id }));
    change(
        "marks",
        json!({ "title": "kernel 6.14", "from": "2026-11-03T09:00:00+01:00", "target": "/dev/x" }),
    );
    change("marks", json!({ "title": "move", "until": "2030-01-01T00:00:00Z" }));
    change("marks", json!({ "remove": 2 }));

    let store = Store::open_read_only(&path).unwrap();
    let what = store.resolve(&id).unwrap();
    assert_eq!(store.labels().unwrap().runs[&id], ["weekly"]);
    let notes = store.notes(&what).unwrap();
    assert_eq!((notes.len(), notes[0].text.as_str()), (1, "<script>alert(1)</script>"));
    assert_eq!(notes[0].author.as_deref(), Some("me <i>"));
    assert_eq!(store.baselines().unwrap()[0].run, id);
    let marks = store.marks(None).unwrap();
    assert_eq!((marks.len(), marks[0].text.from_at.as_str()), (1, "2026-11-03T08:00:00Z"));

    let said = ask(&mut shelf, &format!("runs/{id}/said"), "");
    assert_eq!((&said["notes"][0]["number"], &said["seq"]), (&1.into(), &at.into()));
    assert_eq!(ask(&mut shelf, "marks", "target=/dev/y")["marks"], json!([]));
    assert_eq!(ask(&mut shelf, "marks", "target=/dev/x")["marks"][0]["title"], "kernel 6.14");
    let gone = json!({ "seq": at, "run": id, "remove": true });
    post(&mut shelf, "baselines", &gone).unwrap();
    assert!(store.baselines().unwrap().is_empty());
}

#[test]
fn a_change_of_level_is_acknowledged() {
    let mut records: Vec<RunRecord> = (1..=14).map(|number| record(number * 2, 2, 50)).collect();
    for (at, run) in records.iter_mut().enumerate() {
        run.id = format!("r-{at}");
        run.summary.directions[0].operations_per_s =
            if at < 7 { 1000.0 } else { 800.0 } + (at as f64 * 0.618).fract();
    }
    let (_folder, mut shelf) = shelf(&records);
    let at = seq(&mut shelf);
    let of = |run: &str| json!({ "seq": at, "target": "/dev/nvme0n1", "run": run, "because": "encrypted" });
    assert_eq!(post(&mut shelf, "findings", &of("r-6")).unwrap_err().status, 404);
    post(&mut shelf, "findings", &of("r-7")).unwrap();
    let trend = ask(&mut shelf, "trend", "target=/dev/nvme0n1");
    let seen = &trend["workloads"][0]["levels"][1]["change"]["acknowledged"];
    assert_eq!((&seen["text"], &seen["author"]), (&"encrypted".into(), &"me <i>".into()));
}

#[test]
fn what_makes_no_sense_changes_nothing() {
    let run = record(1, 2, 20);
    let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
    let at = seq(&mut shelf);
    let id = run.id.as_str();
    let long = "x".repeat(4097);
    for (path, body, status) in [
        ("labels", json!({ "object": id, "words": ["a"] }), 400),
        ("labels", json!({ "seq": at, "object": id, "words": [] }), 400),
        ("labels", json!({ "seq": at, "object": id, "words": ["two words"] }), 400),
        ("labels", json!({ "seq": at, "object": id, "words": vec!["a"; 33] }), 400),
        ("labels", json!({ "seq": at, "object": "last", "words": ["a"] }), 404),
        ("labels", json!({ "seq": at, "object": "none", "words": ["a"] }), 404),
        ("labels", json!({ "seq": at, "store": 1, "object": id, "words": ["a"] }), 404),
        ("labels", json!({ "seq": at, "object": id, "words": ["a"], "extra": 1 }), 400),
        ("labels", json!({ "seq": at + 1, "object": id, "words": ["a"] }), 409),
        ("notes", json!({ "seq": at, "object": id, "text": long }), 400),
        ("notes", json!({ "seq": at, "object": id, "text": "  " }), 400),
        ("notes", json!({ "seq": at, "object": id }), 400),
        ("notes", json!({ "seq": at, "object": id, "text": "a", "remove": 1 }), 400),
        ("notes", json!({ "seq": at, "object": id, "remove": 7 }), 404),
        ("baselines", json!({ "seq": at, "run": id, "remove": true }), 404),
        ("marks", json!({ "seq": at }), 400),
        ("marks", json!({ "seq": at, "title": "x".repeat(201) }), 400),
        ("marks", json!({ "seq": at, "title": "a", "from": "yesterday" }), 400),
        ("marks", json!({ "seq": at, "title": "a", "until": "2020-01-01T00:00:00Z" }), 400),
        ("marks", json!({ "seq": at, "remove": 1 }), 404),
        ("findings", json!({ "seq": at, "target": "x", "run": id, "because": "" }), 400),
        ("findings", json!({ "seq": at, "target": "x", "run": id, "because": "a", "metric": "max" }), 400),
        ("findings", json!({ "seq": at, "target": "x", "run": id, "because": "a", "least": 2.0 }), 400),
        ("runs", json!({ "seq": at }), 404),
    ] {
        let refusal = post(&mut shelf, path, &body).unwrap_err();
        assert_eq!(refusal.status, status, "{path} {body}: {refusal:?}");
    }
    assert_eq!(edit(&mut shelf, &Editor::default(), "marks", b"not json").unwrap_err().status, 400);
    assert_eq!(seq(&mut shelf), at);
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.sqlite");
    let mut shelf = Shelf::of(vec![path.clone()]);
    let refusal = post(&mut shelf, "marks", &json!({ "seq": 0, "title": "a" })).unwrap_err();
    assert_eq!(refusal.status, 404);
    assert!(!path.exists());
}
