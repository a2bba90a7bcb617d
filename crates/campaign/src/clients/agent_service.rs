//! The agent: carries the plans that its coordinator sends, and tells each second as it is over.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fathom_engine::job::crew::Gate;
use fathom_engine::job::gather::interval_of;
use fathom_engine::job::tally::Tally;
use fathom_engine::job::timeline::Phase;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::clock::ClockFacts;
use fathom_measure::{Clock, WallClock};
use fathom_plan::{PlanSource, RunPlan, TargetUse};
use fathom_record::error::Error;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::{RunRecord, Workload};
use fathom_target::{Preparation, TargetName};

use super::frame::{
    self, AgentFailure, AgentMessage, AgentReadiness, CoordinatorMessage, OpenedTarget, ProtocolGreeting,
    RunOrder, TargetObservation, WatchPlan,
};
use super::target_observer;
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::single_run::{RunContext, Session, SessionPlan};

/// Between two looks whether to go on waiting.
const LOOK: Duration = Duration::from_millis(10);
/// So long before the start the jobs are told of it: each waits for the moment itself.
const AHEAD_NS: u64 = 6_000_000;
/// When the coordinator is gone, what is in flight may take so long.
const GRACE: Duration = Duration::from_secs(4);
/// Parts of a target begin at multiples of this where they are long enough.
const PART_UNIT: u64 = 1 << 20;

/// Speaks on the two ends until the input ends. When it ends in the middle of a run, the run is stopped, and `leave` is
/// called if that takes longer than 4 s.
///
/// # Errors
/// When the input is not a coordinator's, or the output takes nothing more.
pub fn serve<O: Write + Send + 'static>(
    mut input: impl Read + Send + 'static,
    output: O,
    leave: fn(),
) -> Result<(), EngineError> {
    let place = "speaking with the coordinator";
    let failed = |error: std::io::Error| {
        EngineError::system(place, &error).with_remedy(
            "`fathom agent` is started by `fathom run --client ...`, and speaks with it on stdin and stdout",
        )
    };
    let output = Mutex::new(output);
    ProtocolGreeting::here().write(&mut *lock(&output)).map_err(failed)?;
    ProtocolGreeting::read(&mut input).map_err(failed)?;
    let (clock, facts) = WallClock::start();
    let shared =
        Arc::new(AgentState { output, clock, stop: AtomicBool::new(false), gone: AtomicBool::new(false) });
    let (orders, received) = mpsc::channel();
    let reader = Arc::clone(&shared);
    let read = move || reader.read(input, &orders, leave);
    std::thread::Builder::new().name("coordinator".to_owned()).spawn(read).map_err(failed)?;
    Agent { shared, received: Mutex::new(received), clock: (clock, facts) }.work();
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread that reads has in common with the one that works.
struct AgentState<O> {
    output: Mutex<O>,
    clock: WallClock,
    stop: AtomicBool,
    gone: AtomicBool,
}

/// What is left for the thread that works.
enum WorkItem {
    Open(RunOrder),
    Prepare(RunOrder),
    Watch(WatchPlan),
    Observe(WatchPlan),
    Start(u64),
}

impl<O: Write> AgentState<O> {
    fn say(&self, what: &AgentMessage) {
        if frame::write(&mut *lock(&self.output), what).is_err() {
            self.gone.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Answers pings, passes the rest on, and ends what is going on when the input ends.
    fn read(&self, mut input: impl Read, orders: &Sender<WorkItem>, leave: fn()) {
        while let Ok(Some(said)) = frame::read::<CoordinatorMessage>(&mut input) {
            match said {
                CoordinatorMessage::Ping { number } => {
                    let heard_ns = self.clock.now_ns();
                    let mut output = lock(&self.output);
                    let answered_ns = self.clock.now_ns();
                    let pong = AgentMessage::Pong { number, heard_ns, answered_ns };
                    if frame::write(&mut *output, &pong).is_err() {
                        break;
                    }
                }
                CoordinatorMessage::Stop => self.stop.store(true, Ordering::Relaxed),
                CoordinatorMessage::Open(order) => drop(orders.send(WorkItem::Open(order))),
                CoordinatorMessage::Prepare(order) => drop(orders.send(WorkItem::Prepare(order))),
                CoordinatorMessage::Watch(look) => drop(orders.send(WorkItem::Watch(look))),
                CoordinatorMessage::Observe(look) => drop(orders.send(WorkItem::Observe(look))),
                CoordinatorMessage::Start { at_ns } => drop(orders.send(WorkItem::Start(at_ns))),
            }
        }
        self.gone.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
        // The orders end only when this returns; whoever waits for one sees the flag.
        std::thread::sleep(GRACE);
        leave();
    }
}

/// Targets that stay open, and for what.
struct OpenTargets {
    needs: TargetUse,
    session: Session,
}

struct Agent<O> {
    shared: Arc<AgentState<O>>,
    /// Locked by one thread: the gate is called on another than it was made on.
    received: Mutex<Receiver<WorkItem>>,
    clock: (WallClock, ClockFacts),
}

impl<O: Write + Send> Agent<O> {
    fn work(&self) {
        let mut kept = None;
        while let Some(todo) = self.next() {
            let said = match todo {
                WorkItem::Open(order) => {
                    self.open(&order, &mut kept).map(|opened| AgentMessage::Opened(Box::new(opened)))
                }
                WorkItem::Prepare(order) => self.carry(&order, &mut kept).map(|mut record| {
                    // They were told one by one.
                    record.intervals = Vec::new();
                    AgentMessage::Done { record: Box::new(record) }
                }),
                WorkItem::Watch(look) => target_observer::look(&look)
                    .map(|seen| AgentMessage::Watching(Box::new(seen)))
                    .map_err(Into::into),
                WorkItem::Observe(look) => {
                    self.observe(&look).map(|seen| AgentMessage::Observed(Box::new(seen)))
                }
                WorkItem::Start(_) => continue,
            };
            self.shared.say(&said.unwrap_or_else(|error| AgentMessage::Failed(AgentFailure::of(error))));
            if !self.shared.gone.load(Ordering::Relaxed) {
                self.shared.stop.store(false, Ordering::Relaxed);
            }
        }
    }

    /// The next thing to do; `None` when the coordinator is gone.
    fn next(&self) -> Option<WorkItem> {
        loop {
            match lock(&self.received).recv_timeout(LOOK) {
                Ok(todo) => return Some(todo),
                Err(RecvTimeoutError::Timeout) if !self.shared.gone.load(Ordering::Relaxed) => {}
                Err(_) => return None,
            }
        }
    }

    /// The plan of an order, as this machine carries it.
    fn plan_of(order: &RunOrder) -> Result<RunPlan, CampaignError> {
        let mut plan = PlanSource::from_toml(&order.plan, "the coordinator's plan")?.resolve(0)?;
        if !plan.options.clients.is_empty() {
            let cause = "a client's plan names clients";
            return Err(EngineError::new(ErrorKind::Plan, "running several clients", cause).into());
        }
        let is_simulated = plan.targets.iter().any(|target| TargetName::is_simulated(target));
        if order.shares_machine && !is_simulated {
            // Each agent by itself would choose the same processors near the device.
            plan.options.cpus.get_or_insert_default();
        }
        Ok(plan)
    }

    /// The targets of an order, which stay open as long as orders are for the same.
    fn session<'k>(
        &self,
        (order, plan): (&RunOrder, &RunPlan),
        kept: &'k mut Option<OpenTargets>,
        teller: &mut CoordinatorProgress<'_, O>,
    ) -> Result<&'k Session, CampaignError> {
        let needs = order.needs;
        let serves = |kept: &OpenTargets| kept.needs == needs && kept.session.plan().goes_about_it_like(plan);
        if !kept.as_ref().is_some_and(serves) {
            // What is held is let go of before it is opened again.
            *kept = None;
            let asked = SessionPlan { needs, ..SessionPlan::of(plan) };
            let mut session = Session::open(&asked, teller, &self.shared.stop)?;
            session.stamp_by(self.clock.clone());
            *kept = Some(OpenTargets { needs, session });
        }
        Ok(&kept.as_ref().expect("it was opened where it was not").session)
    }

    fn teller(&self, plan: &RunPlan) -> CoordinatorProgress<'_, O> {
        CoordinatorProgress { shared: &self.shared, open: plan.workload.arrival.is_open(), said_ns: 0 }
    }

    fn open(&self, order: &RunOrder, kept: &mut Option<OpenTargets>) -> Result<OpenedTarget, CampaignError> {
        let plan = Self::plan_of(order)?;
        let session = self.session((order, &plan), kept, &mut self.teller(&plan))?;
        Ok(OpenedTarget {
            target: session.target().clone(),
            engine: session.engine().name().to_owned(),
            environment: session.environment().clone(),
        })
    }

    fn carry(&self, order: &RunOrder, kept: &mut Option<OpenTargets>) -> Result<RunRecord, CampaignError> {
        let plan = Self::plan_of(order)?;
        let mut teller = self.teller(&plan);
        let session = self.session((order, &plan), kept, &mut teller)?;
        let stop = &self.shared.stop;
        let workload = match order.part {
            Some(part) => part_of(&plan, session.target(), part)?,
            None => plan.workload.clone(),
        };
        let ready = AgentReadiness { written: written(&plan, session.target()) };
        let late_ns = AtomicU64::new(0);
        let wait = || {
            self.shared.say(&AgentMessage::Ready(Box::new(ready.clone())));
            self.wait_for_start(&late_ns)
        };
        let context =
            RunContext { grouped: order.shares_machine, gate: Some(Gate(&wait)), ..RunContext::default() };
        let record = session.run_in_context(&workload, context, &mut teller, stop)?;
        in_time(&late_ns)?;
        Ok(record)
    }

    /// Watches this machine from the start of a run until it is to stop; loads nothing.
    fn observe(&self, look: &WatchPlan) -> Result<TargetObservation, CampaignError> {
        let mut watching = target_observer::look(look)?;
        self.shared.say(&AgentMessage::Ready(Box::new(AgentReadiness { written: Vec::new() })));
        let late_ns = AtomicU64::new(0);
        let origin_ns = self.wait_for_start(&late_ns);
        in_time(&late_ns)?;
        let sampler = target_observer::sampler(&watching, self.shared.clock);
        while !self.shared.stop.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        let telemetry = sampler.finish(origin_ns);
        watching.notes.extend(target_observer::nodes(&watching, &telemetry));
        Ok(TargetObservation { watching, telemetry })
    }

    /// Waits for the word to start and then until just before the moment, which it returns. Ends at once when it is to
    /// stop.
    fn wait_for_start(&self, late_ns: &AtomicU64) -> u64 {
        let clock = self.shared.clock;
        let stopped = || self.shared.stop.load(Ordering::Relaxed);
        let at_ns = loop {
            match lock(&self.received).recv_timeout(LOOK) {
                Ok(WorkItem::Start(at_ns)) => break at_ns,
                _ if stopped() => return clock.now_ns(),
                _ => {}
            }
        };
        let now_ns = clock.now_ns();
        if now_ns > at_ns {
            late_ns.store(now_ns - at_ns, Ordering::Relaxed);
            self.shared.stop.store(true, Ordering::Relaxed);
            return now_ns;
        }
        loop {
            if stopped() {
                return at_ns.min(clock.now_ns());
            }
            match at_ns.saturating_sub(clock.now_ns()).checked_sub(AHEAD_NS) {
                Some(left_ns) => std::thread::sleep(LOOK.min(Duration::from_nanos(left_ns))),
                None => return at_ns,
            }
        }
    }
}

/// Refuses a start that came too late.
fn in_time(late_ns: &AtomicU64) -> Result<(), EngineError> {
    match late_ns.load(Ordering::Relaxed) {
        0 => Ok(()),
        late_ns => {
            let cause = format!("the word to start came {:.1} ms too late", late_ns as f64 / 1e6);
            Err(EngineError::new(ErrorKind::System, "starting together", cause)
                .with_remedy("run it again; if it stays so, this machine is too busy, or far away"))
        }
    }
}

/// The part of the addresses that is one client's.
fn part_of(plan: &RunPlan, target: &TargetFacts, (part, parts): (u32, u32)) -> Result<Workload, EngineError> {
    let workload = plan.workload.clone();
    // Each job works on one of several targets, and has the same span on whichever; a stripe is one target.
    let each = target.members.iter().map(|member| member.size_bytes).min();
    let bytes = each.filter(|_| plan.options.stripe_bytes.is_none()).unwrap_or(target.size_bytes);
    let span = workload.span_bytes.unwrap_or(bytes.saturating_sub(workload.offset_bytes));
    let share = span / u64::from(parts.max(1));
    let unit = if share >= PART_UNIT { PART_UNIT } else { u64::from(target.logical_block_bytes.max(1)) };
    let share = share / unit * unit;
    if share == 0 {
        let cause = format!("{span} bytes are too few for {parts} parts");
        return Err(
            EngineError::new(ErrorKind::Plan, "--partition", cause).with_remedy("give a larger --size")
        );
    }
    let offset_bytes = workload.offset_bytes + share * u64::from(part);
    Ok(Workload { offset_bytes, span_bytes: Some(share), ..workload })
}

/// What names the bytes that are written, the same for two clients exactly where they are the same bytes.
fn written(plan: &RunPlan, target: &TargetFacts) -> Vec<String> {
    if !plan.workload.mix.changes_data() {
        return Vec::new();
    }
    let host = ProtocolGreeting::here().host;
    let members = if target.members.is_empty() { std::slice::from_ref(target) } else { &target.members };
    let name = |facts: &TargetFacts| match facts.kind {
        TargetKind::Memory | TargetKind::Null | TargetKind::Simulated => None,
        TargetKind::File if facts.scratch => None,
        TargetKind::File => {
            let path = std::fs::canonicalize(&facts.name).unwrap_or_else(|_| facts.name.clone().into());
            Some(format!("file {} on {host}", path.display()))
        }
        TargetKind::BlockDevice | TargetKind::NvmeNamespace => {
            let serial = facts.devices.iter().find_map(|device| device.serial.clone());
            Some(
                serial
                    .map_or(format!("device {} on {host}", facts.name), |serial| format!("device {serial}")),
            )
        }
        _ => Some(facts.name.clone()),
    };
    members.iter().filter_map(name).collect()
}

/// Tells the coordinator what happens.
struct CoordinatorProgress<'a, O> {
    shared: &'a AgentState<O>,
    open: bool,
    said_ns: u64,
}

impl<O: Write> Progress for CoordinatorProgress<'_, O> {
    fn preparing(&mut self, _: Preparation, _: u64, _: u64) {
        let now_ns = self.shared.clock.now_ns();
        if now_ns.saturating_sub(self.said_ns) > 1_000_000_000 {
            self.said_ns = now_ns;
            self.shared.say(&AgentMessage::Preparing);
        }
    }

    fn counted(&mut self, tally: &Tally) {
        if tally.phase != Phase::Drain {
            self.shared.say(&AgentMessage::Second(interval_of(tally, self.open)));
        }
    }

    fn note(&mut self, text: &str) {
        self.shared.say(&AgentMessage::Note { text: text.to_owned() });
    }
}

/// Kinds of errors as they are sent.
const KINDS: [(&str, ErrorKind); 8] = [
    ("refused", ErrorKind::Refused),
    ("no_such_target", ErrorKind::NoSuchTarget),
    ("permission", ErrorKind::Permission),
    ("unsupported", ErrorKind::Unsupported),
    ("plan", ErrorKind::Plan),
    ("unknown_engine", ErrorKind::UnknownEngine),
    ("interrupted", ErrorKind::Interrupted),
    ("system", ErrorKind::System),
];

impl AgentFailure {
    fn of(error: CampaignError) -> Self {
        match error {
            CampaignError::Engine(error) => Self::of_kind(error.kind, error),
            CampaignError::Plan(error) => Self::of_kind(ErrorKind::Plan, error),
            CampaignError::Workload(error) => Self::of_kind(ErrorKind::Plan, error),
            CampaignError::Store(error) => Self::of_kind(ErrorKind::System, error),
            CampaignError::Foreign(refusal) => {
                let place = format!("reading {}", refusal.full_place());
                Self::of_kind(ErrorKind::System, refusal.at(place))
            }
        }
    }

    /// Any layer's error, of the kind that it comes to where targets are opened. What it came from has no form in a
    /// message: its text is in the cause.
    fn of_kind<K>(kind: ErrorKind, error: Error<K>) -> Self {
        let name = KINDS.iter().find(|(_, known)| *known == kind).map_or("system", |(name, _)| name);
        Self { kind: name.to_owned(), place: error.place, cause: error.cause, remedy: error.remedy }
    }

    /// The kind that it names.
    pub fn error_kind(&self) -> ErrorKind {
        KINDS.iter().find(|(name, _)| *name == self.kind).map_or(ErrorKind::System, |(_, kind)| *kind)
    }
}
