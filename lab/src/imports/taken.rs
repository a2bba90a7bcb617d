//! What fathom made of a file: the records, or what it said when it refused.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The end of one import.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportOutcome {
    /// The run records, in the file's order.
    Read(Vec<Value>),
    Refused(String),
}

/// `fathom import` into a store of its own, and `fathom show` of each run.
///
/// # Errors
/// A program that cannot be run, or runs that cannot be shown.
pub fn import(fathom: &Path, file: &Path) -> Result<ImportOutcome, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for a store: {error}"))?;
    let store = folder.path().join("s.sqlite");
    let said = run(Command::new(fathom).arg("--store").arg(&store).args(["import", "--json"]).arg(file))?;
    let Ok(answer) = serde_json::from_str::<Value>(&said.stdout) else {
        return Ok(ImportOutcome::Refused(said.whole()));
    };
    let first = &answer["files"][0];
    if first["state"] != "read" {
        let remarks: Vec<&str> =
            first["remarks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        return Ok(ImportOutcome::Refused(remarks.join("; ")));
    }
    let ids = first["runs"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let show = |id: &str| {
        let said = run(Command::new(fathom).arg("--store").arg(&store).args(["show", "--json", id]))?;
        serde_json::from_str(&said.stdout)
            .map_err(|error| format!("fathom show {id}: {error}: {}", said.stderr))
    };
    ids.map(show).collect::<Result<Vec<Value>, String>>().map(ImportOutcome::Read)
}

/// `fathom profile` of a trace, with its totals where a run record has them.
///
/// # Errors
/// A program that cannot be run.
pub fn profile(fathom: &Path, file: &Path) -> Result<ImportOutcome, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for a profile: {error}"))?;
    let out = folder.path().join("profile.json");
    let said = run(Command::new(fathom).arg("profile").arg(file).arg("--json").arg(&out))?;
    let text = std::fs::read_to_string(&out).unwrap_or_default();
    let Ok(profile) = serde_json::from_str::<Value>(&text) else {
        return Ok(ImportOutcome::Refused(said.whole()));
    };
    let side = |direction: &str| {
        let demand = &profile["demand"][direction];
        json!({"direction": direction, "operations": demand["operations"], "bytes": demand["bytes"]})
    };
    Ok(ImportOutcome::Read(vec![json!({"summary": {"directions": [side("read"), side("write")]}})]))
}

struct ProgramOutput {
    stdout: String,
    stderr: String,
}

impl ProgramOutput {
    /// Both on one line.
    fn whole(&self) -> String {
        format!("{} {}", self.stdout, self.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn run(command: &mut Command) -> Result<ProgramOutput, String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| format!("fathom cannot be run: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(ProgramOutput { stdout: text(&output.stdout), stderr: text(&output.stderr) })
}
