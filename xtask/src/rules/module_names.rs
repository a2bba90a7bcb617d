//! No module is a drawer: a name says what is inside, and no room has it twice.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Finding;
use crate::source_scan::{line_of, name, words};
use crate::tree::Tree;

const DRAWERS: [&str; 6] = ["util", "utils", "common", "helpers", "helper", "misc"];
/// Names that several rooms share on purpose: Cargo's own, a room's tests and errors, the platforms that a folder chooses
/// from, and other people's tools.
const SHARED: [&str; 10] =
    ["lib", "main", "tests", "error", "linux", "windows", "unix", "elsewhere", "fio", "diskspd"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut refuse = |path: &str, line, drawer: &str| {
        let message = format!("`{drawer}` says nothing: name the module after what it holds");
        findings.push(Finding::new(path, line, message));
    };
    for file in tree.rust() {
        let parts = file.path.trim_end_matches(".rs").split('/');
        if let Some(drawer) = parts.into_iter().find(|part| DRAWERS.contains(part)) {
            refuse(&file.path, 1, drawer);
        }
        let code = &file.scan.code;
        for at in words(code, "mod") {
            let module = name(&code[at + 3..]);
            if DRAWERS.contains(&module) {
                refuse(&file.path, line_of(code, at), module);
            }
        }
    }
    findings.extend(repeated(tree));
    findings
}

/// Files whose name a file of another room has too: who searches for a name finds one.
fn repeated(tree: &Tree) -> Vec<Finding> {
    let mut places: BTreeMap<&str, (BTreeSet<&str>, Vec<&str>)> = BTreeMap::new();
    for file in tree.rust().filter(|file| !file.test) {
        let Some((room, module)) = room_and_module(&file.path) else { continue };
        if !SHARED.contains(&module) {
            let (rooms, paths) = places.entry(module).or_default();
            rooms.insert(room);
            paths.push(&file.path);
        }
    }
    let repeated = places.into_iter().filter(|(_, (rooms, _))| rooms.len() > 1);
    let finding = |module: &str, path: &str| {
        Finding::new(path, 1, format!("another room has a `{module}` too: name it after what it holds"))
    };
    repeated
        .flat_map(|(module, (_, paths))| paths.into_iter().map(move |path| finding(module, path)))
        .collect()
}

/// The room that a source file is in, and the module that it is: `mod.rs` is its folder's.
fn room_and_module(path: &str) -> Option<(&str, &str)> {
    let (room, inner) = path.split_once("/src/")?;
    let module = inner.strip_suffix(".rs")?;
    let module = module.strip_suffix("/mod").unwrap_or(module);
    Some((room, module.rsplit('/').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawers_are_found_by_file_folder_and_name() {
        let tree = Tree::of(&[
            ("src/util.rs", ""),
            ("src/common/mod.rs", ""),
            ("src/a.rs", "\nmod misc {}\n// mod helpers\nmod common_mode {}"),
            ("src/utility.rs", ""),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| (f.path, f.line)).collect();
        let expected = [("src/util.rs", 1), ("src/common/mod.rs", 1), ("src/a.rs", 2)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn a_name_is_taken_by_one_room() {
        let once = Tree::of(&[
            ("crates/a/src/curve.rs", ""),
            ("crates/a/src/fit/curve.rs", ""),
            ("crates/b/src/curve_fit.rs", ""),
            ("crates/b/src/lib.rs", ""),
            ("crates/a/src/lib.rs", ""),
            ("crates/b/tests/curve.rs", ""),
        ]);
        assert!(check(&once).is_empty());
        let twice = Tree::of(&[("crates/a/src/curve.rs", ""), ("lab/src/curve/mod.rs", "")]);
        assert_eq!(check(&twice).len(), 2);
    }
}
