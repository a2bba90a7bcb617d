//! fathom itself, asked for JSON.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs fathom with `--json` behind the words, whatever its exit status. Runs are kept in a store in the folder.
///
/// # Errors
/// Where it cannot be run, or prints no JSON: with what it said.
pub fn json(fathom: &Path, folder: &Path, words: &[String]) -> Result<Value, String> {
    let output = Command::new(fathom)
        .args(["--store", "lab.sqlite"])
        .args(words)
        .arg("--json")
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("fathom cannot be run: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        format!("no answer, {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
    })
}

/// As it is typed.
pub fn typed(words: &[String]) -> String {
    let quoted =
        |word: &String| if word.contains(['%', ';', '*']) { format!("'{word}'") } else { word.clone() };
    format!("fathom {} --json", words.iter().map(quoted).collect::<Vec<_>>().join(" "))
}
