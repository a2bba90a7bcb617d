//! `fathom baseline`: the run that others of its workload on its target are compared with.

use fathom_campaign::calendar_now;
use fathom_report::table::{Table, numbers, paths, titles, words};
use fathom_report::terminal;
use fathom_store::Baseline;
use serde::Serialize;

use super::store_access::{StorePlace, existing};
use crate::arguments::BaselineArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// The baselines for programs.
#[derive(Serialize)]
struct Baselines {
    format: &'static str,
    version: u32,
    baselines: Vec<Entry>,
}

/// One of them.
#[derive(Serialize)]
struct Entry {
    run: String,
    target: String,
    pattern: String,
    jobs: u32,
    depth: u32,
    tool: String,
    at: String,
}

/// Chooses a baseline or gives one up, and prints all that there are then.
///
/// # Errors
/// When there is no such run, or the store cannot be written.
pub fn perform(place: &StorePlace, arguments: &BaselineArguments) -> Result<Status, Failure> {
    if let Some(name) = &arguments.name {
        let run = existing(place, name)?.resolve_run(name)?;
        let store = place.open()?;
        if !arguments.remove {
            store.set_baseline(&run, &calendar_now())?;
        } else if !store.void_baseline(&run, &calendar_now())? {
            let cause = format!("run {run} is not a baseline");
            return Err(Failure::usage("--remove", cause, "all of them: fathom baseline"));
        }
    }
    let store = place.open_existing()?;
    let baselines = store.map(|store| store.baselines()).transpose()?.unwrap_or_default();
    let text = if arguments.switch.json {
        let baselines = baselines.into_iter().map(Entry::of).collect();
        output::json(&Baselines { format: "fathom.baselines", version: 1, baselines })
    } else if baselines.is_empty() {
        "No baselines yet. To choose one: fathom baseline RUN\n".to_owned()
    } else {
        terminal::table(&table(&baselines), output::style())
    };
    output::result(&text)?;
    Ok(Status::Done)
}

fn table(baselines: &[Baseline]) -> Table {
    let columns = [
        words("baseline", 0),
        paths("target", 1),
        titles("workload", 1),
        numbers("jobs × depth", 2),
        words("tool", 3),
    ];
    let mut table = Table::new(&columns);
    for row in baselines {
        table.row([
            row.run.clone(),
            row.target.clone(),
            row.pattern.clone(),
            format!("{} × {}", row.jobs, row.depth),
            row.tool.clone(),
        ]);
    }
    table
}

impl Entry {
    fn of(row: Baseline) -> Self {
        let Baseline { run, target, pattern, jobs, depth, tool, at } = row;
        Self { run, target, pattern, jobs, depth, tool, at }
    }
}
