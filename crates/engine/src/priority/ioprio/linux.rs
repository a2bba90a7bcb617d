//! The system call, which the C library has no name for.
#![allow(unsafe_code)] // A system call with three numbers.

use std::io;

use fathom_record::options::Priority;

use super::number;
use crate::{EngineError, ErrorKind};

/// `IOPRIO_WHO_PROCESS`, which means a thread.
const OF_THREAD: i32 = 1;

/// Gives the calling thread a priority for all I/Os that it starts.
pub fn set_of_thread(priority: Priority) -> Result<(), EngineError> {
    let number = i32::from(number(priority));
    // SAFETY: three numbers, of which the second means the calling thread.
    let outcome = unsafe { libc::syscall(libc::SYS_ioprio_set, OF_THREAD, 0, number) };
    if outcome == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let place = format!("giving I/Os {}", priority.in_words());
    if error.raw_os_error() == Some(libc::EPERM) {
        let refused = EngineError::new(ErrorKind::Permission, place, error.to_string()).with_source(error);
        return Err(refused.with_remedy(
            "class real time needs the right CAP_SYS_NICE: run it with sudo, or use another class",
        ));
    }
    Err(EngineError::system(place, &error).with_remedy("classes are 1 to 3, levels 0 to 7"))
}
