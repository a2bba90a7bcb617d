//! `fathom size --fleet`, as it is typed.

use std::fmt::Write;

use serde_json::Value;

use crate::typed::Typist;

const HEADER: &str = "volume,time,reads,writes,read_bytes,write_bytes,size,current\n";
const ASKED: [&str; 6] = ["size", "--fleet", "--region", "us-east-1", "--values", "per-row"];

/// Nine days of 5-minute counts of one volume; the last third grows by a factor.
fn volume(name: &str, iops: u64, growth: f64, current: &str) -> String {
    let mut text = String::new();
    for tick in 0..9 * 288u64 {
        let factor = if tick < 6 * 288 { 1.0 } else { growth };
        let noise =
            1.0 + (tick.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as f64 / f64::from(1u32 << 20) / 4.0;
        let count = (iops as f64 * 300.0 * factor * noise) as u64;
        writeln!(text, "{name},{},0,{count},0,{},100,{current}", 1_700_000_100 + tick * 300, count * 4096)
            .unwrap();
    }
    text
}

fn fleet() -> String {
    let mut text = HEADER.to_owned();
    for number in 0..40u64 {
        let growth = 1.0 + number as f64 / 100.0;
        text += &volume(&format!("vol-{number:02}"), 2000, growth, "\"gp3:iops=16000,throughput=500\"");
    }
    text += &volume("vol-small", 9000, 1.0, "\"gp3:iops=3000\"");
    text += "vol-idle,1700000100,0,0,0,0,100,\nvol-idle,1700000400,0,0,0,0,100,\n";
    text += "vol-bad,1700000100,0,-7,0,0,100,\nvol-bad,1700000400,0,1,0,4096,100,\n";
    text += "vol-odd,1700000100,0,1,0,4096,100,gp9\nvol-odd,1700000400,0,1,0,4096,100,gp9\n";
    text
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_volume_has_a_row_and_the_margin_is_the_fleet_s_own() {
    let typist = Typist::new();
    std::fs::write(typist.path("fleet.csv"), fleet()).unwrap();
    let more = ["fleet.csv", "--rows", "rows.jsonl", "--json"];
    let record = typist.json(&[ASKED.as_slice(), &more].concat());
    assert_eq!((&record["format"], &record["volumes"]), (&"fathom.fleet".into(), &44.into()));
    assert_eq!((&record["sized"], &record["terms"]["margin_volumes"]), (&41.into(), &41.into()));
    // Growths are 0 to 39 % and another 0: of 41 the 38th is exceeded by the next with 10 % chance.
    let margin = record["terms"]["margin"].as_f64().unwrap();
    assert!((1.34..1.40).contains(&margin), "{margin}");
    assert_eq!(record["terms"]["horizon_s"], 9 * 86_400 / 2);
    let rows = rows(&std::fs::read_to_string(typist.path("rows.jsonl")).unwrap());
    let named = |name: &str| rows.iter().find(|row| row["volume"] == name).unwrap();
    assert_eq!(
        (rows.len(), &rows[0]["volume"], &named("vol-00")["status"]),
        (44, &"vol-00".into(), &"sized".into())
    );
    assert!(rows.iter().all(|row| row["currency"] == "USD"));
    // 3,000 IOPS of gp3 are included: 16,000 and 500 MiB/s cost 65 and 15 USD above them.
    let saves = named("vol-00")["saves_month"].as_f64().unwrap();
    assert!((75.0..=80.0).contains(&saves), "{saves}");
    assert_eq!(record["top_savings"].as_array().unwrap().len(), 20);
    let small = named("vol-small");
    assert_eq!(
        (&small["current_holds"], &record["too_small"][0]["volume"]),
        (&false.into(), &small["volume"])
    );
    assert!(small["saves_month"].as_f64().unwrap() < 0.0);
    assert!(small["offer_risk"].as_f64().unwrap() <= 0.101 && small["current_risk"].as_f64().unwrap() > 0.9);
    for (name, why) in [("vol-idle", "no I/O"), ("vol-bad", "-7"), ("vol-odd", "gp9")] {
        assert!(named(name)["reason"].as_str().unwrap().contains(why), "{}", named(name));
    }
    let waste: f64 = rows.iter().filter_map(|row| row["saves_month"].as_f64()).filter(|s| *s > 0.0).sum();
    assert!((record["money"]["waste_month"].as_f64().unwrap() - waste).abs() < 1e-6);
}

#[test]
fn a_page_shows_who_wastes_and_how_volumes_are_spread() {
    let typist = Typist::new();
    std::fs::write(typist.path("fleet.csv"), fleet()).unwrap();
    let asked = |report: &str| {
        let more = ["fleet.csv", "--by", "type", "--report", report, "--json=fleet.json"];
        typist.run(&[ASKED.as_slice(), &more].concat())
    };
    let told = asked("fleet.html");
    assert_eq!(told.status, 0, "{told:?}");
    assert!(told.stderr.contains("report: fleet.html"), "{told:?}");
    let page = std::fs::read_to_string(typist.path("fleet.html")).unwrap();
    let record: Value = serde_json::from_slice(&std::fs::read(typist.path("fleet.json")).unwrap()).unwrap();
    let waste = format!("{:.2} USD per month wasted", record["money"]["waste_month"].as_f64().unwrap());
    for words in [
        waste.as_str(),
        "Wasted by type",
        "IOPS that volumes need",
        "below 1x: 1 volumes",
        "Totals by type",
        "Top savings",
        "vol-small",
        "Not judged",
        "no I/O was seen",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // The page's own is replaced, and what somebody else wrote is refused before anything is read.
    assert_eq!(asked("fleet.html").status, 0);
    std::fs::write(typist.path("notes.html"), "mine").unwrap();
    let refused = asked("notes.html");
    assert!(refused.status != 0 && refused.stderr.contains("notes.html"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(typist.path("notes.html")).unwrap(), "mine");
}

#[test]
fn rows_are_the_same_in_every_form_and_however_the_table_is_cut() {
    let typist = Typist::new();
    let text = fleet();
    std::fs::write(typist.path("fleet.csv"), &text).unwrap();
    let told = typist.run(&[ASKED.as_slice(), &["fleet.csv", "--rows", "rows.csv"]].concat());
    assert_eq!(told.status, 0, "{told:?}");
    assert!(told.stdout.contains("wasted") && told.stdout.contains("vol-small"), "{told:?}");
    // The same volumes in two files, cut between two of them.
    let cut = text.find("vol-20,").unwrap();
    std::fs::write(typist.path("a.csv"), &text[..cut]).unwrap();
    std::fs::write(typist.path("b.csv"), HEADER.to_owned() + &text[cut..]).unwrap();
    let more = ["a.csv", "b.csv", "--rows", "two.csv"];
    assert_eq!(typist.run(&[ASKED.as_slice(), &more].concat()).status, 0);
    // What is said of a bad row is its place in its file.
    let read = |name: &str| {
        let text = std::fs::read_to_string(typist.path(name)).unwrap();
        text.lines().filter(|line| !line.starts_with("vol-bad")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(read("rows.csv"), read("two.csv"));
    assert_eq!(read("rows.csv").len(), 44);
    let parquet = typist.run(&[ASKED.as_slice(), &["fleet.csv", "--rows", "rows.parquet"]].concat());
    assert_eq!(parquet.status, 0, "{parquet:?}");
    let bytes = std::fs::read(typist.path("rows.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn what_cannot_be_read_or_written_is_refused_with_what_to_type() {
    let typist = Typist::new();
    let one = |time: u64, name: &str| format!("{name},{time},1,1,4096,4096,100,\n");
    std::fs::write(typist.path("short.csv"), HEADER.to_owned() + &one(100, "a")).unwrap();
    std::fs::write(typist.path("plain.csv"), "time,reads,writes,read_bytes,write_bytes\n1,1,1,1,1\n")
        .unwrap();
    for (more, status, told) in [
        (["plain.csv"].as_slice(), 2, "volume="),
        (&["absent.csv"], 2, "absent.csv"),
        (&["/dev/null"], 2, "written to a file"),
        (&["short.csv", "--rows", "rows.txt"], 2, ".parquet"),
        (&["short.csv", "--rows", "short.csv"], 2, "--force"),
        (&["short.csv", "--rows", "short.csv", "--force"], 2, "is one of the"),
        (&["short.csv", "--margin", "1.2", "--risk", "5%"], 2, "--margin"),
        (&["short.csv"], 1, ""),
    ] {
        let answer = typist.run(&[ASKED.as_slice(), more].concat());
        assert_eq!(answer.status, status, "{more:?}: {answer:?}");
        assert!(answer.stderr.contains(told), "{answer:?}");
    }
    let answer = typist.run(&[ASKED.as_slice(), &["short.csv"]].concat());
    assert!(
        answer.stdout.contains("one point in time is in it") && answer.stdout.contains("uncalibrated"),
        "{answer:?}"
    );
}

/// A golden file of the importer's tests: three volumes, of which one has a row that makes no sense.
fn golden(name: &str) -> Vec<u8> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../rows/tests/fleets");
    std::fs::read(folder.join(name)).unwrap()
}

#[test]
fn parquet_is_judged_as_the_text_is_and_folders_are_walked() {
    let typist = Typist::new();
    std::fs::write(typist.path("fleet.csv"), golden("fleet.csv")).unwrap();
    std::fs::create_dir_all(typist.path("lake/part")).unwrap();
    for name in ["lake/part/0.parquet", "lake/_draft.parquet", "one.parquet"] {
        std::fs::write(typist.path(name), golden("pyarrow_snappy.parquet")).unwrap();
    }
    std::fs::write(typist.path("lake/_SUCCESS"), "").unwrap();
    let judged = |from: &str, rows: &str| {
        let answer = typist.run(&[ASKED.as_slice(), &[from, "--rows", rows]].concat());
        assert_eq!(answer.status, 0, "{from}: {answer:?}");
        let text = std::fs::read_to_string(typist.path(rows)).unwrap();
        text.lines().filter(|line| !line.starts_with("vol-c")).map(str::to_owned).collect::<Vec<_>>()
    };
    let wanted = judged("fleet.csv", "text.csv");
    assert_eq!(wanted.len(), 3, "{wanted:?}");
    assert!(wanted[1].starts_with("vol-a,sized"), "{wanted:?}");
    assert_eq!(judged("one.parquet", "one.csv"), wanted);
    assert_eq!(judged("lake", "lake.csv"), wanted);
    let bad = std::fs::read_to_string(typist.path("one.csv")).unwrap();
    assert!(bad.contains("row of 2026-11-01T00:07:00Z, reads below zero"), "{bad}");
    let profile =
        typist.json(&["profile", "one.parquet", "--device", "vol-a", "--values", "per-row", "--json"]);
    let from_text = typist.json(&[ASKED.as_slice(), &["fleet.csv", "--json"]].concat());
    assert_eq!((&profile["source"], &profile["demand"]["ticks_seen"]), (&"parquet".into(), &40.into()));
    assert_eq!(from_text["volumes"], 3);
}

#[test]
fn parquet_that_is_damaged_or_apart_is_refused_with_what_to_type() {
    let typist = Typist::new();
    let whole = golden("pyarrow_snappy.parquet");
    std::fs::write(typist.path("cut.parquet"), &whole[..whole.len() - 9]).unwrap();
    let mut torn = whole.clone();
    torn[200..1200].fill(0xa5);
    std::fs::write(typist.path("torn.parquet"), torn).unwrap();
    std::fs::write(typist.path("whole.parquet"), &whole).unwrap();
    std::fs::create_dir(typist.path("empty")).unwrap();
    for (more, told) in [
        (["cut.parquet"].as_slice(), "the footer"),
        (&["torn.parquet"], "row group 0"),
        (&["whole.parquet", "--columns", "reads=much"], "no column"),
        (&["empty"], "no .parquet or .csv"),
    ] {
        let answer = typist.run(&[ASKED.as_slice(), more].concat());
        assert_eq!(answer.status, 2, "{more:?}: {answer:?}");
        assert!(answer.stderr.contains(told) && !answer.stderr.contains("panicked"), "{answer:?}");
    }
    let many = typist.run(&["profile", "whole.parquet", "--values", "per-row"]);
    assert!(many.stderr.contains("vol-a, vol-b, vol-c"), "{many:?}");
    std::fs::write(typist.path("fleet.csv"), golden("fleet.csv")).unwrap();
    let mixed = typist.run(&["profile", "whole.parquet", "fleet.csv"]);
    assert!(mixed.stderr.contains("one kind"), "{mixed:?}");
}

/// Four counters of some disks, from one minute to another, as `query_range` answers.
fn dump(disks: &[(&str, &str, u64)], minutes: std::ops::Range<u64>) -> String {
    let counter = |instance: &str, device: &str, name: &str, grows: u64| {
        let points: Vec<String> = minutes
            .clone()
            .map(|minute| format!("[{},\"{}\"]", 1_793_491_200 + minute * 60, minute * grows))
            .collect();
        format!(
            "{{\"metric\":{{\"__name__\":\"node_disk_{name}_total\",\"device\":\"{device}\",\"instance\":\"{instance}\"}},\"values\":[{}]}}",
            points.join(",")
        )
    };
    let series = disks.iter().flat_map(|(instance, device, per_s)| {
        let of = |name: &str, each: u64| counter(instance, device, name, per_s * 60 * each);
        [
            of("reads_completed", 1),
            of("writes_completed", 2),
            of("read_bytes", 16384),
            of("written_bytes", 8192),
        ]
    });
    let series: Vec<String> = series.collect();
    format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}",
        series.join(",")
    )
}

#[test]
fn each_disk_of_prometheus_dumps_is_a_volume() {
    let typist = Typist::new();
    let disks = [("db1:9100", "sda", 100), ("db1:9100", "nvme0n1", 2000), ("db2:9100", "sda", 9000)];
    for (name, minutes) in [("day1.json", 0..300), ("day2.json", 300..600)] {
        std::fs::write(typist.path(name), dump(&disks, minutes)).unwrap();
    }
    let asked = ["size", "--fleet", "--region", "us-east-1", "--size", "100GiB", "day2.json", "day1.json"];
    let record = typist.json(&[asked.as_slice(), &["--rows", "rows.jsonl", "--json"]].concat());
    assert_eq!((&record["volumes"], &record["sized"]), (&3.into(), &3.into()));
    let rows = rows(&std::fs::read_to_string(typist.path("rows.jsonl")).unwrap());
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row["volume"].as_str().unwrap(), row["ticks_seen"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("db1:9100/nvme0n1", 599), ("db1:9100/sda", 599), ("db2:9100/sda", 599)]);
    // Three I/Os for each read: what is needed is what was there every second.
    for (row, iops) in [(0, 6000.0), (2, 27_000.0)] {
        let needs = rows[row]["needs_iops_least"].as_f64().unwrap();
        assert!((needs / iops - 1.0).abs() < 0.01, "{needs} of {iops}");
    }
    std::fs::write(
        typist.path("broken.json"),
        "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{",
    )
    .unwrap();
    let broken = typist.run(&[ASKED.as_slice(), &["broken.json"]].concat());
    assert!(broken.status == 2 && broken.stderr.contains("broken.json"), "{broken:?}");
}

#[test]
fn what_is_wrong_with_rows_is_told_of_each_volume_and_of_the_fleet() {
    let typist = Typist::new();
    let mut text = HEADER.to_owned();
    let mut lines = |name: &str, line: &dyn Fn(u64) -> String| {
        (0..40).for_each(|tick| text += &format!("{name},{}\n", line(tick)));
    };
    let usual = |tick: u64| format!("{},6000,6000,49152000,49152000,100,", 1_793_491_200 + tick * 60);
    lines("twice", &|tick| usual(tick / 2 * 2));
    lines("merged", &|tick| {
        usual(tick / 2).replace("6000,6000,49", &format!("6000,{},49", 100 * (tick + 1)))
    });
    lines("sectors", &|tick| usual(tick).replace("49152000", "96000"));
    lines("in-words", &|tick| usual(tick).replace(",100,", ",100GiB,"));
    lines("in-bytes", &|tick| usual(tick).replace(",100,", ",107374182400,"));
    lines("no-size", &|tick| usual(tick).replace(",100,", ",0,"));
    lines("", &usual);
    lines("gaps", &|tick| usual(tick + tick / 10));
    let instead = |at: u64, from: &'static str, to: &'static str| {
        move |tick: u64| if tick == at { usual(tick).replacen(from, to, 1) } else { usual(tick) }
    };
    lines("no-ios", &instead(7, ",6000,6000,", ",0,6000,"));
    lines("not-a-number", &instead(7, ",6000,6000,", ",NaN,6000,"));
    lines("absurd", &instead(7, ",6000,6000,49152000,", ",6000000000,6000,49152000000000,"));
    lines("resized", &|tick| usual(tick).replace(",100,", if tick < 20 { ",100," } else { ",200," }));
    lines("retyped", &|tick| usual(tick) + if tick < 20 { "gp2" } else { "gp3" });
    std::fs::write(typist.path("fleet.csv"), text).unwrap();
    let asked =
        [ASKED.as_slice(), &["fleet.csv", "--size", "1GiB", "--rows", "rows.jsonl", "--json"]].concat();
    let record = typist.json(&asked);
    let rows = rows(&std::fs::read_to_string(typist.path("rows.jsonl")).unwrap());
    for (name, status, told) in [
        ("twice", "sized", "20 rows repeated a time"),
        ("merged", "not_judged", "contradict each other"),
        ("sectors", "not_judged", "no disk has I/Os of such sizes"),
        ("in-words", "not_judged", "its size is not a number"),
        ("in-bytes", "not_judged", "a size that no volume has"),
        ("no-size", "not_judged", "a size that no volume has"),
        ("", "not_judged", "name no volume"),
        ("gaps", "sized", "3 of 43 ticks of 60 s are missing"),
        ("no-ios", "sized", "1 rows carry bytes and no I/Os"),
        ("not-a-number", "sized", "1 rows were left out, the first of them: a row makes no sense"),
        ("absurd", "not_judged", "odd rows ask for more than anything on offer"),
        ("resized", "sized", "the latest, 200 GiB, was taken"),
        ("retyped", "sized", "the latest, gp3, were taken"),
    ] {
        let row = rows.iter().find(|row| row["volume"] == name).unwrap();
        let words = format!("{} {}", row["reason"], row["notes"]);
        assert!(row["status"] == status && words.contains(told), "{row}");
    }
    let notes = record["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().contains("twice: 20 rows repeated")), "{notes:?}");
}

#[test]
fn files_that_are_no_text_are_refused_with_how_to_make_them_one() {
    let typist = Typist::new();
    std::fs::write(typist.path("a.csv"), b"\x1f\x8b\x08\0").unwrap();
    std::fs::write(typist.path("b.csv"), b"\xff\xfev\0o\0l\0").unwrap();
    std::fs::write(typist.path("c.tsv"), HEADER.replace(',', "\t")).unwrap();
    for (name, told) in
        [("a.csv", "gunzip --keep a.csv"), ("b.csv", "iconv -f UTF-16"), ("c.tsv", "divided by tabs")]
    {
        let answer = typist.run(&[ASKED.as_slice(), &[name]].concat());
        assert!(answer.status == 2 && answer.stderr.contains(told), "{name}: {answer:?}");
    }
}
