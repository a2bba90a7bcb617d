//! `fathom config`: the settings that hold where nothing is typed.

use fathom_demand::with_placeholder;
use serde::Serialize;

use super::store_access::StorePlace;
use crate::arguments::Switch;
use crate::config::{Config, VARIABLE};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Variables of the environment that change what is done.
const VARIABLES: [&str; 6] =
    [VARIABLE, "FATHOM_STORE", "FATHOM_DRIVES", "FATHOM_TRIAL", "NO_COLOR", "COLUMNS"];

/// The settings for programs.
#[derive(Serialize)]
struct Settings {
    format: &'static str,
    version: u32,
    /// The config file; absent where nobody knows the user's folder.
    file: Option<String>,
    /// Whether it is there.
    found: bool,
    store: Option<String>,
    /// What put the store there: `flag`, `environment`, `config` or `default`.
    store_from: &'static str,
    defaults: Vec<Defaults>,
    environment: Vec<Variable>,
}

/// A command's defaults, as they would be typed, with a placeholder for credentials in addresses.
#[derive(Serialize)]
struct Defaults {
    command: String,
    flags: Vec<String>,
}

/// A variable that is set.
#[derive(Serialize)]
struct Variable {
    name: &'static str,
    value: String,
}

/// Prints them.
///
/// # Errors
/// When the file has an error.
pub fn perform(place: &StorePlace, switch: Switch) -> Result<Status, Failure> {
    let config = Config::read()?;
    let set = |name: &'static str| {
        let value = std::env::var_os(name)?.to_string_lossy().into_owned();
        Some(Variable { name, value })
    };
    // What is printed is passed on, and an address may have a password in it.
    let shown = |(command, flags): (String, Vec<String>)| Defaults {
        command,
        flags: flags.iter().map(|flag| with_placeholder(flag)).collect(),
    };
    let settings = Settings {
        format: "fathom.config",
        version: 1,
        file: config.path.as_ref().map(|path| path.display().to_string()),
        found: config.found,
        store: place.path().ok().map(|path| path.display().to_string()),
        store_from: place.origin(),
        defaults: config.commands().into_iter().map(shown).collect(),
        environment: VARIABLES.into_iter().filter_map(set).collect(),
    };
    output::result(&if switch.json { output::json(&settings) } else { text(&settings) })?;
    Ok(Status::Done)
}

fn text(settings: &Settings) -> String {
    let none = "none: the home folder is not known";
    let mut text = format!("config file   {}", settings.file.as_deref().unwrap_or(none));
    if settings.file.is_some() && !settings.found {
        text += "  (not there; fathom config --help shows one)";
    }
    let from = match settings.store_from {
        "flag" => "--store",
        "environment" => "FATHOM_STORE",
        "config" => "the config file",
        _ => "the default",
    };
    text += &format!("\nrun store     {}  ({from})\n", settings.store.as_deref().unwrap_or(none));
    for defaults in &settings.defaults {
        let flags: Vec<String> = defaults.flags.iter().map(|flag| fathom_record::shell_word(flag)).collect();
        text += &format!("defaults      fathom {} {}\n", defaults.command, flags.join(" "));
    }
    for variable in &settings.environment {
        text +=
            &format!("environment   {}={}\n", variable.name, fathom_report::layout::plain(&variable.value));
    }
    text
}
