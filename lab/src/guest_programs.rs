//! The programs that are tried in a guest: fathom, and the conformance suite of its engines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::command_line::Guest;

/// Builds the tests of the engines, without running them: the conformance suite is among them.
const SUITE: [&str; 5] = ["test", "--package=fathom-engine", "--test", "suite", "--no-run"];

/// Both, built.
pub struct Programs {
    pub fathom: PathBuf,
    /// Test program of the engines, whose tests below `conformance` are their conformance suite.
    pub conformance: PathBuf,
}

/// Builds what is not named.
///
/// # Errors
/// Where a build fails, or what was named is not there.
pub fn build(root: &Path, options: &Guest) -> Result<Programs, String> {
    let fathom = one(root, options)?;
    Ok(Programs { fathom, conformance: executable(root, &SUITE, "suite")? })
}

/// fathom: the one that was named, or built.
///
/// # Errors
/// As [`build`].
pub fn one(root: &Path, options: &Guest) -> Result<PathBuf, String> {
    match &options.fathom {
        Some(path) if path.is_file() => Ok(path.clone()),
        Some(path) => Err(format!("{} is no program", path.display())),
        None => fathom(root),
    }
}

/// fathom, built from this tree.
///
/// # Errors
/// Where the build fails.
pub fn fathom(root: &Path) -> Result<PathBuf, String> {
    executable(root, &["build", "--package", "fathom"], "fathom")
}

/// The conformance suite as a static program for Arm.
///
/// # Errors
/// Where the build fails.
pub fn conformance_for_arm(root: &Path) -> Result<PathBuf, String> {
    let mut suite = Vec::from(SUITE);
    suite.extend(["--target", "aarch64-unknown-linux-musl"]);
    // Rust's own linker knows every processor, and the C library comes with the target.
    suite.extend(["--config", "target.aarch64-unknown-linux-musl.linker = 'rust-lld'"]);
    executable(root, &suite, "suite")
}

/// Runs cargo and takes the path of what it made from its messages.
fn executable(root: &Path, arguments: &[&str], target: &str) -> Result<PathBuf, String> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .args(["--quiet", "--message-format", "json"])
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    let failed = || format!("`cargo {}` made no program", arguments.join(" "));
    if !output.status.success() {
        return Err(failed());
    }
    made(&String::from_utf8_lossy(&output.stdout), target).ok_or_else(failed)
}

fn made(messages: &str, target: &str) -> Option<PathBuf> {
    let mut paths = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_it = message["target"]["name"] == target;
        message["executable"].as_str().filter(|_| is_it).map(PathBuf::from)
    });
    paths.next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_target_s_own() {
        let messages = r#"{"target":{"name":"other"},"executable":"/t/other"}
            {"target":{"name":"fathom"},"executable":"/t/fathom"}
            no json
            {"target":{"name":"fathom"},"executable":null}"#;
        assert_eq!(made(messages, "fathom"), Some(PathBuf::from("/t/fathom")));
        assert_eq!(made(messages, "absent"), None);
    }

    #[test]
    fn the_engines_have_the_suite_that_the_guests_run() {
        let metadata = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let engine = packages.iter().find(|package| package["name"] == "fathom-engine").unwrap();
        let suite =
            engine["targets"].as_array().unwrap().iter().find(|target| target["name"] == "suite").unwrap();
        assert_eq!(suite["kind"][0], "test");
        let main = std::fs::read_to_string(suite["src_path"].as_str().unwrap()).unwrap();
        assert!(main.contains("mod conformance;"), "the guests' scripts name its tests");
    }
}
