//! Dependencies among our crates point down the layers of the design and never up.

use crate::finding::Finding;
use crate::tree::Tree;

const PREFIX: &str = "fathom-";

/// Each crate, and those of ours that it may be built from.
const LAYERS: [(&str, &[&str]); 36] = [
    ("archive", &[]),
    ("json", &[]),
    ("order", &[]),
    ("toml", &[]),
    ("spec", &[]),
    ("fabric", &["spec"]),
    ("measure", &[]),
    ("record", &["json", "order", "measure"]),
    ("target", &["order", "measure", "spec", "record", "fabric"]),
    ("sim", &["order", "measure", "record"]),
    ("engine", &["order", "measure", "spec", "record", "target", "sim", "fabric"]),
    ("nvmet", &["measure", "spec", "record", "target", "sim", "fabric", "engine"]),
    ("telemetry", &["order", "measure", "spec", "record"]),
    ("stats", &["order", "measure", "record"]),
    ("attribute", &["order", "toml", "measure", "record", "stats"]),
    ("sizing", &["record"]),
    ("store", &["json", "order", "measure", "record"]),
    ("tools", &["order", "measure", "record"]),
    ("rows", &["order", "record", "sizing", "tools"]),
    ("demand", &["json", "order", "record", "sizing", "tools", "rows"]),
    ("fleet", &["order", "measure", "record", "sizing", "tools", "rows", "demand"]),
    ("export", &["measure", "record", "tools"]),
    ("python", &["measure", "record", "sizing", "tools", "rows", "demand", "fleet", "export"]),
    ("published", &["order", "toml", "measure", "record", "attribute", "tools"]),
    ("plan", &["toml", "measure", "record", "sizing"]),
    ("report", &["json", "order", "measure", "record", "plan"]),
    (
        "campaign",
        &[
            "json",
            "order",
            "measure",
            "record",
            "stats",
            "attribute",
            "sizing",
            "store",
            "plan",
            "tools",
            "rows",
            "demand",
            "target",
            "sim",
            "engine",
            "telemetry",
        ],
    ),
    (
        "page",
        &[
            "json", "order", "measure", "record", "tools", "rows", "fleet", "store", "plan", "report",
            "campaign",
        ],
    ),
    ("conformance", &["record", "fabric", "engine"]),
    ("skips", &[]),
    ("truth", &["measure", "record", "stats", "sizing"]),
    ("instructions", &["measure", "spec", "record", "fabric", "engine"]),
    (
        "fathom",
        &[
            "archive",
            "json",
            "order",
            "measure",
            "record",
            "stats",
            "sizing",
            "store",
            "plan",
            "tools",
            "rows",
            "demand",
            "fleet",
            "export",
            "published",
            "target",
            "sim",
            "engine",
            "fabric",
            "nvmet",
            "telemetry",
            "report",
            "campaign",
            "page",
        ],
    ),
    ("lab", &[]),
    ("benches", &[]),
    ("xtask", &["archive"]),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in &tree.manifests {
        let Some(package) = manifest.name.as_deref().filter(|name| *name != "fathom-fuzz") else { continue };
        let room = package.strip_prefix(PREFIX).unwrap_or(package);
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == room) else {
            let message = format!("`{package}` has no layer: give it one in xtask/src/rules/layers.rs");
            findings.push(Finding::new(&manifest.path, 1, message));
            continue;
        };
        for dependency in &manifest.dependencies {
            let Some(below) = dependency.strip_prefix(PREFIX) else { continue };
            if !allowed.contains(&below) {
                let message = format!(
                    "`{room}` must not be built from `{below}`: move what is shared down, or pass it in as data"
                );
                findings.push(Finding::new(&manifest.path, manifest.line_of(dependency), message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_point_down() {
        let tree = Tree::of(&[
            (
                "crates/record/Cargo.toml",
                "[package]\nname = 'fathom-record'\n[dependencies]\nfathom-measure.workspace = true\n\
                 fathom-store.workspace = true\n[dev-dependencies]\nfathom-engine.workspace = true\n",
            ),
            ("crates/odd/Cargo.toml", "[package]\nname = 'fathom-odd'\n"),
            (
                "crates/fathom/Cargo.toml",
                "[package]\nname = 'fathom'\n[dependencies]\nfathom-campaign = '1'\n",
            ),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| (f.path, f.line)).collect();
        assert_eq!(
            found,
            [("crates/record/Cargo.toml".to_owned(), 5), ("crates/odd/Cargo.toml".to_owned(), 1)]
        );
    }

    #[test]
    fn the_table_itself_has_no_circle() {
        for (room, allowed) in LAYERS {
            for below in allowed {
                let (_, lower) = LAYERS.iter().find(|(name, _)| name == below).expect("a layer for each");
                assert!(!lower.contains(&room), "{room} and {below} point at each other");
            }
        }
    }
}
