//! `fathom import` and `fathom audit`: folders, the same files again, what is refused, and how they end.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A result of fio 3 with this many reads of 4 KiB in a second; `iops` as it is stated.
fn fio_json(reads: u64, iops: u64) -> String {
    let bytes = reads * 4096;
    format!(
        r#"{{"fio version":"fio-3.33","timestamp":1700000000,"jobs":[{{"jobname":"j{reads}","groupid":0,"error":0,"elapsed":1,
        "job options":{{"rw":"randread","bs":"4k","iodepth":"1"}},
        "read":{{"io_bytes":{bytes},"io_kbytes":{kib},"bw_bytes":{bytes},"bw":{kib},"iops":{iops}.0,"runtime":1000,
        "total_ios":{reads},"short_ios":0,"drop_ios":0,
        "lat_ns":{{"min":1000,"max":9000,"mean":2000.0,"stddev":10.0,"N":{reads}}}}}}}]}}"#,
        kib = bytes / 1024
    )
}

/// Runs the program on a store of the folder's own; what it printed, what it said, and its exit status.
fn fathom(folder: &Path, words: &[&str]) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .arg("--store")
        .arg(folder.join("runs.sqlite"))
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

fn runs(folder: &Path) -> usize {
    let (printed, said, _) = fathom(folder, &["runs", "--json", "--limit", "1000"]);
    let document: Value =
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed} {said}"));
    document["runs"].as_array().unwrap_or_else(|| panic!("{document}")).len()
}

#[test]
fn a_folder_is_taken_in_once_with_what_was_skipped_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results/deeper");
    fs::create_dir_all(&results).unwrap();
    for reads in 100..110 {
        fs::write(results.join(format!("{reads}.json")), fio_json(reads, reads)).unwrap();
    }
    fs::write(results.join("notes.md"), "nothing to see here\n").unwrap();
    fs::write(results.join("again.json"), fio_json(100, 100)).unwrap();
    let (printed, said, status) = fathom(folder.path(), &["import", "results"]);
    assert_eq!(runs(folder.path()), 10, "{printed}{said}");
    assert!(printed.contains("notes.md"), "{printed}");
    // The same again adds nothing and says so; what is new is taken.
    fs::write(results.join("later.json"), fio_json(200, 200)).unwrap();
    let (again, said, second) = fathom(folder.path(), &["import", "results"]);
    assert_eq!(runs(folder.path()), 11, "{again}{said}");
    assert_eq!(second, status, "{again}{said}");
    // A file that is named and cannot be read is an error of the command.
    let (printed, said, status) = fathom(folder.path(), &["import", "nowhere.json"]);
    assert_eq!((printed.as_str(), status), ("", Some(2)), "{said}");
    assert!(said.contains("nowhere.json"), "{said}");
    let (_, said, status) = fathom(folder.path(), &["import", "--as", "fio-jsno", "results"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("fio-json"), "{said}");
}

#[test]
fn an_import_that_is_killed_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results");
    fs::create_dir(&results).unwrap();
    for reads in 1000..1300 {
        fs::write(results.join(format!("{reads}.json")), fio_json(reads, reads)).unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .arg("--store")
        .arg(folder.path().join("runs.sqlite"))
        .args(["import", "results"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // As soon as any run is kept. It may have ended by then, which the rest holds for too.
    let is_any_kept = || fathom(folder.path(), &["runs", "--json", "-n", "1"]).0.contains("\"id\"");
    while child.try_wait().unwrap().is_none() && !is_any_kept() {}
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    child.wait().unwrap();
    let (printed, said, status) = fathom(folder.path(), &["import", "results"]);
    assert_eq!(status, Some(0), "{printed}{said}");
    assert_eq!(runs(folder.path()), 300);
}

#[test]
fn an_audit_ends_with_what_contradicts_itself() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("right.json"), fio_json(400_000, 400_000)).unwrap();
    fs::write(folder.path().join("wrong.json"), fio_json(400_000, 900_000)).unwrap();
    let (printed, said, _) = fathom(folder.path(), &["audit", "wrong.json", "--json"]);
    let document: Value =
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}{said}"));
    assert_eq!(document["format"], "fathom.audit");
    let (printed, said, status) = fathom(folder.path(), &["audit", "right.json", "wrong.json"]);
    assert_eq!(status, Some(1), "{printed}{said}");
    let (printed, said, status) = fathom(folder.path(), &["audit", "no-such-file-or-run"]);
    assert_eq!((printed.as_str(), status), ("", Some(2)), "{said}");
    fs::write(folder.path().join("empty"), "").unwrap();
    let (_, said, status) = fathom(folder.path(), &["audit", "empty"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("empty"), "{said}");
}

#[test]
fn series_are_said_to_be_series_and_demand_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let log = "500, 90000, 1, 0, 0, 0x0000\n1000, 110000, 1, 0, 0, 0x0000\n";
    fs::write(folder.path().join("x_clat.1.log"), log).unwrap();
    let (printed, said, status) = fathom(folder.path(), &["import", "x_clat.1.log"]);
    assert_eq!(status, Some(0), "{printed}{said}");
    let (shown, said, _) = fathom(folder.path(), &["show", "last"]);
    assert!(shown.contains("only series over time: 1 of fio") && shown.contains("fio.clat"), "{shown}{said}");
    assert!(!shown.contains("random") && !shown.contains("sees no"), "{shown}");
    let (audited, said, status) = fathom(folder.path(), &["audit", "x_clat.1.log"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(
        audited.contains("a log of means") && audited.contains("fio.clat of write, 2 values"),
        "{audited}"
    );
    for subject in ["x_clat.1.log", "last"] {
        let (printed, said, status) = fathom(folder.path(), &["explain", subject]);
        assert_eq!((printed.as_str(), status), ("", Some(2)), "{said}");
        assert!(said.contains("only series over time of fio"), "{said}");
    }
    let trace = "128166372003061629,hm,1,Read,383496192,32768,413736\n";
    fs::write(folder.path().join("trace.csv"), trace).unwrap();
    let (printed, _, _) = fathom(folder.path(), &["import", "trace.csv"]);
    assert!(printed.contains("fathom profile reads it"), "{printed}");
    fs::write(folder.path().join("a.json.gz"), b"\x1f\x8b\x08\0\x1b[2J").unwrap();
    for command in ["import", "audit", "explain", "profile"] {
        let (printed, said, status) = fathom(folder.path(), &[command, "a.json.gz"]);
        let told = format!("{printed}{said}");
        assert!(status != Some(0) && told.contains("gunzip --keep"), "{command}: {told}");
        assert!(!told.contains('\u{1b}'), "{command}: {told:?}");
    }
}

#[test]
fn wide_text_is_read_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let wide = |text: &str| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    fs::write(folder.path().join("wide.json"), wide(&fio_json(400_000, 400_000))).unwrap();
    let report = |reads: u32| {
        format!("Device r/s rkB/s w/s wkB/s\r\nsda {reads}.00 {}.00 0.00 0.00\r\n\r\n", reads * 4)
    };
    fs::write(folder.path().join("wide.txt"), wide(&[report(100), report(200), report(300)].concat()))
        .unwrap();
    for words in [
        ["import", "wide.json"],
        ["import", "wide.txt"],
        ["audit", "wide.json"],
        ["explain", "wide.json"],
        ["profile", "wide.txt"],
    ] {
        let (printed, said, status) = fathom(folder.path(), &words);
        assert_eq!(status, Some(0), "{words:?}: {printed}{said}");
    }
    assert_eq!(runs(folder.path()), 2);
}
