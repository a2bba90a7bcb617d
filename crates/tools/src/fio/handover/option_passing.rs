//! What may be passed on to the installed fio: the table `passing.txt`, read once. What is not in it is refused.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::fio::option_tables::{self, OptionRow, TouchedTargets};

/// What becomes of an option in a job that the installed fio runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It names no file, device or command, and makes no job write.
    Pass,
    /// It passes with these values alone.
    Only(Vec<&'static str>),
    /// It passes; with another value than these the job is judged as one that writes.
    Writes(Vec<&'static str>),
    /// It says which targets there are, or how they are used: worked out, and judged.
    Named,
    /// It is left out: fathom does it itself, or nothing depends on it.
    Omit,
    /// It names a file that is written: it goes to the run's own folder first.
    Log,
    /// It is refused.
    Refuse {
        /// Why, in one sentence without a full stop.
        why: &'static str,
        /// What to do or type instead.
        remedy: &'static str,
    },
}

/// What an engine of this very name touches; `None` for one that is not handed over.
pub fn engine(name: &str) -> Option<TouchedTargets> {
    option_tables::all_engines().iter().find(|row| row.name == name)?.touches
}

static TABLE: LazyLock<HashMap<&'static str, Verdict>> = LazyLock::new(|| {
    let lines = include_str!("passing.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(entries).collect()
});

fn entries(line: &'static str) -> Vec<(&'static str, Verdict)> {
    let mut cells = line.split('|').map(str::trim);
    let (word, names, rest) = (
        cells.next().unwrap_or_default(),
        cells.next().unwrap_or_default(),
        cells.next().unwrap_or_default(),
    );
    let values = || rest.split_whitespace().collect();
    let verdict = match word {
        "pass" => Verdict::Pass,
        "only" => Verdict::Only(values()),
        "writes" => Verdict::Writes(values()),
        "named" => Verdict::Named,
        "omit" => Verdict::Omit,
        "log" => Verdict::Log,
        _ => {
            let (why, remedy) = rest.split_once("; ").unwrap_or((rest, "leave it out"));
            Verdict::Refuse { why, remedy }
        }
    };
    names
        .split_whitespace()
        .filter_map(|name| Some((option_tables::option(name)?.name, verdict.clone())))
        .collect()
}

/// What becomes of an option; one that is in no line is refused.
pub fn verdict(row: &OptionRow) -> &'static Verdict {
    static UNLISTED: Verdict = Verdict::Refuse {
        why: "it belongs to engines of fio that reach more than files and block devices",
        remedy: "use ioengine=libaio, io_uring or psync, or run fio without fathom",
    };
    TABLE.get(row.name).unwrap_or(&UNLISTED)
}

/// Whether an option stands in the table, or belongs to engines alone that are not handed over.
#[cfg(test)]
pub fn is_decided(row: &OptionRow) -> bool {
    let is_of_others = !row.engines.is_empty() && row.engines.iter().all(|name| engine(name).is_none());
    TABLE.contains_key(row.name) || is_of_others
}
