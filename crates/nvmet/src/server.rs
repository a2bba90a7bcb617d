//! The target as a whole: its threads, its address, and its end.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use fathom_engine::job::bind;
use fathom_engine::{EngineError, ErrorKind};
use fathom_fabric::controller::{Access, Subsystem};
use fathom_measure::WallClock;
use fathom_target::wall::{Reach, Wall};

use crate::acceptor::{Acceptor, Post};
use crate::counters::{Counters, Summary};
use crate::exported_targets::Export;
use crate::limits::{Limits, most_connections};
use crate::readiness_wait::{Poller, Waker};
use crate::worker::{TargetState, Worker};

/// How something is served.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// Where to listen; port 0: one that is free.
    pub address: SocketAddr,
    /// Name of the subsystem.
    pub name: String,
    /// Version of the program, as hosts see it.
    pub firmware: String,
    /// Hosts that may connect; none named: any.
    pub hosts: Option<Vec<String>>,
    /// What hosts are given.
    pub limits: Limits,
    /// Threads that serve, 1 and up.
    pub workers: usize,
    /// Processors that the workers are bound to, in turn; none: the scheduler's choice.
    pub cpus: Vec<u32>,
    /// Whether workers that have connections look for commands without sleeping: no command waits until a worker is awake,
    /// and each uses all of its processor.
    pub polled: bool,
}

/// A target that serves until it is [stopped](Self::stop) or dropped.
#[derive(Debug)]
pub struct Server {
    common: Arc<TargetState>,
    address: SocketAddr,
    queues: u16,
    bells: Vec<Waker>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Listens, and serves from now on.
    ///
    /// # Errors
    /// When the address is taken or not this machine's, a limit is outside its range, or threads cannot be had.
    pub fn start(export: Export, plan: &ServerPlan) -> Result<Self, EngineError> {
        let limits = plan.limits.of_subsystem(export.backends.len())?;
        let place = format!("listening at {}", plan.address);
        let listener = TcpListener::bind(plan.address).map_err(|error| not_bound(&place, &error))?;
        let failed = |error: &std::io::Error| EngineError::system(place.as_str(), error);
        listener.set_nonblocking(true).map_err(|error| failed(&error))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let access = plan.hosts.clone().map_or(Access::Any, Access::Hosts);
        let subsystem = subsystem(&export, plan, access, limits)?;
        let (clock, _) = WallClock::start();
        let common = Arc::new(TargetState {
            export,
            directory: Arc::new(Mutex::new(subsystem)),
            counters: Arc::new(Counters::default()),
            stop: AtomicBool::new(false),
            open: AtomicUsize::new(0),
            newcomers: AtomicUsize::new(0),
            queues_made: AtomicU32::new(0),
            said: Mutex::new(Vec::new()),
            clock,
            polled: plan.polled,
        });
        let mut server =
            Self { common, address, queues: limits.queues, bells: Vec::new(), threads: Vec::new() };
        let mut posts = Vec::new();
        for number in 0..plan.workers.max(1) {
            let ready = Poller::new().map_err(|error| failed(&error))?;
            let (arrivals, taken) = channel();
            let bell = ready.bell();
            server.bells.push(bell.clone());
            posts.push(Post { arrivals, bell });
            let common = Arc::clone(&server.common);
            // The kernel keeps what carries I/O from all that was not opened before.
            let wall = Wall::around(&Reach::default())?;
            let cpu = plan.cpus.get(number % plan.cpus.len().max(1)).copied();
            server.spawn(format!("nvmet-{number}"), move || match wall.enter().and_then(|()| bind(cpu)) {
                Ok(()) => Worker::new(common, ready, taken).run(),
                Err(error) => common.say(format!("a worker did not start: {error}")),
            })?;
        }
        let ready = Poller::new().map_err(|error| failed(&error))?;
        server.bells.push(ready.bell());
        let most = most_connections(&limits);
        let acceptor = Acceptor { common: Arc::clone(&server.common), listener, ready, posts, most };
        server.spawn("nvmet-accept".to_owned(), move || acceptor.run())?;
        Ok(server)
    }

    fn spawn(&mut self, name: String, work: impl FnOnce() + Send + 'static) -> Result<(), EngineError> {
        let thread = std::thread::Builder::new().name(name).spawn(work);
        let thread =
            thread.map_err(|error| EngineError::system("starting a thread of the target", &error))?;
        self.threads.push(thread);
        Ok(())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// I/O queues that hosts are given together: as many as asked for, or as fit into the memory.
    pub fn queues(&self) -> u16 {
        self.queues
    }

    /// What is served.
    pub fn export(&self) -> &Export {
        &self.common.export
    }

    /// What was served so far.
    pub fn summary(&self) -> Summary {
        self.common.counters.summary()
    }

    /// Takes the sentences on connections that came since they were taken last.
    pub fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut *self.common.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends all connections and says what was served.
    pub fn stop(mut self) -> Summary {
        self.end();
        self.summary()
    }

    fn end(&mut self) {
        self.common.stop.store(true, Ordering::Relaxed);
        self.bells.iter().for_each(Waker::ring);
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn subsystem(
    export: &Export,
    plan: &ServerPlan,
    access: Access,
    limits: fathom_fabric::controller::SubsystemLimits,
) -> Result<Subsystem, EngineError> {
    let mut backends = export.backends.iter();
    let Some(first) = backends.next() else {
        return Err(EngineError::new(ErrorKind::Plan, "starting the target", "nothing is served"));
    };
    let names = (plan.name.as_str(), first.facts.name.as_str());
    let mut subsystem = Subsystem::new(names, &plan.firmware, first.namespace, access, limits);
    backends.for_each(|backend| subsystem.add(&backend.facts.name, backend.namespace));
    Ok(subsystem)
}

fn not_bound(place: &str, error: &std::io::Error) -> EngineError {
    let remedy = match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            "another program listens there: name another port, e.g. --listen 127.0.0.1:4421"
        }
        std::io::ErrorKind::AddrNotAvailable => "name an address of this machine: `ip address` lists them",
        std::io::ErrorKind::PermissionDenied => {
            "ports below 1024 take the right CAP_NET_BIND_SERVICE: name another"
        }
        _ => "",
    };
    EngineError::system(place, error).with_remedy(remedy)
}
