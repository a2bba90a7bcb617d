//! Targets held open for one run or many: found, admitted, laid out and described once.

use std::collections::BTreeSet;
use std::net::SocketAddrV4;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fathom_engine::engine_kinds::{self, EngineKind};
use fathom_engine::job::crew::{Gate, JobConduct};
use fathom_engine::job::pace::Share;
use fathom_engine::job::tally::Tally;
use fathom_engine::job::{Accounts, JobPlan, Measurement, allowed_cpus};
use fathom_engine::launch::{Launch, Medium};
use fathom_engine::pattern::Geometry;
use fathom_engine::stripe::Volume;
use fathom_engine::tap::{Listener, Listeners};
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::WallClock;
use fathom_measure::clock::ClockFacts;
use fathom_record::engine_list;
use fathom_record::environment_facts::{Environment, Fact};
use fathom_record::facts::{EngineFeature, TargetFacts, TargetKind};
use fathom_record::options::{Decorators, Priorities};
use fathom_record::run_record::CampaignLink;
use fathom_record::telemetry::{AbsentSource, Telemetry};
use fathom_record::{KnownCeiling, RunRecord, Workload};
use fathom_sim::SimParameters;
use fathom_target::{Origin, TargetName, durability, generic_of, wall};
use fathom_telemetry::blocktrace::Witness;
use fathom_telemetry::{Sampler, SamplerPlan, environment};

use super::binding;
use super::cautions;
use super::child_handle::Handle;
use super::fitness::{check_engine, check_flags, check_processors, check_workload};
use super::io_log::IoLog;
use super::neighbours::Neighbours;
use super::particulars::Particulars;
use super::record_assembly::{RecordParts, assemble, this_tool};
use super::targets::Targets;
use super::witness_session;
use crate::burst_balances;
use crate::ceilings;
use crate::clients::AgentCrew;
use crate::device_origins::Devices;
use crate::error::CampaignError;
use crate::progress::{NoProgress, Progress, Second};
use crate::record_ids;
use crate::replay::TraceFeed;
use fathom_plan::{ApplicableLimits, KnownLimits, RunPlan, TargetUse, exact_command_line};

/// What a session is opened for.
#[derive(Clone, Copy, Debug)]
pub struct SessionPlan<'a> {
    /// The targets, the engine and how runs go about them; what each run does comes with it.
    pub plan: &'a RunPlan,
    /// What all of its runs do to the targets.
    pub needs: TargetUse,
    /// The devices that the campaign began on which continues; absent for what is no campaign.
    pub devices: Option<&'a Devices>,
    /// Whether devices that are written are marked as fathom's, behind the bytes that are used.
    pub marks: bool,
    /// Whether it is taken to the letter, as a tool does whose jobs these are. A file has every byte that is asked
    /// for: a shorter one that is there is made longer where it may be written, and nothing is cut to whole blocks. A
    /// flag of single I/Os is sent also where nothing comes of it here.
    pub literal: bool,
    /// Seed of the data that a new file is laid out with.
    pub seed: u64,
}

/// What a run has to do with others at the same time.
#[derive(Clone, Debug, Default)]
pub struct RunContext<'a> {
    /// Whether others of its process run at the same time.
    pub grouped: bool,
    /// The campaign that it is a step of.
    pub campaign: Option<CampaignLink>,
    /// What has the telemetry of all of them; absent: this run.
    pub telemetry_is_with: Option<&'a str>,
    /// Its jobs' share of the I/Os of several runs.
    pub share: Option<Share>,
    /// What takes its I/Os down.
    pub log: Option<&'a IoLog>,
    /// Priorities of its I/Os.
    pub priorities: Option<&'a Priorities>,
    /// What is wanted of it beyond its record.
    pub particulars: Option<&'a Particulars>,
    /// What says when it starts.
    pub gate: Option<Gate<'a>>,
}

impl RunContext<'_> {
    /// Whether nothing of it changes what a run measures, so that its own command makes it again.
    pub(super) fn is_alone(&self) -> bool {
        let Self { grouped, campaign: _, telemetry_is_with: _, share, log: _, priorities, particulars, gate } =
            self;
        !grouped && gate.is_none() && share.is_none() && priorities.is_none() && particulars.is_none()
    }
}

/// Open targets with all that is known around it.
#[derive(Debug)]
pub struct Session {
    pub(super) targets: Targets,
    pub(super) engine: EngineKind,
    pub(super) clock: WallClock,
    pub(super) clock_facts: ClockFacts,
    pub(super) environment: Environment,
    pub(super) ceilings: Vec<KnownCeiling>,
    /// Remarks on the ceilings; they change with them.
    pub(super) ceiling_notes: Vec<String>,
    /// Processors that this process may use, if it may bind threads at all.
    pub(super) allowed: Result<BTreeSet<u32>, EngineError>,
    /// What it was opened for; what is done comes with each run.
    pub(super) plan: RunPlan,
    /// Whether that was taken to the letter, which no line of flags says.
    pub(super) literal: bool,
    /// Remarks on how the targets were opened.
    pub(super) opening_notes: Vec<String>,
    /// Simulated devices as the last run left them, where each run goes on from there.
    pub(super) left: Option<Mutex<Medium>>,
    /// Who carries each run in this process's place.
    pub(super) crew: Option<Mutex<AgentCrew>>,
}

/// Facts of the network on the way to a namespace that fathom connects to itself.
fn way_to(target: &TargetFacts) -> Vec<Fact> {
    let fabric = target.fabric.as_ref().filter(|_| target.kind == TargetKind::FabricNamespace);
    let address = fabric.and_then(|fabric| fabric.address.as_ref()?.parse::<SocketAddrV4>().ok());
    address.map_or_else(Vec::new, |address| environment::way_to(&target.name, *address.ip()))
}

impl Session {
    /// Opens the targets, lays new files out, and looks around.
    ///
    /// # Errors
    /// When a target is refused or missing, the engine does not fit it, or io_uring was asked for and
    /// is not there.
    pub fn open(
        plan: &SessionPlan<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Self, CampaignError> {
        check_flags(plan)?;
        let options = &plan.plan.options;
        if !options.clients.is_empty() {
            return Self::of_clients(plan, progress, stop);
        }
        let (clock, clock_facts) = WallClock::start();
        let mut notes: Vec<String> = cache_note(plan.plan).into_iter().collect();
        let mut targets = Targets::open(plan, progress, stop)?;
        notes.extend(targets.notes.iter().cloned());
        targets.facts.decorated = options.decorators.facts();
        if let Some(decorated) = &targets.facts.decorated {
            notes.push(format!(
                "The target was measured behind {}: the results are of both together, not of the target alone.",
                decorated.words()
            ));
        }
        let engine = choose_engine(plan.plan.engine.as_deref(), &targets, &mut notes)?;
        check_engine((options, plan.needs), plan.literal, engine)?;
        if options.polled {
            engine.admit_polling(&targets.facts)?;
        }
        if options.io_flags.hipri && !plan.literal {
            engine.admit_hipri(&targets.facts)?;
        }
        if options.witness.is_some() {
            witness_session::require(&targets.facts)?;
        }
        let facts = &targets.facts;
        let path = facts.file_system.as_ref().map(|file_system| Path::new(&file_system.mount_point));
        let mut environment = environment::collect(&facts.devices, path);
        environment.facts.extend(way_to(facts));
        let allowed = allowed_cpus();
        check_processors(options.cpus.as_deref().unwrap_or_default(), allowed.as_ref().ok())?;
        let mut session = Self {
            targets,
            engine,
            clock,
            clock_facts,
            environment,
            ceilings: Vec::new(),
            ceiling_notes: Vec::new(),
            allowed,
            plan: plan.plan.clone(),
            literal: plan.literal,
            opening_notes: notes,
            left: None,
            crew: None,
        };
        session.set_known_limits(&KnownLimits::default())?;
        progress.simulated_time(session.is_simulated_time());
        progress.opened(session.target());
        Ok(session)
    }

    /// Takes in what the user knows of the target's limits, in place of what was taken in before.
    ///
    /// # Errors
    /// When an instance or a volume is not in the catalogue.
    pub fn set_known_limits(&mut self, known: &KnownLimits) -> Result<(), CampaignError> {
        let here = (&self.targets.facts, &self.environment);
        // What one client's machine tells is not a bound of all together; the record of a run has the sum.
        let nothing = (&TargetFacts::named(String::new(), TargetKind::Unknown), &Environment::default());
        let (facts, environment) = if self.crew.is_some() { nothing } else { here };
        let ApplicableLimits { ceilings, notes } = ceilings::applying(known, facts, environment)?;
        self.ceilings = ceilings;
        self.ceiling_notes = notes;
        Ok(())
    }

    /// The bounds that are known to hold for the target.
    pub fn ceilings(&self) -> &[KnownCeiling] {
        &self.ceilings
    }

    /// Lets each run find simulated devices as the one before left them, as real ones are: credits spent,
    /// write cache filled. Otherwise each run begins with them as they were named.
    pub fn keep_state(&mut self) {
        if let Medium::Simulated(_) = self.targets.medium {
            self.left = Some(Mutex::new(self.targets.medium.clone()));
        }
    }

    /// Brings simulated devices into the state that a run of an earlier process left them in, by
    /// simulating that run again.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn restore(&self, last: &RunRecord, stop: &AtomicBool) -> Result<(), CampaignError> {
        let Some(left) = &self.left else { return Ok(()) };
        let Some(at_start) = last.target.simulated.clone() else { return Ok(()) };
        if let Ok(parameters) = serde_json::from_value::<SimParameters>(at_start) {
            *left.lock().unwrap_or_else(PoisonError::into_inner) = Medium::Simulated(vec![parameters]);
            self.run(&last.workload, None, &mut NoProgress, stop)?;
        }
        Ok(())
    }

    /// The target as it was opened, or all as one.
    pub fn target(&self) -> &TargetFacts {
        &self.targets.facts
    }

    /// What a campaign remembers of the devices that are open, by their names.
    pub(crate) fn origins(&self) -> impl Iterator<Item = (&TargetName, &Origin)> {
        self.targets.origins()
    }

    /// The engine that carries its I/O.
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// What it was opened for; what is done comes with each run.
    pub(crate) fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// What is put around the engine.
    pub fn decorators(&self) -> &Decorators {
        &self.plan.options.decorators
    }

    /// The machine as it was found.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The clock that runs are stamped with.
    pub fn clock(&self) -> &WallClock {
        &self.clock
    }

    /// Remarks on how the targets were opened, and on the ceilings.
    pub(crate) fn notes(&self) -> Vec<String> {
        [self.opening_notes.as_slice(), &self.ceiling_notes].concat()
    }

    /// Each target's facts, with a path by which a child reaches the very file that is open here; `None` where they
    /// are no files.
    pub(crate) fn handles(&self) -> Option<Vec<Handle<'_>>> {
        let Medium::Files(files) = &self.targets.medium else { return None };
        let handle = |(file, facts): (&Arc<fathom_target::Handle>, _)| Handle::of(file, facts);
        Some(files.iter().zip(self.targets.members()).filter_map(handle).collect())
    }

    /// Looks once more whether anybody began to use a target since it was admitted for writing.
    ///
    /// # Errors
    /// As the guard gives its reasons.
    pub(crate) fn confirm(&self) -> Result<(), CampaignError> {
        Ok(self.targets.confirm()?)
    }

    /// Stamps its runs by this clock, which is read elsewhere too.
    pub(crate) fn stamp_by(&mut self, (clock, facts): (WallClock, ClockFacts)) {
        (self.clock, self.clock_facts) = (clock, facts);
    }

    /// Whether runs take place in simulated time.
    pub fn is_simulated_time(&self) -> bool {
        matches!(self.targets.medium, Medium::Simulated(_)) && !self.plan.options.real_time
    }

    /// Runs one workload and returns its record.
    ///
    /// # Errors
    /// When the workload does not fit the target, somebody else began to use it, or the engine breaks.
    pub fn run(
        &self,
        workload: &Workload,
        campaign: Option<CampaignLink>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<RunRecord, CampaignError> {
        self.run_in_context(workload, RunContext { campaign, ..RunContext::default() }, progress, stop)
    }

    /// The same beside other runs.
    pub(crate) fn run_in_context(
        &self,
        workload: &Workload,
        context: RunContext<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<RunRecord, CampaignError> {
        if let Some(crew) = &self.crew {
            return self.by_clients(crew, workload, context, progress, stop);
        }
        let command = context.is_alone().then(|| self.command(workload)).flatten();
        Ok(RunRecord { command, ..self.measure(workload, context, progress, stop)? })
    }

    /// The record of one run, but for the command that makes it again.
    fn measure(
        &self,
        workload: &Workload,
        context: RunContext<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<RunRecord, CampaignError> {
        let RunContext { grouped, campaign, telemetry_is_with, share, log, priorities, particulars, gate } =
            context;
        let (medium, facts) = &self.as_left();
        let geometries = self.admit(workload)?;
        let binding = self.binding(workload);
        let (started_at, id) = begin(progress);
        self.mark(workload, campaign.as_ref(), (&id, &started_at))?;
        let sampler = if telemetry_is_with.is_none() { self.sampler() } else { None };
        let witness = self.watch(facts, medium);
        let feed = TraceFeed::start(workload, &geometries)?;
        let listeners = IoListeners::of(witness.as_ref(), log, particulars);
        let listener = |plan: &JobPlan| listeners.listener(plan);
        let launch = Launch {
            workload,
            geometries: &geometries,
            medium,
            engine: self.engine,
            options: &self.plan.options,
            share: share.as_ref(),
            wear: crate::write_cap::limit(),
            scripts: feed.as_ref().map(TraceFeed::scripts),
            listeners: listeners.hear().then_some(Listeners(&listener)),
            priorities,
            conduct: JobConduct {
                cpus: &binding.cpus,
                accounts: particulars.map_or(Accounts::None, Particulars::accounts),
                live: particulars.and_then(Particulars::live),
                gate,
                stop,
            },
            clock: self.clock,
            tag: record_ids::tag_of(&id),
        };
        let neighbours = self.neighbours(facts, workload, grouped);
        let cached_share = self.cached_share(&geometries);
        let (mut measured, worn_out) = measure(&launch, (particulars, sampler.as_ref()), progress, stop)?;
        self.look_back(&mut measured, binding, workload);
        let witness = witness.map(|witness| witness_session::finish(witness, &measured));
        let meanwhile = neighbours.compare(&measured, workload, facts);
        let origin_ns = measured.timeline.origin_ns;
        let telemetry = self.finished(sampler, (&started_at, origin_ns), telemetry_is_with);
        let parts = RecordParts {
            id,
            started_at,
            campaign,
            workload,
            held_back: share.is_some(),
            geometries: &geometries,
            target: facts,
            telemetry,
            measured,
            witness,
            cached_share,
            meanwhile,
            notes: &self.remarks(workload, facts, (feed, worn_out)),
        };
        Ok(assemble(self, parts))
    }

    /// What was sampled beside a run, and told of its time; nothing where another run has it, or time is simulated.
    fn finished(
        &self,
        sampler: Option<Sampler>,
        (started_at, origin_ns): (&str, u64),
        is_with: Option<&str>,
    ) -> Telemetry {
        let sampled = sampler.map_or_else(|| no_telemetry(is_with), |sampler| sampler.finish(origin_ns));
        if self.is_simulated_time() { sampled } else { burst_balances::beside(sampled, started_at) }
    }

    /// The record of a run of this workload that goes on.
    pub fn unfinished(&self, workload: &Workload) -> RunRecord {
        let (_, target) = self.as_left();
        RunRecord::begun(this_tool(), workload.clone(), target, self.engine.entry().name)
    }

    /// Where the I/Os of a workload lie, of one that fits targets which nobody else uses.
    fn admit(&self, workload: &Workload) -> Result<Vec<Geometry>, CampaignError> {
        workload.validate()?;
        crate::write_cap::refuse_beyond(workload)?;
        let geometries = self.targets.geometries(workload)?;
        check_workload((&self.plan.options, workload), self.literal, self.engine)?;
        self.targets.confirm()?;
        Ok(geometries)
    }

    /// What makes a run of this workload again; `None` where no line does.
    fn command(&self, workload: &Workload) -> Option<String> {
        if self.literal {
            return None;
        }
        let kinds = [
            TargetKind::File,
            TargetKind::BlockDevice,
            TargetKind::NvmeNamespace,
            TargetKind::FabricNamespace,
        ];
        // Of several engines that carry a target, the default could be another one elsewhere.
        let used = || kinds.contains(&self.targets.facts.kind).then(|| self.engine.name().to_owned());
        let engine = self.plan.engine.clone().or_else(used);
        exact_command_line(&RunPlan { engine, workload: workload.clone(), ..self.plan.clone() })
    }

    /// Share of what a buffered run goes over that is in the page cache.
    fn cached_share(&self, geometries: &[Geometry]) -> Option<f64> {
        if self.targets.facts.direct { None } else { self.targets.cached_share(geometries) }
    }

    /// Marks the devices as this run's, or its campaign's, before the first write to them.
    fn mark(
        &self,
        workload: &Workload,
        campaign: Option<&CampaignLink>,
        (run, at): (&str, &str),
    ) -> Result<(), EngineError> {
        if !workload.mix.changes_data() {
            return Ok(());
        }
        let by = campaign.map_or_else(|| format!("run {run}"), |link| format!("campaign {}", link.id));
        self.targets.mark(at, &by)
    }

    /// Begins to watch the block layer, where that was asked for.
    fn watch(&self, facts: &TargetFacts, medium: &Medium) -> Option<witness_session::WitnessStart> {
        let watching = |source| witness_session::start(source, (facts, medium), self.clock);
        self.plan.options.witness.map(watching)
    }

    /// What a record of this run says besides its numbers; ends the reading of a trace.
    fn remarks(
        &self,
        workload: &Workload,
        facts: &TargetFacts,
        (feed, worn_out): (Option<TraceFeed>, Option<String>),
    ) -> Vec<String> {
        let mut notes: Vec<String> = worn_out.into_iter().chain(self.notes()).collect();
        notes.extend(self.cautions(workload, facts));
        if !self.is_simulated_time() {
            notes.extend(wall::warning());
            notes.extend(burst_balances::notes());
        }
        notes.extend(feed.map(TraceFeed::finish).unwrap_or_default());
        notes
    }

    /// What the engines work on, and its facts: simulated devices as the run before left them, where that
    /// is kept.
    fn as_left(&self) -> (Medium, TargetFacts) {
        let Some(left) = &self.left else { return (self.targets.medium.clone(), self.targets.facts.clone()) };
        let medium = left.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut facts = self.targets.facts.clone();
        if let Medium::Simulated(devices) = &medium
            && let [one] = devices.as_slice()
        {
            facts.simulated = serde_json::to_value(one).ok();
        }
        (medium, facts)
    }

    /// Takes in what a run left, and completes what it says of its engine.
    fn look_back(&self, measured: &mut Measurement, binding: binding::Binding, workload: &Workload) {
        self.leave(std::mem::take(&mut measured.left));
        binding.describe(&mut measured.engine, &mut measured.jobs);
        measured.engine.features.extend(self.durability(workload));
    }

    /// Takes in simulated devices as a run left them.
    fn leave(&self, devices: Vec<SimParameters>) {
        if let Some(left) = self.left.as_ref().filter(|_| !devices.is_empty()) {
            *left.lock().unwrap_or_else(PoisonError::into_inner) = Medium::Simulated(devices);
        }
    }

    /// Samples the machine beside a run; nothing does in simulated time.
    pub(crate) fn sampler(&self) -> Option<Sampler> {
        let devices = self.targets.facts.devices.iter().map(|device| device.name.clone()).collect();
        let sockets = match &self.targets.medium {
            Medium::Remote(remotes) => remotes.iter().map(|remote| Arc::clone(remote.sockets())).collect(),
            _ => Vec::new(),
        };
        let plan = SamplerPlan { devices, sockets, ..SamplerPlan::default() };
        (!self.is_simulated_time()).then(|| Sampler::start(plan, self.clock))
    }

    /// The counters of the target's devices before a run.
    fn neighbours(&self, facts: &TargetFacts, workload: &Workload, grouped: bool) -> Neighbours {
        if self.is_simulated_time() {
            return Neighbours::none("Time is simulated.");
        }
        Neighbours::watch(facts, workload, grouped)
    }

    /// What the workload asks for beyond what device and engine have.
    fn cautions(&self, workload: &Workload, facts: &TargetFacts) -> impl Iterator<Item = String> {
        // A decorator holds I/Os of its own.
        let lone =
            cautions::lone(workload, self.engine, facts).filter(|_| self.plan.options.decorators.is_empty());
        let far = self.far(workload);
        cautions::tags(workload, self.engine, facts, self.plan.options.polled)
            .into_iter()
            .chain(lone)
            .chain(far)
    }

    /// What the descriptors say of when a write of the workload ends.
    fn durability(&self, workload: &Workload) -> Option<EngineFeature> {
        let files = match &self.targets.medium {
            Medium::Files(files) | Medium::Striped(Volume { files, .. }) => files,
            _ => return None,
        };
        // Said of all, so it has to be true of all; targets of one run are opened alike.
        let each = files.iter().map(|file| durability::of(file)).collect::<Option<Vec<_>>>()?;
        let first = each.first().filter(|first| each.iter().all(|other| other == *first))?;
        (workload.mix.write_share() > 0.0).then(|| first.feature())
    }
}

/// When a run begins, and its id, which is told.
fn begin(progress: &mut dyn Progress) -> (String, String) {
    let id = record_ids::new_id("r");
    progress.run(&id);
    (record_ids::now(), id)
}

/// Runs it, and shows its seconds; what was measured, and words on a limit on written bytes that ended it.
fn measure(
    launch: &Launch<'_>,
    (particulars, sampler): (Option<&Particulars>, Option<&Sampler>),
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<(Measurement, Option<String>), EngineError> {
    launch.begin_passes();
    let mut observe = |tally: &Tally| {
        progress.counted(tally);
        sampler.and_then(Sampler::latest).iter().for_each(|latest| progress.machine(latest));
        Second::of(tally).iter().for_each(|s| progress.second(s));
    };
    let mut run = || launch.run(&mut observe);
    let mut measured = match particulars {
        None => run()?,
        Some(particulars) => particulars.beside(run)?,
    };
    particulars.inspect(|particulars| particulars.take(&mut measured));
    let worn_out = end_worn_out(&mut measured, progress, stop);
    Ok((measured, worn_out))
}

/// Says that the limit on written bytes ended the run, where it did. It ends what comes after, too.
fn end_worn_out(
    measured: &mut Measurement,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Option<String> {
    let words = crate::write_cap::stopped()?;
    progress.note(&words);
    stop.store(true, Ordering::Relaxed);
    measured.interrupted = true;
    Some(words)
}

/// Who hears of a run's I/Os: its witness, a log, whoever wants each of them.
#[derive(Clone, Copy)]
struct IoListeners<'a> {
    witness: Option<&'a Witness>,
    log: Option<&'a IoLog>,
    particulars: Option<&'a Particulars>,
}

impl<'a> IoListeners<'a> {
    fn of(
        witness: Option<&'a witness_session::WitnessStart>,
        log: Option<&'a IoLog>,
        particulars: Option<&'a Particulars>,
    ) -> Self {
        let witness = witness.and_then(|started| started.as_ref().ok());
        Self { witness, log, particulars: particulars.filter(|particulars| particulars.listens()) }
    }

    fn hear(&self) -> bool {
        self.witness.is_some() || self.log.is_some() || self.particulars.is_some()
    }

    fn listener(&self, plan: &JobPlan) -> Listener {
        let witness = self.witness.map(|witness| witness_session::listener(witness, plan));
        let log = self.log.map(|log| log.listener(plan));
        let particulars = self.particulars.and_then(|particulars| particulars.listener(plan));
        let mut all: Vec<Listener> = [witness, log, particulars].into_iter().flatten().collect();
        match all.len() {
            1 => all.remove(0),
            _ => Box::new(move |io, stamps| all.iter_mut().for_each(|listener| listener(io, stamps))),
        }
    }
}

fn no_telemetry(beside: Option<&str>) -> Telemetry {
    let simulated = "time is simulated: what the machine did meanwhile says nothing about the run";
    let reason = beside.unwrap_or(simulated).to_owned();
    Telemetry { absent: vec![AbsentSource { source: "all".to_owned(), reason }], ..Telemetry::default() }
}

/// That the page cache is not bypassed though nobody asked for it: a mapping is the page cache.
fn cache_note(plan: &RunPlan) -> Option<String> {
    let entry = plan.engine.as_deref().and_then(engine_list::named)?;
    (entry.through_cache && plan.options.direct).then(|| {
        format!(
            "Engine {} goes through the page cache: the target was opened as with --buffered.",
            entry.name
        )
    })
}

/// The engine asked for, or the best one that works here, with a note where that is not the first choice.
fn choose_engine(
    asked: Option<&str>,
    targets: &Targets,
    notes: &mut Vec<String>,
) -> Result<EngineKind, EngineError> {
    let (chosen, refused) = engine_kinds::choose_available(asked, targets.facts.kind)
        .map_err(|error| advise_other_path(error, asked, &targets.facts))?;
    // Files and block devices have the same engines; NVMe namespaces have one of their own.
    for member in targets.members() {
        engine_kinds::choose(Some(chosen.name()), member.kind)
            .map_err(|error| advise_other_path(error, asked, member))?;
    }
    if let Some(error) = refused {
        let default = engine_kinds::choose(None, targets.facts.kind)?;
        notes.push(format!(
            "Engine {} was used instead of {}: {}.",
            chosen.name(),
            default.name(),
            error.cause
        ));
    }
    Ok(chosen)
}

/// One NVMe namespace has two devices, for different engines: names the one that the engine takes.
fn advise_other_path(error: EngineError, asked: Option<&str>, target: &TargetFacts) -> EngineError {
    let wants_commands =
        asked.and_then(engine_list::named).is_some_and(|entry| entry.carries(TargetKind::NvmeNamespace));
    let disk = target.devices.iter().find(|device| device.layer == "disk");
    let remedy = match (target.kind, disk) {
        (TargetKind::NvmeNamespace, Some(disk)) => {
            format!("name its block device for that: --target /dev/{}", disk.name)
        }
        (TargetKind::BlockDevice, Some(disk)) if wants_commands => match generic_of(&disk.name) {
            Some(path) => format!("NVMe commands go to the character device: --target {path}"),
            None => "it is not an NVMe namespace; use --engine uring, or e.g. --target /dev/ng0n1".to_owned(),
        },
        _ => return error,
    };
    if error.kind == ErrorKind::UnknownEngine { error } else { error.with_remedy(remedy) }
}
