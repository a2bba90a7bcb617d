//! A public item that nothing names is dead, and the compiler does not say so: somebody else could name it.

use std::collections::HashMap;

use crate::finding::Finding;
use crate::tree::Tree;

/// What a public item begins with, behind its visibility.
const KINDS: [&str; 7] = ["fn ", "struct ", "enum ", "trait ", "const ", "static ", "type "];
/// What may stand between.
const QUALIFIERS: [&str; 3] = ["const fn ", "unsafe fn ", "async fn "];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut named: HashMap<&str, u32> = HashMap::new();
    for file in tree.rust() {
        for word in file.scan.code.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            *named.entry(word).or_default() += 1;
        }
    }
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with("crates/")) {
        for (index, line) in file.scan.code.lines().enumerate() {
            let Some(name) = public_name(line) else { continue };
            if named.get(name) == Some(&1) {
                let message = format!("nothing names `{name}`: take it out");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

/// The name of the public item that a line begins.
fn public_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let rest = rest.strip_prefix(' ')?;
    let begins = |words: &[&str]| words.iter().find_map(|word| rest.strip_prefix(word));
    let name = begins(&QUALIFIERS).or_else(|| begins(&KINDS))?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    Some(&name[..end]).filter(|name| !name.is_empty() && *name != "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_that_nothing_names_are_found() {
        let tree = Tree::of(&[
            (
                "crates/a/src/lib.rs",
                "pub fn used() {}\npub const fn left() {}\npub(crate) struct Gone;\nfn own() {}\n",
            ),
            ("crates/b/src/lib.rs", "fn calls() { a::used(); }\n// left\n"),
            ("lab/src/main.rs", "pub fn alone() {}\n"),
        ]);
        let found: Vec<usize> = check(&tree).iter().map(|finding| finding.line).collect();
        assert_eq!(found, [2, 3]);
    }
}
