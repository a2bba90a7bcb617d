//! Programs of this workspace as they are used, built and found.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds the program of a package by a profile, `release` or one that inherits it; it has the package's name. Gives the
/// place that Cargo put it.
///
/// # Errors
/// When it cannot be built, in words; what Cargo said of it is on stderr.
pub fn build(root: &Path, package: &str, profile: &str) -> Result<PathBuf, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args([
            "build",
            "--profile",
            profile,
            "--package",
            package,
            "--message-format=json-render-diagnostics",
        ])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo build: {error}"))?;
    if !output.status.success() {
        return Err(format!("{package} could not be built"));
    }
    executable(&String::from_utf8_lossy(&output.stdout), package)
        .ok_or_else(|| format!("cargo built no program `{package}`"))
}

/// The program among Cargo's messages, one JSON document a line.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_cargos_messages() {
        let messages = "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"serde\"},\"executable\":null}\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"fathom\"},\"executable\":\"/t/release/fathom\"}\n\
            {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(executable(messages, "fathom"), Some("/t/release/fathom".into()));
        assert_eq!(executable(messages, "serde"), None);
        assert_eq!(executable("Compiling\n", "fathom"), None);
    }
}
