//! `fathom run --like`, and the round trip: profile, run, profile again.

use std::fmt::Write;

use serde_json::Value;

use crate::typed::Typist;

/// Twenty seconds of reads and writes of uneven sizes and rates.
fn demand() -> String {
    let mut text = "time,reads,writes,read_bytes,write_bytes\n".to_owned();
    for second in 0..20u64 {
        let (reads, writes) = (300 + second * 53 % 400, if second % 7 == 3 { 3000 } else { 700 });
        writeln!(text, "{},{reads},{writes},{},{}", 1_700_000_000 + second, reads * 16_384, writes * 51_200)
            .unwrap();
    }
    text
}

fn rate(profile: &Value, window_s: u64, of: &str) -> f64 {
    let windows = profile["demand"]["total"]["windows"].as_array().unwrap();
    let window = windows.iter().find(|window| window["seconds"] == window_s).unwrap();
    window["operations_per_s"][of].as_f64().unwrap()
}

fn close(found: f64, wanted: f64, share: f64, what: &str) {
    assert!((found / wanted - 1.0).abs() <= share, "{what}: {found} for {wanted}");
}

/// A simulated device that holds it, so that what comes back is what was asked for.
#[test]
fn a_run_like_a_profile_has_its_rates_sizes_and_directions() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), demand()).unwrap();
    let asked = typist.json(&["profile", "demand.csv", "--values", "per-row", "--json"]);
    assert_eq!(typist.run(&["profile", "demand.csv", "--values", "per-row", "--json=p.json"]).status, 0);
    typist.run(&["run", "--like", "p.json", "--target", "sim:nvme", "--json=run.json"]);
    let run: Value = serde_json::from_slice(&std::fs::read(typist.path("run.json")).unwrap()).unwrap();
    assert_eq!(run["workload"]["arrival"]["rates_per_s"].as_array().unwrap().len(), 20);
    let notes = run["notes"].to_string();
    assert!(notes.contains("against the profile") && notes.contains("addresses are not known"), "{notes}");
    let again = typist.json(&["profile", "run.json", "--json"]);
    for (window_s, of) in [(1, "p50"), (1, "max"), (10, "max")] {
        close(
            rate(&again, window_s, of),
            rate(&asked, window_s, of),
            0.05,
            &format!("{of} over {window_s} s"),
        );
    }
    for direction in ["read", "write"] {
        let mean = |profile: &Value| profile["demand"][direction]["mean_bytes"].as_f64().unwrap();
        close(mean(&again), mean(&asked), 0.03, direction);
    }
    let share = |profile: &Value| profile["read_share"].as_f64().unwrap();
    assert!((share(&again) - share(&asked)).abs() <= 0.02, "{} for {}", share(&again), share(&asked));
}

#[test]
fn a_stretch_and_a_factor_can_be_asked_for_and_nonsense_is_refused() {
    let typist = Typist::new();
    std::fs::write(typist.path("demand.csv"), demand()).unwrap();
    let written = typist.run(&["profile", "demand.csv", "--values", "per-row", "--json=p.json"]);
    assert_eq!(written.status, 0, "{written:?}");
    let run = typist
        .json(&["run", "--like", "p.json", "--target", "sim:nvme", "--time", "5s", "--scale", "2", "--json"]);
    let rates = run["workload"]["arrival"]["rates_per_s"].as_array().unwrap();
    assert_eq!(rates.len(), 5);
    assert!(rates.iter().any(|rate| rate.as_f64().unwrap() > 6000.0), "{rates:?}");
    for (words, told) in [
        (["--like", "demand.csv"].as_slice(), "fathom profile"),
        (&["--like", "p.json", "--scale", "0"], "--scale"),
        (&["--like", "p.json", "--rate", "5"], "cannot be used with"),
        (&["--like", "absent.json"], "absent.json"),
    ] {
        let answer = typist.run(&[["run", "--target", "sim:nvme"].as_slice(), words].concat());
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{answer:?}");
    }
}
