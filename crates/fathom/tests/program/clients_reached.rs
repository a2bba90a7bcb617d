//! Clients that other programs reach: stand-ins take the arguments of `kubectl exec` and `srun` and no others, manifests are
//! held against the cluster's published schema, and a client whose disk is full is named.

use std::path::Path;
use std::process::{Command, Output};

use fathom_record::parse_run;
use fathom_record::run_record::RunEnding;

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

/// A program on the path that refuses other arguments than these, and runs what stands behind them.
fn stand_in(folder: &Path, name: &str, arguments: &[&str]) {
    let checks: String = arguments
        .iter()
        .map(|word| {
            format!(
                "[ \"$1\" = '{word}' ] || {{ echo \"{name}: $1 in place of {word}\" >&2; exit 2; }}\nshift\n"
            )
        })
        .collect();
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    let path = folder.join("bin").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{checks}exec \"$@\"\n")).unwrap();
    assert!(Command::new("chmod").arg("755").arg(&path).status().unwrap().success());
}

fn run(folder: &Path, words: &[&str]) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(FATHOM);
    command.arg("run").args(words).args(["--time", "1s", "--warmup", "0s", "--quiet", "--json"]);
    command
        .current_dir(folder)
        .env("FATHOM_STORE", folder.join("runs.sqlite"))
        .env("FATHOM_CONFIG", "/dev/null");
    command.env("PATH", format!("{}:{path}", folder.join("bin").display())).output().unwrap()
}

#[test]
fn pods_and_nodes_are_reached_by_the_arguments_of_kubectl_and_srun() {
    let folder = tempfile::tempdir().unwrap();
    stand_in(folder.path(), "kubectl", &["exec", "-i", "-n", "storage", "fathom-0", "--"]);
    stand_in(folder.path(), "srun", &["-N1", "-n1", "-w", "n7", "--unbuffered"]);
    let program = format!(" program={FATHOM}");
    let (pod, node) = (format!("kubectl:storage/fathom-0{program}"), format!("srun:n7{program}"));
    let output =
        run(folder.path(), &["--target", "null:", "--rate", "200", "--client", &pod, "--client", &node]);
    let said = String::from_utf8_lossy(&output.stderr);
    let sum = parse_run(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(sum.ending, RunEnding::Complete);
    let reaches: Vec<&str> =
        sum.clients.as_deref().unwrap().clients.iter().map(|c| c.reach.as_str()).collect();
    assert_eq!(reaches, ["kubectl:storage/fathom-0", "srun:n7"]);
    // Another pod than the stand-in has is its refusal, in its own words.
    let other = format!("kubectl:storage/fathom-1{program}");
    let refused = run(folder.path(), &["--target", "null:", "--client", &other]);
    let said = String::from_utf8_lossy(&refused.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!refused.status.success() && said.contains("fathom-1 in place of fathom-0"), "{said}");
}

#[test]
fn manifests_for_a_cluster_are_what_its_published_schema_allows() {
    let folder = tempfile::tempdir().unwrap();
    let printed = Command::new(FATHOM)
        .args(["agents", "--kubernetes", "4", "--image", "registry/fathom:1.0", "--pvc", "data"])
        .env("FATHOM_CONFIG", "/dev/null")
        .output()
        .unwrap();
    assert!(printed.status.success(), "{printed:?}");
    let agents = folder.path().join("agents.yaml");
    std::fs::write(&agents, &printed.stdout).unwrap();
    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/kubernetes/job.yaml");
    let Ok(judged) = Command::new("kubernetes-validate").arg("--strict").args([&agents, &job]).output()
    else {
        fathom_skips::skipped("no kubernetes-validate to hold manifests against the published schema with");
        return;
    };
    let said = [&judged.stdout[..], &judged.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(judged.status.success(), "{said}");
    for resource in ["statefulset/fathom-agents", "service/fathom-agents", "job/fathom"] {
        assert!(said.contains(&format!("passed for resource {resource}")), "{resource}: {said}");
    }
}

#[test]
fn a_client_whose_disk_is_full_is_named_and_nothing_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    // The one has a file system of a megabyte at its place.
    let script = format!("mount -t tmpfs -o size=1m none b && exec '{FATHOM}' agent\n");
    std::fs::write(folder.path().join("full.sh"), script).unwrap();
    let full = "full='exec:unshare -m sh full.sh' target=b";
    let mut probe = Command::new("unshare");
    probe.args(["-m", "mount", "-t", "tmpfs", "none", "b"]).current_dir(folder.path());
    if !probe.status().is_ok_and(|status| status.success()) {
        fathom_skips::skipped("no file system of a megabyte can be mounted here");
        return;
    }
    let output = run(
        folder.path(),
        &[
            "--target",
            "a",
            "--size",
            "16MiB",
            "--rw",
            "randread",
            "--buffered",
            "--client",
            "roomy=local",
            "--client",
            full,
        ],
    );
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!output.status.success() && said.contains("client full"), "{said}");
    assert!(said.to_lowercase().contains("space") || said.contains("room"), "{said}");
    let left: Vec<_> = std::fs::read_dir(folder.path().join("a")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
