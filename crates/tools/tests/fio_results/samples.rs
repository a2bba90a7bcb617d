//! Whole files against what they state by other means: those here, and published ones of many versions, from the folder
//! that `FATHOM_SAMPLES` names. Each is read, or refused for a reason, and never with a number that its own totals
//! contradict.

use std::path::{Path, PathBuf};

use fathom_tools::result_import::ImportedItem;

use super::{hold_against_stated, import, runs};

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio_results/own").join(name)
}

fn folder(name: &str) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(fathom_skips::folder_named_by("FATHOM_SAMPLES")?.join(name)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}

/// How often a key stands in a file with a value that is not 0: what no structure can lose.
fn nonzero(text: &str, key: &str) -> f64 {
    text.match_indices(key)
        .filter_map(|(at, _)| {
            text[at + key.len()..].trim_start_matches([' ', ':']).split([',', '\n', '}']).next()
        })
        .filter_map(|value| value.trim().parse::<f64>().ok())
        .sum()
}

/// By another way: all counts that stand in the text are in the records, flushes included.
fn counts_stand_in_the_json(path: &Path, found: &[ImportedItem]) {
    let name = path.display();
    let runs = runs(found);
    assert!(!runs.is_empty(), "{name}");
    runs.iter().for_each(|run| hold_against_stated(run, &name.to_string()));
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let in_text = nonzero(&text, "\"total_ios\"");
    let in_records: f64 = runs
        .iter()
        .flat_map(|run| &run.summary.directions)
        .map(|direction| direction.operations.unwrap() as f64)
        .sum();
    assert_eq!(in_text, in_records, "{name}");
}

#[test]
fn every_whole_json_here_is_read_with_its_own_totals() {
    // `mixed` states no counts of its directions, and `status-interval` states them each second anew.
    for name in ["clones", "group-fsync", "gtod-reduce", "h", "io", "mix-jsonplus"] {
        let path = here(&format!("{name}.json"));
        let (importer, found) = import(&path).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert_eq!(importer, "fio-json", "{name}");
        counts_stand_in_the_json(&path, &found);
    }
}

#[test]
fn every_published_json_is_read_with_its_own_totals() {
    for path in folder("fio_json").into_iter().flatten() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = match import(&path) {
            Ok((importer, found)) => {
                assert_eq!(importer, "fio-json", "{name}");
                found
            }
            Err(refusal) => {
                assert!(refusal.starts_with("not read as fio JSON"), "{name}: {refusal}");
                eprintln!("refused: {name}: {refusal}");
                continue;
            }
        };
        counts_stand_in_the_json(&path, &found);
    }
}

#[test]
fn odd_results_of_one_version_are_read_or_refused() {
    for path in folder("fio_local").into_iter().flatten() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match import(&path) {
            Ok((_, found)) => {
                let json =
                    runs(&found).into_iter().filter(|run| run.origin.as_ref().unwrap().parser == "fio JSON");
                json.for_each(|run| hold_against_stated(run, &name));
            }
            Err(refusal) => {
                eprintln!("refused: {name}: {refusal}");
                assert!(
                    name.starts_with("terse") || refusal.contains("has no whole job"),
                    "{name}: {refusal}"
                );
            }
        }
    }
}

#[test]
fn published_logs_are_read_or_refused_for_their_unit() {
    let (mut read, mut refused) = (0, 0);
    for path in folder("fio_log").into_iter().flatten() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match import(&path) {
            Ok((importer, _)) => {
                assert_eq!(importer, "fio-log", "{name}");
                read += 1;
            }
            Err(refusal) => {
                let known = ["microseconds from fio before 3.0", "(iolog)", "do not say which"];
                assert!(known.iter().any(|reason| refusal.contains(reason)), "{name}: {refusal}");
                refused += 1;
            }
        }
    }
    eprintln!("{read} logs read, {refused} refused");
}

/// By another way: the sums of all `issued` lines, flushes and trims included.
fn counts_stand_in_the_text(path: &Path, found: &[ImportedItem]) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let totals = text.split(['\n', '\r']).filter(|line| line.trim_start().starts_with("issued"));
    let of_line = |line: &str| -> u64 {
        let totals = line.split_once("total=").unwrap().1.split("short").next().unwrap();
        totals.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u64>().ok()).sum()
    };
    let in_text: u64 = totals.map(of_line).sum();
    let in_records: u64 = runs(found)
        .iter()
        .flat_map(|run| &run.summary.directions)
        .filter_map(|direction| direction.operations)
        .sum();
    assert_eq!(in_text, in_records, "{}", path.display());
}

/// Two jobs of an installed fio 3.33, one of them with flushes.
#[test]
fn a_text_here_is_read_with_the_counts_that_it_states() {
    let path = here("two-jobs.txt");
    let (importer, found) = import(&path).unwrap();
    assert_eq!(importer, "fio-text");
    assert_eq!(runs(&found).len(), 2);
    counts_stand_in_the_text(&path, &found);
}

#[test]
fn published_texts_are_read_with_the_counts_that_they_state() {
    let (mut read, mut refused) = (0, 0);
    for path in folder("fio_text").into_iter().flatten() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match import(&path) {
            Ok((importer, found)) => {
                assert_eq!(importer, "fio-text", "{name}");
                read += 1;
                counts_stand_in_the_text(&path, &found);
            }
            Err(refusal) => {
                eprintln!("refused: {name}: {refusal}");
                assert!(refusal.starts_with("not read as"), "{name}: {refusal}");
                refused += 1;
            }
        }
    }
    eprintln!("{read} texts read, {refused} refused");
}
