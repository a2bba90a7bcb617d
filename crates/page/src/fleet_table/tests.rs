//! Rows as `fathom size --fleet` writes them, and files that are something else.

use std::path::{Path, PathBuf};

use fathom_export::PricedRow;
use fathom_export::row_writer::{RowForm, RowWriter};
use fathom_record::fleet_record::{FleetRow, FleetStatus};
use serde_json::Value;
use tempfile::TempDir;

use super::admit;
use crate::answer::answer;
use crate::answer::tests::{ask, columns};
use crate::shelf::Shelf;

fn volume(name: &str, saves: Option<f64>) -> FleetRow {
    FleetRow {
        volume: name.to_owned(),
        group: None,
        status: FleetStatus::Sized,
        reason: String::new(),
        tick_s: Some(60),
        ticks: Some(100),
        ticks_seen: Some(99),
        needs_iops: Some(500),
        needs_iops_least: None,
        rests_on: Some("usual level".to_owned()),
        needs_bytes_per_s: Some(1 << 20),
        plateau_share: Some(0.1),
        offer: Some("gp3 100 GiB".to_owned()),
        offer_type: Some("gp3".to_owned()),
        offer_members: Some(1),
        offer_size_gib: Some(100),
        offer_iops: Some(3000),
        offer_bytes_per_s: Some(125_000_000),
        offer_month: Some(8.0),
        offer_headroom: Some(2.5),
        offer_risk: Some(0.02),
        current: saves.map(|_| "io2".to_owned()),
        current_month: saves.map(|saves| 8.0 + saves),
        current_holds: saves.map(|saves| saves >= 0.0),
        current_headroom: Some(1.5),
        current_risk: Some(0.25),
        saves_month: saves,
        notes: Vec::new(),
    }
}

fn fleet() -> Vec<FleetRow> {
    let mut odd = volume("vol-B", Some(f64::NAN));
    odd.offer_risk = Some(7.0);
    let unjudged = FleetRow {
        status: FleetStatus::NotJudged,
        reason: "too few ticks: 3".to_owned(),
        offer: None,
        offer_month: None,
        offer_risk: None,
        ..volume("a\nb", None)
    };
    vec![
        volume("vol-b", Some(20.0)),
        odd,
        volume("Äpfel", Some(-5.0)),
        unjudged,
        volume("vol-a", Some(100.0)),
    ]
}

fn written(folder: &Path, rows: &[FleetRow]) -> PathBuf {
    let path = folder.join("verdicts.parquet");
    let mut bytes = Vec::new();
    let mut writer = RowWriter::begin::<FleetRow>(RowForm::Parquet, &mut bytes).unwrap();
    rows.iter().for_each(|row| writer.row(row).unwrap());
    writer.finish().unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}

fn served(rows: &[FleetRow]) -> (TempDir, PathBuf, Shelf) {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), rows);
    let shelf = Shelf::of(Vec::new()).with_fleets(vec![path.clone()]);
    (folder, path, shelf)
}

fn names(columns: &std::collections::BTreeMap<String, Vec<f64>>) -> Vec<String> {
    let letters: Vec<u8> = columns["volume"].iter().map(|letter| *letter as u8).collect();
    String::from_utf8(letters).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_fleet_adds_up_and_its_rows_are_in_order() {
    let (_folder, _path, mut shelf) = served(&fleet());
    let summary = ask(&mut shelf, "fleets/0", "");
    assert_eq!((&summary["volumes"], &summary["sized"]), (&5.into(), &4.into()));
    assert_eq!(
        (&summary["money"]["waste_month"], &summary["money"]["more_month"]),
        (&120.0.into(), &5.0.into())
    );
    assert_eq!(summary["not_judged"][0]["reason"], "too few ticks");
    assert_eq!(summary["risk"]["chosen_expected"], 0.06, "a risk of 7 is none");
    assert_eq!(summary["risk"]["current_failed"], 2);

    let (header, found) = columns(&mut shelf, "fleets/0/rows", "");
    assert_eq!(names(&found), ["a b", "vol-a", "vol-B", "vol-b", "Äpfel"]);
    assert_eq!((&header["of"], &header["next"]), (&5.into(), &Value::Null));
    assert_eq!(found["saves_month"][1..2], [100.0]);
    assert!(found["saves_month"][2].is_nan() && found["saves_month"][4] == -5.0);
    let offers = header["words"]["offer"].as_array().unwrap();
    assert_eq!((offers.len(), found["offer"][0]), (1, f64::from(u32::MAX)));

    let whole = ask(&mut shelf, "fleets/0/volumes/1", "");
    assert_eq!(
        (&whole["volume"]["volume"], &whole["volume"]["current_holds"]),
        (&"vol-a".into(), &true.into())
    );
    assert_eq!(whole["volume"]["ticks_seen"], 99);
}

#[test]
fn rows_are_sorted_searched_and_given_in_pieces() {
    let (_folder, _path, mut shelf) = served(&fleet());
    let mut rows = |query: &str| columns(&mut shelf, "fleets/0/rows", query);
    assert_eq!(names(&rows("sort=-saves_month").1), ["vol-a", "vol-b", "Äpfel", "a b", "vol-B"]);
    assert_eq!(names(&rows("sort=saves_month").1), ["Äpfel", "vol-b", "vol-a", "a b", "vol-B"]);
    assert_eq!(names(&rows("sort=-volume").1)[0], "Äpfel");
    assert_eq!(names(&rows("q=VOL-B").1), ["vol-B", "vol-b"]);
    assert_eq!(names(&rows("q=%C3%84PF").1), ["Äpfel"]);
    assert_eq!(rows("q=none").0["of"], 0);
    let (first, of_first) = rows("limit=3&columns=status");
    let next = first["next"].as_u64().unwrap();
    let (rest, of_rest) = rows(&format!("limit=3&columns=status&after={next}"));
    assert_eq!((next, &rest["next"], rest["width"].as_u64()), (3, &Value::Null, Some(2)));
    assert_eq!([names(&of_first), names(&of_rest)].concat().len(), 5);
    assert_eq!(of_rest.keys().collect::<Vec<_>>(), ["row", "status", "volume"]);
    for (path, status) in [
        ("fleets/1", 404),
        ("fleets/x/rows", 404),
        ("fleets/0/volumes/5", 404),
        ("fleets/0/volumes/-1", 404),
        ("fleets/0/volumes/0?stamp=other", 409),
        ("fleets/0/rows?sort=colour", 400),
        ("fleets/0/rows?columns=colour", 400),
        ("fleets/0/rows?limit=0", 400),
        ("fleets/0/rows?after=-1", 400),
    ] {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        assert_eq!(answer(&mut shelf, path, query).unwrap_err().status, status, "{path}?{query}");
    }
}

#[test]
fn amounts_have_the_file_s_currency_and_are_added_up_in_one_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.parquet");
    let served = |currencies: &[&str]| {
        let mut bytes = Vec::new();
        let mut writer = RowWriter::begin::<PricedRow<'_>>(RowForm::Parquet, &mut bytes).unwrap();
        for (row, currency) in fleet().iter().zip(currencies) {
            writer.row(&PricedRow { row, currency }).unwrap();
        }
        writer.finish().unwrap();
        std::fs::write(&path, bytes).unwrap();
        Shelf::of(Vec::new()).with_fleets(vec![path.clone()])
    };
    let mut shelf = served(&["CNY"; 5]);
    let summary = ask(&mut shelf, "fleets/0", "");
    assert_eq!((&summary["currency"], &summary["volumes"]), (&"CNY".into(), &5.into()));
    let (header, _) = columns(&mut shelf, "fleets/0/rows", "columns=currency");
    assert_eq!(header["words"]["currency"], serde_json::json!(["CNY"]));

    let refusal = answer(&mut served(&["USD", "CNY", "USD"]), "fleets/0", "").unwrap_err();
    let told = String::from_utf8(refusal.document()).unwrap();
    assert!(refusal.status == 422 && told.contains("CNY and in USD") && told.contains("duckdb"), "{told}");

    let (_folder, _path, mut shelf) = self::served(&fleet());
    assert_eq!(ask(&mut shelf, "fleets/0", "")["currency"], Value::Null, "a file that does not say");
}

#[test]
fn names_that_differ_in_case_are_two_volumes_and_a_search_finds_both() {
    let rows = ["vol-1", "VOL-1", "Vol-2"].map(|name| volume(name, Some(1.0)));
    let (_folder, _path, mut shelf) = served(&rows);
    let (header, found) = columns(&mut shelf, "fleets/0/rows", "q=vOL-1");
    assert_eq!((&header["of"], names(&found)), (&2.into(), vec!["VOL-1".to_owned(), "vol-1".to_owned()]));
}

#[test]
fn a_fleet_without_volumes_is_one() {
    let (_folder, _path, mut shelf) = served(&[]);
    assert_eq!(ask(&mut shelf, "fleets/0", "")["volumes"], 0);
    assert_eq!(columns(&mut shelf, "fleets/0/rows", "sort=-saves_month").0["of"], 0);
}

#[test]
fn another_file_under_the_name_is_read_and_one_that_is_none_is_said_to_be() {
    let (folder, path, mut shelf) = served(&fleet());
    let before = ask(&mut shelf, "fleets/0", "")["stamp"].clone();
    written(folder.path(), &[volume("only", Some(1.0))]);
    let summary = ask(&mut shelf, "fleets/0", "");
    assert!(summary["volumes"] == 1 && summary["stamp"] != before, "{summary}");

    let whole = std::fs::read(written(folder.path(), &fleet())).unwrap();
    let refused = |shelf: &mut Shelf| {
        let refusal = answer(shelf, "fleets/0", "").unwrap_err();
        serde_json::from_slice::<Value>(&refusal.document()).unwrap()
    };
    std::fs::write(&path, &whole[..whole.len() - 20]).unwrap();
    let told = refused(&mut shelf);
    assert!(told["place"].as_str().unwrap().contains("verdicts.parquet"), "{told}");
    assert!(told["remedy"].as_str().unwrap().contains("--rows"), "{told}");
    // Damage is refused, or changes a value: it neither ends the server nor hangs it.
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        std::fs::write(&path, &damaged).unwrap();
        let _ = answer(&mut shelf, "fleets/0", "");
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(refused(&mut shelf)["kind"], "not_found");
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(ask(&mut shelf, "fleets/0", "")["volumes"], 5);
}

#[test]
fn tables_of_something_else_are_refused_with_what_to_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demand.parquet");
    let demand = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rows/tests/fleets/duckdb.parquet");
    std::fs::copy(demand, &path).unwrap();
    let mut shelf = Shelf::of(Vec::new()).with_fleets(vec![path.clone()]);
    let refusal = answer(&mut shelf, "fleets/0", "").unwrap_err();
    let told = String::from_utf8(refusal.document()).unwrap();
    assert!(refusal.status == 422 && told.contains("no column") && told.contains("saves_month"), "{told}");
    let text = folder.path().join("verdicts.csv");
    std::fs::write(&text, "volume,status\n").unwrap();
    let error = admit(&text).unwrap_err();
    assert!(error.cause.contains("not Parquet") && error.remedy.contains("--rows"), "{error}");
    assert!(admit(&folder.path().join("none")).is_err() && admit(folder.path()).is_err());
    assert!(admit(&path).is_ok());
}
