//! Whether somebody asked for the end: what was set up must be taken down first.

#[cfg_attr(unix, path = "signals_unix.rs")]
#[cfg_attr(not(unix), path = "signals_elsewhere.rs")]
mod signals;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signals::SIGNALS;

/// Set by Ctrl-C and its kin; a second one ends at once.
#[derive(Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens from now on.
    ///
    /// # Errors
    /// Where the system refuses to report signals.
    pub fn listen() -> Result<Self, String> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in SIGNALS {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&asked))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&asked)))
                .map_err(|error| format!("signals cannot be listened to: {error}"))?;
        }
        Ok(Self(asked))
    }

    /// Listens from now on, and lets nothing end it before all is taken down: one Ctrl-C may come as two signals,
    /// to the program and to its group.
    ///
    /// # Errors
    /// Where the system refuses to report signals.
    pub fn listen_patiently() -> Result<Self, String> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in SIGNALS {
            signal_hook::flag::register(signal, Arc::clone(&asked))
                .map_err(|error| format!("signals cannot be listened to: {error}"))?;
        }
        Ok(Self(asked))
    }

    /// Whether the end was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
