//! `fathom compare`: two sides measured in pairs, or two finished measurements put beside each other.

use std::path::Path;

use fathom_campaign::{StoredSide, compare, compare_stored};
use fathom_record::campaign::CompareRecord;
use fathom_record::comparison::Decision;
use fathom_record::{CampaignRecord, RunRecord};
use fathom_report::{html, terminal};
use fathom_store::{Store, StoredId};

use super::agent;
use super::campaign_continuation::{Permits, after_restart, to_continue};
use super::conditions::{self, Conditions};
use super::delivery::Delivery;
use super::fresh_seed::new_seed;
use super::record_json;
use super::store_access::{StorePlace, runs_of};
use crate::arguments::CompareArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::{interrupt, output};

/// Compares. Without a store it does not start, since nothing would outlive an interruption.
///
/// # Errors
/// When nothing was compared.
pub fn perform(place: &StorePlace, arguments: &CompareArguments) -> Result<Status, Failure> {
    let raw = &arguments.compare;
    let names = [Some(raw.a_name.as_str()), raw.b_name.as_deref()];
    match stored_sides(place, names)? {
        Some((store, a, b)) => put_beside(place, arguments, &store, (&a, &b)),
        None => measure(place, arguments),
    }
}

fn measure(place: &StorePlace, arguments: &CompareArguments) -> Result<Status, Failure> {
    let mut flags = arguments.flags.clone();
    let mut raw = arguments.compare.clone();
    let names = [Some(raw.a_name.as_str()), raw.b_name.as_deref()];
    raw.push = arguments.clients.push && names.iter().flatten().any(|name| name.starts_with("ssh:"));
    let is_for_sides = raw.push && flags.client.is_none() && arguments.clients.clients.is_none();
    if !is_for_sides {
        agent::take_file_into(&arguments.clients, &mut flags)?;
    }
    let options = raw.resolve(&flags, new_seed())?;
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let conditions = Conditions::of_comparison(&arguments.conditions.fail_if, place, &options.workloads)?;
    let store = place.open()?;
    let mut screen = Screen::new(arguments.outputs.quiet, None);
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "compare", &stop);
    let found = compare(&options, &store, &mut screen, &stop)?;
    drop(screen);
    let holds = holds(&found.record);
    let (id, command) = (found.record.id.clone(), found.record.command.clone());
    let judged = conditions.judge_comparison(&found.record, &found.runs);
    conditions::tell(&judged);
    let record = CampaignRecord::from(found.record);
    let handed_over = delivery.hand_over(
        |shape| record_json::campaign(&record, &judged, shape),
        || terminal::campaign(&record, output::style()),
        || html::campaign(&record, &found.runs),
    );
    let flags = &arguments.flags;
    let serials = flags.destroy.as_deref().unwrap_or_default();
    let permits = Permits { serials, check_empty: flags.check_empty == Some(true) };
    if let Some(waits_for) = &found.waits_for {
        output::message(&after_restart(waits_for, command.as_deref(), permits, place));
        return Ok(Status::of_measurement(handed_over));
    }
    if found.interrupted {
        output::message(&to_continue(command.as_deref(), permits, place));
    } else {
        hint(&delivery, &id, &place.flag());
    }
    Ok(Status::of_measurement(holds && !found.interrupted && handed_over).or_of(&judged))
}

fn put_beside(
    place: &StorePlace,
    arguments: &CompareArguments,
    store: &Store,
    (a, b): (&StoredSide, &StoredSide),
) -> Result<Status, Failure> {
    let plan = arguments.compare.stored(&arguments.flags, (&a.id, &b.id))?;
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let conditions = Conditions::of_comparison(&arguments.conditions.fail_if, place, &[])?;
    let found = compare_stored(&plan, a, b, store)?;
    let (holds, id) = (holds(&found), found.id.clone());
    let runs: Vec<RunRecord> = a.runs.iter().chain(&b.runs).cloned().collect();
    let judged = conditions.judge_comparison(&found, &runs);
    conditions::tell(&judged);
    let record = CampaignRecord::from(found);
    let handed_over = delivery.hand_over(
        |shape| record_json::campaign(&record, &judged, shape),
        || terminal::campaign(&record, output::style()),
        || html::campaign(&record, &[]),
    );
    hint(&delivery, &id, &place.flag());
    Ok(Status::of_measurement(holds && handed_over).or_of(&judged))
}

fn hint(delivery: &Delivery, id: &str, flag: &str) {
    if !delivery.has_report() && !delivery.machine.takes_stdout() {
        output::message(&format!("\nas a page: fathom report {id} --html report.html{flag}"));
    }
}

/// Whether what is published holds: every workload has an answer, be it that more pairs are needed, and no
/// self-check failed.
fn holds(record: &CompareRecord) -> bool {
    let checked = |workload: &fathom_record::campaign::ComparedWorkload| {
        workload.a.iter().chain(&workload.b).all(|cell| cell.failed_checks.is_empty())
    };
    !record.workloads.is_empty()
        && record.workloads.iter().all(|w| w.decision() != Decision::NotComparable && checked(w))
}

/// Both sides, where both names stand for what is in the store; `None` where both are targets.
fn stored_sides(
    place: &StorePlace,
    [a, b]: [Option<&str>; 2],
) -> Result<Option<(Store, StoredSide, StoredSide)>, Failure> {
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    if is_target(a) && is_target(b) {
        return Ok(None);
    }
    let Some(existing) = place.open_existing()? else { return Ok(None) };
    let stored = |name: &str| (!is_target(name)).then(|| existing.resolve(name).ok()).flatten();
    match (stored(a), stored(b)) {
        (Some(_), Some(_)) => {
            let store = place.open()?;
            let (a, b) = (side(&store, a)?, side(&store, b)?);
            Ok(Some((store, a, b)))
        }
        (None, None) => Ok(None),
        (found, _) => {
            let (measured, target) = if found.is_some() { (a, b) } else { (b, a) };
            Err(Failure::usage(
                format!("comparing {a} with {b}"),
                format!("{measured} is a finished measurement and {target} is not"),
                "name two targets, or two that `fathom runs` lists",
            ))
        }
    }
}

/// What has a scheme, or is there, is a target.
fn is_target(name: &str) -> bool {
    name.contains([':', '/']) || Path::new(name).exists()
}

fn side(store: &Store, name: &str) -> Result<StoredSide, Failure> {
    match store.resolve(name)? {
        StoredId::Run(id) => Ok(StoredSide { kind: "run", runs: vec![store.run(&id)?], id }),
        StoredId::Campaign(id) => {
            let campaign = store.campaign(&id)?;
            let kind = StoredSide::kind_of(&campaign).ok_or_else(|| {
                Failure::usage(
                    format!("comparing {id}"),
                    "it is a comparison, which has two sides itself",
                    "name two runs, assessments or sweeps",
                )
            })?;
            Ok(StoredSide { kind, runs: runs_of(store, &campaign)?, id })
        }
    }
}
