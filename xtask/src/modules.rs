//! Which Rust files are reached from a crate's roots, which of them only in tests, and which only on some systems.

use std::collections::{BTreeMap, BTreeSet};

use crate::source_scan::{asks_platform, attributes, has_attribute, name, words};
use crate::tree::{File, Tree};

/// What is reached, by path.
#[derive(Debug, Default)]
pub struct Reach {
    pub reached: BTreeSet<String>,
    pub tests: BTreeSet<String>,
    /// What a folder chooses by the operating system, and all below it.
    pub chosen: BTreeSet<String>,
}

/// Under what a file is reached.
#[derive(Clone, Copy, Debug, Default)]
struct ModuleContext {
    test: bool,
    chosen: bool,
}

/// Whether a path lies in a folder whose files are tests or benchmarks of their crate. The folder `benches` at the top
/// holds programs, which are no test of anything.
pub fn is_test_path(path: &str) -> bool {
    let inside = path.strip_prefix("benches/").unwrap_or(path);
    inside.split('/').any(|part| matches!(part, "tests" | "benches"))
}

/// Follows every `mod` from the roots that Cargo knows.
pub fn reach(tree: &Tree) -> Reach {
    let files: BTreeMap<&str, &File> = tree.rust().map(|file| (file.path.as_str(), file)).collect();
    let mut reach = Reach::default();
    let roots = files.keys().filter(|path| is_root(tree, path));
    let mut open: Vec<(String, ModuleContext)> =
        roots.map(|path| (path.to_string(), ModuleContext::default())).collect();
    while let Some((path, under)) = open.pop() {
        let known = reach.reached.contains(&path)
            && (under.test || !reach.tests.contains(&path))
            && (under.chosen || !reach.chosen.contains(&path));
        let Some(file) = files.get(path.as_str()).filter(|_| !known) else { continue };
        let under = ModuleContext { chosen: under.chosen || is_of_one_system(file), ..under };
        let first = reach.reached.insert(path.clone());
        note(&mut reach.tests, &path, under.test, first);
        note(&mut reach.chosen, &path, under.chosen, first);
        let root = is_root(tree, &path);
        for (candidates, child) in children(file, root) {
            let child =
                ModuleContext { test: under.test || child.test, chosen: under.chosen || child.chosen };
            open.extend(candidates.into_iter().map(|candidate| (candidate, child)));
        }
    }
    reach
}

/// Keeps among `only` what was reached in no other way.
fn note(only: &mut BTreeSet<String>, path: &str, is_so: bool, first: bool) {
    if !is_so {
        only.remove(path);
    } else if first {
        only.insert(path.to_owned());
    }
}

/// Whether a file says at its top that it is for some systems alone.
fn is_of_one_system(file: &File) -> bool {
    file.scan.code.lines().any(|line| line.starts_with("#![cfg(") && asks_platform(line))
}

/// Whether Cargo starts a crate at this file.
fn is_root(tree: &Tree, path: &str) -> bool {
    tree.manifests.iter().filter(|manifest| manifest.name.is_some()).any(|manifest| {
        let Some(inside) = path.strip_prefix(manifest.folder()) else { return false };
        let (folder, file) = inside.rsplit_once('/').unwrap_or(("", inside));
        match folder {
            "" => file == "build.rs",
            "src" => file == "lib.rs" || file == "main.rs",
            "src/bin" | "tests" | "benches" | "examples" | "fuzz_targets" => true,
            _ => {
                file == "main.rs"
                    && matches!(folder.split('/').next(), Some("tests" | "benches" | "examples"))
            }
        }
    })
}

/// Files that the `mod name;` of a file may mean, and under what.
fn children(file: &File, root: bool) -> Vec<(Vec<String>, ModuleContext)> {
    let code = &file.scan.code;
    let (folder, stem) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let inner = if root || stem == "mod.rs" {
        folder.to_owned()
    } else {
        format!("{folder}/{}", stem.trim_end_matches(".rs"))
    };
    let mut found = Vec::new();
    for at in words(code, "mod") {
        let module = name(&code[at + 3..]);
        let behind = code[at + 3..].trim_start().get(module.len()..).unwrap_or("").trim_start();
        if module.is_empty() || !behind.starts_with(';') {
            continue;
        }
        let mut candidates = vec![format!("{inner}/{module}.rs"), format!("{inner}/{module}/mod.rs")];
        let paths = paths_of(file, at);
        if !paths.is_empty() {
            candidates = paths.iter().map(|path| format!("{folder}/{path}")).collect();
        }
        // What tests have on every system is not of one.
        let before = attributes(code, at);
        let chosen = asks_platform(before) && !before.contains("any(test,") && !before.contains(", test)");
        found.push((candidates, ModuleContext { test: has_attribute(code, at, "#[cfg(test)]"), chosen }));
    }
    found
}

/// Files that the attributes before a `mod` name, one for each platform: `path = "linux.rs"`.
fn paths_of(file: &File, at: usize) -> Vec<String> {
    let before = &file.scan.code[..at];
    let start = before.rfind([';', '}', '{']).map_or(0, |end| end + 1);
    // A path is a string, which the code leaves blank, so it is read from the text at the same characters.
    let (skip, take) = (before[..start].chars().count(), before[start..].chars().count());
    let attributes: String = file.text.chars().skip(skip).take(take).collect();
    let values = attributes.split("path = \"").skip(1);
    values.filter_map(|rest| rest.split('"').next().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_measure_are_no_tests() {
        assert!(is_test_path("crates/a/benches/speed.rs") && is_test_path("crates/a/tests/all.rs"));
        assert!(is_test_path("benches/tests/all.rs"));
        assert!(!is_test_path("benches/src/main.rs") && !is_test_path("benches/instructions/src/main.rs"));
    }

    #[test]
    fn modules_are_followed_through_folders() {
        let tree = Tree::of(&[
            ("crates/a/Cargo.toml", "[package]\nname = 'a'"),
            (
                "crates/a/src/lib.rs",
                "mod b; #[cfg(test)]\nmod t; // mod gone;\n#[path = \"odd/x.rs\"] mod c;\n\
                 #[cfg_attr(unix, path = \"u.rs\")]\n#[cfg_attr(not(unix), path = \"w.rs\")]\nmod p;",
            ),
            ("crates/a/src/u.rs", ""),
            ("crates/a/src/w.rs", ""),
            ("crates/a/src/b.rs", "pub(crate) mod d;"),
            ("crates/a/src/b/d/mod.rs", "mod e;"),
            ("crates/a/src/b/d/e.rs", ""),
            ("crates/a/src/t.rs", "mod u;"),
            ("crates/a/src/t/u.rs", ""),
            ("crates/a/src/odd/x.rs", ""),
            ("crates/a/src/gone.rs", ""),
            ("crates/a/tests/all.rs", ""),
        ]);
        let reach = reach(&tree);
        assert!(!reach.reached.contains("crates/a/src/gone.rs"));
        assert_eq!(reach.reached.len(), 10);
        assert_eq!(reach.tests.iter().collect::<Vec<_>>(), ["crates/a/src/t.rs", "crates/a/src/t/u.rs"]);
        assert_eq!(reach.chosen.iter().collect::<Vec<_>>(), ["crates/a/src/u.rs", "crates/a/src/w.rs"]);
    }
}
