//! Links in documentation lead to files that exist.

use crate::finding::Finding;
use crate::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        let mut fenced = false;
        for (index, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if fenced {
                continue;
            }
            for target in targets(line) {
                if !leads_somewhere(tree, &file.path, &target) {
                    let message = format!("`{target}` does not exist: put the link right");
                    findings.push(Finding::new(&file.path, index + 1, message));
                }
            }
        }
    }
    findings
}

/// What the links and pictures of a line point to, code spans left out.
fn targets(line: &str) -> Vec<String> {
    let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let starts = text.split("](").skip(1);
    starts.filter_map(|rest| rest.split(')').next()?.split_whitespace().next().map(str::to_owned)).collect()
}

fn leads_somewhere(tree: &Tree, from: &str, target: &str) -> bool {
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
        return true;
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return false;
                }
            }
            part => parts.push(part),
        }
    }
    !path.starts_with('/') && (parts.is_empty() || tree.paths.contains(&parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_from_their_file() {
        let text = "[a](../README.md#x) [b](gone.md) ![c](pic.svg \"title\") [d](https://x.y/z) [e](#here)\n\
                    `[f](gone.md)` [g](/abs.md) [h](../../out.md) [i](.)\n```\n[j](gone.md)\n```\n[k](../docs)";
        let mut tree = Tree::of(&[("docs/a.md", text), ("README.md", "")]);
        tree.paths.extend(["docs".to_owned(), "docs/pic.svg".to_owned()]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| (f.line, f.message)).collect();
        let targets: Vec<_> =
            found.iter().map(|(line, m)| (*line, m.split('`').nth(1).unwrap_or(""))).collect();
        assert_eq!(targets, [(1, "gone.md"), (2, "/abs.md"), (2, "../../out.md")]);
    }
}
