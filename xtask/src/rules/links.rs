//! Links in documentation, and the modules that the architecture's drawings name, lead to files that exist.

use crate::finding::Finding;
use crate::tree::Tree;

/// The page whose drawings name modules, as `room/module`.
const DRAWN: &str = "ARCHITECTURE.md";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        let mut fenced = false;
        for (index, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            let dangling: Vec<String> = if !fenced {
                let targets = targets(line).into_iter();
                targets.filter(|target| !leads_somewhere(tree, &file.path, target)).collect()
            } else if file.path == DRAWN {
                missing_modules(tree, line)
            } else {
                Vec::new()
            };
            for target in dangling {
                let message = format!("`{target}` does not exist: put the link right");
                findings.push(Finding::new(&file.path, index + 1, message));
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

/// The words `room/module` of a line whose first part is a room that has no such module.
fn missing_modules(tree: &Tree, line: &str) -> Vec<String> {
    let is_missing = |word: &&str| {
        let Some((room, module)) = word.split_once('/') else { return false };
        let source = format!("crates/{room}/src");
        let path = format!("{source}/{module}");
        tree.paths.contains(&source)
            && !tree.paths.contains(&path)
            && !tree.paths.contains(&format!("{path}.rs"))
    };
    let words = line.split(|letter: char| letter.is_whitespace() || letter == ',');
    words.filter(is_missing).map(str::to_owned).collect()
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

    #[test]
    fn drawings_of_the_architecture_name_modules_that_exist() {
        let text = "a/gone\n```\n plan ─► b/c   a, a/loop, a/job/run,\n  a/gone, a/job/gone ...\n```\n";
        let mut tree = Tree::of(&[
            ("ARCHITECTURE.md", text),
            ("docs/a.md", text),
            ("crates/a/src/loop.rs", ""),
            ("crates/a/src/job/run/mod.rs", ""),
        ]);
        tree.paths.extend(["crates/a/src".to_owned(), "crates/a/src/job/run".to_owned()]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| (f.path, f.line)).collect();
        assert_eq!(found, [("ARCHITECTURE.md".to_owned(), 4), ("ARCHITECTURE.md".to_owned(), 4)]);
    }
}
