//! From one of fio's jobs to runs of fathom, or to the reasons for which the installed fio has to do it.
//!
//! Nothing is dropped in silence: an option that changes nothing here is accepted by its table, one that
//! changes something else than the I/O is left out with a warning, and one that changes the I/O is a reason.

mod block_sizes;
mod buffer_contents;
mod burner;
mod clone_rates;
mod coupling;
mod direction;
mod file_regions;
mod iolog_replay;
mod length;
mod name_jobs;
#[cfg_attr(not(windows), path = "native_elsewhere.rs")]
#[cfg_attr(windows, path = "native_windows.rs")]
mod native;
mod offset_distribution;
mod priority_options;
mod reporting_options;
mod result_options;
mod settings;
mod special_options;
mod stages;

pub use burner::Burner;
pub use coupling::{ExitScope, spread_exitall};
pub use file_regions::is_of_a_device;
pub(crate) use file_regions::{files, named_files, split_names};
pub use reporting_options::{Log, LogKind, LogValue, PERCENTILES, ReportSettings};
pub(crate) use result_options::ask;
pub(crate) use settings::is_direct;
pub use stages::{Stage, stages};

use fathom_record::Workload;
use fathom_record::engine_list::{EngineEntry, EngineRequirement};
use fathom_record::facts::TargetKind;
use fathom_record::options::{FlowShare, Priorities};
use fathom_record::run_plan::RunPlan;
use fathom_record::workload::{Addresses, Data, Mix, Sizes, SizesByDirection, Verify};

use crate::Refusal;
use crate::fio::read_iolog::IoLogFacts;

use super::fio_job::{Job, JobOption};
use super::option_tables::{self, Class, EngineRow};
use super::value::KiloBase;
use file_regions::Place;

/// What is known of the machine around a job.
pub struct JobContext<'a> {
    /// Bytes of a file or device that exists, by its name.
    pub target_bytes: &'a dyn Fn(&str) -> Option<u64>,
    /// What a log of I/Os holds, by its name; absent where it is no log of fio's.
    pub log: &'a dyn Fn(&str) -> Result<Option<IoLogFacts>, Refusal>,
    /// Seed of jobs that are not to repeat themselves.
    pub new_seed: u64,
}

/// Who does a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Executor {
    /// fathom, in these runs, which take place at the same time: some of its clones each, or all.
    Fathom(Vec<RunPlan>),
    /// fathom, without any I/O.
    Burner(Burner),
    /// The installed fio, for these reasons.
    Fio(Vec<String>),
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedJob {
    /// Its name.
    pub name: String,
    /// How many clones of it run.
    pub clones: u32,
    /// Who does it.
    pub doer: Executor,
    /// What is left out, with what changes, one sentence each.
    pub warnings: Vec<String>,
    /// What its results look like.
    pub reporting: ReportSettings,
    /// Nanoseconds after its group's start at which it begins.
    pub start_after_ns: u64,
    /// The job before whose end it does not begin.
    pub waits_for: Option<String>,
    /// Whether it asks that jobs end with one another; see [`spread_exitall`].
    pub exitall: bool,
    /// Whom it ends when it ends.
    pub ends: ExitScope,
    /// Its share of the I/Os of several jobs.
    pub flow: Option<FlowShare>,
    /// The file that takes the sequence of its I/Os.
    pub iolog: Option<String>,
    /// What priorities its I/Os have.
    pub priorities: Option<Priorities>,
    /// A device that it names and that is not there: nothing can be run.
    pub absent_device: Option<String>,
}

/// Maps one job.
///
/// # Errors
/// With the option whose value makes no sense.
pub fn map(job: &Job, around: &JobContext<'_>) -> Result<MappedJob, Refusal> {
    let mut mapper = Mapper::new(job, around)?;
    mapper.by_class();
    let clones = mapper.clones()?;
    let own = mapper.own(clones)?;
    let (ends, flow, iolog) = (mapper.ends()?, mapper.flow()?, mapper.iolog(clones));
    let priorities = mapper.priorities()?;
    let reporting = reporting_options::reporting(job, &mut mapper.warnings)?;
    let doer = match mapper.reasons {
        reasons if reasons.is_empty() => own,
        reasons => Executor::Fio(reasons),
    };
    Ok(MappedJob {
        name: job.name.clone(),
        clones,
        doer,
        warnings: mapper.warnings,
        reporting,
        start_after_ns: length::start_after_ns(job)?,
        waits_for: job.text("wait_for").map(str::to_owned),
        exitall: job.flag("exitall", false)?,
        ends,
        flow,
        iolog,
        priorities,
        absent_device: mapper.absent_device,
    })
}

/// fio looks a large block up in its map as if it was a small one.
const MAP_ENDS_EARLY: &str = "I/Os of different sizes with the random map: each pass moves all of the size; fio 3.33 ends \
                              it early, where its map of the smaller blocks names a place beyond the end";

/// fio's engine where a job names none.
const DEFAULT_ENGINE: &str = "psync";

struct Mapper<'a> {
    job: &'a Job,
    around: &'a JobContext<'a>,
    kilo: KiloBase,
    /// The engine's row; none for an engine that no version of fio is known to have.
    engine: Option<&'static EngineRow>,
    reasons: Vec<String>,
    warnings: Vec<String>,
    absent_device: Option<String>,
    /// Whether fio did the job already, on a target that is not here.
    is_done: bool,
}

impl<'a> Mapper<'a> {
    fn new(job: &'a Job, around: &'a JobContext<'a>) -> Result<Self, Refusal> {
        let name = job.text("ioengine").unwrap_or(DEFAULT_ENGINE);
        let engine = option_tables::engine(name);
        let reasons = match engine {
            None => vec![format!("ioengine={name}: fathom knows no such engine")],
            Some(EngineRow { fathom: None, words, .. }) => vec![format!("ioengine={name}: {words}")],
            Some(_) => Vec::new(),
        };
        let kilo = job.kilo_base()?;
        let (warnings, absent_device, is_done) = (Vec::new(), None, false);
        Ok(Self { job, around, kilo, engine, reasons, warnings, absent_device, is_done })
    }

    /// The entry of fathom's engine for the job; none where fio has to do it.
    fn entry(&self) -> Option<&'static EngineEntry> {
        self.engine.and_then(EngineRow::entry)
    }

    /// Whether its I/O goes nowhere.
    fn is_null(&self) -> bool {
        self.entry().is_some_and(|entry| entry.carries(TargetKind::Null))
    }

    /// Sorts the options by what the tables say of them.
    fn by_class(&mut self) {
        for given in &self.job.options {
            let last = self.job.last(given.row.name) == Some(given);
            if last && !given.unset.is_empty() {
                let (name, unset) = (given.row.name, given.unset.join(", "));
                self.warnings.push(format!(
                    "{name}={}: variables that are not set stand for nothing, as in fio: {unset}",
                    given.text()
                ));
            }
            if !last || !given.matters() || !self.concerns(given) {
                continue;
            }
            let said = match &given.value {
                Some(value) => format!("{}={value}: {}", given.row.name, given.row.words),
                None => format!("{}: {}", given.row.name, given.row.words),
            };
            match given.row.class {
                Class::Implement | Class::Map | Class::Accept => {}
                Class::Warn => self.warnings.push(said),
                Class::HandOver => self.reasons.push(said),
            }
        }
    }

    /// Whether an option is of every job or of this job's engine.
    fn concerns(&self, given: &JobOption) -> bool {
        let engine = self.engine.map(|row| row.name);
        given.row.engines.is_empty() || engine.is_some_and(|name| given.row.engines.contains(&name))
    }

    /// Says why fio has to do the job.
    fn hand_over(&mut self, reason: impl Into<String>) {
        self.reasons.push(reason.into());
    }

    fn warn(&mut self, words: impl Into<String>) {
        self.warnings.push(words.into());
    }

    fn clones(&mut self) -> Result<u32, Refusal> {
        const MOST: u64 = 1024;
        let clones = self.job.int("numjobs")?.unwrap_or(1).max(1);
        if clones > MOST {
            self.hand_over(format!("numjobs={clones}: fathom runs at most {MOST} jobs"));
        }
        Ok(clones.min(MOST) as u32)
    }

    fn own(&mut self, clones: u32) -> Result<Executor, Refusal> {
        if self.is_burner() {
            return Ok(Executor::Burner(self.burner(clones)?));
        }
        Ok(Executor::Fathom(self.native(clones)?))
    }

    fn native(&mut self, clones: u32) -> Result<Vec<RunPlan>, Refusal> {
        if self.is_of_names() {
            return self.names(clones);
        }
        let job = self.job;
        if let Some(given) = job.last("read_iolog").filter(|given| !given.text().is_empty()) {
            return self.replay(given, clones);
        }
        let kind = self.kind()?;
        let mix = self.mix(&kind)?;
        let sizes = self.sizes(&kind)?;
        let (engine, options) = self.settings(&mix)?;
        let depth = self.depth()?;
        let addresses = self.addresses(&kind, &sizes)?;
        let arrival = self.arrival(&mix, &sizes, depth)?;
        let data = self.data(&mix)?;
        let place = self.place(clones)?;
        self.refuse_what_is_not_there(&place)?;
        let alike = match extremes(&mix, &sizes) {
            (smallest, largest) if smallest == largest => Some(largest),
            _ => None,
        };
        let region = self.region(&place)?.of_whole_ios(alike, &addresses).ending_as(&kind, alike);
        let length = self.length(&region, &kind)?;
        let alignment_bytes = self.alignment(&kind, &sizes)?;
        let known = special_options::JobShape {
            kind: &kind,
            mix: &mix,
            sizes: &sizes,
            addresses: &addresses,
            place: &place,
            region: &region,
            depth,
            alignment_bytes,
        };
        let special = self.special(&known)?;
        self.note_uncut_sizes(alike, &sizes, &addresses);
        self.note_trims(&mix, &place)?;
        self.note_new_files(&mix, &place)?;
        self.note_reading_back(&data, &place, clones)?;
        let workload = Workload {
            mix,
            addresses,
            offset_bytes: region.offset_bytes,
            span_bytes: region.span_bytes,
            alignment_bytes,
            sizes,
            data,
            arrival,
            jobs: 1,
            depth,
            length,
            seed: self.seed()?,
            special,
        };
        self.refuse_what_an_engine_lacks(&workload.mix);
        self.refuse_what_cannot_run(&workload);
        let one = RunPlan { targets: Vec::new(), engine, workload, options };
        Ok(self.spread(one, &place, &region, clones))
    }

    /// fio's map of blocks cuts I/Os short at blocks that had their turn, and counts in the smallest ones.
    fn note_uncut_sizes(&mut self, alike: Option<u64>, sizes: &SizesByDirection, addresses: &Addresses) {
        if alike.is_some() || *addresses != Addresses::RandomCycle {
            return;
        }
        let fixed = |sizes: &Sizes| matches!(sizes, Sizes::Fixed { .. });
        if fixed(&sizes.read) && fixed(&sizes.write) && fixed(&sizes.trim) {
            self.warn(MAP_ENDS_EARLY);
        } else {
            self.warn(
                "I/Os of several sizes with the random map: each has the size that was drawn, where fio cuts it short \
                 at blocks that were used already; fio's are smaller on average, and more",
            );
        }
    }

    /// fio reads back after each loop, and each clone what it wrote.
    fn note_reading_back(&mut self, data: &Data, place: &Place, clones: u32) -> Result<(), Refusal> {
        if data.verify != Verify::AtEnd {
            return Ok(());
        }
        if clones > 1 && place.files.len() == 1 {
            self.warn(
                "verify by clones on one file: it is read back once, when all have ended; fio's clones check while others \
                 write, and fail with error 84 where they find one another's blocks",
            );
        }
        if self.job.int("loops")?.unwrap_or(1) > 1 {
            self.warn("verify with loops: what was written is read back once, after the last one");
        }
        Ok(())
    }

    /// What a job only writes, fio makes without data.
    fn note_new_files(&mut self, mix: &Mix, place: &Place) -> Result<(), Refusal> {
        let is_new = |name: &String| !is_of_a_device(name) && (self.around.target_bytes)(name).is_none();
        let is_made = !place.is_null && place.files.iter().flatten().any(is_new);
        if is_made && has_writes(mix) && !has_reads(mix) && !self.job.flag("overwrite", false)? {
            self.warn(
                "new files: they are written throughout before the run, as with overwrite=1, so that writes go over blocks \
                 that are there; fio leaves the blocks of a file that is only written to the writes",
            );
        }
        Ok(())
    }

    /// fio opens what it trims without the flags of direct and durable writes, and trims no file.
    fn note_trims(&mut self, mix: &Mix, place: &Place) -> Result<(), Refusal> {
        if mix.trim_share <= 0.0 || place.is_null {
            return Ok(());
        }
        if has_writes(mix) && self.is_direct()? {
            self.warn(
                "direct=1 with trims: the writes go past the page cache, where fio 3.33 leaves O_DIRECT out for a job that \
                 trims",
            );
        }
        if place.files.iter().flatten().any(|name| !is_of_a_device(name)) {
            self.warn(
                "trims of a file: they punch holes into it, where fio 3.33 fails with error 25, as it trims block devices \
                 alone",
            );
        }
        Ok(())
    }

    /// Directions that calls about space and lengths have no place for.
    fn refuse_what_an_engine_lacks(&mut self, mix: &Mix) {
        let Some(entry) = self.entry() else { return };
        if !entry.takes(EngineRequirement::ReadsAlone) && !mix.changes_data() {
            self.hand_over(format!(
                "ioengine={} with reads alone: they give space too, and what is only read is not opened for that",
                entry.name
            ));
        }
        if !entry.takes(EngineRequirement::Reads) && (mix.read_share > 0.0 || mix.trim_share > 0.0) {
            self.hand_over(format!(
                "ioengine={} with reads or trims: lengths are set by writes alone, in fio too",
                entry.name
            ));
        }
    }

    /// What fathom's own rules of a workload refuse, as an odd size, is fio's to do.
    fn refuse_what_cannot_run(&mut self, workload: &Workload) {
        if let Err(error) = workload.validate() {
            self.hand_over(format!("fathom does not run it ({}: {})", error.place, error.cause));
        }
    }

    /// The same choices in every run, unless the job says otherwise.
    fn seed(&mut self) -> Result<u64, Refusal> {
        /// fio's own default.
        const REPEATED: u64 = 0x89;
        let repeats = self.job.flag("randrepeat", true)? || self.job.flag("allrandrepeat", false)?;
        Ok(match self.job.int("randseed")? {
            Some(seed) => seed,
            None if repeats => REPEATED,
            None => self.around.new_seed,
        })
    }
}

/// Directions that a mix has.
fn has_reads(mix: &Mix) -> bool {
    mix.read_share > 0.0
}

fn has_writes(mix: &Mix) -> bool {
    mix.write_share() > 0.0
}

/// Largest and smallest size over the directions of a mix.
fn extremes(mix: &Mix, sizes: &SizesByDirection) -> (u64, u64) {
    let used =
        [(has_reads(mix), &sizes.read), (has_writes(mix), &sizes.write), (mix.trim_share > 0.0, &sizes.trim)];
    let used = || used.iter().filter(|(used, _)| *used).map(|(_, sizes)| sizes);
    let smallest = used().map(|sizes| sizes.min_bytes()).min().unwrap_or(0);
    (smallest, used().map(|sizes| sizes.max_bytes()).max().unwrap_or(0))
}

#[cfg(test)]
mod tests;
