//! Ctrl-C while a fleet is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::interrupt;
use crate::progress_display::Screen;

/// Whether the reading is to end.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Watches for it from now on.
    ///
    /// # Errors
    /// When the system refuses to report signals.
    pub fn watch() -> Result<Self, Failure> {
        interrupt::watch(Screen::new(true, None).voice()).map(Self)
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Goes on only where nobody asked.
    ///
    /// # Errors
    /// When somebody did.
    pub fn check(&self) -> Result<(), Failure> {
        if !self.is_asked() {
            return Ok(());
        }
        let cause = "stopped before all rows were read: nothing was judged or written";
        Err(Failure { kind: "interrupted", ..Failure::system("reading the fleet", cause) })
    }
}
