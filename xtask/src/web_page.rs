//! `cargo xtask page`: makes the page of `fathom serve` from its sources in `web`, and walks through it in a browser.
//!
//! Nothing of a third party is committed: npm brings what the lock file names, without running any of its scripts. What
//! is made lies in a folder that git passes over, from which the next build of the program takes it in.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::dist::gzip;

/// The sources.
const SOURCES: &str = "web";
/// Where a build of the program looks.
const MADE: &str = "crates/page/dist";
/// What the bundler says of the files that it made.
const FACTS: &str = "web/build/page.json";
/// Files that come with every first screen; the script brings those that it imports at once.
const FIRST: [&str; 3] = ["index.html", "page.js", "page.css"];
/// The script of shared files, which has all of their screens in it.
const SHARED: &str = "shared.js";
/// Largest size of what a first screen loads, in bytes by gzip: it is read by people with old machines.
const PACKED_MAX: usize = 45_000;
/// Programs that are a Chromium.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Whether the tool that brings the page's parts is here.
fn has_npm() -> bool {
    Command::new("npm").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Makes the page.
///
/// # Errors
/// Where there is no npm, or the sources are wrong.
pub fn make(root: &Path) -> Result<(), String> {
    if !has_npm() {
        return Err("no npm to make the page with (Debian: apt-get install npm)".to_owned());
    }
    let sources = root.join(SOURCES);
    install(&sources)?;
    npm(&sources, &["run", "--silent", "check"])?;
    clear(&root.join(MADE))?;
    let facts = sources.join("build");
    fs::create_dir_all(&facts).map_err(|error| format!("{}: {error}", facts.display()))?;
    npm(&sources, &["run", "--silent", "build"])?;
    let made = root.join(MADE);
    let page = made.join("index.html");
    fs::copy(sources.join("src/index.html"), &page)
        .map_err(|error| format!("{}: {error}", page.display()))?;
    let text = fs::read(root.join(FACTS)).map_err(|error| format!("{FACTS}: {error}"))?;
    let facts: Value = serde_json::from_slice(&text).map_err(|error| format!("{FACTS}: {error}"))?;
    weigh(&made, &at_once(&facts)?)
}

/// Takes away what an earlier build left: its parts have other names.
fn clear(made: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", made.display());
    for entry in fs::read_dir(made).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ["js", "css", "html"].iter().any(|known| ending == *known)) {
            fs::remove_file(&path).map_err(failed)?;
        }
    }
    Ok(())
}

/// The files of the first screen: what is always loaded, and what the script imports without being asked.
fn at_once(facts: &Value) -> Result<BTreeSet<String>, String> {
    let outputs = facts["outputs"].as_object().ok_or_else(|| format!("{FACTS} names no outputs"))?;
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut found: BTreeSet<String> = FIRST.iter().map(|file| (*file).to_owned()).collect();
    let mut open = vec!["page.js".to_owned()];
    while let Some(file) = open.pop() {
        let output = outputs.iter().find(|(path, _)| name(path) == file);
        let output = output.ok_or_else(|| format!("{FACTS} names no {file}"))?.1;
        for import in output["imports"].as_array().into_iter().flatten() {
            let imported = name(import["path"].as_str().unwrap_or_default());
            if import["kind"] == "import-statement" && found.insert(imported.clone()) {
                open.push(imported);
            }
        }
    }
    Ok(found)
}

/// Prints the size of each part, and refuses a first screen that loads too much.
fn weigh(made: &Path, first: &BTreeSet<String>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", made.display());
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(made).map_err(failed)? {
        names.insert(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    let (mut packed, mut later) = (0, 0);
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let path = made.join(name);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let small = gzip(&bytes)?.len();
        let when = if first.contains(name) {
            packed += small;
            "first screen"
        } else if name == SHARED {
            "shared files"
        } else {
            later += small;
            "when needed"
        };
        println!("{:>9} bytes, {small:>7} by gzip  {when:<12}  {MADE}/{name}", bytes.len());
    }
    println!("first screen {packed} bytes by gzip of {PACKED_MAX} at most, other screens {later}");
    if packed > PACKED_MAX {
        return Err(format!(
            "the first screen has {packed} bytes by gzip, more than {PACKED_MAX}: make it smaller"
        ));
    }
    Ok(())
}

/// Walks through the page that a program serves, where there is a browser.
///
/// # Errors
/// When the page does not do what it should.
pub fn walk(root: &Path, program: &Path) -> Result<(), String> {
    let Some(browser) = BROWSERS.into_iter().find(|name| answers(name)) else {
        println!("skip   no chromium to walk through the page with");
        return Ok(());
    };
    if !has_npm() {
        println!("skip   no npm to walk through the page with");
        return Ok(());
    }
    let sources = root.join(SOURCES);
    if !sources.join("node_modules").is_dir() {
        install(&sources)?;
    }
    npm(&sources, &["run", "--silent", "test:build"])?;
    let program = fs::canonicalize(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut node = Command::new("node");
    node.args(["--test", "build/journeys.test.mjs"]).current_dir(&sources);
    finish(node.env("FATHOM_PROGRAM", program).env("FATHOM_BROWSER", browser))
}

fn answers(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn install(sources: &Path) -> Result<(), String> {
    npm(sources, &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
}

fn npm(sources: &Path, arguments: &[&str]) -> Result<(), String> {
    finish(Command::new("npm").args(arguments).current_dir(sources))
}

fn finish(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_screen_is_what_is_imported_without_being_asked() {
        let facts = serde_json::json!({ "outputs": {
            "../d/page.js": { "imports": [
                { "path": "../d/common-1.js", "kind": "import-statement" },
                { "path": "../d/fleet-2.js", "kind": "dynamic-import" },
            ] },
            "../d/common-1.js": { "imports": [{ "path": "../d/deep-3.js", "kind": "import-statement" }] },
            "../d/deep-3.js": { "imports": [] },
            "../d/fleet-2.js": { "imports": [{ "path": "../d/chart-4.js", "kind": "import-statement" }] },
        } });
        let found: Vec<String> = at_once(&facts).unwrap().into_iter().collect();
        assert_eq!(found, ["common-1.js", "deep-3.js", "index.html", "page.css", "page.js"]);
        assert!(at_once(&serde_json::json!({})).is_err());
    }

    #[test]
    fn a_first_screen_that_is_too_large_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let first = BTreeSet::from(["page.js".to_owned()]);
        let noise: Vec<u8> =
            (0..60_000u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect();
        fs::write(folder.path().join("fleet-1.js"), [noise.as_slice(), b"a"].concat()).unwrap();
        fs::write(folder.path().join("page.js"), "a").unwrap();
        assert!(weigh(folder.path(), &first).is_ok(), "what comes later does not count");
        // Twice the most, whatever it is packed to.
        let words: Vec<u8> = (0..400_000u64).flat_map(|at| (at * at * 7919 + at).to_le_bytes()).collect();
        fs::write(folder.path().join("page.js"), words).unwrap();
        assert!(weigh(folder.path(), &first).unwrap_err().contains("45000"));
    }
}
