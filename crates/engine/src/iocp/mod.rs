//! Overlapped I/O of Windows, whose ends come out of a completion port.
//!
//! A job has a port and a file object of its own: a file object belongs to one port for ever, so that jobs cannot share
//! one. The call that starts an I/O is stamped before and after; completions come out in batches, with one stamp a batch.
//! What ends inside the call gives no packet and is over at once. Whether a call blocks, as for compressed files or writes
//! behind the valid data, nobody tells its caller: the time between the submitted and the returned stamp shows it.
#![allow(unsafe_code)] // Buffers and records of I/Os in flight are the system's; kept where it does not give them back.

mod inside;
pub(crate) mod launch;
mod overlapped_calls;
mod port;
mod records;

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::Duration;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::facts::{EngineFacts, EngineFeature};
use fathom_target::{Handle, OverlappedLane, overlapped_lane};
use windows_sys::Win32::Media::{timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::System::IO::OVERLAPPED_ENTRY;

use crate::os_error::{EINVAL, EOPNOTSUPP};
use crate::stripe::{Carrier, Part, Slots};
use crate::{Arena, Completion, Engine, EngineError, Io, Stamps, Submission, Wait};
pub use inside::{CallTimes, Calls};
pub use overlapped_calls::{Kernel, StartOutcome};
pub use port::Port;
use records::Records;

/// A wait of the port ends at a tick of the system's timer, up to one of these late; what is nearer is polled for.
const TICK_NS: u64 = 1_000_000;
/// How long what is in flight may take to come back at the end, before it is left where it is.
const LAST_WAIT: Duration = Duration::from_secs(30);
/// Between two looks for it.
const LOOK_MS: u32 = 100;
const PLACE: &str = "starting engine iocp";

/// Overlapped I/O on one open file, or on the members of a stripe.
pub struct Iocp<C, K: Kernel = OverlappedLane> {
    /// One a file, at least one. They end before the port does.
    kernels: Vec<K>,
    /// Of each, whether what ends inside the call gives no packet.
    skips: Vec<bool>,
    port: Port,
    /// Unmapped only when the system has given every I/O back.
    arena: ManuallyDrop<Arena>,
    /// As the arena.
    records: ManuallyDrop<Records>,
    entries: Box<[OVERLAPPED_ENTRY]>,
    /// Submitted and returned stamps by slot.
    stamps: Vec<(u64, u64)>,
    in_flight: usize,
    calls: Calls,
    /// Where the calls are added to those of other jobs.
    inside: Arc<CallTimes>,
    clock: C,
    facts: EngineFacts,
    _ticks: Ticks,
}

impl<C, K: Kernel> std::fmt::Debug for Iocp<C, K> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The system's packets have no words.
        let fields = (&self.port, &self.skips, self.in_flight, &self.facts);
        out.debug_tuple("Iocp").field(&fields).finish()
    }
}

impl<C: Clock> Iocp<C> {
    /// An engine for `depth` I/Os over an open file.
    ///
    /// # Errors
    /// When the file cannot be opened once more, or a port or buffers cannot be had.
    pub fn new(file: &Arc<Handle>, depth: u32, buffer_bytes: u64, clock: C) -> Result<Self, EngineError> {
        Self::over(std::slice::from_ref(file), (Slots::whole(depth), buffer_bytes), clock)
    }

    /// The same over the members of a stripe, in their order.
    ///
    /// # Errors
    /// As [`new`](Self::new), for the parts in flight.
    pub fn over(files: &[Arc<Handle>], slots: (Slots, u64), clock: C) -> Result<Self, EngineError> {
        let lanes = files.iter().map(overlapped_lane).collect::<Result<_, _>>()?;
        Self::on(lanes, slots, clock)
    }
}

impl<C: Clock, K: Kernel> Iocp<C, K> {
    /// An engine over what starts I/Os, one for each file; at least one.
    ///
    /// # Errors
    /// When a port or buffers cannot be had.
    pub fn on(
        mut kernels: Vec<K>,
        (slots, buffer_bytes): (Slots, u64),
        clock: C,
    ) -> Result<Self, EngineError> {
        let failed = |error: std::io::Error| EngineError::system(PLACE, &error);
        let Slots { buffers, parts, numbers } = slots;
        let port = Port::new().map_err(failed)?;
        let skips = kernels
            .iter_mut()
            .map(|kernel| kernel.attach(&port))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        let facts = facts(skips.iter().all(|skips| *skips));
        Ok(Self {
            kernels,
            skips,
            port,
            arena: ManuallyDrop::new(Arena::new(buffers, buffer_bytes)?),
            records: ManuallyDrop::new(Records::new(numbers as usize)),
            entries: vec![OVERLAPPED_ENTRY::default(); parts as usize].into_boxed_slice(),
            stamps: vec![(0, 0); numbers as usize],
            in_flight: 0,
            calls: Calls::default(),
            inside: Arc::default(),
            clock,
            facts,
            _ticks: Ticks::of_a_millisecond(),
        })
    }

    /// The same engine, which adds its calls to these when it ends.
    pub fn counting(mut self, inside: &Arc<CallTimes>) -> Self {
        self.inside = Arc::clone(inside);
        self
    }

    /// Starts an I/O for one of the files, or carries it out where the call does not come back before.
    #[inline]
    fn take(&mut self, part: Part) -> Submission {
        let Part { io, member, buffer, skip_bytes } = part;
        let kernel = &mut self.kernels[member as usize];
        let submitted_ns = self.clock.now_ns();
        let started = match io.direction {
            Direction::Flush => kernel.flush(),
            Direction::Trim => StartOutcome::Ended(-EOPNOTSUPP),
            Direction::Read | Direction::Write => match self.arena.place(buffer, skip_bytes, io.bytes) {
                None => StartOutcome::Ended(-EINVAL),
                Some(place) => {
                    let record = self.records.begin(io.slot, io.offset);
                    let writes = io.direction == Direction::Write;
                    // SAFETY: the place is the slot's own and as long as is said, the record too; both stay until the I/O
                    // has come back, since the slot is in flight until then and `drop` keeps them if it never does.
                    unsafe { kernel.start(writes, place, io.bytes, record) }
                }
            },
        };
        let returned_ns = self.clock.now_ns();
        if matches!(io.direction, Direction::Read | Direction::Write) {
            self.calls.count += 1;
            self.calls.ended += u64::from(started != StartOutcome::Pending);
            self.calls.ns += returned_ns - submitted_ns;
        }
        let result = match started {
            StartOutcome::Ended(result) => result,
            // Its packet comes all the same.
            StartOutcome::Moved(_) if !self.skips[member as usize] => {
                return self.queued(io, (submitted_ns, returned_ns));
            }
            StartOutcome::Moved(bytes) => bytes as i32,
            StartOutcome::Pending => return self.queued(io, (submitted_ns, returned_ns)),
        };
        let stamps = Stamps { submitted_ns, returned_ns, reaped_ns: returned_ns };
        Submission::Done(Completion { slot: io.slot, result, stamps })
    }

    #[inline]
    fn queued(&mut self, io: Io, stamps: (u64, u64)) -> Submission {
        self.stamps[io.slot as usize] = stamps;
        self.in_flight += 1;
        Submission::Queued
    }

    /// Takes what has ended, waiting at most so many milliseconds for a first one.
    fn collect(&mut self, wait_ms: u32, done: &mut Vec<Completion>) -> Result<bool, EngineError> {
        let failed = |error: std::io::Error| EngineError::system("waiting at a completion port", &error);
        let found = self.port.take(&mut self.entries, wait_ms).map_err(failed)?;
        if found == 0 {
            return Ok(false);
        }
        let reaped_ns = self.clock.now_ns();
        for entry in &self.entries[..found] {
            let (slot, result) = self.records.ended(entry).ok_or_else(|| {
                let cause = "a packet came out of the port that belongs to none of its I/Os";
                EngineError::new(crate::ErrorKind::System, "waiting at a completion port", cause)
            })?;
            let (submitted_ns, returned_ns) = self.stamps[slot as usize];
            done.push(Completion { slot, result, stamps: Stamps { submitted_ns, returned_ns, reaped_ns } });
        }
        self.in_flight -= found;
        Ok(true)
    }
}

fn facts(skips: bool) -> EngineFacts {
    let note = (!skips).then(|| "the system gives a packet for what ended inside the call too".to_owned());
    EngineFacts {
        name: launch::NAME.to_owned(),
        version: 1,
        features: vec![EngineFeature::new("skip_port_on_success", skips, note)],
        completes_inline: false,
        returned_stamp: "return of the call that started the I/O".to_owned(),
    }
}

impl<C: Clock, K: Kernel> Engine for Iocp<C, K> {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.arena.slice(slot)
    }

    #[inline]
    fn submit(&mut self, io: Io) -> Submission {
        self.take(Part { io, member: 0, buffer: io.slot, skip_bytes: 0 })
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        // The first look does not wait.
        let mut wait_ms = 0;
        loop {
            if self.in_flight == 0 || self.collect(wait_ms, done)? {
                return Ok(());
            }
            let Wait::Until(deadline_ns) = wait else { return Ok(()) };
            let left_ns = deadline_ns.saturating_sub(self.clock.now_ns());
            if left_ns == 0 {
                return Ok(());
            }
            wait_ms = u32::try_from(left_ns.saturating_sub(TICK_NS) / TICK_NS).unwrap_or(u32::MAX - 1);
            if wait_ms == 0 {
                std::hint::spin_loop();
            }
        }
    }
}

impl<C: Clock, K: Kernel> Carrier for Iocp<C, K> {
    #[inline]
    fn submit_part(&mut self, part: Part) -> Submission {
        self.take(part)
    }
}

impl<C, K: Kernel> Drop for Iocp<C, K> {
    fn drop(&mut self) {
        self.inside.add(self.calls);
        if self.in_flight > 0 {
            self.kernels.iter_mut().for_each(Kernel::cancel);
        }
        let mut left = LAST_WAIT;
        while self.in_flight > 0 && !left.is_zero() {
            match self.port.take(&mut self.entries, LOOK_MS) {
                Ok(found) => self.in_flight = self.in_flight.saturating_sub(found),
                Err(_) => break,
            }
            left = left.saturating_sub(Duration::from_millis(u64::from(LOOK_MS)));
        }
        if self.in_flight == 0 {
            // SAFETY: nothing is in flight any more, and neither is used after this. Otherwise a device may still write
            // there, and both are left.
            unsafe {
                ManuallyDrop::drop(&mut self.arena);
                ManuallyDrop::drop(&mut self.records);
            }
        }
    }
}

/// Ticks of the system's timer that are a millisecond apart, for as long as a job runs: of themselves they are 15.6.
#[derive(Debug)]
struct Ticks(bool);

impl Ticks {
    fn of_a_millisecond() -> Self {
        // SAFETY: a call without pointers; 0 says that it was done.
        Self(unsafe { timeBeginPeriod(1) } == 0)
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        if self.0 {
            // SAFETY: the end of what was begun.
            let _ = unsafe { timeEndPeriod(1) };
        }
    }
}
