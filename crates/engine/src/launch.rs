//! From a workload and an opened target to what was measured: the one place where engines are chosen
//! and stacked.

mod launcher;
#[cfg(target_os = "linux")]
mod priorities;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fathom_measure::WallClock;
use fathom_record::Workload;
use fathom_record::engine_list::{InFlight, NO_CONTENT, replay_refusal};
use fathom_record::options::Priorities;
use fathom_record::run_plan::RunOptions;
use fathom_record::workload::{Addresses, Arrival, ConstantContent, Verify as VerifyMode};

use crate::decorate::Stack;
use crate::engine_kinds::EngineKind;
use crate::job::crew::{self, CrewPlan, JobConduct};
use crate::job::file_passes::{AdvisedFiles, Passes};
use crate::job::job_extras::JobExtras;
use crate::job::pace::{Pace, Refill, Share};
use crate::job::spare_buffers::Spares;
use crate::job::wear_limit::WearLimit;
use crate::job::{JobPlan, Measurement, Observer, allowed_cpus};
use crate::pattern::{ArrivalPattern, Caps, DataPattern, Generator, Geometry, Script, Scripts};
use crate::precise_sleep::PreciseSleep;
use crate::priority;
use crate::stripe::{Shape, Volume};
use crate::tap::{Listeners, Tap};
use crate::verify::{Verify, VerifyReport, VerifyTable};
use crate::{Engine, EngineError, ErrorKind, free_memory, io_flags, memory_target, readback};
use fathom_sim::SimParameters;
use fathom_target::Handle;
use fathom_target::remote::Remote;
use fathom_target::wall::{self, Reach, Wall};

pub use launcher::Launcher;

/// What engines work on: one entry a target, in the order of [`JobPlan::target`].
#[derive(Clone, Debug)]
pub enum Medium {
    /// Files and devices, opened.
    Files(Vec<Arc<Handle>>),
    /// Files and devices, opened, as one target.
    Striped(Volume),
    /// The process's memory.
    Memory(Vec<memory_target::Store>),
    /// Namespaces on the network.
    Remote(Vec<Arc<Remote>>),
    /// Nothing, however many times.
    Null,
    /// Simulated devices.
    Simulated(Vec<SimParameters>),
}

/// Makes a job's engine, on the job's thread.
type Build<'a> = dyn Fn(&JobPlan) -> Result<Box<dyn Engine>, EngineError> + Sync + 'a;

/// One run, as it is handed to the engines.
#[derive(Debug)]
pub struct Launch<'a> {
    /// What to do; validated.
    pub workload: &'a Workload,
    /// Where addresses lie on each target: job j works on target j modulo their number. At least one,
    /// and no more than there are jobs; of a stripe, the one.
    pub geometries: &'a [Geometry],
    /// On what.
    pub medium: &'a Medium,
    /// Carried by what.
    pub engine: EngineKind,
    /// How: what of it is the engines' to do.
    pub options: &'a RunOptions,
    /// Share of each job among those of other runs at the same time; absent: none holds back for another.
    pub share: Option<&'a Share>,
    /// What writes are taken from; absent: as much as they like.
    pub wear: Option<&'a WearLimit>,
    /// The I/Os of each job, of a workload whose addresses are a trace's.
    pub scripts: Option<&'a Scripts>,
    /// Who hears of each I/O; on threads only, not in simulated time.
    pub listeners: Option<Listeners<'a>>,
    /// Priorities of I/Os; those of single I/Os on engines `aio` and `uring` without a stripe.
    pub priorities: Option<&'a Priorities>,
    /// How its jobs are led; the processors are those that were chosen, where the options name none.
    pub conduct: JobConduct<'a>,
    /// What stamps are read from.
    pub clock: WallClock,
    /// Tells this run's stamped blocks from those of any other.
    pub tag: u64,
}

/// What belongs to a job's target among one entry a target.
pub(crate) fn of<T: Clone>(plan: &JobPlan, each: &[T]) -> T {
    each[plan.target as usize].clone()
}

impl Launch<'_> {
    /// Whether the run takes place in simulated time.
    pub fn is_simulated_time(&self) -> bool {
        matches!(self.medium, Medium::Simulated(_)) && !self.options.real_time
    }

    /// Runs the workload. `observe` sees each second as it is complete.
    ///
    /// # Errors
    /// When an engine cannot be made or breaks. A target that fails is an ending, not an error.
    pub fn run(&self, observe: &mut Observer<'_>) -> Result<Measurement, EngineError> {
        self.require_scripts()?;
        self.refuse_buffers_beyond_memory()?;
        self.try_io_flags()?;
        if let Some(priorities) = self.priorities.filter(|priorities| !priorities.rules.is_empty()) {
            return self.prioritised(priorities, observe);
        }
        let mut measured = self.carried(observe)?;
        measured.engine.features.extend(self.priorities.map(Priorities::features).unwrap_or_default());
        Ok(measured)
    }

    fn carried(&self, observe: &mut Observer<'_>) -> Result<Measurement, EngineError> {
        let launcher = self.engine.launcher();
        let carried = match self.medium {
            Medium::Files(files) => launcher.and_then(|it| it.files).map(|run| run(self, files, observe)),
            Medium::Striped(volume) => {
                launcher.and_then(|it| it.striped).map(|run| run(self, volume, observe))
            }
            _ => launcher.and_then(|it| it.others).map(|run| run(self, observe)),
        };
        carried.unwrap_or_else(|| Err(self.does_not_carry()))
    }

    /// With a priority for each I/O.
    fn prioritised(
        &self,
        priorities: &Priorities,
        observe: &mut Observer<'_>,
    ) -> Result<Measurement, EngineError> {
        match (self.engine.launcher().and_then(|it| it.prioritised), self.medium) {
            (Some(run), Medium::Files(files)) => run(self, files, priorities, observe),
            _ => Err(self.does_not_carry()),
        }
    }

    /// That its entry promises what its folder does not do: a plan that asks for what neither has is refused before.
    pub(crate) fn does_not_carry(&self) -> EngineError {
        let place = format!("starting engine {}", self.engine.name());
        EngineError::new(ErrorKind::Plan, place, "it does not carry I/O to this kind of target")
    }

    /// What a stripe needs of its engine.
    pub(crate) fn shape_of(&self, volume: &Volume) -> Result<Shape, EngineError> {
        let block_bytes = self.geometries.first().map_or(1, |geometry| geometry.block_bytes);
        let flushes = self.workload.mix.flush_every_writes > 0;
        let sizes = (self.largest_io_bytes(), block_bytes);
        let shape = Shape::new(&volume.layout, self.workload.depth, sizes, flushes)?;
        Ok(shape.spared(self.spares().count))
    }

    /// Runs engines on threads. A bare engine has a loop of its own, into which it is compiled; whatever is put around
    /// one is called through a pointer and shares one loop among all engines.
    pub(crate) fn on_threads<E: Engine + 'static>(
        &self,
        build: impl Fn(&JobPlan) -> Result<E, EngineError> + Sync,
        observe: &mut Observer<'_>,
    ) -> Result<Measurement, EngineError> {
        let bare = self.listeners.is_none()
            && self.options.decorators.is_empty()
            && self.workload.data.verify == VerifyMode::Off;
        if bare {
            let build = |plan: &JobPlan| self.settled(plan, &build);
            return crew::run(self.crew_plan(), self.clock, build, |_: &E| None, observe);
        }
        self.on_shared_loop(build, observe)
    }

    /// Runs engines on threads, all of them on the shared loop: those whose own work for an I/O is far above calls through
    /// a pointer (benches/README.md). A loop of its own is 26 kB of the program.
    pub(crate) fn on_shared_loop<E: Engine + 'static>(
        &self,
        build: impl Fn(&JobPlan) -> Result<E, EngineError> + Sync,
        observe: &mut Observer<'_>,
    ) -> Result<Measurement, EngineError> {
        self.surrounded(&|plan: &JobPlan| Ok(Box::new(self.settled(plan, &build)?)), observe)
    }

    /// An engine made on its job's thread, with what the thread is told before: the engine's own have their maker's.
    fn settled<E>(
        &self,
        plan: &JobPlan,
        build: &impl Fn(&JobPlan) -> Result<E, EngineError>,
    ) -> Result<E, EngineError> {
        self.priorities.map_or(Ok(()), priority::settle_thread)?;
        build(plan)
    }

    /// Runs engines with what is put around them.
    fn surrounded(&self, build: &Build<'_>, observe: &mut Observer<'_>) -> Result<Measurement, EngineError> {
        let stack = Stack::new(&self.options.decorators, self.workload.seed, self.rest());
        let around = |plan: &JobPlan| {
            let engine = stack.around(build(plan)?, (plan.job, plan.buffers()), &self.clock);
            let Some(Listeners(listener)) = self.listeners else { return Ok(engine) };
            Ok(Box::new(Tap::new(engine, plan.buffers(), listener(plan))) as Box<dyn Engine>)
        };
        if self.workload.data.verify == VerifyMode::Off {
            return crew::run(self.crew_plan(), self.clock, around, |_| None, observe);
        }
        self.checked(&around, observe)
    }

    /// Runs engines on threads, with verification.
    fn checked(&self, build: &Build<'_>, observe: &mut Observer<'_>) -> Result<Measurement, EngineError> {
        self.refuse_verification()?;
        // A tag for each target: what was written to another one is then found out too.
        let table = |(geometry, place): (&Geometry, u64)| {
            VerifyTable::of(self.workload, geometry, self.tag.wrapping_add(place)).map(Arc::new)
        };
        let tables = self.geometries.iter().zip(0..).map(table).collect::<Result<Vec<_>, _>>()?;
        let largest = self.largest_io_bytes();
        let stacked = |plan: &JobPlan| Verify::new(build(plan)?, of(plan, &tables), plan.buffers(), largest);
        let found = |engine: &Verify<Box<dyn Engine>>| Some(engine.report().clone());
        let mut measured = crew::run(self.crew_plan(), self.clock, stacked, found, observe)?;
        if self.workload.data.verify == VerifyMode::AtEnd && measured.fatal.is_none() {
            // The first jobs have one target each.
            let (clock, stop, stacked) = (self.clock, self.conduct.stop, &stacked);
            for ((plan, table), job) in self.job_plans().into_iter().zip(&tables).zip(0..) {
                let found = Wall::around(&Reach::default())?.within(move || {
                    let mut engine = stacked(&plan)?;
                    let tally = readback::run(&mut engine, table, plan.depth, largest, clock, stop)?;
                    Ok((engine.report().clone(), tally))
                })??;
                let (found, tally) = found;
                measured.verified.get_or_insert_with(VerifyReport::default).merge(&found);
                measured.read_back.get_or_insert_default().merge(&tally);
                if let Some(account) = measured.accounts.get_mut(job) {
                    account.read_back = Some(tally);
                }
            }
        }
        Ok(measured)
    }

    fn refuse_buffers_beyond_memory(&self) -> Result<(), EngineError> {
        let each = u128::from(self.workload.depth) + u128::from(self.spares().count);
        let slots = u128::from(self.workload.jobs) * each;
        let bytes = slots * u128::from(self.largest_io_bytes());
        free_memory::check("allocating the jobs' I/O buffers", bytes, "use a smaller --depth, --jobs or --bs")
    }

    /// The same on all targets: the workload's.
    pub(crate) fn largest_io_bytes(&self) -> u32 {
        self.geometries.iter().map(|geometry| geometry.largest_io_bytes).max().unwrap_or(0)
    }

    /// Buffers of each job beyond its depth, on an engine whose I/Os are in flight while a job does something else.
    fn spares(&self) -> Spares {
        let special = self.workload.special.as_deref();
        // Buffers that keep their content are as many as there are I/Os in flight.
        let keeps = special.is_some_and(|special| special.content == Some(ConstantContent::Kept));
        let works_meanwhile = self.engine.entry().in_flight == InFlight::Depth;
        if keeps || !works_meanwhile || !matches!(self.medium, Medium::Files(_) | Medium::Striped(_)) {
            return Spares::default();
        }
        let mix = &self.workload.mix;
        let writes_bytes = if mix.write_share() > 0.0 { self.largest_io_bytes() } else { 0 };
        Spares::of(self.workload.depth, writes_bytes, mix.read_share > 0.0)
    }

    /// Nobody is to find out in the middle of a run that a target refuses every I/O.
    fn try_io_flags(&self) -> Result<(), EngineError> {
        if self.options.io_flags.is_empty() {
            return Ok(());
        }
        let writes = self.workload.mix.write_share() > 0.0;
        let (flags, wall) = (self.options.io_flags, Wall::around(&Reach::default())?);
        if let (Medium::Striped(Volume { files, layout }), [one]) = (self.medium, self.geometries) {
            let first = layout.span_on_members(one.span()).start;
            let bytes = u64::from(one.smallest_io_bytes).min(layout.chunk_bytes()) as u32;
            return wall.within(|| {
                files.iter().try_for_each(|file| io_flags::try_on(flags, file, (first, bytes), writes))
            })?;
        }
        let Medium::Files(files) = self.medium else { return Ok(()) };
        let geometries = self.geometries;
        wall.within(|| {
            files.iter().zip(geometries).try_for_each(|(file, geometry)| {
                io_flags::try_on(flags, file, (geometry.first_byte, geometry.smallest_io_bytes), writes)
            })
        })?
    }

    /// A trace is replayed by whoever reads it.
    fn require_scripts(&self) -> Result<(), EngineError> {
        match &self.workload.addresses {
            Addresses::Traced(traced) if self.scripts.is_none() => Err(replay_refusal(traced)),
            _ => Ok(()),
        }
    }

    pub(crate) fn refuse_verification(&self) -> Result<(), EngineError> {
        let entry = self.engine.entry();
        if self.workload.data.verify == VerifyMode::Off || entry.keeps_content {
            return Ok(());
        }
        let place = format!("starting engine {}", entry.name);
        Err(EngineError::new(ErrorKind::Plan, place, NO_CONTENT.cause).with_remedy(NO_CONTENT.remedy))
    }

    pub(crate) fn crew_plan(&self) -> CrewPlan<'_> {
        let pauses = match self.workload.arrival {
            Arrival::Pausing { after_operations, pause_ns } => Some((after_operations, pause_ns)),
            _ => None,
        };
        let refill_at = self.workload.special.as_deref().and_then(|special| special.refill_at);
        let refill = refill_at.map(|at| Refill::new(self.workload.depth, at));
        let mut jobs = self.job_plans();
        for job in &mut jobs {
            job.pace = Pace::new(pauses, self.share.cloned(), refill);
            job.aside = self.aside(job);
        }
        CrewPlan {
            jobs,
            length: &self.workload.length,
            open: self.workload.arrival.is_open(),
            punctual: self.options.real_time || !self.options.decorators.is_empty(),
            reach: self.reach(),
            conduct: self.conduct.clone(),
        }
    }

    /// What a job does at each I/O besides.
    fn aside(&self, job: &JobPlan) -> Option<Box<JobExtras>> {
        let workload = self.workload;
        let special = workload.special.as_deref();
        let advice = special.and_then(|special| special.cache);
        let caps = Caps::of(&workload.arrival, (job.job, workload.jobs), workload.seed);
        let aside = JobExtras {
            caps,
            passes: advice.and_then(|advice| Passes::of(&advice, self.advised(job.target)?)),
            flush_at_end: special.is_some_and(|special| special.flush_at_end),
            batch: special.and_then(|special| special.batch),
            wear: self.wear.filter(|_| workload.mix.write_share() > 0.0).cloned(),
        };
        aside.boxed()
    }

    /// The files of a target, with the part of each that is used.
    fn advised(&self, target: u32) -> Option<AdvisedFiles> {
        match self.medium {
            Medium::Files(files) => {
                let file = Arc::clone(&files[target as usize]);
                Some(AdvisedFiles { files: vec![file], span: self.geometries[target as usize].span() })
            }
            Medium::Striped(Volume { files, layout }) => {
                let turns = self.workload.special.as_deref().and_then(|special| special.files);
                let span = match turns {
                    Some(turns) => turns.offset_bytes..turns.file_bytes,
                    None => layout.span_on_members(self.geometries[0].span()),
                };
                Some(AdvisedFiles { files: files.clone(), span })
            }
            _ => None,
        }
    }

    /// Tells the kernel of the pass that begins with the run: before what the page cache holds is looked at.
    pub fn begin_passes(&self) {
        let Some(advice) = self.workload.special.as_deref().and_then(|special| special.cache) else { return };
        let advised = |target| self.advised(target as u32).into_iter();
        (0..self.geometries.len()).flat_map(advised).for_each(|advised| advised.begin(&advice));
    }

    /// Engines of names work below the open folder. All else is done through descriptors that are open.
    fn reach(&self) -> Reach {
        match self.medium {
            Medium::Files(folders) if self.engine.entry().names_alone => Reach {
                below: folders.iter().map(|folder| wall::path_of(folder)).collect(),
                ..Reach::default()
            },
            _ => Reach::default(),
        }
    }

    /// How jobs wait for moments of their own. Where the processors are not told, there may be none to spare.
    fn rest(&self) -> PreciseSleep {
        let allowed = allowed_cpus().map_or(1, |cpus| cpus.len());
        let bound_to = self.conduct.cpus.iter().collect::<BTreeSet<_>>().len();
        PreciseSleep::of(self.workload.jobs as usize, bound_to, allowed)
    }

    fn job_plans(&self) -> Vec<JobPlan> {
        let workload = self.workload;
        let (jobs, seed) = (workload.jobs, workload.seed);
        let targets = self.geometries.len() as u32;
        let cursors: Vec<_> = self.geometries.iter().map(|_| Arc::new(AtomicU64::new(0))).collect();
        let drawn = |job: u32| {
            let target = job % targets;
            let (geometry, cursor) = (&self.geometries[target as usize], &cursors[target as usize]);
            let sharing = jobs / targets + u32::from(target < jobs % targets);
            let generator = Generator::among(workload, geometry, job, (job / targets, sharing), cursor);
            let open = workload.arrival.is_open();
            (generator, open.then(|| ArrivalPattern::new(&workload.arrival, (job, jobs), seed)))
        };
        let written = |job: u32| {
            let Script { starts, drafts } = self.scripts?.take(job)?;
            let geometry = &self.geometries[(job % targets) as usize];
            let generator = Generator::written(workload, geometry, job, drafts);
            Some((generator, starts.map(ArrivalPattern::written)))
        };
        let share = |total: Option<u64>, job: u32| {
            total.map_or(u64::MAX, |total| {
                total / u64::from(jobs) + u64::from(u64::from(job) < total % u64::from(jobs))
            })
        };
        let content = workload.special.as_deref().and_then(|special| special.content.as_ref());
        let plan = |job: u32| {
            let (generator, arrival) = written(job).unwrap_or_else(|| drawn(job));
            JobPlan {
                job,
                target: job % targets,
                depth: workload.depth,
                spares: self.spares(),
                generator,
                arrival,
                pace: None,
                aside: None,
                data: DataPattern::new(&workload.data, seed, job).with(content),
                operations: share(workload.length.operations, job),
                bytes: share(workload.length.bytes, job),
                counts_process: job == 0,
            }
        };
        (0..jobs).map(plan).collect()
    }
}
