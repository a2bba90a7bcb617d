//! Processor time of the calling thread.
#![allow(unsafe_code)] // One call of the system with four places that it fills in.

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};

/// Nanoseconds that the calling thread has used, in steps of the system's timer.
pub fn thread_cpu_ns() -> Option<u64> {
    let [mut began, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle means the calling thread, and the places take a time each.
    let done = unsafe { GetThreadTimes(GetCurrentThread(), &mut began, &mut ended, &mut kernel, &mut user) };
    // In steps of 100 ns.
    let ns = |time: FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100;
    (done != 0).then(|| ns(kernel) + ns(user))
}
