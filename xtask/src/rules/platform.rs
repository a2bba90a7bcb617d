//! Platform code is a file that its folder chooses, not a `cfg` inside a function or above one; and what one system alone
//! has is named in such files alone.

use std::ops::RangeInclusive;

use crate::finding::Finding;
use crate::modules::reach;
use crate::source_scan::{asks_platform, attributes, functions, line_of, words};
use crate::tree::{File, Tree};

const CONDITIONS: [&str; 5] = ["target_os", "target_family", "(unix", "(windows", "(not(windows"];

/// What is there on some systems alone.
const NAMES: [&str; 8] =
    ["libc::", "rustix::", "io_uring::", "windows_sys::", "os::fd", "os::unix", "os::linux", "os::windows"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let chosen = reach(tree).chosen;
    for file in tree.rust() {
        findings.extend(inside_functions(file));
        if !file.test && !chosen.contains(&file.path) {
            findings.extend(above_items(file));
            findings.extend(names(file));
        }
    }
    findings
}

fn inside_functions(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let functions = functions(&file.scan.code);
    for (index, line) in file.scan.code.lines().enumerate() {
        let squeezed = line.replace(' ', "");
        let asks = ["cfg(", "cfg!(", "cfg_select!"].iter().any(|cfg| squeezed.contains(cfg));
        let inside = functions.iter().any(|f| f.first_line <= index + 1 && index < f.last_line);
        if asks && inside && CONDITIONS.iter().any(|condition| squeezed.contains(condition)) {
            let message =
                "a platform is chosen inside a function: make a file for each and choose in `mod.rs`";
            findings.push(Finding::new(&file.path, index + 1, message));
        }
    }
    findings
}

/// Functions and types that are there on some systems alone.
fn above_items(file: &File) -> Vec<Finding> {
    let code = &file.scan.code;
    let tests = tests(file);
    let items = ["fn", "struct", "enum", "trait", "impl"].into_iter().flat_map(|kind| words(code, kind));
    let asking = items.filter(|at| {
        // A `cfg_attr` changes nothing of what there is.
        attributes(code, *at).lines().any(|line| asks_platform(line) && words(line, "cfg").next().is_some())
    });
    let lines = asking.map(|at| line_of(code, at));
    lines
        .filter(|line| !tests.iter().any(|test| test.contains(line)))
        .map(|line| {
            let message =
                "an item is there on some systems alone: put it into a file that its folder chooses";
            Finding::new(&file.path, line, message)
        })
        .collect()
}

fn names(file: &File) -> Vec<Finding> {
    let code = &file.scan.code;
    let tests = tests(file);
    let mut findings = Vec::new();
    for name in NAMES {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        for (at, _) in code.match_indices(name).filter(|(at, _)| !code[..*at].ends_with(letter)) {
            let line = line_of(code, at);
            if !tests.iter().any(|test| test.contains(&line)) {
                let message = format!(
                    "`{name}` is not there on every system: name it in a file that its folder chooses"
                );
                findings.push(Finding::new(&file.path, line, message));
            }
        }
    }
    findings
}

/// Lines that only tests have.
fn tests(file: &File) -> Vec<RangeInclusive<usize>> {
    let code = &file.scan.code;
    let lines = |range: std::ops::Range<usize>| line_of(code, range.start)..=line_of(code, range.end - 1);
    let alone = functions(code).into_iter().filter(|function| function.test);
    let alone = alone.map(|function| function.first_line..=function.last_line);
    crate::source_scan::test_ranges(code).into_iter().map(lines).chain(alone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        check(&Tree::of(files)).into_iter().map(|f| (f.path, f.line)).collect()
    }

    #[test]
    fn platforms_are_chosen_outside_functions() {
        let source = "#[cfg(target_os = \"linux\")]\nmod linux;\nfn a() {\n    #[cfg(target_os = \"linux\")]\n    b();\n\
                      if cfg!(windows) {}\n    #[cfg(test)]\n    c();\n}\n#[cfg(unix)]\nuse d;\n";
        assert_eq!(found(&[("a.rs", source)]), [4, 6].map(|line| ("a.rs".to_owned(), line)));
    }

    #[test]
    fn items_are_not_chosen_one_by_one() {
        let source = "trait A {\n    #[cfg(target_os = \"linux\")]\n    fn a(&self);\n}\n\
                      #[cfg_attr(windows, expect(dead_code))]\nfn b() {}\n#[cfg(unix)]\nconst C: u8 = 1;\n\
                      #[cfg(test)]\nmod tests {\n    #[cfg(unix)]\n    #[test]\n    fn d() {}\n}\n";
        assert_eq!(found(&[("a.rs", source)]), [("a.rs".to_owned(), 3)]);
    }

    #[test]
    fn what_one_system_has_is_named_where_it_was_chosen() {
        let calls = "use std::os::fd::AsFd;\nfn a() { libc::getpid(); }\n";
        let files = [
            ("crates/a/Cargo.toml", "[package]\nname = 'a'"),
            (
                "crates/a/src/lib.rs",
                "mod b;\n#[cfg(target_os = \"linux\")]\nmod linux;\n#[cfg_attr(windows, path = \"w.rs\")]\nmod p;\n\
                 #[cfg(any(test, windows))]\nmod t;\nmod own;\n",
            ),
            ("crates/a/src/b.rs", calls),
            ("crates/a/src/linux.rs", "mod below;\nuse rustix::io;\n"),
            ("crates/a/src/linux/below.rs", calls),
            ("crates/a/src/w.rs", "use windows_sys::Win32;\n"),
            ("crates/a/src/t.rs", "use std::os::windows::io;\n"),
            ("crates/a/src/own.rs", "#![cfg(unix)]\nuse libc::c_int;\nmy_libc::f();\n"),
            ("crates/a/tests/all.rs", calls),
            ("benches/src/main.rs", "use std::os::unix::fs;\n"),
        ];
        let place = |path: &str, line| (path.to_owned(), line);
        let b = "crates/a/src/b.rs";
        let expected =
            [place(b, 2), place(b, 1), place("crates/a/src/t.rs", 1), place("benches/src/main.rs", 1)];
        assert_eq!(found(&files), expected);
    }

    #[test]
    fn tests_name_what_they_need() {
        let source = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::os::unix::fs;\n    fn b() { libc::c(); }\n}\n";
        assert!(found(&[("a.rs", source)]).is_empty());
    }
}
