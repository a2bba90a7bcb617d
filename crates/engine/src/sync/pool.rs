//! One thread a slot, woken for each I/O; no queue, no lock.
#![allow(unsafe_code)] // An I/O's bytes are handed to its thread as a raw pointer; the state word says whose they are.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{JoinHandle, Thread};

use fathom_measure::Clock;
use fathom_record::engine_list::too_many_threads;
use fathom_record::options::IoFlags;
use fathom_target::{Handle, Lane, lane};

use super::MAX_DEPTH;
use super::call::perform_with;
use crate::stripe::Slots;
use crate::{Completion, EngineError, ErrorKind, Io, Stamps, Wait};

/// Below this much time to a deadline the job's thread polls instead of parking: a timer fires tens of
/// microseconds late, and open arrivals are to start within 5 us of their intended time.
const SPIN_NS: u64 = 100_000;

/// Whose turn it is with a slot.
const IDLE: u32 = 0;
const REQUESTED: u32 = 1;
const FINISHED: u32 = 2;

#[derive(Debug)]
struct SlotState {
    turn: AtomicU32,
    /// The request, then the completion; locked only by the side whose turn it is, so never contended.
    cell: Mutex<(Request, i32, Stamps)>,
}

#[derive(Debug)]
struct PoolState {
    slots: Vec<SlotState>,
    closing: AtomicBool,
    owner: Thread,
}

/// The threads of one job.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<PoolState>,
    threads: Vec<JoinHandle<()>>,
    in_flight: usize,
}

/// An I/O on its way to its slot's thread.
#[derive(Clone, Copy, Debug)]
struct Request {
    io: Io,
    /// Which of the files.
    member: u32,
    /// As many bytes as the I/O has; null where its buffer does not hold them.
    bytes: *mut u8,
}

// SAFETY: the pointer is used by the slot's thread only while the slot's turn is REQUESTED, and the
// arena outlives the threads (`Sync` joins them before it unmaps).
unsafe impl Send for Request {}

impl Pool {
    /// Starts one thread for each part that can be in flight, owned by the calling thread.
    pub fn start<C: Clock + Clone + Send + 'static>(
        slots: Slots,
        files: &[Arc<Handle>],
        flags: IoFlags,
        clock: &C,
    ) -> Result<Self, EngineError> {
        let Slots { parts, .. } = slots;
        if parts > MAX_DEPTH {
            return Err(too_many_threads("sync", u64::from(parts)));
        }
        let io = Io { slot: 0, direction: fathom_record::Direction::Flush, offset: 0, bytes: 0 };
        let empty = Request { io, member: 0, bytes: std::ptr::null_mut() };
        let slot =
            || SlotState { turn: AtomicU32::new(IDLE), cell: Mutex::new((empty, 0, Stamps::default())) };
        let shared = Arc::new(PoolState {
            slots: (0..parts).map(|_| slot()).collect(),
            closing: AtomicBool::new(false),
            owner: std::thread::current(),
        });
        let mut pool = Self { shared, threads: Vec::with_capacity(parts as usize), in_flight: 0 };
        for slot in 0..parts {
            let (shared, clock) = (Arc::clone(&pool.shared), clock.clone());
            let lanes = files.iter().map(lane).collect::<Result<Vec<_>, _>>()?;
            let thread = std::thread::Builder::new()
                .name(format!("sync-{slot}"))
                .stack_size(128 << 10)
                .spawn(move || serve(&shared, slot as usize, (&lanes, flags), &clock))
                .map_err(|error| EngineError::system("starting a thread of engine sync", &error))?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// Hands an I/O for one of the files to its slot's thread. `bytes` are as many as it has, the thread's
    /// until the completion; `None` where its buffer does not hold them.
    pub fn submit(&mut self, io: Io, member: u32, bytes: Option<*mut u8>) {
        let slot = &self.shared.slots[io.slot as usize];
        lock(&slot.cell).0 = Request { io, member, bytes: bytes.unwrap_or(std::ptr::null_mut()) };
        slot.turn.store(REQUESTED, Ordering::Release);
        self.threads[io.slot as usize].thread().unpark();
        self.in_flight += 1;
    }

    pub fn reap(
        &mut self,
        wait: Wait,
        clock: &impl Clock,
        done: &mut Vec<Completion>,
    ) -> Result<(), EngineError> {
        loop {
            let before = done.len();
            for (index, slot) in self.shared.slots.iter().enumerate() {
                if slot.turn.load(Ordering::Acquire) == FINISHED {
                    let (_, result, stamps) = *lock(&slot.cell);
                    slot.turn.store(IDLE, Ordering::Relaxed);
                    done.push(Completion { slot: index as u32, result, stamps });
                }
            }
            self.in_flight -= done.len() - before;
            let Wait::Until(deadline_ns) = wait else { return Ok(()) };
            if done.len() > before || self.in_flight == 0 {
                return Ok(());
            }
            match deadline_ns.saturating_sub(clock.now_ns()) {
                0 => return self.alive(),
                left if left > SPIN_NS => {
                    std::thread::park_timeout(std::time::Duration::from_nanos(left - SPIN_NS));
                }
                _ => std::hint::spin_loop(),
            }
        }
    }

    /// Fails when a thread has ended: what it was given never comes back. Looked at when a wait was in
    /// vain.
    fn alive(&self) -> Result<(), EngineError> {
        if self.threads.iter().any(JoinHandle::is_finished) {
            let cause = "a thread of the engine died with an I/O in flight";
            return Err(EngineError::new(ErrorKind::System, "waiting on engine sync", cause));
        }
        Ok(())
    }
}

fn lock<T>(cell: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn serve(shared: &PoolState, index: usize, (lanes, flags): (&[Lane], IoFlags), clock: &impl Clock) {
    let slot = &shared.slots[index];
    loop {
        while slot.turn.load(Ordering::Acquire) != REQUESTED {
            if shared.closing.load(Ordering::Acquire) {
                return;
            }
            std::thread::park();
        }
        let request = lock(&slot.cell).0;
        let Request { io, member, bytes } = request;
        let bytes: &mut [u8] = if bytes.is_null() {
            &mut []
        } else {
            // SAFETY: the turn is REQUESTED, so this thread alone uses the I/O's bytes until it sets
            // FINISHED; the mapping is initialised and outlives the thread.
            unsafe { std::slice::from_raw_parts_mut(bytes, io.bytes as usize) }
        };
        let submitted_ns = clock.now_ns();
        let result = perform_with(flags, &lanes[member as usize], &io, bytes);
        let reaped_ns = clock.now_ns();
        *lock(&slot.cell) = (request, result, Stamps { submitted_ns, returned_ns: reaped_ns, reaped_ns });
        slot.turn.store(FINISHED, Ordering::Release);
        shared.owner.unpark();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A thread that panicked has nothing in flight any more.
            let _ = thread.join();
        }
    }
}
