//! What users read is said in the words of their field: habits that a program can see do not come back.

use crate::finding::Finding;
use crate::scan::scan;
use crate::tree::Tree;

/// What is not written, and what is.
const PHRASES: [(&str, &str); 18] = [
    ("` is no ", "is not a valid"),
    ("} is no ", "is not a valid"),
    ("there is no such ", "no such"),
    ("there is no key ", "unknown key"),
    ("there is no flag ", "unknown flag"),
    ("in the mean", "on average"),
    ("so many ", "the number, or N"),
    ("would tell", "are needed"),
    ("surely", "shown to be, statistically"),
    ("anybody", "any tool, any program"),
    ("intended start", "scheduled start"),
    ("processor time", "CPU time"),
    ("all processors", "all CPUs"),
    ("was over first", "ran out"),
    (" a month", "per month"),
    (" holds the demand", "meets the demand"),
    ("cheapest that holds", "cheapest that meets the demand"),
    ("nobody knows", "not known"),
];

/// The same for help texts, which are comments.
const HELP: [(&str, &str); 3] = [
    ("Give it again", "Repeatable"),
    ("ermit the loss of everything", "allow destroying all data"),
    ("Engine that carries", "I/O engine"),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| is_read_by_users(&file.path)) {
        let source = scan(&file.text);
        for (index, line) in source.literals.lines().enumerate() {
            for (phrase, instead) in PHRASES.iter().filter(|(phrase, _)| line.contains(phrase)) {
                let message = format!("`{}`: users are told `{instead}`", phrase.trim());
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
        for (index, (text, comment)) in source.literals.lines().zip(source.comments.lines()).enumerate() {
            // Help texts are comments.
            for (phrase, instead) in HELP.iter().filter(|(phrase, _)| comment.contains(phrase)) {
                let message = format!("`{phrase}`: help says `{instead}`");
                findings.push(Finding::new(&file.path, index + 1, message));
            }
            if gives_an_example(text) || gives_an_example(comment) {
                let message = "an example follows `e.g.`, not `as`".to_owned();
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

/// The program's own sources; tests quote other tools.
fn is_read_by_users(path: &str) -> bool {
    path.starts_with("crates/")
        && path.contains("/src/")
        && path.ends_with(".rs")
        && !path.ends_with("tests.rs")
}

/// Whether a value stands behind `, as `.
fn gives_an_example(line: &str) -> bool {
    line.split(", as ").skip(1).any(|rest| {
        let rest = rest.trim_start_matches('`');
        rest.starts_with(|first: char| first.is_ascii_digit()) || rest.starts_with("--")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_found_in_what_users_read_alone() {
        let text = "// all processors\nlet a = \"`{a}` is no time\";\n/// A size, as 10GiB.\n/// Give it again.\nlet b = \"is no time, as it was\";";
        let lines = |path: &str| -> Vec<usize> {
            check(&Tree::of(&[(path, text)])).iter().map(|finding| finding.line).collect()
        };
        assert_eq!(lines("crates/a/src/b.rs"), [2, 3, 4]);
        assert!(lines("crates/a/src/b_tests.rs").is_empty() && lines("xtask/src/b.rs").is_empty());
    }
}
