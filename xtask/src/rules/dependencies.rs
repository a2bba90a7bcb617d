//! Every dependency that is declared is used: the workspace's by a crate, a crate's by its code.
//!
//! cargo-machete looks for the same, but is a program to be installed, which a clean machine does not have; the task of
//! the house runs wherever the workspace compiles, and knows `[workspace.dependencies]` as well.

use crate::finding::Finding;
use crate::manifest::Manifest;
use crate::source_scan::words;
use crate::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in &tree.manifests {
        for name in &manifest.workspace_dependencies {
            let used = tree
                .manifests
                .iter()
                .any(|m| m.dependencies.contains(name) || m.other_dependencies.contains(name));
            if !used {
                let message = format!("no crate uses `{name}`: take it out of [workspace.dependencies]");
                findings.push(Finding::new(&manifest.path, manifest.line_of(name), message));
            }
        }
        for name in manifest.dependencies.iter().chain(&manifest.other_dependencies) {
            if !is_used(tree, manifest, name) {
                let message = format!("this crate's code never names `{name}`: take the dependency out");
                findings.push(Finding::new(&manifest.path, manifest.line_of(name), message));
            }
        }
    }
    findings
}

fn is_used(tree: &Tree, manifest: &Manifest, name: &str) -> bool {
    let identifier = name.replace('-', "_");
    // A package that carries on another's work keeps its library's name: `perf-event-open-sys2` is `perf_event_open_sys`.
    let bare = identifier.trim_end_matches(|c: char| c.is_ascii_digit());
    let named = |code: &str| [&identifier, bare].iter().any(|name| words(code, name).next().is_some());
    tree.rust().any(|file| file.path.starts_with(manifest.folder()) && named(&file.scan.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_dependencies_are_found() {
        let tree = Tree::of(&[
            ("Cargo.toml", "[workspace.dependencies]\nserde = '1'\nlibc = '0.2'\n"),
            (
                "crates/a/Cargo.toml",
                "[package]\nname = 'a'\n[dependencies]\nserde.workspace = true\nio-x = '1'",
            ),
            ("crates/a/src/lib.rs", "use serde::Serialize; // io_x"),
        ]);
        let places: Vec<_> = check(&tree).into_iter().map(|f| (f.path, f.line)).collect();
        assert_eq!(places, [("Cargo.toml".to_owned(), 3), ("crates/a/Cargo.toml".to_owned(), 5)]);
    }
}
