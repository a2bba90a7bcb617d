//! `fathom man`: manual pages, made of the same text as the help.

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use fathom_record::spelling::nearest;

use crate::arguments::{CommandLine, ManArguments};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

const PROGRAM: &str = "fathom";

/// Prints a page, or the names of all.
///
/// # Errors
/// When there is no such page.
pub fn perform(arguments: &ManArguments) -> Result<Status, Failure> {
    let mut program = CommandLine::command();
    program.build();
    if arguments.list {
        output::result(&names(&program).map(|name| name + "\n").collect::<String>())?;
        return Ok(Status::Done);
    }
    let asked = arguments.page.as_deref().unwrap_or(PROGRAM);
    output::result(&page(&program, asked)?)?;
    Ok(Status::Done)
}

/// The pages' names: one of the program, and one of each command.
fn names(program: &Command) -> impl Iterator<Item = String> + '_ {
    let of_command = |command: &Command| format!("{PROGRAM}-{}", command.get_name());
    std::iter::once(PROGRAM.to_owned()).chain(program.get_subcommands().map(of_command))
}

fn page(program: &Command, asked: &str) -> Result<String, Failure> {
    let name = asked.strip_prefix("fathom-").unwrap_or(asked);
    let command = match name {
        PROGRAM => program.clone(),
        name => {
            let known = || program.get_subcommands().map(Command::get_name);
            let found = program.get_subcommands().find(|command| command.get_name() == name);
            let found = found.ok_or_else(|| {
                let remedy = match nearest(name, known()).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "all pages: fathom man --list".to_owned(),
                };
                Failure {
                    kind: "unknown_name",
                    ..Failure::usage(asked, "there is no page of that name", remedy)
                }
            })?;
            found.clone()
        }
    };
    let behind = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.has_subcommands();
    let man = Man::new(command).source(format!("fathom {}", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    let made = man
        .render_title(&mut text)
        .and_then(|()| man.render_name_section(&mut text))
        .and_then(|()| man.render_synopsis_section(&mut text))
        .and_then(|()| man.render_description_section(&mut text))
        .and_then(|()| man.render_options_section(&mut text))
        .and_then(|()| if has_commands { man.render_subcommands_section(&mut text) } else { Ok(()) });
    made.map_err(|error| Failure::system("making the page", error))?;
    Ok(String::from_utf8_lossy(&text).into_owned() + &examples(&behind))
}

/// The text behind the flags: what is typed stays as it stands, and sentences are filled.
fn examples(behind: &str) -> String {
    let mut text = ".SH EXAMPLES\n".to_owned();
    for (at, block) in behind.trim_start_matches("Examples:").trim_matches('\n').split("\n\n").enumerate() {
        let is_typed = block.lines().any(|line| line.starts_with("  "));
        text += if is_typed { ".nf\n" } else { ".PP\n" };
        let lines =
            block.lines().map(|line| if at == 0 { line.strip_prefix("  ").unwrap_or(line) } else { line });
        text.extend(lines.map(|line| format!("\\&{}\n", line.replace('\\', "\\e").replace('-', "\\-"))));
        text += if is_typed { ".fi\n" } else { "" };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_flags_and_examples() {
        let mut program = CommandLine::command();
        program.build();
        for command in program.get_subcommands() {
            let text = page(&program, command.get_name()).expect("a page");
            assert!(text.contains(".TH ") && text.contains(".SH EXAMPLES"), "{}", command.get_name());
            let flags =
                command.get_arguments().filter(|flag| !flag.is_hide_set()).filter_map(clap::Arg::get_long);
            for flag in flags {
                let written = flag.replace('-', "\\-");
                assert!(text.contains(&format!("\\-\\-{written}")), "{}: --{flag}", command.get_name());
            }
        }
        assert_eq!(names(&program).count(), 1 + program.get_subcommands().count());
        assert!(page(&program, "fathom-rnu").is_err_and(|failure| failure.remedy.contains("`run`")));
    }
}
