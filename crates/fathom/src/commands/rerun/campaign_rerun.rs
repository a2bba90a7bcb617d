//! The campaign of a record from its beginning: the command that the record keeps, of which nothing is taken but what is
//! measured.

use clap::Parser;
use fathom_campaign::{RawCompare, RawSweep};
use fathom_plan::{AgentLocation, Client, RawPlan, Text, campaign_line};
use fathom_published::HELD;
use fathom_record::{CampaignRecord, shell_word, shell_words};

use super::starts_what_it_names;
use crate::arguments::client_arguments::ClientsFile;
use crate::arguments::{
    AssessArguments, Command, CommandLine, CompareArguments, ExplainArguments, RepeatArguments,
    RerunArguments, SweepArguments,
};
use crate::commands::campaign_continuation::{Permits, command};
use crate::commands::store_access::StorePlace;
use crate::commands::{assess, compare, explain, repeat, sweep};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Begins the campaign again, or prints what would be typed. One that was stopped before its end continues, as by its
/// own command.
///
/// # Errors
/// When its record does not hold what would repeat it, or names what a record may not start; and as its command.
pub fn perform(
    place: &StorePlace,
    campaign: &CampaignRecord,
    arguments: RerunArguments,
) -> Result<Status, Failure> {
    let about = format!("repeating {}", arguments.name);
    let Some(kept) = campaign_line(campaign) else {
        let cause = "its record does not hold all that would make it again";
        return Err(not_repeatable(about, cause, instead(campaign, place)));
    };
    let permits = Permits { serials: &arguments.destroy, check_empty: arguments.check_empty };
    let line = command(&kept, permits, &place.flag()).unwrap_or_else(|| kept.clone());
    if arguments.print {
        output::result(&(line + "\n"))?;
        return Ok(Status::Done);
    }
    let typed =
        shell_words(&kept).and_then(|words| CommandLine::try_parse_from(words).ok()).ok_or_else(|| {
            let cause = format!("this build does not know all that its command says: {kept}");
            not_repeatable(
                about.clone(),
                cause,
                "repeat it with the build that made it, or type what is meant",
            )
        })?;
    if let Some(cause) = reaches_out(&typed.command) {
        let cause = format!("{cause}, and a record may come from anywhere");
        return Err(Failure::usage(about, cause, format!("look at it, and type: {line}")));
    }
    again(place, typed.command, arguments, &about)
}

/// The command with what this one was told in place of all that is not measured.
fn again(place: &StorePlace, kept: Command, told: RerunArguments, about: &str) -> Result<Status, Failure> {
    let RerunArguments { destroy, check_empty, conditions, outputs, .. } = told;
    let judges = matches!(kept, Command::Assess(_) | Command::Compare(_));
    if !judges && !conditions.fail_if.is_empty() {
        let cause = "this kind of campaign does not support --fail-if";
        return Err(Failure::usage("--fail-if", cause, "leave --fail-if out, or rerun one of its runs"));
    }
    if matches!(kept, Command::Assess(_)) && destroy.len() > 1 {
        let cause = format!("an assessment has one target, and {} devices are named", destroy.len());
        return Err(Failure::usage("--destroy", cause, "name the one that it may destroy"));
    }
    // Permission holds for one command alone, so none that stands in a record counts.
    let permitted = |flags: RawPlan| RawPlan {
        destroy: (!destroy.is_empty()).then(|| destroy.clone()),
        check_empty: check_empty.then_some(true),
        ..flags
    };
    let clients = ClientsFile { clients: None, push: false };
    match kept {
        Command::Assess(kept) => {
            let mut plan = kept.plan;
            plan.flags = permitted(plan.flags.raw).into();
            assess::perform(place, &AssessArguments { plan, clients, conditions, outputs })
        }
        Command::Sweep(kept) => {
            let SweepArguments { sweep, flags, .. } = *kept;
            sweep::perform(
                place,
                SweepArguments { plan: None, sweep, flags: permitted(flags), clients, outputs },
            )
        }
        Command::Compare(kept) => {
            let CompareArguments { compare, flags, .. } = *kept;
            let flags = permitted(flags);
            compare::perform(place, &CompareArguments { compare, flags, clients, conditions, outputs })
        }
        Command::Explain(kept) => {
            let ExplainArguments { subject, explain, flags, .. } = *kept;
            explain::perform(place, ExplainArguments { subject, explain, flags: permitted(flags), outputs })
        }
        Command::Repeat(kept) => {
            let RepeatArguments { evaluation, repeat, flags, .. } = *kept;
            let flags = permitted(flags);
            repeat::perform(
                place,
                RepeatArguments { evaluation, list: false, repeat, flags, clients, outputs },
            )
        }
        _ => Err(not_repeatable(about.to_owned(), "its command is not a campaign's", "type what is meant")),
    }
}

/// What a command would start or reach beyond this process by what it names, if anything.
fn reaches_out(kept: &Command) -> Option<String> {
    match kept {
        Command::Assess(kept) => of_flags(&kept.plan.flags.raw),
        Command::Sweep(kept) => of_flags(&kept.flags).or_else(|| of_axes(&kept.sweep)),
        Command::Compare(kept) => of_flags(&kept.flags).or_else(|| of_sides(&kept.compare)),
        Command::Explain(kept) => of_flags(&kept.flags),
        Command::Repeat(kept) => of_flags(&kept.flags)
            .or_else(|| of_commands(&kept.repeat.before))
            .or_else(|| of_evaluation(kept.evaluation.as_deref())),
        _ => None,
    }
}

fn of_flags(flags: &RawPlan) -> Option<String> {
    let engine = flags.engine.as_ref().and_then(|engine| of_engine(&engine.0));
    engine.or_else(|| flags.client.iter().flatten().find_map(|client| of_client(client)))
}

fn of_engine(engine: &str) -> Option<String> {
    let starts = starts_what_it_names(engine);
    starts.then(|| format!("its engine names what is to be started: `{engine}`"))
}

fn of_client(client: &str) -> Option<String> {
    let is_here = Client::parse(client)
        .is_ok_and(|client| client.reach == AgentLocation::Local && !client.has_program());
    (!is_here).then(|| format!("it goes to another machine, `{client}`"))
}

fn of_axes(sweep: &RawSweep) -> Option<String> {
    let engines = sweep.over.iter().filter_map(|text| setting(&text.0, "engine"));
    engines.flat_map(|values| values.split([',', ';'])).find_map(|engine| of_engine(engine.trim()))
}

fn of_sides(compare: &RawCompare) -> Option<String> {
    let settings = || compare.a.iter().chain(&compare.b);
    let named = [Some(&compare.a_name), compare.b_name.as_ref()];
    let elsewhere = named.into_iter().flatten().find(|name| name.starts_with("ssh:"));
    elsewhere
        .map(|name| format!("it goes to another machine, `{name}`"))
        .or_else(|| settings().find_map(|text| setting(&text.0, "engine").and_then(of_engine)))
        .or_else(|| settings().find_map(|text| setting(&text.0, "client").and_then(of_client)))
        .or_else(|| of_commands(compare.before_a.iter().chain(&compare.before_b)))
}

/// An evaluation that fathom holds names no program; what a file says is not in the record.
fn of_evaluation(named: Option<&str>) -> Option<String> {
    let file = named.filter(|name| HELD.iter().all(|held| held.name != *name))?;
    Some(format!("its evaluation is read from a file, `{file}`"))
}

fn of_commands<'a>(before: impl IntoIterator<Item = &'a Text>) -> Option<String> {
    before
        .into_iter()
        .next()
        .map(|command| format!("a command is run before a side's turn: `{command}`", command = command.0))
}

/// The value of a key that a campaign varies, as it is typed.
fn setting<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (named, value) = text.split_once('=')?;
    (named.trim().trim_start_matches("--") == key).then(|| value.trim())
}

/// What to type where nothing makes the whole again.
fn instead(campaign: &CampaignRecord, place: &StorePlace) -> String {
    format!("rerun one of its runs: fathom{} runs --campaign {}", place.flag(), shell_word(campaign.id()))
}

fn not_repeatable(place: String, cause: impl Into<String>, remedy: impl Into<String>) -> Failure {
    Failure { kind: "not_repeatable", ..Failure::usage(place, cause, remedy) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_starts_or_reaches_beyond_this_process_is_seen() {
        let said = |line: &str| {
            let words = shell_words(line).expect(line);
            reaches_out(&CommandLine::try_parse_from(words).expect(line).command)
        };
        for line in [
            "fathom sweep --over depth=1,2 --target=sim:gp3",
            "fathom sweep --over engine=uring,aio --target=x",
            "fathom assess --client local --client b=local -- .",
            "fathom compare --a engine=uring --b engine=aio -- x",
            "fathom repeat gp3-vs-local-nvme --side 'gp3=/mnt/ssh:x'",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
        for line in [
            "fathom sweep --over engine=uring,fio:./x --target=x",
            "fathom sweep --over depth=1,2 --target=x --engine=fio@host",
            "fathom assess --client ssh:c1 -- .",
            "fathom assess --client 'local program=./x' -- .",
            "fathom compare -- ssh:a:/x y",
            "fathom compare --b ' --engine = fio:./x' -- x",
            "fathom compare --a client=exec:./x -- x y",
            "fathom compare --before-a ./x -- x y",
            "fathom explain --experiments --target=x --engine=diskspd:./x",
            "fathom repeat mine.toml --target=x",
            "fathom repeat e --across-restarts --before native=reboot --target=x",
        ] {
            assert!(said(line).is_some(), "{line}");
        }
    }
}
