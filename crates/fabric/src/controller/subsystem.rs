//! A subsystem: its namespace, who may use it, and the controllers that hosts have made.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use fathom_spec::fabrics::connect::LAST_CONTROLLER;
use fathom_spec::fabrics::property;

use super::queue::Digests;

/// What is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Logical blocks.
    pub blocks: u64,
    /// Size of a logical block as a power of two.
    pub block_shift: u32,
    /// Whether writes are refused.
    pub is_read_only: bool,
    /// Whether ranges can be deallocated.
    pub deallocates: bool,
    /// Whether writes rest in a cache until a flush.
    pub has_write_cache: bool,
}

/// Who may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Any host.
    Any,
    /// The hosts of these names.
    Hosts(Vec<String>),
}

impl Access {
    /// Whether a host may.
    pub fn admits(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Hosts(names) => names.iter().any(|name| name == host),
        }
    }
}

/// What connections are given at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubsystemLimits {
    /// I/O queues of one controller.
    pub queues: u16,
    /// I/O queues of all controllers together: each has buffers of its own.
    pub all_queues: usize,
    /// Entries of an I/O queue.
    pub entries: u16,
    /// Controllers at once.
    pub controllers: usize,
    /// Bytes that one command moves: a power of two, 8192 and up.
    pub transfer_bytes: u32,
    /// Bytes of data in a capsule of an I/O queue.
    pub in_capsule_bytes: u32,
    /// What becomes of the digests that hosts ask for.
    pub digests: Digests,
}

/// One controller: a host's association.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Its identifier.
    pub id: u16,
    /// The host's name.
    pub host: String,
    /// The host's identifier.
    pub host_id: [u8; 16],
    /// Whether it is one of the discovery service.
    pub is_discovery: bool,
    /// CC.
    pub configuration: u32,
    /// CSTS.
    pub state: u32,
    /// I/O queues granted.
    pub granted: u16,
    /// Time without a sign of life after which it ends, in milliseconds; 0: never.
    pub keep_alive_ms: u32,
    /// Events that the host wants to hear of.
    pub events: u32,
    /// The I/O queues connected, with what ends them.
    pub queues: Vec<(u16, Arc<AtomicBool>)>,
    /// Set when it is over.
    pub over: Arc<AtomicBool>,
    /// When the host gave a sign of life last, on the clock of whoever owns the connections; 0: not yet.
    pub seen: Arc<AtomicU64>,
}

impl Controller {
    /// Whether I/O queues can be connected.
    pub fn is_ready(&self) -> bool {
        self.state & property::READY != 0
    }

    /// Ends its I/O queues.
    pub fn end_queues(&mut self) {
        for (_, over) in self.queues.drain(..) {
            over.store(true, Ordering::Relaxed);
        }
    }
}

/// A subsystem.
#[derive(Debug)]
pub struct Subsystem {
    /// Its name.
    pub name: String,
    /// What it serves, namespace 1 first.
    pub namespaces: Arc<[Namespace]>,
    /// Serial number: 20 characters at most.
    pub serial: String,
    /// Version of the program that serves it, 8 characters at most.
    pub firmware: String,
    /// Identifier of each namespace, the same for the same backend.
    pub identifiers: Vec<[u8; 16]>,
    /// Who may connect.
    pub access: Access,
    /// What connections are given.
    pub limits: SubsystemLimits,
    /// The controllers there are.
    pub controllers: Vec<Controller>,
    last_id: u16,
}

impl Subsystem {
    /// A subsystem of one namespace without controllers, whose identifiers follow from its name and from what its
    /// backend is called.
    pub fn new(
        (name, backend): (&str, &str),
        firmware: &str,
        namespace: Namespace,
        access: Access,
        limits: SubsystemLimits,
    ) -> Self {
        let identifier = crate::identifier(&format!("{name} {backend}"));
        let serial = identifier.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
        Self {
            name: name.to_owned(),
            namespaces: Arc::from([namespace]),
            serial,
            firmware: firmware.to_owned(),
            identifiers: vec![identifier],
            access,
            limits,
            controllers: Vec::new(),
            last_id: 0,
        }
    }

    /// Serves one namespace more, whose identifier follows from its number too: two may have one backend's name.
    pub fn add(&mut self, backend: &str, namespace: Namespace) {
        let all = self.namespaces.iter().copied().chain([namespace]);
        self.namespaces = all.collect();
        let text = format!("{} {backend} {}", self.name, self.namespaces.len());
        self.identifiers.push(crate::identifier(&text));
    }

    /// A namespace by its number, from 1.
    pub fn namespace(&self, id: u32) -> Option<&Namespace> {
        of(&self.namespaces, id)
    }

    /// The controller of an identifier.
    pub fn controller(&mut self, id: u16) -> Option<&mut Controller> {
        self.controllers.iter_mut().find(|controller| controller.id == id)
    }

    /// Makes a controller; none where there is no room.
    pub fn admit(
        &mut self,
        host: &str,
        host_id: [u8; 16],
        is_discovery: bool,
        keep_alive_ms: u32,
    ) -> Option<&Controller> {
        if self.controllers.len() >= self.limits.controllers {
            return None;
        }
        let id = (0..LAST_CONTROLLER)
            .map(|step| ((u32::from(self.last_id) + u32::from(step)) % u32::from(LAST_CONTROLLER)) as u16 + 1)
            .find(|id| self.controllers.iter().all(|controller| controller.id != *id))?;
        self.last_id = id;
        self.controllers.push(Controller {
            id,
            host: host.to_owned(),
            host_id,
            is_discovery,
            configuration: 0,
            state: 0,
            granted: 0,
            keep_alive_ms,
            events: 0,
            queues: Vec::new(),
            over: Arc::new(AtomicBool::new(false)),
            seen: Arc::new(AtomicU64::new(0)),
        });
        self.controllers.last()
    }

    /// Ends a controller and its queues.
    pub fn end(&mut self, id: u16) {
        if let Some(at) = self.controllers.iter().position(|controller| controller.id == id) {
            let mut controller = self.controllers.swap_remove(at);
            controller.over.store(true, Ordering::Relaxed);
            controller.end_queues();
        }
    }

    /// Lets go of an I/O queue.
    pub fn end_queue(&mut self, id: u16, queue: u16) {
        if let Some(controller) = self.controller(id) {
            controller.queues.retain(|(number, _)| *number != queue);
        }
    }

    /// I/O queues of all controllers.
    pub fn connected_queues(&self) -> usize {
        self.controllers.iter().map(|controller| controller.queues.len()).sum()
    }
}

/// One of several namespaces by its number, from 1.
pub(super) fn of(namespaces: &[Namespace], id: u32) -> Option<&Namespace> {
    namespaces.get(usize::try_from(id.checked_sub(1)?).ok()?)
}

/// Where connections find the subsystem that they share.
pub trait Directory {
    /// Does something with it.
    fn with<R>(&self, act: impl FnOnce(&mut Subsystem) -> R) -> R;
}

impl Directory for RefCell<Subsystem> {
    fn with<R>(&self, act: impl FnOnce(&mut Subsystem) -> R) -> R {
        act(&mut self.borrow_mut())
    }
}

impl Directory for Mutex<Subsystem> {
    fn with<R>(&self, act: impl FnOnce(&mut Subsystem) -> R) -> R {
        act(&mut self.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<D: Directory> Directory for Arc<D> {
    fn with<R>(&self, act: impl FnOnce(&mut Subsystem) -> R) -> R {
        (**self).with(act)
    }
}
