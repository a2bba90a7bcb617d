//! Where text goes: results to stdout, messages to stderr, machine output to its own place.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use console::Term;
use fathom_report::Zone;
use fathom_report::terminal::Style;
use serde::Serialize;

use crate::failure::Failure;
use crate::output_file::{Content, OutputFile};

/// Sentences are not wider than this, however wide the terminal: longer lines are hard to read. Tables are.
pub const SENTENCES: usize = 100;
/// Nothing is made to fit a narrower terminal.
const NARROWEST: usize = 20;

/// Where machine output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Machine {
    /// None was asked for.
    Off,
    /// To stdout, which then holds nothing else.
    Stdout,
    /// The same as lines of JSON: one a second, and the result in the last.
    Lines,
    /// To a file.
    File(PathBuf),
}

impl Machine {
    /// From the flag's value: nothing, a file, or `-` for stdout.
    pub fn of(value: Option<&PathBuf>) -> Self {
        match value {
            None => Self::Off,
            Some(path) if path.as_os_str() == "-" => Self::Stdout,
            Some(path) => Self::File(path.clone()),
        }
    }

    /// What is asked for by arguments that may not make sense otherwise.
    pub fn from_arguments(typed: &[OsString]) -> Self {
        let mut asked = Self::Off;
        for argument in crate::arguments::tied(typed).iter().take_while(|argument| *argument != "--") {
            if argument == "--json" {
                asked = Self::Stdout;
            } else if argument == "--json-lines" {
                asked = Self::Lines;
            } else if let Some(file) = argument.to_str().and_then(|text| text.strip_prefix("--json=")) {
                asked = if crate::arguments::takes_json_file(typed) {
                    Self::of(Some(&PathBuf::from(file)))
                } else {
                    Self::Stdout
                };
            }
        }
        asked
    }

    /// Refuses a file that could not be written or is not to be, before anything is measured.
    ///
    /// # Errors
    /// With what to type instead.
    pub fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Off | Self::Stdout | Self::Lines => Ok(()),
            Self::File(path) => OutputFile::check(path, Content::Json).map(drop),
        }
    }

    /// Whether stdout is taken by it.
    pub fn takes_stdout(&self) -> bool {
        matches!(self, Self::Stdout | Self::Lines)
    }

    /// Writes a document to its place, if it has one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, document: &str) -> Result<(), Failure> {
        match self {
            Self::Off => Ok(()),
            Self::Stdout | Self::Lines => result(document),
            Self::File(path) => OutputFile::check(path, Content::Json)?.write(document),
        }
    }

    /// The same for a failure; where the file itself is what failed, stdout takes its place.
    ///
    /// # Errors
    /// When neither can be written.
    pub fn write_failure(&self, document: &str) -> Result<(), Failure> {
        self.write(document).or_else(|_| result(document))
    }
}

/// A value as one indented JSON document with a newline at its end.
pub fn json<T: Serialize>(value: &T) -> String {
    fathom_report::canonical_json::pretty(value).expect("what is printed has text keys and serialises")
}

/// A value as one line of JSON, for what holds long series.
pub fn json_line<T: Serialize>(value: &T) -> String {
    let mut text = fathom_json::text(value).expect("what is printed has text keys and serialises");
    text.push('\n');
    text
}

/// Writes a result to stdout. A reader that has gone, as `head` does, is no failure.
///
/// # Errors
/// When stdout is a file that cannot be written, or was closed from the start.
pub fn result(text: &str) -> Result<(), Failure> {
    if crate::stdout::was_closed() {
        return Err(stdout_closed());
    }
    let text = on_terminal(text, &Term::stdout());
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::system("writing to stdout", error))
        }
        _ => Ok(()),
    }
}

/// Writes a line of several to stdout; whether anybody is there to read it.
///
/// # Errors
/// When stdout is a file that cannot be written, or was closed from the start.
pub fn line(text: &str) -> Result<bool, Failure> {
    if crate::stdout::was_closed() {
        return Err(stdout_closed());
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::system("writing to stdout", error)),
    }
}

/// Nobody can read what is printed.
pub fn stdout_closed() -> Failure {
    let remedy = "to leave the results unprinted: > /dev/null";
    Failure {
        remedy: remedy.to_owned(),
        ..Failure::system("writing to stdout", "it was closed by who started this")
    }
}

/// Writes a message to stderr, without anything in it that a terminal would obey. Nobody can be told when
/// that fails.
pub fn message(text: &str) {
    let cell = |cell: &str| fathom_report::layout::plain(cell);
    let line = |line: &str| line.split('\t').map(cell).collect::<Vec<_>>().join("\t");
    let text = text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    let text = on_terminal(&text, &Term::stderr());
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The text of a line that is redrawn on stderr.
pub fn redrawn(text: &str) -> Cow<'_, str> {
    on_terminal(text, &Term::stderr())
}

/// Microseconds as `µs` where people read on a terminal that has the letter. Files, pipes and documents keep `us`, by
/// which programs find them.
fn on_terminal<'a>(text: &'a str, terminal: &Term) -> Cow<'a, str> {
    let is_document = text.starts_with(['{', '[']);
    if is_document || !terminal.is_term() || !is_utf8(|name| std::env::var(name).ok()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(with_micro_sign(text))
}

/// Whether the locale's letters are UTF-8: by the first variable that is set, as the C library has it.
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let mut set =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).filter(|text| !text.is_empty());
    set.next().is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// `us` behind a number, as `µs`.
fn with_micro_sign(text: &str) -> String {
    const UNIT: &str = " us";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(UNIT) {
        let (before, behind) = (&rest[..at], &rest[at + UNIT.len()..]);
        let is_unit = before.ends_with(|c: char| c.is_ascii_digit())
            && !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        out.push_str(before);
        out.push_str(if is_unit { " µs" } else { UNIT });
        rest = behind;
    }
    out + rest
}

/// How results are written: as wide as the terminal, or as anything where there is none, so that nothing is left out for
/// a program that reads; in colour where that is wanted.
pub fn style() -> Style {
    let terminal = Term::stdout();
    let color = terminal.is_term() && wants_color(std::env::var_os("NO_COLOR"), std::env::var_os("TERM"));
    Style { width: width_of(&terminal).unwrap_or(usize::MAX), color, zone: Zone::Local }
}

/// Most characters of a line of text among results.
pub fn width_of_sentences() -> usize {
    style().width.min(SENTENCES)
}

/// Most characters of a line of text on stderr.
pub fn width_of_messages() -> usize {
    width_of_progress().min(SENTENCES)
}

/// Most characters of a line that is redrawn on stderr.
pub fn width_of_progress() -> usize {
    width_of(&Term::stderr()).unwrap_or(SENTENCES)
}

/// The terminal's columns, or those that a shell or a script asks for in its place.
fn width_of(terminal: &Term) -> Option<usize> {
    match terminal.size_checked() {
        Some((_, columns)) if terminal.is_term() && columns > 0 => Some(usize::from(columns).max(NARROWEST)),
        _ => columns_asked(std::env::var("COLUMNS").ok().as_deref()),
    }
}

fn columns_asked(columns: Option<&str>) -> Option<usize> {
    columns?.trim().parse().ok().filter(|columns| *columns > 0).map(|columns: usize| columns.max(NARROWEST))
}

/// The convention of no-color.org, and terminals that say they can do nothing.
fn wants_color(no_color: Option<OsString>, term: Option<OsString>) -> bool {
    no_color.is_none_or(|value| value.is_empty()) && term.as_deref() != Some(OsStr::new("dumb"))
}

/// Whether stderr is a terminal that can redraw a line.
pub fn can_redraw() -> bool {
    Term::stderr().is_term() && std::env::var_os("TERM").as_deref() != Some(OsStr::new("dumb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(typed: &[&str]) -> Machine {
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        Machine::from_arguments(&typed)
    }

    #[test]
    fn a_width_that_was_asked_for_is_taken_within_reason() {
        let asked = [Some("20"), Some(" 72 "), Some("9"), Some("1000")].map(columns_asked);
        assert_eq!(asked, [Some(20), Some(72), Some(20), Some(1000)]);
        assert_eq!([None, Some(""), Some("0"), Some("wide")].map(columns_asked), [None; 4]);
    }

    #[test]
    fn json_is_found_in_arguments_that_make_no_sense() {
        assert_eq!(asked(&["fathom", "run", "--nonsense"]), Machine::Off);
        assert_eq!(asked(&["fathom", "run", "--nonsense", "--json"]), Machine::Stdout);
        assert_eq!(asked(&["fathom", "run", "--nonsense", "--json-lines"]), Machine::Lines);
        assert_eq!(asked(&["fathom", "run", "--json=a.json", "--x"]), Machine::File("a.json".into()));
        assert_eq!(asked(&["fathom", "assess", "--json", "a.json"]), Machine::File("a.json".into()));
        assert_eq!(asked(&["fathom", "assess", "--json", "."]), Machine::Stdout);
        assert_eq!(asked(&["fathom", "runs", "--json=a.json"]), Machine::Stdout);
        assert_eq!(asked(&["fathom", "explain", "--json=a.json", "x"]), Machine::File("a.json".into()));
        assert_eq!(asked(&["fathom", "diskspd", "--json=a.json", "x"]), Machine::File("a.json".into()));
        assert_eq!(asked(&["fathom", "run", "--", "--json"]), Machine::Off);
    }

    #[test]
    fn microseconds_have_their_letter_behind_a_number_alone() {
        let text = "p99 345 us, 12.3 us; 4 users, 2 us-east, us.\n";
        assert_eq!(with_micro_sign(text), "p99 345 µs, 12.3 µs; 4 users, 2 us-east, us.\n");
        let locale = |all: &'static str, lang: &'static str| {
            is_utf8(move |name| match name {
                "LC_ALL" => Some(all.to_owned()),
                "LANG" => Some(lang.to_owned()),
                _ => None,
            })
        };
        assert!(locale("", "de_DE.UTF-8") && locale("C.utf8", "C"));
        assert!(!locale("C", "en_GB.UTF-8") && !locale("", "") && !is_utf8(|_| None));
    }

    #[test]
    fn color_can_be_refused() {
        let text = |text: &str| Some(OsString::from(text));
        assert!(wants_color(None, text("xterm")));
        assert!(wants_color(text(""), None));
        assert!(!wants_color(text("1"), text("xterm")));
        assert!(!wants_color(None, text("dumb")));
    }
}
