//! Every `unsafe` has its reason above it: `// SAFETY:`, or `# Safety` on what callers must hold.
//!
//! Clippy's `undocumented_unsafe_blocks` sees only what is compiled for this machine: nothing of Windows or Arm.

use crate::finding::Finding;
use crate::source_scan::{line_of, name, words};
use crate::tree::{File, Tree};

/// How far above the statement's first line a reason may start.
const REACH_LINES: usize = 8;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let code = &file.scan.code;
        for at in words(code, "unsafe") {
            let line = line_of(code, at);
            let behind = code[at + "unsafe".len()..].trim_start();
            // `unsafe fn(...)` is the type of a pointer: nothing happens there.
            let pointer = name(behind) == "fn" && behind[2..].trim_start().starts_with('(');
            if !pointer && !has_reason(file, line) {
                let message = "say above why this is sound: `// SAFETY: ...` (or `# Safety` on an unsafe fn)";
                findings.push(Finding::new(&file.path, line, message));
            }
        }
    }
    findings
}

fn has_reason(file: &File, line: usize) -> bool {
    let code: Vec<&str> = file.scan.code.lines().collect();
    let comments: Vec<&str> = file.scan.comments.lines().collect();
    let says = |index: usize| {
        comments.get(index).is_some_and(|text| text.contains("SAFETY:") || text.contains("# Safety"))
    };
    let first = line.saturating_sub(1 + REACH_LINES);
    if (first..line).any(says) {
        return true;
    }
    // A longer comment or more attributes, directly above.
    let plain = |index: &usize| {
        let code = code[*index].trim();
        !comments[*index].trim().is_empty() || code.starts_with("#[")
    };
    (0..line.saturating_sub(1)).rev().take_while(plain).any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_looked_for_above() {
        let far = format!("// SAFETY: long ago.\n{}let a = unsafe {{ b() }};", "let c = 1;\n".repeat(9));
        let long = format!("/// # Safety\n{}#[inline]\nunsafe fn c() {{}}", "/// words\n".repeat(20));
        let tree = Tree::of(&[
            ("good.rs", "#![allow(unsafe_code)]\n// SAFETY: it is.\nlet a =\n    unsafe { b() };"),
            ("bad.rs", "let s = \"// SAFETY: no\";\nlet a = unsafe { b() }; // unsafe"),
            ("far.rs", &far),
            ("long.rs", &long),
            ("type.rs", "type F = unsafe fn(u8); // unsafe"),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| (f.path, f.line)).collect();
        assert_eq!(found, [("bad.rs".to_owned(), 2), ("far.rs".to_owned(), 11)]);
    }
}
