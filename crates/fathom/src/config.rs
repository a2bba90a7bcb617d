//! The config file: defaults for flags, and where the run store is.
//!
//! A table for each command holds its flags by their names; they are put behind the command as if they had been typed,
//! where they were not. What permits the loss of data, or replaces files, is typed and never a setting.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, CommandFactory};
use fathom_demand::with_placeholder;
use fathom_record::spelling::nearest;
use toml::{Table, Value};

use crate::arguments::CommandLine;
use crate::failure::Failure;

/// Names the file, in place of the user's own; an empty file is none.
pub const VARIABLE: &str = "FATHOM_CONFIG";
/// Flags that are typed for one command alone.
const TYPED: [&str; 11] = [
    "destroy",
    "yes",
    "writable",
    "allow-any-host",
    "purge",
    "check-empty",
    "force",
    "anew",
    "help",
    "version",
    "store",
];
/// Commands whose table is left out where a plan file says all of it.
const WITH_PLAN: [&str; 2] = ["run", "sweep"];
/// A file beyond this is something else.
const MOST_BYTES: u64 = 1 << 20;

/// What the config file says.
#[derive(Debug, Default)]
pub struct Config {
    /// Where it is, or would be; absent where nobody knows the user's folder.
    pub path: Option<PathBuf>,
    /// Whether it is there.
    pub found: bool,
    /// Its tables, checked.
    table: Table,
}

impl Config {
    /// Reads the user's file, or the one that the environment names.
    ///
    /// # Errors
    /// When it cannot be read, or has a key that no command knows.
    pub fn read() -> Result<Self, Failure> {
        let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let Some(path) = named.clone().or_else(own_path) else { return Ok(Self::default()) };
        let refused = |cause: String| Failure::usage(path.display().to_string(), cause, "");
        match std::fs::metadata(&path) {
            Err(error) if named.is_some() => {
                Err(refused(format!("{VARIABLE} names it: {error}")).with_source(error))
            }
            Err(_) => Ok(Self { path: Some(path), ..Self::default() }),
            Ok(facts) if facts.len() > MOST_BYTES => Err(refused("too large for a config file".to_owned())),
            Ok(_) => {
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| refused(error.to_string()).with_source(error))?;
                let place = path.display().to_string();
                let table = checked(&text).map_err(|failure| Failure { place, ..failure })?;
                Ok(Self { path: Some(path), found: true, table })
            }
        }
    }

    /// Where the run store is, if it says so.
    pub fn store(&self) -> Option<PathBuf> {
        self.table.get("store").and_then(Value::as_str).map(PathBuf::from)
    }

    /// The tables of commands, each with its flags as they would be typed.
    pub fn commands(&self) -> Vec<(String, Vec<String>)> {
        let tables = self.table.iter().filter_map(|(name, value)| Some((name, value.as_table()?)));
        tables.map(|(name, table)| (name.clone(), table.iter().flat_map(words).collect())).collect()
    }

    /// The words to put behind a command: its defaults, but for flags among `typed`.
    pub fn defaults(&self, command: Option<&str>, typed: &[OsString]) -> Vec<OsString> {
        let table = command.and_then(|command| self.table.get(command)).and_then(Value::as_table);
        let Some(table) = table else { return Vec::new() };
        let is_plan = |word: &OsString| {
            word.to_str().is_some_and(|word| word.ends_with(".toml") && !word.starts_with('-'))
        };
        if WITH_PLAN.iter().any(|name| Some(*name) == command) && typed.iter().any(is_plan) {
            return Vec::new();
        }
        let flags: Vec<&str> = typed
            .iter()
            .map_while(|word| if word == "--" { None } else { Some(word.to_str().unwrap_or("")) })
            .collect();
        let is_typed = |key: &str| {
            let flag = format!("--{key}");
            flags.iter().any(|word| *word == flag || word.starts_with(&format!("{flag}=")))
        };
        let missing = table.iter().filter(|(key, _)| !is_typed(key));
        missing.flat_map(words).map(OsString::from).collect()
    }
}

/// Where the user's own file is.
fn own_path() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(home.join("fathom").join("config.toml"))
}

/// A flag with its value as it is typed; a list repeats it.
fn words((key, value): (&String, &Value)) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(|value| words((key, value))).collect(),
        Value::Boolean(true) => vec![format!("--{key}")],
        Value::Boolean(false) => Vec::new(),
        Value::String(text) => vec![format!("--{key}={text}")],
        other => vec![format!("--{key}={other}")],
    }
}

/// Something in the file that makes no sense, and what to write; whoever read it knows the place.
fn wrong(cause: impl Into<String>, remedy: impl Into<String>) -> Failure {
    Failure { kind: "config", ..Failure::usage("", cause, remedy) }
}

/// A file whose keys are all known; otherwise what is wrong, and what to write.
fn checked(text: &str) -> Result<Table, Failure> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        // It quotes the line.
        let cause = with_placeholder(error.to_string().trim_end());
        wrong(cause, "a config file is TOML: fathom config --help").with_source(error)
    })?;
    let asked = CommandLine::command();
    let commands: Vec<&str> = asked.get_subcommands().map(clap::Command::get_name).collect();
    for (key, value) in &table {
        if key == "store" {
            if !value.is_str() {
                return Err(wrong("`store` is a path in quotes", ""));
            }
            continue;
        }
        let Some(command) = asked.find_subcommand(key).filter(|command| command.get_name() == key) else {
            return Err(unknown(
                &format!("unknown key `{key}`"),
                key,
                commands.iter().copied().chain(["store"]),
            ));
        };
        let Some(flags) = value.as_table() else {
            return Err(wrong(format!("`{key}` is a command, and its defaults are a table: [{key}]"), ""));
        };
        let known: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
        for (flag, value) in flags {
            if TYPED.contains(&flag.as_str()) {
                let remedy = format!("type it: fathom {key} --{flag}");
                return Err(wrong(format!("[{key}] {flag}: it is typed, and never a setting"), remedy));
            }
            if !known.contains(&flag.as_str()) {
                let said = format!("[{key}] unknown key `{flag}`");
                return Err(unknown(&said, flag, known.iter().copied().filter(|name| !TYPED.contains(name))));
            }
            check_value(command, (key, flag), value)?;
        }
    }
    Ok(table)
}

/// A switch is true or false, and everything else has a value.
fn check_value(command: &clap::Command, (table, flag): (&str, &str), value: &Value) -> Result<(), Failure> {
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(flag));
    let is_switch = argument.is_some_and(|argument| matches!(argument.get_action(), ArgAction::SetTrue));
    let remedy = if is_switch { format!("write {flag} = true") } else { format!("write {flag} = \"VALUE\"") };
    match value {
        Value::Boolean(_) => Ok(()),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Array(_) if !is_switch => Ok(()),
        _ => Err(wrong(format!("[{table}] {flag}: `{value}` is not a value that it takes"), remedy)),
    }
}

fn unknown<'a>(said: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let remedy = match nearest(name, known).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "what there is: fathom config --help".to_owned(),
    };
    wrong(said, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config { table: checked(text).expect("a config"), ..Config::default() }
    }

    fn defaults(text: &str, typed: &[&str]) -> Vec<OsString> {
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        config(text).defaults(Some("run"), &typed)
    }

    #[test]
    fn defaults_stand_where_nothing_was_typed() {
        let text = "store = '/x'\n[run]\ntime = '60s'\ndepth = 8\nquiet = true\ncompact = false\nfail-if = ['p99>2ms', 'errors>0']";
        let all = ["--depth=8", "--fail-if=p99>2ms", "--fail-if=errors>0", "--quiet", "--time=60s"];
        assert_eq!(defaults(text, &["fathom", "run"]), all);
        let typed = ["fathom", "run", "--time", "5s", "--fail-if=iops<5"];
        assert_eq!(defaults(text, &typed), ["--depth=8", "--quiet"]);
        assert!(defaults(text, &["fathom", "run", "plan.toml"]).is_empty());
        assert_eq!(config(text).store(), Some("/x".into()));
        assert!(config(text).defaults(Some("assess"), &[]).is_empty());
    }

    #[test]
    fn keys_that_are_not_known_are_named() {
        for (text, cause, remedy) in [
            ("[runn]\ntime = '1s'", "unknown key `runn`", "did you mean `run`?"),
            ("[run]\ntmie = '1s'", "[run] unknown key `tmie`", "did you mean `time`?"),
            ("time = '1s'", "unknown key `time`", ""),
            ("run = 1", "`run` is a command", ""),
            ("[run]\ndestroy = 'x'", "never a setting", "fathom run --destroy"),
            ("[explain]\npurge = true", "never a setting", "fathom explain --purge"),
            ("[run]\nquiet = 'yes'", "[run] quiet: `\"yes\"`", "quiet = true"),
            ("[run", "TOML parse error", "TOML"),
            ("[profile]\nprometheus = http://a:b@c", "http://USER:PASSWORD@c", "TOML"),
        ] {
            let Failure { cause: said, remedy: advice, .. } = checked(text).expect_err(text);
            assert!(said.contains(cause) && advice.contains(remedy), "{text}: {said} / {advice}");
        }
    }
}
