//! What the argument parser refuses, in the form of every other failure.

use std::error::Error as _;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use fathom_record::shell_bytes;

use crate::arguments::CommandLine;
use crate::failure::Failure;
use crate::habit;

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        if error.kind() == ErrorKind::InvalidUtf8 {
            return not_text();
        }
        let kind = match error.kind() {
            ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => "unknown_name",
            ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand => "missing",
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => "value",
            _ => "usage",
        };
        Self { kind, ..Self::usage(place(&error), cause(&error), remedy(&error)) }
    }
}

/// A name in another encoding, or in none: a link gives it one that can be typed, printed and saved.
fn not_text() -> Failure {
    let word = std::env::args_os().find(|word| word.to_str().is_none()).unwrap_or_default();
    let word = shell_bytes(word.as_encoded_bytes());
    let remedy =
        format!("give the file a plain name in the same folder, and type that one: ln {word} plain-name");
    Failure::usage(word, "the name is not valid UTF-8, and results are saved and printed as text", remedy)
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// The argument that is to blame.
fn place(error: &clap::Error) -> String {
    [ContextKind::InvalidArg, ContextKind::InvalidSubcommand]
        .into_iter()
        .map(|kind| texts(error, kind).iter().map(|text| bare(text)).collect::<Vec<_>>().join(" "))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// A flag without the word for its value: `--time <TIME>` is `--time`.
fn bare(argument: &str) -> String {
    match argument.split_once([' ', '=']) {
        Some((flag, _)) if flag.starts_with('-') => flag.trim_end_matches('[').to_owned(),
        _ => argument.to_owned(),
    }
}

fn cause(error: &clap::Error) -> String {
    let place = place(error);
    let value = texts(error, ContextKind::InvalidValue).join(" ");
    match error.kind() {
        ErrorKind::UnknownArgument if place.starts_with('-') => "unknown flag".to_owned(),
        ErrorKind::UnknownArgument => "unexpected argument".to_owned(),
        ErrorKind::InvalidSubcommand => "unknown command".to_owned(),
        ErrorKind::MissingSubcommand => "no command given".to_owned(),
        ErrorKind::MissingRequiredArgument => "required argument missing".to_owned(),
        ErrorKind::InvalidValue if value.is_empty() => "it needs a value".to_owned(),
        ErrorKind::InvalidValue | ErrorKind::TooManyValues => format!("invalid value `{value}`"),
        ErrorKind::ValueValidation => match error.source() {
            Some(source) => format!("invalid value `{value}`: {source}"),
            None => format!("invalid value `{value}`"),
        },
        ErrorKind::ArgumentConflict => match texts(error, ContextKind::PriorArg).as_slice() {
            [] => format!("`{place}` is given more than once"),
            [other] if bare(other) == place => format!("`{place}` is given more than once"),
            others => {
                let others: Vec<String> = others.iter().map(|other| format!("`{}`", bare(other))).collect();
                format!("`{place}` cannot be used with {}", others.join(" or "))
            }
        },
        _ => {
            // The first paragraph says what is wrong; usage and tips follow it.
            let text = error.to_string();
            let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
            lines.join(" ").trim_start_matches("error: ").to_owned()
        }
    }
}

/// The whole command, where something of it is missing.
fn example(error: &clap::Error) -> Option<String> {
    let missing = texts(error, ContextKind::InvalidArg).join(" ");
    let of_its_own = match error.kind() {
        ErrorKind::MissingSubcommand => Some("fathom assess ."),
        ErrorKind::MissingRequiredArgument if missing.contains("FLAGS") => {
            Some("fathom diskspd -c1G -b4K -r -o32 -t4 -d10 -L testfile.dat")
        }
        ErrorKind::MissingRequiredArgument if missing.contains("FILE|RUN") => {
            Some("fathom audit result.json")
        }
        ErrorKind::MissingRequiredArgument if missing.contains("<PATH>") => Some("fathom import results"),
        ErrorKind::MissingRequiredArgument if missing.contains("--region") || missing.contains("--size") => {
            Some("fathom size demand.csv --size 1TiB --region us-east-1")
        }
        ErrorKind::MissingRequiredArgument if missing.contains("TARGET") => Some("fathom assess ."),
        ErrorKind::MissingRequiredArgument if missing.contains("html") => {
            Some("fathom report last --html report.html")
        }
        ErrorKind::MissingRequiredArgument if missing.contains("--as") => Some("fathom export last --as csv"),
        ErrorKind::MissingRequiredArgument if missing.contains("CAMPAIGN") => Some("fathom show last"),
        ErrorKind::MissingRequiredArgument if missing.contains("--over") => {
            Some("fathom sweep --target data.bin --over depth=1..64")
        }
        ErrorKind::MissingRequiredArgument if missing.contains("<A>") => Some("fathom compare /mnt/a /mnt/b"),
        _ => None,
    };
    if error.kind() != ErrorKind::MissingRequiredArgument {
        return of_its_own.map(str::to_owned);
    }
    let usage = texts(error, ContextKind::Usage).join(" ");
    let name = usage.split_whitespace().skip_while(|word| *word != "fathom").nth(1)?;
    // A name of an argument may be that of several commands.
    let of_its_own = of_its_own.filter(|line| line.split(' ').nth(1) == Some(name));
    of_its_own.map(str::to_owned).or_else(|| first_example(name))
}

/// The first of the examples that a command's help shows.
fn first_example(name: &str) -> Option<String> {
    let help = CommandLine::command().find_subcommand(name)?.get_after_help()?.to_string();
    let start = format!("fathom {name}");
    let line = help.lines().map(str::trim).find(|line| line.starts_with(&start))?;
    // What stands behind two spaces says what it does.
    line.split("  ").next().map(str::to_owned)
}

/// Near names or allowed values first, then where to read on.
fn remedy(error: &clap::Error) -> String {
    let mut lines = Vec::new();
    let near: Vec<String> =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
            .into_iter()
            .flat_map(|kind| texts(error, kind))
            .map(|name| format!("`{name}`"))
            .collect();
    let values = texts(error, ContextKind::ValidValue);
    if let Some(words) = habit::called_here(error.kind(), &place(error)) {
        lines.push(words);
    } else if let Some(example) = example(error) {
        lines.push(format!("type, for example: {example}"));
    } else if !near.is_empty() {
        lines.push(format!("did you mean {}?", near.join(" or ")));
    } else if !values.is_empty() {
        lines.push(format!("write one of: {}", values.join(", ")));
    }
    let typed: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let command = crate::arguments::command_of(&typed).map_or_else(String::new, |name| format!(" {name}"));
    lines.push(format!("full help: fathom{command} --help"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn what_is_missing_is_shown_in_an_example_of_the_command_that_lacks_it() {
        let mut seen = 0;
        for command in CommandLine::command().get_subcommands() {
            let Err(error) = CommandLine::try_parse_from(["fathom", command.get_name()]) else { continue };
            if error.kind() != ErrorKind::MissingRequiredArgument {
                continue;
            }
            let example = example(&error).unwrap_or_default();
            let start = format!("fathom {} ", command.get_name());
            assert!(example.starts_with(&start) && !example.contains("  "), "{start}: {example}");
            seen += 1;
        }
        assert!(seen >= 8, "{seen}");
    }
}
