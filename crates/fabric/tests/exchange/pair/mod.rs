//! A host and a controller in memory: two connections' worth of state machines, and what lies between them.

use std::cell::RefCell;

use fathom_fabric::controller::{
    Access, Answer, CommandStart, ControllerQueue, Digests, Io, IoHandler, Namespace, Role, Session,
    Subsystem, SubsystemLimits,
};
use fathom_fabric::host::{Association, AssociationStep, ConnectOptions, HostQueue, Limits, SlotCompletion};
use fathom_fabric::{FatalError, Framing, GatherList, Payloads};
use fathom_spec::fabrics::SubmissionEntry;

pub const NQN: &str = "nqn.2014-08.org.nvmexpress:uuid:test";
pub const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:host";
pub const BLOCKS: u64 = 512;
pub const SHIFT: u32 = 12;
pub const TRANSFER: u32 = 32 << 10;
pub const IN_CAPSULE: u32 = 8192;

/// Buffers of slots.
pub struct Buffers(pub Vec<Vec<u8>>);

impl Buffers {
    pub fn new(slots: usize, bytes: usize) -> Self {
        Self(vec![vec![0; bytes]; slots])
    }
}

impl Payloads for Buffers {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        &mut self.0[slot as usize]
    }
}

/// A backend in memory, which ends every I/O at once or when asked to.
pub struct Backend {
    pub buffers: Buffers,
    pub disk: Vec<u8>,
    pub is_slow: bool,
    pub waiting: Vec<(u32, Io)>,
    pub done: Vec<Io>,
}

impl Backend {
    pub fn carry_out(&mut self, slot: u32, io: Io) -> Answer {
        self.done.push(io);
        let buffer = &mut self.buffers.0[slot as usize];
        match io {
            Io::Read { offset, bytes } => {
                let (from, length) = (offset as usize, bytes as usize);
                buffer[..length].copy_from_slice(&self.disk[from..from + length]);
                Answer { bytes, ..Answer::DONE }
            }
            Io::Write { offset, bytes, .. } => {
                let (from, length) = (offset as usize, bytes as usize);
                self.disk[from..from + length].copy_from_slice(&buffer[..length]);
                Answer::DONE
            }
            Io::Trim { ranges } => {
                for at in 0..ranges {
                    let (from, length) = namespace().range(buffer, at).unwrap();
                    self.disk[from as usize..(from + length) as usize].fill(0);
                }
                Answer::DONE
            }
            Io::Flush => Answer::DONE,
        }
    }
}

impl Payloads for Backend {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        self.buffers.payload(slot)
    }
}

impl IoHandler for Backend {
    fn begin_io(&mut self, slot: u32, io: Io) -> CommandStart {
        if self.is_slow {
            self.waiting.push((slot, io));
            return CommandStart::Later;
        }
        CommandStart::Done(self.carry_out(slot, io))
    }
}

pub fn namespace() -> Namespace {
    Namespace {
        blocks: BLOCKS,
        block_shift: SHIFT,
        is_read_only: false,
        deallocates: true,
        has_write_cache: true,
    }
}

pub fn subsystem() -> RefCell<Subsystem> {
    let limits = SubsystemLimits {
        queues: 4,
        all_queues: 6,
        entries: 64,
        controllers: 8,
        transfer_bytes: TRANSFER,
        in_capsule_bytes: IN_CAPSULE,
        digests: Digests::Offer,
    };
    let access = Access::Hosts(vec![HOST.to_owned()]);
    RefCell::new(Subsystem::new((NQN, "memory"), "1", namespace(), access, limits))
}

/// One connection at the controller.
pub struct Target {
    pub queue: ControllerQueue,
    pub session: Session,
    pub backend: Backend,
    is_queue: bool,
}

impl Target {
    pub fn new(subsystem: &RefCell<Subsystem>) -> Self {
        let backend = Backend {
            buffers: Buffers::new(1, 8192),
            disk: vec![0; (BLOCKS << SHIFT) as usize],
            is_slow: false,
            waiting: Vec::new(),
            done: Vec::new(),
        };
        Self {
            queue: ControllerQueue::new(Session::admin_limits(TRANSFER)),
            session: Session::new(&subsystem.borrow(), "127.0.0.1", false, 4420),
            backend,
            is_queue: false,
        }
    }

    pub fn received(&mut self, subsystem: &RefCell<Subsystem>, bytes: &[u8]) -> Result<(), FatalError> {
        let outcome = self.queue.received(bytes, &mut self.session.serving(subsystem, &mut self.backend));
        if !self.is_queue && self.session.role() != Role::Fresh {
            self.is_queue = true;
            let limits = self.session.queue_limits();
            let (entries, without) = match self.session.role() {
                Role::Io { entries, without_flow_control, .. } => (entries, without_flow_control),
                Role::Admin { entries, .. } => (entries, false),
                Role::Fresh => (1, false),
            };
            self.queue.become_queue(u32::from(entries), limits, without);
            self.backend.buffers =
                Buffers(vec![vec![0; limits.transfer_bytes as usize]; usize::from(entries)]);
        }
        outcome
    }

    /// Ends what waits, the last first.
    pub fn finish_waiting(&mut self) {
        while let Some((slot, io)) = self.backend.waiting.pop() {
            let answer = self.backend.carry_out(slot, io);
            self.queue.answer(slot, answer);
        }
    }

    pub fn output(&mut self, room: usize) -> Vec<u8> {
        let mut out = Vec::new();
        self.queue.fill(&mut self.backend, (&mut out, room), &mut GatherList::default());
        out
    }
}

/// One connection at the host.
pub struct Host {
    pub queue: HostQueue,
    pub buffers: Buffers,
    pub ended: Vec<SlotCompletion>,
}

impl Host {
    pub fn new(framing: Framing, slots: u32, bytes: usize) -> Self {
        let pieces = (bytes as u32).div_ceil(TRANSFER).max(1);
        Self {
            queue: HostQueue::new(framing, slots, pieces),
            buffers: Buffers::new(slots as usize, bytes.max(8192)),
            ended: Vec::new(),
        }
    }

    pub fn output(&mut self, room: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let ended = &mut self.ended;
        self.queue.fill(&mut self.buffers, (&mut out, room), &mut |end| ended.push(end));
        out
    }

    pub fn received(&mut self, bytes: &[u8]) -> Result<(), FatalError> {
        let ended = &mut self.ended;
        self.queue.received(bytes, &mut self.buffers, &mut |end| ended.push(end))
    }
}

pub fn plain() -> Framing {
    Framing::default()
}

pub fn digested() -> Framing {
    Framing { header_digest: true, data_digest: true, ..Framing::default() }
}

/// Moves bytes both ways until nothing moves any more.
pub fn settle(
    host: &mut Host,
    target: &mut Target,
    subsystem: &RefCell<Subsystem>,
) -> Result<(), FatalError> {
    loop {
        let there = host.output(usize::MAX);
        target.received(subsystem, &there)?;
        let back = target.output(usize::MAX);
        host.received(&back)?;
        if there.is_empty() && back.is_empty() {
            return Ok(());
        }
    }
}

pub fn wishes(subsystem: &str) -> ConnectOptions {
    ConnectOptions {
        host: HOST.to_owned(),
        host_id: [7; 16],
        subsystem: subsystem.to_owned(),
        queues: 2,
        namespace: None,
        keep_alive_ms: 5000,
    }
}

/// Says what an association says, until the controller is ready or refuses.
pub fn associate(
    association: &mut Association,
    host: &mut Host,
    target: &mut Target,
    subsystem: &RefCell<Subsystem>,
) -> Result<(), String> {
    loop {
        settle(host, target, subsystem).map_err(|fatal| fatal.to_string())?;
        match association.next_step() {
            AssociationStep::Ready => return Ok(()),
            AssociationStep::Pause(_) => {}
            AssociationStep::Command { entry, bytes } => {
                let end = say(association, entry, bytes, host, target, subsystem)?;
                let data = host.buffers.0[0].clone();
                association.answered(end.status, end.result, &data).map_err(|failure| failure.to_string())?;
            }
        }
    }
}

fn say(
    association: &Association,
    entry: SubmissionEntry,
    bytes: u32,
    host: &mut Host,
    target: &mut Target,
    subsystem: &RefCell<Subsystem>,
) -> Result<SlotCompletion, String> {
    let data = association.data();
    host.buffers.0[0][..data.len()].copy_from_slice(&data);
    assert!(host.queue.start(0, entry, bytes));
    settle(host, target, subsystem).map_err(|fatal| fatal.to_string())?;
    host.ended.pop().ok_or_else(|| "no answer".to_owned())
}

/// A ready I/O queue: host's side, controller's side, and what they share, with the admin queue that keeps it.
pub struct Pair {
    pub subsystem: RefCell<Subsystem>,
    pub admin: (Host, Target),
    pub association: Association,
    pub host: Host,
    pub target: Target,
}

/// Connects an admin queue and I/O queue 1.
pub fn pair(framing: Framing, depth: u32, bytes: usize, flow_control: bool) -> Pair {
    let subsystem = subsystem();
    let mut admin = (Host::new(framing, 4, 8192), Target::new(&subsystem));
    let mut association = Association::new(wishes(NQN));
    associate(&mut association, &mut admin.0, &mut admin.1, &subsystem).unwrap();
    let mut host = Host::new(framing, depth, bytes);
    let mut target = Target::new(&subsystem);
    settle(&mut host, &mut target, &subsystem).unwrap();
    let end = say(
        &association,
        Association::connect_io(1, 64, !flow_control),
        1024,
        &mut host,
        &mut target,
        &subsystem,
    )
    .unwrap();
    assert!(end.status.is_success(), "{}", end.status);
    let facts = association.facts();
    host.queue.set_limits(Limits {
        transfer_bytes: facts.transfer_bytes,
        in_capsule_bytes: facts.in_capsule_bytes,
    });
    Pair { subsystem, admin, association, host, target }
}

impl Pair {
    pub fn settle(&mut self) -> Result<(), FatalError> {
        settle(&mut self.host, &mut self.target, &self.subsystem)
    }
}
