//! NVMe commands over TCP: one connection, which is one I/O queue of a controller, owned by the job's thread.
//!
//! The protocol is the state machine of [`fathom_fabric::host`]; here are its socket, its buffers and its stamps. The
//! socket does not block: a turn sends what is queued with one write, takes what is there with one read, and only where
//! the job would wait anyway is the socket waited for.

mod connection_loss;
pub(crate) mod launch;
mod reconnect;
#[cfg(target_os = "linux")]
#[path = "wait_linux.rs"]
mod wait;
#[cfg(not(target_os = "linux"))]
#[path = "wait_elsewhere.rs"]
mod wait;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use fathom_fabric::Payloads;
use fathom_fabric::host::{HostQueue, NamespaceFacts, SlotCompletion, Transfer};
use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature, FabricQueue, POLLED_COMPLETIONS};
use fathom_spec::fabrics::SubmissionEntry;
use fathom_spec::io;
use fathom_target::remote::{Controller, IoQueue, Remote, is_passing};

use crate::os_error::{ECONNRESET, EINVAL, ENOTCONN};
use crate::passthrough::status_errno;
use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
use connection_loss::ConnectionLoss;
use reconnect::Reconnection;

/// Bytes that one reading of the socket takes at most: smaller ones double the cost of small I/Os.
const READ_BYTES: usize = 256 << 10;
/// Bytes that are gathered for one write.
const SEND_BYTES: usize = 256 << 10;
/// Silence after which a target that owes answers is given up, in nanoseconds: as the kernel's initiator has it.
const SILENCE_NS: u64 = 30_000_000_000;
/// Longest wait until what else may have happened is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Longest time that dropping the engine waits for I/O in flight, in nanoseconds.
const DRAIN_NS: u64 = 2_000_000_000;

/// The buffers of slots, as the protocol sees them.
#[derive(Debug)]
struct Buffers(Arena);

impl Payloads for Buffers {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        self.0.slice(slot)
    }
}

/// An I/O in a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    io: Option<Io>,
    in_flight: bool,
    submitted_ns: u64,
    /// 0 until the socket took it.
    returned_ns: u64,
}

/// One I/O queue of a controller.
#[derive(Debug)]
pub struct NvmeTcp<C: Clock> {
    stream: TcpStream,
    queue: HostQueue,
    buffers: Buffers,
    /// What was gathered, and how much of it is sent.
    out: Vec<u8>,
    sent: usize,
    staging: Box<[u8]>,
    places: Box<[Place]>,
    /// Slots whose commands the socket has not taken yet.
    fresh: Vec<u32>,
    ended: Vec<SlotCompletion>,
    in_flight: u32,
    heard_ns: u64,
    is_lost: bool,
    number: u16,
    namespace: NamespaceFacts,
    controller: Arc<Controller>,
    /// What was carried, and where it is told at the end.
    carried: FabricQueue,
    home: Option<Arc<Remote>>,
    /// How a lost connection is made again; none where a loss is the end.
    revival: Option<Reconnection>,
    /// Looks for answers without sleeping.
    polled: bool,
    clock: C,
    facts: EngineFacts,
}

impl<C: Clock> NvmeTcp<C> {
    /// Connects I/O queue `number` of a controller, 1 and up, with `depth` buffers of `buffer_bytes`.
    ///
    /// # Errors
    /// As the target refuses it, and where the buffers cannot be allocated.
    pub fn new(
        controller: &Arc<Controller>,
        number: u16,
        depth: u32,
        buffer_bytes: u64,
        clock: C,
    ) -> Result<Self, EngineError> {
        let arena = Arena::new(depth, buffer_bytes)?;
        let largest = u32::try_from(buffer_bytes).unwrap_or(u32::MAX);
        let IoQueue { stream, queue, entries, pieces, flow_control } =
            controller.connect_queue(number, depth, largest)?;
        let facts = facts(controller, (entries, pieces), flow_control);
        let local_port = stream.local_addr().ok().map(|address| address.port());
        Ok(Self {
            stream,
            queue,
            buffers: Buffers(arena),
            out: Vec::with_capacity(SEND_BYTES),
            sent: 0,
            staging: vec![0; READ_BYTES].into_boxed_slice(),
            places: vec![Place::default(); depth as usize].into_boxed_slice(),
            fresh: Vec::with_capacity(depth as usize),
            ended: Vec::with_capacity(depth as usize),
            in_flight: 0,
            heard_ns: clock.now_ns(),
            is_lost: false,
            number,
            namespace: controller.namespace(),
            controller: Arc::clone(controller),
            carried: FabricQueue { number, entries, local_port, ..FabricQueue::default() },
            home: None,
            revival: None,
            polled: false,
            clock,
            facts,
        })
    }

    /// With `polled` the socket is asked for answers over and over: no I/O waits for its thread to wake up, and the
    /// thread uses all of its processor.
    #[must_use]
    pub fn polling(mut self, polled: bool) -> Self {
        self.polled = polled;
        let note = (!polled).then(|| "not asked for".to_owned());
        self.facts.features.push(EngineFeature::new(POLLED_COMPLETIONS, polled, note));
        self
    }

    /// Of job `job`: tells the remote at its end what it carried, and has a lost connection made again where the
    /// target's name asks for that.
    #[must_use]
    pub fn kept_by(mut self, remote: &Arc<Remote>, job: u32, label: &str, buffer_bytes: u32) -> Self {
        self.revival = Reconnection::of(remote, label, (self.places.len() as u32, buffer_bytes));
        self.home = Some(Arc::clone(remote));
        self.carried.job = job;
        self
    }

    /// Takes down what the queue counted itself: it is about to be dropped.
    fn tally(&mut self) {
        let (commands, asked) = self.queue.counts();
        self.carried.commands += commands;
        self.carried.transfers_asked += asked;
    }

    /// Puts an I/O in line; false where it is not one that the namespace has a command for.
    fn start(&mut self, io: &Io) -> bool {
        let NamespaceFacts { id, block_shift, .. } = self.namespace;
        let block = 1_u64 << block_shift;
        if !io.offset.is_multiple_of(block) && io.direction != Direction::Flush
            || !u64::from(io.bytes).is_multiple_of(block)
        {
            return false;
        }
        let transfer =
            |opcode| Transfer { opcode, nsid: id, offset: io.offset, bytes: io.bytes, block_shift };
        match io.direction {
            Direction::Read => self.queue.start_transfer(io.slot, transfer(io::READ)),
            Direction::Write => self.queue.start_transfer(io.slot, transfer(io::WRITE)),
            Direction::Flush => self.queue.start(io.slot, SubmissionEntry::new(io::FLUSH, id, [0; 6]), 0),
            Direction::Trim => {
                let entry = SubmissionEntry::new(io::DATASET_MANAGEMENT, id, [0, io::DEALLOCATE, 0, 0, 0, 0]);
                let range = io::range(io.offset >> block_shift, io.bytes >> block_shift);
                self.queue.start_with(io.slot, entry, &range)
            }
        }
    }

    /// Sends what is queued, as far as the socket takes it.
    fn send(&mut self) -> Result<(), ConnectionLoss> {
        if !self.has_output() {
            return Ok(());
        }
        let began_ns = self.clock.now_ns();
        for slot in &self.fresh {
            let place = &mut self.places[*slot as usize];
            if place.submitted_ns == 0 {
                place.submitted_ns = began_ns;
            }
        }
        loop {
            if self.sent == self.out.len() {
                self.out.clear();
                self.sent = 0;
                let Self { queue, buffers, out, ended, .. } = self;
                queue.fill(buffers, (out, SEND_BYTES), &mut |end| ended.push(end));
                if self.out.is_empty() {
                    break;
                }
            }
            match self.stream.write(self.out.get(self.sent..).unwrap_or_default()) {
                Ok(0) => return Err(ConnectionLoss::Closed),
                Ok(count) => {
                    self.sent += count;
                    self.carried.send_calls += 1;
                    self.carried.sent_bytes += count as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(ConnectionLoss::System(error)),
            }
        }
        let taken_ns = self.clock.now_ns();
        for slot in self.fresh.drain(..) {
            self.places[slot as usize].returned_ns = taken_ns;
        }
        Ok(())
    }

    fn has_output(&self) -> bool {
        self.sent < self.out.len() || self.queue.has_output()
    }

    /// Takes what has arrived, and answers it.
    fn receive(&mut self, done: &mut Vec<Completion>) -> Result<(), ConnectionLoss> {
        loop {
            let count = match self.stream.read(&mut self.staging) {
                Ok(0) => return Err(ConnectionLoss::Closed),
                Ok(count) => count,
                Err(error) if is_passing(&error) => return Ok(()),
                Err(error) => return Err(ConnectionLoss::System(error)),
            };
            self.carried.receive_calls += 1;
            self.carried.received_bytes += count as u64;
            let Self { queue, buffers, staging, ended, .. } = self;
            let arrived = staging.get(..count).unwrap_or_default();
            let taken = queue.received(arrived, buffers, &mut |end| ended.push(end));
            self.heard_ns = self.clock.now_ns();
            self.hand_out(done);
            if let Err(fatal) = taken {
                // The termination request; that it arrives is not waited for.
                let _ = self.send();
                return Err(ConnectionLoss::Broken(fatal));
            }
            if count < READ_BYTES {
                return Ok(());
            }
        }
    }

    /// Hands out what ended.
    fn hand_out(&mut self, done: &mut Vec<Completion>) {
        for SlotCompletion { slot, status, .. } in self.ended.drain(..) {
            let place = &mut self.places[slot as usize];
            let bytes = place.io.map_or(0, |io| io.bytes);
            let result = if status.is_success() { bytes as i32 } else { status_errno::as_result(status) };
            let stamps = stamps(place, self.heard_ns);
            place.in_flight = false;
            self.in_flight -= 1;
            if place.returned_ns == 0 {
                self.fresh.retain(|fresh| *fresh != slot);
            }
            done.push(Completion { slot, result, stamps });
        }
    }

    /// One turn: sends, takes, and sends what that asked for.
    fn turn(&mut self, done: &mut Vec<Completion>) -> Result<(), ConnectionLoss> {
        self.send()?;
        self.receive(done)?;
        self.send()?;
        if !self.ended.is_empty() {
            // Their last PDU had to be out before they could end.
            self.heard_ns = self.clock.now_ns();
            self.hand_out(done);
        }
        Ok(())
    }

    /// Waits for the socket; where it is polled, not at all.
    fn rest(&mut self, most: Duration) -> Result<(), ConnectionLoss> {
        if self.polled {
            std::hint::spin_loop();
        } else {
            wait::wait(&self.stream, self.has_output(), most).map_err(ConnectionLoss::System)?;
        }
        if self.controller.shared().is_lost() {
            return Err(ConnectionLoss::Controller);
        }
        if self.clock.now_ns().saturating_sub(self.heard_ns) > SILENCE_NS {
            return Err(ConnectionLoss::Silent);
        }
        Ok(())
    }

    /// The connection is of no use any more.
    #[cold]
    fn lose(&mut self, why: &str, done: &mut Vec<Completion>) {
        let Some(revival) = &mut self.revival else { return self.give_up(why, done) };
        revival.begin(why, self.clock.now_ns());
        // The others with a queue of this controller find that out by themselves, without waiting for it.
        self.controller.shared().lose(format!("I/O queue {}: {why}", self.number));
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }

    /// Ends everything in flight.
    #[cold]
    fn give_up(&mut self, why: &str, done: &mut Vec<Completion>) {
        self.controller.shared().lose(format!("I/O queue {}: {why}", self.number));
        self.is_lost = true;
        self.heard_ns = self.clock.now_ns();
        self.fresh.clear();
        (0..self.places.len() as u32).for_each(|slot| self.fail(slot, ECONNRESET, done));
    }

    /// Ends what is in flight in a slot.
    fn fail(&mut self, slot: u32, errno: i32, done: &mut Vec<Completion>) {
        let place = &mut self.places[slot as usize];
        if place.in_flight {
            place.in_flight = false;
            let stamps = stamps(place, self.heard_ns);
            done.push(Completion { slot, result: -errno, stamps });
            self.in_flight -= 1;
        }
    }

    fn refused(&self, slot: u32, errno: i32) -> Submission {
        let now = self.clock.now_ns();
        let stamps = Stamps { submitted_ns: now, returned_ns: now, reaped_ns: now };
        Submission::Done(Completion { slot, result: -errno, stamps })
    }
}

/// The stamps of an I/O that ended at `reaped_ns`, whatever of it was sent.
fn stamps(place: &Place, reaped_ns: u64) -> Stamps {
    let or_end = |stamp_ns: u64| if stamp_ns == 0 { reaped_ns } else { stamp_ns };
    let (submitted_ns, returned_ns) = (or_end(place.submitted_ns), or_end(place.returned_ns));
    Stamps { submitted_ns, returned_ns, reaped_ns }
}

impl<C: Clock> Engine for NvmeTcp<C> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.buffers.payload(slot)
    }

    #[inline]
    fn submit(&mut self, io: Io) -> Submission {
        if self.is_lost {
            return self.refused(io.slot, ENOTCONN);
        }
        // Without a connection it waits for the next one, and its time counts from here.
        let is_out = self.revival.as_ref().is_some_and(Reconnection::is_out);
        let submitted_ns = if is_out { self.clock.now_ns() } else { 0 };
        if !is_out && !self.start(&io) {
            return self.refused(io.slot, EINVAL);
        }
        self.places[io.slot as usize] = Place { io: Some(io), in_flight: true, submitted_ns, returned_ns: 0 };
        if self.in_flight == 0 {
            // Silence counts from the first I/O that is waited for.
            self.heard_ns = self.clock.now_ns();
        }
        self.fresh.push(io.slot);
        self.in_flight += 1;
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let before = done.len();
        while self.in_flight > 0 {
            if self.revival.as_ref().is_some_and(Reconnection::is_out) {
                if !self.revive(wait, done) {
                    return Ok(());
                }
            } else if let Err(why) = self.turn(done) {
                self.lose(&why.to_string(), done);
            }
            let Wait::Until(until_ns) = wait else { return Ok(()) };
            let now = self.clock.now_ns();
            if done.len() > before || now >= until_ns {
                return Ok(());
            }
            if let Err(why) = self.rest(Duration::from_nanos(until_ns - now).min(LOOK)) {
                self.lose(&why.to_string(), done);
            }
        }
        Ok(())
    }
}

impl<C: Clock> Drop for NvmeTcp<C> {
    /// Waits for I/O in flight, so that a write does not reach the target after the run. The buffers are this
    /// process's alone: nothing writes to them once the socket is closed.
    fn drop(&mut self) {
        let until_ns = self.clock.now_ns().saturating_add(DRAIN_NS);
        let mut done = Vec::with_capacity(self.places.len());
        while self.in_flight > 0 && self.clock.now_ns() < until_ns {
            if self.reap(Wait::Until(until_ns), &mut done).is_err() {
                break;
            }
        }
        self.tally();
        if let Some(home) = &self.home {
            let mut all = home.queues().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            all.push(std::mem::take(&mut self.carried));
        }
        // Telemetry has a descriptor of it too, so that dropping this one would not close it.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

fn facts(controller: &Controller, (entries, pieces): (u32, u32), flow_control: bool) -> EngineFacts {
    let said = controller.facts();
    let feature = |name: &str, used: bool, note: String| EngineFeature::new(name, used, Some(note));
    let framing = controller.framing();
    let digest = |name: &str, used: bool| EngineFeature::new(name, used, None);
    EngineFacts {
        name: launch::NAME.to_owned(),
        version: 1,
        features: vec![
            feature(
                "queue_entries",
                true,
                format!("{entries} of the {} that the target takes", said.queue_entries),
            ),
            feature("io_queues", true, format!("{} given by the target, one a job", said.queues)),
            feature(
                "split_commands",
                pieces > 1,
                format!(
                    "{pieces} commands of at most {} bytes an I/O of the largest size",
                    said.transfer_bytes
                ),
            ),
            feature(
                "in_capsule_data",
                said.in_capsule_bytes > 0,
                format!("writes of up to {} bytes go with their command", said.in_capsule_bytes),
            ),
            feature(
                "without_flow_control",
                !flow_control,
                match flow_control {
                    false => "the end of a read may come with its data".to_owned(),
                    true => "the target insists on reporting its submission queue's head".to_owned(),
                },
            ),
            digest("header_digest", framing.header_digest),
            digest("data_digest", framing.data_digest),
        ],
        completes_inline: false,
        returned_stamp:
            "when the kernel had taken the whole command for sending; data that the target asks for later is \
                         sent after it"
                .to_owned(),
    }
}
