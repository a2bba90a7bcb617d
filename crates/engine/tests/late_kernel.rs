//! Engine `iocp` where I/Os end late, in any order, inside the call, or not well: a drawn kernel behind a real port. Wine ends
//! all I/O of files inside the call, so that nothing else shows this there.
#![cfg(windows)]
#![allow(unsafe_code, clippy::unwrap_used, reason = "a kernel is drawn; a test panics when it is wrong")]

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, OwnedHandle};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use fathom_conformance::{BUFFER_BYTES, Subject, TARGET_BYTES, Traits, run};
use fathom_engine::iocp::{CallTimes as Counted, Iocp, Kernel, Port, StartOutcome};
use fathom_engine::stripe::Slots;
use fathom_engine::{Engine, Io, Submission, Wait};
use fathom_measure::{Clock, WallClock};
use fathom_record::Direction;
use windows_sys::Win32::System::IO::{OVERLAPPED, PostQueuedCompletionStatus};

/// STATUS_DEVICE_DATA_ERROR, which is ERROR_CRC, 23.
const DATA_ERROR: u32 = 0xc000_009c;
/// STATUS_END_OF_FILE.
const END_OF_FILE: u32 = 0xc000_0011;
/// STATUS_CANCELLED.
const CANCELLED: u32 = 0xc000_0120;

/// One I/O that has not ended.
struct Held {
    record: usize,
    place: usize,
    bytes: u32,
    offset: u64,
    writes: bool,
}

/// What a late kernel has, on both of its sides.
#[derive(Default)]
struct Inside {
    held: Mutex<Vec<Held>>,
    /// The target, that of all kernels of a test.
    content: Arc<Mutex<Vec<u8>>>,
    /// Every so many starts it ends one inside the call, or with an error; 0 for never.
    inline_every: usize,
    error_every: usize,
    started: AtomicUsize,
    /// Nothing ends by itself.
    holds_all: AtomicBool,
    cancelled: AtomicBool,
    closing: AtomicBool,
}

impl Inside {
    /// Moves the bytes of an I/O: how many, or the status that it ends with.
    fn carry(&self, held: &Held) -> Result<u32, u32> {
        let mut content = self.content.lock().unwrap();
        let start = held.offset as usize;
        if start >= content.len() {
            return Err(END_OF_FILE);
        }
        let moved = (held.bytes as usize).min(content.len() - start);
        let place = held.place as *mut u8;
        // SAFETY: the place has as many bytes, and is the kernel's while the I/O is in flight.
        let place = unsafe { std::slice::from_raw_parts_mut(place, moved) };
        if held.writes {
            content[start..start + moved].copy_from_slice(place);
        } else {
            place.copy_from_slice(&content[start..start + moved]);
        }
        Ok(moved as u32)
    }

    /// Ends one: writes its record and posts its packet.
    fn end(&self, port: BorrowedHandle<'_>, held: &Held, outcome: Result<u32, u32>) {
        let record = held.record as *mut OVERLAPPED;
        let (status, moved) = match outcome {
            Ok(moved) => (0, moved),
            Err(status) => (status as i32 as isize as usize, 0),
        };
        // SAFETY: the record is the kernel's until its packet is posted.
        unsafe { ((*record).Internal, (*record).InternalHigh) = (status, moved as usize) };
        // SAFETY: the port is open.
        let posted = unsafe { PostQueuedCompletionStatus(port.as_raw_handle(), moved, 0, record) };
        assert_ne!(posted, 0, "{}", io::Error::last_os_error());
    }
}

/// A kernel that ends I/Os from a thread of its own, the youngest first.
struct Late {
    inside: Arc<Inside>,
    thread: Option<JoinHandle<()>>,
}

impl Kernel for Late {
    fn attach(&mut self, port: &Port) -> io::Result<bool> {
        // SAFETY: the port is open for the length of the call.
        let port: OwnedHandle =
            unsafe { BorrowedHandle::borrow_raw(port.as_raw_handle()) }.try_clone_to_owned()?;
        let inside = Arc::clone(&self.inside);
        self.thread = Some(std::thread::spawn(move || {
            while !inside.closing.load(Ordering::Acquire) {
                let is_cancelled = inside.cancelled.load(Ordering::Acquire);
                let next = if inside.holds_all.load(Ordering::Acquire) && !is_cancelled {
                    None
                } else {
                    inside.held.lock().unwrap().pop()
                };
                let Some(held) = next else {
                    std::thread::sleep(Duration::from_micros(50));
                    continue;
                };
                let count = held.record / size_of::<OVERLAPPED>();
                let outcome = if is_cancelled {
                    Err(CANCELLED)
                } else if inside.error_every > 0 && count % inside.error_every == 0 {
                    Err(DATA_ERROR)
                } else {
                    inside.carry(&held)
                };
                inside.end(port.as_handle(), &held, outcome);
            }
        }));
        Ok(true)
    }

    /// # Safety
    /// As the trait's.
    unsafe fn start(
        &mut self,
        writes: bool,
        place: *mut u8,
        bytes: u32,
        record: *mut OVERLAPPED,
    ) -> StartOutcome {
        // SAFETY: the record is the kernel's from here on.
        let at = unsafe { (*record).Anonymous.Anonymous };
        let offset = u64::from(at.OffsetHigh) << 32 | u64::from(at.Offset);
        let held = Held { record: record as usize, place: place as usize, bytes, offset, writes };
        let count = self.inside.started.fetch_add(1, Ordering::Relaxed) + 1;
        if self.inside.inline_every > 0 && count % self.inside.inline_every == 0 {
            return match self.inside.carry(&held) {
                Ok(moved) => StartOutcome::Moved(moved),
                Err(_) => StartOutcome::Ended(0),
            };
        }
        self.inside.held.lock().unwrap().push(held);
        StartOutcome::Pending
    }

    fn flush(&mut self) -> StartOutcome {
        StartOutcome::Ended(0)
    }

    fn cancel(&mut self) {
        self.inside.cancelled.store(true, Ordering::Release);
    }
}

impl Drop for Late {
    fn drop(&mut self) {
        self.inside.closing.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        assert!(self.inside.held.lock().unwrap().is_empty(), "an engine that ends leaves nothing in flight");
    }
}

fn target() -> Arc<Mutex<Vec<u8>>> {
    Arc::new(Mutex::new(vec![0x5a; TARGET_BYTES as usize]))
}

fn late(inside: Inside, depth: u32, clock: WallClock) -> (Iocp<WallClock, Late>, Arc<Inside>) {
    let inside = Arc::new(inside);
    let kernel = Late { inside: Arc::clone(&inside), thread: None };
    (Iocp::on(vec![kernel], (Slots::whole(depth), BUFFER_BYTES), clock).unwrap(), inside)
}

fn read(slot: u32) -> Io {
    Io { slot, direction: Direction::Read, offset: u64::from(slot) * 4096, bytes: 4096 }
}

#[test]
fn an_engine_on_a_late_kernel_keeps_what_engines_promise() {
    let (clock, _) = WallClock::start();
    for inline_every in [0, 3] {
        let content = target();
        let inside = || Inside { inline_every, content: Arc::clone(&content), ..Inside::default() };
        run(&Subject {
            name: "iocp on a late kernel",
            make: &|depth| late(inside(), depth, clock).0,
            now_ns: &|| clock.now_ns(),
            advance_to: None,
            traits: Traits { keeps_content: true, knows_its_end: true, writes_only: false },
        });
    }
}

#[test]
fn what_ends_badly_after_it_was_pending_is_an_error_of_that_io_alone() {
    let (clock, _) = WallClock::start();
    let (mut engine, _inside) =
        late(Inside { error_every: 2, content: target(), ..Inside::default() }, 8, clock);
    let mut done = Vec::with_capacity(8);
    for slot in 0..8 {
        assert_eq!(engine.submit(read(slot)), Submission::Queued);
    }
    while done.len() < 8 {
        engine.reap(Wait::Until(clock.now_ns() + 1_000_000_000), &mut done).unwrap();
    }
    let mut slots: Vec<u32> = done.iter().map(|completion| completion.slot).collect();
    slots.sort_unstable();
    assert_eq!(slots, (0..8).collect::<Vec<_>>());
    let bad = done.iter().filter(|completion| completion.errno() == Some((1 << 17) + 23)).count();
    assert_eq!((bad, done.iter().filter(|completion| completion.result == 4096).count()), (4, 4));
}

#[test]
fn an_engine_that_ends_with_ios_in_flight_takes_them_back_first() {
    let (clock, _) = WallClock::start();
    let inside = Inside { holds_all: AtomicBool::new(true), content: target(), ..Inside::default() };
    let (mut engine, inside) = late(inside, 8, clock);
    for slot in 0..8 {
        assert_eq!(engine.submit(read(slot)), Submission::Queued);
    }
    let mut done = Vec::with_capacity(8);
    engine.reap(Wait::No, &mut done).unwrap();
    assert!(done.is_empty());
    // `Late` looks whether anything is left when the engine lets it go.
    drop(engine);
    assert!(inside.cancelled.load(Ordering::Acquire));
}

#[test]
fn what_ended_inside_the_call_is_counted_when_the_engine_ends() {
    let (clock, _) = WallClock::start();
    let inside = Inside { inline_every: 4, content: target(), ..Inside::default() };
    let (engine, _inside) = late(inside, 8, clock);
    let counted = Arc::<Counted>::default();
    let mut engine = engine.counting(&counted);
    let ended = (0..8).filter(|slot| matches!(engine.submit(read(*slot)), Submission::Done(_))).count();
    assert_eq!(ended, 2);
    let flush = Io { direction: Direction::Flush, offset: Io::FLUSH_DATA, bytes: 0, ..read(3) };
    assert!(matches!(engine.submit(flush), Submission::Done(_)));
    assert_eq!(counted.sum().count, 0);
    drop(engine);
    let calls = counted.sum();
    assert_eq!((calls.count, calls.ended), (8, 2));
    assert!(calls.feature().used);
}
