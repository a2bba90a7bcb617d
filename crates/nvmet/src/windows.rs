//! Windows, from which nothing is served: what a target begins with is refused, so that the rest need not know.

use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::sync::Arc;

use fathom_engine::engine_kinds::EngineKind;
use fathom_engine::stripe::Volume;
use fathom_engine::{Engine, EngineError, ErrorKind, EventHandle};
use fathom_measure::WallClock;
use fathom_target::{Handle, Target};

use crate::readiness_wait::Interest;

/// Wakes a thread that waits; there is none.
#[derive(Clone, Debug)]
pub struct Waker(Arc<OwnedHandle>);

impl Waker {
    /// Its event.
    pub fn event(&self) -> EventHandle<'_> {
        self.0.as_handle()
    }

    /// Wakes nobody.
    pub fn ring(&self) {}
}

/// What one thread waits for.
#[derive(Debug)]
pub struct Poller {
    bell: Waker,
}

impl Poller {
    /// Waits for nothing.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> io::Result<Self> {
        Err(unsupported())
    }

    /// What would wake it.
    pub fn bell(&self) -> Waker {
        self.bell.clone()
    }

    /// Waits for nothing.
    ///
    /// # Errors
    /// Always.
    pub fn add(&self, _socket: impl Sized, _token: u64, _interest: Interest) -> io::Result<()> {
        Err(unsupported())
    }

    /// Waits for nothing.
    ///
    /// # Errors
    /// Always.
    pub fn change(&self, _socket: impl Sized, _token: u64, _interest: Interest) -> io::Result<()> {
        Err(unsupported())
    }

    /// Waits for nothing.
    ///
    /// # Errors
    /// Always.
    pub fn wait(&mut self, _timeout_ns: Option<u64>, _tokens: &mut Vec<u64>) -> io::Result<()> {
        Err(unsupported())
    }
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, CAUSE)
}

const CAUSE: &str = "targets are served from Linux alone";

fn refused<T>(place: String) -> Result<T, EngineError> {
    Err(EngineError::new(ErrorKind::Unsupported, place, CAUSE))
}

/// No engine.
///
/// # Errors
/// Always.
pub fn on_file(
    kind: EngineKind,
    _file: &Arc<Handle>,
    _size: (u32, u32),
    _clock: WallClock,
) -> Result<Box<dyn Engine>, EngineError> {
    refused(format!("starting engine {}", kind.name()))
}

/// No engine.
///
/// # Errors
/// Always.
pub fn on_stripe(
    kind: EngineKind,
    _volume: &Volume,
    _size: (u32, u32, u32),
    _clock: WallClock,
) -> Result<Box<dyn Engine>, EngineError> {
    refused(format!("starting engine {}", kind.name()))
}

/// Holds nothing.
///
/// # Errors
/// Always.
pub fn hold(target: &Target) -> Result<(), EngineError> {
    refused(format!("serving {}", target.name))
}
