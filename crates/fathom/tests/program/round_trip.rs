//! The round trip on a real device: a load is profiled live, a run is made like the profile and profiled live
//! again, and both profiles agree. Needs the right to make a loop device; says so and passes without.

use std::process::Child;

use serde_json::Value;

use crate::looped::Loop;
use crate::typed::{Typist, until};

/// Begins to count, and waits until it does: its main thread sleeps between two readings of the counters, and never before
/// the first.
fn watch(typist: &Typist, device: &str, seconds: &str, profile: &str) -> Child {
    let child = typist.start(&["profile", "--live", device, "--time", seconds, &format!("--json={profile}")]);
    let place = format!("/proc/{}/wchan", child.id());
    until("the first reading", || {
        std::fs::read_to_string(&place).is_ok_and(|waits_in| waits_in.contains("nanosleep"))
    });
    child
}

fn read(typist: &Typist, profile: &str) -> Value {
    serde_json::from_slice(&std::fs::read(typist.path(profile)).unwrap()).unwrap()
}

fn close(found: f64, wanted: f64, share: f64, what: &str) {
    assert!((found / wanted - 1.0).abs() <= share, "{what}: {found} for {wanted}");
}

#[test]
fn a_device_s_profile_comes_back_from_a_run_like_it() {
    let typist = Typist::new();
    let Some(device) = Loop::make(&typist) else {
        fathom_skips::skipped("no loop device can be made here");
        return;
    };
    if !std::path::Path::new("/proc/self/wchan").exists() {
        fathom_skips::skipped("the kernel does not say what a process waits in");
        return;
    }
    let (target, words) = (device.path.as_str(), device.words());
    let writing = ["run", "--target", target, "--destroy", &words, "--quiet", "--warmup", "0s"];
    let mut watched = watch(&typist, target, "6s", "first.json");
    let load = [
        "--rates",
        "1600,4800,800,4800",
        "--rw",
        "randrw",
        "--read-share",
        "70%",
        "--read-bs",
        "4k:50%,16k:50%",
        "--write-bs",
        "32k",
        "--time",
        "4s",
    ];
    let loaded = typist.run(&[writing.as_slice(), &load].concat());
    assert!(loaded.status <= 1, "{loaded:?}");
    assert!(watched.wait().unwrap().success());
    let mut watched = watch(&typist, target, "9s", "second.json");
    let liked = typist.run(&[writing.as_slice(), &["--like", "first.json"]].concat());
    assert!(liked.status <= 1, "{liked:?}");
    assert!(watched.wait().unwrap().success());

    let (first, second) = (read(&typist, "first.json"), read(&typist, "second.json"));
    let number = |profile: &Value, path: &str| profile.pointer(path).and_then(Value::as_f64).unwrap();
    let total = |profile: &Value| number(profile, "/demand/total/operations");
    close(total(&second), total(&first), 0.05, "I/Os");
    let share = |profile: &Value| number(profile, "/read_share");
    assert!((share(&second) - share(&first)).abs() <= 0.02, "{} for {}", share(&second), share(&first));
    let Some(layer) = first["block_layer"].as_object() else {
        // The series holds all the same.
        assert!(
            first["notes"].to_string().contains("Only the kernel's counters were read"),
            "{}",
            first["notes"]
        );
        fathom_skips::skipped("the kernel takes no programs here");
        return;
    };
    // Before a run fathom reads the ends of a device to see what it holds, and writes a mark of 4 KiB, in pieces that
    // the load does not have.
    let sizes = |profile: &Value, direction: &str, (least, most): (u64, u64)| -> Vec<(u64, u64)> {
        let listed = profile[format!("{direction}_sizes")]["frequent"].as_array().unwrap();
        let size = |size: &Value| (size["bytes"].as_u64().unwrap(), size["operations"].as_u64().unwrap());
        let mut sizes: Vec<_> =
            listed.iter().map(size).filter(|(bytes, _)| (least..=most).contains(bytes)).collect();
        // Now and then two neighbours go down as one.
        let all: u64 = sizes.iter().map(|(_, operations)| operations).sum();
        sizes.retain(|(_, operations)| operations * 100 > all);
        sizes.sort_unstable();
        sizes
    };
    let all = [("read", (0, 16_384), vec![4096, 16_384]), ("write", (8192, 32_768), vec![32_768])];
    for (direction, range, asked) in all {
        let mean = |profile: &Value| {
            let sizes = sizes(profile, direction, range);
            assert_eq!(sizes.iter().map(|(bytes, _)| *bytes).collect::<Vec<_>>(), asked, "{direction}");
            let bytes: u64 = sizes.iter().map(|(bytes, operations)| bytes * operations).sum();
            bytes as f64 / sizes.iter().map(|(_, operations)| operations).sum::<u64>() as f64
        };
        close(mean(&second), mean(&first), 0.03, direction);
    }
    assert_eq!(first["read_sizes"]["exact"], true);
    let counted = layer["operations"].as_f64().unwrap();
    close(counted, total(&first), 0.02, "the programs against the counters");
    assert!(layer["processes"][0]["operations_share"].as_f64().unwrap() > 0.9, "{layer:?}");
}
