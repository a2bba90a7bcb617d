//! The project speaks of itself alone: no absolute path of a machine it was written on.

use crate::finding::Finding;
use crate::tree::Tree;

// Put together from parts, so that this file does not break its own rule.
const PLACES: [&str; 5] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/tmp/", "brief"),
    concat!("/tmp/", "target-"),
    concat!("../sha", "red/"),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        for (index, line) in file.text.lines().enumerate() {
            for place in PLACES.iter().filter(|place| names(line, place)) {
                let message = format!("`{place}` is a place on one machine: take it out");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

/// Whether the path stands at the start of a word: `a/b/` is not `/b/`.
fn names(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || "/._-~}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_paths_are_found() {
        let text = format!("see {}x\nhome{}x is fine\n(\"{}y\")", PLACES[0], PLACES[0], PLACES[1]);
        let lines: Vec<usize> = check(&Tree::of(&[("a.md", &text)])).iter().map(|f| f.line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
