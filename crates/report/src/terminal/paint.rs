//! Lines of a summary: wrapped, aligned and coloured.

use super::Style;
use crate::layout::{LongWord, broken, plain};
use crate::table::{Table, clip, pad};
use crate::zoned_moment::Zone;

/// Lines shorter than this say nothing.
const WIDTH_MIN: usize = 20;
/// Sentences are not wider than this, however wide the terminal: longer lines are hard to read. Tables are.
const SENTENCES: usize = 100;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A name that leads a part.
    Title,
    /// Less important words.
    Quiet,
    /// Something failed.
    Alarm,
    /// Something to take care of.
    Care,
    /// An answer that is good news.
    Good,
}

/// A summary in the making.
pub struct Sheet {
    style: Style,
    out: String,
}

impl Sheet {
    /// An empty one.
    pub fn new(style: Style) -> Self {
        Self { style: Style { width: style.width.max(WIDTH_MIN), ..style }, out: String::new() }
    }

    /// Most characters of a line of text.
    pub fn width(&self) -> usize {
        self.style.width.min(SENTENCES)
    }

    /// Whose time moments are written in.
    pub fn zone(&self) -> Zone {
        self.style.zone
    }

    /// The finished text.
    pub fn finish(self) -> String {
        self.out
    }

    fn tinted(&self, text: &str, tone: Option<Tone>) -> String {
        let code = match tone {
            Some(Tone::Title) => "1",
            Some(Tone::Quiet) => "2",
            Some(Tone::Alarm) => "1;31",
            Some(Tone::Care) => "33",
            Some(Tone::Good) => "32",
            None => return text.to_owned(),
        };
        if self.style.color && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// An empty line.
    pub fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// One line as it is, cut at the width.
    pub fn line(&mut self, text: &str, tone: Option<Tone>) {
        let text = clip(&plain(text), self.style.width);
        let tinted = self.tinted(text.trim_end(), tone);
        self.out.push_str(&tinted);
        self.out.push('\n');
    }

    /// What is to be typed: one line and whole, however narrow the terminal, so that it can be copied.
    pub fn command(&mut self, command: &str, indent: usize) {
        let line = format!("{}{}", " ".repeat(indent), plain(command));
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    /// A text wrapped at words, with `indent` spaces before each line.
    pub fn text(&mut self, text: &str, indent: usize, tone: Option<Tone>) {
        for line in wrap(text, self.width().saturating_sub(indent)) {
            self.line(&format!("{}{line}", " ".repeat(indent)), tone);
        }
    }

    /// A name, and a text wrapped beside it; under it where there is no room.
    pub fn named(&mut self, name: &str, text: &str, (column, tone): (usize, Option<Tone>)) {
        let room = self.width().saturating_sub(column);
        if room < 30 || name.chars().count() + 2 > column {
            self.text(name, 0, Some(Tone::Title));
            self.text(text, 2, tone);
            return;
        }
        for (at, line) in wrap(text, room).iter().enumerate() {
            let name = pad(if at == 0 { name } else { "" }, column, false);
            let line = self.tinted(&name, Some(Tone::Title).filter(|_| at == 0)) + &self.tinted(line, tone);
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
    }

    /// A table that fits the width; columns that had to be left out are named under it.
    pub fn table(&mut self, table: &Table) {
        let (lines, left_out) = table.text(self.style.width);
        for (at, line) in lines.iter().enumerate() {
            self.line(line, Some(Tone::Quiet).filter(|_| at == 0));
        }
        if !left_out.is_empty() {
            let text = format!("hidden columns (narrow terminal): {}", left_out.join(", "));
            self.text(&text, 0, Some(Tone::Quiet));
        }
    }

    /// A heading with failures under it; nothing without any.
    pub fn alarm(&mut self, heading: &str, failures: &[String]) {
        if failures.is_empty() {
            return;
        }
        self.gap();
        self.text(heading, 0, Some(Tone::Alarm));
        self.items(failures, Some(Tone::Alarm));
    }

    /// A heading with warnings under it; nothing without any.
    pub fn care(&mut self, heading: &str, warnings: &[String]) {
        if warnings.is_empty() {
            return;
        }
        self.gap();
        self.text(heading, 0, Some(Tone::Care));
        self.items(warnings, None);
    }

    /// A list, each item behind a mark.
    pub fn items(&mut self, items: &[String], tone: Option<Tone>) {
        for item in items {
            self.item("-", item, tone);
        }
    }

    /// An item behind a mark of one letter.
    pub fn item(&mut self, mark: &str, item: &str, tone: Option<Tone>) {
        let lines = wrap(item, self.width().saturating_sub(4));
        for (at, line) in lines.iter().enumerate() {
            let mark = if at == 0 { mark } else { " " };
            self.line(&format!("  {mark} {line}"), tone);
        }
    }
}

/// Lines of at most `width` characters, broken at spaces; a longer word is broken where it must be.
fn wrap(text: &str, width: usize) -> Vec<String> {
    broken(("", ""), text, width.max(8), LongWord::Broken)
}
