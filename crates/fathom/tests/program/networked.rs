//! Runs over the network, against a controller in this process.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use fathom_conformance::served_controller::{Offer, SUBSYSTEM, ServedController};
use serde_json::Value;

use crate::typed::{Typist, UnansweredPort};

const SHORT: [&str; 6] = ["--time", "400ms", "--warmup", "0s", "--json", "--quiet"];

#[test]
fn a_namespace_is_read_by_a_queue_a_job_and_the_record_says_what_was_agreed() {
    let served = ServedController::start(Offer::of(8 << 20)).unwrap();
    let typist = Typist::new();
    let name = served.name();
    let flags = ["run", "--target", &name, "--rw", "randread", "--jobs", "4", "--depth", "32"];
    let record = typist.json(&[&flags[..], &SHORT].concat());
    let target = &record["target"];
    assert_eq!(
        (target["kind"].as_str(), target["size_bytes"].as_u64()),
        (Some("fabric_namespace"), Some(8 << 20))
    );
    assert_eq!(
        (target["fabric"]["transport"].as_str(), target["fabric"]["subsystem"].as_str()),
        (Some("tcp"), Some(SUBSYSTEM))
    );
    assert_eq!(record["engine"]["name"], "nvme-tcp");
    let features = record["engine"]["features"].as_array().unwrap();
    let note = |name: &str| features.iter().find(|it| it["name"] == name).unwrap()["note"].as_str().unwrap();
    assert!(note("io_queues").starts_with("4 given") && note("queue_entries").starts_with("32 of the 128"));
    assert!(features.iter().all(|feature| feature["name"] != "connection_kept"), "{features:?}");
    assert_eq!(record["ending"]["reason"], "complete");
    assert!(served.commands() > 100);
}

#[test]
fn what_a_target_has_is_listed_with_what_to_type() {
    let served = ServedController::start(Offer::of(8 << 20)).unwrap();
    let typist = Typist::new();
    let place = format!("127.0.0.1:{}", served.port());
    let found = typist.json(&["discover", &place, "--json"]);
    let subsystem = &found["subsystems"][0];
    assert_eq!((subsystem["nqn"].as_str(), subsystem["transport"].as_str()), (Some(SUBSYSTEM), Some("tcp")));
    let namespace = &subsystem["namespaces"][0];
    assert_eq!(
        (namespace["target"].as_str(), namespace["size_bytes"].as_u64()),
        (Some(served.name().as_str()), Some(8 << 20))
    );
    let text = typist.run(&["discover", &place]);
    assert!(text.stdout.contains(&format!("--target {}", served.name())), "{text:?}");
    let unanswered = UnansweredPort::new();
    for (arguments, words) in [
        (&[&unanswered.address()[..]][..], "refused"),
        (&["h:0"], "not a port"),
        (&[&place, "--host-nqn", "a b"], "characters"),
    ] {
        let refused = typist.run(&[&["discover"], arguments].concat());
        assert!(refused.status != 0 && refused.stderr.contains(words), "{arguments:?} {refused:?}");
    }
}

#[test]
fn what_was_written_is_verified_and_nothing_is_written_unnamed() {
    let served = ServedController::start(Offer::of(4 << 20)).unwrap();
    let typist = Typist::new();
    let name = served.name();
    let write = ["run", "--target", &name, "--rw", "randwrite", "--depth", "8", "--verify", "at-end"];
    let refused = typist.run(&[&write[..], &SHORT].concat());
    assert_eq!(served.commands(), 0);
    let words = format!("--destroy {SUBSYSTEM}/1");
    assert!(refused.status != 0 && refused.stderr.contains(&words), "{}", refused.stderr);
    let destroy = ["--destroy", words.trim_start_matches("--destroy ")];
    let delayed = ["--delay", "constant:200us", "--throttle", "iops=50k"];
    for around in [&[][..], &delayed] {
        let record = typist.json(&[&write[..], &destroy, around, &SHORT].concat());
        let verify = record["checks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|check| check["name"] == "verification")
            .unwrap();
        assert_eq!(verify["outcome"], "pass", "{verify}");
    }
}

#[test]
fn what_the_target_does_not_grant_or_has_no_place_for_is_refused() {
    let served = ServedController::start(Offer::of(4 << 20)).unwrap();
    let typist = Typist::new();
    let name = served.name();
    for (flags, words) in [
        (&["--jobs", "9"][..], "the target gives 8"),
        (&["--depth", "129"], "the target takes 128"),
        (&["--bs", "1MiB", "--depth", "8"], "32 commands of at most 32768"),
        (&["--stripe", "64k", "--target", &name], "not striped"),
        (&["--buffered"], "page cache"),
        (&["--engine", "uring"], "nvme-tcp"),
        (&["--size", "1GiB"], "4194304"),
    ] {
        let run = ["run", "--target", &name, "--rw", "randread"];
        let refused = typist.run(&[&run[..], flags, &SHORT].concat());
        assert!(refused.status == 2 && refused.stderr.contains(words), "{flags:?}: {}", refused.stderr);
    }
}

#[test]
fn an_assessment_stays_within_the_queues_of_its_target() {
    let served = ServedController::start(Offer::of(64 << 20)).unwrap();
    let typist = Typist::new();
    let name = served.name();
    // 32 commands an I/O: four I/Os fill a queue, and the search wants to begin with sixteen.
    let found =
        typist.run(&["assess", &name, "--patterns", "read-1m", "--budget", "8s", "--json", "--quiet"]);
    let record: Value = serde_json::from_str(&found.stdout).unwrap_or_else(|_| panic!("{found:?}"));
    let pattern = &record["patterns"][0];
    assert!(pattern["incomplete"].is_null(), "{pattern}");
    let depths: Vec<u64> =
        pattern["cells"].as_array().unwrap().iter().map(|cell| cell["depth"].as_u64().unwrap()).collect();
    assert!(depths.len() > 2 && depths.iter().all(|depth| *depth <= 4), "{depths:?}");
}

#[test]
fn a_target_that_hangs_up_ends_the_run_with_the_reason() {
    let served = ServedController::start(Offer::of(4 << 20)).unwrap();
    let typist = Typist::new();
    let name = served.name();
    let child =
        typist.start(&["run", "--target", &name, "--rw", "randread", "--time", "30s", "--json", "--quiet"]);
    crate::typed::until("the first I/O", || served.commands() > 50);
    served.hang_up();
    let output = child.wait_with_output().unwrap();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["ending"]["reason"], "failed", "{}", record["ending"]);
    let features = record["engine"]["features"].as_array().unwrap();
    let kept = features.iter().find(|feature| feature["name"] == "connection_kept").unwrap();
    let note = kept["note"].as_str().unwrap();
    assert!(kept["used"] == false && record["ending"]["error"].as_str().unwrap().contains(note), "{record}");
}

/// Another tool's own driver carries a plan over a connection of its own, and its namespace is read only.
#[test]
fn bdevperf_measures_by_its_own_driver_where_it_is_named() {
    let Ok(path) = std::env::var("FATHOM_BDEVPERF") else {
        fathom_skips::skipped("FATHOM_BDEVPERF names no bdevperf");
        return;
    };
    let typist = Typist::new();
    let serve = ["nvmet", "memory:32MiB", "--listen", "127.0.0.1:0", "--json"];
    let mut target = typist.command(&serve).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(target.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let port = ready["address"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    let subsystem = ready["nqn"].as_str().unwrap();
    let id = format!("trtype:TCP adrfam:IPv4 traddr:127.0.0.1 trsvcid:{port} subnqn:{subsystem}");
    let engine = format!("bdevperf:{path}");
    let words =
        ["run", "--engine", &engine, "--target", &id, "--depth", "8", "--time", "2s", "--warmup", "0s"];
    let record = typist.json(&[&words[..], &["--rw", "randread", "--json", "--quiet"]].concat());
    assert_eq!(record["tool"]["name"], "bdevperf", "{record:#}");
    assert!(record["summary"]["directions"][0]["operations_per_s"].as_f64().unwrap() > 100.0, "{record:#}");
    assert!(record["target"]["name"].as_str().unwrap().contains(subsystem));
    let refused = typist.run(&[&words[..], &["--rw", "randwrite"]].concat());
    assert!(refused.status != 0 && refused.stderr.contains("--destroy="), "{}", refused.stderr);
    target.kill().unwrap();
    target.wait().unwrap();
}
