//! One file a command: what was asked, through the rooms, to what is printed.

mod again;
mod analyse;
mod assess;
mod audit;
mod compare;
mod delivery;
mod demand;
mod devices;
mod diskspd;
mod engines;
mod explain;
mod export;
mod fio;
mod import;
mod profile;
mod proof;
mod published;
mod report;
mod rerun;
mod run;
mod runs;
mod saving;
mod schema;
mod seed;
mod show;
mod size;
mod stored;
mod sweep;
mod trial;

use crate::arguments::{Asked, Command};
use crate::failure::Failure;
use crate::status::Status;
use stored::StorePlace;

/// Does what was asked.
///
/// # Errors
/// What prevented it.
pub fn perform(asked: Asked) -> Result<Status, Failure> {
    let place = StorePlace::new(asked.store);
    match asked.command {
        Command::Assess(arguments) => assess::perform(&place, &arguments),
        Command::Run(arguments) => run::perform(&place, *arguments),
        Command::Rerun(arguments) => rerun::perform(&place, &arguments),
        Command::Compare(arguments) => compare::perform(&place, &arguments),
        Command::Sweep(arguments) => sweep::perform(&place, *arguments),
        Command::Explain(arguments) => explain::perform(&place, *arguments),
        Command::Devices(switch) => devices::perform(switch),
        Command::Runs(arguments) => runs::perform(&place, &arguments),
        Command::Profile(arguments) => profile::perform(&arguments),
        Command::Size(arguments) => size::perform(&place, &arguments),
        Command::Import(arguments) => import::perform(&place, &arguments),
        Command::Audit(arguments) => audit::perform(&place, &arguments),
        Command::Show(arguments) => show::perform(&place, &arguments),
        Command::Analyse(arguments) => analyse::perform(&place, &arguments),
        Command::Report(arguments) => report::perform(&place, &arguments),
        Command::Export(arguments) => export::perform(&place, &arguments),
        Command::Schema(arguments) => schema::perform(arguments.of),
        Command::Diskspd(arguments) => diskspd::perform(&place, &arguments),
        Command::Engines(switch) => engines::perform(switch),
        Command::Fio(arguments) => fio::perform(&place, &arguments.words),
    }
}
