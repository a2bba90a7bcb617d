//! `cargo xtask schema`: the JSON Schemas of plans and records that are kept as text.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Writes them anew from the types, or with `check` compares.
///
/// # Errors
/// When cargo cannot be started.
pub fn run(root: &Path, check: bool) -> Result<ExitCode, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args([
            "run",
            "--quiet",
            "--package",
            "fathom-plan",
            "--features",
            "schema",
            "--example",
            "schemas",
            "--",
        ])
        .args(check.then_some("--check"))
        .status()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
