//! Causes that no case of a lab shows, from tables of published results: the first table for fitting whose label is sure and whose
//! first answer is right.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Folders of tables whose labels may be looked at.
const FOLDERS: [&str; 2] = ["evaluations/cases", "evaluations/collected/fitting"];

/// A table that shows a cause.
pub struct Shown {
    /// Path from the project's root.
    pub table: String,
    pub title: String,
    pub source: String,
    /// What fathom printed.
    pub report: String,
}

/// By cause, for those that `is_wanted` names.
pub fn shown(root: &Path, fathom: &Path, is_wanted: &dyn Fn(&str) -> bool) -> BTreeMap<String, Shown> {
    let mut found = BTreeMap::new();
    for path in FOLDERS.iter().flat_map(|folder| tables(&root.join(folder))) {
        let Some((table, cause)) = labelled(&path) else { continue };
        if found.contains_key(&cause) || !is_wanted(&cause) {
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if let Some(report) = said(root, fathom, &name, &cause) {
            let text = |field: &str| table.get(field).and_then(toml::Value::as_str).unwrap_or("").to_owned();
            found.insert(cause, Shown { table: name, title: text("title"), source: text("source"), report });
        }
    }
    found
}

fn tables(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    paths
}

/// A table with one question, whose label is sure.
fn labelled(path: &Path) -> Option<(toml::Table, String)> {
    let table: toml::Table = std::fs::read_to_string(path).ok()?.parse().ok()?;
    let [asked] = table.get("explain")?.as_array()?.as_slice() else { return None };
    let label = asked.get("label")?;
    let cause = label.get("cause")?.as_str()?.to_owned();
    let is_sure = label.get("sure").and_then(toml::Value::as_bool) == Some(true);
    is_sure.then_some((table, cause))
}

/// What fathom prints of a table, where it names this cause first.
fn said(root: &Path, fathom: &Path, table: &str, cause: &str) -> Option<String> {
    let folder = tempfile::tempdir().ok()?;
    let record = folder.path().join("record.json");
    let output = Command::new(fathom)
        .args(["explain", table])
        .arg(format!("--json={}", record.display()))
        .current_dir(root)
        .output()
        .ok()?;
    let text = std::fs::read_to_string(record).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    let first = record["patterns"][0]["verdict"]["claims"][0]["limit"].as_str()?;
    (first == cause).then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sure_labels_of_one_question_are_taken_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let asked = |sure: bool| {
            format!("[[explain]]\nrows = [\"a\"]\nlabel = {{ cause = \"numa\", sure = {sure} }}\n")
        };
        let sure = write("a.toml", &asked(true));
        assert_eq!(labelled(&sure).unwrap().1, "numa");
        assert!(labelled(&write("b.toml", &asked(false))).is_none());
        assert!(labelled(&write("c.toml", &(asked(true) + &asked(true)))).is_none());
        write("d.md", "no table");
        assert_eq!(tables(folder.path()).len(), 3);
    }
}
