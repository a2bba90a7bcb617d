//! The ring itself: entries in, completions out, and the one system call between them.
#![allow(unsafe_code)] // Raw system call and ring pushes; each use says why it is sound.

use std::os::fd::AsRawFd;

use io_uring::{IoUring, cqueue, squeue, types};

use super::enter;
use crate::{EngineError, ErrorKind};

const ENTER_GETEVENTS: u32 = 1;
const ENTER_EXT_ARG: u32 = 1 << 3;
const ENTER_REGISTERED_RING: u32 = 1 << 4;
const REGISTER_RING_FDS: u32 = 20;
const UNREGISTER_RING_FDS: u32 = 21;

/// A ring of entries of either size, and how the kernel is told which one is meant.
pub struct Queue<S: squeue::EntryMarker = squeue::Entry, C: cqueue::EntryMarker = cqueue::Entry> {
    ring: IoUring<S, C>,
    /// Descriptor, or index in the thread's table of registered rings.
    handle: i32,
    enter_flags: u32,
    polled: bool,
}

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> std::fmt::Debug for Queue<S, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("handle", &self.handle).finish_non_exhaustive()
    }
}

/// As the kernel's `struct io_uring_rsrc_update`.
#[repr(C)]
struct RingUpdate {
    offset: u32,
    reserved: u32,
    data: u64,
}

const _: () = assert!(size_of::<RingUpdate>() == 16);

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> Queue<S, C> {
    /// Takes a ring; `polled` rings must be asked for completions.
    pub fn new(ring: IoUring<S, C>, polled: bool) -> Self {
        let handle = ring.as_raw_fd();
        Self { ring, handle, enter_flags: 0, polled }
    }

    /// The ring, for registering files and buffers.
    pub fn ring(&self) -> &IoUring<S, C> {
        &self.ring
    }

    /// Saves the kernel the look-up of the descriptor on each call; false where it does not know how.
    pub fn register_handle(&mut self) -> bool {
        let mut update = RingUpdate { offset: u32::MAX, reserved: 0, data: self.ring.as_raw_fd() as u64 };
        let registered = self.update_handles(REGISTER_RING_FDS, &mut update);
        if registered {
            self.handle = update.offset as i32;
            self.enter_flags = ENTER_REGISTERED_RING;
        }
        registered
    }

    /// One change of the thread's table of registered rings; whether it was made.
    fn update_handles(&self, operation: u32, update: &mut RingUpdate) -> bool {
        // SAFETY: the kernel reads and writes exactly one `struct io_uring_rsrc_update`, which
        // `RingUpdate` mirrors, during the call.
        let changed = unsafe {
            libc::syscall(
                libc::SYS_io_uring_register,
                self.ring.as_raw_fd(),
                operation,
                std::ptr::from_mut(update),
                1,
            )
        };
        changed == 1
    }

    /// Adds an entry; false when the submission queue is full.
    #[inline]
    pub fn push(&mut self, entry: &S) -> bool {
        // SAFETY: the engine holds the contract: the entry's buffer is the slot's own, which stays
        // mapped and untouched until the completion was reaped, and its file stays open.
        unsafe { self.ring.submission().push(entry).is_ok() }
    }

    /// What has completed.
    #[inline]
    pub fn completions(&mut self) -> cqueue::CompletionQueue<'_, C> {
        self.ring.completion()
    }

    /// Submits `count` entries and lets the kernel finish what it can, without waiting. Returns how many
    /// entries were accepted: fewer when the kernel is short of something, to be tried again.
    #[inline]
    pub fn start(&mut self, count: u32) -> Result<u32, EngineError> {
        // SAFETY: no argument beyond the numbers.
        match unsafe { self.enter(count, 0, ENTER_GETEVENTS, std::ptr::null(), 0) } {
            Ok(accepted) => Ok(accepted),
            // Out of requests or completion space: completions must be taken first.
            Err(libc::EAGAIN | libc::EBUSY | libc::EINTR) => Ok(0),
            Err(errno) => Err(broken("submitting to io_uring", errno)),
        }
    }

    /// Lets the kernel post completions that it holds back, without waiting.
    #[inline]
    pub fn poll(&mut self) -> Result<(), EngineError> {
        let submission = self.ring.submission();
        if !(self.polled || submission.taskrun() || submission.cq_overflow()) {
            drop(submission);
            std::hint::spin_loop();
            return Ok(());
        }
        drop(submission);
        // SAFETY: no argument beyond the numbers.
        match unsafe { self.enter(0, 0, ENTER_GETEVENTS, std::ptr::null(), 0) } {
            Ok(_) | Err(libc::EAGAIN | libc::EBUSY | libc::EINTR) => Ok(()),
            Err(errno) => Err(broken("polling io_uring", errno)),
        }
    }

    /// Waits until something completes, at most `timeout_ns`.
    pub fn wait(&mut self, timeout_ns: u64) -> Result<(), EngineError> {
        self.start_and_wait(0, timeout_ns).map(|_| ())
    }

    /// Submits `count` entries and waits in the same call until something completes, at most `timeout_ns`.
    /// Returns how many entries were accepted, as [`start`](Self::start) does.
    #[inline]
    pub fn start_and_wait(&mut self, count: u32, timeout_ns: u64) -> Result<u32, EngineError> {
        let time =
            types::Timespec::new().sec(timeout_ns / 1_000_000_000).nsec((timeout_ns % 1_000_000_000) as u32);
        let arguments = types::SubmitArgs::new().timespec(&time);
        let size = size_of::<types::SubmitArgs<'_, '_>>();
        let flags = ENTER_GETEVENTS | ENTER_EXT_ARG;
        // SAFETY: `arguments` is the kernel's `struct io_uring_getevents_arg` of `size` bytes and lives,
        // with the time it points to, through the call.
        match unsafe { self.enter(count, 1, flags, (&raw const arguments).cast(), size) } {
            Ok(accepted) => Ok(accepted),
            // The time is over, or completions must be taken before more can start.
            Err(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY) => Ok(0),
            Err(errno) => Err(broken("submitting to io_uring and waiting", errno)),
        }
    }

    /// The same, however long it takes: for rings where something is bound to complete.
    #[inline(always)]
    pub fn start_and_wait_for_any(&mut self, count: u32) -> Result<u32, EngineError> {
        // SAFETY: no argument beyond the numbers.
        match unsafe { self.enter(count, 1, ENTER_GETEVENTS, std::ptr::null(), 0) } {
            Ok(accepted) => Ok(accepted),
            // Completions must be taken before more can start.
            Err(libc::EINTR | libc::EAGAIN | libc::EBUSY) => Ok(0),
            Err(errno) => Err(broken("submitting to io_uring and waiting", errno)),
        }
    }

    /// The system call.
    ///
    /// # Safety
    /// `argument` is null, or what the flags say it is, for `size` bytes.
    #[inline(always)]
    unsafe fn enter(
        &self,
        submit: u32,
        wait_for: u32,
        flags: u32,
        argument: *const libc::c_void,
        size: usize,
    ) -> Result<u32, i32> {
        // SAFETY: the caller vouches for the argument; the handle belongs to this ring, and whoever pushed its entries
        // vouched for them.
        let outcome = unsafe {
            enter::enter((self.handle, submit, wait_for, flags | self.enter_flags, argument, size))
        };
        if outcome >= 0 { Ok(outcome as u32) } else { Err(-outcome as i32) }
    }
}

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> Drop for Queue<S, C> {
    /// Gives back at once what the kernel holds for this ring. The thread's table of registered rings
    /// has few places and keeps a ring alive after its descriptor was closed; pinned buffers count
    /// against the limit of locked memory, and registered files stay open, with their locks and claims,
    /// until the kernel has come round to taking the ring apart.
    fn drop(&mut self) {
        // Where nothing was registered, or the ring is broken, closing it does the same, later.
        let _ = self.ring.submitter().unregister_buffers();
        let _ = self.ring.submitter().unregister_files();
        if self.enter_flags == ENTER_REGISTERED_RING {
            let mut update = RingUpdate { offset: self.handle as u32, reserved: 0, data: 0 };
            self.update_handles(UNREGISTER_RING_FDS, &mut update);
        }
    }
}

#[cold]
fn broken(place: &str, errno: i32) -> EngineError {
    let error = std::io::Error::from_raw_os_error(errno);
    EngineError::new(ErrorKind::System, place, error.to_string()).with_source(error)
}
