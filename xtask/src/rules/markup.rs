//! Names of targets, runs and notes come from people and devices: the page puts them in as text, never as markup.

use crate::finding::Finding;
use crate::tree::Tree;

/// What reads a string as HTML or as a program.
const CALLS: [&str; 7] =
    ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval(", "new Function"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.starts_with("web/") && file.path.ends_with(".ts")) {
        for (index, line) in file.text.lines().enumerate() {
            for call in CALLS.iter().filter(|call| line.contains(**call)) {
                let message =
                    format!("`{call}` reads a string as markup: make elements with `el`, text as text");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_become_markup_are_found_in_the_page_alone() {
        let text = "a.textContent = b;\nc.innerHTML = d;\n";
        let lines = |path: &str| -> Vec<usize> {
            check(&Tree::of(&[(path, text)])).iter().map(|finding| finding.line).collect()
        };
        assert_eq!(lines("web/src/a.ts"), [2]);
        assert!(lines("crates/report/templates/page.js").is_empty());
    }
}
