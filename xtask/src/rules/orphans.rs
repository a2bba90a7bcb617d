//! Every Rust file is part of a crate: one that no `mod` reaches is not compiled and not tested.

use crate::finding::Finding;
use crate::modules::reach;
use crate::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let reached = reach(tree).reached;
    let orphans = tree.rust().filter(|file| !reached.contains(&file.path));
    orphans.map(|file| Finding::new(&file.path, 1, "no `mod` leads here: declare it or delete it")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_no_module_names_are_found() {
        let tree = Tree::of(&[
            ("crates/a/Cargo.toml", "[package]\nname = 'a'"),
            ("crates/a/src/main.rs", "mod b;"),
            ("crates/a/src/b.rs", ""),
            ("crates/a/src/c.rs", ""),
            ("crates/a/build.rs", ""),
            ("loose.rs", ""),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["crates/a/src/c.rs", "loose.rs"]);
    }
}
