//! A public item that nothing but tests names is dead, and the compiler does not say so: somebody else could name it.

use std::collections::HashMap;
use std::ops::Range;

use crate::finding::Finding;
use crate::source_scan::{test_ranges, words};
use crate::tree::{File, Tree};

/// What a public item begins with, behind its visibility.
const KINDS: [&str; 7] = ["fn ", "struct ", "enum ", "trait ", "const ", "static ", "type "];
/// What may stand between.
const QUALIFIERS: [&str; 3] = ["const fn ", "unsafe fn ", "async fn "];

/// Items that tests of several rooms name and nothing else, each with why it stays.
const FOR_TESTS: [(&str, &str); 4] = [
    ("closed_loop_per_s", "the closed form of a simulated device, which tests of the lab's cases ask too"),
    ("operation_burst_s", "the same"),
    ("byte_burst_s", "the same"),
    ("of_equal_sizes", "what sizing's tests, inside and outside of the room, make demands with"),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let lives: Vec<(&File, String)> = tree.rust().map(|file| (file, living(file))).collect();
    let (mut anywhere, mut alive) = (HashMap::new(), HashMap::new());
    for (file, live) in &lives {
        count(&file.scan.code, &mut anywhere);
        count(live, &mut alive);
    }
    let mut findings = Vec::new();
    for (file, live) in lives.iter().filter(|(file, _)| file.path.starts_with("crates/")) {
        for (index, (line, live)) in file.scan.code.lines().zip(live.lines()).enumerate() {
            let Some(name) = public_name(line).filter(|name| !stays(name)) else { continue };
            let (named, who) = match public_name(live) {
                Some(_) => (&alive, "nothing but tests"),
                None => (&anywhere, "nothing"),
            };
            if named.get(name) == Some(&1) {
                let message = format!("{who} names `{name}`: take it out");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

fn stays(name: &str) -> bool {
    FOR_TESTS.iter().any(|(kept, _)| *kept == name)
}

fn count<'a>(code: &'a str, named: &mut HashMap<&'a str, u32>) {
    for word in code.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        *named.entry(word).or_default() += 1;
    }
}

/// The code of a file line by line, without what only tests have and without names that are only handed on.
fn living(file: &File) -> String {
    let code = &file.scan.code;
    if file.test {
        return "\n".repeat(code.lines().count());
    }
    let mut live = code.clone();
    for range in test_ranges(code).into_iter().chain(handed_on(code)) {
        // As many bytes as before, so that the next range is still where it was.
        let blank: String =
            live[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        live.replace_range(range, &blank);
    }
    live
}

/// Byte ranges of what `pub use` names.
fn handed_on(code: &str) -> Vec<Range<usize>> {
    let is_public = |at: &usize| {
        let before = code[..*at].trim_end();
        let scoped = before.strip_suffix(')').and_then(|scope| scope.rsplit_once('('));
        scoped.map_or(before, |(word, _)| word).ends_with("pub")
    };
    let end = |at: usize| code[at..].find(';').map_or(code.len(), |length| at + length);
    words(code, "use").filter(is_public).map(|at| at..end(at)).collect()
}

/// The name of the public item that a line begins.
fn public_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let rest = rest.strip_prefix(' ')?;
    let begins = |words: &[&str]| words.iter().find_map(|word| rest.strip_prefix(word));
    let name = begins(&QUALIFIERS).or_else(|| begins(&KINDS))?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    Some(&name[..end]).filter(|name| !name.is_empty() && *name != "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        check(&Tree::of(files)).into_iter().map(|finding| (finding.path, finding.line)).collect()
    }

    #[test]
    fn items_that_nothing_names_are_found() {
        let found = lines(&[
            (
                "crates/a/src/lib.rs",
                "pub fn used() {}\npub const fn left() {}\npub(crate) struct Gone;\nfn own() {}\n",
            ),
            ("crates/a/tests/all.rs", "pub fn lonely() {}\npub fn shared() { shared(); }\n"),
            ("crates/b/src/lib.rs", "fn calls() { a::used(); }\n// left\n"),
            ("lab/src/main.rs", "pub fn alone() {}\n"),
        ]);
        let expected = [("crates/a/src/lib.rs", 2), ("crates/a/src/lib.rs", 3), ("crates/a/tests/all.rs", 1)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn tests_and_names_that_are_handed_on_are_no_use() {
        let found = lines(&[
            ("crates/a/Cargo.toml", "[package]\nname = 'a'"),
            (
                "crates/a/src/lib.rs",
                "mod m;\npub use m::{A,\n B};\npub(crate) use m::C; use m::D;\n#[cfg(test)]\nmod more_tests;\n\
                 #[cfg(test)]\nmod tests {\n pub fn é() { near(); b(); é(); }\n}\npub fn near() {}\n\
                 #[cfg(test)]\nimpl A {\n pub fn c() { c(); }\n}\n",
            ),
            (
                "crates/a/src/m.rs",
                "pub struct A;\npub struct B;\npub struct C;\npub struct D;\npub fn b() {}\npub fn d() {}\n\
                 pub fn of_equal_sizes() {}\npub fn measured() {}\n",
            ),
            ("crates/a/src/more_tests.rs", "fn t() { d(); b(); }"),
            ("benches/src/main.rs", "fn main() { a::measured(); }"),
        ]);
        let of = |path: &str, lines: &[usize]| -> Vec<(String, usize)> {
            lines.iter().map(|line| (path.to_owned(), *line)).collect()
        };
        let expected = [of("crates/a/src/lib.rs", &[11]), of("crates/a/src/m.rs", &[1, 2, 3, 5, 6])].concat();
        assert_eq!(found, expected);
    }
}
