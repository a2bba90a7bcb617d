//! Builds the programs that watch the block layer, and compares them with the object that is committed.

use std::path::Path;
use std::process::Command;

use crate::finding::Finding;

/// Where source and object lie.
const FOLDER: &str = "crates/telemetry/src/blocktrace/bpf";
/// The block-layer witness, and what counts a device's demand; of `NAME.bpf.c` the object is `NAME.bpf.o`.
const NAMES: [&str; 2] = ["witness", "demand"];

/// The compiler whose output is committed: another one's differs without being wrong.
const COMPILER: &str = "clang version 14.0.6";

/// Rebuilds, or with `check` compares. Without the compiler it says so and finds nothing.
pub fn run(root: &Path, check: bool) -> Result<Vec<Finding>, String> {
    let version = Command::new("clang").arg("--version").output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.contains(COMPILER) {
        let found = version.lines().next().unwrap_or("no clang");
        let text = format!("not compared: the object is built with {COMPILER}, and here is {found}");
        if check {
            println!("skip   programs of the block-layer witness: {text}");
            return Ok(Vec::new());
        }
        return Err(text);
    }
    let mut findings = Vec::new();
    for name in NAMES {
        findings.extend(build(root, name, check)?);
    }
    if check {
        println!("bpf: compared with {COMPILER}");
    }
    Ok(findings)
}

/// Rebuilds one, or compares it.
fn build(root: &Path, name: &str, check: bool) -> Result<Option<Finding>, String> {
    let (source, object) = (format!("{name}.bpf.c"), format!("{name}.bpf.o"));
    let folder = root.join(FOLDER);
    let scratch = tempfile::tempdir().map_err(|error| format!("making a scratch folder: {error}"))?;
    let fresh = scratch.path().join(&object);
    let target = fresh.display().to_string();
    // Paths would make the object differ from place to place.
    call(
        &folder,
        "clang",
        &[
            "-O2",
            "-g",
            "-Wall",
            "-Wno-unused",
            "-target",
            "bpf",
            "-mcpu=v3",
            "-fdebug-compilation-dir=.",
            "-c",
            &source,
            "-o",
            &target,
        ],
    )?;
    // The kernel reads BTF; the debugger's half is left out.
    call(&folder, "llvm-strip", &["-g", &target])?;
    let built = std::fs::read(&fresh).map_err(|error| format!("{target}: {error}"))?;
    let committed = folder.join(&object);
    if !check {
        std::fs::write(&committed, &built).map_err(|error| format!("{}: {error}", committed.display()))?;
        println!("bpf: {object}, {} bytes", built.len());
        return Ok(None);
    }
    let same = std::fs::read(&committed).is_ok_and(|bytes| bytes == built);
    let path = format!("{FOLDER}/{object}");
    let message = format!("is not what {source} gives: type `cargo xtask bpf` and commit both");
    Ok((!same).then(|| Finding::new(&path, 1, message)))
}

fn call(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
