//! The jobs of a fio command, stage after stage: the targets of a stage opened once, its jobs at the same time.

mod burner_threads;
mod clone_counts;
mod stage_dependencies;
mod status_reports;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_engine::{EngineError, ErrorKind};
use fathom_plan::{RunOptions, RunPlan, TargetUse};
use fathom_record::RunRecord;
use fathom_record::engine_list;
use fathom_record::facts::TargetKind;
use fathom_record::workload::AccessHint;
use fathom_tools::fio::cmdline::Globals;
use fathom_tools::fio::map::{Executor, ExitScope, LogKind, MappedJob, Stage};

use crate::error::CampaignError;
use crate::progress::Progress;
use crate::single_run::{IoLog, Particulars, Session, SessionPlan, run_together};
use burner_threads::Burners;
use stage_dependencies::parts;
use status_reports::RunningJob;

pub use clone_counts::{CountedClone, CountedRun};
pub use status_reports::{StatusCallback, StatusReports};

/// Takes the log of a run's I/Os, by the name that its job gives it; `Break` ends the command.
pub type WriteLog<'a> = dyn FnMut(&str, &RunPlan, IoLog) -> ControlFlow<()> + 'a;

/// The stages of a command.
#[derive(Debug)]
pub struct CommandStages<'a> {
    mapped: &'a [MappedJob],
    globals: &'a Globals,
    /// What is shown while jobs run, where it is wanted.
    status: Option<&'a StatusReports<'a>>,
    /// Files that this command made: what comes later may write them.
    made: BTreeSet<String>,
}

/// What came of a command.
#[derive(Debug)]
pub struct ToolCommandOutcome {
    /// Records by job.
    pub records: Vec<Vec<RunRecord>>,
    /// The same as fio counts them.
    pub counted: Vec<Vec<CountedRun>>,
    /// What people are told of the runs, a sentence each.
    pub remarks: Vec<String>,
    /// What ended the command.
    pub failure: Option<CampaignError>,
}

/// What came of a stage: each run with its job's place among all, and whether a log of them ends the command.
struct StageResult {
    runs: Vec<(usize, RunRecord, CountedRun)>,
    remarks: Vec<String>,
    flow: ControlFlow<()>,
}

/// Runs of a stage that open the same targets in the same way, and for each run which of these sets it is in.
fn openings<'a>(runs: &[(usize, &'a RunPlan)]) -> (Vec<Vec<&'a RunPlan>>, Vec<usize>) {
    let mut openings: Vec<Vec<&RunPlan>> = Vec::new();
    let mut opening_of = Vec::new();
    for (_, run) in runs {
        // What the kernel is told of an open file holds for all that use it.
        let same = |opening: &Vec<&RunPlan>| {
            opening[0].goes_about_it_like(run) && hint_of(opening[0]) == hint_of(run)
        };
        let known = openings.iter().position(same);
        opening_of.push(known.unwrap_or(openings.len()));
        match known {
            Some(place) => openings[place].push(run),
            None => openings.push(vec![run]),
        }
    }
    (openings, opening_of)
}

fn hint_of(run: &RunPlan) -> Option<AccessHint> {
    run.workload.special.as_deref()?.cache?.hint
}

impl<'a> CommandStages<'a> {
    /// Of these jobs, with what the command says of targets.
    pub fn new(mapped: &'a [MappedJob], globals: &'a Globals) -> Self {
        Self { mapped, globals, status: None, made: BTreeSet::new() }
    }

    /// The same with reports while they run.
    pub fn with_status(self, status: Option<&'a StatusReports<'a>>) -> Self {
        Self { status, ..self }
    }

    /// Runs all; the records are by job. A failure ends the command, with the records until then.
    pub fn run(
        mut self,
        stages: &[Stage],
        write_log: &mut WriteLog<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> ToolCommandOutcome {
        let mut outcome = ToolCommandOutcome {
            records: self.mapped.iter().map(|_| Vec::new()).collect(),
            counted: self.mapped.iter().map(|_| Vec::new()).collect(),
            remarks: Vec::new(),
            failure: None,
        };
        for stage in stages {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let mut flow = ControlFlow::Continue(());
            match self.stage(stage, &outcome.counted, write_log, progress, stop) {
                Ok(of_stage) => {
                    for (job, record, counted) in of_stage.runs {
                        outcome.records[job].push(record);
                        outcome.counted[job].push(counted);
                    }
                    outcome.remarks.extend(of_stage.remarks);
                    flow = of_stage.flow;
                }
                Err(failure) => outcome.failure = Some(failure),
            }
            if outcome.failure.is_some() || flow.is_break() {
                return outcome;
            }
            if stage.jobs.iter().any(|job| self.mapped[*job].ends == ExitScope::All) {
                break;
            }
        }
        outcome
    }

    fn stage(
        &mut self,
        stage: &Stage,
        before: &[Vec<CountedRun>],
        write_log: &mut WriteLog<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<StageResult, CampaignError> {
        let runs: Vec<(usize, &RunPlan)> = stage.jobs.iter().flat_map(|job| self.runs_of(*job)).collect();
        let (openings, opening_of) = openings(&runs);
        let mut sessions = Vec::new();
        for opening in &openings {
            sessions.push(self.open(opening, progress, stop)?);
        }
        let logs: Vec<Option<IoLog>> =
            runs.iter().map(|(job, ..)| self.mapped[*job].iolog.as_ref().map(|_| IoLog::default())).collect();
        let particulars: Vec<Particulars> = runs.iter().map(|(job, ..)| self.particulars(*job)).collect();
        let of_runs = || opening_of.iter().map(|place| &sessions[*place]);
        let parts = parts(self.mapped, &runs, of_runs(), &logs, &particulars);
        let running = running(&runs, of_runs(), &particulars);
        let burners = Burners::of(self.mapped, stage);
        let mut together =
            || if parts.is_empty() { Ok(Vec::new()) } else { run_together(&parts, progress, stop) };
        let io = || match self.status {
            Some(status) => status.beside(before, &running, together),
            None => together(),
        };
        let (records, burned) = burners.beside(stop, io);
        let mut remarks: Vec<String> = burned.iter().map(|burned| burned.summary()).collect();
        let mut records = records?;
        records.iter_mut().for_each(|record| record.notes.extend(burners.note()));
        let mut flow = ControlFlow::Continue(());
        for ((job, run), log) in runs.iter().zip(logs) {
            if let (Some(log), Some(name)) = (log, &self.mapped[*job].iolog)
                && write_log(name, run, log).is_break()
            {
                flow = ControlFlow::Break(());
            }
        }
        let mut of_stage = Vec::new();
        for (((job, ..), record), particulars) in runs.iter().zip(records).zip(particulars) {
            let counted = CountedRun::of(&record, particulars.finish());
            remarks.extend(remarks_on(&self.mapped[*job].name, &record.id, &counted));
            of_stage.push((*job, record, counted));
        }
        Ok(StageResult { runs: of_stage, remarks, flow })
    }

    /// What is wanted of the runs of a job beyond their records.
    fn particulars(&self, job: usize) -> Particulars {
        let logs = &self.mapped[job].reporting.logs;
        let latencies = logs.iter().any(|log| matches!(log.kind, LogKind::Latency | LogKind::Histogram));
        let particulars = Particulars::new(latencies, logs.iter().any(|log| !log.is_of_seconds()));
        if self.status.is_some() { particulars.shown() } else { particulars }
    }

    fn runs_of(&self, job: usize) -> impl Iterator<Item = (usize, &'a RunPlan)> + use<'a> {
        let runs = match &self.mapped[job].doer {
            Executor::Fathom(runs) => runs.as_slice(),
            Executor::Burner(_) | Executor::Fio(_) => &[],
        };
        runs.iter().map(move |run| (job, run))
    }

    fn open(
        &mut self,
        runs: &[&RunPlan],
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Session, CampaignError> {
        let run = runs[0];
        refuse_folders(run)?;
        let mut needs = TargetUse::of(runs.iter().map(|run| &run.workload));
        let shorter = needs.size_bytes.and_then(|needed| shorter_file(run, needed));
        if let (Some((name, ..)), true) = (shorter, self.globals.read_only) {
            let cause = format!("{name} is shorter than the job wants, and fio would make it longer");
            return Err(wrong("--readonly", cause, "use a smaller size"));
        }
        // A file that is made longer is changed, also by a job that reads.
        needs.writes |= shorter.is_some();
        let missing: Vec<&String> =
            run.targets.iter().filter(|target| !is_null(run) && !Path::new(target).exists()).collect();
        let options = RunOptions {
            permits: if needs.writes { self.permits(&run.targets) } else { Vec::new() },
            check_empty: self.globals.check_empty,
            // What is there already stays in any case.
            keep: run.options.keep && missing.len() == run.targets.len(),
            ..run.options.clone()
        };
        let plan = RunPlan { options, ..run.clone() };
        // A job of fio has the whole device.
        let plan = SessionPlan { needs, marks: false, literal: true, ..SessionPlan::of(&plan) };
        let session = Session::open(&plan, progress, stop).map_err(|error| with_reason(error, shorter))?;
        self.made.extend(missing.into_iter().cloned());
        Ok(session)
    }

    /// The words that concern these targets: of a file its name, of a device whatever was said that is no
    /// other target's name. What this command made itself may be written again.
    fn permits(&self, targets: &[String]) -> Vec<String> {
        let file_name =
            |target: &String| Path::new(target).file_name().map(|name| name.to_string_lossy().into_owned());
        let mut permits = Vec::new();
        for target in targets {
            let is_device = target.starts_with("/dev/");
            let named = |words: &&String| is_device || file_name(target).as_ref() == Some(*words);
            permits.extend(self.globals.destroy.iter().filter(named).cloned());
            if self.made.contains(target) {
                permits.extend(file_name(target));
            }
        }
        permits.sort();
        permits.dedup();
        permits
    }
}

/// What is shown of a stage's runs while they go on.
fn running<'a>(
    runs: &[(usize, &RunPlan)],
    sessions: impl Iterator<Item = &'a Session>,
    particulars: &[Particulars],
) -> Vec<RunningJob> {
    let all = runs.iter().zip(sessions).zip(particulars);
    all.filter_map(|(((job, run), session), particulars)| {
        let record = session.unfinished(&run.workload);
        Some(RunningJob { job: *job, record, live: particulars.live()? })
    })
    .collect()
}

/// Whether its targets are names of nothing.
fn is_null(run: &RunPlan) -> bool {
    let entry = run.engine.as_deref().and_then(engine_list::named);
    entry.is_some_and(|entry| entry.carries(TargetKind::Null))
}

/// A folder is no file, as fio has it; engines that work on names alone get the folder of theirs.
fn refuse_folders(run: &RunPlan) -> Result<(), CampaignError> {
    let entry = run.engine.as_deref().and_then(engine_list::named);
    if entry.is_some_and(|entry| entry.names_alone) {
        return Ok(());
    }
    match run.targets.iter().find(|target| Path::new(target).is_dir()) {
        None => Ok(()),
        Some(folder) => {
            let remedy = "name a file in it with filename=, or the folder with directory=";
            Err(wrong("fio job", format!("filename: {folder} is a folder"), remedy))
        }
    }
}

/// Something that was typed and makes no sense.
fn wrong(place: &str, cause: String, remedy: &str) -> CampaignError {
    EngineError::new(ErrorKind::Plan, place, cause).with_remedy(remedy).into()
}

/// A file that is there and shorter than what is wanted: its name, and both numbers of bytes. Of several that lie one
/// after the other each has its own part.
fn shorter_file(run: &RunPlan, needed: u64) -> Option<(&String, u64, u64)> {
    if is_null(run) {
        return None;
    }
    let needed = run.options.stripe_bytes.unwrap_or(needed);
    run.targets.iter().find_map(|target| {
        let meta = std::fs::metadata(target).ok().filter(std::fs::Metadata::is_file)?;
        (meta.len() < needed).then_some((target, meta.len(), needed))
    })
}

/// Why a file is to be written that the job perhaps only reads.
fn with_reason(failure: CampaignError, shorter: Option<(&String, u64, u64)>) -> CampaignError {
    let Some((name, there, needed)) = shorter else { return failure };
    let CampaignError::Engine(mut error) = failure else { return failure };
    let why =
        format!("{name} has {there} bytes, the job goes to byte {needed}, and fio would make it longer");
    error.cause = format!("{why}: {}", error.cause);
    error.into()
}

/// What a run's results have beyond its record, and what they lack.
fn remarks_on(job: &str, run: &str, counted: &CountedRun) -> Vec<String> {
    let mut remarks = Vec::new();
    if counted.beyond > 0 {
        remarks.push(format!(
            "[{job}] {} I/Os in flight at the end are counted, as in fio; the record {run} counts what ended within its \
             time",
            counted.beyond
        ));
    }
    if counted.lost > 0 {
        remarks.push(format!(
            "[{job}] the logs lack {} I/Os: there was no room left for them; log a shorter run, or means (log_avg_msec=1000)",
            counted.lost
        ));
    }
    remarks
}
