//! Processors of the first group, of which the system's masks speak: up to 64.
#![allow(unsafe_code)] // Calls of the system with numbers, and with two places that it fills in.

use std::collections::BTreeSet;
use std::io;

use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, SetThreadAffinityMask,
};

use super::no_such_cpu;
use crate::{EngineError, ErrorKind};

/// What a user can choose from.
pub const CHOICE: &str = "choose from the CPUs of the first processor group, counted from 0";

/// Nothing: a thread here wakes up at the system's ticks.
pub fn wake_on_time() {}

/// Binds the calling thread to one processor; to none, it leaves it where it may run.
///
/// # Errors
/// When there is no such processor, or the process may not use it.
pub fn bind(cpu: Option<u32>) -> Result<(), EngineError> {
    let Some(cpu) = cpu else { return Ok(()) };
    let Some(mask) = 1usize.checked_shl(cpu) else {
        return Err(no_such_cpu(cpu, "its number is beyond the first processor group"));
    };
    // SAFETY: the first argument is a handle that means the calling thread, the second a number.
    let before = unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) };
    if before == 0 { Err(no_such_cpu(cpu, &io::Error::last_os_error().to_string())) } else { Ok(()) }
}

/// The processors that this process may use: what it was started with.
///
/// # Errors
/// [`ErrorKind::Permission`] where the system does not say, as for a process in several groups.
pub fn allowed_cpus() -> Result<BTreeSet<u32>, EngineError> {
    let (mut own, mut all) = (0usize, 0usize);
    // SAFETY: the handle means this process, and both places are writable and of the type that the call fills in.
    let told = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut own, &raw mut all) };
    let refused = |cause: String| {
        EngineError::new(ErrorKind::Permission, "looking for CPUs", cause).with_remedy("use --cpus any")
    };
    match told {
        0 => {
            let error = io::Error::last_os_error();
            Err(refused(error.to_string()).with_source(error))
        }
        _ if own == 0 => Err(refused("it has CPUs of several processor groups".to_owned())),
        _ => Ok((0..usize::BITS).filter(|cpu| own >> cpu & 1 == 1).collect()),
    }
}
