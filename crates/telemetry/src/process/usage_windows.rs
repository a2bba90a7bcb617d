//! Time, page faults and memory of this process, as Windows accounts for them. It counts no context switches of a process,
//! and page faults of both kinds together, so that neither is given.
#![allow(unsafe_code)] // Two calls of the system about this process.

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

use super::{ProcessUsage, Room};
use crate::error::of_system;
use crate::{Root, TelemetryError};

/// This process's usage now.
pub fn usage() -> Option<ProcessUsage> {
    let [mut began, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle means this process, and the places take a time each.
    let done =
        unsafe { GetProcessTimes(GetCurrentProcess(), &mut began, &mut ended, &mut kernel, &mut user) };
    // In steps of 100 ns.
    let ns = |time: FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100;
    (done != 0).then(|| ProcessUsage {
        user_ns: ns(user),
        system_ns: ns(kernel),
        waits: None,
        preemptions: None,
        minor_faults: None,
        major_faults: None,
    })
}

/// What tells of this process's memory.
#[derive(Debug)]
pub struct Rooms;

impl Rooms {
    /// The system itself.
    pub fn new(_: &Root) -> Self {
        Self
    }

    /// Memory now; how many threads there are is not asked.
    ///
    /// # Errors
    /// When the system refuses to tell.
    pub fn now(&mut self) -> Result<Room, TelemetryError> {
        let mut counters = PROCESS_MEMORY_COUNTERS::default();
        let length = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
        // SAFETY: the handle means this process, and the place is as many bytes as is said.
        if unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &mut counters, length) } == 0 {
            let error = std::io::Error::last_os_error();
            return Err(of_system(
                "memory of this process",
                format!("memory of this process: {error}"),
                error,
            ));
        }
        Ok(Room { threads: None, resident_bytes: Some(counters.WorkingSetSize as u64) })
    }
}
