//! `fathom run`: one workload on one target, saved and shown.

use std::path::Path;

use fathom_campaign::external::{ToolEngine, run_external};
use fathom_campaign::profile_likeness::{LikeRequest, TargetDemand};
use fathom_campaign::run_once;
use fathom_measure::Nanos;
use fathom_plan::{PlanSource, RawPlan, RunPlan};
use fathom_record::{parse_profile, shell_word};
use fathom_report::{html, terminal};

use super::agent;
use super::conditions::{self, Conditions};
use super::delivery::Delivery;
use super::expect::Reference;
use super::fresh_seed::new_seed;
use super::saving::RunSaver;
use super::store_access::StorePlace;
use super::{demand_input, record_json};
use crate::arguments::{MeasurementOutputs, RunArguments};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::small_text::read_small_text;
use crate::{interrupt, output};

/// Plan files beyond this are something else.
const PLAN_BYTES_MAX: u64 = 1 << 20;

/// Measures. A store that cannot be used does not lose the result: it is printed, and the status says that it
/// was not saved.
///
/// # Errors
/// When nothing was measured.
pub fn perform(place: &StorePlace, mut arguments: RunArguments) -> Result<Status, Failure> {
    agent::take_file_into(&arguments.clients, &mut arguments.flags)?;
    let (source, wanted) = match &arguments.like {
        Some(path) => like(path, arguments.scale, arguments.flags)?,
        None => (source(arguments.plan.as_deref(), arguments.flags)?, None),
    };
    let plan = source.resolve(new_seed())?;
    let conditions = Conditions::of_runs(&arguments.conditions.fail_if, place, &[&plan.workload])?;
    let link = arguments.expect_link.as_ref().map(|link| link.0);
    let reference = arguments.expect.as_ref();
    let reference = reference.map(|expected| Reference::find(place, expected, link)).transpose()?;
    let held =
        RunCriteria { wanted: wanted.as_ref(), reference: reference.as_ref(), conditions: &conditions };
    measure(place, &plan, &held, &arguments.outputs)
}

/// What a run is held against.
pub struct RunCriteria<'a> {
    /// What it is to be like.
    pub wanted: Option<&'a TargetDemand>,
    /// A run that lets something be expected of it.
    pub reference: Option<&'a Reference>,
    /// When it fails.
    pub conditions: &'a Conditions,
}

/// Runs a plan, here or on all clients that are named, saves its record and hands it over.
///
/// # Errors
/// When nothing was measured.
pub fn measure(
    place: &StorePlace,
    plan: &RunPlan,
    held: &RunCriteria<'_>,
    outputs: &MeasurementOutputs,
) -> Result<Status, Failure> {
    let external = plan.engine.as_deref().and_then(ToolEngine::of);
    let delivery = Delivery::prepare(outputs)?;
    let mut saving = RunSaver::open(place);
    let total_ns = plan.workload.length.time_ns.map(|ns| ns + plan.workload.length.warmup_ns);
    let mut screen = Screen::new(outputs.quiet, total_ns);
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "run", &stop);
    let mut record = match external {
        Some(external) if plan.options.clients.is_empty() => {
            run_external(plan, &external, &place.raw_folder()?, &mut screen, &stop)?
        }
        _ => run_once(plan, &mut screen, &stop)?,
    };
    let mut onlookers = screen.end();
    if let Some(wanted) = held.wanted {
        let said = wanted.similarity(&record);
        record.notes.extend(said);
    }
    if let Some(reference) = held.reference {
        reference.judge(&mut record);
    }
    let lacked = saving.lacked_last();
    saving.put(&record);
    if saving.is_whole() {
        onlookers.saved(&record.id);
    }
    drop(onlookers);
    let judged = held.conditions.judge_run(&record);
    conditions::tell(&judged);
    let handed_over = delivery.hand_over(
        |shape| record_json::run(&record, &judged, shape),
        || terminal::run_after(&record, &lacked, output::style()),
        || html::run(&record),
    );
    let saved = saving.finish(&delivery.machine);
    if saved && !delivery.machine.takes_stdout() {
        let (id, store) = (&record.id, place.flag());
        let mut hint = format!("\nsaved; again: fathom show {id}{store}");
        if !delivery.has_report() {
            hint += &format!("\nas a page:    fathom report {id} --html report.html{store}");
        }
        output::message(&hint);
    }
    Ok(Status::of_measurement(record.is_valid() && handed_over && saved).or_of(&judged))
}

/// A plan file with the flags that override it.
///
/// # Errors
/// When the file cannot be read, or is no plan.
pub fn source(file: Option<&Path>, flags: RawPlan) -> Result<PlanSource, Failure> {
    Ok(match file {
        Some(path) => read(path)?.overridden_by(flags),
        None => PlanSource::from_flags(flags),
    })
}

/// A plan like a profile, with the flags that override it, and what it is to be like.
fn like(path: &Path, scale: f64, flags: RawPlan) -> Result<(PlanSource, Option<TargetDemand>), Failure> {
    let name = path.display().to_string();
    let refused = |cause: String| {
        Failure::usage(&name, cause, "make a profile: fathom profile SOURCE --json FILE.json")
    };
    if !(scale.is_finite() && (0.001..=1000.0).contains(&scale)) {
        return Err(Failure::usage(
            "--scale",
            format!("{scale} is not a valid factor"),
            "give one from 0.001 to 1000, e.g. 1.3",
        ));
    }
    let profile = parse_profile(&demand_input::read(path)?)
        .map_err(|error| refused(error.cause.clone()).with_source(error))?;
    let time_ns = flags.time.as_ref().and_then(|text| text.0.parse::<Nanos>().ok()).map(|time| time.0);
    let like = LikeRequest { profile: &profile, name: &name, scale, time_ns };
    let (raw, wanted) = like.plan().map_err(|error| Failure::of(Status::Usage, "usage", error))?;
    Ok((PlanSource::from_flags(raw).overridden_by(flags), Some(wanted)))
}

fn read(path: &Path) -> Result<PlanSource, Failure> {
    let name = path.display().to_string();
    if let Some(words) = crate::habit::operand(&name) {
        return Err(Failure::usage(name, "this is how dd takes them", words));
    }
    let is_folder = path.is_dir();
    if is_folder || path.extension().is_none_or(|extension| extension != "toml") {
        let (cause, what) = match is_folder {
            true => ("this is a folder; a plan file ends in .toml", "the disk under it"),
            false => ("not a plan file: its name does not end in .toml", "it"),
        };
        let remedy = format!("to measure {what} type: fathom run --target {}", shell_word(&name));
        return Err(Failure::usage(name, cause, remedy));
    }
    let unreadable = |cause: String| {
        Failure::usage(
            format!("reading the plan {name}"),
            cause,
            "name a plan file that exists: see fathom run --help",
        )
    };
    let text = read_small_text(path, PLAN_BYTES_MAX, "a plan", unreadable)?;
    Ok(PlanSource::from_toml(&text, &name)?)
}
