//! Links in Rust's documentation lead to names that exist: the compiler does not follow them.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Finding;
use crate::manifest::Manifest;
use crate::source_scan::words;
use crate::tree::Tree;

/// Keywords that the name of an item follows.
const KEYWORDS: [&str; 10] =
    ["mod", "fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"];
/// What a path within a crate begins with.
const WITHIN: [&str; 3] = ["crate", "self", "super"];
/// What every file has without importing it.
const EVERYWHERE: [&str; 32] = [
    "Self", "std", "core", "alloc", "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8",
    "i16", "i32", "i64", "i128", "isize", "f32", "f64", "Option", "Some", "None", "Result", "Ok", "Err",
    "String", "Vec", "Box", "Iterator", "Drop",
];

/// What a link's path may begin with and pass.
struct Names<'a> {
    /// What each package declares or imports, by the package's folder.
    declared: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Every crate, with its folder where it is one of ours.
    crates: BTreeMap<String, Option<&'a str>>,
}

pub fn check(tree: &Tree) -> Vec<Finding> {
    let names = Names::of(tree);
    let mut findings = Vec::new();
    for file in tree.rust() {
        let here = names_in(&file.scan.code);
        let folder = package_folder(tree, &file.path);
        let mut fenced = false;
        for (index, line) in file.scan.comments.lines().enumerate() {
            let line = line.trim_start();
            let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { continue };
            fenced ^= text.trim_start().starts_with("```");
            for path in targets(text).filter(|path| !fenced && !names.lead(path, folder, &here)) {
                let message =
                    format!("`{path}` names nothing that is declared or imported: put the link right");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

impl<'a> Names<'a> {
    fn of(tree: &'a Tree) -> Self {
        let mut declared: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in tree.rust() {
            declared.entry(package_folder(tree, &file.path)).or_default().extend(names_in(&file.scan.code));
        }
        let mut crates = BTreeMap::new();
        for manifest in &tree.manifests {
            for name in manifest.dependencies.iter().chain(&manifest.other_dependencies) {
                crates.entry(name.replace('-', "_")).or_insert(None);
            }
            if let Some(name) = &manifest.name {
                crates.insert(name.replace('-', "_"), Some(manifest.folder()));
            }
        }
        Self { declared, crates }
    }

    /// Whether a path leads somewhere from a file of a package. What is below a type is not followed.
    fn lead(&self, path: &str, folder: &str, here: &BTreeSet<&str>) -> bool {
        let mut parts = path.split("::");
        let first = parts.next().unwrap_or_default();
        let folder = match self.crates.get(first) {
            _ if WITHIN.contains(&first) => Some(folder),
            _ if EVERYWHERE.contains(&first) || here.contains(first) => return true,
            Some(folder) => *folder,
            None => return false,
        };
        let Some(declared) = folder.and_then(|folder| self.declared.get(folder)) else { return true };
        parts
            .take_while(|part| !part.starts_with(char::is_uppercase))
            .all(|part| WITHIN.contains(&part) || declared.contains(part))
    }
}

/// The folder of the package that a file belongs to.
fn package_folder<'a>(tree: &'a Tree, path: &str) -> &'a str {
    let folders = tree.manifests.iter().map(Manifest::folder).filter(|folder| path.starts_with(folder));
    folders.max_by_key(|folder| folder.len()).unwrap_or_default()
}

/// The names that a file's code declares or imports.
fn names_in(code: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut before = "";
    for word in code.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()) {
        if KEYWORDS.contains(&before) {
            names.insert(word);
        }
        before = word;
    }
    for at in words(code, "use") {
        let imports = code[at + "use".len()..].split(';').next().unwrap_or_default();
        let mut parent = "";
        for import in imports.split([',', '{', '}']).map(str::trim) {
            let path = if import == "self" { parent } else { import };
            names.insert(last_word(path));
            if let Some(path) = import.strip_suffix("::") {
                parent = path;
            }
        }
    }
    names
}

fn last_word(path: &str) -> &str {
    path.rsplit(|c: char| !is_of_word(c)).next().unwrap_or_default()
}

/// The paths of code that the links of a line name.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let named = text.split("[`").skip(1).filter_map(|rest| rest.split_once("`]"));
    let named = named.filter(|(_, after)| !after.starts_with('(')).map(|(name, _)| name);
    let written = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    named.chain(written).map(path_of).filter(|path| is_path(path))
}

/// A link's target without its kind (`fn@`), its generics and its brackets.
fn path_of(target: &str) -> &str {
    let target = target.split_once('@').map_or(target, |(_, path)| path);
    target.split(['<', '(', '!']).next().unwrap_or_default()
}

fn is_path(target: &str) -> bool {
    target
        .split("::")
        .all(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(is_of_word))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "mod curve;\nuse crate::speed::{self, Fast};\nuse fathom_b::series as rows;\n\
                        macro_rules! listed { () => {} }\npub const fn ends() {}\nstruct Point;\n";

    fn refused(comment: &str) -> Vec<(usize, String)> {
        let text = format!("{comment}\n{CODE}");
        let manifest =
            |name: &str| format!("[package]\nname = \"fathom-{name}\"\n[dependencies]\nserde = \"1\"\n");
        let (first, second) = (manifest("a"), manifest("b"));
        let tree = Tree::of(&[
            ("crates/a/Cargo.toml", first.as_str()),
            ("crates/a/src/lib.rs", text.as_str()),
            ("crates/a/src/speed.rs", "pub fn slow() {}\n"),
            ("crates/b/Cargo.toml", second.as_str()),
            ("crates/b/src/lib.rs", "pub mod series;\n"),
        ]);
        let name = |finding: Finding| (finding.line, finding.message.split('`').nth(1).unwrap().to_owned());
        check(&tree).into_iter().map(name).collect()
    }

    #[test]
    fn links_lead_to_what_a_file_declares_or_imports() {
        let right = "//! [`curve`], [`speed`], [`Fast::of`], [`rows`], [`listed!`], [`ends()`], [`Point<'_>`],\n\
                     //! [the end](ends()), [a point](struct@Point), [`u64`], [`Self::x`], [`serde::Serialize`],\n\
                     //! [`A`](https://a.b/c), [part](#part), [file](a.md), `a[1](x y)`, [`\n\
                     // [`gone`]\n//! ```\n//! [`gone`]\n//! ```";
        assert!(refused(right).is_empty());
        let wrong = "//! [`shape`] and [`Slow::of`]\n/// a [curve](curves::A), [`gone()`]";
        let expected = [(1, "shape"), (1, "Slow::of"), (2, "gone"), (2, "curves::A")];
        assert_eq!(refused(wrong), expected.map(|(line, path)| (line, path.to_owned())));
    }

    #[test]
    fn paths_are_followed_through_the_modules_of_ours() {
        let right =
            "//! [`crate::speed::slow`], [`super::curve`], [`fathom_b::series::Row::new`], [`crate::Any`]";
        assert!(refused(right).is_empty());
        let wrong = "//! [`crate::pace::slow`], [slow](super::speed::quick), [`fathom_b::rows::Row`]";
        let expected = ["crate::pace::slow", "fathom_b::rows::Row", "super::speed::quick"];
        assert_eq!(refused(wrong), expected.map(|path| (1, path.to_owned())));
    }
}
