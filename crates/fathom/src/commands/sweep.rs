//! `fathom sweep`: a plan over a grid of values, saved run by run.

use fathom_campaign::sweep;
use fathom_record::CampaignRecord;
use fathom_record::campaign::SweepCell;
use fathom_report::{html, terminal};

use super::agent;
use super::campaign_continuation::{Permits, to_continue};
use super::delivery::Delivery;
use super::fresh_seed::new_seed;
use super::record_json;
use super::run::source;
use super::store_access::StorePlace;
use crate::arguments::SweepArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::{interrupt, output};

/// Sweeps. Without a store it does not start, since nothing would outlive an interruption.
///
/// # Errors
/// When nothing was measured.
pub fn perform(place: &StorePlace, mut arguments: SweepArguments) -> Result<Status, Failure> {
    agent::take_file_into(&arguments.clients, &mut arguments.flags)?;
    let source = source(arguments.plan.as_deref(), arguments.flags)?;
    let permits = source.permits();
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
    let options = arguments.sweep.resolve(&source, cpus, new_seed())?;
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let store = place.open()?;
    let mut screen = Screen::new(arguments.outputs.quiet, None);
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "sweep", &stop);
    let found = sweep(&options, &store, &mut screen, &stop)?;
    drop(screen);
    let measured = found.record.cells.iter().filter_map(|cell| cell.result.as_ref());
    // A cell that adaptive steps left out is no failure; one that its target did not take is.
    let refused = |cell: &SweepCell| cell.missing.is_some() && !cell.was_left_out();
    let holds = measured.clone().next().is_some()
        && measured.clone().all(|cell| cell.failed_checks.is_empty())
        && !found.record.cells.iter().any(refused);
    let (id, command) = (found.record.id.clone(), found.record.command.clone());
    let record = CampaignRecord::from(found.record);
    let handed_over = delivery.hand_over(
        |shape| record_json::campaign(&record, &[], shape),
        || terminal::campaign(&record, output::style()),
        || html::campaign(&record, &found.runs),
    );
    if found.interrupted {
        let permits = Permits { serials: &permits.0, check_empty: permits.1 };
        output::message(&to_continue(command.as_deref(), permits, place));
    } else if !delivery.has_report() && !delivery.machine.takes_stdout() {
        output::message(&format!("\nas a page: fathom report {id} --html report.html{}", place.flag()));
    }
    Ok(Status::of_measurement(holds && !found.interrupted && handed_over))
}
