//! Runs stage after stage: the targets of a stage opened once, its jobs at the same time.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_campaign::{IoLog, Part, Progress, Session, SessionPlan, run_together};
use fathom_engine::decorate::Decorators;
use fathom_engine::priority::Priorities;
use fathom_engine::{Durable, IoFlags};
use fathom_interop::fio::cmdline::Globals;
use fathom_interop::fio::map::{Doer, Durability, Ends, Mapped, Run, Settings, Stage};
use fathom_record::RunRecord;

use super::beside::{self, Beside};
use super::burner::Burners;
use super::places::Places;
use crate::failure::Failure;
use crate::output;

/// The stages of a command.
pub struct Stages<'a> {
    mapped: &'a [Mapped],
    globals: &'a Globals,
    places: &'a Places,
    /// Files that this command made: what comes later may write them.
    made: BTreeSet<String>,
}

/// Records of a stage, each with its job's place among all; and what kept a log of them from its file.
type OfStage = (Vec<(usize, RunRecord)>, Option<Failure>);

/// Runs of a stage that open the same targets in the same way.
struct Opening<'a> {
    targets: &'a [String],
    stripe_bytes: Option<u64>,
    settings: &'a Settings,
    runs: Vec<&'a Run>,
}

impl<'a> Stages<'a> {
    /// Of these jobs, with what the command says of targets, and the places of the logs.
    pub fn new(mapped: &'a [Mapped], globals: &'a Globals, places: &'a Places) -> Self {
        Self { mapped, globals, places, made: BTreeSet::new() }
    }

    /// Runs all; the records are by job. A failure ends the command, with the records until then.
    pub fn run(
        mut self,
        stages: &[Stage],
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> (Vec<Vec<RunRecord>>, Option<Failure>) {
        let mut records: Vec<Vec<RunRecord>> = self.mapped.iter().map(|_| Vec::new()).collect();
        for stage in stages {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            match self.stage(stage, progress, stop) {
                Ok((of_stage, failure)) => {
                    of_stage.into_iter().for_each(|(job, record)| records[job].push(record));
                    if failure.is_some() {
                        return (records, failure);
                    }
                }
                Err(failure) => return (records, Some(failure)),
            }
            if stage.jobs.iter().any(|job| self.mapped[*job].ends == Ends::All) {
                break;
            }
        }
        (records, None)
    }

    fn stage(
        &mut self,
        stage: &Stage,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<OfStage, Failure> {
        let runs: Vec<(usize, &Run, &Settings)> =
            stage.jobs.iter().flat_map(|job| self.runs_of(*job)).collect();
        let mut openings: Vec<Opening<'_>> = Vec::new();
        let mut opening_of = Vec::new();
        for (_, run, settings) in &runs {
            let same = |opening: &Opening<'_>| {
                opening.targets == run.targets
                    && opening.stripe_bytes == run.stripe_bytes
                    && opening.settings == *settings
            };
            let place = openings.iter().position(same).unwrap_or_else(|| {
                openings.push(Opening {
                    targets: &run.targets,
                    stripe_bytes: run.stripe_bytes,
                    settings,
                    runs: Vec::new(),
                });
                openings.len() - 1
            });
            openings[place].runs.push(run);
            opening_of.push(place);
        }
        let mut sessions = Vec::new();
        for opening in &openings {
            sessions.push(self.open(opening, progress, stop)?);
        }
        let beside = Beside::of(self.mapped, &runs);
        let logs: Vec<Option<IoLog>> =
            runs.iter().map(|(job, ..)| self.mapped[*job].iolog.as_ref().map(|_| IoLog::default())).collect();
        let priorities: Vec<Option<Priorities>> = runs
            .iter()
            .map(|(job, ..)| self.mapped[*job].priorities.as_ref().map(beside::priorities))
            .collect();
        let parts: Vec<Part<'_>> = runs
            .iter()
            .enumerate()
            .map(|(place, (job, run, _))| Part {
                session: &sessions[opening_of[place]],
                workload: &run.workload,
                start_after_ns: self.mapped[*job].start_after_ns,
                waits_for: &beside.waits[place],
                ends: &beside.ends[place],
                share: beside.shares[place].as_ref(),
                log: logs[place].as_ref(),
                priorities: priorities[place].as_ref(),
            })
            .collect();
        let burners = Burners::of(self.mapped, stage);
        let io = || if parts.is_empty() { Ok(Vec::new()) } else { run_together(&parts, progress, stop) };
        let (records, burned) = burners.beside(stop, io);
        burned.iter().for_each(|burned| output::message(&burned.told()));
        let mut records = records?;
        records.iter_mut().for_each(|record| record.notes.extend(burners.note()));
        let mut failure = None;
        for ((job, run, _), log) in runs.iter().zip(logs) {
            if let (Some(log), Some(name)) = (log, &self.mapped[*job].iolog) {
                failure = beside::write_iolog(self.places, name, run, log).err().or(failure);
            }
        }
        Ok((runs.iter().map(|(job, ..)| *job).zip(records).collect(), failure))
    }

    fn runs_of(&self, job: usize) -> impl Iterator<Item = (usize, &'a Run, &'a Settings)> + use<'a> {
        let native = match &self.mapped[job].doer {
            Doer::Fathom(native) => Some(native),
            Doer::Burner(_) | Doer::Fio(_) => None,
        };
        native
            .into_iter()
            .flat_map(move |native| native.runs.iter().map(move |run| (job, run, &native.settings)))
    }

    fn open(
        &mut self,
        opening: &Opening<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Session, Failure> {
        let settings = opening.settings;
        let workloads = || opening.runs.iter().map(|run| &run.workload);
        let writes = workloads().any(|workload| workload.mix.changes_data());
        let ends: Option<Vec<u64>> = workloads()
            .map(|workload| Some(workload.span_bytes?.saturating_add(workload.offset_bytes)))
            .collect();
        let permits = if writes { self.permits(opening.targets) } else { Vec::new() };
        let io_flags = match settings.io_flags.as_slice() {
            [] => IoFlags::default(),
            flags => {
                IoFlags::parse(&flags.join(",")).map_err(|cause| Failure::usage("fio job", cause, ""))?
            }
        };
        let missing: Vec<&String> = opening
            .targets
            .iter()
            .filter(|target| settings.engine != Some("null") && !Path::new(target).exists())
            .collect();
        let decorators = Decorators::default();
        let plan = SessionPlan {
            targets: opening.targets,
            engine: settings.engine,
            reads: workloads().any(|workload| workload.mix.read_share > 0.0),
            writes,
            direct: settings.direct,
            size_bytes: ends.and_then(|ends| ends.into_iter().max()),
            stripe_bytes: opening.stripe_bytes,
            permits: &permits,
            check_empty: self.globals.check_empty,
            devices: None,
            // A job of fio has the whole device.
            marks: false,
            // What is there already stays in any case.
            keep: settings.keep && missing.len() == opening.targets.len(),
            real_time: false,
            polled: settings.polled,
            witness: None,
            durable: settings.durable.map(|durable| match durable {
                Durability::Data => Durable::Data,
                Durability::All => Durable::All,
            }),
            io_flags,
            // fio binds nothing unless it is told to.
            cpus: Some(&settings.cpus),
            decorators: &decorators,
            seed: opening.runs.first().map_or(0, |run| run.workload.seed),
        };
        let session = Session::open(&plan, progress, stop)?;
        if settings.invalidate {
            session.empty_cache()?;
        }
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
