//! `fathom profile`, as it is typed.

use std::fmt::Write;
use std::path::Path;

use crate::typed::Typist;

/// An hour of writes with a burst every ten minutes, held to 3,000 a second as a volume would.
fn throttled() -> String {
    let mut text = "time,reads,writes,read_bytes,write_bytes\n".to_owned();
    for second in 0..3600u64 {
        let wanted = if second % 600 < 60 { 9000 } else { 700 + second * 37 % 900 };
        let writes = wanted.min(3000);
        writeln!(text, "{},100,{writes},1638400,{}", 1_700_000_000 + second, writes * 16384).unwrap();
    }
    text
}

#[test]
fn a_profile_says_what_metrics_show_and_size_reads_it() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), throttled()).unwrap();
    let record = typist.json(&["profile", "demand.csv", "--values", "per-row", "--json"]);
    assert_eq!(record["format"], "fathom.profile");
    assert_eq!(record["demand"]["write"]["mean_bytes"], 16384.0);
    assert_eq!(record["start_unix_s"], 1_699_999_999);
    assert!(
        record["plateaus"].as_array().unwrap().iter().any(|plateau| plateau["of"] == "operations"),
        "{record}"
    );
    let hidden = &record["resolution"]["hidden"][3];
    assert_eq!(hidden["window_s"], 3600.0);
    let notes = record["notes"].to_string();
    assert!(notes.contains("supply there, not demand"), "{notes}");
    assert_eq!(typist.run(&["profile", "demand.csv", "--values", "per-row", "--json=p.json"]).status, 0);
    let size = ["size", "p.json", "--size", "500GiB", "--region", "us-east-1", "--json"];
    let sized = typist.json(&size);
    let direct =
        ["size", "demand.csv", "--values", "per-row", "--size", "500GiB", "--region", "us-east-1", "--json"];
    assert_eq!(sized["choice"], typist.json(&direct)["choice"]);
    assert!(sized["notes"].to_string().contains("supply there"), "{sized}");
}

#[test]
fn parts_of_one_demand_are_put_together_and_kinds_are_not_mixed() {
    let typist = Typist::new();
    let part = |from: u64| {
        let row = |i: u64| format!("{},1,2,4096,8192\n", 1_700_000_000 + from + i * 60);
        format!("time,r/s,w/s,read_bytes,write_bytes\n{}", (0..10).map(row).collect::<String>())
    };
    std::fs::write(typist.path("a.csv"), part(0)).unwrap();
    std::fs::write(typist.path("b.csv"), part(1200)).unwrap();
    std::fs::write(typist.path("trace.csv"), "3,R,0,4096,1577808000000626\n3,W,0,4096,1577808000000627\n")
        .unwrap();
    let record = typist.json(&["profile", "b.csv", "a.csv", "--json"]);
    assert_eq!((&record["demand"]["ticks"], &record["demand"]["ticks_seen"]), (&30.into(), &20.into()));
    let traced = typist.json(&["profile", "trace.csv", "--json"]);
    assert_eq!((&traced["source"], &traced["access"]["again_share"]), (&"Alibaba trace".into(), &0.5.into()));
    for (words, told) in [
        (["a.csv", "trace.csv"].as_slice(), "one kind at a time"),
        (&["absent.csv"], "absent.csv"),
        (&["a.csv", "--device", "sda"], "leave --device out"),
        (&["--live", "/dev/no-such"], "fathom devices"),
        (&["--live", "/dev/null", "--time", "1s"], "--time"),
    ] {
        let answer = typist.run(&[["profile"].as_slice(), words].concat());
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{answer:?}");
    }
}

/// Any disk of this machine will do: what it does in two seconds is counted, however little.
#[test]
fn a_device_of_this_machine_is_counted() {
    let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
    let mut names = text.lines().filter_map(|line| line.split_ascii_whitespace().nth(2));
    let Some(device) = names.find(|name| Path::new("/dev").join(name).exists()) else {
        fathom_skips::skipped("no block device is here");
        return;
    };
    let typist = Typist::new();
    let path = format!("/dev/{device}");
    let record = typist.json(&["profile", "--live", &path, "--time", "2s", "--json"]);
    assert_eq!((&record["source"], &record["device"]), (&"diskstats".into(), &device.into()));
    assert_eq!(record["demand"]["tick_s"], 1);
}

#[test]
fn profiles_and_sizings_have_schemas() {
    let typist = Typist::new();
    for (name, field) in [("profile", "operations_envelope"), ("sizing", "frontier")] {
        let schema = typist.json(&["schema", name]);
        assert!(schema["properties"][field].is_object(), "{schema}");
    }
}
