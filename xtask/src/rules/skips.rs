//! What a test goes without is noted where it is listed, not printed where nobody sees it.

use crate::finding::Finding;
use crate::source_scan::line_of;
use crate::tree::Tree;

/// Words of a message that a test is not carried out.
const WORDS: [&str; 3] = ["skipped", "not tested", "not here"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with("crates/") && !file.path.contains("/bin/")) {
        for (at, print) in file.text.match_indices("println!(") {
            let said = file.text[at + print.len()..].lines().take(2).collect::<String>();
            let said = said.split_once(");").map_or(said.as_str(), |(said, _)| said);
            if WORDS.iter().any(|word| said.contains(word)) {
                let message = "a test that is not carried out says so through `fathom_skips::skipped`";
                findings.push(Finding::new(&file.path, line_of(&file.text, at), message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_is_not_only_printed() {
        let source = "#[test]\nfn a() {\n    eprintln!(\"skipped: no fio\");\n    println!(\"read\"); // skipped\n\
                      fathom_skips::skipped(\"no fio\");\n}\n";
        let lines: Vec<usize> = check(&Tree::of(&[("crates/a.rs", source)])).iter().map(|f| f.line).collect();
        assert_eq!(lines, [3]);
    }
}
