//! Causes that no case of a lab shows, from tables of published results that may be looked at: the first whose answer is right, of
//! those with one question and a sure label, then of those with a sure label, then of those whose author states it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Folders of tables whose labels may be looked at; what was made from laws comes after what somebody published.
const FOLDERS: [&str; 3] = ["evaluations/cases", "evaluations/collected/fitting", "evaluations/made"];

/// A table that shows a cause.
pub struct ShownTable {
    /// Path from the project's root.
    pub table: String,
    pub title: String,
    pub source: String,
    /// What fathom printed.
    pub report: String,
}

/// By cause, for those that `is_wanted` names.
pub fn shown(root: &Path, fathom: &Path, is_wanted: &dyn Fn(&str) -> bool) -> BTreeMap<String, ShownTable> {
    let mut found = BTreeMap::new();
    let paths: Vec<PathBuf> = FOLDERS.iter().flat_map(|folder| tables(&root.join(folder))).collect();
    for is_taken in [single_and_sure, sure, stated] {
        for path in &paths {
            let Some(table) = read(path) else { continue };
            let labels = labels(&table);
            let wanted = |cause: &str, found: &BTreeMap<String, ShownTable>| {
                is_wanted(cause) && !found.contains_key(cause)
            };
            let taken = |label: &Label| is_taken(label, labels.len());
            for (at, label) in labels.iter().enumerate().filter(|(_, label)| taken(label)) {
                if !wanted(&label.cause, &found) {
                    continue;
                }
                let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
                if let Some(report) = said(root, fathom, &name, (at, &label.cause)) {
                    let text =
                        |field: &str| table.get(field).and_then(toml::Value::as_str).unwrap_or("").to_owned();
                    let (title, source) = (text("title"), text("source"));
                    found.insert(label.cause.clone(), ShownTable { table: name, title, source, report });
                }
            }
        }
    }
    found
}

/// What a table is labelled with; empty where a question has no label.
#[derive(Default)]
struct Label {
    cause: String,
    is_sure: bool,
    is_stated: bool,
}

fn single_and_sure(label: &Label, questions: usize) -> bool {
    label.is_sure && questions == 1
}

fn sure(label: &Label, _: usize) -> bool {
    label.is_sure
}

fn stated(label: &Label, _: usize) -> bool {
    label.is_stated
}

fn read(path: &Path) -> Option<toml::Table> {
    std::fs::read_to_string(path).ok()?.parse().ok()
}

/// The labels of a table's questions, in their order.
fn labels(table: &toml::Table) -> Vec<Label> {
    let asked = table.get("explain").and_then(toml::Value::as_array).into_iter().flatten();
    let label = |asked: &toml::Value| {
        let label = asked.get("label")?;
        let is = |name: &str, value: &toml::Value| label.get(name) == Some(value);
        Some(Label {
            cause: label.get("cause")?.as_str()?.to_owned(),
            is_sure: is("sure", &toml::Value::Boolean(true)),
            is_stated: is("basis", &toml::Value::String("stated".to_owned())),
        })
    };
    asked.map(|asked| label(asked).unwrap_or_default()).collect()
}

fn tables(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    paths
}

/// What fathom prints of a table, where it names this cause first to the question at this place.
fn said(root: &Path, fathom: &Path, table: &str, (at, cause): (usize, &str)) -> Option<String> {
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
    let first = record["patterns"][at]["verdict"]["claims"][0]["limit"].as_str()?;
    (first == cause).then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_in_the_order_of_their_questions() {
        let folder = tempfile::tempdir().unwrap();
        let label = |cause: &str, rest: &str| {
            format!("[[explain]]\nrows = [\"a\"]\nlabel = {{ cause = \"{cause}\", {rest} }}\n")
        };
        let text = label("numa", "sure = true")
            + "[[explain]]\nrows = [\"b\"]\n"
            + &label("copies", "sure = false, basis = \"stated\"");
        std::fs::write(folder.path().join("a.toml"), text).unwrap();
        std::fs::write(folder.path().join("b.md"), "no table").unwrap();
        let paths = tables(folder.path());
        let labels = labels(&read(&paths[0]).unwrap());
        assert_eq!((paths.len(), labels.len()), (1, 3));
        assert!(sure(&labels[0], 3) && !single_and_sure(&labels[0], 3) && single_and_sure(&labels[0], 1));
        assert!(labels[1].cause.is_empty() && !stated(&labels[1], 3));
        assert!(stated(&labels[2], 3) && !sure(&labels[2], 3) && labels[2].cause == "copies");
    }
}
