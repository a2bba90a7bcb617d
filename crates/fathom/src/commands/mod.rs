//! One file a command: what was asked, through the rooms, to what is printed.

mod agent;
mod agents;
mod analyse;
mod assess;
mod audit;
mod author;
mod balances;
mod baseline;
mod campaign_continuation;
mod compare;
mod completions;
mod conditions;
mod config;
mod delete;
mod delivery;
mod demand_input;
mod devices;
mod discover;
mod diskspd;
mod doctor;
mod engines;
mod expect;
mod explain;
mod export;
mod fio;
mod fresh_seed;
mod help;
mod import;
mod man;
mod mark;
mod note;
#[cfg(target_os = "linux")]
mod nvmet;
#[cfg(not(target_os = "linux"))]
#[path = "nvmet_elsewhere.rs"]
mod nvmet;
mod profile;
mod proof_run;
mod published_file;
mod record_json;
mod repeat;
mod report;
mod rerun;
mod run;
mod runs;
mod sample;
mod saving;
mod schema;
#[cfg(feature = "page")]
mod serve;
#[cfg(not(feature = "page"))]
#[path = "serve_absent.rs"]
mod serve;
#[cfg(feature = "page")]
mod share;
#[cfg(not(feature = "page"))]
#[path = "share_absent.rs"]
mod share;
mod show;
mod size;
mod store_access;
mod sweep;
mod tag;
mod trend;
mod trial;
mod typed_moment;
mod watch;
mod wear;

pub use expect::{LinkRate, RunExpectation};

use crate::arguments::{Command, CommandLine};
use crate::exit_status::Status;
use crate::failure::Failure;
use store_access::StorePlace;

/// Does what was asked.
///
/// # Errors
/// What prevented it.
pub fn perform(asked: CommandLine) -> Result<Status, Failure> {
    let mut stores = asked.store.into_iter();
    let (first, more) = (stores.next(), stores.collect::<Vec<_>>());
    if !more.is_empty() && !matches!(asked.command, Command::Serve(_)) {
        return Err(Failure::usage(
            "--store",
            "more than one store is named",
            "name one: fathom serve alone takes several",
        ));
    }
    let place = match asked.command {
        // They say how to put a config file right, and read none.
        Command::Help(_) | Command::Man(_) | Command::Completions(_) => StorePlace::Default,
        _ => StorePlace::of(first)?,
    };
    match asked.command {
        Command::Assess(arguments) => assess::perform(&place, &arguments),
        Command::Run(arguments) => run::perform(&place, *arguments),
        Command::Rerun(arguments) => rerun::perform(&place, arguments),
        Command::Compare(arguments) => compare::perform(&place, &arguments),
        Command::Sweep(arguments) => sweep::perform(&place, *arguments),
        Command::Repeat(arguments) => repeat::perform(&place, *arguments),
        Command::Explain(arguments) => explain::perform(&place, *arguments),
        Command::Devices(arguments) => devices::perform(&arguments),
        Command::Runs(arguments) => runs::perform(&place, &arguments),
        Command::Watch(arguments) => watch::perform(&arguments),
        Command::Trend(arguments) => trend::perform(&place, &arguments),
        Command::Profile(arguments) => profile::perform(&arguments, &asked.line),
        Command::Size(arguments) => size::perform(&place, &arguments, &asked.line),
        Command::Import(arguments) => import::perform(&place, &arguments),
        Command::Audit(arguments) => audit::perform(&place, &arguments),
        Command::Serve(arguments) => {
            let stores = [vec![place.path()?], more].concat();
            serve::perform(stores, &arguments)
        }
        Command::Share(arguments) => share::perform(&place, &arguments),
        Command::Tag(arguments) => tag::perform(&place, &arguments),
        Command::Note(arguments) => note::perform(&place, &arguments),
        Command::Baseline(arguments) => baseline::perform(&place, &arguments),
        Command::Mark(arguments) => mark::perform(&place, &arguments),
        Command::Delete(arguments) => delete::perform(&place, &arguments),
        Command::Show(arguments) => show::perform(&place, &arguments),
        Command::Analyse(arguments) => analyse::perform(&place, &arguments, &asked.line),
        Command::Report(arguments) => report::perform(&place, &arguments),
        Command::Export(arguments) => export::perform(&place, &arguments),
        Command::Sample(arguments) => sample::perform(&arguments),
        Command::Schema(arguments) => schema::perform(arguments.of),
        Command::Discover(arguments) => discover::perform(&arguments),
        Command::Nvmet(arguments) => nvmet::perform(&arguments),
        Command::Diskspd(arguments) => diskspd::perform(&place, &arguments),
        Command::Engines(switch) => engines::perform(switch),
        Command::Fio(arguments) => fio::perform(&place, &arguments.words),
        Command::Doctor(arguments) => doctor::perform(&place, &arguments),
        Command::Agent => agent::perform(),
        Command::Agents(arguments) => agents::perform(&arguments),
        Command::Config(switch) => config::perform(&place, switch),
        Command::Completions(arguments) => completions::perform(arguments.shell),
        Command::Man(arguments) => man::perform(&arguments),
        Command::Help(arguments) => help::perform(arguments.command.as_deref()),
    }
}
