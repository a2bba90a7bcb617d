//! Lists what `cargo xtask page` has put into `dist`, so that the program takes it in; nothing is an empty table.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The files without which there is no page: the whole of it, and the script that a shared file has in it.
const NEEDED: [&str; 4] = ["index.html", "page.js", "page.css", "shared.js"];
/// The media types of its files, by their endings.
const TYPES: [(&str, &str); 3] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
];

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("dist");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    let whole = NEEDED.iter().all(|name| folder.join(name).is_file());
    let entries = if whole { entries(&folder) } else { String::new() };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it")).join("assets.rs");
    fs::write(out, format!("&[{entries}]")).expect("Cargo's own folder takes files");
}

/// The page's files as entries of a table, in the order of their names.
fn entries(folder: &Path) -> String {
    let listed = fs::read_dir(folder).expect("it was there a moment ago");
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let known = TYPES.iter().find(|(known, _)| Some(*known) == ending);
        let (Some((_, media_type)), Some(name)) = (known, path.file_name().and_then(|name| name.to_str()))
        else {
            continue;
        };
        let bytes = fs::read(&path).expect("it was there a moment ago");
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let tag = format!("\"{:016x}\"", hasher.finish());
        let _ = write!(
            text,
            "Asset {{ name: {name:?}, media_type: {media_type:?}, tag: {tag:?}, bytes: include_bytes!({:?}) }},",
            path.display().to_string()
        );
    }
    text
}
