//! What was read, known, skipped and refused, as text and as a document.

use serde::Serialize;

use fathom_report::layout;

use super::import_saver::{Entry, State};

/// The list for programs.
#[derive(Serialize)]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    path: String,
    state: &'static str,
    format: &'a str,
    runs: &'a [String],
    remarks: &'a [String],
}

/// The list as a document.
pub fn document(entries: &[Entry]) -> Document<'_> {
    let file = |entry| {
        let Entry { path, state, format, runs, remarks, .. }: &Entry = entry;
        File { path: path.display().to_string(), state: word(*state), format, runs, remarks }
    };
    Document { format: "fathom.import", version: 1, files: entries.iter().map(file).collect() }
}

fn word(state: State) -> &'static str {
    match state {
        State::Read => "read",
        State::Known => "known",
        State::Skipped => "skipped",
        State::Refused => "refused",
    }
}

/// Whether everything that was to be read was: a file that was named and is of no known format was to be.
pub fn is_whole(entries: &[Entry]) -> bool {
    !entries
        .iter()
        .any(|entry| entry.state == State::Refused || entry.state == State::Skipped && entry.is_named)
}

/// Files listed one by one; of more only the first, and how many they are.
const LISTED: usize = 40;

/// The list for people.
pub fn text(entries: &[Entry], store_flag: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for (state, title) in [
        (State::Read, "read"),
        (State::Known, "already imported"),
        (State::Skipped, "skipped"),
        (State::Refused, "refused"),
    ] {
        let of: Vec<&Entry> = entries.iter().filter(|entry| entry.state == state).collect();
        if of.is_empty() {
            continue;
        }
        let runs: usize = of.iter().map(|entry| entry.runs.len()).sum();
        let runs = if state == State::Read { format!(", {}", counted(runs, "run")) } else { String::new() };
        lines.push(format!("{title}: {}{runs}", counted(of.len(), "file")));
        for entry in of.iter().take(LISTED) {
            lines.extend(layout::wrapped("  ", &line(entry), "    ", width));
        }
        if of.len() > LISTED {
            lines.push(format!("  and {} more; all of them: --json", of.len() - LISTED));
        }
    }
    if entries.is_empty() {
        lines.push("There is no file in it.".to_owned());
    }
    if entries.iter().any(|entry| entry.state == State::Read && !entry.runs.is_empty()) {
        lines.push(String::new());
        lines.push(format!("To see them: fathom{store_flag} runs"));
    }
    lines.join("\n") + "\n"
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn line(entry: &Entry) -> String {
    let path = entry.path.display();
    let mut parts = Vec::new();
    match entry.runs.as_slice() {
        [] => {}
        [one] => parts.push(format!("{} as {one}", entry.format)),
        [first, ..] => parts.push(format!("{} as {} runs from {first} on", entry.format, entry.runs.len())),
    }
    parts.extend(entry.remarks.iter().cloned());
    if parts.is_empty() { path.to_string() } else { format!("{path}: {}", parts.join("; ")) }
}
