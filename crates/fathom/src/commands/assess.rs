//! `fathom assess`: the whole assessment of a target, saved run by run.

use fathom_campaign::plan::assess_command_line;
use fathom_record::CampaignRecord;
use fathom_report::{html, terminal};

use super::delivery::Delivery;
use super::seed::new_seed;
use super::stored::StorePlace;
use crate::arguments::AssessArguments;
use crate::failure::Failure;
use crate::progress::Screen;
use crate::status::Status;
use crate::{interrupt, output};

/// Assesses. Without a store it does not start, since nothing would outlive an interruption.
///
/// # Errors
/// When nothing was concluded.
pub fn perform(place: &StorePlace, arguments: &AssessArguments) -> Result<Status, Failure> {
    let options = arguments.plan.resolve(new_seed())?;
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let store = place.open()?;
    let mut screen = Screen::new(arguments.outputs.quiet, None);
    let stop = interrupt::watch(screen.voice())?;
    let assessment = fathom_campaign::assess(&options, &store, &mut screen, &stop)?;
    drop(screen);
    let record = &assessment.record;
    let handed_over = delivery.hand_over(
        record,
        || terminal::campaign(record, output::style()),
        || html::campaign(record, &assessment.runs),
    );
    let store_flag = place.flag();
    if assessment.interrupted {
        output::message(&format!(
            "\nstopped before its end; what was measured is saved. To continue:\n  {}{store_flag}",
            assess_command_line(&record.plan)
        ));
    } else if !delivery.has_report() && !delivery.machine.takes_stdout() {
        let id = &record.id;
        output::message(&format!("\nas a page: fathom report {id} --html report.html{store_flag}"));
    }
    Ok(Status::of_measurement(holds(record) && !assessment.interrupted && handed_over))
}

/// Whether what is published holds: every pattern has a point to run at, and no self-check failed there.
fn holds(record: &CampaignRecord) -> bool {
    record.patterns.iter().all(|pattern| {
        let chosen = || pattern.operating_points.iter().filter_map(|point| pattern.cells.get(point.cell));
        chosen().next().is_some() && chosen().all(|cell| cell.failed_checks.is_empty())
    })
}
