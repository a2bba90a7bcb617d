//! What the argument parser refuses, in the form of every other failure.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::Failure;

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.to_string();
        // The first paragraph says what is wrong; usage and tips follow it.
        let cause: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let cause = cause.join(" ").trim_start_matches("error: ").to_owned();
        match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                Self::usage("fathom", "say what to do", "type: fathom assess .\nall commands: fathom --help")
            }
            kind => {
                let failure = Self::usage(place(&error), cause, remedy(&error));
                match kind {
                    ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => {
                        Self { kind: "unknown_name", ..failure }
                    }
                    ErrorKind::MissingRequiredArgument => Self { kind: "missing", ..failure },
                    ErrorKind::InvalidValue | ErrorKind::ValueValidation => Self { kind: "value", ..failure },
                    _ => failure,
                }
            }
        }
    }
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
        .map(|kind| texts(error, kind).join(" "))
        .find(|text| !text.is_empty())
        .unwrap_or_else(|| "the command line".to_owned())
}

/// Near names or allowed values first, then how the command is used.
fn remedy(error: &clap::Error) -> String {
    let mut lines = Vec::new();
    let near: Vec<String> =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
            .into_iter()
            .flat_map(|kind| texts(error, kind))
            .map(|name| format!("`{name}`"))
            .collect();
    if !near.is_empty() {
        lines.push(format!("did you mean {}?", near.join(" or ")));
    }
    let values = texts(error, ContextKind::ValidValue);
    if near.is_empty() && !values.is_empty() {
        lines.push(format!("write one of: {}", values.join(", ")));
    }
    let usage = texts(error, ContextKind::Usage).join(" ");
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    let command: Vec<&str> =
        usage.split(' ').take_while(|word| !word.starts_with(['-', '<', '['])).take(2).collect();
    if command.is_empty() {
        lines.push("all commands: fathom --help".to_owned());
    } else {
        lines.push(format!("all of it: {} --help", command.join(" ")));
    }
    lines.join("\n")
}
