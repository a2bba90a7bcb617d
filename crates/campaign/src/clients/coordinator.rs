//! The coordinator: starts the agents, compares the clocks, starts the run everywhere at one moment, and takes in what
//! the agents measure until all have ended or one is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::clock::offset::{Offset, Ping, offset};
use fathom_measure::{Clock, WallClock};
use fathom_plan::{PlanSource, RunPlan, to_toml};
use fathom_record::RunRecord;
use fathom_record::run::Ending;

use super::frame::{FromAgent, Hello, Order, Readiness, ToAgent};
use super::link::{Event, Link, about, plain};
use super::list::Client;
use super::series::{Series, common, shown};
use super::summed;
use crate::error::CampaignError;
use crate::identity;
use crate::progress::Progress;

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

/// Who runs a plan together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Together<'a> {
    /// The clients; none where this process runs it by itself.
    pub clients: &'a [Client],
    /// Each has a part of the target's addresses to itself.
    pub partition: bool,
}

/// One client as it is known.
pub struct Peer<'a> {
    pub client: &'a Client,
    pub plan: RunPlan,
    pub hello: Option<Hello>,
    pub before: Option<Offset>,
    pub after: Option<Offset>,
    pub series: Series,
    pub record: Option<RunRecord>,
    /// Why it cannot go on.
    pub failed: Option<EngineError>,
    link: Link,
    ready: Option<Readiness>,
    /// Pings that were asked, and when.
    asked: BTreeMap<u64, u64>,
    pings: Vec<Ping>,
    heard_ns: u64,
    /// When it last said that it is making ready.
    busy_ns: u64,
    closed: bool,
}

impl Peer<'_> {
    fn fail(&mut self, doing: &str, cause: &str) {
        if self.failed.is_none() && self.record.is_none() {
            self.failed = Some(about(self.client, doing, cause, &self.link.last_words()));
        }
    }

    fn has_ended(&self) -> bool {
        self.record.is_some() || self.failed.is_some()
    }
}

/// Runs a plan on all clients at once. Each carries the whole plan: its jobs, depths and rates are each client's. The
/// record is the sum over the time in which all measured; it is returned, not stored.
///
/// # Errors
/// When a client cannot be reached, runs another version, refuses the plan or is lost before the start. One that is lost
/// later ends the run, whose record then says so and keeps what was measured.
pub fn run_clients(
    plan: &RunPlan,
    together: Together<'_>,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<RunRecord, CampaignError> {
    let mut crew = Crew::start(plan, together, progress, stop)?;
    crew.greet()?;
    crew.prepare(together.partition)?;
    if plan.workload.mix.changes_data() && !together.partition {
        crew.refuse_shared_writes()?;
    }
    let before = crew.compare_clocks(|_| true);
    crew.refuse_failed()?;
    for (peer, offset) in crew.peers.iter_mut().zip(before) {
        peer.before = offset;
    }
    let started_at = identity::now();
    crew.begin()?;
    crew.follow();
    let after = crew.compare_clocks(|peer| peer.failed.is_none());
    for (peer, offset) in crew.peers.iter_mut().zip(after) {
        peer.after = offset;
    }
    let ending = crew.ending();
    // All at once, so that none is waited for before the next one knows.
    crew.peers.iter_mut().for_each(|peer| peer.link.close());
    let peers = std::mem::take(&mut crew.peers);
    Ok(summed::record(plan, &peers, (started_at, ending), together.partition))
}

struct Crew<'a, 'b> {
    peers: Vec<Peer<'a>>,
    events: Receiver<(usize, Event)>,
    clock: WallClock,
    progress: &'b mut dyn Progress,
    stop: &'b AtomicBool,
    /// Number of the next ping.
    number: u64,
    beat_ns: u64,
    shown_ns: u64,
    told_to_stop: bool,
}

impl<'a, 'b> Crew<'a, 'b> {
    fn start(
        plan: &RunPlan,
        together: Together<'a>,
        progress: &'b mut dyn Progress,
        stop: &'b AtomicBool,
    ) -> Result<Self, CampaignError> {
        let (clock, _) = WallClock::start();
        let (sender, events) = mpsc::channel();
        let mut peers = Vec::with_capacity(together.clients.len());
        for (place, client) in together.clients.iter().enumerate() {
            let plan = plan_of(plan, client, place)?;
            peers.push(Peer {
                client,
                plan,
                hello: None,
                before: None,
                after: None,
                series: Series::default(),
                record: None,
                failed: None,
                link: Link::start(client, place, clock, &sender)?,
                ready: None,
                asked: BTreeMap::new(),
                pings: Vec::new(),
                heard_ns: clock.now_ns(),
                busy_ns: 0,
                closed: false,
            });
        }
        let (beat_ns, shown_ns) = (clock.now_ns(), 0);
        Ok(Self { peers, events, clock, progress, stop, number: 0, beat_ns, shown_ns, told_to_stop: false })
    }

    /// Takes in what comes within a short while, and asks again who is there.
    fn pump(&mut self) {
        match self.events.recv_timeout(LOOK) {
            Ok((place, event)) => {
                self.take(place, event);
                while let Ok((place, event)) = self.events.try_recv() {
                    self.take(place, event);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // All agents are gone, and each has said so.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        let now_ns = self.clock.now_ns();
        if now_ns.saturating_sub(self.beat_ns) > HEARTBEAT_NS {
            self.beat_ns = now_ns;
            (0..self.peers.len()).for_each(|place| self.ping(place));
            for peer in self.peers.iter_mut().filter(|peer| peer.hello.is_some() && !peer.closed) {
                let silent_ns = now_ns.saturating_sub(peer.heard_ns);
                if silent_ns > SILENCE_NS {
                    peer.link.forsake();
                    peer.fail("", &format!("nothing was heard of it for {:.0} s", silent_ns as f64 / 1e9));
                }
            }
        }
    }

    fn ping(&mut self, place: usize) {
        let Some(peer) = self.peers.get_mut(place).filter(|peer| peer.hello.is_some() && !peer.closed) else {
            return;
        };
        self.number += 1;
        let asked_ns = self.clock.now_ns();
        if peer.link.say(&ToAgent::Ping { number: self.number }) {
            peer.asked.insert(self.number, asked_ns);
        }
    }

    fn take(&mut self, place: usize, event: Event) {
        let Some(peer) = self.peers.get_mut(place) else { return };
        let (said, at_ns) = match event {
            Event::Hello(hello) => {
                peer.heard_ns = self.clock.now_ns();
                peer.hello = Some(hello);
                return;
            }
            Event::Closed(cause) => {
                peer.closed = true;
                // What it says for people may come a moment later.
                std::thread::sleep(LOOK);
                return peer.fail("", &cause);
            }
            Event::Frame(said, at_ns) => (said, at_ns),
        };
        peer.heard_ns = peer.heard_ns.max(at_ns);
        match *said {
            FromAgent::Pong { number, heard_ns, answered_ns } => {
                if let Some(asked_ns) = peer.asked.remove(&number) {
                    peer.pings.push(Ping { asked_ns, heard_ns, answered_ns, back_ns: at_ns });
                }
            }
            FromAgent::Preparing => peer.busy_ns = at_ns,
            FromAgent::Note { text } => {
                self.progress.note(&format!("{}: {}", peer.client.name, plain(&text)));
            }
            FromAgent::Ready(ready) => peer.ready = Some(*ready),
            FromAgent::Second(_) if peer.has_ended() => peer.fail("", "it told a second after its end"),
            FromAgent::Second(second) => {
                if let Err(cause) = peer.series.take(second) {
                    peer.fail("taking its seconds", cause);
                }
                self.show();
            }
            FromAgent::Done { record } => {
                if peer.failed.is_none() {
                    peer.record = Some(*record);
                }
            }
            FromAgent::Failed(reason) => {
                let place =
                    format!("client {} ({}), {}", peer.client.name, peer.client.reach, plain(&reason.place));
                let error = EngineError::new(reason.error_kind(), place, plain(&reason.cause));
                peer.failed.get_or_insert(error.with_remedy(plain(&reason.remedy)));
            }
        }
    }

    /// Shows the seconds of the sum that all clients have told.
    fn show(&mut self) {
        let until_ns = self.peers.iter().map(|peer| peer.series.end_ns()).min().unwrap_or(0);
        if until_ns <= self.shown_ns {
            return;
        }
        let all: Vec<_> = self.peers.iter().map(|peer| peer.series.from(self.shown_ns)).collect();
        for second in common(&all) {
            self.shown_ns = second.start_ns + second.duration_ns;
            self.progress.second(&shown(&second));
        }
    }

    /// The first client's failure; before the start it ends everything.
    fn refuse_failed(&mut self) -> Result<(), EngineError> {
        match self.peers.iter_mut().find_map(|peer| peer.failed.take()) {
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
        come: impl Fn(&Peer<'_>) -> bool,
    ) -> Result<(), EngineError> {
        let begun_ns = self.clock.now_ns();
        while !self.peers.iter().all(&come) {
            self.pump();
            self.refuse_failed()?;
            let now_ns = self.clock.now_ns();
            let late = |peer: &Peer<'_>| now_ns.saturating_sub(begun_ns.max(peer.busy_ns)) > limit_ns;
            if let Some(peer) = self.peers.iter_mut().find(|peer| late(peer) && !come(peer)) {
                peer.fail(what, &format!("not within {} s", limit_ns / 1_000_000_000));
            }
            self.refuse_failed()?;
        }
        Ok(())
    }

    /// Hears each agent's first line, and refuses what is not the same as this program.
    fn greet(&mut self) -> Result<(), EngineError> {
        self.wait_until(HELLO_NS, "waiting for the agent's first line", |peer| peer.hello.is_some())?;
        let here = Hello::here();
        for peer in &self.peers {
            let Some(cause) = peer.hello.as_ref().and_then(|there| here.differs_from(there)) else {
                continue;
            };
            let place = format!("client {} ({})", peer.client.name, peer.client.reach);
            return Err(
                EngineError::new(ErrorKind::Unsupported, place, cause).with_remedy("put this version there")
            );
        }
        Ok(())
    }

    fn prepare(&mut self, partition: bool) -> Result<(), EngineError> {
        let parts = u32::try_from(self.peers.len()).unwrap_or(u32::MAX);
        let hosts: Vec<String> =
            self.peers.iter().filter_map(|peer| Some(peer.hello.as_ref()?.host.clone())).collect();
        for (peer, part) in self.peers.iter_mut().zip(0..) {
            let host = peer.hello.as_ref().map(|hello| &hello.host);
            let order = Order {
                plan: to_toml(&peer.plan),
                part: partition.then_some((part, parts)),
                shares_machine: hosts.iter().filter(|other| Some(*other) == host).count() > 1,
            };
            peer.link.say(&ToAgent::Prepare(order));
        }
        self.wait_until(READY_NS, "making ready", |peer| peer.ready.is_some())
    }

    /// Two clients that write the same bytes measure each other.
    fn refuse_shared_writes(&self) -> Result<(), EngineError> {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for peer in &self.peers {
            let own: BTreeSet<&str> =
                peer.ready.iter().flat_map(|ready| ready.written.iter().map(String::as_str)).collect();
            for written in own {
                let Some(other) = seen.insert(written, &peer.client.name) else { continue };
                let cause = format!(
                    "clients {other} and {} would write the same bytes: {}",
                    peer.client.name,
                    plain(written)
                );
                return Err(EngineError::new(ErrorKind::Refused, "starting the clients", cause).with_remedy(
                    "add --partition, which gives each a part of the addresses, or give each its own target",
                ));
            }
        }
        Ok(())
    }

    /// Asks each client in turn what its clock shows; `None` for those that are not asked, or do not answer.
    fn compare_clocks(&mut self, asks: impl Fn(&Peer<'_>) -> bool) -> Vec<Option<Offset>> {
        for place in 0..self.peers.len() {
            self.peers[place].pings.clear();
            if !asks(&self.peers[place]) {
                continue;
            }
            for asked in 1..=PINGS {
                self.ping(place);
                let asked_ns = self.clock.now_ns();
                while self.peers[place].pings.len() < asked
                    && self.clock.now_ns().saturating_sub(asked_ns) < SILENCE_NS
                    && !self.peers[place].closed
                {
                    self.pump();
                }
            }
        }
        self.peers.iter().map(|peer| offset(&peer.pings)).collect()
    }

    /// Tells each client when to start, on its own clock.
    fn begin(&mut self) -> Result<(), EngineError> {
        let mut longest_ns = 0;
        for peer in &mut self.peers {
            match &peer.before {
                Some(offset) => longest_ns = longest_ns.max(offset.round_trip_ns),
                None => peer.fail("comparing clocks", "it does not answer"),
            }
        }
        self.refuse_failed()?;
        let lead_ns = LEAD_NS.max(longest_ns.saturating_mul(LEAD_ROUND_TRIPS));
        let start_ns = self.clock.now_ns().saturating_add(lead_ns);
        for peer in &mut self.peers {
            let offset_ns = peer.before.as_ref().map_or(0, |offset| offset.ns);
            peer.link.say(&ToAgent::Start { at_ns: start_ns.saturating_add_signed(offset_ns) });
        }
        Ok(())
    }

    /// Takes in the seconds until all have ended. The first that fails ends the run of all.
    fn follow(&mut self) {
        let mut stopped_ns = None;
        loop {
            self.pump();
            let failed = |peer: &Peer<'_>| {
                let ending = peer.record.as_ref().map(|record| &record.ending);
                peer.failed.is_some() || matches!(ending, Some(Ending::Failed { .. }))
            };
            let is_over = self.stop.load(Ordering::Relaxed) || self.peers.iter().any(failed);
            if is_over && !std::mem::replace(&mut self.told_to_stop, true) {
                stopped_ns = Some(self.clock.now_ns());
                for peer in self.peers.iter_mut().filter(|peer| !peer.has_ended()) {
                    peer.link.say(&ToAgent::Stop);
                }
            }
            if self.peers.iter().all(Peer::has_ended) {
                return;
            }
            let waited_ns = stopped_ns.map_or(0, |at_ns| self.clock.now_ns().saturating_sub(at_ns));
            // What is in flight there may take as long as it does in any run; those that are silent are lost anyhow.
            if waited_ns > READY_NS {
                self.peers.iter_mut().for_each(|peer| peer.fail("ending", "not within 120 s"));
            }
        }
    }

    /// How all of it ended.
    fn ending(&self) -> Ending {
        let lost = self.peers.iter().find_map(|peer| {
            let at_s = peer.series.end_ns() as f64 / 1e9;
            match (&peer.failed, peer.record.as_ref().map(|record| &record.ending)) {
                (Some(error), _) => Some(format!("{}: {}, after {at_s:.0} s", error.place, error.cause)),
                (None, Some(Ending::Failed { error })) => {
                    Some(format!("client {}: {error}", peer.client.name))
                }
                _ => None,
            }
        });
        let interrupted =
            |peer: &Peer<'_>| peer.record.as_ref().is_some_and(|record| record.ending == Ending::Interrupted);
        match lost {
            Some(error) => Ending::Failed { error },
            None if self.peers.iter().any(interrupted) => Ending::Interrupted,
            None => Ending::Complete,
        }
    }
}

/// The plan of one client: its targets, its permits, and a seed of its own, so that clients do not go over the same
/// blocks in step.
fn plan_of(plan: &RunPlan, client: &Client, place: usize) -> Result<RunPlan, EngineError> {
    let mut own = plan.clone();
    if !client.targets.is_empty() {
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
