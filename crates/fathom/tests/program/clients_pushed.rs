//! This program copied to clients through a pipe, as `docker exec` is one: what arrives, what is proved, what stays.

use std::path::Path;
use std::process::Command;

use fathom_record::parse_run;
use fathom_record::run_record::RunEnding;

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

/// A stand-in for `docker exec -i CONTAINER`: a home of its own, and whatever stands first on its path.
fn container(folder: &Path, first: &str) {
    let at = |name: &str| folder.join(name);
    for name in ["home/.cache", "bin"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    let (home, bin) = (at("home").display().to_string(), at("bin").display().to_string());
    let script = format!(
        "shift 3\n{first}exec env -u XDG_CACHE_HOME -u TMPDIR HOME='{home}' PATH=\"{bin}:$PATH\" \"$@\"\n"
    );
    std::fs::write(at("docker.sh"), script).unwrap();
}

/// A program of the container's own.
fn program(folder: &Path, name: &str, body: &str) {
    let path = folder.join("bin").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    assert!(Command::new("chmod").arg("755").arg(&path).status().unwrap().success());
}

fn run(folder: &Path, client: &str) -> (Vec<u8>, String) {
    let words = ["run", "--target", "null:", "--rate", "200", "--time", "1s", "--warmup", "0s", "--quiet"];
    let mut command = Command::new(FATHOM);
    command.args(words).args(["--json", "--push", "--client", client]).current_dir(folder);
    let output = command.env("FATHOM_STORE", folder.join("runs.sqlite")).output().unwrap();
    (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What the container keeps where copies are put.
fn kept(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("home/.cache")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

const CLIENT: &str = "pod=exec:sh docker.sh exec -i x fathom agent";

#[test]
fn it_is_taken_in_by_a_shell_proved_and_started_without_a_name() {
    let folder = tempfile::tempdir().unwrap();
    // What the agent sees of its own folder when it has started.
    container(folder.path(), "echo Welcome; ");
    std::fs::write(folder.path().join("home/.cache/fathom-agent"), "mine").unwrap();
    let (printed, said) = run(folder.path(), CLIENT);
    let sum = parse_run(&printed).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(sum.ending, RunEnding::Complete);
    assert_eq!(sum.clients.as_deref().unwrap().clients[0].reach, "exec:sh docker.sh exec -i x fathom agent");
    assert_eq!(kept(folder.path()), ["fathom-agent"], "what was there stays, and nothing else");
    assert!(sum.command.unwrap().contains("push=true"));
}

#[test]
fn another_machine_is_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    container(folder.path(), "");
    program(folder.path(), "uname", "[ \"$1\" = -m ] && echo riscv64 || echo Linux");
    let (_, said) = run(folder.path(), CLIENT);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("client pod") && words.contains("Linux riscv64"), "{said}");
    assert!(words.contains("program=PATH"), "{said}");
    assert!(kept(folder.path()).is_empty());
}

#[test]
fn a_copy_with_another_sum_is_never_started_and_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    container(folder.path(), "");
    let zeros = "0".repeat(64);
    program(folder.path(), "sha256sum", &format!("echo '{zeros}  -'"));
    let (_, said) = run(folder.path(), CLIENT);
    assert!(said.contains("SHA-256") && said.contains(&zeros), "{said}");
    assert!(kept(folder.path()).is_empty(), "{:?}", kept(folder.path()));
    // A sum that changes between the two proofs: the first is right, the second is not.
    let real = "/usr/bin/sha256sum";
    if !Path::new(real).exists() {
        return fathom_skips::skipped("no /usr/bin/sha256sum");
    }
    let once = folder.path().join("once").display().to_string();
    let body = format!("[ -e '{once}' ] && echo '{zeros}  -' || {{ : > '{once}'; exec {real}; }}");
    program(folder.path(), "sha256sum", &body);
    let (_, said) = run(folder.path(), CLIENT);
    assert!(said.contains("another SHA-256"), "{said}");
    assert!(kept(folder.path()).is_empty(), "{:?}", kept(folder.path()));
}

#[test]
fn what_cannot_take_a_copy_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    container(folder.path(), "");
    let (_, said) = run(folder.path(), "a=local");
    assert!(said.contains("no client is on another machine"), "{said}");
    let (_, said) = run(folder.path(), "a=exec:sh -c 'exec fathom agent'");
    assert!(said.contains("`fathom agent`"), "{said}");
    let (_, said) = run(folder.path(), "a=exec:sh missing.sh x fathom agent");
    assert!(said.contains("client a") && said.contains("missing.sh"), "{said}");
}
