//! One connection: a socket, the state machine of its stream, and what its commands work on.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

use fathom_engine::EngineError;
use fathom_fabric::controller::{
    ADMIN_BYTES, Answer, CommandStart, ControllerQueue, Io, IoHandler, Role, Session, Subsystem,
};
use fathom_fabric::{Extent, FatalError, GatherList, Payloads};

use crate::carrier::Carrier;
use crate::counters::{Counters, add};

/// Bytes that are read at once, of which most go on to the buffers of slots.
pub const STAGING_BYTES: usize = 256 << 10;
/// Bytes that are made ready for sending at once.
const SENDING_BYTES: usize = 256 << 10;

/// Pieces of one call: what is copied between the gathered ones, and long data behind them.
const MOST_SLICES: usize = 2 * GatherList::MOST + 2;

/// What a worker lends to each of its connections in turn.
#[derive(Debug)]
pub struct Scratch {
    staging: Box<[u8]>,
    sending: Vec<u8>,
    gathered: GatherList,
    answers: Vec<(u32, Answer)>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            staging: vec![0; STAGING_BYTES].into_boxed_slice(),
            sending: Vec::with_capacity(SENDING_BYTES),
            gathered: GatherList::default(),
            answers: Vec::new(),
        }
    }
}

/// What a connection's commands work on.
enum CommandBackend {
    /// Buffers of its own: before its Connect, and of admin queues.
    Own(Vec<u8>),
    /// Engines.
    Engines(Box<Carrier>),
}

impl Payloads for CommandBackend {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        match self {
            Self::Own(bytes) => {
                let from = slot as usize * ADMIN_BYTES as usize;
                bytes.get_mut(from..from + ADMIN_BYTES as usize).unwrap_or_default()
            }
            Self::Engines(carrier) => carrier.payload(slot),
        }
    }

    fn view(&self, slot: u32) -> Option<&[u8]> {
        match self {
            Self::Own(_) => None,
            Self::Engines(carrier) => carrier.view(slot),
        }
    }
}

impl IoHandler for CommandBackend {
    fn take(&mut self, slot: u32, namespace: u32) {
        if let Self::Engines(carrier) = self {
            carrier.take(slot, namespace);
        }
    }

    fn begin_io(&mut self, slot: u32, io: Io) -> CommandStart {
        match self {
            // The session lets no I/O through before a queue is one of I/O.
            Self::Own(_) => CommandStart::Later,
            Self::Engines(carrier) => carrier.begin_io(slot, io),
        }
    }
}

/// Why a connection is over.
#[derive(Debug)]
pub enum ConnectionEnd {
    /// The host closed it, or it broke.
    Closed,
    /// The host broke a rule; it was told which.
    Fault(FatalError),
    /// The target cannot serve it.
    Engine(EngineError),
}

/// Makes the engines of a connection that became an I/O queue of so many entries.
pub type Outfit<'a> = dyn FnMut(u32) -> Result<Carrier, EngineError> + 'a;

/// One connection.
pub struct Connection {
    stream: TcpStream,
    peer: IpAddr,
    queue: ControllerQueue,
    session: Session,
    served: CommandBackend,
    /// Bytes that the socket did not take, and how many of them are gone.
    unsent: Vec<u8>,
    sent: usize,
    /// Whether the socket took nothing of what is sent from where it is.
    is_blocked: bool,
    /// When it was accepted, and when its last bytes came.
    since_ns: u64,
    heard_ns: u64,
}

impl Connection {
    /// Of a socket that was accepted at this time.
    ///
    /// # Errors
    /// When the socket is gone already.
    pub fn new(
        stream: TcpStream,
        (peer, local): (SocketAddr, SocketAddr),
        directory: &Mutex<Subsystem>,
        now_ns: u64,
    ) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let address = local.ip().to_canonical();
        let (session, limits, digests) = {
            let subsystem = directory.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let session = Session::new(&subsystem, &address.to_string(), address.is_ipv6(), local.port());
            (session, Session::admin_limits(subsystem.limits.transfer_bytes), subsystem.limits.digests)
        };
        let mut queue = ControllerQueue::new(limits).with_digests(digests);
        queue.leave_data();
        Ok(Self {
            stream,
            peer: peer.ip(),
            queue,
            session,
            served: CommandBackend::Own(vec![0; ADMIN_BYTES as usize]),
            unsent: Vec::new(),
            sent: 0,
            is_blocked: false,
            since_ns: now_ns,
            heard_ns: now_ns,
        })
    }

    /// Its socket.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Where it came from.
    pub fn peer(&self) -> IpAddr {
        self.peer
    }

    /// What it is.
    pub fn role(&self) -> Role {
        self.session.role()
    }

    /// Its part in the subsystem.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// When it was accepted, and when its last bytes came.
    pub fn times_ns(&self) -> (u64, u64) {
        (self.since_ns, self.heard_ns)
    }

    /// Whether the socket took less than there is to send: nothing is read from its host until then.
    pub fn is_stuck(&self) -> bool {
        !self.unsent.is_empty() || self.is_blocked
    }

    /// Whether an engine has an I/O of it.
    pub fn is_busy(&self) -> bool {
        matches!(&self.served, CommandBackend::Engines(carrier) if carrier.is_busy())
    }

    /// When an engine lets the next I/O go; absent where that is not known.
    pub fn next_due_ns(&self) -> Option<u64> {
        match &self.served {
            CommandBackend::Own(_) => None,
            CommandBackend::Engines(carrier) => carrier.next_due_ns(),
        }
    }

    /// Reads what is there, carries it out, and sends what came of it.
    ///
    /// # Errors
    /// Why the connection is over.
    pub fn read(
        &mut self,
        directory: &Mutex<Subsystem>,
        scratch: &mut Scratch,
        now_ns: u64,
        outfit: &mut Outfit<'_>,
    ) -> Result<(), ConnectionEnd> {
        if !self.is_stuck() {
            let bytes = match self.stream.read(&mut scratch.staging) {
                Ok(0) => return Err(ConnectionEnd::Closed),
                Ok(bytes) => bytes,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    return Ok(());
                }
                Err(_) => return Err(ConnectionEnd::Closed),
            };
            self.heard_ns = now_ns;
            self.session.saw(now_ns);
            let was = self.session.role();
            let arrived = scratch.staging.get(..bytes).unwrap_or_default();
            let outcome =
                self.queue.received(arrived, &mut self.session.serving(directory, &mut self.served));
            if let Err(fatal) = outcome {
                return Err(self.refuse(fatal, scratch));
            }
            if was == Role::Fresh {
                self.become_role(outfit).map_err(ConnectionEnd::Engine)?;
            }
        }
        self.advance(scratch)
    }

    /// Takes what engines ended, and sends what there is.
    ///
    /// # Errors
    /// Why the connection is over.
    pub fn advance(&mut self, scratch: &mut Scratch) -> Result<(), ConnectionEnd> {
        if let CommandBackend::Engines(carrier) = &mut self.served {
            if carrier.is_busy() {
                carrier.reap(&mut scratch.answers).map_err(ConnectionEnd::Engine)?;
            }
            for (slot, answer) in scratch.answers.drain(..) {
                self.queue.answer(slot, answer);
            }
        }
        self.send(scratch).map_err(|_| ConnectionEnd::Closed)
    }

    /// Has the slots and buffers of what a Connect made of it.
    fn become_role(&mut self, outfit: &mut Outfit<'_>) -> Result<(), EngineError> {
        let limits = self.session.queue_limits();
        match self.session.role() {
            Role::Fresh => {}
            Role::Admin { entries, .. } => {
                self.served = CommandBackend::Own(vec![0; usize::from(entries) * ADMIN_BYTES as usize]);
                self.queue.become_queue(entries.into(), limits, false);
            }
            Role::Io { entries, without_flow_control, .. } => {
                self.served = CommandBackend::Engines(Box::new(outfit(entries.into())?));
                self.queue.become_queue(entries.into(), limits, without_flow_control);
            }
        }
        Ok(())
    }

    /// Sends as much as the socket takes.
    fn send(&mut self, scratch: &mut Scratch) -> io::Result<()> {
        self.is_blocked = false;
        loop {
            while self.sent < self.unsent.len() {
                let rest = self.unsent.get(self.sent..).unwrap_or_default();
                match write(&mut self.stream, rest)? {
                    Some(bytes) => self.sent += bytes,
                    None => return Ok(()),
                }
            }
            self.unsent.clear();
            self.sent = 0;
            scratch.sending.clear();
            scratch.gathered.clear();
            self.queue.fill(&mut self.served, (&mut scratch.sending, SENDING_BYTES), &mut scratch.gathered);
            let (rest, ready) = (self.queue.rest(), scratch.sending.len() + scratch.gathered.bytes());
            if rest.is_none() && ready == 0 {
                return Ok(());
            }
            let bytes = self.write(scratch, rest)?;
            match bytes.checked_sub(ready) {
                Some(0) | None if rest.is_some() && self.unsent.is_empty() => {
                    self.is_blocked = true;
                    return Ok(());
                }
                Some(direct) if rest.is_some() => self.queue.sent(direct as u32),
                _ => {}
            }
        }
    }

    /// Writes what is ready, each piece from where it is, and long data behind it; how much of all the socket took. What
    /// it did not take of what is ready is copied, so that nobody has a buffer of his own who is not stuck.
    fn write(&mut self, scratch: &Scratch, rest: Option<Extent>) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); MOST_SLICES];
        let (mut count, mut from) = (0, 0);
        let mut put = |bytes| {
            slices[count] = IoSlice::new(bytes);
            count += 1;
        };
        for (before, extent) in scratch.gathered.pieces() {
            put(scratch.sending.get(from..*before).unwrap_or_default());
            put(part(&self.served, *extent));
            from = *before;
        }
        put(scratch.sending.get(from..).unwrap_or_default());
        put(rest.map_or(&[][..], |rest| part(&self.served, rest)));
        let ready = count - 1;
        let bytes = taken(self.stream.write_vectored(&slices[..count]))?.unwrap_or(0);
        let mut gone = bytes;
        for slice in &slices[..ready] {
            let taken = gone.min(slice.len());
            self.unsent.extend_from_slice(&slice[taken..]);
            gone -= taken;
        }
        Ok(bytes)
    }

    /// Says what was wrong, as far as the socket takes it.
    fn refuse(&mut self, fatal: FatalError, scratch: &mut Scratch) -> ConnectionEnd {
        let _ = self.send(scratch);
        let _ = self.stream.shutdown(Shutdown::Write);
        ConnectionEnd::Fault(fatal)
    }

    /// Lets go of what it was.
    pub fn end(mut self, directory: &Mutex<Subsystem>, counters: &Counters, why: &ConnectionEnd) {
        if matches!(why, ConnectionEnd::Fault(fatal) if fatal.is_told()) {
            add(&counters.faults, 1);
        }
        self.session.end(directory);
    }

    /// Reads and drops what a host sends that was told of its fault; over at the end of the stream.
    pub fn drain(stream: &mut TcpStream, scratch: &mut Scratch) -> bool {
        loop {
            match stream.read(&mut scratch.staging) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => {
                    return !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted);
                }
            }
        }
    }

    /// The socket alone, of a connection that was [ended](Self::end).
    pub fn duplicate(&self) -> Option<TcpStream> {
        self.stream.try_clone().ok()
    }
}

/// Part of a slot's buffer, of which there is a view.
fn part(served: &CommandBackend, extent: Extent) -> &[u8] {
    let from = extent.offset as usize;
    served.view(extent.slot).and_then(|all| all.get(from..from + extent.bytes as usize)).unwrap_or_default()
}

/// Bytes that the socket took; none where it takes no more.
fn write(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<Option<usize>> {
    taken(stream.write(bytes))
}

/// The same of the outcome of a call.
fn taken(outcome: io::Result<usize>) -> io::Result<Option<usize>> {
    match outcome {
        Ok(0) => Err(ErrorKind::WriteZero.into()),
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(Some(0)),
        Err(error) => Err(error),
    }
}

/// What the connections of one target share.
pub type SharedSubsystem = Arc<Mutex<Subsystem>>;
