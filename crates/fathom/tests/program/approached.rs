//! `fathom explain --experiments` where an experiment changes what the workload does not say, on files of this machine.

use serde_json::Value;

use crate::typed::Typist;

/// Short runs, and as many experiments as there are.
const SHORT: [&str; 10] =
    ["--time", "300ms", "--warmup", "0s", "--rest", "0s", "--budget", "60s", "--quiet", "--json"];

/// Every experiment that was made of a workload, each with its answer.
fn made(typist: &Typist, workload: &[&str]) -> Vec<Value> {
    let asked = [&["explain", "--experiments", "--max-experiments", "17"], workload, &SHORT].concat();
    let answer = typist.run(&asked);
    // Runs this short fail checks of a busy machine, and are explained none the less.
    assert!(answer.status <= 1 && !answer.stdout.is_empty(), "{answer:?}");
    let record: Value = serde_json::from_str(&answer.stdout).unwrap();
    record["patterns"][0]["experiments"].as_array().unwrap().clone()
}

/// The one of this name, its command, and the run that it made.
fn of(typist: &Typist, experiments: &[Value], name: &str) -> (String, Value) {
    let names: Vec<&str> = experiments.iter().filter_map(|made| made["name"].as_str()).collect();
    let found = experiments.iter().find(|made| made["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name} is not among {names:?}"));
    let id = found["run"].as_str().unwrap_or_else(|| panic!("{found}"));
    (found["command"].as_str().unwrap().to_owned(), typist.json(&["show", id, "--json"]))
}

fn has_feature(run: &Value, name: &str) -> bool {
    let features = run["engine"]["features"].as_array().unwrap();
    features.iter().any(|feature| feature["name"] == name && feature["used"] == true)
}

#[test]
fn durable_writes_are_tried_without_and_spread_over_a_second_file() {
    let typist = Typist::new();
    let writes = ["--target", ".", "--size", "8MiB", "--rw", "randwrite", "--depth", "4", "--engine", "sync"];
    let experiments = made(&typist, &[&writes[..], &["--durable", "data"]].concat());
    let (command, run) = of(&typist, &experiments, "unflushed");
    assert!(!command.contains("--durable"), "{command}");
    assert!(!has_feature(&run, "opened_o_dsync"), "{run}");
    let (command, run) = of(&typist, &experiments, "other_file");
    assert!(command.contains("--durable data") && command.matches("--target .").count() == 2, "{command}");
    assert_eq!(run["target"]["members"].as_array().unwrap().len(), 2);
    assert_eq!((&run["workload"]["jobs"], &run["workload"]["depth"]), (&2.into(), &2.into()));
    // Everything that was made for it is gone.
    let left: Vec<_> =
        std::fs::read_dir(typist.folder()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name.to_string_lossy().starts_with("store")), "{left:?}");
}

#[test]
fn writes_into_the_page_cache_are_tried_durably() {
    let typist = Typist::new();
    let writes = ["--target", ".", "--size", "8MiB", "--rw", "randwrite", "--depth", "4", "--engine", "sync"];
    let experiments = made(&typist, &[&writes[..], &["--buffered"]].concat());
    let (command, run) = of(&typist, &experiments, "durable");
    assert!(command.contains("--durable data") && command.contains("--buffered"), "{command}");
    assert!(has_feature(&run, "opened_o_dsync"), "{run}");
}

#[test]
fn a_file_that_is_there_is_written_where_that_was_allowed_and_another_one_by_its_own_permission() {
    let typist = Typist::new();
    for name in ["a.bin", "b.bin"] {
        std::fs::write(typist.path(name), vec![7; 8 << 20]).unwrap();
    }
    let before = std::fs::read(typist.path("b.bin")).unwrap();
    // Reads need no permission: both files are read, and neither is another volume.
    let reads =
        ["--target", "a.bin", "--second", "b.bin", "--rw", "randread", "--depth", "4", "--engine", "sync"];
    let experiments = made(&typist, &reads);
    assert!(experiments.iter().all(|made| made["name"] != "second_target"), "{experiments:#?}");
    let (command, run) = of(&typist, &experiments, "other_file");
    assert!(command.contains("--target a.bin --target b.bin"), "{command}");
    assert_eq!(run["target"]["members"].as_array().unwrap().len(), 2);
    // Writes to a file that holds something are refused, the workload's and the experiment's alike.
    let writes = ["explain", "--experiments", "a.bin", "--second", "b.bin", "--rw", "randwrite"];
    let refused = typist.run(&[&writes[..], &SHORT].concat());
    assert_eq!(refused.status, 3, "{refused:?}");
    assert_eq!(std::fs::read(typist.path("b.bin")).unwrap(), before);
}

#[test]
fn on_a_machine_of_one_node_no_other_is_tried() {
    let typist = Typist::new();
    let run = typist.json(&["run", "--target", "null:", "--count", "100", "--quiet", "--json"]);
    if run["environment"]["numa_nodes"].as_u64().is_none_or(|nodes| nodes > 1) {
        fathom_skips::skipped("this machine has more than one NUMA node, or does not say");
        return;
    }
    let experiments = made(
        &typist,
        &[
            "--target", ".", "--size", "8MiB", "--rw", "randread", "--depth", "4", "--cpus", "0", "--engine",
            "sync",
        ],
    );
    assert!(!experiments.is_empty() && experiments.iter().all(|made| made["name"] != "other_node"));
}
