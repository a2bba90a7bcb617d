//! What the licences of all that is built in ask to be handed on with the program: their texts, each once, with the names of
//! those that it is of.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::bundled::Part;

/// How the files are called in which packages keep such texts, in small letters.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
const RULE: &str = "\n--------------------------------------------------------------------------------\n\n";
const OWN: &str = "\
fathom is under the MIT license or the Apache License 2.0, as you choose: LICENSE-MIT and LICENSE-APACHE beside this file.

Parts of others are built into the program. Each is named here with its licence, and after them come the texts, each once.
";

/// The file; `built_in` are packages as `cargo metadata` prints them, with their sources on this machine.
///
/// # Errors
/// Where a text is there and cannot be read.
pub fn document(built_in: &[&Value], bundled: &[Part]) -> Result<String, String> {
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in bundled {
        let version = part.version.as_deref().unwrap_or_default();
        let name = format!("{} {version}", part.name).trim_end().to_owned();
        let _ = writeln!(list, "{name}: {}", part.licence.unwrap_or("public domain"));
        if let Some(notice) = &part.notice {
            texts.entry(tidied(notice)).or_default().push(name);
        }
    }
    for package in built_in {
        let word = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", word("name"), word("version"));
        let _ = write!(list, "{name}: {}", word("license").replace('/', " OR "));
        let found = found(Path::new(word("manifest_path")))?;
        if found.is_empty() {
            // Its authors put no text into it; who they are is all that there is to hand on.
            let _ = write!(list, " (no text in it; {})", word("repository"));
        }
        list.push('\n');
        for text in found {
            let of = texts.entry(tidied(&text)).or_default();
            if of.last() != Some(&name) {
                of.push(name.clone());
            }
        }
    }
    let mut document = format!("{OWN}\n{list}");
    for (text, of) in &texts {
        let _ = write!(document, "{RULE}{}:\n\n{text}\n", of.join(", "));
    }
    Ok(document)
}

/// The texts beside a package's manifest, in the order of their names.
fn found(manifest: &Path) -> Result<Vec<String>, String> {
    let folder = manifest.parent().unwrap_or(manifest);
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            path.is_file() && NAMES.iter().any(|known| name.starts_with(known))
        })
        .collect();
    paths.sort();
    let read = |path: &Path| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    paths.iter().map(|path| read(path)).collect()
}

/// Without what makes the same text two: ends of lines and the space around it.
fn tidied(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_two_share_stands_once_and_names_both() {
        let folder = tempfile::tempdir().expect("a folder");
        let package = |name: &str, files: &[(&str, &str)]| {
            let place = folder.path().join(name);
            fs::create_dir_all(&place).expect("a folder");
            for (file, text) in files {
                fs::write(place.join(file), text).expect("written");
            }
            json!({ "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "repository": "https://x.example",
                    "manifest_path": place.join("Cargo.toml") })
        };
        let packages = [
            package(
                "one",
                &[("LICENSE-MIT", "Take it.\r\nCopyright one\r\n"), ("README.md", "nothing of it")],
            ),
            package("two", &[("licence.txt", "Take it. \nCopyright one"), ("NOTICE", "By two")]),
            package("three", &[]),
        ];
        let packages: Vec<&Value> = packages.iter().collect();
        let part =
            Part { name: "sqlite", version: Some("3.1".to_owned()), licence: None, purl: None, notice: None };
        let text = document(&packages, &[part]).expect("a document");
        assert_eq!(text.matches("Copyright one").count(), 1, "{text}");
        assert!(
            text.contains("one 1.0.0, two 1.0.0:\n\nTake it.\n") && text.contains("two 1.0.0:\n\nBy two\n")
        );
        assert!(
            text.contains("three 1.0.0: MIT OR Apache-2.0 (no text in it; https://x.example)\n"),
            "{text}"
        );
        assert!(text.contains("sqlite 3.1: public domain\n") && !text.contains("nothing of it"), "{text}");
    }
}
