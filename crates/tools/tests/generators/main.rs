//! Command lines, profiles and results of diskspd and of SPDK's generators: those here, of our own runs (`own`) and
//! written by hand (`written`), and those that people published.
//!
//! The latter lie outside the project; `FATHOM_SAMPLES` names their folder. Without it their tests say so and
//! pass.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail by panicking"
)]

mod command_lines;
mod results;
mod written;

use std::path::PathBuf;

/// The folder of samples, if it is there.
fn samples() -> Option<PathBuf> {
    fathom_skips::folder_named_by("FATHOM_SAMPLES")
}

/// The files of one folder of samples, by name.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Some(samples) = samples() else { return Vec::new() };
    let entries = std::fs::read_dir(samples.join(folder)).expect("a folder of samples");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("a readable file"))
        })
        .collect();
    files.sort();
    files
}
