//! A queue pair over a blocking socket, one command at a time: what connecting and the admin queue need.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use fathom_fabric::host::{Association, AssociationStep, HostQueue, SlotCompletion};
use fathom_fabric::{Framing, Payloads};
use fathom_spec::fabrics::SubmissionEntry;

use crate::{Error, ErrorKind};

/// What is being done where it fails; whoever knows the controller's name says it in this place.
const SPEAKING: &str = "speaking to the target";
/// Longest wait for a connection, an answer to its initialization, or the end of one command.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of the one buffer: of the longest data of an admin command.
const BUFFER_BYTES: usize = 8192;
/// Bytes that one reading of the socket takes at most.
const READ_BYTES: usize = 16 << 10;
/// Bytes that are gathered before they are sent.
const SEND_BYTES: usize = 64 << 10;

/// The buffer of slot 0; other slots carry no data.
#[derive(Debug)]
struct OneBuffer(Vec<u8>);

impl Payloads for OneBuffer {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        if slot == 0 { &mut self.0 } else { &mut [] }
    }
}

/// A connection whose commands are waited for.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    queue: HostQueue,
    buffer: OneBuffer,
    staging: Vec<u8>,
    ended: Vec<SlotCompletion>,
}

impl Wire {
    /// Connects and initializes, for `slots` slots of up to `pieces` commands.
    ///
    /// # Errors
    /// Why there is no connection, as a clause.
    pub fn open(
        address: &SocketAddr,
        framing: Framing,
        (slots, pieces): (u32, u32),
        patience: Duration,
    ) -> Result<Self, Error> {
        let stream = TcpStream::connect_timeout(address, patience).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                lost(format!("nothing answers there within {} s", patience.as_secs())).with_source(error)
            }
            _ => failed(&error),
        })?;
        stream.set_nodelay(true).map_err(|error| failed(&error))?;
        stream.set_write_timeout(Some(patience)).map_err(|error| failed(&error))?;
        let mut wire = Self {
            stream,
            queue: HostQueue::new(framing, slots, pieces),
            buffer: OneBuffer(vec![0; BUFFER_BYTES]),
            staging: vec![0; READ_BYTES],
            ended: Vec::new(),
        };
        let until = now() + patience;
        while !wire.queue.is_open() {
            wire.turn(left(until, "the first PDU (ICReq)", patience)?)?;
        }
        Ok(wire)
    }

    /// Sends what waits, and takes what arrives within a time.
    ///
    /// # Errors
    /// When the connection is of no use any more, with the reason as a clause.
    pub fn turn(&mut self, wait: Duration) -> Result<(), Error> {
        self.send()?;
        self.stream
            .set_read_timeout(Some(wait.max(Duration::from_millis(1))))
            .map_err(|error| failed(&error))?;
        let count = match self.stream.read(&mut self.staging) {
            Ok(0) => return Err(lost("the target closed the connection")),
            Ok(count) => count,
            Err(error) if is_passing(&error) => return Ok(()),
            Err(error) => return Err(failed(&error)),
        };
        let Self { queue, buffer, staging, ended, .. } = self;
        let arrived = staging.get(..count).unwrap_or_default();
        let taken = queue.received(arrived, buffer, &mut |end| ended.push(end));
        // An answer to what arrived, or the termination request where it broke a rule.
        let sent = self.send();
        taken.map_err(|fatal| lost(fatal.to_string()).with_source(fatal))?;
        sent
    }

    fn send(&mut self) -> Result<(), Error> {
        while self.queue.has_output() {
            let mut out = Vec::with_capacity(SEND_BYTES);
            let Self { queue, buffer, ended, .. } = self;
            queue.fill(buffer, (&mut out, SEND_BYTES), &mut |end| ended.push(end));
            self.stream.write_all(&out).map_err(|error| match is_passing(&error) {
                true => lost("the target takes no more data").with_source(error),
                false => failed(&error),
            })?;
        }
        Ok(())
    }

    /// Starts a command without data in a slot. False where the slot is in use.
    pub fn start(&mut self, slot: u32, entry: SubmissionEntry) -> bool {
        self.queue.start(slot, entry, 0)
    }

    /// The end of the command in a slot, if it ended since it was asked last.
    pub fn take_end(&mut self, slot: u32) -> Option<SlotCompletion> {
        let at = self.ended.iter().position(|end| end.slot == slot)?;
        Some(self.ended.swap_remove(at))
    }

    /// One command in slot 0, with up to `bytes` bytes of data, which begin with `data` on their way to the controller.
    ///
    /// # Errors
    /// When the connection is lost, or the command does not end in time.
    pub fn command(
        &mut self,
        entry: SubmissionEntry,
        data: &[u8],
        (bytes, patience): (u32, Duration),
    ) -> Result<SlotCompletion, Error> {
        if let Some(place) = self.buffer.0.get_mut(..data.len()) {
            place.copy_from_slice(data);
        }
        if bytes as usize > BUFFER_BYTES || !self.queue.start(0, entry, bytes) {
            return Err(lost("a command of the admin queue is under way already"));
        }
        let until = now() + patience;
        loop {
            if let Some(end) = self.take_end(0) {
                return Ok(end);
            }
            self.turn(left(until, "a command", patience)?)?;
        }
    }

    /// The data that the last command brought.
    pub fn data(&self, bytes: u32) -> &[u8] {
        self.buffer.0.get(..bytes as usize).unwrap_or_default()
    }

    /// Says what an association says, until its controller is ready.
    ///
    /// # Errors
    /// When it refuses, or the connection is lost.
    pub fn associate(&mut self, association: &mut Association) -> Result<(), Error> {
        loop {
            match association.next_step() {
                AssociationStep::Ready => return Ok(()),
                AssociationStep::Pause(ms) => std::thread::sleep(Duration::from_millis(u64::from(ms))),
                AssociationStep::Command { entry, bytes } => {
                    let end = self.command(entry, &association.data(), (bytes, PATIENCE))?;
                    let data = self.data(bytes);
                    association
                        .answered(end.status, end.result, data)
                        .map_err(|failure| lost(failure.to_string()).with_source(failure))?;
                }
            }
        }
    }

    /// The socket.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// The parts, for whoever drives them without waiting.
    pub fn into_parts(self) -> (TcpStream, HostQueue) {
        (self.stream, self.queue)
    }
}

/// That the conversation is at its end, with the reason as a clause.
pub fn lost(cause: impl Into<String>) -> Error {
    Error::new(ErrorKind::System, SPEAKING, cause)
}

/// The same as the system reports it.
pub fn failed(error: &io::Error) -> Error {
    Error::system(SPEAKING, error)
}

/// The time.
#[allow(clippy::disallowed_methods, reason = "the patience of a conversation, of which nothing is measured")]
pub fn now() -> Instant {
    Instant::now()
}

/// Whether a call only found nothing to do in its time.
pub fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Time until a moment.
fn left(until: Instant, what: &str, patience: Duration) -> Result<Duration, Error> {
    let left = until.saturating_duration_since(now());
    if left.is_zero() {
        let cause = format!("the target did not answer {what} within {} s", patience.as_secs());
        return Err(lost(cause));
    }
    Ok(left)
}
