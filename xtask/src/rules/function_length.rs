//! A function fits on a screen: 70 lines. Tests may be longer.
//!
//! Clippy's `too_many_lines` leaves out comments, knows no tests, and sees only what is compiled for this machine.

use crate::finding::Finding;
use crate::source_scan::functions;
use crate::tree::Tree;

const MAX_LINES: usize = 70;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| !file.test) {
        for function in functions(&file.scan.code).iter().filter(|function| !function.test) {
            let lines = function.last_line + 1 - function.first_line;
            if lines > MAX_LINES {
                let message =
                    format!("`{}` has {lines} lines: at most {MAX_LINES}; split it by step", function.name);
                findings.push(Finding::new(&file.path, function.first_line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_functions_are_found_outside_tests() {
        let body = "    let a = \"}\"; // }\n".repeat(69);
        let long = format!("\nfn long() {{\n{body}}}\n");
        let test = format!("#[cfg(test)]\nmod tests {{{long}}}");
        let short = long.replacen("    let a = \"}\"; // }\n", "", 1);
        let tree = Tree::of(&[
            ("src/a.rs", &long),
            ("src/b.rs", &test),
            ("src/c.rs", &short),
            ("tests/d.rs", &long),
        ]);
        let found = check(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].line), ("src/a.rs", 2));
        assert!(found[0].message.contains("`long` has 71 lines"));
    }
}
