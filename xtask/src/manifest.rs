//! What a `Cargo.toml` says of its package and its dependencies.

use toml::{Table, Value};

#[derive(Debug)]
pub struct Manifest {
    /// Relative to the workspace.
    pub path: String,
    pub text: String,
    /// Name of the package; absent for a workspace alone.
    pub name: Option<String>,
    /// Packages that the product is built from.
    pub dependencies: Vec<String>,
    /// Packages that tests and build scripts use.
    pub other_dependencies: Vec<String>,
    /// `[workspace.dependencies]`.
    pub workspace_dependencies: Vec<String>,
}

impl Manifest {
    pub fn read(path: &str, text: &str) -> Result<Self, String> {
        let table: Table = text.parse().map_err(|error| format!("{path}: {error}"))?;
        let workspace = table.get("workspace").and_then(Value::as_table);
        let mut dependencies = keys(&table, "dependencies");
        let mut other_dependencies = keys(&table, "dev-dependencies");
        other_dependencies.extend(keys(&table, "build-dependencies"));
        for (_, target) in table.get("target").and_then(Value::as_table).into_iter().flatten() {
            let Some(target) = target.as_table() else { continue };
            dependencies.extend(keys(target, "dependencies"));
            other_dependencies.extend(keys(target, "dev-dependencies"));
        }
        Ok(Self {
            path: path.to_owned(),
            text: text.to_owned(),
            name: table.get("package").and_then(|p| p.get("name")).and_then(Value::as_str).map(str::to_owned),
            dependencies,
            other_dependencies,
            workspace_dependencies: workspace.map(|w| keys(w, "dependencies")).unwrap_or_default(),
        })
    }

    /// The folder of the package, with a `/` at its end unless it is the root.
    pub fn folder(&self) -> &str {
        self.path.strip_suffix("Cargo.toml").unwrap_or(&self.path)
    }

    /// The line that first names a dependency.
    pub fn line_of(&self, name: &str) -> usize {
        let starts =
            |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
        self.text.lines().position(starts).map_or(1, |at| at + 1)
    }
}

fn keys(table: &Table, section: &str) -> Vec<String> {
    table.get(section).and_then(Value::as_table).map(|t| t.keys().cloned().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_dependency_is_found() {
        let text = "[package]\nname = 'a'\n[dependencies]\nb.workspace = true\nc = '1'\n\
                    [target.'cfg(unix)'.dependencies]\nd = '1'\n[dev-dependencies]\ne = '1'\n";
        let manifest = Manifest::read("crates/a/Cargo.toml", text).expect("TOML");
        assert_eq!(manifest.name.as_deref(), Some("a"));
        assert_eq!(manifest.dependencies, ["b", "c", "d"]);
        assert_eq!(manifest.other_dependencies, ["e"]);
        assert_eq!((manifest.line_of("c"), manifest.folder()), (5, "crates/a/"));
        assert!(Manifest::read("Cargo.toml", "[").is_err());
    }
}
