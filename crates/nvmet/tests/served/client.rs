//! A target in this process, and a host that speaks to it over a socket and waits for each answer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use fathom_fabric::host::{
    Association, AssociationStep, ConnectOptions, HostQueue, Limits as HostLimits, SlotCompletion, Transfer,
};
use fathom_fabric::{Framing, Payloads};
use fathom_nvmet::{Export, ExportPlan, Limits, Server, ServerPlan};
use fathom_record::options::Decorators;
use fathom_spec::fabrics::SubmissionEntry;

pub const NQN: &str = "nqn.2014-08.org.nvmexpress:uuid:served";
pub const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:host";
/// Bytes of a slot's buffer.
pub const SLOT_BYTES: usize = 1 << 20;

pub fn names(backends: &[&str]) -> Vec<String> {
    backends.iter().map(|&name| name.to_owned()).collect()
}

pub fn export(backends: &[&str], writable: bool, decorators: &Decorators) -> Export {
    let backends = names(backends);
    let plan = ExportPlan {
        faults: &Default::default(),
        backends: &backends,
        writable,
        permits: &[],
        check_empty: false,
        stop: &std::sync::atomic::AtomicBool::new(false),
        size_bytes: None,
        stripe_bytes: None,
        decorators,
        seed: 1,
    };
    Export::open(&plan).unwrap()
}

pub fn plan() -> ServerPlan {
    ServerPlan {
        cpus: Vec::new(),
        address: "127.0.0.1:0".parse().unwrap(),
        name: NQN.to_owned(),
        firmware: "1".to_owned(),
        hosts: Some(vec![HOST.to_owned()]),
        limits: Limits { queues: 8, depth: 64, ..Limits::default() },
        workers: 2,
        polled: false,
    }
}

pub fn served(backends: &[&str]) -> Server {
    Server::start(export(backends, false, &Decorators::default()), &plan()).unwrap()
}

pub struct Buffers(pub Vec<Vec<u8>>);

impl Payloads for Buffers {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        &mut self.0[slot as usize]
    }
}

/// One connection of a host.
pub struct Client {
    pub stream: TcpStream,
    pub queue: HostQueue,
    pub buffers: Buffers,
    pub ended: Vec<SlotCompletion>,
}

pub fn wishes(subsystem: &str) -> ConnectOptions {
    ConnectOptions {
        host: HOST.to_owned(),
        host_id: [7; 16],
        subsystem: subsystem.to_owned(),
        queues: 4,
        namespace: Some(1),
        keep_alive_ms: 5000,
    }
}

impl Client {
    pub fn connect(address: SocketAddr, framing: Framing, slots: u32) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self {
            stream,
            queue: HostQueue::new(framing, slots, 16),
            buffers: Buffers(vec![vec![0; SLOT_BYTES]; slots as usize]),
            ended: Vec::new(),
        }
    }

    /// Sends what there is.
    pub fn send(&mut self) -> Result<(), String> {
        loop {
            let (mut out, ended) = (Vec::new(), &mut self.ended);
            self.queue.fill(&mut self.buffers, (&mut out, 1 << 20), &mut |end| ended.push(end));
            if out.is_empty() {
                return Ok(());
            }
            self.stream.write_all(&out).map_err(|error| error.to_string())?;
        }
    }

    /// Sends and receives until so many slots have ended.
    pub fn settle(&mut self, count: usize) -> Result<(), String> {
        let mut bytes = vec![0; 256 << 10];
        self.send()?;
        while self.ended.len() < count {
            let there = heard(&mut self.stream, &mut bytes)?;
            if there == 0 {
                return Err("the target closed the connection".to_owned());
            }
            let ended = &mut self.ended;
            self.queue
                .received(&bytes[..there], &mut self.buffers, &mut |end| ended.push(end))
                .map_err(|fatal| fatal.to_string())?;
            self.send()?;
        }
        Ok(())
    }

    /// Sends the initialization and takes the answer.
    pub fn open(&mut self) -> Result<(), String> {
        let mut bytes = [0; 128];
        self.send()?;
        while !self.queue.is_open() {
            let there = heard(&mut self.stream, &mut bytes)?;
            if there == 0 {
                return Err("the target closed the connection".to_owned());
            }
            let ended = &mut self.ended;
            self.queue
                .received(&bytes[..there], &mut self.buffers, &mut |end| ended.push(end))
                .map_err(|fatal| fatal.to_string())?;
        }
        Ok(())
    }

    /// Carries one command out in slot 0.
    pub fn say(&mut self, entry: SubmissionEntry, bytes: u32) -> Result<SlotCompletion, String> {
        assert!(self.queue.start(0, entry, bytes));
        self.settle(1)?;
        Ok(self.ended.pop().unwrap())
    }

    /// Carries one transfer out in slot 0.
    pub fn transfer(&mut self, opcode: u8, nsid: u32, offset: u64, bytes: u32) -> SlotCompletion {
        let transfer = Transfer { opcode, nsid, offset, bytes, block_shift: 9 };
        assert!(self.queue.start_transfer(0, transfer));
        self.settle(1).unwrap();
        self.ended.pop().unwrap()
    }
}

/// A controller with its admin queue.
pub struct Controller {
    pub admin: Client,
    pub association: Association,
    pub address: SocketAddr,
    framing: Framing,
}

pub fn associate(
    address: SocketAddr,
    framing: Framing,
    wishes: ConnectOptions,
) -> Result<Controller, String> {
    let mut admin = Client::connect(address, framing, 4);
    admin.open()?;
    let mut association = Association::new(wishes);
    loop {
        match association.next_step() {
            AssociationStep::Ready => return Ok(Controller { admin, association, address, framing }),
            AssociationStep::Pause(ms) => std::thread::sleep(Duration::from_millis(ms.into())),
            AssociationStep::Command { entry, bytes } => {
                let data = association.data();
                admin.buffers.0[0][..data.len()].copy_from_slice(&data);
                let end = admin.say(entry, bytes)?;
                let page = admin.buffers.0[0].clone();
                association.answered(end.status, end.result, &page).map_err(|failure| failure.to_string())?;
            }
        }
    }
}

impl Controller {
    /// Connects I/O queue `number`.
    pub fn queue(&self, number: u16, slots: u32) -> Result<Client, String> {
        let mut client = Client::connect(self.address, self.framing, slots);
        client.open()?;
        let data = self.association.data();
        client.buffers.0[0][..data.len()].copy_from_slice(&data);
        let entry = Association::connect_io(number, 64, true);
        let end = client.say(entry, data.len() as u32)?;
        if !end.status.is_success() {
            return Err(fathom_fabric::host::connect_refusal(end.status, end.result));
        }
        let facts = self.association.facts();
        client.queue.set_limits(HostLimits {
            transfer_bytes: facts.transfer_bytes,
            in_capsule_bytes: facts.in_capsule_bytes,
        });
        Ok(client)
    }
}

/// Bytes that have come; a signal to another test of the process is nothing that ends it.
fn heard(stream: &mut TcpStream, bytes: &mut [u8]) -> Result<usize, String> {
    loop {
        match stream.read(bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            other => return other.map_err(|error| error.to_string()),
        }
    }
}

/// A controller and one I/O queue of it.
pub fn connected(server: &Server, framing: Framing, slots: u32) -> (Controller, Client) {
    let controller = associate(server.address(), framing, wishes(NQN)).unwrap();
    let queue = controller.queue(1, slots).unwrap();
    (controller, queue)
}
