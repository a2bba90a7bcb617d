//! fio's job files: sections of options, read as fio reads them.
//!
//! Comments begin with `;` or `#`, at the start of a line or after a value: fio cuts a line at the first
//! of either, also inside a value. A section whose name begins with `global` gives the jobs that follow
//! their defaults. A line that begins with `include` takes in the options of another file.

use std::io;

use crate::Refusal;

/// One line `key=value` of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The option as it is written there.
    pub key: String,
    /// What follows the first equals sign; none where there is no sign.
    pub value: Option<String>,
    /// Where it stands, as `job.fio, line 12`.
    pub place: String,
}

/// A section, with the options of what it includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What stands between its brackets.
    pub name: String,
    /// Its options in their order.
    pub options: Vec<Assignment>,
    /// Where it begins.
    pub place: String,
}

impl Section {
    /// Whether it gives defaults and is no job.
    pub fn is_global(&self) -> bool {
        is_global(&self.name)
    }
}

/// Whether a section or a job of this name gives defaults: fio looks at the start of the name alone.
pub fn is_global(name: &str) -> bool {
    name.starts_with("global")
}

/// Finds the text of an included file: its name as written, and that of the file that includes it.
pub type IncludeResolver<'a> = dyn FnMut(&str, &str) -> io::Result<String> + 'a;

/// Files within files that are still no loop.
const DEEPEST: usize = 16;
/// Text that all files together may have.
const MOST_BYTES: usize = 8 << 20;

/// Reads a job file. `name` is what places are called by.
///
/// # Errors
/// With the line where it stops making sense.
pub fn parse(text: &str, name: &str, include: &mut IncludeResolver<'_>) -> Result<Vec<Section>, Refusal> {
    let mut reader = Reader { sections: Vec::new(), include, bytes: 0 };
    reader.file(text, name, 0)?;
    Ok(reader.sections)
}

struct Reader<'a, 'b> {
    sections: Vec<Section>,
    include: &'a mut IncludeResolver<'b>,
    bytes: usize,
}

impl Reader<'_, '_> {
    fn file(&mut self, text: &str, name: &str, depth: usize) -> Result<(), Refusal> {
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > MOST_BYTES {
            return Err(
                Refusal::new("fio job file", "with what it includes it is larger than 8 MiB").at(name)
            );
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, number) in text.split('\n').zip(1usize..) {
            let place = || format!("{name}, line {number}");
            let line = strip(line);
            if line.is_empty() {
                continue;
            }
            if line.starts_with('[') {
                self.section(line, depth, place())?;
            } else if self.sections.is_empty() {
                return Err(Refusal::new(
                    "fio job file",
                    format!("`{line}` stands before the first section"),
                )
                .at(place())
                .or("put [global] or a job's name in brackets above it"));
            } else if let Some(rest) = line.strip_prefix("include") {
                self.included(rest, name, depth, place())?;
            } else {
                self.option(line, place())?;
            }
        }
        Ok(())
    }

    fn section(&mut self, line: &str, depth: usize, place: String) -> Result<(), Refusal> {
        if depth > 0 {
            return Err(Refusal::new("fio job file", "an included file holds options alone, no sections")
                .at(place)
                .or("name it as a job file of its own"));
        }
        // As in fio, the last character of the line counts as the bracket; what stands between is the name.
        let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
            return Err(Refusal::new("fio job file", format!("`{line}` has no closing bracket"))
                .at(place)
                .or("write a section as [name]"));
        };
        if name.is_empty() {
            return Err(Refusal::new("fio job file", "a section without a name")
                .at(place)
                .or("write [name]"));
        }
        self.sections.push(Section { name: name.to_owned(), options: Vec::new(), place });
        Ok(())
    }

    fn included(&mut self, rest: &str, name: &str, depth: usize, place: String) -> Result<(), Refusal> {
        let file = rest.trim();
        if depth >= DEEPEST {
            return Err(Refusal::new("fio job file", "files include one another without end").at(place));
        }
        let text = (self.include)(file, name).map_err(|error| {
            let cause = format!("cannot include `{file}`: {error}");
            Refusal::new("fio job file", cause).at(place).with_source(error)
        })?;
        self.file(&text, file, depth + 1)
    }

    fn option(&mut self, line: &str, place: String) -> Result<(), Refusal> {
        let (key, value) = match line.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim().to_owned())),
            None => (line, None),
        };
        if key.is_empty() {
            return Err(Refusal::new("fio job file", format!("`{line}` has no name before its equals sign"))
                .at(place));
        }
        let section = self.sections.last_mut().expect("an option is read only within a section");
        section.options.push(Assignment { key: key.to_owned(), value, place });
        Ok(())
    }
}

/// A line without its comment and the blanks around it: fio cuts at the first semicolon and then at the
/// first hash.
fn strip(line: &str) -> &str {
    let line = line.split(';').next().unwrap_or_default();
    let line = line.split('#').next().unwrap_or_default();
    line.trim_matches(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests;
