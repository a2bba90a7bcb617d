//! `fathom agent`: one client of a run, and the clients that a command names.

use std::path::Path;

use fathom_campaign::clients::serve;
use fathom_plan::{AgentLocation, Client, RawPlan, clients_of_file};

use crate::arguments::client_arguments::ClientsFile;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::small_text::read_small_text;

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

/// Takes the clients of a file in as if each had been typed, and has this program copied to them where that is asked.
///
/// # Errors
/// When the file cannot be read, or holds no clients, or there is nobody to copy the program to.
fn take_file(file: &ClientsFile, typed: &mut Vec<String>) -> Result<(), Failure> {
    if let Some(path) = &file.clients {
        *typed = from_file(path)?;
    }
    if !file.push {
        return Ok(());
    }
    let pushed = typed.iter().map(|text| pushed(text)).collect::<Vec<_>>();
    if pushed == *typed {
        let remedy = "name one with --client or --clients, e.g. --client ssh:c1";
        return Err(Failure::usage("--push", "no client is on another machine", remedy));
    }
    *typed = pushed;
    Ok(())
}

/// The same for the flags of a plan.
///
/// # Errors
/// As [`take_file`].
pub fn take_file_into(file: &ClientsFile, flags: &mut RawPlan) -> Result<(), Failure> {
    if file.clients.is_some() || file.push {
        take_file(file, flags.client.get_or_insert_default())?;
    }
    Ok(())
}

/// A client with the wish that this program is copied to it. What cannot be read is refused later, as it was typed; a
/// client with a program of its own keeps it.
fn pushed(text: &str) -> String {
    match Client::parse(text) {
        Ok(client) if client.reach != AgentLocation::Local && !client.push && !client.has_program() => {
            Client { push: true, ..client }.to_string()
        }
        _ => text.to_owned(),
    }
}

fn from_file(path: &Path) -> Result<Vec<String>, Failure> {
    let name = path.display().to_string();
    let unreadable = |cause: String| {
        Failure::usage(
            format!("reading the clients {name}"),
            cause,
            "name a file with a table [[client]] for each",
        )
    };
    let text = read_small_text(path, FILE_BYTES_MAX, "a list of clients", unreadable)?;
    clients_of_file(&text, &name).map_err(|error| Failure::of(Status::Usage, "usage", error))
}
