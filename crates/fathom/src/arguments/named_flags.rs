//! Every flag that a message, a remedy or a help text names is one that can be typed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};

use super::CommandLine;

/// Flags of other programs that messages name, by program.
const OTHERS: [(&str, &[&str]); 17] = [
    (
        "AWS CLI",
        &[
            "format",
            "instance-ids",
            "iops",
            "period",
            "profile",
            "region-name",
            "starting-token",
            "statistics",
            "throughput",
            "volume-id",
            "volume-ids",
            "volume-type",
        ],
    ),
    ("az", &["aggregation", "interval", "resource"]),
    ("bdevperf", &["disable-cpumask-locks", "no-huge", "num-trace-entries"]),
    ("cargo", &["features", "release"]),
    ("CSS", &["paper"]),
    ("curl", &["data-urlencode"]),
    (
        "fio",
        &[
            "client",
            "direct",
            "filename",
            "iodepth",
            "ioengine",
            "name",
            "output-format",
            "parse-only",
            "read_iolog",
            "readonly",
        ],
    ),
    ("fathom diskspd", &["drive"]),
    ("fathom fio", &["strict"]),
    ("losetup", &["detach", "direct-io", "find", "partscan", "set-capacity", "show"]),
    ("mdadm", &["detail", "stop"]),
    ("ps", &["pid", "sort"]),
    ("SPDK", &["with-uring"]),
    ("spdk_nvme_perf", &["io-depth", "io-pattern", "io-size", "rwmixread"]),
    ("srun", &["unbuffered"]),
    ("systemd-run", &["pty", "scope", "slice"]),
    ("truncate", &["sparse"]),
];

/// Folders whose text is about fio's own options.
const FIO: [&str; 2] = ["tools/src/fio", "fathom/src/commands/fio"];

/// The names behind two hyphens in a text.
fn named(text: &str) -> Vec<String> {
    let begins = |at: &usize| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"-_–—".contains(c))
    };
    let name = |at: usize| {
        let name = text[at + 2..]
            .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && !"-_".contains(c))
            .next();
        name.unwrap_or_default().trim_end_matches('-').to_owned()
    };
    let starts_with_letter = |name: &String| name.starts_with(|c: char| c.is_ascii_lowercase());
    text.match_indices("--").map(|(at, _)| at).filter(begins).map(name).filter(starts_with_letter).collect()
}

/// Flags of a command and of those below it, and what their help names.
fn flags_and_help(command: &Command, flags: &mut BTreeSet<String>, help: &mut Vec<String>) {
    for argument in command.get_arguments() {
        flags.extend(argument.get_long().map(str::to_owned));
        let said = argument.get_long_help().or(argument.get_help());
        help.extend(said.map(|said| said.to_string()));
    }
    help.extend(command.get_after_help().map(|said| said.to_string()));
    command.get_subcommands().for_each(|below| flags_and_help(below, flags, help));
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_flag_that_is_named_exists() {
    let (mut known, mut help) = (BTreeSet::new(), Vec::new());
    flags_and_help(&CommandLine::command(), &mut known, &mut help);
    known.extend(["help", "version"].map(str::to_owned));
    assert!(known.contains("rw") && known.contains("before-a"));
    // A flag that is put together from parts.
    known.insert("before".to_owned());
    let others = || OTHERS.iter().flat_map(|(_, flags)| flags.iter());
    let exists = |name: &String| known.contains(name) || others().any(|other| other == name);
    let mut wrong: Vec<String> = Vec::new();
    for text in &help {
        wrong.extend(
            named(text).into_iter().filter(|name| !exists(name)).map(|name| format!("help: --{name}")),
        );
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).expect("a folder of crates").flatten() {
        sources(&entry.path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{}", files.len());
    for path in files {
        let place = path.strip_prefix(crates).expect("below").display().to_string();
        let is_test =
            place.contains("tests") || place.contains("properties") || place.contains("named_flags");
        if is_test || FIO.iter().any(|folder| place.starts_with(folder)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code {
            let unknown = named(line).into_iter().filter(|name| !exists(name));
            wrong.extend(unknown.map(|name| format!("{place}:{}: --{name}", number + 1)));
        }
    }
    assert!(wrong.is_empty(), "named, and not there: {wrong:#?}");
}

#[test]
fn names_are_found_in_any_text() {
    assert_eq!(named("use --read 0%, --read_iolog or `--rw=write`; not a--b"), ["read", "read_iolog", "rw"]);
    assert_eq!(named("--destroy={x} --before-{y}"), ["destroy", "before"]);
}
