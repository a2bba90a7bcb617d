//! Reads `NAME,KEY=VALUE,...` into the parameters of a simulated device.

use super::key::{KEYS, Key};
use super::parameters::SimParameters;
use super::preset::{PRESETS, Preset};
use fathom_order::InOrder;
use fathom_record::error::{EngineError as Error, ErrorKind};
use fathom_record::spelling::nearest;

/// Reads a device's name and changes, e.g. `gp3,iops=6000,throughput=250MB/s,noise=1%`, with or
/// without `sim:` before it.
///
/// # Errors
/// For an unknown name or key, a key given twice, a value that is not what it should be, or values
/// that contradict each other; the remedy says what to type.
pub fn parse(text: &str) -> Result<SimParameters, Error> {
    let bare = text.trim();
    let bare = bare.strip_prefix("sim:").unwrap_or(bare);
    let error = |cause: String, remedy: String| {
        Error::new(ErrorKind::Plan, format!("reading the simulated device `sim:{bare}`"), cause)
            .with_remedy(remedy)
    };
    let mut parts = bare.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let preset = PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| error(unknown_name(name), name_remedy(name)))?;

    let mut changes: Vec<(&Key, &str)> = Vec::new();
    for part in parts {
        let Some((key_name, value)) = part.split_once('=') else {
            return Err(error(format!("`{part}` is not KEY=VALUE"), key_remedy(part)));
        };
        let (key_name, value) = (key_name.trim(), value.trim());
        let Some(key) = KEYS.iter().find(|key| key.name == key_name) else {
            return Err(error(format!("unknown key `{key_name}`"), key_remedy(key_name)));
        };
        if changes.iter().any(|(known, _)| known.name == key.name) {
            return Err(error(format!("`{key_name}` is given twice"), "give it once".to_owned()));
        }
        changes.push((key, value));
    }
    let mut parameters = build(preset, &changes).map_err(|(key, cause)| {
        error(format!("{}: {cause}", key.name), format!("for example {}={}", key.name, key.example))
    })?;
    // A bucket starts full unless a balance is given, wherever in the text that is.
    changes.put_in_order_by_key(|(key, _)| key.name.ends_with("-balance"));
    for (key, value) in &changes {
        (key.set)(&mut parameters, value).map_err(|cause| {
            error(format!("{}: {cause}", key.name), format!("for example {}={}", key.name, key.example))
        })?;
    }
    parameters.validate()?;
    Ok(parameters)
}

/// The preset at the size asked for: limits of clouds follow from it.
fn build<'k>(preset: &Preset, changes: &[(&'k Key, &str)]) -> Result<SimParameters, (&'k Key, String)> {
    let mut parameters = (preset.build)(preset.size_bytes);
    if let Some((key, value)) = changes.iter().find(|(key, _)| key.name == "size") {
        (key.set)(&mut parameters, value).map_err(|cause| (*key, cause))?;
        parameters = (preset.build)(parameters.size_bytes);
    }
    Ok(parameters)
}

/// All named devices.
pub fn describe() -> &'static [Preset] {
    PRESETS
}

/// All keys that change one.
pub fn describe_keys() -> &'static [Key] {
    KEYS
}

fn unknown_name(name: &str) -> String {
    match name {
        "" => "it has no name".to_owned(),
        _ => format!("unknown simulated device `{name}`"),
    }
}

fn name_remedy(name: &str) -> String {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let list = names.join(", ");
    match nearest(name, names.iter().copied()).first() {
        Some(near) => format!("did you mean sim:{near}? Known are {list}"),
        None => format!("use one of {list}"),
    }
}

fn key_remedy(key_name: &str) -> String {
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    let list = names.join(", ");
    match KEYS.iter().find(|key| nearest(key_name, names.iter().copied()).first() == Some(&key.name)) {
        Some(near) => format!("did you mean {}={}? Known are {list}", near.name, near.example),
        None => format!("use KEY=VALUE with one of {list}"),
    }
}
