//! The tables against themselves and against the installed fio.

use std::collections::HashSet;

use super::*;

#[test]
fn each_name_stands_once_and_says_what_becomes_of_it() {
    let mut seen = HashSet::new();
    for row in all_options() {
        for name in std::iter::once(&row.name).chain(&row.aliases) {
            assert!(seen.insert(*name), "{name} stands twice");
            assert_eq!(option(name), Some(row));
        }
        let needs_words = matches!(row.class, Class::Map | Class::Warn | Class::HandOver);
        assert!(!needs_words || !row.words.is_empty(), "{} says nothing", row.name);
        for name in &row.engines {
            assert!(engine(name).is_some(), "{} belongs to {name}, which is not listed", row.name);
        }
    }
    assert!(seen.len() > 400, "{} names", seen.len());
}

#[test]
fn engines_go_somewhere_or_say_why_not() {
    for row in all_engines() {
        assert!(row.fathom.is_some() || !row.words.is_empty(), "{}", row.name);
    }
    assert_eq!(engine("external:/opt/plugin.so").map(|row| row.name), Some("external"));
    assert_eq!(engine("libaio").and_then(|row| row.fathom), Some("aio"));
}

#[test]
fn a_slip_finds_its_option() {
    assert_eq!(nearest("iodeph"), Some("iodepth"));
    assert_eq!(nearest("ramptime"), Some("ramp_time"));
    assert_eq!(nearest("xyzzyplugh"), None);
}

/// The installed fio's own list of options, where there is one.
#[test]
fn every_option_of_the_installed_fio_is_listed() {
    let Ok(output) = std::process::Command::new("fio").arg("--cmdhelp=all").output() else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
    let missing: Vec<&str> = names
        .filter(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
        })
        .filter(|name| option(name).is_none())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
