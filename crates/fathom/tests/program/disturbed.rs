//! Runs that were stopped and continued, frozen, or not alone on their device: they say so.

use std::path::Path;
use std::process::Child;
use std::time::Duration;

use serde_json::Value;

use crate::looped::{Loop, run};
use crate::typed::{Answer, Typist, until_a_job_runs};

const READS: [&str; 8] = ["run", "--rw", "randread", "--time", "3s", "--warmup", "200ms", "--depth=4"];

fn check<'a>(record: &'a Value, name: &str) -> &'a Value {
    record["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap()
}

/// Does something to a run of three seconds for more than one of them, and waits for its end.
fn held_up(child: Child, hold: impl Fn(&str), free: impl Fn(&str)) -> Answer {
    let id = child.id().to_string();
    until_a_job_runs(child.id(), true);
    // Its warm-up is over then. A time is meant here, not an event: the run prints nothing before its end, and the moment
    // at which the record says that it was held is compared with this one.
    std::thread::sleep(Duration::from_millis(700));
    hold(&id);
    std::thread::sleep(Duration::from_millis(1200));
    free(&id);
    child.wait_with_output().unwrap().into()
}

fn stopped(child: Child) -> Answer {
    let signal = |name| move |id: &str| assert!(run("kill", &["-s", name, id]).is_some());
    held_up(child, signal("STOP"), signal("CONT"))
}

#[test]
fn a_run_that_was_stopped_says_so_first_and_is_not_valid() {
    let typist = Typist::new();
    let file = ["--target", ".", "--size", "16MiB"];
    let memory = typist.start(&[&READS[..], &["--target", "memory:16MiB", "--json"]].concat());
    let started = ["uring", "sync"]
        .map(|engine| (engine, typist.start(&[&READS[..], &file, &["--engine", engine]].concat())));
    // Nearly all of it is waiting, for all of them at once.
    let (answers, answer) = std::thread::scope(|scope| {
        let memory = scope.spawn(|| stopped(memory));
        let answers = started.map(|(engine, child)| (engine, scope.spawn(|| stopped(child))));
        (answers.map(|(engine, answer)| (engine, answer.join().unwrap())), memory.join().unwrap())
    });
    for (engine, answer) in answers {
        if answer.stderr.contains("io_uring") {
            fathom_skips::skipped("no io_uring here");
            continue;
        }
        assert_eq!(answer.status, 1, "{engine}: {answer:?}");
        let said = answer.stdout.lines().position(|line| line.contains("stood still"));
        assert!(
            said.is_some_and(|line| line < 8
                && answer.stdout.lines().nth(line - 1).is_some_and(|above| above.contains("FAILED"))),
            "{engine}: {answer:?}"
        );
        assert!(answer.stdout.contains("FAILED"), "{engine}: {answer:?}");
    }
    let record = answer.json();
    assert_eq!((answer.status, &check(&record, "standstill")["outcome"]), (1, &"fail".into()), "{answer:?}");
    let still = &record["standstills"][0];
    let (at_ns, duration_ns) = (still["at_ns"].as_u64().unwrap(), still["duration_ns"].as_u64().unwrap());
    assert!((700_000_000..2_000_000_000).contains(&at_ns), "{still}");
    assert!((1_000_000_000..2_000_000_000).contains(&duration_ns), "{still}");
}

#[test]
fn a_run_that_was_frozen_says_so() {
    let group = format!("/sys/fs/cgroup/freezer/fathom-test-{}", std::process::id());
    if std::fs::create_dir(&group).is_err() || !Path::new(&group).join("freezer.state").exists() {
        fathom_skips::skipped("no control group can be frozen here");
        return;
    }
    let typist = Typist::new();
    let child = typist.start(&[&READS[..], &["--target", "memory:16MiB", "--json"]].concat());
    std::fs::write(format!("{group}/cgroup.procs"), child.id().to_string()).unwrap();
    let state = |state: &'static str| {
        let file = format!("{group}/freezer.state");
        move |_: &str| std::fs::write(&file, state).unwrap()
    };
    let answer = held_up(child, state("FROZEN"), state("THAWED"));
    std::fs::remove_dir(&group).unwrap();
    assert_eq!(answer.status, 1, "{answer:?}");
    assert_eq!(check(&answer.json(), "standstill")["outcome"], "fail");
}

#[test]
fn two_runs_on_one_device_name_each_other_and_one_alone_names_nobody() {
    let typist = Typist::new();
    let Some(device) = Loop::make(&typist) else {
        fathom_skips::skipped("no loop device can be made here");
        return;
    };
    let ask = [&READS[..], &["--target", &device.path, "--json"]].concat();
    let pair = [typist.start(&ask), typist.start(&ask)];
    let others = [pair[1].id(), pair[0].id()];
    let mut named = 0;
    for (child, other) in pair.into_iter().zip(others) {
        let answer = Answer::from(child.wait_with_output().unwrap());
        let record = answer.json();
        let load = check(&record, "other_load");
        assert_eq!(load["outcome"], "caution", "{load}");
        let text = load["explanation"].as_str().unwrap();
        named += u32::from(text.contains(&format!("fathom (process {other})")));
    }
    // The one that ends last may find nobody there any more.
    assert!(named > 0);
    for rw in ["randread", "randwrite", "randrw"] {
        let ask = [
            "run",
            "--rw",
            rw,
            "--time",
            "1s",
            "--warmup",
            "100ms",
            "--target",
            &device.path,
            "--destroy",
            &device.words(),
            "--json",
        ];
        let record = typist.json(&ask);
        assert_eq!(check(&record, "other_load")["outcome"], "pass", "{rw}: {}", check(&record, "other_load"));
    }
}
