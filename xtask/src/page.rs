//! `cargo xtask page`: makes the page of `fathom serve` from its sources in `web`, and walks through it in a browser.
//!
//! Nothing of a third party is committed: npm brings what the lock file names, without running any of its scripts. What
//! is made lies in a folder that git passes over, from which the next build of the program takes it in.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::dist::gzip;

/// The sources.
const SOURCES: &str = "web";
/// Where a build of the program looks.
const MADE: &str = "crates/page/dist";
/// Files that the page is made of.
const FILES: [&str; 3] = ["index.html", "page.js", "page.css"];
/// Largest size of all of them together, compressed: it comes over loopback, and is read by people with old machines.
const PACKED_MAX: usize = 48 << 10;
/// Programs that are a Chromium.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub const USAGE: &str = "\
cargo xtask page                  make the page of fathom serve; the next build of the program takes it in
cargo xtask page --test PROGRAM   walk through the page that PROGRAM serves, in a browser without a window

Needs npm, and for --test a Chromium (Debian: apt-get install npm chromium).";

/// Makes the page, or tries the one that a program serves.
pub fn run(root: &Path, arguments: Vec<String>) -> Result<(), String> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => make(root),
        ["--test", program] => walk(root, Path::new(program)),
        _ => Err(format!("unknown arguments\n{USAGE}")),
    }
}

/// Whether the tool that brings the page's parts is here.
fn has_npm() -> bool {
    Command::new("npm").arg("--version").output().is_ok_and(|output| output.status.success())
}

fn make(root: &Path) -> Result<(), String> {
    if !has_npm() {
        return Err("no npm to make the page with (Debian: apt-get install npm)".to_owned());
    }
    let sources = root.join(SOURCES);
    install(&sources)?;
    npm(&sources, &["run", "--silent", "check"])?;
    npm(&sources, &["run", "--silent", "build"])?;
    let made = root.join(MADE);
    let page = made.join("index.html");
    fs::copy(sources.join("src/index.html"), &page)
        .map_err(|error| format!("{}: {error}", page.display()))?;
    let mut packed = 0;
    for name in FILES {
        let path = made.join(name);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let small = gzip(&bytes)?.len();
        packed += small;
        println!("{:>9} bytes, {small:>7} by gzip  {MADE}/{name}", bytes.len());
    }
    if packed > PACKED_MAX {
        return Err(format!("the page has {packed} bytes by gzip, more than {PACKED_MAX}: make it smaller"));
    }
    Ok(())
}

fn walk(root: &Path, program: &Path) -> Result<(), String> {
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
