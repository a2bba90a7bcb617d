//! One worker: its connections, their engines, and the one loop that serves them.

use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};

use fathom_engine::EngineError;
use fathom_fabric::controller::{Directory, Role};
use fathom_measure::{Clock, WallClock};

use crate::carrier::Carrier;
use crate::connection::{Connection, ConnectionEnd, Scratch, SharedSubsystem};
use crate::counters::{Counters, add};
use crate::exported_targets::Export;
use crate::readiness_wait::{BELL, Interest, Poller, Waker};

/// Between two looks at who is silent, in nanoseconds.
const LOOK_EVERY_NS: u64 = 100_000_000;
/// Time in which a connection has to say what it is.
const NEWCOMER_NS: u64 = 10_000_000_000;
/// Silence after which a controller ends whose host named no time.
const SILENCE_NS: u64 = 120_000_000_000;
/// Time for which a host that was told of its fault may still send.
const LINGER_NS: u64 = 1_000_000_000;
/// How near a moment is before the worker stays awake for it: the time that it takes to wake up.
const AWAKE_NS: u64 = 120_000;
/// How near a moment is before the worker looks at nothing but the clock: the time of a look at its connections.
const SOON_NS: u64 = 3_000;
/// How long a worker stays awake for engines that do not say when they are done, and how long it then sleeps.
const SPIN_NS: u64 = 50_000;
const NAP_NS: u64 = 50_000;

/// A connection on its way to its worker.
pub type Arrival = (TcpStream, SocketAddr, SocketAddr);

/// What all workers of a target share.
#[derive(Debug)]
pub struct TargetState {
    /// What is served.
    pub export: Export,
    /// Its state machine.
    pub directory: SharedSubsystem,
    /// What was served.
    pub counters: Arc<Counters>,
    /// Set when all is to end.
    pub stop: AtomicBool,
    /// Connections there are.
    pub open: AtomicUsize,
    /// Connections that have not said yet what they are.
    pub newcomers: AtomicUsize,
    /// I/O queues made so far, which number their engines.
    pub queues_made: AtomicU32,
    /// Sentences for whoever runs the target.
    pub said: Mutex<Vec<String>>,
    /// The clock of engines and of silence.
    pub clock: WallClock,
    /// Whether workers that have connections look for commands without sleeping.
    pub polled: bool,
}

impl TargetState {
    /// Takes a sentence down, as long as somebody reads them.
    pub fn say(&self, text: String) {
        const MOST: usize = 256;
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() < MOST {
            said.push(text);
        }
    }

    /// The engines of an I/O queue, made on the calling thread.
    fn outfit(&self, entries: u32, bell: &Waker) -> Result<Carrier, EngineError> {
        let number = self.queues_made.fetch_add(1, Ordering::Relaxed);
        let (bytes, namespaces) =
            self.directory.with(|it| (it.limits.transfer_bytes, Arc::clone(&it.namespaces)));
        let engine =
            |backend: &crate::exported_targets::Backend| backend.engine(number, (entries, bytes), self.clock);
        let engines = self.export.backends.iter().map(engine).collect::<Result<Vec<_>, _>>()?;
        Ok(Carrier::new(engines, namespaces, (entries, bell), Arc::clone(&self.counters)))
    }
}

/// One worker.
pub struct Worker {
    common: Arc<TargetState>,
    ready: Poller,
    /// What wakes it, which its engines ring too.
    bell: Waker,
    arrivals: Receiver<Arrival>,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    /// Connections whose engines have I/Os.
    busy: Vec<usize>,
    /// Sockets of hosts that were told of a fault, and until when they are read.
    lingering: Vec<(TcpStream, u64)>,
    scratch: Scratch,
    tokens: Vec<u64>,
    looked_ns: u64,
    worked_ns: u64,
    /// Whether this turn is for what fell due.
    is_due: bool,
}

impl Worker {
    /// Without connections.
    pub fn new(common: Arc<TargetState>, ready: Poller, arrivals: Receiver<Arrival>) -> Self {
        Self {
            common,
            bell: ready.bell(),
            ready,
            arrivals,
            connections: Vec::new(),
            free: Vec::new(),
            busy: Vec::new(),
            lingering: Vec::new(),
            scratch: Scratch::default(),
            tokens: Vec::with_capacity(128),
            looked_ns: 0,
            worked_ns: 0,
            is_due: false,
        }
    }

    /// Serves until it is to end. What is in flight then ends first.
    pub fn run(mut self) {
        while !self.common.stop.load(Ordering::Relaxed) {
            let timeout_ns = self.timeout_ns(self.common.clock.now_ns());
            let mut tokens = std::mem::take(&mut self.tokens);
            tokens.clear();
            // What has fallen due goes first, and then whoever else waits.
            self.is_due = timeout_ns.is_none() && !self.is_due;
            if !self.is_due
                && let Err(error) = self.ready.wait(Some(timeout_ns.unwrap_or(0)), &mut tokens)
            {
                self.common.say(format!("a worker ended: waiting for connections: {error}"));
                break;
            }
            let now_ns = self.common.clock.now_ns();
            for token in tokens.iter().filter(|token| **token != BELL) {
                self.read(*token as usize, now_ns);
            }
            self.advance_busy();
            if tokens.contains(&BELL) {
                self.welcome(now_ns);
            }
            if !tokens.is_empty() {
                self.worked_ns = now_ns;
            }
            self.tokens = tokens;
            if now_ns.saturating_sub(self.looked_ns) >= LOOK_EVERY_NS {
                self.looked_ns = now_ns;
                self.look(now_ns);
            }
        }
        for at in 0..self.connections.len() {
            self.end(at, &ConnectionEnd::Closed);
        }
    }

    /// How long the next wait may be; none where something fell due, for the last moment of which this waits itself.
    fn timeout_ns(&self, now_ns: u64) -> Option<u64> {
        let look_ns = (self.looked_ns + LOOK_EVERY_NS).saturating_sub(now_ns);
        let has_connections = self.free.len() < self.connections.len();
        let mut wait_ns = if self.common.polled && has_connections { 0 } else { look_ns };
        for at in &self.busy {
            let Some(Some(connection)) = self.connections.get(*at) else { continue };
            wait_ns = wait_ns.min(match connection.next_due_ns() {
                Some(due_ns) if due_ns.saturating_sub(now_ns) < SOON_NS => {
                    while self.common.clock.now_ns() < due_ns {
                        std::hint::spin_loop();
                    }
                    return None;
                }
                Some(due_ns) => due_ns.saturating_sub(now_ns.saturating_add(AWAKE_NS)),
                None if now_ns.saturating_sub(self.worked_ns) < SPIN_NS => 0,
                None => NAP_NS,
            });
        }
        Some(wait_ns)
    }

    /// Takes connections in that were handed over.
    fn welcome(&mut self, now_ns: u64) {
        loop {
            match self.arrivals.try_recv() {
                Ok((stream, peer, local)) => {
                    let made = Connection::new(stream, (peer, local), &self.common.directory, now_ns);
                    let at = self.free.pop().unwrap_or(self.connections.len());
                    let added = made.and_then(|connection| {
                        self.ready.add(connection.stream(), at as u64, Interest::Read)?;
                        Ok(connection)
                    });
                    match added {
                        Ok(connection) if at == self.connections.len() => {
                            self.connections.push(Some(connection));
                        }
                        Ok(connection) => self.connections[at] = Some(connection),
                        Err(_) => {
                            if at < self.connections.len() {
                                self.free.push(at);
                            }
                            self.common.open.fetch_sub(1, Ordering::Relaxed);
                            self.common.newcomers.fetch_sub(1, Ordering::Relaxed);
                        }
                    }
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }

    fn read(&mut self, at: usize, now_ns: u64) {
        let Some(Some(connection)) = self.connections.get_mut(at) else { return };
        let (was, was_stuck, was_busy) = (connection.role(), connection.is_stuck(), connection.is_busy());
        let (common, bell) = (&self.common, &self.bell);
        let outcome = connection
            .read(&common.directory, &mut self.scratch, now_ns, &mut |entries| common.outfit(entries, bell));
        let is = connection.role();
        if was == Role::Fresh && is != Role::Fresh {
            common.newcomers.fetch_sub(1, Ordering::Relaxed);
            let became =
                if let Role::Io { .. } = is { &common.counters.queues } else { &common.counters.controllers };
            add(became, 1);
        }
        self.settle(at, outcome, (was_stuck, was_busy));
    }

    /// Looks at every connection whose engines have something.
    fn advance_busy(&mut self) {
        let mut next = 0;
        while let Some(&at) = self.busy.get(next) {
            let Some(Some(connection)) = self.connections.get_mut(at) else {
                self.busy.swap_remove(next);
                continue;
            };
            let was_stuck = connection.is_stuck();
            let outcome = connection.advance(&mut self.scratch);
            if outcome.is_ok() && connection.is_busy() {
                next += 1;
            } else {
                self.busy.swap_remove(next);
            }
            self.settle(at, outcome, (was_stuck, true));
        }
    }

    /// After a turn of a connection: what it is waited for, or its end.
    fn settle(&mut self, at: usize, outcome: Result<(), ConnectionEnd>, (was_stuck, was_busy): (bool, bool)) {
        if let Err(over) = outcome {
            self.end(at, &over);
            return;
        }
        let Some(Some(connection)) = self.connections.get(at) else { return };
        if connection.is_busy() && !was_busy {
            self.busy.push(at);
            self.worked_ns = self.common.clock.now_ns();
        }
        let is_stuck = connection.is_stuck();
        if is_stuck != was_stuck {
            let interest = if is_stuck { Interest::Write } else { Interest::Read };
            // A descriptor that was added can be changed.
            let _ = self.ready.change(connection.stream(), at as u64, interest);
        }
    }

    /// Ends who was silent for too long, and what others ended.
    fn look(&mut self, now_ns: u64) {
        for at in 0..self.connections.len() {
            let Some(Some(connection)) = self.connections.get(at) else { continue };
            let (since_ns, heard_ns) = connection.times_ns();
            if connection.session().is_over() {
                self.end(at, &ConnectionEnd::Closed);
                continue;
            }
            let patience_ns = match connection.role() {
                Role::Fresh if now_ns.saturating_sub(since_ns) > NEWCOMER_NS => {
                    self.end(at, &ConnectionEnd::Closed);
                    continue;
                }
                Role::Admin { controller, .. } => {
                    let ms =
                        self.common.directory.with(|it| it.controller(controller).map(|it| it.keep_alive_ms));
                    match ms.unwrap_or(0) {
                        0 => SILENCE_NS,
                        // Twice the time: the host sends at half of it, and may be late.
                        ms => u64::from(ms) * 2_000_000,
                    }
                }
                _ => continue,
            };
            let seen_ns = connection.session().seen().max(heard_ns);
            if now_ns.saturating_sub(seen_ns) > patience_ns {
                add(&self.common.counters.lost_hosts, 1);
                self.common.say(format!(
                    "the host at {} gave no sign of life for {} s: its controller was ended",
                    connection.peer(),
                    patience_ns / 1_000_000_000
                ));
                self.end(at, &ConnectionEnd::Closed);
            }
        }
        let scratch = &mut self.scratch;
        self.lingering
            .retain_mut(|(stream, until_ns)| !Connection::drain(stream, scratch) && now_ns < *until_ns);
    }

    fn end(&mut self, at: usize, why: &ConnectionEnd) {
        let Some(connection) = self.connections.get_mut(at).and_then(Option::take) else { return };
        let common = &self.common;
        match why {
            ConnectionEnd::Closed => {}
            ConnectionEnd::Fault(fatal) => {
                common.say(format!("{}: the connection was ended: {fatal}", connection.peer()));
                // A socket that is closed with bytes unread takes back what it sent last.
                if fatal.is_told()
                    && let Some(stream) = connection.duplicate()
                {
                    self.lingering.push((stream, common.clock.now_ns() + LINGER_NS));
                }
            }
            ConnectionEnd::Engine(error) => common.say(format!("{}: not served: {error}", connection.peer())),
        }
        if connection.role() == Role::Fresh {
            common.newcomers.fetch_sub(1, Ordering::Relaxed);
        }
        common.open.fetch_sub(1, Ordering::Relaxed);
        self.free.push(at);
        connection.end(&common.directory, &common.counters, why);
    }
}
