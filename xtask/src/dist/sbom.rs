//! What is built into the program, as a CycloneDX document, from what Cargo resolved for the target and what it does not know of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::bundled::Part;

/// The document; `metadata` is what `cargo metadata` prints for the target, `lock` the lock file's text.
///
/// # Errors
/// When it does not have the program's own package, or the lock file is none.
pub fn document(metadata: &Value, lock: &str, bundled: &[Part], version: &str) -> Result<String, String> {
    let sums = sums(lock)?;
    let sum = |package: &Value| {
        let key = (package["name"].as_str()?.to_owned(), package["version"].as_str()?.to_owned());
        sums.get(&key).map(String::as_str)
    };
    let of_cargo = built_in(metadata, "fathom")?.into_iter().map(|package| component(package, sum(package)));
    let mut components: Vec<Value> = of_cargo.chain(bundled.iter().map(part)).collect();
    components.sort_by_key(|component| (component["purl"].to_string(), component["name"].to_string()));
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

/// Packages of others that are built into one of ours.
///
/// # Errors
/// When there is no package of that name.
pub fn built_in<'a>(metadata: &'a Value, of: &str) -> Result<Vec<&'a Value>, String> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let id = |package: &Value| package["id"].as_str().unwrap_or_default().to_owned();
    let own = packages.iter().find(|package| package["name"] == of);
    let own = own.ok_or_else(|| format!("there is no package {of}"))?;
    let reached = reached(metadata, &id(own));
    let is_built_in = |package: &&Value| reached.contains(&id(package)) && !package["source"].is_null();
    Ok(packages.iter().filter(is_built_in).collect())
}

/// The digest of each package's archive, by name and version.
fn sums(lock: &str) -> Result<BTreeMap<(String, String), String>, String> {
    let table: toml::Table = lock.parse().map_err(|error| format!("Cargo.lock: {error}"))?;
    let packages = table.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let word = |package: &toml::Value, key: &str| package.get(key)?.as_str().map(str::to_owned);
    let entry = |package: &toml::Value| {
        Some(((word(package, "name")?, word(package, "version")?), word(package, "checksum")?))
    };
    Ok(packages.filter_map(entry).collect())
}

fn part(part: &Part) -> Value {
    let mut component = json!({ "type": "library", "name": part.name });
    if let Some(version) = &part.version {
        component["version"] = json!(version);
    }
    if let (Some(purl), Some(version)) = (part.purl, &part.version) {
        component["purl"] = json!(format!("{purl}@{version}"));
    }
    // SPDX has no name for the public domain; CycloneDX takes any.
    component["licenses"] = match part.licence {
        Some(expression) => json!([{ "expression": expression }]),
        None => json!([{ "license": { "name": "public domain" } }]),
    };
    component
}

fn component(package: &Value, sum: Option<&str>) -> Value {
    let (name, version) = (package["name"].as_str().unwrap_or(""), package["version"].as_str().unwrap_or(""));
    let mut component = json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
    });
    if let Some(sum) = sum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    if let Some(licence) = package["license"].as_str() {
        // Older manifests have a slash for "or".
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    component
}

/// Packages that are built in: reached from the program by other than tests and programs that build.
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
            if kinds.is_empty() || kinds.iter().any(|kind| kind["kind"].is_null()) {
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
                package("builds", json!("registry")),
            ],
            "resolve": { "nodes": [
                { "id": "fathom", "deps": [dependency("room", Value::Null), dependency("tested", json!("dev"))] },
                { "id": "builds", "deps": [] },
                { "id": "room", "deps": [dependency("used", Value::Null)] },
                { "id": "used", "deps": [dependency("builds", json!("build"))] },
            ]},
        });
        let lock = "[[package]]\nname = \"used\"\nversion = \"1.0.0\"\nchecksum = \"ab\"\n";
        let sqlite =
            Part { name: "sqlite", version: Some("3.1".to_owned()), licence: None, purl: None, notice: None };
        let document: Value =
            serde_json::from_str(&document(&metadata, lock, &[sqlite], "1.0.0").expect("a document"))
                .expect("JSON");
        let components = document["components"].as_array().expect("a list");
        assert_eq!(components.len(), 2);
        assert_eq!(components[0]["purl"], "pkg:cargo/used@1.0.0");
        assert_eq!(components[0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(components[0]["hashes"][0]["content"], "ab");
        assert_eq!((&components[1]["name"], &components[1]["version"]), (&json!("sqlite"), &json!("3.1")));
        assert_eq!(components[1]["licenses"][0]["license"]["name"], "public domain");
    }
}
