//! The first screens: what `-h` shows of a command on one screen, what `--help` shows in full, and the list of commands.
//!
//! Flags are declared once, with their whole help. Here they get a heading, and a short form for `-h`: the first
//! clause of their help. A plan's flags are shown by `fathom run`, which is the command for one plan; the commands that
//! take a plan too show those that are typed most, and name it.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, Args, Command, CommandFactory, FromArgMatches, Parser};
use fathom_plan::RawPlan;

use super::CommandLine;

/// Commands by what they are for, in the order in which they are listed.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Measure", &["assess", "run", "sweep", "compare", "rerun", "repeat", "watch"]),
    ("Understand", &["explain", "analyse", "audit"]),
    ("Size", &["profile", "size", "sample"]),
    (
        "Results",
        &[
            "runs", "trend", "serve", "share", "show", "report", "export", "import", "tag", "note",
            "baseline", "mark", "delete",
        ],
    ),
    ("Other machines and tools", &["discover", "nvmet", "agent", "agents", "fio", "diskspd"]),
    (
        "This machine and this program",
        &["devices", "engines", "doctor", "config", "schema", "completions", "man", "help"],
    ),
];

/// Commands that share a line of the list, with what they do together: the list is one screen.
const TOGETHER: [(&[&str], &str); 3] = [
    (&["tag", "note", "baseline", "mark"], "Say something of runs and of times, for lists and trends"),
    (&["agent", "agents"], "What `fathom run --client` starts on other machines"),
    (&["man", "help"], "Print a manual page, or the help of a command"),
];

/// Headings of flags, with the flags under each. What is under none is an option of its command.
const HEADINGS: [(&str, &[&str]); 4] = [
    (
        "Target",
        &[
            "target",
            "a_name",
            "b_name",
            "side",
            "local",
            "remote",
            "bound",
            "stripe",
            "engine",
            "offset",
            "size",
            "buffered",
            "destroy",
            "check_empty",
            "keep",
            "real_time",
            "precondition",
            "purge",
            "instance",
            "volume",
            "ceilings",
            "delay",
            "throttle",
        ],
    ),
    (
        "Workload",
        &[
            "rw",
            "bs",
            "read_bs",
            "write_bs",
            "trim_bs",
            "read_share",
            "trim_share",
            "flush_every",
            "addresses",
            "align",
            "compressible",
            "duplicate",
            "verify",
            "rate",
            "arrival",
            "pause",
            "pause_every",
            "rates",
            "rate_step",
            "replay",
            "speed",
            "replay_fit",
            "replay_device",
            "replay_columns",
            "ramp_from",
            "ramp_over",
            "jobs",
            "depth",
            "seed",
            "polled",
            "durable",
            "io_flags",
            "cpus",
            "like",
            "scale",
            "patterns",
            "over",
        ],
    ),
    (
        "Length",
        &[
            "time",
            "count",
            "bytes",
            "warmup",
            "budget",
            "until",
            "thorough",
            "passes",
            "as_published",
            "pairs",
            "max_pairs",
            "by",
            "rest",
            "max_experiments",
            "anew",
            "wear_limit",
        ],
    ),
    (
        "Output",
        &[
            "report",
            "json",
            "compact",
            "json_lines",
            "quiet",
            "metrics",
            "fail_if",
            "slo",
            "witness",
            "balances",
            "store",
            "rows",
        ],
    ),
];

/// Flags that `-h` shows of a command that has many.
const SHORT: [&str; 36] = [
    "target",
    "a_name",
    "b_name",
    "engine",
    "rw",
    "bs",
    "read_share",
    "rate",
    "jobs",
    "depth",
    "time",
    "size",
    "destroy",
    "budget",
    "patterns",
    "until",
    "over",
    "passes",
    "slo",
    "report",
    "json",
    "quiet",
    "fail_if",
    "plan",
    "a",
    "b",
    "by",
    "experiments",
    "region",
    "prices",
    "current",
    "prove",
    "fleet",
    "demand",
    "name",
    "device",
];

/// A command with more flags than this shows the list above.
const MANY: usize = 16;
/// Examples that `-h` shows.
const EXAMPLES: usize = 3;
/// Characters of a short form at most.
const CLAUSE: usize = 74;

/// The program as it is parsed and shown.
pub fn program() -> Command {
    let plan = RawPlan::augment_args(Command::new("plan"));
    let mut program = CommandLine::command().mut_args(with_short_form);
    let names: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let list = list(&program);
    for name in names {
        program = program.mut_subcommand(name, |command| shaped(command, &plan));
    }
    let after = program.get_after_help().map(ToString::to_string).unwrap_or_default();
    program.after_help(flowing(&after)).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    ))
}

/// The words, the program's name first, as arguments. What helps and messages look like is made only where there is one:
/// it takes as long as all else that a start does.
///
/// # Errors
/// As the parser reports them, help and version among them.
pub fn parsed(words: impl IntoIterator<Item = OsString>) -> Result<CommandLine, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    match CommandLine::try_parse_from(&words) {
        Err(error) if error.kind() != ErrorKind::DisplayVersion => {
            CommandLine::from_arg_matches(&program().try_get_matches_from(words)?)
        }
        read => read,
    }
}

/// All commands with the first clause of what they do.
fn list(program: &Command) -> String {
    let mut list = String::new();
    let known = |name: &&str| GROUPS.iter().any(|(_, names)| names.contains(name));
    let others: Vec<&str> =
        program.get_subcommands().map(Command::get_name).filter(|name| !known(name)).collect();
    let last = GROUPS.last().map_or("", |(heading, _)| heading);
    for (heading, names) in GROUPS {
        list += &format!("{heading}:\n");
        let rest = others.iter().filter(|_| heading == last);
        for name in names.iter().chain(rest) {
            match TOGETHER.iter().find(|(together, _)| together.contains(name)) {
                Some((together, about)) if together.first() == Some(name) => {
                    list += &format!("  {:<11}  {about}\n", together.join(", "));
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            let about = program.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            list += &format!("  {name:<11}  {}\n", clause(&about));
        }
        list.push('\n');
    }
    list
}

/// A command with headings, short forms, and its examples.
fn shaped(command: Command, plan: &Command) -> Command {
    let shows_plan = command.get_name() == "run";
    let many = command.get_arguments().count() > MANY;
    let mut left_out = false;
    let mut command = command.mut_args(|argument| {
        let id = argument.get_id().as_str().to_owned();
        let is_typed_most = SHORT.contains(&id.as_str());
        let of_plan = !shows_plan && is_of_plan(&argument, plan);
        left_out |= of_plan;
        let heading =
            HEADINGS.iter().find(|(_, ids)| ids.contains(&id.as_str())).map(|(heading, _)| *heading);
        let is_flag = !argument.is_positional();
        let argument = with_short_form(argument)
            .hide_short_help(is_flag && many && !is_typed_most)
            .hide_long_help(of_plan && !is_typed_most);
        match heading.filter(|_| many && is_flag) {
            Some(heading) => argument.help_heading(heading),
            None => argument,
        }
    });
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let plan_is_elsewhere = match left_out {
        true => "All flags of a workload: fathom run --help\n\n",
        false => "",
    };
    let (short, long) = (in_short(&after), flowing(&after));
    command = command.after_help(format!("{plan_is_elsewhere}{short}"));
    command.after_long_help(format!("{plan_is_elsewhere}{long}"))
}

/// Whether it is a plan's flag as `fathom run` has it.
fn is_of_plan(argument: &Arg, plan: &Command) -> bool {
    let help = |argument: &Arg| argument.get_help().map(ToString::to_string);
    plan.get_arguments().any(|known| known.get_id() == argument.get_id() && help(known) == help(argument))
}

fn with_short_form(argument: Arg) -> Arg {
    let Some(whole) = argument.get_help().map(ToString::to_string) else { return argument };
    argument.help(clause(&whole)).long_help(whole)
}

/// The first clause of a text that fits a line: to the end of its first sentence, or as far as a mark between clauses
/// allows.
fn clause(text: &str) -> String {
    let is_stop = |at: &usize| text.get(..*at).is_some_and(|part| !part.ends_with("e.g"));
    let end = text.match_indices(". ").map(|(at, _)| at).find(is_stop);
    let sentence = text.get(..end.unwrap_or(text.len())).unwrap_or(text).trim_end_matches('.');
    if sentence.chars().count() <= CLAUSE {
        return sentence.to_owned();
    }
    // A colon in a list belongs to a name, as `memory:`.
    let is_end =
        |part: &str, mark: &str| part.chars().count() <= CLAUSE && (mark != ": " || !part.contains(", "));
    let ends = [": ", "; ", ", e.g. ", ", ", " ("].into_iter().flat_map(|mark| {
        let at = sentence.match_indices(mark).map(|(at, _)| at);
        at.filter(move |at| sentence.get(..*at).is_some_and(|part| is_end(part, mark)))
    });
    match ends.max() {
        Some(at) if sentence.get(..at).is_some_and(|part| part.chars().count() > CLAUSE / 4) => {
            let part = sentence.get(..at).unwrap_or(sentence);
            // A bracket that a comma within it would leave open goes whole.
            match (part.matches('(').count() > part.matches(')').count(), part.rfind(" (")) {
                (true, Some(open)) => part.get(..open).unwrap_or(part).to_owned(),
                _ => part.to_owned(),
            }
        }
        _ => sentence.to_owned(),
    }
}

/// The first examples alone.
fn in_short(after: &str) -> String {
    let is_example = |line: &&str| line.starts_with("  ");
    let Some(examples) = after.strip_prefix("Examples:\n") else { return flowing(after) };
    let lines: Vec<&str> = examples.lines().take_while(is_example).collect();
    // A line that goes on in the next stays with it.
    let mut end = lines.len().min(EXAMPLES);
    while lines.get(end).is_some_and(|line| !line.trim_start().starts_with("fathom")) && end < lines.len() {
        end += 1;
    }
    format!("Examples:\n{}", lines.get(..end).unwrap_or_default().join("\n"))
}

/// The same with each paragraph as one line, so that the terminal's width alone breaks it; examples and tables stay.
fn flowing(text: &str) -> String {
    let mut out = String::new();
    let mut in_paragraph = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if !out.is_empty() {
            out.push(if in_paragraph && is_prose { ' ' } else { '\n' });
        }
        out.push_str(line);
        in_paragraph = is_prose && !line.ends_with(':');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a command prints at a width of 100.
    fn shown(words: &[&str]) -> String {
        let words = ["fathom"].iter().chain(words);
        program().term_width(100).try_get_matches_from(words).expect_err("help").render().to_string()
    }

    #[test]
    fn the_program_is_well_formed_and_every_command_is_listed_once() {
        program().debug_assert();
        let help = shown(&["-h"]);
        for command in program().get_subcommands().map(Command::get_name) {
            let is_listed = |line: &&str| {
                let names =
                    line.strip_prefix("  ").and_then(|rest| rest.split("  ").next()).unwrap_or_default();
                names.split(", ").any(|name| name.trim() == command)
            };
            assert_eq!(help.lines().filter(is_listed).count(), 1, "{command}: {help}");
        }
        assert!(shown(&["-h"]).lines().count() <= 64, "{}", shown(&["-h"]));
    }

    #[test]
    fn every_id_of_the_lists_is_one_of_a_flag() {
        let program = program();
        let ids: Vec<&str> = program
            .get_subcommands()
            .chain([&program])
            .flat_map(Command::get_arguments)
            .map(|argument| argument.get_id().as_str())
            .collect();
        let lists = HEADINGS.iter().flat_map(|(_, ids)| ids.iter()).chain(&SHORT);
        let unknown: Vec<_> = lists.filter(|id| !ids.contains(id)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn the_short_help_of_every_command_fits_a_screen_and_the_long_one_has_all() {
        let all = CommandLine::command();
        for command in
            all.get_subcommands().map(Command::get_name).filter(|name| !["fio", "diskspd"].contains(name))
        {
            let short = shown(&[command, "-h"]);
            assert!(short.lines().count() <= 52, "{command}: {} lines\n{short}", short.lines().count());
            assert!(short.contains("Examples:"), "{short}");
        }
        let long = shown(&["run", "--help"]);
        for flag in ["--replay-fit", "--io-flags", "--fail-if"] {
            assert!(long.contains(flag) && !shown(&["run", "-h"]).contains("--io-flags"), "{flag}");
        }
        for heading in ["\nTarget:", "\nWorkload:", "\nLength:", "\nOutput:"] {
            assert!(long.contains(heading) && shown(&["run", "-h"]).contains(heading), "{heading}");
        }
    }

    #[test]
    fn a_plans_flags_are_shown_in_full_by_run_alone() {
        for command in ["sweep", "compare", "explain"] {
            let long = shown(&[command, "--help"]);
            assert!(
                long.contains("fathom run --help") && !long.contains("--replay-fit"),
                "{command}: {long}"
            );
            let typed = ["fathom", command, "x", "y", "--flush-every=8"];
            let known = program().try_get_matches_from(typed);
            assert!(
                !known.is_err_and(|error| error.to_string().contains("flush-every")),
                "hidden, and taken"
            );
        }
    }

    #[test]
    fn clauses_end_where_a_line_does() {
        assert_eq!(clause("Seed of every choice. Default: a new one"), "Seed of every choice");
        let long = "Rates, e.g. 5k, that change from step to step, instead of one, (as in a, b) and so on, until the text is longer than it";
        assert!(
            clause(long).starts_with("Rates, e.g. 5k, that change") && clause(long).chars().count() <= CLAUSE
        );
        assert_eq!(flowing("Examples:\n  a\n\nOne\ntwo.\n\nThree"), "Examples:\n  a\n\nOne two.\n\nThree");
    }
}
