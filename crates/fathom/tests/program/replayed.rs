//! `fathom run --replay`: traces with their timing, and what is said of how like them the run was.

use std::fmt::Write;

use crate::typed::Typist;

/// Two seconds of I/Os in the form of the MSR traces: 100 ns since 1601, a read of 16 KiB and a write of 4 KiB in turn.
fn trace() -> String {
    let mut text = String::new();
    for at in 0..2000u64 {
        let (kind, bytes) = if at % 2 == 0 { ("Read", 16_384) } else { ("Write", 4096) };
        let time = 128_166_372_003_061_629 + at * 10_000;
        writeln!(text, "{time},hm,1,{kind},{},{bytes},1", (at * 37 % 1000) * 4096).unwrap();
    }
    text
}

#[test]
fn a_trace_is_replayed_and_the_run_says_how_like_it_was() {
    let typist = Typist::new();
    std::fs::write(typist.path("t.csv"), trace()).unwrap();
    let run = typist.json(&["run", "--replay", "t.csv", "--target", "sim:nvme", "--json"]);
    assert_eq!(run["workload"]["addresses"]["file"], "t.csv");
    assert_eq!(run["workload"]["mix"]["read_share"], 0.5);
    assert_eq!(run["workload"]["length"]["operations"], 2000);
    let notes = run["notes"].to_string();
    for told in
        ["2000 of 2000 I/Os ended well (+0.00 %)", "mean read +0.0 %; mean write +0.0 %", "reads 50.0 %"]
    {
        assert!(notes.contains(told), "{notes}");
    }
    assert!(notes.contains("Submitted after the trace's moments"), "{notes}");
    let seconds = |run: &serde_json::Value| run["summary"]["duration_ns"].as_f64().unwrap() / 1e9;
    assert!((seconds(&run) - 2.0).abs() < 0.01, "{}", seconds(&run));
    let fast = typist.json(&["run", "--replay", "t.csv", "--speed", "4", "--target", "sim:nvme", "--json"]);
    assert!((seconds(&fast) - 0.5).abs() < 0.01, "{}", seconds(&fast));

    let shown = typist.run(&["run", "--replay", "t.csv", "--target", "sim:nvme"]);
    assert!(shown.stdout.contains("trace"), "{shown:?}");
    shown.assert_fits();
    // A profile of the run is a profile of the trace.
    assert_eq!(
        typist.run(&["run", "--replay", "t.csv", "--target", "sim:nvme", "--json=run.json"]).status,
        0
    );
    let (was, is) =
        (typist.json(&["profile", "t.csv", "--json"]), typist.json(&["profile", "run.json", "--json"]));
    let mean = |profile: &serde_json::Value| profile["demand"]["read"]["mean_bytes"].clone();
    assert_eq!(mean(&was), mean(&is));
}

#[test]
fn a_run_of_a_plan_or_on_a_new_file_replays_too() {
    let typist = Typist::new();
    std::fs::write(typist.path("t.csv"), trace()).unwrap();
    std::fs::write(typist.path("plan.toml"), "target = \"memory:8MiB\"\nreplay = \"t.csv\"\nspeed = \"8\"\n")
        .unwrap();
    // By the wall clock I/Os may be late, because other tests use the processors too.
    let run = |words: &[&str]| -> serde_json::Value {
        let answer = typist.run(&[["run", "--json"].as_slice(), words].concat());
        assert!(answer.status <= 1, "{answer:?}");
        answer.json()
    };
    assert_eq!(run(&["plan.toml"])["workload"]["arrival"]["speed"], 8.0);
    let words = ["--replay", "t.csv", "--speed", "8", "--target", "new.bin", "--size", "8MiB"];
    let notes = run(&words)["notes"].to_string();
    assert!(notes.contains("2000 of 2000 I/Os ended well"), "{notes}");
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let typist = Typist::new();
    std::fs::write(typist.path("t.csv"), trace()).unwrap();
    std::fs::write(typist.path("two.csv"), trace() + "128166372013061629,hm,2,Read,0,4096,1\n").unwrap();
    std::fs::write(typist.path("odd.csv"), "a,b\n1,2\n").unwrap();
    std::fs::write(typist.path("data.bin"), [1u8; 1 << 20]).unwrap();
    for (words, told) in [
        (["--replay", "absent.csv", "--target", "memory:"].as_slice(), "absent.csv"),
        (&["--replay", "odd.csv", "--target", "memory:"], "--replay-columns"),
        (&["--replay", "two.csv", "--target", "memory:"], "--replay-device"),
        (&["--replay", "t.csv", "--target", "memory:", "--bs", "4k"], "--bs"),
        (&["--replay", "t.csv", "--target", "memory:", "--speed", "0"], "--speed"),
        (&["--speed", "2", "--target", "memory:"], "--speed"),
        (&["--replay", "t.csv", "--target", "memory:", "--like", "p.json"], "cannot be used with"),
    ] {
        let answer = typist.run(&[["run"].as_slice(), words].concat());
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{told}: {answer:?}");
    }
    // A trace that writes needs the permission of any other run that does.
    let answer = typist.run(&["run", "--replay", "t.csv", "--target", "data.bin"]);
    assert_eq!(answer.status, 3, "{answer:?}");
    assert!(answer.stderr.contains("--destroy"), "{answer:?}");
    let answer = typist.run(&["sweep", "--replay", "t.csv", "--target", "memory:", "--over", "jobs=1,2"]);
    assert_eq!(answer.status, 2, "{answer:?}");
    assert!(answer.stderr.contains("only a run of its own replays a trace"), "{answer:?}");
}
