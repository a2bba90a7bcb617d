//! `fathom completions`: what a shell needs to complete commands and flags.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::CommandLine;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Prints it.
///
/// # Errors
/// When stdout cannot be written.
pub fn perform(shell: Shell) -> Result<Status, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "fathom", &mut text);
    output::result(&String::from_utf8_lossy(&text))?;
    Ok(Status::Done)
}
