//! Every command does its part, for people and for programs.

use serde_json::Value;

use crate::typed::Typist;

const RUN: [&str; 7] = ["run", "--target", "sim:nvme", "--time", "2s", "--seed", "7"];

#[test]
fn a_run_is_printed_saved_listed_and_shown() {
    let typist = Typist::new();
    let empty = typist.run(&["runs"]);
    assert_eq!(empty.status, 0);
    assert!(empty.stdout.contains("fathom run --target"), "{empty:?}");
    assert_eq!(typist.json(&["runs", "--json"])["runs"], Value::Array(Vec::new()));

    let ran = typist.run(&RUN);
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.assert_fits();
    assert!(ran.stdout.contains("4 KiB random read"), "{ran:?}");
    let list = typist.json(&["runs", "--json"]);
    let id = list["runs"][0]["id"].as_str().unwrap();
    assert!(ran.stderr.contains(&format!("fathom show {id}")), "{ran:?}");

    let listed = typist.run(&["runs"]);
    listed.assert_fits();
    assert!(listed.stdout.contains(id) && listed.stdout.contains("valid"), "{listed:?}");
    let shown = typist.run(&["show", "last"]);
    assert_eq!(shown.stdout, ran.stdout);
    let record = typist.json(&["show", id, "--json"]);
    assert_eq!(record["format"], "fathom.run");
    assert_eq!(record["workload"]["seed"], 7);
    assert!(typist.run(&["runs", "--target", "null:"]).stdout.contains("No run fits"));
}

#[test]
fn a_seed_replays_and_none_is_a_new_one() {
    let typist = Typist::new();
    let rate = |record: &Value| record["summary"]["directions"][0]["service"].clone();
    let ask = [&RUN[..], &["--json"]].concat();
    let (first, second) = (typist.json(&ask), typist.json(&ask));
    assert_eq!(rate(&first), rate(&second));
    let seed = || {
        typist.json(&["run", "--target", "sim:nvme", "--time", "1s", "--json"])["workload"]["seed"].as_u64()
    };
    assert_ne!(seed(), seed());
}

#[test]
fn a_plan_file_is_the_flags_and_flags_override_it() {
    let typist = Typist::new();
    std::fs::write(typist.path("plan.toml"), "target = \"sim:nvme\"\ntime = \"1s\"\ndepth = 4\n").unwrap();
    let record = typist.json(&["run", "plan.toml", "--jobs", "2", "--depth", "8", "--json"]);
    assert_eq!(record["workload"]["jobs"], 2);
    assert_eq!(record["workload"]["depth"], 8);
    let wrong = typist.run(&["run", "null:"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("fathom run --target null:"), "{wrong:?}");
}

#[test]
fn an_assessment_gives_points_and_a_verdict() {
    let typist = Typist::new();
    let ask = ["assess", "sim:gp3", "--budget", "30s", "--patterns", "randread-4k"];
    let assessed = typist.run(&ask);
    assert_eq!(assessed.status, 0, "{assessed:?}");
    assessed.assert_fits();
    assert!(assessed.stdout.contains("limited by"), "{assessed:?}");
    assert!(assessed.stderr.contains("--html"), "{assessed:?}");
    let record = typist.json(&["show", "last", "--json"]);
    assert_eq!(record["format"], "fathom.campaign");
    // The preset is a gp3 volume of 3,000 IOPS.
    let cells = record["patterns"][0]["cells"].as_array().unwrap();
    let peak = cells.iter().map(|cell| cell["operations_per_s"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!((2900.0..3200.0).contains(&peak), "{peak}");
    let id = record["id"].as_str().unwrap();
    let runs = typist.json(&["runs", "--campaign", id, "--json"]);
    assert_eq!(runs["campaigns"][0]["state"], "finished");
    assert_eq!(runs["runs"].as_array().unwrap().len() as u64, runs["campaigns"][0]["runs"].as_u64().unwrap());
}

#[test]
fn quiet_means_no_progress() {
    let typist = Typist::new();
    let ask = ["assess", "sim:gp3", "--budget", "20s", "--patterns", "randread-4k", "--quiet", "--json"];
    let answer = typist.run(&ask);
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
    assert_eq!(answer.json()["format"], "fathom.campaign");
    let loud = typist.run(&ask[..6]);
    assert!(loud.stderr.contains("1 of 1: 4 KiB random read"), "{loud:?}");
}

#[test]
fn a_scratch_file_is_made_for_a_folder_and_gone_afterwards() {
    let typist = Typist::new();
    let folder = typist.path("data");
    std::fs::create_dir(&folder).unwrap();
    let record = typist.json(&[
        "run",
        "--target",
        "data",
        "--size",
        "16MiB",
        "--rw",
        "randwrite",
        "--time",
        "300ms",
        "--warmup",
        "0s",
        "--depth",
        "4",
        "--json",
    ]);
    assert_eq!(record["target"]["scratch"], true);
    assert!(record["ledger"]["bytes_written"].as_u64().unwrap() > 0);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn devices_and_engines_are_listed() {
    let typist = Typist::new();
    let devices = typist.json(&["devices", "--json"]);
    assert_eq!(devices["format"], "fathom.devices");
    let text = typist.run(&["devices"]);
    assert_eq!(text.status, 0);
    for device in devices["devices"].as_array().unwrap() {
        let path = device["path"].as_str().unwrap();
        let has_size = device["facts"]["size_bytes"].as_u64() > Some(0);
        assert_eq!(text.stdout.contains(path), has_size, "{path}: {text:?}");
        let one = typist.run(&["devices", path]);
        assert!(one.stdout.contains("features") && one.stdout.contains("Landlock"), "{one:?}");
    }
    let absent = typist.run(&["devices", "no-such"]);
    assert_eq!(absent.status, 3, "{absent:?}");
    let engines = typist.json(&["engines", "--json"]);
    let text = typist.run(&["engines"]);
    text.assert_fits();
    for (list, name) in [("engines", "name"), ("simulated", "target"), ("simulated_keys", "name")] {
        for entry in engines[list].as_array().unwrap() {
            assert!(text.stdout.contains(entry[name].as_str().unwrap()), "{entry}");
        }
    }
}

#[test]
fn schemas_know_every_key_of_their_records() {
    let typist = Typist::new();
    let knows = |schema: &Value, record: &Value| {
        for key in record.as_object().unwrap().keys() {
            assert!(schema["properties"].get(key).is_some(), "{key}");
        }
        for key in schema["required"].as_array().unwrap() {
            assert!(record.get(key.as_str().unwrap()).is_some(), "{key}");
        }
    };
    let run = typist.json(&[&RUN[..], &["--json"]].concat());
    knows(&typist.json(&["schema", "run"]), &run);
    // One schema a kind of campaign, beside the word for it.
    let campaigns = typist.json(&["schema", "campaign"]);
    let of_kind = |record: &Value| {
        let kinds = campaigns["oneOf"].as_array().unwrap();
        let kind = kinds.iter().find(|kind| kind["properties"]["kind"]["const"] == record["kind"]).unwrap();
        let name = kind["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let mut schema = campaigns["$defs"][name].clone();
        schema["properties"]["kind"] = kind["properties"]["kind"].clone();
        schema["properties"]["result"] = campaigns["properties"]["result"].clone();
        schema
    };
    let sweep =
        ["sweep", "--target", "sim:gp3", "--over", "depth=1,2", "--passes", "1", "--time", "1s", "--json"];
    let assess = ["assess", "sim:gp3", "--budget", "20s", "--patterns", "randread-4k", "--json"];
    for ask in [&assess[..], &sweep[..]] {
        let record = typist.json(ask);
        knows(&of_kind(&record), &record);
    }
    let plan = typist.json(&["schema", "plan", "--json"]);
    assert!(plan["properties"]["read-share"].is_object());
}

#[test]
fn help_fits_the_screen_and_the_version_is_told() {
    let typist = Typist::new();
    for command in ["assess", "run", "devices", "runs", "show", "report", "schema", "engines"] {
        let help = typist.run(&[command, "--help"]);
        assert_eq!(help.status, 0);
        help.assert_fits();
        assert!(help.stdout.contains(&format!("Examples:\n  fathom {command}")), "{help:?}");
    }
    assert_eq!(typist.run(&["--version"]).stdout, format!("fathom {}\n", env!("CARGO_PKG_VERSION")));
}
