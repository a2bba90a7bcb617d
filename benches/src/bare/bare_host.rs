//! A bare host: it connects a queue, keeps some reads in flight for a time, and counts.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::bare_pdus;

/// Bytes read at once.
const STAGING_BYTES: usize = 256 << 10;
/// The namespace's part that is read, which every target here has.
const SPAN_BYTES: u64 = 32 << 20;

/// An admin queue that keeps its controller.
#[derive(Debug)]
pub struct Controller {
    _admin: TcpStream,
    id: u16,
}

/// One I/O queue.
#[derive(Debug)]
pub struct Queue {
    stream: TcpStream,
    rest: Duration,
}

/// What came of some time of reads.
#[derive(Debug)]
pub struct Reads {
    pub reads: u64,
    pub seconds: f64,
    /// Of single reads at depth 1, ascending, in nanoseconds.
    pub latencies_ns: Vec<u64>,
}

fn opened(port: u16) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.write_all(&bare_pdus::initialize(false))?;
    stream.read_exact(&mut [0; bare_pdus::INITIALIZE_BYTES])?;
    Ok(stream)
}

/// Sends a command and takes its completion: its result.
fn say(stream: &mut TcpStream, command: &[u8]) -> io::Result<u32> {
    stream.write_all(command)?;
    let mut answer = [0; bare_pdus::SHORT_BYTES];
    stream.read_exact(&mut answer)?;
    match (answer[0], bare_pdus::two(&answer, 22) >> 1) {
        (bare_pdus::RESPONSE, 0) => Ok(bare_pdus::four(&answer, 8)),
        (kind, status) => Err(io::Error::other(format!("PDU {kind} with status {status:x}h"))),
    }
}

impl Controller {
    /// Makes a controller of a subsystem, with so many queues to be had.
    pub fn connect(port: u16, subsystem: &str, queues: u16) -> io::Result<Self> {
        let mut admin = opened(port)?;
        let id = say(&mut admin, &bare_pdus::connect(0, 32, u16::MAX, subsystem))? as u16;
        // Property Set of CC: enabled, with entries of 64 and 16 bytes.
        say(&mut admin, &bare_pdus::command(0x7f, 1, 0, 0, &[(11, 0x14), (12, 0x0046_0001)]))?;
        let number = u32::from(queues - 1);
        say(&mut admin, &bare_pdus::command(0x09, 2, 0, 0, &[(10, 7), (11, number << 16 | number)]))?;
        Ok(Self { _admin: admin, id })
    }

    /// Connects I/O queue `number`.
    pub fn queue(&self, port: u16, subsystem: &str, number: u16, entries: u16) -> io::Result<Queue> {
        let mut stream = opened(port)?;
        say(&mut stream, &bare_pdus::connect(number, entries, self.id, subsystem))?;
        Ok(Queue { stream, rest: Duration::ZERO })
    }
}

/// What has arrived of one connection, and what it is part of.
struct PartialPdu {
    slots: Vec<Vec<u8>>,
    header: [u8; bare_pdus::SHORT_BYTES],
    have: usize,
    /// The slot whose data arrives, where its next byte belongs, the bytes that are missing, and whether the read ends
    /// with them.
    data: (usize, usize, usize, bool),
}

impl PartialPdu {
    fn new(depth: u16, bytes: u32) -> Self {
        let slots = vec![vec![0; bytes as usize]; usize::from(depth)];
        Self { slots, header: [0; bare_pdus::SHORT_BYTES], have: 0, data: (0, 0, 0, false) }
    }

    /// Takes what was read, copies data to its slot, and tells `end` which reads ended.
    fn take(&mut self, mut rest: &[u8], mut end: impl FnMut(u16)) -> io::Result<()> {
        while !rest.is_empty() {
            let (slot, at, missing, ends) = self.data;
            if missing > 0 {
                let part = rest.len().min(missing);
                let (piece, left) = rest.split_at(part);
                let place = self.slots.get_mut(slot).and_then(|it| it.get_mut(at..at + part));
                place.ok_or_else(|| io::Error::other("data beyond a read"))?.copy_from_slice(piece);
                (self.data, rest) = ((slot, at + part, missing - part, ends), left);
                if part == missing && ends {
                    end(slot as u16);
                }
                continue;
            }
            let (piece, left) = rest.split_at(rest.len().min(bare_pdus::SHORT_BYTES - self.have));
            self.header[self.have..self.have + piece.len()].copy_from_slice(piece);
            (self.have, rest) = (self.have + piece.len(), left);
            if self.have == bare_pdus::SHORT_BYTES {
                self.have = 0;
                let header = &self.header;
                match header[0] {
                    bare_pdus::DATA => {
                        let (at, bytes) = (bare_pdus::four(header, 12), bare_pdus::four(header, 16));
                        let ends = header[1] & bare_pdus::SUCCESS != 0;
                        self.data = (bare_pdus::two(header, 8).into(), at as usize, bytes as usize, ends);
                    }
                    bare_pdus::RESPONSE => end(bare_pdus::two(header, 20)),
                    kind => return Err(io::Error::other(format!("PDU {kind} where a read was awaited"))),
                }
            }
        }
        Ok(())
    }
}

impl Queue {
    /// Looks for answers over and over from now on, as `fathom run --polled` does, in place of sleeping until one is there.
    pub fn poll(&mut self) -> io::Result<()> {
        self.stream.set_nonblocking(true)
    }

    /// From now on lets each read at depth 1 wait for so long after the end of the one before, and looks at nothing but the
    /// clock meanwhile.
    pub fn rest_between(&mut self, rest: Duration) {
        self.rest = rest;
    }

    /// Keeps `depth` reads of `bytes` in flight for a time.
    pub fn reads(&mut self, depth: u16, bytes: u32, time: Duration) -> io::Result<Reads> {
        let mut staging = vec![0; STAGING_BYTES];
        let mut arriving = PartialPdu::new(depth, bytes);
        let mut out = Vec::with_capacity(usize::from(depth) * bare_pdus::COMMAND_BYTES);
        let spans = SPAN_BYTES / u64::from(bytes);
        let (mut next, mut reads, mut latencies_ns) = (0u64, 0, Vec::new());
        let mut issue = |out: &mut Vec<u8>, id: u16| {
            next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let first = (next >> 33) % spans * u64::from(bytes / bare_pdus::BLOCK_BYTES);
            out.extend_from_slice(&bare_pdus::read(id, first, bytes));
        };
        (0..depth).for_each(|id| issue(&mut out, id));
        let start = now();
        let mut sent = start;
        self.stream.write_all(&out)?;
        let mut in_flight = depth;
        while in_flight > 0 {
            let there = match self.stream.read(&mut staging) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                there => there?,
            };
            if there == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let is_over = start.elapsed() >= time;
            out.clear();
            let before = reads;
            arriving.take(staging.get(..there).unwrap_or_default(), |id| {
                (reads, in_flight) = (reads + 1, in_flight - 1);
                if !is_over {
                    issue(&mut out, id);
                    in_flight += 1;
                }
            })?;
            if depth == 1 && reads > before {
                latencies_ns.push(sent.elapsed().as_nanos() as u64);
                let ended = now();
                while ended.elapsed() < self.rest {
                    std::hint::spin_loop();
                }
                sent = now();
            }
            self.stream.write_all(&out)?;
        }
        latencies_ns.sort_unstable();
        Ok(Reads { reads, seconds: start.elapsed().as_secs_f64(), latencies_ns })
    }
}

#[allow(clippy::disallowed_methods, reason = "the time of a bare loop is what is measured")]
pub fn now() -> Instant {
    Instant::now()
}
