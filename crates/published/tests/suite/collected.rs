//! Tables under `evaluations/collected` hold together: rows that labels name are there, each label says what it rests
//! on, and no source is in two of the parts, of which one may be looked at and the others only score.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test panics when it is wrong")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const PARTS: [&str; 3] = ["fitting", "validation", "unseen"];

fn tables(part: &str) -> Vec<(PathBuf, toml::Table)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations/collected").join(part);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, table)
    };
    files.filter(|path| path.extension().is_some_and(|end| end == "toml")).map(read).collect()
}

/// Whose it is: of an address its host, of one at GitHub the repository, and otherwise the first words.
fn origin(source: &str) -> String {
    let source = source.to_lowercase();
    let Some((_, address)) = source.split_once("://") else {
        return source.split([',', '(', ':']).next().unwrap_or_default().trim().to_owned();
    };
    let mut parts = address.split(['/', ' ', ',']);
    match parts.next().unwrap_or_default().trim_start_matches("www.") {
        "github.com" => parts.take(2).collect::<Vec<_>>().join("/"),
        host => host.to_owned(),
    }
}

#[test]
fn labels_name_rows_that_are_there_and_what_they_rest_on() {
    for part in PARTS {
        for (path, table) in tables(part) {
            let list = |name: &str| table.get(name).and_then(|v| v.as_array()).cloned().unwrap_or_default();
            let patterns: BTreeSet<String> = list("row")
                .iter()
                .map(|row| row["pattern"].as_str().unwrap_or_else(|| panic!("{}", path.display())).to_owned())
                .collect();
            let questions = list("explain");
            assert!(!questions.is_empty() && table.contains_key("title"), "{}", path.display());
            for question in questions {
                for row in question["rows"].as_array().unwrap() {
                    assert!(patterns.contains(row.as_str().unwrap()), "{}: no row {row}", path.display());
                }
                let label = &question["label"];
                assert!(label["cause"].is_str() && label["sure"].is_bool(), "{}", path.display());
                assert!(
                    matches!(label["basis"].as_str(), Some("stated" | "inferred")),
                    "{}: {label}",
                    path.display()
                );
                let is_sure_of_nothing =
                    label["cause"].as_str() == Some("unknown") && label["sure"].as_bool() == Some(true);
                assert!(!is_sure_of_nothing, "{}: nobody is sure of what is left open", path.display());
            }
        }
    }
}

#[test]
fn no_source_is_in_two_parts() {
    let of = |part: &str| -> BTreeSet<String> {
        tables(part).iter().map(|(_, table)| origin(table["source"].as_str().unwrap())).collect()
    };
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let (one, other) = (PARTS[one], PARTS[other]);
        let both: Vec<String> = of(one).intersection(&of(other)).cloned().collect();
        assert!(both.is_empty(), "{one} and {other}: {both:?}");
    }
}

/// Cause and what is called as right beside it.
type Answers = (String, BTreeSet<String>);

fn agree(one: &Answers, other: &Answers) -> bool {
    one.0 == other.0 || one.1.contains(&other.0) || other.1.contains(&one.0)
}

fn first_label(name: &str, question: usize) -> (Answers, bool) {
    let (_, table) = PARTS
        .into_iter()
        .flat_map(tables)
        .find(|(path, _)| path.file_stem().is_some_and(|stem| stem == name))
        .unwrap_or_else(|| panic!("no table {name}"));
    let label = table["explain"][question - 1]["label"].clone();
    let also = label.get("also").and_then(|also| also.as_array()).cloned().unwrap_or_default();
    let also = also.iter().map(|cause| cause.as_str().unwrap().to_owned()).collect();
    ((label["cause"].as_str().unwrap().to_owned(), also), label["sure"].as_bool().unwrap())
}

#[test]
fn the_page_says_how_far_second_labels_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations/collected");
    let text = std::fs::read_to_string(folder.join("second_labels.csv")).unwrap();
    let (mut all, mut sure) = ([0; 3], [0; 3]);
    for line in text.lines().skip(1) {
        let [name, question, cause, also, _] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let second =
            (cause.to_owned(), also.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect());
        let (first, is_sure) = first_label(name, question.parse().unwrap());
        let counts = [1, usize::from(first.0 == second.0), usize::from(agree(&first, &second))];
        (0..3).for_each(|at| all[at] += counts[at]);
        (0..3).filter(|_| is_sure).for_each(|at| sure[at] += counts[at]);
    }
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for (name, [questions, same, agreed]) in [("all", all), ("sure", sure)] {
        let row = format!("| {name} | {questions} | {same} | {agreed} |");
        assert!(page.contains(&row), "the page lacks {row}");
    }
}
