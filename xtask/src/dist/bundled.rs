//! What is built into the program and Cargo does not list: the libraries of C and Rust, SQLite, and the page's chart library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A part of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: &'static str,
    /// Absent where nothing says it.
    pub version: Option<String>,
    /// As SPDX has it; none for the public domain, for which SPDX has no name.
    pub licence: Option<&'static str>,
    /// Its name among package managers, without the version.
    pub purl: Option<&'static str>,
    /// What must go with it, word for word.
    pub notice: Option<String>,
}

/// musl's words, which no package of Rust's brings.
const MUSL: &str = include_str!("musl.txt");
/// Packages of the page whose source is in what is served; the bundler leaves everything else out.
const IN_PAGE: &str = "uplot";

/// All of them in our package `of`, built for `target`; `metadata` is what `cargo metadata` prints.
///
/// # Errors
/// Where one that must be there cannot be read.
pub fn parts(root: &Path, metadata: &Value, of: &str, target: &str) -> Result<Vec<Part>, String> {
    let mut parts = vec![standard_library()?];
    if target.ends_with("-musl") {
        parts.push(Part {
            name: "musl",
            version: None,
            licence: Some("MIT"),
            purl: None,
            notice: Some(MUSL.to_owned()),
        });
    }
    // Only the program has a store and a page.
    if of == "fathom" {
        parts.extend(sqlite(metadata)?);
        parts.extend(chart(root)?);
    }
    Ok(parts)
}

fn standard_library() -> Result<Part, String> {
    let output = Command::new("rustc").arg("--version").output();
    let output = output.map_err(|error| format!("rustc --version: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // `rustc 1.95.0 (59807616e 2026-04-14)`
    let version = text.split_whitespace().nth(1).map(str::to_owned);
    let notice = "Copyright (c) The Rust Project Contributors, under the MIT license or the Apache License 2.0;\n\
                  https://github.com/rust-lang/rust/blob/HEAD/COPYRIGHT names what parts of it others wrote.\n";
    Ok(Part {
        name: "rust-std",
        version,
        licence: Some("MIT OR Apache-2.0"),
        purl: None,
        notice: Some(notice.to_owned()),
    })
}

/// SQLite's source comes inside a package that only binds it, and has a version of its own.
fn sqlite(metadata: &Value) -> Result<Option<Part>, String> {
    let Some(folder) = folder(metadata, "libsqlite3-sys") else { return Ok(None) };
    let header = folder.join("sqlite3/sqlite3.h");
    let text = fs::read_to_string(&header).map_err(|error| format!("{}: {error}", header.display()))?;
    let version = sqlite_version(&text).ok_or_else(|| format!("{}: no version in it", header.display()))?;
    Ok(Some(Part { name: "sqlite", version: Some(version), licence: None, purl: None, notice: None }))
}

/// `#define SQLITE_VERSION        "3.54.1"`
fn sqlite_version(header: &str) -> Option<String> {
    let line = header.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "))?;
    Some(line.trim().trim_matches('"').to_owned())
}

/// The chart library, where npm has brought it to make the page.
fn chart(root: &Path) -> Result<Option<Part>, String> {
    let folder = root.join("web/node_modules").join(IN_PAGE);
    if !folder.is_dir() || !root.join("crates/page/dist/index.html").is_file() {
        return Ok(None);
    }
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let manifest: Value =
        serde_json::from_str(&read("package.json")?).map_err(|error| format!("{IN_PAGE}: {error}"))?;
    Ok(Some(Part {
        name: "uPlot",
        version: manifest["version"].as_str().map(str::to_owned),
        licence: Some("MIT"),
        purl: Some("pkg:npm/uplot"),
        notice: Some(read("LICENSE")?),
    }))
}

/// Where a package's source lies here.
pub fn folder(metadata: &Value, name: &str) -> Option<PathBuf> {
    let packages = metadata["packages"].as_array()?;
    let package = packages.iter().find(|package| package["name"] == name)?;
    Path::new(package["manifest_path"].as_str()?).parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_states_its_version_in_its_header() {
        let header = "#ifndef SQLITE3_H\n#define SQLITE_VERSION        \"3.54.1\"\n#define SQLITE_VERSION_NUMBER 3054001\n";
        assert_eq!(sqlite_version(header).as_deref(), Some("3.54.1"));
        assert_eq!(sqlite_version("#define SQLITE_VERSION_NUMBER 3054001\n"), None);
    }

    #[test]
    fn musl_is_in_static_programs_alone() {
        let names = |target: &str| {
            let parts = parts(Path::new("/nothing"), &Value::Null, "room", target).expect("parts");
            parts.into_iter().map(|part| part.name).collect::<Vec<_>>()
        };
        assert_eq!(names("aarch64-unknown-linux-musl"), ["rust-std", "musl"]);
        assert_eq!(names("x86_64-unknown-linux-gnu"), ["rust-std"]);
    }
}
