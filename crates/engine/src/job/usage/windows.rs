//! What Windows accounts to a thread and to its process, in steps of its timer: 15.6 ms unless somebody raised it.
#![allow(unsafe_code)] // Two calls of the system with four places each that they fill in.

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
};

use super::Usage;

/// Of the calling thread.
pub fn of_thread() -> Usage {
    // SAFETY: the handle means the calling thread; the places are writable and of the type that the call fills in. A
    // failure leaves zeros.
    read(|[began, ended, kernel, user]| unsafe {
        GetThreadTimes(GetCurrentThread(), began, ended, kernel, user);
    })
}

/// Of all threads of this process.
pub fn of_process() -> Usage {
    // SAFETY: as above, of a handle that means this process.
    read(|[began, ended, kernel, user]| unsafe {
        GetProcessTimes(GetCurrentProcess(), began, ended, kernel, user);
    })
}

/// Kernel and user time, the third and the fourth of the times that `ask` fills in.
fn read(ask: impl FnOnce([&mut FILETIME; 4])) -> Usage {
    let [mut began, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    ask([&mut began, &mut ended, &mut kernel, &mut user]);
    // In steps of 100 ns.
    let ns = |time: FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100;
    Usage { user_ns: ns(user), system_ns: ns(kernel) }
}
