//! Files for CI and clusters do what they say, with this program and the shell that they name.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::typed::Typist;

fn deployed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The scripts behind `run: |`, in their order.
fn scripts(action: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut lines = action.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(indent) = line.find("run: |") else { continue };
        let mut script = String::new();
        let is_inside = |line: &&str| line.is_empty() || line.len() - line.trim_start().len() > indent;
        while let Some(line) = lines.next_if(is_inside) {
            script += line;
            script.push('\n');
        }
        scripts.push(script);
    }
    scripts
}

/// The second step of the action with these inputs; its status, outputs and summary.
fn measured(typist: &Typist, arguments: &str, fail_if: &str) -> Option<(Option<i32>, String, String)> {
    let scripts = scripts(&deployed("github-action/action.yml"));
    assert_eq!(scripts.len(), 2);
    let program = PathBuf::from(env!("CARGO_BIN_EXE_fathom"));
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-c", &scripts[1]])
        .current_dir(typist.folder())
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .env("FATHOM_STORE", typist.path("runs.sqlite"))
        .env("RUNNER_TEMP", typist.folder())
        .env("GITHUB_OUTPUT", typist.path("outputs"))
        .env("GITHUB_STEP_SUMMARY", typist.path("summary"))
        .env("ARGUMENTS", arguments)
        .env("FAIL_IF", fail_if)
        .output();
    let Ok(output) = output else {
        fathom_skips::skipped("no bash");
        return None;
    };
    let read = |name: &str| std::fs::read_to_string(typist.path(name)).unwrap_or_default();
    Some((output.status.code(), read("outputs"), read("summary")))
}

#[test]
fn the_action_measures_and_fails_by_its_conditions() {
    let typist = Typist::new();
    let run = "run --target 'sim:nvme' --time 1s --warmup 0s";
    let Some((status, outputs, summary)) = measured(&typist, run, "read p99>1s\niops<10\n") else { return };
    assert_eq!(status, Some(0), "{outputs}{summary}");
    let record = outputs.trim().strip_prefix("record=").unwrap();
    let record: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(record).unwrap()).unwrap();
    assert!(record["result"]["valid"].as_bool() == Some(true) && summary.contains("IOPS"), "{summary}");
    let failed = measured(&typist, run, "iops<10M").unwrap();
    assert_eq!(failed.0, Some(4), "{failed:?}");
}

#[test]
fn the_job_of_a_cluster_has_arguments_that_run() {
    let typist = Typist::new();
    let manifest = deployed("kubernetes/job.yaml");
    let line = manifest.lines().find_map(|line| line.trim().strip_prefix("args: ")).unwrap();
    let words: Vec<String> = serde_json::from_str(line).unwrap();
    for name in ["target", "data"] {
        std::fs::create_dir(typist.path(name)).unwrap();
        assert!(manifest.contains(&format!("mountPath: /{name}")), "{name}");
    }
    let here = |word: &String| match word.as_str() {
        "10m" => "4s".to_owned(),
        word => word.replace("/target", "target").replace("/data/", "data/"),
    };
    let mut words: Vec<String> = words.iter().map(here).collect();
    words.extend(["--patterns", "randread-4k", "--size", "16MiB"].map(str::to_owned));
    let answer = typist.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    // Whether it is valid is a matter of the machine.
    assert!(matches!(answer.status, 0 | 1), "{answer:?}");
    for file in ["data/result.json", "data/report.html"] {
        assert!(typist.path(file).exists(), "{file}: {answer:?}");
    }
    assert_eq!(std::fs::read_dir(typist.path("target")).unwrap().count(), 0, "the scratch file is gone");
}
