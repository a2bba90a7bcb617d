//! `fathom size`, as it is typed.

use std::fmt::Write;

use crate::typed::Typist;

/// An hour of writes at one rate and size.
fn table(iops: u64, bytes: u64) -> String {
    let mut text = "time,read_iops,write_iops,read_bytes_per_s,write_bytes_per_s\n".to_owned();
    for second in 0..3600 {
        writeln!(text, "{},0,{iops},0,{}", 1_700_000_000 + second, iops * bytes).unwrap();
    }
    text
}

#[test]
fn the_cheapest_volume_is_named_with_its_price_and_what_it_saves() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), table(10_000, 51_200)).unwrap();
    std::fs::write(
        typist.path("prices.csv"),
        "provider,region,type,component,tier_from,price\nown,here,gp3,capacity,,0.08\nown,here,gp3,iops,3001,0.005\nown,here,gp3,throughput,126,0.06\n",
    )
    .unwrap();
    let asked = [
        "size",
        "demand.csv",
        "--size",
        "1000GiB",
        "--region",
        "here",
        "--prices",
        "prices.csv",
        "--margin",
        "1",
    ];
    let more = ["--current", "gp3:iops=80000,throughput=2000", "--nodes", "4", "--json"];
    let record = typist.json(&[asked.as_slice(), more.as_slice()].concat());
    // 512 MB/s are 488.3 MiB/s: the next step of 5 is 490. I/Os of 50 KiB on average may count 11,934.
    assert_eq!(record["choice"]["words"], "gp3, 1000 GiB, 12000 IOPS, 490 MiB/s");
    assert_eq!(record["choice"]["month"], 146.9);
    assert_eq!(record["current"]["offer"]["month_all_nodes"], 2310.0);
    assert_eq!(record["current"]["saves_month"], 2310.0 - 4.0 * 146.9);
    let needs = &record["requirement"];
    let bounds = (needs["operations_least_per_s"].as_u64(), needs["operations_per_s"].as_u64());
    assert!(matches!(bounds, (Some(9990..=10_000), Some(11_920..=11_934))), "{needs}");
    let answer = typist.run(&asked);
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(
        answer.stdout.contains("146.90 USD per month") && answer.stdout.contains("prices.csv"),
        "{answer:?}"
    );
}

#[test]
fn an_instance_that_binds_is_blamed_and_nothing_is_recommended() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), table(10_000, 131_072)).unwrap();
    let asked =
        ["size", "demand.csv", "--size", "1TiB", "--region", "eu-central-1", "--instance", "r5d.4xlarge"];
    let answer = typist.run(&asked);
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stdout.contains("The limit is r5d.4xlarge"), "{answer:?}");
}

#[test]
fn what_is_not_known_is_refused_with_what_to_type() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), table(10, 4096)).unwrap();
    std::fs::write(typist.path("empty.csv"), "time,read_iops,write_iops,read_bytes,write_bytes\n").unwrap();
    for (words, told) in [
        (["demand.csv", "--region", "mars"].as_slice(), "--prices"),
        (&["demand.csv", "--region", "us-east-1", "--instance", "r5d.5xlarge"], "r5d.4xlarge"),
        (&["demand.csv", "--region", "us-east-1", "--current", "gp9"], "gp3:iops="),
        (&["demand.csv", "--region", "us-east-1", "--late", "nine"], "0.1%"),
        (&["empty.csv", "--region", "us-east-1"], "no interval is in it"),
        (&["absent.csv", "--region", "us-east-1"], "absent.csv"),
    ] {
        let words = [["size", "--size", "1TiB"].as_slice(), words].concat();
        let answer = typist.run(&words);
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{answer:?}");
    }
}

#[test]
fn local_disks_residency_and_the_proof_stand_beside_the_choice() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), table(10_000, 4096)).unwrap();
    let asked =
        ["size", "demand.csv", "--size", "500GiB", "--region", "eu-central-1", "--instance", "r6i.4xlarge"];
    let more = ["--prove", "/mnt/new/file", "--report", "size.html", "--json"];
    let record = typist.json(&[asked.as_slice(), more.as_slice()].concat());
    assert_eq!((&record["version"], &record["local"]["holds"]), (&2.into(), &true.into()));
    assert!(record["local"]["extra_month"].as_f64().unwrap() >= 0.0, "{record}");
    // 500 GiB do not fit into 128 GiB, and all is written.
    assert_eq!(record["residency"]["advice"], "probably_suits");
    let commands = record["proof"]["commands"].as_array().unwrap();
    assert_eq!(commands[0], "fathom profile demand.csv --json=profile.json");
    assert!(
        commands[1].as_str().unwrap().contains("--like profile.json --scale 1.3 --target /mnt/new/file"),
        "{commands:?}"
    );
    // At 13,000 I/Os a second the instance's baseline of 20,000 is not left, so that no credits are spent.
    assert_eq!(record["proof"]["time_s"], 1800);
    let page = std::fs::read_to_string(typist.path("size.html")).unwrap();
    assert!(page.contains("The demand and what the choice sustains") && page.contains("Cost against margin"));
    let large = typist.json(&[asked.as_slice(), &["--memory", "1TiB", "--json"]].concat());
    assert_eq!(large["residency"]["advice"], "suits");
    assert_eq!(large["proof"], serde_json::Value::Null);
}

/// Half an hour of a simulated volume takes a few seconds.
#[test]
fn a_proof_is_run_and_judged() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), table(200, 4096)).unwrap();
    let asked =
        ["size", "demand.csv", "--size", "100GiB", "--region", "eu-central-1", "--json=size.json", "--prove"];
    let proved = typist.run(&[asked.as_slice(), &["sim:gp3,size=100GiB", "--run"]].concat());
    assert_eq!(proved.status, 0, "{proved:?}");
    assert!(
        proved.stderr.contains("$ fathom run --like profile.json") && proved.stderr.contains("\nPROVED"),
        "{proved:?}"
    );
    // 200 I/Os a second times 1.3 are more than 100.
    let slow = typist.run(&[asked.as_slice(), &["sim:gp3,size=100GiB,iops=100", "--run=full"]].concat());
    assert_eq!(slow.status, 1, "{slow:?}");
    assert!(slow.stderr.contains("NOT PROVED: I/Os against the demand times 1.3 -6"), "{slow:?}");
    let mixed = typist.run(&[&asked[..6], &["--prove", "sim:gp3", "--run", "--json"]].concat());
    assert_eq!(mixed.status, 2, "{mixed:?}");
    let idle = typist.run(&[&asked[..6], &["--run"]].concat());
    assert!(idle.status == 2 && idle.stderr.contains("--prove"), "{idle:?}");
}

/// 9 random I/Os a second: what a cold disk costs least for.
#[test]
fn types_are_left_out_by_name_latency_and_boot_and_the_reasons_are_told() {
    let typist = Typist::new();
    std::fs::write(typist.path("oltp.csv"), table(9, 4096)).unwrap();
    let asked = ["size", "oltp.csv", "--size", "500GiB", "--region", "us-east-1", "--json"];
    let record = |more: &[&str]| typist.json(&[asked.as_slice(), more].concat());
    let bought = |more: &[&str]| record(more)["choice"]["volume"].as_str().unwrap().to_owned();
    assert_eq!(bought(&[]), "gp3");
    assert_eq!(bought(&["--types", "gp3,sc1"]), "sc1");
    assert_eq!(bought(&["--latency", "2ms"]), "io2");
    assert_eq!(bought(&["--types", "gp2,sc1", "--boot"]), "gp2");
    let usual = record(&[]);
    let left_out: Vec<&str> =
        usual["left_out"].as_array().unwrap().iter().map(|left| left["volume"].as_str().unwrap()).collect();
    assert_eq!(left_out, ["st1", "sc1"]);
    let notes = |record: &serde_json::Value| record["notes"].to_string();
    assert!(notes(&usual).contains("Not considered: st1, sc1 (a disk with seek times"), "{usual}");
    assert!(notes(&usual).contains("Prices are old"), "{usual}");
    let decimal = typist.json(&["size", "oltp.csv", "--size", "1TB", "--region", "us-east-1", "--json"]);
    assert!(notes(&decimal).contains("1TB is 931.3 GiB, so that 932 GiB are billed"), "{decimal}");
    assert!(!notes(&usual).contains("billed"), "{usual}");
    for (more, told) in [
        (["--types", "gp9"].as_slice(), "gp3,gp2,io1,io2,st1,sc1"),
        (&["--latency", "1us"], "no type is left"),
        (&["--types", "st1", "--boot"], "no machine boots from it"),
        (&["--region", "us (example region)"], "no prices of us (example region)"),
    ] {
        let words = [&asked[..4], if more[0] == "--region" { &[] } else { &asked[4..6] }, more].concat();
        let answer = typist.run(&words);
        // Whatever the width that it is folded to.
        let stderr = answer.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(answer.status == 2 && stderr.contains(told), "{answer:?}");
        assert!(!stderr.contains("us (example region),"), "{answer:?}");
    }
}

/// A trace says how large each I/O is, and a profile of it keeps that.
#[test]
fn a_trace_and_its_profile_count_each_io_by_itself() {
    let typist = Typist::new();
    let mut trace = "time,op,offset,bytes\n".to_owned();
    for io in 0..40_000u64 {
        let offset = (io.wrapping_mul(0x9e37_79b9) % 9973) << 21;
        writeln!(trace, "{:.6},R,{offset},393216", io as f64 / 4000.0).unwrap();
    }
    std::fs::write(typist.path("trace.csv"), trace).unwrap();
    let asked = |from: &str| {
        let words = ["size", from, "--size", "1000GiB", "--region", "us-east-1", "--margin", "1", "--json"];
        typist.json(&words)["choice"]["iops"].clone()
    };
    // Ten seconds of 8,000 may take eleven.
    assert_eq!(asked("trace.csv"), 7300);
    assert_eq!(typist.run(&["profile", "trace.csv", "--json=profile.json"]).status, 0);
    assert_eq!(asked("profile.json"), 7300);
}

#[test]
fn what_is_no_text_is_not_read_to_its_end() {
    let typist = Typist::new();
    let disk = std::fs::File::create(typist.path("disk")).unwrap();
    disk.set_len(3 << 30).unwrap();
    for command in ["size disk --size 1GiB --region us-east-1", "profile disk", "audit disk"] {
        let typed = format!("ulimit -v 2000000; exec {} {command}", env!("CARGO_BIN_EXE_fathom"));
        let output = std::process::Command::new("sh")
            .args(["-c", &typed])
            .current_dir(typist.folder())
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1..=3)), "{command}: {:?}: {said}", output.status);
        assert!(said.contains("binary") || said.contains("not text"), "{command}: {said}");
    }
}
