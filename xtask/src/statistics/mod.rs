//! `cargo xtask statistics`: the error rates of the statistics on simulated truth, in full and optimised.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Builds and runs the suites of `truth` with the arguments; what they print goes through.
///
/// # Errors
/// When cargo cannot be started.
pub fn run(root: &Path, arguments: impl IntoIterator<Item = String>) -> Result<ExitCode, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["run", "--quiet", "--release", "--package", "fathom-truth", "--"])
        .args(arguments)
        .status()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
