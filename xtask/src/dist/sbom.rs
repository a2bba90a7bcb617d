//! What is built into the program, as a CycloneDX document, from what Cargo resolved for the target.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The document; `metadata` is what `cargo metadata` prints for the target.
///
/// # Errors
/// When it does not have the program's own package.
pub fn document(metadata: &Value, version: &str) -> Result<String, String> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let id = |package: &Value| package["id"].as_str().unwrap_or_default().to_owned();
    let own =
        packages.iter().find(|package| package["name"] == "fathom").ok_or("there is no package fathom")?;
    let reached = reached(metadata, &id(own));
    let mut components: Vec<Value> = packages
        .iter()
        .filter(|package| reached.contains(&id(package)) && !package["source"].is_null())
        .map(component)
        .collect();
    components.sort_by_key(|component| component["purl"].to_string());
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "name": "fathom",
            "version": version,
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        }},
        "components": components,
    });
    serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn component(package: &Value) -> Value {
    let (name, version) = (package["name"].as_str().unwrap_or(""), package["version"].as_str().unwrap_or(""));
    let mut component = json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
    });
    if let Some(licence) = package["license"].as_str() {
        // Older manifests have a slash for "or".
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    component
}

/// Packages that are built in: reached from the program by other than tests.
fn reached(metadata: &Value, from: &str) -> BTreeSet<String> {
    let empty = Vec::new();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap_or(&empty);
    let (mut found, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(id) = open.pop() {
        let Some(node) = nodes.iter().find(|node| node["id"] == id.as_str()) else { continue };
        if !found.insert(id) {
            continue;
        }
        for dependency in node["deps"].as_array().unwrap_or(&empty) {
            let kinds = dependency["dep_kinds"].as_array().unwrap_or(&empty);
            // A kind that is not named is the usual one.
            if kinds.is_empty() || kinds.iter().any(|kind| kind["kind"] != "dev") {
                open.extend(dependency["pkg"].as_str().map(str::to_owned));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_built_in_is_listed() {
        let package = |name: &str, source: Value| json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source });
        let dependency = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("fathom", Value::Null), package("room", Value::Null), package("used", json!("registry")),
                package("tested", json!("registry")), package("other", json!("registry")),
            ],
            "resolve": { "nodes": [
                { "id": "fathom", "deps": [dependency("room", Value::Null), dependency("tested", json!("dev"))] },
                { "id": "room", "deps": [dependency("used", Value::Null)] },
                { "id": "used", "deps": [] },
            ]},
        });
        let document: Value =
            serde_json::from_str(&document(&metadata, "1.0.0").expect("a document")).expect("JSON");
        let components = document["components"].as_array().expect("a list");
        assert_eq!(components.len(), 1);
        assert_eq!(components[0]["purl"], "pkg:cargo/used@1.0.0");
        assert_eq!(components[0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
    }
}
