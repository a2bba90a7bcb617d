//! Every Rust file starts with a comment that says what it makes from what.

use crate::finding::Finding;
use crate::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let first =
            file.text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#!["));
        let said =
            first.and_then(|line| line.strip_prefix("//!")).is_some_and(|rest| !rest.trim().is_empty());
        if !said {
            let message = "start the file with `//!` and what the module makes from what";
            findings.push(Finding::new(&file.path, 1, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_files_are_found() {
        let tree = Tree::of(&[
            ("a.rs", "//! Makes b from c.\nfn a() {}"),
            ("b.rs", "#![allow(unsafe_code)]\n//! Makes.\n"),
            ("c.rs", "use std::fs;\n//! Late.\n"),
            ("d.rs", ""),
            ("e.rs", "//!\n"),
            ("f.md", "# F"),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["c.rs", "d.rs", "e.rs"]);
    }
}
