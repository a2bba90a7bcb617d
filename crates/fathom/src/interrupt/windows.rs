//! What the console of Windows tells a program: Ctrl-C, Ctrl-Break, and that it is closed.
#![allow(unsafe_code)] // One call of the system, with a function that it calls on a thread of its own.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;
use windows_sys::core::BOOL;

use super::{SAID, STATUS};
use crate::failure::Failure;
use crate::progress_display::MessageLine;

/// What is set, and who says so; one for the process, as the console is.
static WATCHED: OnceLock<(Arc<AtomicBool>, MessageLine)> = OnceLock::new();

/// Watches the console from now on. The flag is set by the first request to end, and what happens is said.
///
/// # Errors
/// When the system refuses to report them.
pub fn watch(voice: MessageLine) -> Result<Arc<AtomicBool>, Failure> {
    let (stop, _) = WATCHED.get_or_init(|| (Arc::default(), voice));
    // SAFETY: the function lives as long as the process, and takes what the system gives it.
    if unsafe { SetConsoleCtrlHandler(Some(heard), 1) } == 0 {
        return Err(Failure::system("watching for Ctrl-C", io::Error::last_os_error()));
    }
    Ok(Arc::clone(stop))
}

// SAFETY: nothing is asked of whoever calls it: the system does, on a thread of its own that may print and wait.
unsafe extern "system" fn heard(_: u32) -> BOOL {
    let Some((stop, voice)) = WATCHED.get() else { return 0 };
    if stop.swap(true, Ordering::Relaxed) {
        std::process::exit(STATUS);
    }
    voice.say(SAID);
    1
}
