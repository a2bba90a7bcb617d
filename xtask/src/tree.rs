//! The files of the project, read once: text, and for Rust what is code and what is comment.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::manifest::Manifest;
use crate::modules;
use crate::source_scan::{self, Scan};

/// Folders that hold nothing of ours, by their whole path: build results, version control, found fuzz inputs, what npm
/// brings.
const SKIPPED: [&str; 8] = [
    "target",
    ".git",
    "fuzz/target",
    "fuzz/corpus",
    "fuzz/artifacts",
    "web/node_modules",
    "web/build",
    "crates/page/dist",
];
/// Endings of files that people write as text.
const TEXTS: [&str; 13] =
    ["rs", "md", "toml", "sh", "html", "css", "js", "ts", "txt", "sql", "yaml", "yml", "csv"];

/// One text file.
#[derive(Debug)]
pub struct File {
    /// Relative to the workspace, with `/`.
    pub path: String,
    pub text: String,
    /// Code and comments of a Rust file; empty for others.
    pub scan: Scan,
    /// Part of the tests only.
    pub test: bool,
}

/// The project.
#[derive(Debug, Default)]
pub struct Tree {
    pub files: Vec<File>,
    pub manifests: Vec<Manifest>,
    /// Every path, text or not, folders included: what a link may point to.
    pub paths: BTreeSet<String>,
}

impl Tree {
    pub fn read(root: &Path) -> Result<Self, String> {
        let mut texts = Vec::new();
        let mut paths = BTreeSet::new();
        walk(root, "", &mut texts, &mut paths)?;
        Self::new(texts, paths)
    }

    /// A tree of given files, as `(path, text)`.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let texts: Vec<_> = files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        let paths = texts.iter().map(|(path, _)| path.clone()).collect();
        Self::new(texts, paths).expect("the manifests of a test are right")
    }

    fn new(texts: Vec<(String, String)>, paths: BTreeSet<String>) -> Result<Self, String> {
        let mut manifests = Vec::new();
        for (path, text) in texts.iter().filter(|(path, _)| is_manifest(path)) {
            manifests.push(Manifest::read(path, text)?);
        }
        let files = texts
            .into_iter()
            .map(|(path, text)| {
                let scan = if path.ends_with(".rs") { source_scan::scan(&text) } else { Scan::default() };
                let test = modules::is_test_path(&path);
                File { path, text, scan, test }
            })
            .collect();
        let mut tree = Self { files, manifests, paths };
        let tests = modules::reach(&tree).tests;
        for file in &mut tree.files {
            file.test |= tests.contains(&file.path);
        }
        Ok(tree)
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

fn is_manifest(path: &str) -> bool {
    path == "Cargo.toml" || path.ends_with("/Cargo.toml")
}

fn is_text(path: &str) -> bool {
    path == ".ci/run" || Path::new(path).extension().is_some_and(|end| TEXTS.iter().any(|text| end == *text))
}

fn walk(
    root: &Path,
    folder: &str,
    texts: &mut Vec<(String, String)>,
    paths: &mut BTreeSet<String>,
) -> Result<(), String> {
    let entries = fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{folder}: {error}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type().map_err(|error| format!("{path}: {error}"))?;
        paths.insert(path.clone());
        if kind.is_dir() && !SKIPPED.contains(&path.as_str()) {
            walk(root, &path, texts, paths)?;
        } else if kind.is_file() && is_text(&path) {
            let text = fs::read_to_string(root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
            texts.push((path, text));
        }
    }
    Ok(())
}
