//! Signals of Unix.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use super::{SAID, STATUS};
use crate::failure::Failure;
use crate::progress_display::MessageLine;

/// Watches the signals from now on. The flag is set by the first of them, and what happens is said.
///
/// Scratch files have no name while a run uses them, so that the second one leaves none behind.
///
/// # Errors
/// When the system refuses to report signals.
pub fn watch(voice: MessageLine) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let failed = |error: std::io::Error| Failure::system("watching for Ctrl-C", error);
    let (mut heard, signalled) = UnixStream::pair().map_err(failed)?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Ends the process if the flag is set already; so it comes before what sets it.
        flag::register_conditional_shutdown(signal, STATUS, Arc::clone(&stop)).map_err(failed)?;
        flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
        let wake = signalled.try_clone().map_err(failed)?;
        low_level::pipe::register(signal, wake).map_err(failed)?;
    }
    // Signal handlers must not print; a thread that sleeps until one ran may.
    let say = move || {
        if heard.read_exact(&mut [0]).is_ok() {
            voice.say(SAID);
        }
    };
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(say).map_err(failed)?;
    Ok(stop)
}
