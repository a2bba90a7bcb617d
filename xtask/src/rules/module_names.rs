//! No module is a drawer: a name says what is inside.

use crate::finding::Finding;
use crate::source_scan::{line_of, name, words};
use crate::tree::Tree;

const DRAWERS: [&str; 6] = ["util", "utils", "common", "helpers", "helper", "misc"];
/// Names that many rooms could give a file of theirs; a reader who searches for one finds one.
const ONCE: [&str; 3] = ["words", "table", "layout"];

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
    findings.extend(ONCE.iter().flat_map(|stem| repeated(tree, stem)));
    findings
}

fn repeated(tree: &Tree, stem: &str) -> Vec<Finding> {
    let of_name =
        |path: &&str| path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")) == Some(stem);
    let paths: Vec<&str> = tree.rust().map(|file| file.path.as_str()).filter(of_name).collect();
    let finding = |path: &&str| {
        Finding::new(path, 1, format!("another room has a `{stem}.rs` too: name it after what it holds"))
    };
    if paths.len() > 1 { paths.iter().map(finding).collect() } else { Vec::new() }
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
    fn a_name_that_any_room_could_have_is_taken_once() {
        let once = Tree::of(&[("a/src/words.rs", ""), ("b/src/table.rs", ""), ("b/src/in_words.rs", "")]);
        assert!(check(&once).is_empty());
        let twice = Tree::of(&[("a/src/words.rs", ""), ("b/src/words.rs", "")]);
        assert_eq!(check(&twice).len(), 2);
    }
}
