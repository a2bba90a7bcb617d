//! `fathom explain`, as it is typed.

use crate::typed::Typist;

/// The claims of a verdict: cause and probability, most probable first.
fn claims(verdict: &serde_json::Value) -> Vec<(String, f64)> {
    let claim = |claim: &serde_json::Value| {
        (claim["limit"].as_str().unwrap().to_owned(), claim["probability"].as_f64().unwrap())
    };
    verdict["claims"].as_array().unwrap().iter().map(claim).collect()
}

#[test]
fn a_cap_that_was_given_is_named_with_its_probability_and_the_experiments_that_showed_it() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:gp3", "--ceiling", "iops=3000", "--time", "5s", "--seed", "3"];
    let record = typist.json(&[asked.as_slice(), &["--quiet", "--json"]].concat());
    let pattern = &record["patterns"][0];
    let found = claims(&pattern["verdict"]);
    assert_eq!(found[0].0, "volume_iops", "{found:?}");
    assert!(found[0].1 >= 0.8, "{found:?}");
    // What experiments add is never less than what was known before them.
    let before = claims(&pattern["passive"]);
    let of = |claims: &[(String, f64)]| claims.iter().find(|c| c.0 == "volume_iops").map_or(0.0, |c| c.1);
    assert!(of(&found) >= of(&before), "{before:?} {found:?}");
    for experiment in pattern["experiments"].as_array().unwrap() {
        assert!(experiment["run"].is_string() && experiment["after"][0]["probability"].is_number());
    }
    assert!(record["busy_seconds"].as_f64().unwrap() <= 300.0);
    // It is in the store, and explaining it again gives the same.
    let again = typist.json(&["explain", "last", "--json"]);
    assert_eq!(again["patterns"][0]["verdict"], pattern["verdict"]);
}

#[test]
fn too_few_in_flight_and_a_rate_that_was_asked_for_are_told_from_limits() {
    let typist = Typist::new();
    let first = |more: &[&str]| {
        let asked =
            ["explain", "--experiments", "sim:ideal", "--time", "5s", "--seed", "3", "--quiet", "--json"];
        let record = typist.json(&[asked.as_slice(), more].concat());
        claims(&record["patterns"][0]["verdict"])[0].clone()
    };
    let (cause, probability) = first(&["--depth", "2"]);
    assert!(cause == "concurrency" && probability >= 0.9, "{cause} {probability}");
    let (cause, probability) = first(&["--rate", "2k"]);
    assert!(cause == "demand" && probability >= 0.5, "{cause} {probability}");
}

#[test]
fn a_finished_run_is_explained_without_measuring_and_says_what_is_missing() {
    let typist = Typist::new();
    assert_eq!(typist.run(&["run", "--target", "sim:gp3", "--time", "5s", "--quiet"]).status, 0);
    let answer = typist.run(&["explain", "last"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    for text in ["is not decided", "what would decide more", "fathom run --target sim:gp3"] {
        assert!(answer.stdout.contains(text), "{text}: {answer:?}");
    }
    assert_eq!(typist.run(&["explain", "last", "--ceiling", "iops=3000"]).status, 0);
}

#[test]
fn what_cannot_be_explained_is_refused_with_what_to_type() {
    let typist = Typist::new();
    let refused = |asked: &[&str], told: &str| {
        let answer = typist.run(asked);
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{told}: {answer:?}");
    };
    refused(&["explain"], "fathom explain last");
    refused(&["explain", "--experiments", "sim:gp3", "--count", "100"], "--time");
    refused(&["explain", "--experiments", "sim:gp3", "--ceiling", "iosp=3"], "--ceiling");
    refused(&["explain", "--experiments", "sim:gp3", "--purge"], "--rw randwrite");
    refused(&["explain", "--experiments", "sim:gp3", "--budget", "20s"], "the 3 runs");
    std::fs::write(typist.path("notes.txt"), "nothing that a tool writes\n").unwrap();
    refused(&["explain", "notes.txt"], "fathom import --help");
}

#[test]
fn what_an_experiment_ran_is_what_its_command_says() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:slc", "--rw", "randwrite", "--second", "sim:slc", "--purge"];
    let more =
        ["--size", "4GiB", "--time", "2s", "--warmup", "0s", "--max-experiments", "11", "--quiet", "--json"];
    let record = typist.json(&[asked.as_slice(), more.as_slice()].concat());
    let experiments = record["patterns"][0]["experiments"].as_array().unwrap();
    assert!(!experiments.is_empty());
    for experiment in experiments {
        let command = experiment["command"].as_str().unwrap();
        assert!(!command.contains("blkdiscard"), "a trim reaches no further than the span: {command}");
        let Some(id) = experiment["run"].as_str() else { continue };
        let run = typist.json(&["show", id, "--json"]);
        let last = command.rsplit("&& ").next().unwrap();
        for (flag, value) in [("--jobs", &run["workload"]["jobs"]), ("--depth", &run["workload"]["depth"])] {
            assert!(last.contains(&format!("{flag} {value} ")), "{flag} {value}: {command}");
        }
    }
}

#[test]
fn experiments_that_do_not_fit_the_budget_are_not_made() {
    let typist = Typist::new();
    let asked =
        ["explain", "--experiments", "sim:slc", "--rw", "randwrite", "--time", "5s", "--warmup", "0s"];
    let more = ["--budget", "20s", "--rest", "15m", "--quiet", "--json"];
    let record = typist.json(&[asked.as_slice(), more.as_slice()].concat());
    let made = record["patterns"][0]["experiments"].as_array().map_or(0, Vec::len);
    assert!(
        made <= 1 && record["busy_seconds"].as_f64().unwrap() <= 20.5,
        "{made} {}",
        record["busy_seconds"]
    );
}
