//! What a connection has become: nothing yet, the admin queue of a controller, or an I/O queue; and what each command
//! means there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fathom_spec::fabrics::capsule::Flow;
use fathom_spec::fabrics::connect::{
    self, ANY_CONTROLLER, ConnectData, ConnectFields, WITHOUT_FLOW_CONTROL, invalid, name_of, place, refused,
};
use fathom_spec::fabrics::{DISCOVERY_NAME, SubmissionEntry, command_type, property};
use fathom_spec::{Status, io};

use super::admin_commands;
use super::queue::{
    Answer, CommandStart, Handler, HostDataLength, INVALID_FIELD, INVALID_LENGTH, INVALID_OPCODE,
    QueueLimits, Refusal,
};
use super::subsystem::{self, Directory, Namespace, Subsystem, SubsystemLimits};
use crate::framing::Payloads;

/// Status: Command Sequence Error, not to be retried.
const OUT_OF_SEQUENCE: Status = Status(0x400c);
/// Status: Invalid Namespace or Format, not to be retried.
const INVALID_NAMESPACE: Status = Status(0x400b);
/// Status: LBA Out of Range, not to be retried.
const BEYOND: Status = Status(0x4080);
/// Status: Namespace is Write Protected, not to be retried.
const PROTECTED: Status = Status(0x4020);
/// Entries of an admin queue that are allowed at most.
pub(super) const MOST_ADMIN_ENTRIES: u16 = 128;
/// Bytes of the buffers of an admin queue, and of data in its capsules.
pub const ADMIN_BYTES: u32 = 8192;

/// What a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing yet.
    Fresh,
    /// The admin queue of a controller.
    Admin {
        /// The controller.
        controller: u16,
        /// Whether it is one of the discovery service.
        is_discovery: bool,
        /// Entries.
        entries: u16,
    },
    /// An I/O queue of a controller.
    Io {
        /// The controller.
        controller: u16,
        /// The queue's number.
        queue: u16,
        /// Entries.
        entries: u16,
        /// Whether the host does without the queue's head.
        without_flow_control: bool,
    },
}

/// One I/O for the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Io {
    /// Reads into the slot's buffer.
    Read {
        /// First byte.
        offset: u64,
        /// Bytes.
        bytes: u32,
    },
    /// Writes from the slot's buffer.
    Write {
        /// First byte.
        offset: u64,
        /// Bytes.
        bytes: u32,
        /// Whether it is durable when it ends.
        is_durable: bool,
    },
    /// Makes durable what was written.
    Flush,
    /// Deallocates the ranges that the slot's buffer lists; see [`Namespace::range`].
    Trim {
        /// How many.
        ranges: u32,
    },
}

/// Who carries out I/O, and owns the buffers of slots.
pub trait IoHandler: Payloads {
    /// A slot of an I/O queue carries a command to this namespace from here on, to all of them where it is
    /// [`ALL_NAMESPACES`](fathom_spec::admin::ALL_NAMESPACES).
    fn take(&mut self, _slot: u32, _namespace: u32) {}

    /// Begins an I/O on the namespace that the slot was [taken](Self::take) for.
    fn begin_io(&mut self, slot: u32, io: Io) -> CommandStart;
}

impl Namespace {
    /// Range `at` of a list of a trim, as first byte and bytes; none where it is not within the namespace.
    pub fn range(&self, list: &[u8], at: u32) -> Option<(u64, u64)> {
        let start = at as usize * io::RANGE_BYTES;
        let range: &[u8; io::RANGE_BYTES] = list.get(start..)?.first_chunk()?;
        let [_, _, _, _, a, b, c, d, first @ ..] = *range;
        let (blocks, first) = (u64::from(u32::from_le_bytes([a, b, c, d])), u64::from_le_bytes(first));
        let fits = first.checked_add(blocks).is_some_and(|end| end <= self.blocks);
        fits.then_some((first << self.block_shift, blocks << self.block_shift))
    }
}

/// One connection's part in a subsystem.
#[derive(Debug)]
pub struct Session {
    role: Role,
    local: (String, bool, u16),
    namespaces: Arc<[Namespace]>,
    limits: SubsystemLimits,
    over: Arc<AtomicBool>,
    seen: Arc<AtomicU64>,
    events: u32,
}

impl Session {
    /// Of a connection that arrived at an address, which is of IPv6 or not, and a port.
    pub fn new(subsystem: &Subsystem, address: &str, is_ipv6: bool, port: u16) -> Self {
        Self {
            role: Role::Fresh,
            local: (address.to_owned(), is_ipv6, port),
            namespaces: Arc::clone(&subsystem.namespaces),
            limits: subsystem.limits,
            over: Arc::new(AtomicBool::new(false)),
            seen: Arc::new(AtomicU64::new(0)),
            events: 0,
        }
    }

    /// What the connection is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether its controller or its queue was ended elsewhere.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Takes down that the host gave a sign of life at this time, by any of its connections.
    pub fn saw(&self, now: u64) {
        self.seen.store(now, Ordering::Relaxed);
    }

    /// When the host gave its last sign of life.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// What the connection is allowed as what it is.
    pub fn queue_limits(&self) -> QueueLimits {
        match self.role {
            Role::Io { .. } => QueueLimits {
                transfer_bytes: self.limits.transfer_bytes,
                in_capsule_bytes: self.limits.in_capsule_bytes,
                host_data_bytes: self.limits.transfer_bytes,
            },
            _ => Self::admin_limits(self.limits.transfer_bytes),
        }
    }

    /// What an admin queue is allowed, and every connection before its Connect, where the I/O queues' commands move
    /// `transfer_bytes` at most.
    pub fn admin_limits(transfer_bytes: u32) -> QueueLimits {
        QueueLimits {
            transfer_bytes: ADMIN_BYTES,
            in_capsule_bytes: ADMIN_BYTES,
            host_data_bytes: transfer_bytes,
        }
    }

    /// Lets go of what the connection was: of a controller with its queues where it was the admin queue.
    pub fn end(&mut self, directory: &impl Directory) {
        match std::mem::replace(&mut self.role, Role::Fresh) {
            Role::Fresh => {}
            Role::Admin { controller, .. } => directory.with(|subsystem| subsystem.end(controller)),
            Role::Io { controller, queue, .. } => {
                // A queue that was ended elsewhere may have a successor of the same number.
                if !self.is_over() {
                    directory.with(|subsystem| subsystem.end_queue(controller, queue));
                }
            }
        }
    }

    /// A session with what it works on, for one turn.
    pub fn serving<'a, D: Directory, S: IoHandler + ?Sized>(
        &'a mut self,
        directory: &'a D,
        serve: &'a mut S,
    ) -> impl Handler + 'a {
        CommandContext { session: self, directory, serve }
    }

    fn admit_io(&self, command: &SubmissionEntry) -> Result<HostDataLength, Refusal> {
        let refuse = |status| Err(Refusal::Status(status, 0));
        if !matches!(command.opcode, io::READ | io::WRITE | io::FLUSH | io::DATASET_MANAGEMENT) {
            return refuse(INVALID_OPCODE);
        }
        if command.opcode == io::FLUSH && command.nsid.get() == fathom_spec::admin::ALL_NAMESPACES {
            return Ok(HostDataLength { from_host: 0 });
        }
        let Some(namespace) = self.namespace(command) else { return refuse(INVALID_NAMESPACE) };
        match command.opcode {
            io::FLUSH => Ok(HostDataLength { from_host: 0 }),
            io::DATASET_MANAGEMENT => {
                if !namespace.deallocates {
                    return refuse(INVALID_OPCODE);
                }
                if namespace.is_read_only {
                    return refuse(PROTECTED);
                }
                Ok(HostDataLength { from_host: ((command.dword(10) & 0xff) + 1) * io::RANGE_BYTES as u32 })
            }
            opcode => {
                let (_, bytes) =
                    self.transfer(namespace, command).map_err(|status| Refusal::Status(status, 0))?;
                if opcode == io::READ {
                    return Ok(HostDataLength { from_host: 0 });
                }
                if namespace.is_read_only {
                    return refuse(PROTECTED);
                }
                Ok(HostDataLength { from_host: bytes })
            }
        }
    }

    /// The namespace that a command names.
    fn namespace(&self, command: &SubmissionEntry) -> Option<&Namespace> {
        subsystem::of(&self.namespaces, command.nsid.get())
    }

    /// First byte and bytes of a read or a write.
    fn transfer(&self, namespace: &Namespace, command: &SubmissionEntry) -> Result<(u64, u32), Status> {
        const PROTECTION: u32 = 0b1111 << 26;
        let (first, last) = (command.long(10), command.dword(12));
        if last & PROTECTION != 0 {
            return Err(INVALID_FIELD);
        }
        let blocks = u64::from(last & 0xffff) + 1;
        let bytes = blocks << namespace.block_shift;
        if bytes > u64::from(self.limits.transfer_bytes) {
            return Err(INVALID_FIELD);
        }
        if first.checked_add(blocks).is_none_or(|end| end > namespace.blocks) {
            return Err(BEYOND);
        }
        if u64::from(command.data.length.get()) != bytes {
            return Err(INVALID_LENGTH);
        }
        Ok((first << namespace.block_shift, bytes as u32))
    }

    fn begin_io<S: IoHandler + ?Sized>(
        &self,
        slot: u32,
        command: &SubmissionEntry,
        serve: &mut S,
    ) -> CommandStart {
        const FORCE_UNIT_ACCESS: u32 = 1 << 30;
        if command.opcode == io::FLUSH {
            return serve.begin_io(slot, Io::Flush);
        }
        let Some(namespace) = self.namespace(command) else {
            return CommandStart::Done(Answer::failed(INVALID_NAMESPACE));
        };
        let io = match command.opcode {
            io::DATASET_MANAGEMENT => {
                if command.dword(11) & io::DEALLOCATE == 0 {
                    return CommandStart::Done(Answer::DONE);
                }
                let ranges = (command.dword(10) & 0xff) + 1;
                let list = serve.payload(slot);
                if (0..ranges).any(|at| namespace.range(list, at).is_none()) {
                    return CommandStart::Done(Answer::failed(BEYOND));
                }
                Io::Trim { ranges }
            }
            opcode => match self.transfer(namespace, command) {
                Ok((offset, bytes)) if opcode == io::READ => Io::Read { offset, bytes },
                Ok((offset, bytes)) => {
                    Io::Write { offset, bytes, is_durable: command.dword(12) & FORCE_UNIT_ACCESS != 0 }
                }
                Err(status) => return CommandStart::Done(Answer::failed(status)),
            },
        };
        serve.begin_io(slot, io)
    }

    /// Connect: what the connection becomes.
    fn connect(&mut self, command: &SubmissionEntry, data: &[u8], directory: &impl Directory) -> Answer {
        let asked = ConnectFields::of(command);
        let invalid = |place, in_data| Answer {
            status: refused::INVALID_PARAMETERS,
            result: invalid(place, in_data),
            bytes: 0,
        };
        if asked.format != 0 {
            return Answer::failed(refused::INCOMPATIBLE_FORMAT);
        }
        let Ok(data) = ConnectData::parse(data) else { return Answer::failed(INVALID_LENGTH) };
        let Some(subsystem) = name_of(&data.subnqn) else { return invalid(place::SUBSYSTEM, true) };
        // Without a name a host is on no list, and is let in where anybody is: SPDK's programs give none by default.
        let host = if data.hostnqn.first() == Some(&0) { Some("") } else { name_of(&data.hostnqn) };
        let Some(host) = host else { return invalid(place::HOST, true) };
        let is_discovery = subsystem == DISCOVERY_NAME;
        if !is_discovery && directory.with(|it| it.name != subsystem) {
            return invalid(place::SUBSYSTEM, true);
        }
        if !is_discovery && !directory.with(|it| it.access.admits(host)) {
            return Answer::failed(refused::INVALID_HOST);
        }
        if asked.size == 0 {
            return invalid(place::SIZE, false);
        }
        if asked.queue == 0 {
            if data.cntlid.get() != ANY_CONTROLLER {
                return invalid(place::CONTROLLER, true);
            }
            if asked.size >= MOST_ADMIN_ENTRIES {
                return invalid(place::SIZE, false);
            }
            let made = directory.with(|it| {
                let made = it.admit(host, data.hostid, is_discovery, asked.keep_alive_ms)?;
                made.seen.store(self.seen(), Ordering::Relaxed);
                Some((made.id, Arc::clone(&made.over), Arc::clone(&made.seen)))
            });
            let Some((controller, over, seen)) = made else {
                return Answer::failed(refused::CONTROLLER_BUSY);
            };
            (self.over, self.seen) = (over, seen);
            self.role = Role::Admin { controller, is_discovery, entries: asked.size + 1 };
            return Answer { result: u64::from(controller), ..Answer::DONE };
        }
        if asked.size >= self.limits.entries {
            return invalid(place::SIZE, false);
        }
        let connected = directory.with(|it| connect_queue(it, asked.queue, host, data));
        match connected {
            Ok((over, seen)) => {
                (self.over, self.seen) = (over, seen);
                let controller = data.cntlid.get();
                self.role = Role::Io {
                    controller,
                    queue: asked.queue,
                    entries: asked.size + 1,
                    without_flow_control: asked.attributes & WITHOUT_FLOW_CONTROL != 0,
                };
                Answer { result: u64::from(controller), ..Answer::DONE }
            }
            Err(answer) => answer,
        }
    }
}

/// The flag that ends the new I/O queue of a controller, and where its signs of life are kept.
fn connect_queue(
    subsystem: &mut Subsystem,
    queue: u16,
    host: &str,
    data: &ConnectData,
) -> Result<(Arc<AtomicBool>, Arc<AtomicU64>), Answer> {
    let invalid = |place, in_data| {
        Err(Answer { status: refused::INVALID_PARAMETERS, result: invalid(place, in_data), bytes: 0 })
    };
    let all = subsystem.connected_queues();
    let most = subsystem.limits.all_queues;
    let Some(controller) = subsystem.controller(data.cntlid.get()) else {
        return invalid(place::CONTROLLER, true);
    };
    if controller.is_discovery {
        return invalid(place::CONTROLLER, true);
    }
    if controller.host != host {
        return invalid(place::HOST, true);
    }
    if controller.host_id != data.hostid {
        return invalid(place::HOST_ID, true);
    }
    if !controller.is_ready() || !property::has_entry_sizes(controller.configuration) {
        return Err(Answer::failed(OUT_OF_SEQUENCE));
    }
    if queue > controller.granted || controller.queues.iter().any(|(number, _)| *number == queue) {
        return invalid(place::QUEUE, false);
    }
    if all >= most {
        return Err(Answer::failed(refused::CONTROLLER_BUSY));
    }
    let over = Arc::new(AtomicBool::new(false));
    controller.queues.push((queue, Arc::clone(&over)));
    Ok((over, Arc::clone(&controller.seen)))
}

struct CommandContext<'a, D, S: ?Sized> {
    session: &'a mut Session,
    directory: &'a D,
    serve: &'a mut S,
}

impl<D, S: IoHandler + ?Sized> Payloads for CommandContext<'_, D, S> {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        self.serve.payload(slot)
    }

    fn view(&self, slot: u32) -> Option<&[u8]> {
        self.serve.view(slot)
    }
}

impl<D: Directory, S: IoHandler + ?Sized> Handler for CommandContext<'_, D, S> {
    fn admit(&mut self, command: &SubmissionEntry) -> Result<HostDataLength, Refusal> {
        if command.flow() == Flow::Both {
            return Err(Refusal::Status(INVALID_OPCODE, 0));
        }
        match (command.fabrics_type(), self.session.role) {
            (Some(command_type::CONNECT), Role::Fresh) => {
                if command.data.kind != fathom_spec::fabrics::Descriptor::IN_CAPSULE {
                    return Err(Refusal::Status(INVALID_FIELD, 0));
                }
                Ok(HostDataLength { from_host: connect::DATA_BYTES as u32 })
            }
            (Some(command_type::CONNECT), _) | (_, Role::Fresh) => Err(Refusal::Status(OUT_OF_SEQUENCE, 0)),
            (Some(command_type::DISCONNECT), Role::Io { .. }) => Ok(HostDataLength { from_host: 0 }),
            (Some(command_type::PROPERTY_GET | command_type::PROPERTY_SET), Role::Admin { .. }) => {
                Ok(HostDataLength { from_host: 0 })
            }
            (Some(_), _) => Err(Refusal::Status(INVALID_OPCODE, 0)),
            (None, Role::Admin { .. }) => admin_commands::admit(command),
            (None, Role::Io { .. }) => self.session.admit_io(command),
        }
    }

    fn take(&mut self, slot: u32, command: &SubmissionEntry) {
        if matches!(self.session.role, Role::Io { .. }) && command.fabrics_type().is_none() {
            self.serve.take(slot, command.nsid.get());
        }
    }

    fn event_given_up(&mut self) {
        self.session.events = self.session.events.saturating_sub(1);
    }

    fn begin(&mut self, slot: u32, command: &SubmissionEntry) -> CommandStart {
        let session = &mut *self.session;
        match (command.fabrics_type(), session.role) {
            (Some(command_type::CONNECT), _) => {
                let data = self.serve.payload(slot);
                CommandStart::Done(session.connect(command, data, self.directory))
            }
            (Some(command_type::DISCONNECT), _) => {
                session.end(self.directory);
                session.over.store(true, Ordering::Relaxed);
                CommandStart::Done(Answer::DONE)
            }
            (fabrics, Role::Admin { controller, is_discovery, .. }) => {
                let scene = admin_commands::Scene {
                    controller,
                    is_discovery,
                    local: &session.local,
                    events: &mut session.events,
                };
                let buffer = self.serve.payload(slot);
                self.directory.with(|subsystem| match fabrics {
                    Some(_) => CommandStart::Done(admin_commands::property(subsystem, controller, command)),
                    None => admin_commands::begin(subsystem, scene, command, buffer),
                })
            }
            _ => session.begin_io(slot, command, self.serve),
        }
    }
}
