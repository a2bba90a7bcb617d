//! A controller in this process, over loopback: what an initiator's tests connect to.
//!
//! Its protocol is that of [`fathom_fabric::controller`], and what it serves is memory. It is slow, and can be told to
//! hang up or to fall silent.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fathom_fabric::controller::{
    Access, Answer, CommandStart, ControllerQueue, Digests, Io, IoHandler, Namespace, Role, Session,
    Subsystem, SubsystemLimits,
};
use fathom_fabric::{GatherList, Payloads};

/// Name of the subsystem that is served.
pub const SUBSYSTEM: &str = "nqn.2014-08.org.nvmexpress:uuid:served-for-tests";

/// What is served, and how.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Bytes of the namespace, a multiple of the block.
    pub bytes: u64,
    /// Size of a block as a power of two.
    pub block_shift: u32,
    /// Whether writes are refused.
    pub is_read_only: bool,
    /// What connections are given.
    pub limits: SubsystemLimits,
    /// Who may connect.
    pub access: Access,
}

impl Offer {
    /// A writable namespace in blocks of 512 bytes, for any host.
    pub fn of(bytes: u64) -> Self {
        let limits = SubsystemLimits {
            queues: 8,
            all_queues: 16,
            entries: 128,
            controllers: 8,
            transfer_bytes: 32 << 10,
            in_capsule_bytes: 8 << 10,
            digests: Digests::Offer,
        };
        Self { bytes, block_shift: 9, is_read_only: false, limits, access: Access::Any }
    }
}

#[derive(Debug)]
struct ServerState {
    namespace: Namespace,
    subsystem: Mutex<Subsystem>,
    disk: Mutex<Vec<u8>>,
    ends: AtomicBool,
    is_silent: AtomicBool,
    commands: AtomicU64,
    streams: Mutex<Vec<TcpStream>>,
}

/// A controller that listens; it ends when this is dropped.
#[derive(Debug)]
pub struct ServedController {
    shared: Arc<ServerState>,
    port: u16,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ServedController {
    /// Listens on a free port of loopback.
    ///
    /// # Errors
    /// As the system refuses it.
    pub fn start(offer: Offer) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let namespace = Namespace {
            blocks: offer.bytes >> offer.block_shift,
            block_shift: offer.block_shift,
            is_read_only: offer.is_read_only,
            deallocates: true,
            has_write_cache: true,
        };
        let subsystem = Subsystem::new((SUBSYSTEM, "memory"), "1", namespace, offer.access, offer.limits);
        let shared = Arc::new(ServerState {
            namespace,
            subsystem: Mutex::new(subsystem),
            disk: Mutex::new(vec![0; offer.bytes as usize]),
            ends: AtomicBool::new(false),
            is_silent: AtomicBool::new(false),
            commands: AtomicU64::new(0),
            streams: Mutex::new(Vec::new()),
        });
        let own = Arc::clone(&shared);
        std::thread::Builder::new().name("served".to_owned()).spawn(move || accept(&listener, port, &own))?;
        Ok(Self { shared, port })
    }

    /// What a user types for its namespace.
    pub fn name(&self) -> String {
        format!("nvme+tcp://127.0.0.1:{}/{SUBSYSTEM}/1", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Closes every connection that is open.
    pub fn hang_up(&self) {
        for stream in locked(&self.shared.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Answers nothing any more, or again.
    pub fn silence(&self, is_silent: bool) {
        self.shared.is_silent.store(is_silent, Ordering::Relaxed);
    }

    /// I/Os that were carried out.
    pub fn commands(&self) -> u64 {
        self.shared.commands.load(Ordering::Relaxed)
    }
}

impl Drop for ServedController {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        self.hang_up();
        // Wakes the listener, which then sees that it is over.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn accept(listener: &TcpListener, port: u16, shared: &Arc<ServerState>) {
    for stream in listener.incoming() {
        if shared.ends.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        if let Ok(kept) = stream.try_clone() {
            locked(&shared.streams).push(kept);
        }
        let own = Arc::clone(shared);
        std::thread::spawn(move || {
            let mut connection = Connection::new(stream, port, own);
            // That it was closed is all there is to say.
            let _ = connection.serve();
            connection.end();
        });
    }
}

/// Buffers of slots, and the disk.
#[derive(Debug)]
struct Backend {
    buffers: Vec<Vec<u8>>,
    shared: Arc<ServerState>,
}

impl Payloads for Backend {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        &mut self.buffers[slot as usize]
    }
}

impl IoHandler for Backend {
    fn begin_io(&mut self, slot: u32, io: Io) -> CommandStart {
        self.shared.commands.fetch_add(1, Ordering::Relaxed);
        let mut disk = locked(&self.shared.disk);
        let buffer = &mut self.buffers[slot as usize];
        CommandStart::Done(match io {
            Io::Read { offset, bytes } => {
                let (from, length) = (offset as usize, bytes as usize);
                buffer[..length].copy_from_slice(&disk[from..from + length]);
                Answer { bytes, ..Answer::DONE }
            }
            Io::Write { offset, bytes, .. } => {
                let (from, length) = (offset as usize, bytes as usize);
                disk[from..from + length].copy_from_slice(&buffer[..length]);
                Answer::DONE
            }
            Io::Trim { ranges } => {
                let namespace = self.shared.namespace;
                for (from, length) in (0..ranges).filter_map(|at| namespace.range(buffer, at)) {
                    disk[from as usize..(from + length) as usize].fill(0);
                }
                Answer::DONE
            }
            Io::Flush => Answer::DONE,
        })
    }
}

struct Connection {
    stream: TcpStream,
    queue: ControllerQueue,
    session: Session,
    backend: Backend,
    is_queue: bool,
}

impl Connection {
    fn new(stream: TcpStream, port: u16, shared: Arc<ServerState>) -> Self {
        let subsystem = locked(&shared.subsystem);
        let session = Session::new(&subsystem, "127.0.0.1", false, port);
        let limits = Session::admin_limits(subsystem.limits.transfer_bytes);
        drop(subsystem);
        let buffers = vec![vec![0; limits.transfer_bytes as usize]];
        let backend = Backend { buffers, shared };
        Self { stream, queue: ControllerQueue::new(limits), session, backend, is_queue: false }
    }

    fn serve(&mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        self.stream.set_read_timeout(Some(Duration::from_millis(50)))?;
        let mut staging = vec![0; 64 << 10];
        loop {
            let count = match self.stream.read(&mut staging) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    0
                }
                Err(error) => return Err(error),
            };
            while self.backend.shared.is_silent.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let is_broken = !self.received(&staging[..count]);
            self.send()?;
            if is_broken || self.session.is_over() {
                return self.stream.shutdown(Shutdown::Both);
            }
        }
    }

    /// Takes what arrived; false where the host broke a rule.
    fn received(&mut self, bytes: &[u8]) -> bool {
        let shared = Arc::clone(&self.backend.shared);
        let mut handler = self.session.serving(&shared.subsystem, &mut self.backend);
        let outcome = self.queue.received(bytes, &mut handler);
        drop(handler);
        if !self.is_queue && self.session.role() != Role::Fresh {
            self.is_queue = true;
            let limits = self.session.queue_limits();
            let (entries, without) = match self.session.role() {
                Role::Io { entries, without_flow_control, .. } => (entries, without_flow_control),
                Role::Admin { entries, .. } => (entries, false),
                Role::Fresh => (1, false),
            };
            self.queue.become_queue(u32::from(entries), limits, without);
            self.backend.buffers = vec![vec![0; limits.transfer_bytes as usize]; usize::from(entries)];
        }
        outcome.is_ok()
    }

    fn send(&mut self) -> io::Result<()> {
        let mut out = Vec::new();
        while self.queue.has_output() {
            out.clear();
            self.queue.fill(&mut self.backend, (&mut out, 256 << 10), &mut GatherList::default());
            if out.is_empty() {
                return Ok(());
            }
            self.stream.write_all(&out)?;
        }
        Ok(())
    }

    fn end(&mut self) {
        let shared = Arc::clone(&self.backend.shared);
        self.session.end(&shared.subsystem);
    }
}
