//! No text of the project holds notes to its authors, unfinished code, or tests that do not run.

use crate::finding::Finding;
use crate::source_scan::words;
use crate::tree::Tree;

// Put together from parts, so that this file does not break its own rule.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
const CODE: [&str; 4] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("#[ig", "nore"),
    concat!("allow(dead", "_code"),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        for (index, line) in file.text.lines().enumerate() {
            for note in NOTES.iter().filter(|note| words(line, note).next().is_some()) {
                let message = format!("`{note}`: do it, or open an issue and take the note out");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
            let squeezed = line.replace(' ', "");
            for code in CODE.iter().filter(|code| file.path.ends_with(".rs") && squeezed.contains(**code)) {
                let message = format!("`{code}`: finish it or remove it");
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
    fn notes_are_found_as_words_only() {
        let text = format!("a\n// {}: later\nmktemp aXXXX XXXXXX\n{}\"x\")", NOTES[0], CODE[0]);
        let tree = Tree::of(&[("a.rs", &text), ("b.md", "todo = \"warn\"")]);
        let lines: Vec<usize> = check(&tree).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [2, 4]);
    }

    #[test]
    fn tests_that_do_not_run_are_found() {
        let text = format!("{} = \"slow\"]\n#![ {})]", CODE[2], CODE[3]);
        assert_eq!(check(&Tree::of(&[("a.rs", &text)])).len(), 2);
    }
}
