//! A lost connection that is made again. What was in flight stays so and is sent once more, with the stamps of its first
//! submission: the outage is in its latency. A command that the target carried out before it was lost is carried out
//! twice, which changes nothing: it reads, writes or clears the same bytes.

use std::net::TcpStream;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use fathom_measure::Clock;
use fathom_target::remote::{Controller, IoQueue, Remote};

use super::NvmeTcp;
use crate::os_error::EINVAL;
use crate::{Completion, EngineError, Wait};

/// Between two attempts, in nanoseconds.
const PAUSE_NS: u64 = 100_000_000;

/// Whom a job connects to again, and for how long it tries.
#[derive(Debug)]
pub struct Reconnection {
    remote: Arc<Remote>,
    /// Of the job's socket, for telemetry.
    label: String,
    /// Buffers, and the bytes of each.
    shape: (u32, u32),
    limit_ns: u64,
    outage: Option<Outage>,
}

#[derive(Debug)]
struct Outage {
    since_ns: u64,
    next_ns: u64,
    attempts: u32,
    /// Why it began, and why the last attempt failed.
    why: String,
    last: Option<EngineError>,
}

impl Reconnection {
    /// For a job that is told by this label; none where a loss is the end.
    pub fn of(remote: &Arc<Remote>, label: &str, shape: (u32, u32)) -> Option<Self> {
        let limit_ns = u64::from(remote.reconnect_s()?) * 1_000_000_000;
        Some(Self { remote: Arc::clone(remote), label: label.to_owned(), shape, limit_ns, outage: None })
    }

    /// Whether there is no connection.
    pub fn is_out(&self) -> bool {
        self.outage.is_some()
    }

    /// Begins an outage.
    pub fn begin(&mut self, why: &str, now_ns: u64) {
        self.outage =
            Some(Outage { since_ns: now_ns, next_ns: now_ns, attempts: 0, why: why.to_owned(), last: None });
    }

    /// Takes the outage down that ends.
    fn end(&mut self, now_ns: u64) {
        if let Some(outage) = self.outage.take() {
            let mut all = self.remote.outages().lock().unwrap_or_else(PoisonError::into_inner);
            all.add(now_ns.saturating_sub(outage.since_ns), &outage.why);
        }
    }
}

impl<C: Clock> NvmeTcp<C> {
    /// Tries to connect again until there is a connection, the wait is over, or it has taken too long; then everything
    /// in flight fails. Whether there is something to go on with.
    #[cold]
    pub(super) fn revive(&mut self, wait: Wait, done: &mut Vec<Completion>) -> bool {
        loop {
            let now_ns = self.clock.now_ns();
            let Some(revival) = &mut self.revival else { return true };
            let limit_ns = revival.limit_ns;
            let Some(outage) = &mut revival.outage else { return true };
            let over_ns = outage.since_ns.saturating_add(limit_ns);
            if now_ns >= over_ns {
                let last = outage.last.take().map_or_else(String::new, |error| format!("; {}", error.cause));
                let why = format!(
                    "{}, and not to be had again within {} s{last}",
                    outage.why,
                    limit_ns / 1_000_000_000
                );
                revival.end(now_ns);
                self.revival = None;
                self.give_up(&why, done);
                return true;
            }
            if now_ns >= outage.next_ns {
                let (remote, shape, attempt) = (Arc::clone(&revival.remote), revival.shape, outage.attempts);
                match connect(&remote, shape, attempt) {
                    Ok((controller, queue)) => {
                        (self.controller, self.number) = (controller, 1);
                        self.go_on(queue, done);
                        return true;
                    }
                    Err(error) => self.note_attempt(error),
                }
                continue;
            }
            let Wait::Until(until_ns) = wait else { return false };
            if now_ns >= until_ns {
                return false;
            }
            let sleep_ns = until_ns.min(outage.next_ns).min(over_ns) - now_ns;
            std::thread::sleep(Duration::from_nanos(sleep_ns));
        }
    }

    fn note_attempt(&mut self, error: EngineError) {
        let now_ns = self.clock.now_ns();
        if let Some(outage) = self.revival.as_mut().and_then(|revival| revival.outage.as_mut()) {
            outage.attempts += 1;
            outage.next_ns = now_ns + PAUSE_NS;
            outage.last = Some(error);
        }
    }

    /// Sends what is in flight once more.
    fn go_on(&mut self, queue: IoQueue, done: &mut Vec<Completion>) {
        self.tally();
        self.carried.local_port = queue.stream.local_addr().ok().map(|address| address.port());
        (self.stream, self.queue) = (queue.stream, queue.queue);
        self.out.clear();
        self.sent = 0;
        self.ended.clear();
        self.fresh.clear();
        self.heard_ns = self.clock.now_ns();
        if let Some(revival) = &mut self.revival {
            register(&revival.remote, &revival.label, &self.stream);
            revival.end(self.heard_ns);
        }
        for slot in 0..self.places.len() {
            let Some(io) = self.places[slot].io.filter(|_| self.places[slot].in_flight) else { continue };
            self.places[slot].returned_ns = 0;
            if self.start(&io) {
                self.fresh.push(io.slot);
            } else {
                self.fail(io.slot, EINVAL, done);
            }
        }
    }
}

/// A controller for one job alone, and its queue.
fn connect(
    remote: &Remote,
    (depth, bytes): (u32, u32),
    attempt: u32,
) -> Result<(Arc<Controller>, IoQueue), EngineError> {
    let controller = remote.reconnect(attempt)?;
    let queue = controller.connect_queue(1, depth, bytes)?;
    Ok((Arc::new(controller), queue))
}

/// Gives telemetry a descriptor of a job's socket, which outlives the job's thread until the run is over.
pub fn register(remote: &Remote, label: &str, stream: &TcpStream) {
    if let Ok(stream) = stream.try_clone() {
        let mut open = sockets(remote);
        open.retain(|(other, _)| other != label);
        open.push((label.to_owned(), stream));
    }
}

/// The sockets that telemetry asks about.
pub fn sockets(remote: &Remote) -> MutexGuard<'_, Vec<(String, TcpStream)>> {
    remote.sockets().lock().unwrap_or_else(PoisonError::into_inner)
}
