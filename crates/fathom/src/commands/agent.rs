//! `fathom agent`: one client of a run, and the clients that a command names.

use std::path::Path;

use fathom_campaign::clients::{Client, from_arguments, from_toml, serve};

use crate::arguments::clients::ClientArguments;
use crate::failure::Failure;
use crate::status::Status;

/// A list of clients beyond this is something else.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Status of an agent whose coordinator was gone before its I/O had ended.
const LEFT: i32 = 1;

/// Measures for a coordinator until stdin ends.
///
/// # Errors
/// When what is at the other end is no coordinator.
pub fn perform() -> Result<Status, Failure> {
    // Scratch files have no name while a run uses them, so that leaving at once leaves none behind.
    serve(std::io::stdin(), std::io::stdout(), || std::process::exit(LEFT))?;
    Ok(Status::Done)
}

/// The clients that were named.
///
/// # Errors
/// What is wrong with them.
pub fn clients(arguments: &ClientArguments) -> Result<Vec<Client>, Failure> {
    match &arguments.clients {
        Some(path) => from_file(path),
        None => Ok(from_arguments(&arguments.client)?),
    }
}

fn from_file(path: &Path) -> Result<Vec<Client>, Failure> {
    let name = path.display().to_string();
    let unreadable = |cause: String| {
        Failure::usage(
            format!("reading the clients {name}"),
            cause,
            "name a file with a table [[client]] for each",
        )
    };
    let size = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > FILE_BYTES_MAX {
        return Err(unreadable(format!("{size} bytes are too many for a list of clients")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    Ok(from_toml(&text, &name)?)
}
