//! Copies that survive pages which cannot be had: a SIGBUS inside one becomes a result.
//!
//! A mapped page beyond the end of its file, or one whose device fails, raises SIGBUS where it is
//! touched. During a guarded copy the handler puts memory of nobody's under the rest of the copy, notes
//! the page, and returns, so that the copy ends; whoever called it sees the note, fails the I/O and maps
//! the file there again. Any other SIGBUS goes to whatever handled it before.
#![allow(unsafe_code)] // A signal handler and copies by address; each use says why it is sound.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

use crate::EngineError;

/// What the thread's handler may repair, and what it has.
struct Guard {
    /// Addresses of the copy's mapped side; `end` 0 when no copy is under way.
    start: AtomicUsize,
    end: AtomicUsize,
    /// First page that the handler replaced; 0 for none, which no mapping contains.
    replaced: AtomicUsize,
}

thread_local! {
    /// Without a destructor and known at compile time, so that a handler may touch it at any moment.
    static GUARD: Guard = const {
        Guard { start: AtomicUsize::new(0), end: AtomicUsize::new(0), replaced: AtomicUsize::new(0) }
    };
}

/// What handled SIGBUS before; written before the handler is installed.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();
static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// Installs the handler, once a process; it stays, and passes on what is not its own.
///
/// # Errors
/// When the system refuses a handler.
pub fn install() -> Result<(), EngineError> {
    let outcome = INSTALLED.get_or_init(|| {
        PAGE.store(rustix::param::page_size(), Ordering::Relaxed);
        // SAFETY: an all-zero `sigaction` is a valid value of plain integers, and the calls read and
        // write whole structures during the call only. The handler has the form that SA_SIGINFO asks for
        // and does only what may be done in a handler.
        unsafe {
            let mut previous: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut previous) != 0 {
                return Err(errno());
            }
            let _ = PREVIOUS.set(previous);
            let mut ours: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_bus_error;
            ours.sa_sigaction = handler as libc::sighandler_t;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            libc::sigemptyset(&raw mut ours.sa_mask);
            match libc::sigaction(libc::SIGBUS, &raw const ours, std::ptr::null_mut()) {
                0 => Ok(()),
                _ => Err(errno()),
            }
        }
    });
    outcome.map_err(|errno| {
        let error = std::io::Error::from_raw_os_error(errno);
        EngineError::system("installing a handler for failing pages", &error)
    })
}

/// Copies `bytes` from `from` to `to`, of which `mapped` is the side whose pages may fail. Returns the
/// address of the first page that was replaced; all from there to the end of the copy's last page
/// is no longer the file's, and what was copied is worth nothing.
///
/// # Safety
/// Both sides are mapped for `bytes`, readable and writable as the copy needs it; the mapped side
/// belongs to a mapping that this thread alone uses and will map again; [`install`] has succeeded.
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize, mapped: *const u8) -> Option<usize> {
    GUARD.with(|guard| {
        guard.replaced.store(0, Ordering::Relaxed);
        guard.start.store(mapped as usize, Ordering::Relaxed);
        guard.end.store(mapped as usize + bytes, Ordering::Relaxed);
        // The handler runs on this thread: only the compiler must not move the copy out of the guard.
        compiler_fence(Ordering::SeqCst);
        // SAFETY: the caller vouches for both sides; the slot's buffer and the mapping do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        compiler_fence(Ordering::SeqCst);
        guard.end.store(0, Ordering::Relaxed);
        match guard.replaced.load(Ordering::Relaxed) {
            0 => None,
            page => Some(page),
        }
    })
}

extern "C" fn on_bus_error(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid `siginfo_t` to a handler with SA_SIGINFO; above 0 the code says that
    // the kernel itself found a fault, which has an address.
    let (from_kernel, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as usize) };
    if !(from_kernel && repair(address)) {
        pass_on(signal, info, context, from_kernel);
    }
}

/// Puts anonymous memory under the guarded copy from the failing page on; false when the address is not
/// the copy's. Calls nothing but `mmap`, and leaves `errno` as it was.
fn repair(address: usize) -> bool {
    GUARD.with(|guard| {
        let (start, end) = (guard.start.load(Ordering::Relaxed), guard.end.load(Ordering::Relaxed));
        if !(start..end).contains(&address) {
            return false;
        }
        let page_bytes = PAGE.load(Ordering::Relaxed);
        let page = address / page_bytes * page_bytes;
        let length = end.next_multiple_of(page_bytes) - page;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: the pages belong to the mapping of the copy under way on this thread, whose owner maps
        // them again; `errno` is this thread's own.
        let replaced = unsafe {
            let before = *libc::__errno_location();
            let at = libc::mmap(page as *mut libc::c_void, length, protection, flags, -1, 0);
            *libc::__errno_location() = before;
            at != libc::MAP_FAILED
        };
        if replaced {
            guard.replaced.store(page, Ordering::Relaxed);
        }
        replaced
    })
}

/// Does with a signal what would have been done without this handler.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void, from_kernel: bool) {
    let (action, flags) =
        PREVIOUS.get().map_or((libc::SIG_DFL, 0), |previous| (previous.sa_sigaction, previous.sa_flags));
    if action == libc::SIG_IGN && !from_kernel {
        return;
    }
    if action == libc::SIG_DFL || action == libc::SIG_IGN {
        // SAFETY: plain calls that are allowed in a handler. A fault happens again on return, and a signal
        // that was sent is sent again; both then end the process as the default says.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            if !from_kernel {
                libc::raise(signal);
            }
        }
        return;
    }
    // SAFETY: the previous owner gave this address as a handler of the form that its flags say.
    unsafe {
        if flags & libc::SA_SIGINFO != 0 {
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(action);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(libc::c_int) = std::mem::transmute(action);
            handler(signal);
        }
    }
}

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)
}
