//! Which Rust files are reached from a crate's roots, and which of them only in tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::scan::{has_attribute, name, words};
use crate::tree::{File, Tree};

/// What is reached, by path.
#[derive(Debug, Default)]
pub struct Reach {
    pub reached: BTreeSet<String>,
    pub tests: BTreeSet<String>,
}

/// Whether a path lies in a folder whose files are tests or benchmarks of their crate.
pub fn is_test_path(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "benches"))
}

/// Follows every `mod` from the roots that Cargo knows.
pub fn reach(tree: &Tree) -> Reach {
    let files: BTreeMap<&str, &File> = tree.rust().map(|file| (file.path.as_str(), file)).collect();
    let mut reach = Reach::default();
    let mut open: Vec<(String, bool)> =
        files.keys().filter(|path| is_root(tree, path)).map(|path| (path.to_string(), false)).collect();
    while let Some((path, test)) = open.pop() {
        let known = reach.reached.contains(&path) && (test || !reach.tests.contains(&path));
        let Some(file) = files.get(path.as_str()).filter(|_| !known) else { continue };
        if test && !reach.reached.contains(&path) {
            reach.tests.insert(path.clone());
        }
        if !test {
            reach.tests.remove(&path);
        }
        reach.reached.insert(path.clone());
        let root = is_root(tree, &path);
        for (candidates, in_test) in children(file, root) {
            open.extend(candidates.into_iter().map(|candidate| (candidate, test || in_test)));
        }
    }
    reach
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

/// Files that the `mod name;` of a file may mean, and whether they are for tests alone.
fn children(file: &File, root: bool) -> Vec<(Vec<String>, bool)> {
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
        found.push((candidates, has_attribute(code, at, "#[cfg(test)]")));
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
    }
}
