//! The coordinator: starts the agents, and for each run compares the clocks, starts it everywhere at one moment, and takes
//! in what the agents measure until all have ended or one is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::clock::offset::{Offset, Ping, offset};
use fathom_measure::{Clock, WallClock};
use fathom_plan::{Client, ClientRole, PlanSource, RunPlan, TargetUse, to_toml};
use fathom_record::RunRecord;
use fathom_record::run_record::RunEnding;
use fathom_target::TargetName;

use super::client_seconds::{ClientSeries, common, shown};
use super::client_sum;
use super::frame::{
    AgentMessage, AgentReadiness, CoordinatorMessage, OpenedTarget, ProtocolGreeting, RunOrder,
    TargetObservation, WatchFacts, WatchPlan,
};
use super::link::{AgentEvent, AgentLink, about, excerpt};
use super::program_upload;
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::record_ids;

/// Between two looks at what is due.
const LOOK: Duration = Duration::from_millis(20);
/// An agent answers its first line within this: a login may be slow.
const HELLO_NS: u64 = 30_000_000_000;
/// An agent that makes ready says so at least this often.
const READY_NS: u64 = 120_000_000_000;
/// Silence after which an agent is lost.
const SILENCE_NS: u64 = 5_000_000_000;
/// Between two questions whether an agent is there.
const HEARTBEAT_NS: u64 = 1_000_000_000;
/// Pings by which clocks are compared, each time.
const PINGS: usize = 32;
/// From the word to start to the start, at least.
const LEAD_NS: u64 = 500_000_000;
/// The same in round trips.
const LEAD_ROUND_TRIPS: u64 = 20;

/// One client as it is known.
#[derive(Debug)]
pub struct KnownClient {
    pub client: Client,
    pub plan: RunPlan,
    pub hello: Option<ProtocolGreeting>,
    pub before: Option<Offset>,
    pub after: Option<Offset>,
    pub series: ClientSeries,
    pub record: Option<RunRecord>,
    /// Of an agent at the target's machine, in place of a record.
    pub observed: Option<TargetObservation>,
    /// Why it cannot go on.
    pub failed: Option<EngineError>,
    /// That was told before the run's start, and is not here any more.
    is_told: bool,
    link: AgentLink,
    opened: Option<OpenedTarget>,
    watching: Option<WatchFacts>,
    ready: Option<AgentReadiness>,
    /// Pings that were asked, and when.
    asked: BTreeMap<u64, u64>,
    pings: Vec<Ping>,
    heard_ns: u64,
    /// When it last said that it is making ready.
    busy_ns: u64,
    closed: bool,
}

impl KnownClient {
    fn fail(&mut self, doing: &str, cause: &str) {
        if self.failed.is_none() && self.record.is_none() && self.observed.is_none() {
            self.failed = Some(about(&self.client, doing, cause, &self.link.last_words()));
        }
    }

    /// Nothing more comes from it; `source` is the error that the cause is of, if it is of one.
    fn close(&mut self, cause: &str, source: Option<io::Error>) {
        self.closed = true;
        let had_failed = self.failed.is_some();
        self.fail("", cause);
        if let Some(source) = source.filter(|_| !had_failed) {
            self.failed = self.failed.take().map(|error| error.with_source(source));
        }
    }

    /// Forgets the run before: what one fails with once its run has ended is the next one's to tell.
    fn begin(&mut self, plan: RunPlan) {
        self.plan = plan;
        (self.before, self.after, self.record, self.observed, self.ready) = (None, None, None, None, None);
        (self.series, self.busy_ns, self.is_told) = (ClientSeries::default(), 0, false);
        if self.closed {
            self.fail("", "its connection ended");
        } else {
            self.failed = None;
        }
    }

    fn has_ended(&self) -> bool {
        self.record.is_some() || self.observed.is_some() || self.failed.is_some() || self.is_told
    }

    /// Whether it measures; the others watch the target's machine.
    pub fn measures(&self) -> bool {
        self.client.role == ClientRole::Load
    }
}

/// The agents of several clients, which stay for one run after the other.
#[derive(Debug)]
pub struct AgentCrew {
    peers: Vec<KnownClient>,
    events: Receiver<(usize, AgentEvent)>,
    clock: WallClock,
    /// Number of the next ping.
    number: u64,
    beat_ns: u64,
    /// What all runs do to the targets.
    needs: TargetUse,
}

impl AgentCrew {
    /// Starts an agent for each client of a plan, and has them open its targets; says what the first has open.
    ///
    /// # Errors
    /// When a client cannot be reached, runs another version, or refuses the targets.
    pub fn start(
        plan: &RunPlan,
        needs: TargetUse,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<(Self, OpenedTarget), CampaignError> {
        let (clock, _) = WallClock::start();
        let (sender, events) = mpsc::channel();
        let copies = program_upload::to_all(&plan.options.clients, progress, stop)?;
        let mut peers = Vec::with_capacity(plan.options.clients.len());
        for ((place, client), copy) in plan.options.clients.iter().enumerate().zip(copies) {
            peers.push(KnownClient {
                client: client.clone(),
                plan: plan_of(plan, client, place)?,
                hello: None,
                before: None,
                after: None,
                series: ClientSeries::default(),
                record: None,
                observed: None,
                failed: None,
                is_told: false,
                link: AgentLink::start(client, copy, (place, clock), &sender)?,
                opened: None,
                watching: None,
                ready: None,
                asked: BTreeMap::new(),
                pings: Vec::new(),
                heard_ns: clock.now_ns(),
                busy_ns: 0,
                closed: false,
            });
        }
        let mut crew = Self { peers, events, clock, number: 0, beat_ns: clock.now_ns(), needs };
        let mut shift = CrewRun::of(&mut crew, progress, stop);
        shift.greet()?;
        shift.tell(plan.options.partition, CoordinatorMessage::Open, CoordinatorMessage::Watch);
        let has_looked = |peer: &KnownClient| peer.opened.is_some() || peer.watching.is_some();
        shift.wait_until(READY_NS, "opening the targets", has_looked)?;
        let first = crew.peers.iter().find_map(|peer| peer.opened.clone());
        let nobody = || EngineError::new(ErrorKind::Plan, "starting the clients", "there are none");
        Ok((crew, first.ok_or_else(nobody)?))
    }

    /// Runs a plan on all clients at once. Each carries the whole plan: its jobs, depths and rates are each client's.
    /// The record is the sum over the time in which all measured; it is returned, not stored.
    ///
    /// # Errors
    /// When a client refuses the plan or is lost before the start. One that is lost later ends the run, whose record
    /// then says so and keeps what was measured.
    pub fn run(
        &mut self,
        plan: &RunPlan,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<RunRecord, CampaignError> {
        // Nobody was listened to since the run before.
        self.beat_ns = self.clock.now_ns();
        for (peer, place) in self.peers.iter_mut().zip(0..) {
            peer.heard_ns = self.beat_ns;
            peer.begin(plan_of(plan, &peer.client.clone(), place)?);
        }
        let mut shift = CrewRun::of(self, progress, stop);
        let started_at = match shift.start(plan) {
            Ok(started_at) => started_at,
            Err(error) => {
                shift.call_off();
                return Err(error.into());
            }
        };
        shift.follow();
        let after = shift.compare_clocks(|peer| peer.failed.is_none());
        for (peer, offset) in shift.crew.peers.iter_mut().zip(after) {
            peer.after = offset;
        }
        let ending = shift.ending();
        Ok(client_sum::record(plan, &self.peers, (started_at, ending), plan.options.partition))
    }
}

impl Drop for AgentCrew {
    /// All at once, so that none is waited for before the next one knows.
    fn drop(&mut self) {
        self.peers.iter_mut().for_each(|peer| peer.link.close());
    }
}

/// A crew at work, with whom it tells and what stops it.
struct CrewRun<'a> {
    crew: &'a mut AgentCrew,
    progress: &'a mut dyn Progress,
    stop: &'a AtomicBool,
    shown_ns: u64,
    told_to_stop: bool,
}

impl<'a> CrewRun<'a> {
    fn of(crew: &'a mut AgentCrew, progress: &'a mut dyn Progress, stop: &'a AtomicBool) -> Self {
        Self { crew, progress, stop, shown_ns: 0, told_to_stop: false }
    }

    /// Has all make ready, compares the clocks, and gives the word to start; says when.
    fn start(&mut self, plan: &RunPlan) -> Result<String, EngineError> {
        self.refuse_failed()?;
        self.tell(plan.options.partition, CoordinatorMessage::Prepare, CoordinatorMessage::Observe);
        self.wait_until(READY_NS, "making ready", |peer| peer.ready.is_some())?;
        if plan.workload.mix.changes_data() && !plan.options.partition {
            self.refuse_shared_writes()?;
        }
        let before = self.compare_clocks(|_| true);
        self.refuse_failed()?;
        for (peer, offset) in self.crew.peers.iter_mut().zip(before) {
            peer.before = offset;
        }
        let started_at = record_ids::now();
        self.begin()?;
        Ok(started_at)
    }

    /// Has those stop who wait for a start that does not come, so that they can take the next run. Where all is to stop
    /// they end with this process.
    fn call_off(&mut self) {
        let mut told = BTreeSet::new();
        let begun_ns = self.crew.clock.now_ns();
        let is_waited_for = |peer: &KnownClient| !peer.closed && !peer.has_ended();
        while !self.stop.load(Ordering::Relaxed)
            && self.crew.clock.now_ns().saturating_sub(begun_ns) < READY_NS
            && self.crew.peers.iter().any(is_waited_for)
        {
            for (peer, place) in self.crew.peers.iter_mut().zip(0..) {
                if peer.ready.is_some() && is_waited_for(peer) && told.insert(place) {
                    peer.link.say(&CoordinatorMessage::Stop);
                }
            }
            self.pump();
        }
    }

    /// Takes in what comes within a short while, and asks again who is there.
    fn pump(&mut self) {
        match self.crew.events.recv_timeout(LOOK) {
            Ok((place, event)) => {
                self.take(place, event);
                while let Ok((place, event)) = self.crew.events.try_recv() {
                    self.take(place, event);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // All agents are gone, and each has said so.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        let now_ns = self.crew.clock.now_ns();
        if now_ns.saturating_sub(self.crew.beat_ns) > HEARTBEAT_NS {
            self.crew.beat_ns = now_ns;
            (0..self.crew.peers.len()).for_each(|place| self.ping(place));
        }
        for peer in self.crew.peers.iter_mut().filter(|peer| peer.hello.is_some() && !peer.closed) {
            let silent_ns = now_ns.saturating_sub(peer.heard_ns);
            if silent_ns > SILENCE_NS {
                peer.link.forsake();
                peer.fail("", &format!("nothing was heard of it for {:.0} s", silent_ns as f64 / 1e9));
            }
        }
    }

    fn ping(&mut self, place: usize) {
        let Some(peer) = self.crew.peers.get_mut(place).filter(|peer| peer.hello.is_some() && !peer.closed)
        else {
            return;
        };
        self.crew.number += 1;
        let asked_ns = self.crew.clock.now_ns();
        if peer.link.say(&CoordinatorMessage::Ping { number: self.crew.number }) {
            peer.asked.insert(self.crew.number, asked_ns);
        }
    }

    fn take(&mut self, place: usize, event: AgentEvent) {
        let Some(peer) = self.crew.peers.get_mut(place) else { return };
        let (said, at_ns) = match event {
            AgentEvent::Hello(hello) => {
                peer.heard_ns = self.crew.clock.now_ns();
                peer.hello = Some(hello);
                peer.link.is_up();
                return;
            }
            AgentEvent::Closed(cause, source) => {
                // What it says for people may come a moment later.
                std::thread::sleep(LOOK);
                return peer.close(&cause, source);
            }
            AgentEvent::Frame(said, at_ns) => (said, at_ns),
        };
        peer.heard_ns = peer.heard_ns.max(at_ns);
        match *said {
            AgentMessage::Pong { number, heard_ns, answered_ns } => {
                if let Some(asked_ns) = peer.asked.remove(&number) {
                    peer.pings.push(Ping { asked_ns, heard_ns, answered_ns, back_ns: at_ns });
                }
            }
            AgentMessage::Preparing => peer.busy_ns = at_ns,
            AgentMessage::Note { text } => {
                self.progress.note(&format!("{}: {}", peer.client.name, excerpt(&text)));
            }
            AgentMessage::Opened(opened) => peer.opened = Some(*opened),
            AgentMessage::Watching(seen) => peer.watching = Some(*seen),
            AgentMessage::Ready(ready) => peer.ready = Some(*ready),
            AgentMessage::Second(_) if !peer.measures() => peer.fail("", "it measures, and was to watch"),
            AgentMessage::Second(_) if peer.has_ended() => {
                peer.fail("", "it reported a second after its end")
            }
            AgentMessage::Second(second) => {
                if let Err(cause) = peer.series.take(second) {
                    peer.fail("taking its seconds", cause);
                }
                self.show();
            }
            AgentMessage::Done { record } => {
                if peer.failed.is_none() {
                    peer.record = Some(*record);
                }
            }
            AgentMessage::Observed(seen) => {
                if peer.failed.is_none() {
                    peer.observed = Some(*seen);
                }
            }
            AgentMessage::Failed(reason) => {
                let place = format!(
                    "client {} ({}), {}",
                    peer.client.name,
                    peer.client.reach,
                    excerpt(&reason.place)
                );
                let error = EngineError::new(reason.error_kind(), place, excerpt(&reason.cause));
                peer.failed.get_or_insert(error.with_remedy(excerpt(&reason.remedy)));
            }
        }
    }

    /// Shows the seconds of the sum that all clients have told.
    fn show(&mut self) {
        let measuring = || self.crew.peers.iter().filter(|peer| peer.measures());
        let until_ns = measuring().map(|peer| peer.series.end_ns()).min().unwrap_or(0);
        if until_ns <= self.shown_ns {
            return;
        }
        let all: Vec<_> = measuring().map(|peer| peer.series.from(self.shown_ns)).collect();
        for second in common(&all) {
            self.shown_ns = second.start_ns + second.duration_ns;
            self.progress.second(&shown(&second));
        }
    }

    /// The first client's failure; before the start it ends everything.
    fn refuse_failed(&mut self) -> Result<(), EngineError> {
        let told = |peer: &mut KnownClient| {
            let failed = peer.failed.take();
            peer.is_told |= failed.is_some();
            failed
        };
        match self.crew.peers.iter_mut().find_map(told) {
            Some(error) => Err(error),
            None if self.stop.load(Ordering::Relaxed) => Err(EngineError::new(
                ErrorKind::Interrupted,
                "starting the clients",
                "stopped before the start",
            )),
            None => Ok(()),
        }
    }

    /// Waits until all clients have come so far; each has `limit_ns` since it was last heard of.
    fn wait_until(
        &mut self,
        limit_ns: u64,
        what: &str,
        come: impl Fn(&KnownClient) -> bool,
    ) -> Result<(), EngineError> {
        let begun_ns = self.crew.clock.now_ns();
        while !self.crew.peers.iter().all(&come) {
            self.pump();
            self.refuse_failed()?;
            let now_ns = self.crew.clock.now_ns();
            let late = |peer: &KnownClient| now_ns.saturating_sub(begun_ns.max(peer.busy_ns)) > limit_ns;
            if let Some(peer) = self.crew.peers.iter_mut().find(|peer| late(peer) && !come(peer)) {
                peer.fail(what, &format!("not within {} s", limit_ns / 1_000_000_000));
            }
            self.refuse_failed()?;
        }
        Ok(())
    }

    /// Hears each agent's first line, and refuses what is not the same as this program.
    fn greet(&mut self) -> Result<(), EngineError> {
        self.wait_until(HELLO_NS, "waiting for the agent's first line", |peer| peer.hello.is_some())?;
        let here = ProtocolGreeting::here();
        for peer in &self.crew.peers {
            let Some(cause) = peer.hello.as_ref().and_then(|there| here.differs_from(there)) else {
                continue;
            };
            let place = format!("client {} ({})", peer.client.name, peer.client.reach);
            return Err(EngineError::new(ErrorKind::Unsupported, place, cause)
                .with_remedy("put this version there; --push copies this very program"));
        }
        Ok(())
    }

    /// Gives each client its order, as an opening or for a run; who only watches is told where to look.
    fn tell(
        &mut self,
        partition: bool,
        work: fn(RunOrder) -> CoordinatorMessage,
        watch: fn(WatchPlan) -> CoordinatorMessage,
    ) {
        let measuring = || self.crew.peers.iter().filter(|peer| peer.measures());
        let parts = u32::try_from(measuring().count()).unwrap_or(u32::MAX);
        let hosts: Vec<String> =
            measuring().filter_map(|peer| Some(peer.hello.as_ref()?.host.clone())).collect();
        let port = measuring().flat_map(|peer| &peer.plan.targets).find_map(|name| port_of(name));
        let needs = self.crew.needs;
        let (workers, watchers): (Vec<&mut KnownClient>, Vec<&mut KnownClient>) =
            self.crew.peers.iter_mut().partition(|peer| peer.measures());
        for (peer, part) in workers.into_iter().zip(0..) {
            let host = peer.hello.as_ref().map(|hello| &hello.host);
            let order = RunOrder {
                plan: to_toml(&peer.plan),
                part: partition.then_some((part, parts)),
                shares_machine: hosts.iter().filter(|other| Some(*other) == host).count() > 1,
                needs,
            };
            peer.link.say(&work(order));
        }
        for peer in watchers {
            peer.link.say(&watch(WatchPlan { devices: peer.client.targets.clone(), port }));
        }
    }

    /// Two clients that write the same bytes measure each other.
    fn refuse_shared_writes(&self) -> Result<(), EngineError> {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for peer in &self.crew.peers {
            let own: BTreeSet<&str> =
                peer.ready.iter().flat_map(|ready| ready.written.iter().map(String::as_str)).collect();
            for written in own {
                let Some(other) = seen.insert(written, &peer.client.name) else { continue };
                let cause = format!(
                    "clients {other} and {} would write the same bytes: {}",
                    peer.client.name,
                    excerpt(written)
                );
                return Err(EngineError::new(ErrorKind::Refused, "starting the clients", cause).with_remedy(
                    "add --partition, which gives each a part of the addresses, or give each its own target",
                ));
            }
        }
        Ok(())
    }

    /// Asks each client in turn what its clock shows; `None` for those that are not asked, or do not answer.
    fn compare_clocks(&mut self, asks: impl Fn(&KnownClient) -> bool) -> Vec<Option<Offset>> {
        for place in 0..self.crew.peers.len() {
            self.crew.peers[place].pings.clear();
            if !asks(&self.crew.peers[place]) {
                continue;
            }
            for asked in 1..=PINGS {
                self.ping(place);
                let asked_ns = self.crew.clock.now_ns();
                while self.crew.peers[place].pings.len() < asked
                    && self.crew.clock.now_ns().saturating_sub(asked_ns) < SILENCE_NS
                    && !self.crew.peers[place].closed
                {
                    self.pump();
                }
            }
        }
        self.crew.peers.iter().map(|peer| offset(&peer.pings)).collect()
    }

    /// Tells each client when to start, on its own clock.
    fn begin(&mut self) -> Result<(), EngineError> {
        let mut longest_ns = 0;
        for peer in &mut self.crew.peers {
            match &peer.before {
                Some(offset) => longest_ns = longest_ns.max(offset.round_trip_ns),
                None => peer.fail("comparing clocks", "it does not answer"),
            }
        }
        self.refuse_failed()?;
        let lead_ns = LEAD_NS.max(longest_ns.saturating_mul(LEAD_ROUND_TRIPS));
        let start_ns = self.crew.clock.now_ns().saturating_add(lead_ns);
        for peer in &mut self.crew.peers {
            let offset_ns = peer.before.as_ref().map_or(0, |offset| offset.ns);
            peer.link.say(&CoordinatorMessage::Start { at_ns: start_ns.saturating_add_signed(offset_ns) });
        }
        Ok(())
    }

    /// Takes in the seconds until all have ended. The first that fails ends the run of all.
    fn follow(&mut self) {
        let mut stopped_ns = None;
        let mut is_watched = true;
        loop {
            self.pump();
            // Who watches has no end of its own.
            let measured = self.crew.peers.iter().filter(|peer| peer.measures()).all(KnownClient::has_ended);
            if measured && std::mem::replace(&mut is_watched, false) && !self.told_to_stop {
                for peer in self.crew.peers.iter_mut().filter(|peer| !peer.has_ended()) {
                    peer.link.say(&CoordinatorMessage::Stop);
                }
                stopped_ns = Some(self.crew.clock.now_ns());
            }
            let failed = |peer: &KnownClient| {
                let ending = peer.record.as_ref().map(|record| &record.ending);
                peer.failed.is_some() || matches!(ending, Some(RunEnding::Failed { .. }))
            };
            let is_over = self.stop.load(Ordering::Relaxed) || self.crew.peers.iter().any(failed);
            if is_over && !std::mem::replace(&mut self.told_to_stop, true) {
                stopped_ns = Some(self.crew.clock.now_ns());
                for peer in self.crew.peers.iter_mut().filter(|peer| !peer.has_ended()) {
                    peer.link.say(&CoordinatorMessage::Stop);
                }
            }
            if self.crew.peers.iter().all(KnownClient::has_ended) {
                return;
            }
            let waited_ns = stopped_ns.map_or(0, |at_ns| self.crew.clock.now_ns().saturating_sub(at_ns));
            // What is in flight there may take as long as it does in any run; those that are silent are lost anyhow.
            if waited_ns > READY_NS {
                self.crew.peers.iter_mut().for_each(|peer| peer.fail("ending", "not within 120 s"));
            }
        }
    }

    /// How all of it ended.
    fn ending(&self) -> RunEnding {
        let lost = self.crew.peers.iter().find_map(|peer| {
            let at_s = peer.series.end_ns() as f64 / 1e9;
            match (&peer.failed, peer.record.as_ref().map(|record| &record.ending)) {
                (Some(error), _) => Some(format!("{}: {}, after {at_s:.0} s", error.place, error.cause)),
                (None, Some(RunEnding::Failed { error })) => {
                    Some(format!("client {}: {error}", peer.client.name))
                }
                _ => None,
            }
        });
        let interrupted = |peer: &KnownClient| {
            peer.record.as_ref().is_some_and(|record| record.ending == RunEnding::Interrupted)
        };
        match lost {
            Some(error) => RunEnding::Failed { error },
            None if self.crew.peers.iter().any(interrupted) => RunEnding::Interrupted,
            None => RunEnding::Complete,
        }
    }
}

/// The TCP port that a target is served on.
fn port_of(target: &str) -> Option<u16> {
    match target.parse() {
        Ok(TargetName::Fabric(name)) => Some(name.port),
        _ => None,
    }
}

/// The plan of one client: its targets, its permits, and a seed of its own, so that clients do not go over the same
/// blocks in step.
fn plan_of(plan: &RunPlan, client: &Client, place: usize) -> Result<RunPlan, EngineError> {
    let mut own = plan.clone();
    (own.options.clients, own.options.partition) = (Vec::new(), false);
    if !client.targets.is_empty() && client.role == ClientRole::Load {
        own.targets.clone_from(&client.targets);
    }
    own.options.permits.extend(client.permits.iter().cloned());
    own.workload.seed = plan.workload.seed.wrapping_add(place as u64);
    let read =
        PlanSource::from_toml(&to_toml(&own), "").and_then(|source| source.resolve(!own.workload.seed));
    if read.as_ref() != Ok(&own) {
        let cause = "no plan file says all of this plan, so that it cannot be sent";
        return Err(EngineError::new(ErrorKind::Plan, "running several clients", cause)
            .with_remedy("leave out what only this machine has, as a trace"));
    }
    Ok(own)
}
