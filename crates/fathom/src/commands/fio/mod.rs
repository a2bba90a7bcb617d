//! `fathom fio`: fio's job files and command lines, run by fathom's engines, with results in fio's forms.

mod fio_self_description;
mod installed_fio;
mod iolog_file;
mod job_environment;
mod job_log_files;
mod result_delivery;
mod status_printer;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fathom_campaign::IoLog;
use fathom_campaign::tool_jobs::fio::{CommandStages, CountedRun, StatusReports, ToolCommandOutcome};
use fathom_engine::{EngineError, ErrorKind};
use fathom_plan::RunPlan;
use fathom_record::run_record::RunEnding;
use fathom_record::{Check, CheckName, RunRecord, Workload};
use fathom_tools::Refusal;
use fathom_tools::fio::cmdline::{self, Globals, Invocation};
use fathom_tools::fio::fio_job::Job;
use fathom_tools::fio::job_expansion;
use fathom_tools::fio::map::{self, Executor, JobContext, MappedJob};
use job_log_files::Places;

use super::conditions::{self, Conditions};
use super::fresh_seed::new_seed;
use super::saving::RunSaver;
use super::store_access::StorePlace;
use super::trial::Trial;
use super::wear;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::Machine;
use crate::progress_display::Screen;
use crate::{interrupt, output};

/// Reads what follows `fathom fio`, and runs it or hands it over.
///
/// # Errors
/// When the command makes no sense, is fio's to do, or nothing was measured.
pub fn perform(place: &StorePlace, words: &[String]) -> Result<Status, Failure> {
    let invocation = cmdline::parse(words).map_err(refused)?;
    let globals = &invocation.globals;
    let named = globals.store.as_ref().map(|file| StorePlace::Named(file.into()));
    let place = named.as_ref().unwrap_or(place);
    if globals.hand_over == Some(true) {
        return installed_fio::perform(place, &invocation);
    }
    if let Some(answer) = fio_self_description::answer(globals)? {
        output::result(&answer)?;
        return Ok(Status::Done);
    }
    fio_self_description::refuse(globals)?;
    let jobs = read(&invocation)?;
    if globals.show_command {
        output::result(&(job_expansion::command_line(&jobs) + "\n"))?;
        return Ok(Status::Done);
    }
    let mut mapped = map_all(&jobs)?;
    let trial = Trial::from_environment()?;
    if let Some(trial) = &trial {
        trial.shorten_jobs(&mut mapped);
    }
    let mut differences = differences(globals, &mapped);
    let stages = map::stages(&jobs, &mapped).map_err(refused)?;
    refuse_what_is_fios(globals, &mapped)?;
    if globals.read_only {
        refuse_writes(&mapped)?;
    }
    if globals.parse_only {
        return only_read(&mapped, &differences);
    }
    refuse_absent_devices(&mapped)?;
    let destination = result_delivery::Destination::prepare(globals)?;
    let places = Places::prepare(&mapped, globals.force)?;
    let conditions = Conditions::of_runs(&globals.fail_if, place, &workloads(&mapped))?;
    wear::begin(globals.wear_limit.as_deref())?;
    let mut saving = RunSaver::open_where_named(place);
    differences.extend(saving.remark());
    let mut screen = screen(globals);
    let stop = interrupt::watch(screen.voice())?;
    screen.publish("fio", None);
    let written = (&destination, &places);
    let (outcome, unwritten) = run_stages((&jobs, &mapped, &stages), globals, written, &mut screen, &stop);
    drop(screen);
    let ToolCommandOutcome { mut records, counted, remarks, failure } = outcome;
    differences.extend(remarks);
    if let Some(trial) = trial {
        output::message(&trial.note());
        records.iter_mut().flatten().for_each(|record| record.notes.push(trial.note()));
    }
    keep_line(&jobs, &mut records);
    records.iter().flatten().for_each(|record| saving.put(record));
    let judged = conditions.judge_runs(&records.iter().flatten().collect::<Vec<_>>()).concat();
    conditions::tell_failing(&judged);
    let printed = records.iter().all(Vec::is_empty)
        || result_delivery::deliver(&jobs, &mapped, &counted, &differences, (&destination, &places), globals);
    let verified = !result_delivery::tell_unverified(&records);
    let saved = saving.finish(&Machine::Off);
    match failure.map(Failure::from).or(unwritten) {
        Some(failure) => Err(failure),
        None => {
            let valid = records.iter().flatten().all(|record| holds(record, globals.strict));
            Ok(Status::of_measurement(printed && verified && saved && valid).or_of(&judged))
        }
    }
}

/// Keeps in the record of a job that is alone what makes it again, without permission to destroy data.
fn keep_line(jobs: &[Job], records: &mut [Vec<RunRecord>]) {
    if let (1, [of_job]) = (jobs.len(), records)
        && let [record] = of_job.as_mut_slice()
    {
        record.command = Some(format!("fathom {}", job_expansion::command_line(jobs)));
    }
}

/// Runs the stages, with reports meanwhile where they are wanted; what came of it, and a log that could not be written.
fn run_stages(
    (jobs, mapped, stages): (&[Job], &[MappedJob], &[map::Stage]),
    globals: &Globals,
    (destination, places): (&result_delivery::Destination, &Places),
    screen: &mut Screen,
    stop: &AtomicBool,
) -> (ToolCommandOutcome, Option<Failure>) {
    let mut unwritten = None;
    let mut write_log = |name: &str, run: &RunPlan, log: IoLog| {
        unwritten = iolog_file::write(places, name, run, log).err();
        if unwritten.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let printer = status_printer::Printer::new((jobs, mapped), globals, destination);
    let show = |counted: &[Vec<&CountedRun>]| printer.print(counted);
    let every = globals.status_interval_ns.map(Duration::from_nanos);
    let reports = every.map(|every| StatusReports::new(every, &show));
    let all = CommandStages::new(mapped, globals).with_status(reports.as_ref());
    let outcome = all.run(stages, &mut write_log, screen, stop);
    (outcome, unwritten)
}

/// Says of jobs that are only read what would not be as fio does it.
fn only_read(mapped: &[MappedJob], differences: &[String]) -> Result<Status, Failure> {
    tell_absent_devices(mapped);
    let lines: String = differences.iter().map(|words| format!("{words}\n")).collect();
    output::result(&lines)?;
    Ok(Status::Done)
}

/// Progress on a terminal, as fio's; harnesses expect nothing but failures where there is none.
fn screen(globals: &Globals) -> Screen {
    let shown = output::can_redraw() || globals.eta_always;
    Screen::new(!shown || globals.quiet || globals.wanted().json_plus, None)
}

/// Whether a run ends as fio's that ended well: it came to its end, no I/O failed, and what was verified held. Other
/// self-checks stand in the results, and count where they are to be `strict`.
fn holds(record: &RunRecord, strict: bool) -> bool {
    let is_of_fio = |check: &Check| matches!(check.name, CheckName::Errors | CheckName::Verification);
    match strict {
        true => record.is_valid(),
        false => record.ending == RunEnding::Complete && !record.failed_checks().any(is_of_fio),
    }
}

/// What fathom itself runs of the jobs.
fn workloads(mapped: &[MappedJob]) -> Vec<&Workload> {
    let runs = mapped.iter().filter_map(|job| match &job.doer {
        Executor::Fathom(runs) => Some(runs.iter().map(|run| &run.workload)),
        Executor::Burner(_) | Executor::Fio(_) => None,
    });
    runs.flatten().collect()
}

fn refused(refusal: Refusal) -> Failure {
    let place = if refusal.place.is_empty() { refusal.kind.expected.into_owned() } else { refusal.place };
    Failure::usage(place, refusal.cause, refusal.remedy)
}

fn read(invocation: &Invocation) -> Result<Vec<Job>, Failure> {
    let files =
        invocation.files.iter().map(|name| job_environment::job_file(name)).collect::<Result<Vec<_>, _>>()?;
    let variables = job_environment::variables();
    job_expansion::jobs(invocation, &files, &variables, &mut job_environment::included).map_err(refused)
}

fn map_all(jobs: &[Job]) -> Result<Vec<MappedJob>, Failure> {
    let around = JobContext {
        target_bytes: &job_environment::target_bytes,
        log: &job_environment::log,
        new_seed: new_seed(),
    };
    let mut mapped =
        jobs.iter().map(|job| map::map(job, &around).map_err(refused)).collect::<Result<Vec<_>, _>>()?;
    map::spread_exitall(&mut mapped);
    Ok(mapped)
}

/// What will not be as fio does it: each sentence once, however many jobs it is about. It stands in the results and
/// not on stderr, where harnesses of fio expect nothing but failures.
fn differences(globals: &Globals, mapped: &[MappedJob]) -> Vec<String> {
    let mut told = BTreeSet::new();
    let of_jobs = mapped.iter().flat_map(|mapped| &mapped.warnings);
    globals.warnings.iter().chain(of_jobs).filter(|words| told.insert(*words)).cloned().collect()
}

fn refuse_what_is_fios(globals: &Globals, mapped: &[MappedJob]) -> Result<(), Failure> {
    let mut reasons: Vec<String> = globals.reasons.clone();
    for job in mapped {
        if let Executor::Fio(of_job) = &job.doer {
            reasons.extend(of_job.iter().map(|reason| format!("[{}] {reason}", job.name)));
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let cause = format!("fathom does not run this itself:\n  - {}", reasons.join("\n  - "));
    let remedy = match globals.hand_over {
        Some(false) => "leave those options out",
        _ => "add --engine=fio to have the installed fio do it, or leave those options out",
    };
    Err(Failure::usage("fio command", cause, remedy))
}

/// Says of jobs that are only read which of them could not run here.
fn tell_absent_devices(mapped: &[MappedJob]) {
    for job in mapped {
        if let Some(name) = &job.absent_device {
            output::message(&format!(
                "[{}] {name}: no such device here, and the job would be refused",
                job.name
            ));
        }
    }
}

fn refuse_absent_devices(mapped: &[MappedJob]) -> Result<(), Failure> {
    let Some((name, job)) = mapped.iter().find_map(|job| Some((job.absent_device.as_ref()?, job))) else {
        return Ok(());
    };
    let error = EngineError::new(ErrorKind::NoSuchTarget, format!("[{}] {name}", job.name), "no such device");
    Err(error.with_remedy("`fathom devices` lists what is here").into())
}

fn refuse_writes(mapped: &[MappedJob]) -> Result<(), Failure> {
    let writes = |runs: &[RunPlan]| runs.iter().any(|run| run.workload.mix.changes_data());
    let writer = mapped.iter().find(|job| matches!(&job.doer, Executor::Fathom(runs) if writes(runs)));
    match writer {
        None => Ok(()),
        Some(job) => {
            let cause = format!("the job {} writes or trims", job.name);
            Err(Failure::usage("--readonly", cause, "leave --readonly out, or choose rw=read or randread"))
        }
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::CheckOutcome;

    use super::*;

    #[test]
    fn only_what_ends_fio_ends_a_job_badly_unless_it_is_strict() {
        let json = include_bytes!("../../../../store/tests/golden/run-1.json");
        let sound = fathom_record::parse_run(json).expect("the golden record is one");
        let failing = |name: CheckName| {
            let mut record = sound.clone();
            record.ending = RunEnding::Complete;
            record.checks.truncate(1);
            let check = record.checks.first_mut().expect("it has checks");
            (check.name, check.outcome) = (name, CheckOutcome::Fail);
            record
        };
        let lag = failing(CheckName::GeneratorLag);
        assert!(holds(&lag, false) && !holds(&lag, true));
        for name in [CheckName::Errors, CheckName::Verification] {
            assert!(!holds(&failing(name), false), "{name:?}");
        }
        let mut stopped = sound.clone();
        stopped.ending = RunEnding::Interrupted;
        assert!(!holds(&stopped, false));
    }
}
