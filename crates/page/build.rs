//! Lists what `cargo xtask page` has put into `dist`, so that the program takes it in; nothing is an empty table.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The files that the page is made of, each with its media type.
const FILES: [(&str, &str); 3] = [
    ("index.html", "text/html; charset=utf-8"),
    ("page.js", "text/javascript; charset=utf-8"),
    ("page.css", "text/css; charset=utf-8"),
];

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("dist");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    // A page without one of its parts is none.
    let whole = FILES.iter().all(|(name, _)| folder.join(name).is_file());
    let entries = if whole { entries(&folder) } else { String::new() };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it")).join("assets.rs");
    fs::write(out, format!("&[{entries}]")).expect("Cargo's own folder takes files");
}

fn entries(folder: &Path) -> String {
    let mut text = String::new();
    for (name, media_type) in FILES {
        let path = folder.join(name);
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
