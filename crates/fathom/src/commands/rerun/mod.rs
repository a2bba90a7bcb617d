//! `fathom rerun`: the run or the campaign of a record once more, through the same door as any other.

mod campaign_rerun;

use std::path::Path;

use fathom_campaign::external::ToolEngine;
use fathom_plan::{AgentLocation, NoLine, PlanSource, RawPlan, RunPlan, run_line, to_command_line};
use fathom_record::{RunRecord, shell_words};

use crate::arguments::RerunArguments;
use crate::commands::campaign_continuation::{Permits, command};
use crate::commands::conditions::Conditions;
use crate::commands::fresh_seed::new_seed;
use crate::commands::run::{RunCriteria, measure};
use crate::commands::store_access::{StorePlace, StoredItem, find};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Repeats what was measured, or prints what would be typed.
///
/// # Errors
/// When there is nothing of that name, when its record does not hold what would repeat it, and as any measurement.
pub fn perform(place: &StorePlace, arguments: RerunArguments) -> Result<Status, Failure> {
    match find(place, &arguments.name)?.0 {
        StoredItem::Run(record) => once_more(place, &record, &arguments),
        StoredItem::Campaign(record) => campaign_rerun::perform(place, &record, arguments),
    }
}

fn once_more(place: &StorePlace, record: &RunRecord, arguments: &RerunArguments) -> Result<Status, Failure> {
    let (plan, line, permits) = match job_of_fio(record) {
        Some(line) => {
            let permits = Permits { serials: &arguments.destroy, check_empty: arguments.check_empty };
            (None, line.to_owned(), permits)
        }
        None => {
            let plan = plan_of(record, arguments)?;
            let line = to_command_line(&plan);
            (Some(plan), line, Permits::default())
        }
    };
    let line = command(&line, permits, &place.flag()).unwrap_or(line);
    if arguments.print {
        output::result(&(line + "\n"))?;
        return Ok(Status::Done);
    }
    let Some(plan) = plan else {
        let cause =
            "it is a job of fio, which starts what its options name, and a record may come from anywhere";
        let remedy = format!("look at it, and type: {line}");
        return Err(Failure::usage(format!("repeating {}", arguments.name), cause, remedy));
    };
    if let Some(engine) = plan.engine.as_deref().filter(|engine| starts_what_it_names(engine)) {
        return Err(Failure::usage(
            format!("repeating {}", arguments.name),
            format!(
                "its engine names what is to be started: `{engine}`, and a record may come from anywhere"
            ),
            format!("look at it, and type: {line}"),
        ));
    }
    if let Some(client) = plan.options.clients.iter().find(|client| client.reach != AgentLocation::Local) {
        return Err(Failure::usage(
            format!("repeating {}", arguments.name),
            format!("it goes to another machine, `{client}`, and a record may come from anywhere"),
            format!("look at it, and type: {line}"),
        ));
    }
    let conditions = Conditions::of_runs(&arguments.conditions.fail_if, place, &[&plan.workload])?;
    let held = RunCriteria { wanted: None, reference: None, conditions: &conditions };
    measure(place, &plan, &held, &arguments.outputs)
}

/// The line that its record keeps of a job of `fathom fio`; `None` for what `fathom run` says.
fn job_of_fio(record: &RunRecord) -> Option<&str> {
    let is_fio =
        |line: &&str| shell_words(line).is_some_and(|words| words.get(1).is_some_and(|verb| verb == "fio"));
    record.command.as_deref().filter(is_fio)
}

/// Whether an engine is another tool's, with the path, host or command that reaches it.
fn starts_what_it_names(engine: &str) -> bool {
    ToolEngine::of(engine).is_some() && engine.contains([':', '@'])
}

/// The plan of a record, with the permission that this command gives.
fn plan_of(record: &RunRecord, arguments: &RerunArguments) -> Result<RunPlan, Failure> {
    let about = || format!("repeating {}", record.id);
    let line = run_line(record).map_err(|why| {
        let remedy = match why {
            NoLine::Imported => "make the run again with its own tool, or give fathom its workload: fathom run --help",
            NoLine::Unsaid => "give fathom run what it can say of it; \"workload\" in the record is what was done: fathom show RUN --json",
            NoLine::UnknownDecorator => "repeat it with the build that made it",
        };
        Failure { kind: "not_repeatable", ..Failure::usage(about(), why.to_string(), remedy.replace("RUN", &record.id)) }
    })?;
    let source = PlanSource::from_command_line(&line).map_err(|error| {
        let remedy = "repeat it with the build that made it, or type what is meant";
        Failure { kind: "not_repeatable", ..Failure::usage(about(), error.cause, remedy) }
    })?;
    // Permission holds for one command alone, so none that stands in a record counts.
    let given = RawPlan {
        destroy: Some(arguments.destroy.clone()),
        check_empty: Some(arguments.check_empty),
        ..RawPlan::default()
    };
    let mut plan = source.overridden_by(given).resolve(new_seed())?;
    // A file that the run made is there now: nothing is left to be made and kept.
    plan.options.keep &= !plan.targets.iter().any(|target| Path::new(target).is_file());
    Ok(plan)
}
