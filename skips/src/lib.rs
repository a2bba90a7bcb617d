//! What tests say to whoever runs them: what cannot be carried out here, and how many of them may run at once.
//!
//! A test that lacks a tool, a right or a sample passes, and the test runner shows nothing of what a passed test
//! prints. So it is written down beside that: `FATHOM_SKIPPED` names a file that takes a line for each, and
//! `FATHOM_REQUIRE` names what has to be here: a test that is skipped for lack of it fails.

pub mod at_once;

pub use ctor;

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::Location;
use std::path::PathBuf;

/// Says that the running test, or a part of it, is not carried out here. `why` names what is missing, as
/// `no mkfs.ext4`.
///
/// With `FATHOM_SKIPPED=FILE` a line of test, place and reason is added to the file, with tabs between them.
///
/// # Panics
/// Where a word of `why` is among those of `FATHOM_REQUIRE` (words with commas or blanks between them; `all`: any), or
/// the file cannot be written.
#[track_caller]
#[expect(clippy::panic, clippy::print_stderr, reason = "it is for whoever runs one test")]
pub fn skipped(why: impl Display) {
    let (why, place) = (why.to_string().replace(['\n', '\t'], " "), Location::caller());
    let required = std::env::var("FATHOM_REQUIRE").unwrap_or_default();
    if let Some(word) = required_word(&why, &required) {
        panic!("skipped: {why}; FATHOM_REQUIRE asks for `{word}`");
    }
    eprintln!("skipped: {why}");
    let Some(file) = std::env::var_os("FATHOM_SKIPPED") else { return };
    let line = line(std::thread::current().name().unwrap_or("a thread of a test"), place, &why);
    let written = OpenOptions::new().create(true).append(true).open(&file);
    // One call, so that lines of tests that run at the same time stay whole.
    written
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("the file of FATHOM_SKIPPED takes a line");
}

/// The folder of other people's files that an environment variable names, as `FATHOM_SAMPLES`. Without one, or where it
/// does not exist, the running test is skipped.
#[track_caller]
pub fn folder_named_by(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        skipped(format_args!("{variable} names no folder"));
    }
    folder
}

fn line(test: &str, place: &Location<'_>, why: &str) -> String {
    format!("{test}\t{}:{}\t{why}\n", place.file(), place.line())
}

/// The first word that is required and that a reason names. Steps ask in the same way (`has_word` in `.ci/run`).
fn required_word<'a>(why: &str, required: &'a str) -> Option<&'a str> {
    let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    let names = |wanted: &str| {
        why.split(|c: char| !is_in_word(c))
            .any(|word| word.trim_end_matches('.').eq_ignore_ascii_case(wanted))
    };
    required.split([',', ' ']).filter(|word| !word.is_empty()).find(|word| *word == "all" || names(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_found_by_its_word_alone() {
        assert_eq!(required_word("no mkfs.ext4", "fio, mkfs.ext4"), Some("mkfs.ext4"));
        assert_eq!(required_word("fio is not installed", "FIO"), Some("FIO"));
        assert_eq!(required_word("no cargo-fuzz to fuzz with", "cargo-fuzz"), Some("cargo-fuzz"));
        assert_eq!(required_word("no fiona", "fio"), None);
        assert_eq!(required_word("no mkfs.ext4", "mkfs"), None);
        assert_eq!(required_word("no cargo-fuzz to fuzz with", "cargo"), None);
        assert_eq!(required_word("no bash", "all"), Some("all"));
        assert_eq!(required_word("no bash", ""), None);
    }

    #[test]
    fn a_line_has_test_place_and_reason() {
        let line = line("a::test", Location::caller(), "no bash");
        let fields: Vec<&str> = line.trim_end().split('\t').collect();
        assert_eq!((fields[0], fields[2]), ("a::test", "no bash"));
        assert!(fields[1].contains("lib.rs:"), "{line}");
    }
}
