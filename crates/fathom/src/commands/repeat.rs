//! `fathom repeat`: a published evaluation on one's own storage.

use std::path::Path;

use fathom_campaign::{Evaluation, repeat};
use fathom_measure::{ByteRate, Bytes, Nanos, counted};
use fathom_published::{HELD, HeldEvaluation, Method, PublishedTable, doubts, parse_published, unused};
use fathom_record::CampaignRecord;
use fathom_record::campaign::{AssessRecord, Quantity, RepeatPlan, RepeatStep};
use fathom_record::spelling::nearest;
use fathom_report::{html, terminal};

use super::agent;
use super::campaign_continuation::{Permits, after_restart, to_continue};
use super::delivery::Delivery;
use super::fresh_seed::new_seed;
use super::store_access::StorePlace;
use super::{published_file, record_json};
use crate::arguments::RepeatArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::{interrupt, output};

/// Runs of a step that `--list` reckons with: what `fathom repeat` does where nothing else is asked.
const RUNS: u32 = 5;
const RUN_SECONDS: f64 = 5.0;
/// Where the form of an evaluation is told.
const FORM: &str = "docs/evaluations.md says what an evaluation holds";

/// Repeats, or lists what can be repeated.
///
/// # Errors
/// When nothing was measured.
pub fn perform(place: &StorePlace, mut arguments: RepeatArguments) -> Result<Status, Failure> {
    agent::take_file_into(&arguments.clients, &mut arguments.flags)?;
    let Some(name) = arguments.evaluation.as_deref().filter(|_| !arguments.list) else {
        list(arguments.evaluation.as_deref())?;
        return Ok(Status::Done);
    };
    let mut evaluation = evaluation(name)?;
    if let Some(name) = &arguments.repeat.optimum {
        evaluation.0.optimum = Some(Box::new(assessment(&name.0, place)?));
    }
    let permits = (
        arguments.flags.destroy.clone().unwrap_or_default(),
        arguments.flags.check_empty.unwrap_or_default(),
    );
    let mut options = arguments.repeat.resolve(&evaluation.0, arguments.flags, new_seed())?;
    options.differences.splice(0..0, evaluation.1);
    if options.cells.is_empty() {
        let why = options.refused.first().map_or_else(String::new, |(_, why)| format!(": {why}"));
        return Err(Failure::usage(name, format!("no step can be run{why}"), "name more targets"));
    }
    let delivery = Delivery::prepare(&arguments.outputs)?;
    let store = place.open()?;
    let mut screen = Screen::new(arguments.outputs.quiet, None);
    let stop = interrupt::watch(screen.voice())?;
    delivery.follow(&mut screen, "repeat", &stop);
    let found = repeat(&options, &store, &mut screen, &stop)?;
    drop(screen);
    let sound = |cell: &fathom_record::campaign::RepeatCell| {
        cell.result.as_ref().is_some_and(|result| result.failed_checks.is_empty())
    };
    let holds = found.record.cells.iter().all(sound);
    let (id, command) = (found.record.id.clone(), found.record.command.clone());
    let record = CampaignRecord::from(found.record);
    let handed_over = delivery.hand_over(
        |shape| record_json::campaign(&record, &[], shape),
        || terminal::campaign(&record, output::style()),
        || html::campaign(&record, &found.runs),
    );
    let permits = Permits { serials: &permits.0, check_empty: permits.1 };
    if let Some(waits_for) = &found.waits_for {
        output::message(&after_restart(waits_for, command.as_deref(), permits, place));
        return Ok(Status::of_measurement(handed_over));
    }
    if found.interrupted {
        output::message(&to_continue(command.as_deref(), permits, place));
    } else if !delivery.has_report() && !delivery.machine.takes_stdout() {
        output::message(&format!("\nas a page: fathom report {id} --html report.html{}", place.flag()));
    }
    Ok(Status::of_measurement(holds && !found.interrupted && handed_over))
}

/// The table of that name, or in that file.
fn named(name: &str) -> Result<PublishedTable, Failure> {
    match HELD.iter().find(|held| held.name == name) {
        Some(held) => table(held),
        None if name.ends_with(".toml") => published_file::read(Path::new(name)).map_err(|failure| Failure {
            place: format!("reading {name}"),
            remedy: FORM.to_owned(),
            ..failure
        }),
        None => {
            let names = HELD.iter().map(|held| held.name);
            let remedy = match nearest(name, names).first() {
                Some(near) => format!("did you mean {near}?"),
                None => "fathom repeat --list names them; a file ends in .toml".to_owned(),
            };
            Err(Failure::usage(name, "fathom holds no such evaluation", remedy))
        }
    }
}

/// The evaluation of that name, or in that file, and what in it does not fit together.
fn evaluation(name: &str) -> Result<(Evaluation, Vec<String>), Failure> {
    let table = named(name)?;
    let doubts = doubts(&table);
    let method = method(name, &table)?;
    let (steps, targets) = method.steps.into_iter().unzip();
    let plan = RepeatPlan {
        evaluation: name.to_owned(),
        title: table.title,
        source: table.source,
        sides: method.sides,
        steps,
        conclusions: method.conclusions,
        bounds: method.bounds,
        own_bounds: Vec::new(),
        given: serde_json::Value::Null,
        visits: 1,
        until_share: None,
        as_published: false,
        across_restarts: None,
        optimum: None,
        seed: 0,
    };
    Ok((Evaluation { name: name.to_owned(), plan, targets, optimum: None }, doubts))
}

/// The finished assessment of that name.
fn assessment(name: &str, place: &StorePlace) -> Result<AssessRecord, Failure> {
    let store = place.open()?;
    let wrong = |cause: &str| {
        let remedy = "name an assessment of one device: fathom runs lists them, fathom assess makes one";
        Failure::usage(format!("--optimum {name}"), cause, remedy)
    };
    match store.campaign(&store.resolve_campaign(name)?)? {
        CampaignRecord::Assess(record) if record.finished_at.is_some() => Ok(*record),
        CampaignRecord::Assess(_) => {
            Err(wrong("the assessment is not finished: the same command continues it"))
        }
        _ => Err(wrong("this is not an assessment")),
    }
}

fn table(held: &HeldEvaluation) -> Result<PublishedTable, Failure> {
    parse_published(held.text).map_err(|refusal| Failure::usage(held.name, refusal.to_string(), FORM))
}

fn method(name: &str, table: &PublishedTable) -> Result<Method, Failure> {
    table.method().map_err(|refusal| Failure::usage(name, refusal.to_string(), FORM))
}

/// Writes what each evaluation needs and takes; of a file also what in it does not fit together.
fn list(only: Option<&str>) -> Result<(), Failure> {
    let mut text = String::new();
    match only {
        Some(name) => {
            let table = named(name)?;
            text += &listed(name, &table)?;
            let unused = unused(&table).into_iter().map(|row| format!("No step uses the row \"{row}\"."));
            for doubt in doubts(&table).into_iter().chain(unused) {
                text += &format!("  but     {doubt}\n");
            }
        }
        None => {
            for held in &HELD {
                text += &listed(held.name, &table(held)?)?;
                text.push('\n');
            }
        }
    }
    output::result(&text)?;
    Ok(())
}

/// What one needs and takes, in lines.
fn listed(name: &str, table: &PublishedTable) -> Result<String, Failure> {
    let method = method(name, table)?;
    let mut text = format!("{name}\n  {}\n", table.title);
    for side in &method.sides {
        let name = if side.name.is_empty() { "target" } else { &side.name };
        text += &format!("  needs   {name}: {}\n", side.was);
    }
    let steps = || method.steps.iter().map(|(step, _)| step);
    let count = steps().count();
    let short = f64::from(RUNS) * RUN_SECONDS * count as f64;
    text += &format!(
        "  takes   at most {} for {}, {} each\n",
        Nanos::from_seconds(short).coarse(),
        counted(count as u64, "step"),
        counted(u64::from(RUNS), "run"),
    );
    text += &match steps().map(published_seconds).sum::<Option<f64>>() {
        Some(whole) => format!("          {} as published\n", Nanos::from_seconds(whole).coarse()),
        None => "          its own lengths were not published\n".to_owned(),
    };
    text += &format!("  writes  {}\n", written(steps()));
    text += &format!("  checks  {}\n", counted(method.conclusions.len() as u64, "conclusion"));
    Ok(text)
}

fn published_seconds(step: &RepeatStep) -> Option<f64> {
    Some(step.published_seconds? * f64::from(step.published_runs.unwrap_or(1)))
}

/// Bytes that are written at the published rates: no rate is known of the storage here before it is measured.
fn written<'a>(steps: impl Iterator<Item = &'a RepeatStep>) -> String {
    let (mut short, mut whole) = (0.0, Some(0.0));
    let mut fastest: f64 = 0.0;
    for step in steps {
        let rate = written_per_s(step);
        fastest = fastest.max(rate);
        short += rate * f64::from(RUNS) * RUN_SECONDS;
        whole = whole.zip(published_seconds(step)).map(|(bytes, seconds)| bytes + rate * seconds);
    }
    if short == 0.0 {
        return "nothing, as far as rates were published".to_owned();
    }
    let size = |bytes: f64| Bytes(bytes as u64).to_string();
    let whole = whole.map_or_else(String::new, |bytes| format!(", and {} as published", size(bytes)));
    format!("at the published rates (up to {}) at most {}{whole}", ByteRate(fastest), size(short))
}

fn written_per_s(step: &RepeatStep) -> f64 {
    use fathom_record::Direction::Write;
    if let Some(figure) = step.published(Quantity::Throughput, Some(Write)) {
        return figure.value;
    }
    let all = step.published(Quantity::Throughput, None).map_or(0.0, |figure| figure.value);
    let key = |name: &str| step.plan.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    match key("rw") {
        "write" | "randwrite" => all,
        "rw" | "randrw" => {
            let reads = key("read-share").trim_end_matches('%').trim().parse().unwrap_or(50.0);
            all * (1.0 - reads / 100.0)
        }
        _ => 0.0,
    }
}
