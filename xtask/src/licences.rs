//! Checks every package that is built in against `deny.toml`: its licence, and whether it is forbidden.
//!
//! It needs nothing but Cargo and works offline; cargo-deny reads the same file.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

use crate::finding::Finding;

const POLICY: &str = "deny.toml";
/// cargo-deny knows no patterns, so whole families are named here.
const FORBIDDEN_FAMILIES: [&str; 1] = ["aws-sdk-"];

/// What may be built in.
#[derive(Debug, PartialEq, Eq)]
struct Policy {
    licences: Vec<String>,
    forbidden: Vec<String>,
}

/// A package as Cargo describes it.
#[derive(Debug, PartialEq, Eq)]
struct Package {
    name: String,
    version: String,
    licence: Option<String>,
}

pub fn check(root: &Path) -> Result<Vec<Finding>, String> {
    let text = fs::read_to_string(root.join(POLICY)).map_err(|error| format!("{POLICY}: {error}"))?;
    let policy = read_policy(&text)?;
    let packages = packages(root)?;
    let findings = judge(&policy, &packages);
    if findings.is_empty() {
        println!("licences: {} packages, all within {POLICY}", packages.len());
    }
    Ok(findings)
}

fn read_policy(text: &str) -> Result<Policy, String> {
    let table: toml::Table = text.parse().map_err(|error| format!("{POLICY}: {error}"))?;
    let list = |section: &str, key: &str| {
        let list = table.get(section).and_then(|s| s.get(key)).and_then(toml::Value::as_array);
        list.cloned().ok_or_else(|| format!("{POLICY}: a list `{key}` is missing under [{section}]"))
    };
    let text = |value: &toml::Value| value.as_str().map(str::to_owned);
    let licences = list("licenses", "allow")?.iter().filter_map(text).collect();
    let forbidden =
        list("bans", "deny")?.iter().filter_map(|entry| entry.get("crate").and_then(text)).collect();
    Ok(Policy { licences, forbidden })
}

fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let host = host(&cargo)?;
    let output = Command::new(cargo)
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", &host])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        let cause = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(format!("cargo metadata --offline failed (run `cargo fetch` once): {cause}"));
    }
    let metadata =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(read_packages(&metadata))
}

/// The platform that is built for; packages of others need not be there.
fn host(cargo: &str) -> Result<String, String> {
    let output = Command::new(cargo).arg("-vV").output().map_err(|error| format!("cargo -vV: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "cargo -vV names no host".to_owned())
}

fn read_packages(metadata: &Value) -> Vec<Package> {
    let text = |package: &Value, key: &str| package[key].as_str().map(str::to_owned);
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .map(|package| Package {
            name: text(package, "name").unwrap_or_default(),
            version: text(package, "version").unwrap_or_default(),
            licence: text(package, "license"),
        })
        .collect()
}

fn judge(policy: &Policy, packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let mut refuse = |cause: String| {
            let message = format!("{} {}: {cause}", package.name, package.version);
            findings.push(Finding::new("Cargo.lock", 1, message));
        };
        let by_name = policy.forbidden.contains(&package.name);
        if by_name || FORBIDDEN_FAMILIES.iter().any(|family| package.name.starts_with(family)) {
            refuse(format!("forbidden by {POLICY}: `cargo tree -i {}` shows who asks for it", package.name));
        }
        match package.licence.as_deref().map(|licence| (licence, is_allowed(licence, &policy.licences))) {
            Some((_, Some(true))) => {}
            Some((licence, Some(false))) => {
                refuse(format!("licence `{licence}` is not allowed: replace it, or allow it in {POLICY}"));
            }
            Some((licence, None)) => {
                refuse(format!("licence `{licence}` is not an SPDX expression: look at it"))
            }
            None => refuse("no licence is declared: look at the package, and replace it".to_owned()),
        }
    }
    findings
}

/// Whether an expression can be satisfied with licences that are allowed. `None` when it cannot be read.
///
/// The older `MIT/Apache-2.0` means OR. A licence `WITH` an exception only permits more, so it is judged by the licence.
fn is_allowed(expression: &str, allowed: &[String]) -> Option<bool> {
    let expression = Expression::parse_mode(expression, ParseMode::LAX).ok()?;
    let by_name = |name: &str| allowed.iter().any(|allowed| allowed == name);
    Some(expression.evaluate(|asked| asked.license.id().is_some_and(|licence| by_name(licence.name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_held_against_the_policy() {
        let policy =
            read_policy("[licenses]\nallow = ['MIT']\n[bans]\ndeny = [{ crate = 'duckdb' }]").expect("TOML");
        let metadata = serde_json::json!({ "packages": [
            { "name": "good", "version": "1.0.0", "license": "MIT OR GPL-3.0" },
            { "name": "duckdb", "version": "1.0.0", "license": "MIT" },
            { "name": "aws-sdk-ec2", "version": "1.0.0", "license": "MIT" },
            { "name": "copyleft", "version": "1.0.0", "license": "GPL-3.0" },
            { "name": "silent", "version": "1.0.0", "license": null },
        ]});
        let found: Vec<_> =
            judge(&policy, &read_packages(&metadata)).into_iter().map(|f| f.message).collect();
        assert_eq!(found.len(), 4);
        for (message, name) in found.iter().zip(["duckdb", "aws-sdk-ec2", "copyleft", "silent"]) {
            assert!(message.starts_with(name), "{message}");
        }
    }

    #[test]
    fn the_projects_policy_is_readable() {
        let policy = read_policy(include_str!("../../deny.toml")).expect("the policy");
        assert!(policy.licences.contains(&"MIT".to_owned()));
        assert!(policy.forbidden.contains(&"openssl-sys".to_owned()));
    }

    #[test]
    fn expressions_are_satisfied_or_not() {
        let allowed = ["MIT".to_owned(), "Unicode-3.0".to_owned()];
        for (expression, expected) in [
            ("MIT", Some(true)),
            ("GPL-3.0", Some(false)),
            ("GPL-3.0 OR MIT", Some(true)),
            ("MIT/Apache-2.0", Some(true)),
            ("GPL-3.0 AND MIT", Some(false)),
            ("(GPL-3.0 OR MIT) AND Unicode-3.0", Some(true)),
            ("GPL-3.0 OR MIT AND BSL-1.0", Some(false)),
            ("MIT WITH LLVM-exception", Some(true)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT MIT", None),
            ("no-such-licence", None),
        ] {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
    }

    #[test]
    fn a_policy_without_its_lists_is_refused() {
        assert!(read_policy("[licenses]").is_err());
        assert!(read_policy("[").is_err());
    }
}
