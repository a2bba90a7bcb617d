//! `fathom help COMMAND`: what `fathom COMMAND --help` prints.

use clap::Command;
use fathom_record::spelling::nearest;

use crate::arguments::program;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Prints it.
///
/// # Errors
/// When there is no such command.
pub fn perform(name: Option<&str>) -> Result<Status, Failure> {
    let mut program = program();
    program.build();
    let help = match name {
        None => program.render_long_help(),
        Some(name) => {
            let known: Vec<String> =
                program.get_subcommands().map(Command::get_name).map(str::to_owned).collect();
            let command = program.find_subcommand_mut(name).ok_or_else(|| {
                let remedy = match nearest(name, known.iter().map(String::as_str)).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "all commands: fathom help".to_owned(),
                };
                Failure { kind: "unknown_name", ..Failure::usage(name, "unknown command", remedy) }
            })?;
            command.render_long_help()
        }
    };
    output::result(&help.to_string())?;
    Ok(Status::Done)
}
