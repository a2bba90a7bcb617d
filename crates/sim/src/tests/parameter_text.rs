//! What people type, and what they are told.

use proptest::prelude::*;

use super::parameters;
use crate::{describe, describe_keys, parse};

#[test]
fn keys_change_a_preset() {
    let p = parameters("sim:gp3, iops=6000, throughput=250MB/s, noise=1%, servers=16, tags=none");
    assert_eq!(p.operations.unwrap().operations_per_s, 6000);
    assert_eq!(p.throughput.unwrap().bytes_per_s, 250_000_000);
    assert_eq!((p.noise.unwrap().deviation_share, p.servers, p.tags), (0.01, 16, None));
    let p = parameters("gp2,size=1000GiB");
    assert_eq!(p.operations.unwrap().operations_per_s, 3000);
    assert_eq!(p.operations.unwrap().peak_operations_per_s, None, "no burst from 1,000 GiB on");
    let p = parameters("gp2,iops-balance=0,iops-bucket=1M");
    let limit = p.operations.unwrap();
    assert_eq!((limit.bucket_operations, limit.balance_operations), (1_000_000, 0), "in any order");
    let p = parameters("st1,size=12.5TiB");
    assert_eq!(p.throughput.unwrap().bytes_per_s, 500 << 20);
    let p = parameters("qlc,cache=none,iu=none,link=none,stall-every=10s,stall-length=100ms");
    assert_eq!((p.write_cache, p.indirection_unit_bytes, p.link), (None, None, None));
    assert_eq!(p.stalls.unwrap().length_ns, 100_000_000);
}

#[test]
fn every_preset_and_every_example_is_accepted() {
    for preset in describe() {
        parameters(preset.name);
        assert!(preset.summary.len() < 80, "{}: one line", preset.name);
    }
    // Keys that need another one beside them get it.
    let needs = [
        ("iops-", "iops=1000,"),
        ("throughput-", "throughput=1MB/s,"),
        ("instance-iops-", "instance-iops=1000,"),
        ("instance-throughput-", "instance-throughput=1MB/s,"),
        ("instance", "instance-iops=5,instance-throughput=1MB/s,"),
        ("round-trip", "link=1GB/s,"),
        ("cache-free", "cache=1MiB,drain=1MB/s,"),
        ("cache", "drain=1MB/s,"),
        ("drain", "cache=1MiB,"),
        ("amplification", "cache=1MiB,drain=1MB/s,"),
        ("stall-l", "stall-every=10s,"),
        ("stall-p", "stall-every=10s,"),
        ("stall-elapsed", "stall-every=10s,"),
        ("merge", "unit=4k,"),
    ];
    for key in describe_keys() {
        let companion = needs.iter().find(|(start, _)| key.name.starts_with(start)).map_or("", |need| need.1);
        let companion = if companion.starts_with(&format!("{}=", key.name)) { "" } else { companion };
        let companion = if key.name.starts_with("instance-iops") && key.name.len() > 13 {
            "instance-iops=1000,"
        } else if key.name.starts_with("instance-throughput") && key.name.len() > 19 {
            "instance-throughput=1MB/s,"
        } else if key.name.starts_with("instance-") {
            ""
        } else {
            companion
        };
        let text = format!("ideal,{companion}{}={}", key.name, key.example);
        assert_ne!(parameters(&text), parameters("ideal,seed=2"), "{text}");
    }
}

#[test]
fn mistakes_are_told_with_what_to_type() {
    for (text, told) in [
        ("", "use one of ideal,"),
        ("gp33", "did you mean sim:gp3?"),
        ("nmve", "unknown simulated device `nmve`"),
        ("gp3,iop=3", "did you mean iops="),
        ("gp3,colour=red", "use KEY=VALUE with one of size,"),
        ("gp3,iops", "`iops` is not KEY=VALUE"),
        ("gp3,iops=many", "`many` is not a rate"),
        ("gp3,iops=0.2", "write 1 or more"),
        ("gp3,iops=3,iops=4", "given twice"),
        ("gp3,size=x", "`x` is not a size"),
        ("gp3,size=100", "not a number of 512-byte blocks"),
        ("gp3,read=5", "a number with its unit"),
        ("gp3,noise=5", "a percentage with its sign"),
        ("gp3,read-shape=normal", "lognormal:0.3"),
        ("gp3,read-shape=lognormal:9", "0 to 5"),
        ("gp3,servers=0", "use servers=16"),
        ("ideal,iops-peak=5", "add the limit"),
        ("gp2,iops-peak=5", "below its sustained rate"),
        ("gp2,iops-balance=6M", "larger than its bucket"),
        ("ideal,drain=5MB/s", "add cache=64GiB"),
        ("ideal,stall-every=1s,stall-length=1s", "leaves no time to serve"),
        ("ideal,merge=yes", "write on or off"),
        ("ideal,merge=on", "add unit=256KiB"),
        ("ideal,instance=a", "limits nothing"),
        ("ideal,iu=3000", "power of two"),
        ("ideal,round-trip=5us", "add link=3GB/s"),
        ("gp3,\u{2013}iops=3", "did you mean iops="),
    ] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "(gp3|ideal|st1)?(,(size|iops|read|iu|noise|link|stall-every|throughput-bucket)=[0-9.kMGTbBsmu%/]{0,9}){0,4}|.{0,40}") {
        if let Ok(parameters) = parse(&text) {
            let mut device = crate::SimDevice::new(parameters).unwrap();
            let end = device.serve(1, 5, fathom_record::Direction::Write, 0, 4096);
            prop_assert!(end >= 5);
        }
    }
}
