//! Campaigns whose runs several clients carry: the same agents for all of them, points and pairs of the sum.

use std::path::Path;
use std::process::{Command, Output};

use fathom_record::{CampaignRecord, parse_campaign};

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

fn fathom(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(FATHOM);
    command.args(words).args(["--quiet", "--json"]).current_dir(folder);
    command.env("FATHOM_STORE", folder.join("runs.sqlite")).output().unwrap()
}

fn campaign(output: &Output) -> CampaignRecord {
    parse_campaign(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// An agent that counts how often it is started.
fn counted(name: &str) -> String {
    format!("{name}=exec:sh -c 'echo started >> {name}.starts; exec {FATHOM} agent'")
}

fn starts(folder: &Path, name: &str) -> usize {
    std::fs::read_to_string(folder.join(format!("{name}.starts"))).unwrap_or_default().lines().count()
}

#[test]
fn an_assessment_finds_points_of_all_clients_together() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (counted("a"), counted("b"));
    let output = fathom(
        folder.path(),
        &[
            "assess",
            "null:",
            "--throttle",
            "iops=2k",
            "--patterns",
            "randread-4k",
            "--budget",
            "12s",
            "--until",
            "none",
            "--client",
            &a,
            "--client",
            &b,
        ],
    );
    let CampaignRecord::Assess(record) = campaign(&output) else {
        panic!("no assessment");
    };
    assert_eq!(record.plan.clients.len(), 2);
    assert!(record.command.unwrap().contains("--client"));
    // One agent each, however many runs.
    assert_eq!((starts(folder.path(), "a"), starts(folder.path(), "b")), (1, 1));
    let cells = &record.patterns[0].cells;
    assert!(cells.len() > 2, "{cells:?}");
    assert!(cells.iter().all(|cell| cell.jobs % 2 == 0), "jobs are those of both");
    // Each client has a throttle of its own: more comes through than one lets, however busy the machine is.
    let peak = cells.iter().map(|cell| cell.operations_per_s).fold(0.0, f64::max);
    assert!((2200.0..4400.0).contains(&peak), "{peak}");
}

#[test]
fn a_comparison_of_machines_measures_each_side_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (format!("client={}", counted("a")), format!("client={}", counted("b")));
    let words = ["compare", "null:", "null:", "--a", &a, "--b", &b, "--throttle", "iops=2k"];
    let shape =
        ["--patterns", "randread-4k", "--depth", "4", "--pairs", "5", "--time", "500ms", "--warmup", "0s"];
    let output = fathom(folder.path(), &[words.as_slice(), &shape].concat());
    let CampaignRecord::Compare(record) = campaign(&output) else {
        panic!("no comparison");
    };
    assert_eq!(record.workloads.len(), 1);
    assert_eq!((starts(folder.path(), "a"), starts(folder.path(), "b")), (1, 1));
    let refused = fathom(folder.path(), &["compare", "ssh:-x:/mnt/a", "ssh:b:/mnt/a"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("`-x` is not a valid name of a host"), "{said}");
}

#[test]
fn cells_of_a_sweep_are_sums_and_a_file_names_the_clients() {
    let folder = tempfile::tempdir().unwrap();
    let list = format!(
        "[[client]]\nname = 'a'\nreach = \"exec:{FATHOM} agent\"\n\n[[client]]\nname = 'b'\nreach = 'local'\n"
    );
    std::fs::write(folder.path().join("clients.toml"), list).unwrap();
    let words =
        ["sweep", "--target", "null:", "--throttle", "iops=300", "--time", "600ms", "--warmup", "200ms"];
    let shape = ["--over", "depth=2,8", "--passes", "2", "--clients", "clients.toml"];
    let output = fathom(folder.path(), &[words.as_slice(), &shape].concat());
    let CampaignRecord::Sweep(record) = campaign(&output) else { panic!("no sweep") };
    let rates: Vec<f64> =
        record.cells.iter().map(|cell| cell.result.as_ref().unwrap().operations_per_s).collect();
    assert!(rates.iter().all(|rate| (330.0..690.0).contains(rate)), "{rates:?}");
    let refused = fathom(folder.path(), &["explain", "--experiments", "null:", "--client", "local"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("experiments are made from one machine"), "{said}");
    let refused = fathom(folder.path(), &["assess", ".", "--client", "local", "--precondition", "auto"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("preconditioned from one machine"), "{said}");
}
