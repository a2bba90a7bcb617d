//! fio's command line: long options with one hyphen or two, jobs that begin at `--name`, and job files.

mod globals;

pub use globals::{Forms, Globals, Row, find as global_option, is_global};

use crate::{Fault, Refusal};

use super::jobfile::Assignment;
use super::option_tables::{self, ArgumentKind};

/// A command line, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invocation {
    /// What concerns the whole command.
    pub globals: Globals,
    /// Options of jobs in their order; `name` begins a job, and what stands before the first is of all.
    pub options: Vec<Assignment>,
    /// Job files in their order; they come after the jobs of the command line.
    pub files: Vec<String>,
}

/// Reads what follows `fathom fio`.
///
/// # Errors
/// With the argument that makes no sense.
pub fn parse(arguments: &[String]) -> Result<Invocation, Refusal> {
    let mut invocation = Invocation::default();
    let mut words = arguments.iter().map(String::as_str).zip(1usize..).peekable();
    let mut only_files = false;
    while let Some((word, number)) = words.next() {
        if only_files || word == "-" || !word.starts_with('-') {
            refuse_dash(word, number)?;
            invocation.files.push(word.to_owned());
            continue;
        }
        if word == "--" {
            only_files = true;
            continue;
        }
        let place = format!("argument {number}");
        let (name, tied) = match word.trim_start_matches('-').split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.trim_start_matches('-'), None),
        };
        let short = !word.starts_with("--");
        let meant = OptionName::of(name, short).map_err(|fault| refuse(fault, &place))?;
        let mut next = || {
            let value = words.next_if(|(word, _)| !word.is_empty()).map(|(word, _)| word);
            value.ok_or_else(|| {
                refuse(format!("`{word}` needs a value"), &place).or(format!("write {word}=VALUE"))
            })
        };
        match meant {
            OptionName::Global(global) => {
                let value = match (tied, global.takes_value) {
                    (Some(value), _) => Some(value),
                    (None, true) => Some(next()?),
                    (None, false) => None,
                };
                let set = invocation.globals.set(global.name, value);
                set.map_err(|fault| refuse(fault, &place))?;
            }
            OptionName::Job(name) => {
                let row = option_tables::option(name).expect("only names of the table are meant");
                let value = match tied {
                    Some(value) => Some(value.to_owned()),
                    None if row.takes == ArgumentKind::Flag => None,
                    None => Some(next()?.to_owned()),
                };
                let place = place.clone();
                invocation.options.push(Assignment { key: name.to_owned(), value, place });
            }
        }
    }
    Ok(invocation)
}

fn refuse(fault: impl Into<Fault>, place: &str) -> Refusal {
    fault.into().of("fio command line").at(place)
}

/// A word that begins with a dash no option has would be taken for a file.
fn refuse_dash(word: &str, number: usize) -> Result<(), Refusal> {
    let dashes = ['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}'];
    if word.starts_with(dashes) {
        let plain = word.trim_start_matches(dashes);
        let cause = format!("`{word}` begins with a dash that no option has, as documents make them");
        return Err(refuse(cause, &format!("argument {number}")).or(format!("type --{plain}")));
    }
    if word.is_empty() {
        return Err(refuse("it is empty", &format!("argument {number}")).or("name a job file"));
    }
    Ok(())
}

/// What a name on the command line is.
enum OptionName {
    Global(&'static Row),
    Job(&'static str),
}

impl OptionName {
    /// By the whole name, the letter, or the start of one name alone, as getopt has it.
    fn of(name: &str, short: bool) -> Result<Self, Fault> {
        if let Some(row) = globals::find(name, short) {
            return Ok(Self::Global(row));
        }
        if let Some(row) = option_tables::option(name) {
            let exact =
                std::iter::once(row.name).chain(row.aliases.iter().copied()).find(|known| *known == name);
            return Ok(Self::Job(exact.unwrap_or(row.name)));
        }
        let begun = |known: &str| known.starts_with(name) && name.len() > 1;
        let mut rows: Vec<&str> = option_tables::all_options()
            .iter()
            .filter(|row| std::iter::once(&row.name).chain(&row.aliases).any(|known| begun(known)))
            .map(|row| row.name)
            .collect();
        let globals: Vec<_> = globals::ROWS.iter().filter(|row| begun(row.name)).collect();
        rows.dedup();
        match (rows.as_slice(), globals.as_slice()) {
            ([one], []) => Ok(Self::Job(one)),
            ([], [one]) => Ok(Self::Global(one)),
            ([], []) => {
                let near = option_tables::nearest(name).map(|near| format!(": did you mean `{near}`?"));
                Err(format!("fio has no option `{name}`{}", near.unwrap_or_default()).into())
            }
            _ => Err(format!("`{name}` may be several options: write it out").into()),
        }
    }
}

#[cfg(test)]
mod tests;
