//! `fathom assess`: the whole assessment of a target, saved run by run.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fathom_campaign::{AssessOptions, Assessment, CampaignError};
use fathom_record::CampaignRecord;
use fathom_record::campaign::PatternResult;
use fathom_report::{html, terminal};
use fathom_store::{Store, StoreErrorKind};

use super::agent;
use super::campaign_continuation::{Permits, to_continue};
use super::conditions::{self, Conditions};
use super::delivery::Delivery;
use super::fresh_seed::new_seed;
use super::record_json;
use super::store_access::{StorePlace, complete_drawn};
use crate::arguments::AssessArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::{interrupt, output};

/// So often, and so far apart, a busy campaign is asked for again: a second in all.
const BUSY_ATTEMPTS: u32 = 10;
const BUSY_WAIT: Duration = Duration::from_millis(100);

/// Assesses. Without a store it does not start, since nothing would outlive an interruption.
///
/// # Errors
/// When nothing was concluded.
pub fn perform(place: &StorePlace, arguments: &AssessArguments) -> Result<Status, Failure> {
    let mut raw = arguments.plan.clone();
    agent::take_file_into(&arguments.clients, &mut raw.flags.raw)?;
    let options = raw.resolve(new_seed())?;
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let conditions = Conditions::of_assessment(&arguments.conditions.fail_if, place, &options.plan)?;
    let store = place.open()?;
    let mut screen = Screen::new(arguments.outputs.quiet, None);
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "assess", &stop);
    let mut assessment = assess(&options, &store, &mut screen, &stop)?;
    drop(screen);
    let whole = CampaignRecord::from(assessment.record.clone());
    if delivery.has_report() {
        complete_drawn(&store, &whole, &mut assessment.runs);
    }
    let record = &assessment.record;
    let judged = conditions.judge_assessment(record, &assessment.runs);
    conditions::tell(&judged);
    let handed_over = delivery.hand_over(
        |shape| record_json::campaign(&whole, &judged, shape),
        || terminal::campaign(&whole, output::style()),
        || html::campaign(&whole, &assessment.runs),
    );
    let holds = record.patterns.iter().all(PatternResult::holds) && record.misses_slo().next().is_none();
    if assessment.interrupted {
        let permits = Permits { serials: options.permit.as_slice(), check_empty: options.check_empty };
        output::message(&to_continue(record.command.as_deref(), permits, place));
    } else if !delivery.has_report() && !delivery.machine.takes_stdout() {
        let (id, store_flag) = (&record.id, place.flag());
        output::message(&format!("\nas a page: fathom report {id} --html report.html{store_flag}"));
    }
    Ok(Status::of_measurement(holds && !assessment.interrupted && handed_over).or_of(&judged))
}

/// A process that was killed a moment ago holds its campaign until the kernel has taken its memory
/// back, so that a busy campaign is asked for again before it is told; and so is one that another process
/// began at this moment, which is then found busy.
fn assess(
    options: &AssessOptions,
    store: &Store,
    screen: &mut Screen,
    stop: &AtomicBool,
) -> Result<Assessment, CampaignError> {
    let mut attempts = 0;
    loop {
        match fathom_campaign::assess(options, store, screen, stop) {
            Err(CampaignError::Store(error))
                if matches!(error.kind, StoreErrorKind::CampaignBusy | StoreErrorKind::Exists)
                    && attempts < BUSY_ATTEMPTS =>
            {
                attempts += 1;
                std::thread::sleep(BUSY_WAIT);
            }
            other => return other,
        }
    }
}
