//! The device itself: from an I/O and its arrival to when it ends, in integer nanoseconds.
//!
//! Everything is decided at arrival. Stages are first come, first served, so that the state after
//! each I/O is a few times and balances; nothing waits in lists. Two consequences are part of the
//! model: an instance's limit is charged as I/Os arrive, ahead of slower stages behind it, by at
//! most the I/Os in flight; and noise is taken at the arrival.

mod contended_lock;
mod cost;
mod instance_host;
mod limit;
mod noise;
mod places;
mod serial_link;
mod service;
mod stall;
mod streams;
mod token_bucket;

use std::sync::{Arc, Mutex, PoisonError};

use fathom_record::Direction;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use contended_lock::ContendedLock;
use cost::Coster;
pub use instance_host::SimHost;
pub use limit::{Cost, Limits};
use noise::Speed;
use places::Places;
use serial_link::Wire;
use service::{Sampler, Worker};
use stall::StallClock;
use token_bucket::Bucket;
pub use token_bucket::TOKEN;

use fathom_record::error::EngineError as Error;
use fathom_record::options::{ByteLimit, OperationLimit};

use super::parameters::SimParameters;
use super::truth::Truth;

/// Keeps the noise's random numbers apart from those of the service times.
const NOISE_SEED: u64 = 0x6e6f_6973_6521_0001;

/// A simulated device and its state.
#[derive(Clone, Debug)]
pub struct SimDevice {
    parameters: SimParameters,
    lock: Option<ContendedLock>,
    jobs: u32,
    instance: Option<Arc<Mutex<Limits>>>,
    tags: Option<Places>,
    limits: Limits,
    wires: Option<[Wire; 2]>,
    round_trip_ns: u64,
    cache_room: Option<Bucket>,
    servers: Places,
    workers: [Worker; 4],
    positioning: Option<Sampler>,
    stalls: StallClock,
    speed: Option<Speed>,
    coster: Coster,
    random: Xoshiro256PlusPlus,
    last_arrival_ns: u64,
}

impl SimDevice {
    /// A device alone on its instance, at time 0 with its limits' starting balances.
    ///
    /// # Errors
    /// When the parameters contradict each other; see [`SimParameters::validate`].
    pub fn new(parameters: SimParameters) -> Result<Self, Error> {
        SimHost::default().device(parameters)
    }

    /// `instance` is the limit to share; parameters are valid.
    fn on_instance(parameters: SimParameters, instance: Option<Arc<Mutex<Limits>>>) -> Self {
        let p = &parameters;
        let wire = |link: &super::Link| Wire::new(link.bytes_per_s);
        Self {
            lock: p.lock.map(ContendedLock::new),
            jobs: 0,
            instance,
            tags: p.tags.map(Places::new),
            limits: Limits::new(p.operations, p.throughput),
            wires: p.link.as_ref().map(|link| [wire(link), wire(link)]),
            round_trip_ns: p.link.map_or(0, |link| link.round_trip_ns),
            cache_room: p.write_cache.map(|cache| {
                let free_bytes = cache.free_bytes.unwrap_or(cache.capacity_bytes);
                Bucket::new(cache.drain_bytes_per_s, cache.capacity_bytes, free_bytes)
            }),
            servers: Places::new(p.servers),
            workers: Direction::ALL.map(|direction| Worker::new(p.work(direction))),
            positioning: p.positioning.map(Sampler::new),
            stalls: StallClock::new(p.stalls, p.stalls_elapsed_ns),
            speed: p.noise.as_ref().map(|noise| Speed::new(noise, p.seed ^ NOISE_SEED)),
            coster: Coster::new(p),
            random: Xoshiro256PlusPlus::seed_from_u64(p.seed),
            last_arrival_ns: 0,
            parameters,
        }
    }

    /// A number for one more job that sends I/Os, by which a lock knows them apart.
    pub fn new_job(&mut self) -> u32 {
        self.jobs = self.jobs.wrapping_add(1);
        self.jobs
    }

    /// When an I/O of a job that arrives at `now_ns` ends. I/Os come in the order of their arrival; a time
    /// before the last arrival counts as that.
    pub fn serve(&mut self, job: u32, now_ns: u64, direction: Direction, offset: u64, bytes: u64) -> u64 {
        let now_ns = now_ns.max(self.last_arrival_ns);
        self.last_arrival_ns = now_ns;
        let speed = self.speed.as_mut().map(|speed| speed.at(now_ns));
        let io = self.coster.cost(direction, offset, bytes);

        let mut at_ns = now_ns;
        if let Some(lock) = &mut self.lock {
            at_ns = lock.pass(at_ns, job, speed);
        }
        if let Some(instance) = &self.instance {
            let mut limits = instance.lock().unwrap_or_else(PoisonError::into_inner);
            at_ns = limits.admit(at_ns, io.cost);
        }
        if let Some(tags) = &self.tags {
            at_ns = at_ns.max(tags.earliest());
        }
        at_ns = self.limits.admit(at_ns, io.cost.at_speed(speed));
        if let Some(wires) = &mut self.wires {
            at_ns = wires[usize::from(direction != Direction::Read)].pass(at_ns, io.wire_bytes);
        }

        let start_ns = at_ns.max(self.servers.earliest());
        let work_ns = self.work_ns(direction, &io, speed);
        let free_ns = self.stalls.after(start_ns, work_ns);
        self.servers.take(free_ns);
        let ready_ns = match (&mut self.cache_room, direction) {
            (Some(room), Direction::Write) => {
                // A write that finds the cache full waits without keeping a server from reads.
                let cost = u128::from(io.medium_bytes) * TOKEN;
                let room_ns = room.earliest(start_ns, cost);
                room.take(room_ns, cost);
                if room_ns > start_ns { self.stalls.after(room_ns, work_ns) } else { free_ns }
            }
            _ => free_ns,
        };
        let done_ns =
            self.stalls.after(ready_ns, self.parameters.base_latency_ns).saturating_add(self.round_trip_ns);
        if let Some(tags) = &mut self.tags {
            tags.take(done_ns);
        }
        done_ns
    }

    /// What a server does for an I/O, at the present speed.
    #[inline]
    fn work_ns(&mut self, direction: Direction, io: &cost::IoCost, speed: Option<f64>) -> u64 {
        let mut work_ns = self.workers[direction.index()].draw_ns(io.server_bytes, &mut self.random);
        if io.reads_before_writing_bytes > 0 {
            let worker = &self.workers[Direction::Read.index()];
            let read_ns = worker.draw_ns(io.reads_before_writing_bytes, &mut self.random);
            work_ns = work_ns.saturating_add(read_ns);
        }
        if let (Some(positioning), true) = (&self.positioning, io.positions) {
            work_ns = work_ns.saturating_add(positioning.draw_ns(&mut self.random));
        }
        match speed {
            Some(speed) => (work_ns as f64 / speed + 0.5) as u64,
            None => work_ns,
        }
    }

    /// What the device is.
    pub fn parameters(&self) -> &SimParameters {
        &self.parameters
    }

    /// The device as it stands at a time not before the last arrival: the same parameters, with the
    /// balances of its limits, the room of its write cache and the time until its next stall as they are then.
    pub fn parameters_at(&self, now_ns: u64) -> SimParameters {
        let mut now = self.parameters.clone();
        set_balances(&self.limits, now_ns, now.operations.as_mut(), now.throughput.as_mut());
        if let (Some(of), Some(limits)) = (&mut now.instance, &self.instance) {
            let limits = limits.lock().unwrap_or_else(PoisonError::into_inner);
            set_balances(&limits, now_ns, of.operations.as_mut(), of.throughput.as_mut());
        }
        if let (Some(cache), Some(room)) = (&mut now.write_cache, &self.cache_room) {
            cache.free_bytes = Some(room.tokens_at(now_ns));
        }
        now.stalls_elapsed_ns = self.stalls.elapsed_at(now_ns);
        now
    }

    /// What a right measurement must find.
    pub fn truth(&self) -> Truth {
        Truth::new(self.parameters.clone())
    }
}

fn set_balances(
    limits: &Limits,
    now_ns: u64,
    operations: Option<&mut OperationLimit>,
    bytes: Option<&mut ByteLimit>,
) {
    if let (Some(limit), Some(tokens)) = (operations, limits.operation_tokens_at(now_ns)) {
        limit.balance_operations = tokens;
    }
    if let (Some(limit), Some(tokens)) = (bytes, limits.byte_tokens_at(now_ns)) {
        limit.balance_bytes = tokens;
    }
}
