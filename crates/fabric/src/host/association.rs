//! What a host says on a new admin queue until I/O queues can be connected: one command after another, each answer
//! judged before the next.

use std::fmt;

use fathom_spec::admin::{self, IdentifyWhat};
use fathom_spec::fabrics::connect::{self, ANY_CONTROLLER, ConnectData, ConnectFields, refusal_name};
use fathom_spec::fabrics::{DISCOVERY_NAME, SubmissionEntry, property};
use fathom_spec::identify_controller::OptionalCommand;
use fathom_spec::{IdentifyController, IdentifyNamespace, Status, descriptors};
use zerocopy::IntoBytes;

/// Entries of the admin queue, as other hosts have it.
pub const ADMIN_ENTRIES: u16 = 32;
/// Bytes of data in a capsule that are used at most, whatever a controller offers.
const MOST_IN_CAPSULE: u64 = 64 << 10;
/// Largest transfer of one command that is used, in bytes, whatever a controller allows.
const MOST_TRANSFER: u64 = 8 << 20;
/// Between two looks at whether the controller is ready, in milliseconds.
const LOOK_EVERY_MS: u32 = 10;

/// Who asks, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectOptions {
    /// Name of the host.
    pub host: String,
    /// Identifier of the host.
    pub host_id: [u8; 16],
    /// Name of the subsystem, which may be that of the discovery service.
    pub subsystem: String,
    /// I/O queues.
    pub queues: u16,
    /// Namespace; absent: the only one.
    pub namespace: Option<u32>,
    /// Time without a sign of life after which the controller lets go, in milliseconds; 0: never.
    pub keep_alive_ms: u32,
}

/// A namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamespaceFacts {
    /// Its identifier.
    pub id: u32,
    /// Size of a logical block as a power of two.
    pub block_shift: u32,
    /// Logical blocks.
    pub blocks: u64,
    /// Whether it refuses writes.
    pub is_read_only: bool,
}

/// What the controller turned out to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its identifier, which I/O queues are connected by.
    pub controller: u16,
    /// Entries that a queue may have.
    pub queue_entries: u32,
    /// Commands that it takes at once; absent where it does not say.
    pub most_commands: Option<u32>,
    /// Bytes that one command moves at most.
    pub transfer_bytes: u32,
    /// Bytes of data in a capsule of an I/O queue, as far as they are used.
    pub in_capsule_bytes: u32,
    /// I/O queues given.
    pub queues: u16,
    /// Unit of the keep-alive time in 100 ms; 0: none.
    pub keep_alive_unit: u16,
    /// Whether ranges can be deallocated.
    pub deallocates: bool,
    /// Whether writes rest in a cache until a flush.
    pub has_write_cache: bool,
    /// Events that it can tell of by itself (OAES).
    pub events: u32,
    /// Model, as it says.
    pub model: String,
    /// Serial number, as it says.
    pub serial: String,
    /// Firmware, as it says.
    pub firmware: String,
    /// The namespace; absent with a discovery service.
    pub namespace: Option<NamespaceFacts>,
}

/// What to do next.
#[derive(Clone, Debug)]
pub enum AssociationStep {
    /// Send a command; data to the controller is what [`Association::data`] gives, and from it so many bytes come.
    Command {
        /// The command.
        entry: SubmissionEntry,
        /// Bytes of data.
        bytes: u32,
    },
    /// Wait so many milliseconds, and ask again.
    Pause(u32),
    /// Nothing: the controller is ready.
    Ready,
}

/// Why a controller is of no use. Its own type: this room is below record, which has the one shape of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was asked.
    pub asked: &'static str,
    /// Why it failed.
    pub cause: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.asked, self.cause)
    }
}

impl std::error::Error for Failure {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AssociationPhase {
    Connect,
    Capabilities,
    Version,
    Enable,
    Pause,
    Ready,
    Controller,
    Queues,
    Events,
    Namespaces,
    Namespace(u32),
    CommandSet(u32),
    Done,
}

/// One admin queue until its controller is ready.
#[derive(Clone, Debug)]
pub struct Association {
    wishes: ConnectOptions,
    at: AssociationPhase,
    facts: Facts,
    page_bytes: u64,
    looks_left: u32,
}

impl Association {
    /// At the start.
    pub fn new(wishes: ConnectOptions) -> Self {
        Self {
            wishes,
            at: AssociationPhase::Connect,
            facts: Facts::default(),
            page_bytes: 4096,
            looks_left: 0,
        }
    }

    /// What is known so far; all of it once it is ready.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    fn is_discovery(&self) -> bool {
        self.wishes.subsystem == DISCOVERY_NAME
    }

    /// The data of a Connect of a queue of this association: the admin queue before its controller is known.
    pub fn data(&self) -> [u8; connect::DATA_BYTES] {
        let controller =
            if self.at == AssociationPhase::Connect { ANY_CONTROLLER } else { self.facts.controller };
        let ConnectOptions { host, host_id, subsystem, .. } = &self.wishes;
        let mut bytes = [0; connect::DATA_BYTES];
        bytes.copy_from_slice(ConnectData::new(*host_id, controller, subsystem, host).as_bytes());
        bytes
    }

    /// The command that connects I/O queue `queue`, 1 and up, with `entries` entries.
    pub fn connect_io(queue: u16, entries: u16, without_flow_control: bool) -> SubmissionEntry {
        let attributes = if without_flow_control { connect::WITHOUT_FLOW_CONTROL } else { 0 };
        ConnectFields { format: 0, queue, size: entries.saturating_sub(1), attributes, keep_alive_ms: 0 }
            .entry()
    }

    /// What to do next.
    pub fn next_step(&mut self) -> AssociationStep {
        let page = admin::IDENTIFY_BYTES as u32;
        let identify = |what: IdentifyWhat, nsid| AssociationStep::Command {
            entry: SubmissionEntry::new(admin::IDENTIFY, nsid, [what.dword10(), 0, 0, 0, 0, 0]),
            bytes: page,
        };
        let plain = |entry| AssociationStep::Command { entry, bytes: 0 };
        match self.at {
            AssociationPhase::Connect => {
                let entry = ConnectFields {
                    format: 0,
                    queue: 0,
                    size: ADMIN_ENTRIES - 1,
                    attributes: 0,
                    keep_alive_ms: self.wishes.keep_alive_ms,
                }
                .entry();
                AssociationStep::Command { entry, bytes: connect::DATA_BYTES as u32 }
            }
            AssociationPhase::Capabilities => plain(property::get(property::CAPABILITIES, true)),
            AssociationPhase::Version => plain(property::get(property::VERSION, false)),
            AssociationPhase::Enable => plain(property::set(property::CONFIGURATION, property::ENABLED)),
            AssociationPhase::Pause => {
                self.at = AssociationPhase::Ready;
                AssociationStep::Pause(LOOK_EVERY_MS)
            }
            AssociationPhase::Ready => plain(property::get(property::STATUS, false)),
            AssociationPhase::Controller => identify(IdentifyWhat::Controller, 0),
            AssociationPhase::Queues => {
                let asked = u32::from(self.wishes.queues.max(1) - 1);
                let words = [u32::from(admin::FEATURE_QUEUES), asked << 16 | asked, 0, 0, 0, 0];
                plain(SubmissionEntry::new(admin::SET_FEATURES, 0, words))
            }
            AssociationPhase::Events => {
                let words = [u32::from(admin::FEATURE_EVENTS), self.facts.events, 0, 0, 0, 0];
                plain(SubmissionEntry::new(admin::SET_FEATURES, 0, words))
            }
            AssociationPhase::Namespaces => identify(IdentifyWhat::ActiveNamespaces, 0),
            AssociationPhase::Namespace(id) => identify(IdentifyWhat::Namespace, id),
            AssociationPhase::CommandSet(id) => identify(IdentifyWhat::NamespaceDescriptors, id),
            AssociationPhase::Done => AssociationStep::Ready,
        }
    }

    /// Takes the answer to the last command: its status, its result, and data of as many bytes as were asked for.
    ///
    /// # Errors
    /// Where the controller refuses, or is not one that can be used.
    pub fn answered(&mut self, status: Status, result: u64, data: &[u8]) -> Result<(), Failure> {
        let asked = self.asked();
        let fail = |cause: String| Failure { asked, cause };
        if !status.is_success() {
            // Names beyond 1.3 came late: a controller that lists none has the NVM command set.
            if let AssociationPhase::CommandSet(_) = self.at {
                self.at = AssociationPhase::Done;
                return Ok(());
            }
            // Without events the rest works as well.
            if self.at == AssociationPhase::Events {
                self.at = self.first_namespace();
                return Ok(());
            }
            return Err(fail(self.refusal(status, result)));
        }
        self.at = match self.at {
            AssociationPhase::Connect => self.connected(result).map_err(fail)?,
            AssociationPhase::Capabilities => {
                self.facts.queue_entries = property::most_entries(result);
                if self.facts.queue_entries < 2 {
                    return Err(fail("queues of one entry carry nothing".to_owned()));
                }
                self.page_bytes = property::page_bytes(result);
                self.looks_left = (property::timeout_ms(result) / LOOK_EVERY_MS).max(100);
                AssociationPhase::Version
            }
            AssociationPhase::Version => AssociationPhase::Enable,
            AssociationPhase::Enable => AssociationPhase::Ready,
            AssociationPhase::Ready | AssociationPhase::Pause => self.looked(result as u32).map_err(fail)?,
            AssociationPhase::Controller => self.controller(data).map_err(fail)?,
            AssociationPhase::Queues => {
                let given = (result as u16).min((result >> 16) as u16).saturating_add(1);
                self.facts.queues = given.min(self.wishes.queues);
                if self.facts.events == 0 { self.first_namespace() } else { AssociationPhase::Events }
            }
            AssociationPhase::Events => self.first_namespace(),
            AssociationPhase::Namespaces => AssociationPhase::Namespace(only(data).map_err(fail)?),
            AssociationPhase::Namespace(id) => {
                self.facts.namespace = Some(namespace(id, data).map_err(fail)?);
                AssociationPhase::CommandSet(id)
            }
            AssociationPhase::CommandSet(_) => match descriptors::command_set(data) {
                None | Some(descriptors::CommandSet::NVM) => AssociationPhase::Done,
                Some(other) => {
                    return Err(fail(format!("the namespace has the {} command set", other.name())));
                }
            },
            AssociationPhase::Done => AssociationPhase::Done,
        };
        Ok(())
    }

    fn first_namespace(&self) -> AssociationPhase {
        self.wishes.namespace.map_or(AssociationPhase::Namespaces, AssociationPhase::Namespace)
    }

    fn asked(&self) -> &'static str {
        match self.at {
            AssociationPhase::Connect => "Connect",
            AssociationPhase::Capabilities | AssociationPhase::Version => "reading a property",
            AssociationPhase::Enable => "enabling the controller",
            AssociationPhase::Pause | AssociationPhase::Ready => "waiting for the controller",
            AssociationPhase::Controller => "Identify Controller",
            AssociationPhase::Queues => "asking for I/O queues",
            AssociationPhase::Events => "asking for events",
            AssociationPhase::Namespaces => "listing the namespaces",
            AssociationPhase::Namespace(_) => "Identify Namespace",
            AssociationPhase::CommandSet(_) => "the namespace's command set",
            AssociationPhase::Done => "nothing",
        }
    }

    fn refusal(&self, status: Status, result: u64) -> String {
        if self.at == AssociationPhase::Connect {
            connect_refusal(status, result)
        } else {
            status.to_string()
        }
    }

    fn connected(&mut self, result: u64) -> Result<AssociationPhase, String> {
        if result >> 17 & 0b11 != 0 {
            return Err(
                "the controller requires authentication, which fathom does not support; connect with the \
                        kernel (nvme connect) and name the device"
                    .to_owned(),
            );
        }
        self.facts.controller = result as u16;
        Ok(AssociationPhase::Capabilities)
    }

    fn looked(&mut self, state: u32) -> Result<AssociationPhase, String> {
        if state & property::FAILED != 0 {
            return Err("the controller reports a fatal failure (CSTS.CFS)".to_owned());
        }
        if state & property::READY != 0 {
            return Ok(AssociationPhase::Controller);
        }
        self.looks_left = self.looks_left.checked_sub(1).ok_or("it did not become ready in time")?;
        Ok(AssociationPhase::Pause)
    }

    fn controller(&mut self, data: &[u8]) -> Result<AssociationPhase, String> {
        let it = IdentifyController::parse(data).map_err(|error| error.to_string())?;
        if it.cntlid.get() != self.facts.controller {
            let (now, before) = (it.cntlid.get(), self.facts.controller);
            return Err(format!("it is controller {now}, and Connect said {before}"));
        }
        let facts = &mut self.facts;
        (facts.model, facts.serial) = (it.model().to_string(), it.serial().to_string());
        (facts.firmware, facts.keep_alive_unit) = (it.firmware().to_string(), it.kas.get());
        if self.is_discovery() {
            return Ok(AssociationPhase::Done);
        }
        let facts = &mut self.facts;
        let name = connect::name_of(&it.subnqn).unwrap_or("");
        if name != self.wishes.subsystem {
            return Err(format!("it belongs to subsystem `{}`", it.subsystem_name()));
        }
        if it.icdoff.get() != 0 {
            return Err("data does not follow the command in its capsule (ICDOFF)".to_owned());
        }
        if it.nn.get() == 0 {
            return Err("it has no namespaces".to_owned());
        }
        facts.most_commands = Some(u32::from(it.maxcmd.get())).filter(|commands| *commands > 0);
        let most = it.max_transfer_bytes(self.page_bytes).unwrap_or(MOST_TRANSFER);
        facts.transfer_bytes = most.min(MOST_TRANSFER) as u32;
        facts.in_capsule_bytes = it.in_capsule_bytes().min(MOST_IN_CAPSULE) as u32;
        facts.deallocates = it.supports(OptionalCommand::DatasetManagement);
        facts.has_write_cache = it.has_volatile_write_cache();
        facts.events = it.oaes.get();
        Ok(AssociationPhase::Queues)
    }
}

/// Why a Connect was refused.
pub fn connect_refusal(status: Status, result: u64) -> String {
    let name = refusal_name(status).unwrap_or("refused");
    let (place, in_data) = (result as u16, result >> 16 & 1 == 1);
    let field = match (in_data, place) {
        (true, connect::place::SUBSYSTEM) => ": no such subsystem there",
        (true, connect::place::HOST) => ": the host's name",
        (true, connect::place::CONTROLLER) => ": the controller",
        (false, connect::place::QUEUE) => ": the queue's number",
        (false, connect::place::SIZE) => ": the queue's size",
        _ => "",
    };
    let field = if status.kind() == 1 && status.code() == 0x82 { field } else { "" };
    format!("{name}{field} (NVMe status {:x}h/{:02x}h)", status.kind(), status.code())
}

/// The only namespace of a list.
fn only(list: &[u8]) -> Result<u32, String> {
    let ids: Vec<u32> =
        list.as_chunks::<4>().0.iter().map(|id| u32::from_le_bytes(*id)).take_while(|id| *id != 0).collect();
    match ids.as_slice() {
        [id] => Ok(*id),
        [] => Err("the controller has no namespaces for this host".to_owned()),
        [first, ..] => {
            Err(format!("it has {} namespaces: name one, e.g. /{first} at the end of the target", ids.len()))
        }
    }
}

fn namespace(id: u32, data: &[u8]) -> Result<NamespaceFacts, String> {
    let it = IdentifyNamespace::parse(data).map_err(|error| error.to_string())?;
    if it.nsze.get() == 0 {
        return Err(format!("there is no namespace {id}"));
    }
    let format = it.format().filter(|format| (9..=16).contains(&format.lbads));
    let format = format.ok_or_else(|| format!("namespace {id} has blocks of an invalid size"))?;
    if format.ms.get() != 0 || it.dps & 0b111 != 0 {
        return Err(format!(
            "namespace {id} has metadata or protection information, which fathom does not handle"
        ));
    }
    let block_shift = u32::from(format.lbads);
    if it.nsze.get() > u64::MAX >> block_shift {
        return Err(format!("namespace {id} has a size beyond any address"));
    }
    Ok(NamespaceFacts { id, block_shift, blocks: it.nsze.get(), is_read_only: it.is_write_protected() })
}
