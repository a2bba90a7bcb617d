//! The demand that files hold, as the commands that need one read it.

use std::path::{Path, PathBuf};

use fathom_interop::demand::{self, Hints, Seen, Text, Values};

use crate::arguments::{MetricsArguments, ValuesName};
use crate::failure::Failure;

/// Files of metrics larger than this are not read at once.
const LARGEST_FILE: u64 = 4 << 30;

/// Reads the demand in some files.
///
/// # Errors
/// When a file cannot be read or holds none, with what to type.
pub fn seen(paths: &[PathBuf], arguments: &MetricsArguments) -> Result<Seen, Failure> {
    let contents: Vec<(String, Vec<u8>)> = paths
        .iter()
        .map(|path| Ok((path.display().to_string(), read(path)?)))
        .collect::<Result<_, Failure>>()?;
    let texts: Vec<Text<'_>> = contents.iter().map(|(name, bytes)| Text { name, bytes }).collect();
    let hints = Hints {
        device: arguments.device.as_deref(),
        instance: arguments.host.as_deref(),
        columns: &arguments.columns,
        values: arguments.values.map(|values| match values {
            ValuesName::PerSecond => Values::PerSecond,
            ValuesName::PerRow => Values::PerRow,
        }),
    };
    demand::read(&texts, &hints).map_err(|refusal| {
        let place = match (paths, refusal.place.as_str()) {
            ([only], "") => only.display().to_string(),
            ([only], place) => format!("{}, {place}", only.display()),
            (_, "") => name(paths),
            (_, place) => place.to_owned(),
        };
        Failure::usage(place, format!("not read as {}: {}", refusal.expected, refusal.cause), refusal.remedy)
    })
}

/// The files in a few words.
pub fn name(paths: &[PathBuf]) -> String {
    match paths {
        [] => String::new(),
        [only] => only.display().to_string(),
        [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
    }
}

/// A file's content.
///
/// # Errors
/// When it is not there, cannot be read, or is too large to be read at once.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let place = || path.display().to_string();
    let length = std::fs::metadata(path)
        .map_err(|error| Failure::usage(place(), error.to_string(), "name a file that is there"))?
        .len();
    if length > LARGEST_FILE {
        return Err(Failure::usage(place(), "larger than 4 GiB", "cut it, or sum it up to longer ticks"));
    }
    std::fs::read(path)
        .map_err(|error| Failure::usage(place(), error.to_string(), "name a file that can be read"))
}
