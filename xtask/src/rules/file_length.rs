//! A file that is longer than 800 lines says why, or is split.

use crate::finding::Finding;
use crate::tree::Tree;

const MAX_LINES: usize = 800;
const REASON: &str = "// Length: ";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let lines = file.text.lines().count();
        let reasoned = || file.text.lines().any(|line| line.trim_start().starts_with(REASON));
        if lines > MAX_LINES && !reasoned() {
            let message =
                format!("{lines} lines: split it by idea, or say why it is one with a line `{REASON}reason`");
            findings.push(Finding::new(&file.path, MAX_LINES + 1, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_need_a_reason() {
        let long = "\n".repeat(801);
        let reasoned = format!("// Length: one table.\n{long}");
        let tree =
            Tree::of(&[("a.rs", &long), ("b.rs", &reasoned), ("c.rs", &"\n".repeat(800)), ("d.md", &long)]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["a.rs"]);
    }
}
