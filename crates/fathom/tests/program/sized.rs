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
    // 512 MB/s are 488.3 MiB/s: the next step of 5 is 490.
    assert_eq!(record["choice"]["words"], "gp3, 1000 GiB, 10000 IOPS, 490 MiB/s");
    assert_eq!(record["choice"]["month"], 136.9);
    assert_eq!(record["current"]["offer"]["month_all_nodes"], 2310.0);
    assert_eq!(record["current"]["saves_month"], 2310.0 - 4.0 * 136.9);
    let answer = typist.run(&asked);
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(
        answer.stdout.contains("136.90 USD a month") && answer.stdout.contains("prices.csv"),
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
    assert!(answer.stdout.contains("It is r5d.4xlarge that binds"), "{answer:?}");
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
        (&["empty.csv", "--region", "us-east-1"], "fewer than two points"),
        (&["absent.csv", "--region", "us-east-1"], "absent.csv"),
    ] {
        let words = [["size", "--size", "1TiB"].as_slice(), words].concat();
        let answer = typist.run(&words);
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{answer:?}");
    }
}
