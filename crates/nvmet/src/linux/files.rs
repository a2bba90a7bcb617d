//! Files and devices on Linux: their engines, and the lock that keeps writers away.

use std::sync::Arc;

use fathom_engine::catalogue::EngineKind;
use fathom_engine::stripe::{Shape, Stripe, Volume};
use fathom_engine::sync::Sync as SyncEngine;
use fathom_engine::uring::{self, Uring};
use fathom_engine::{Engine, EngineError, ErrorKind};
use fathom_measure::WallClock;
use fathom_record::engines::InFlight;
use fathom_record::options::IoFlags;
use fathom_target::{Handle, Target};
use rustix::fs::{FlockOperation, flock};

/// An engine of `depth` slots of `bytes` for one file or device.
///
/// # Errors
/// When memory or a ring cannot be had.
pub fn on_file(
    kind: EngineKind,
    file: &Arc<Handle>,
    (depth, bytes): (u32, u32),
    clock: WallClock,
) -> Result<Box<dyn Engine>, EngineError> {
    let (file, bytes) = (Arc::clone(file), u64::from(bytes));
    if !has_threads(kind) {
        return Ok(Box::new(Uring::new(file, depth, bytes, uring::Options::default(), clock)?));
    }
    Ok(Box::new(SyncEngine::with_flags(file, (depth, bytes), IoFlags::default(), clock)?))
}

/// The same for several files or devices as one, in chunks of whole blocks.
///
/// # Errors
/// When memory or a ring cannot be had.
pub fn on_stripe(
    kind: EngineKind,
    Volume { files, layout }: &Volume,
    (depth, buffer_bytes, block_bytes): (u32, u32, u32),
    clock: WallClock,
) -> Result<Box<dyn Engine>, EngineError> {
    let bytes = u64::from(buffer_bytes);
    let shape = Shape::new(layout, depth, (buffer_bytes, u64::from(block_bytes)), true)?;
    if !has_threads(kind) {
        let inner = Uring::over(files, shape.slots(), bytes, uring::Options::default(), clock)?;
        return Ok(Box::new(Stripe::new(inner, *layout, shape, clock)));
    }
    let inner = SyncEngine::over(files, (shape.slots(), bytes), IoFlags::default(), clock)?;
    Ok(Box::new(Stripe::new(inner, *layout, shape, clock)))
}

/// Whether files are served by system calls on threads, where the kernel gives no ring.
fn has_threads(kind: EngineKind) -> bool {
    kind.entry().in_flight == InFlight::Threads
}

/// Keeps what is served for reading from being written meanwhile: what is written by fathom has a lock of its own.
///
/// # Errors
/// When another program holds a lock on it.
pub fn hold(target: &Target) -> Result<(), EngineError> {
    let Some(file) = &target.file else { return Ok(()) };
    match flock(&**file, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => Err(EngineError::new(
            ErrorKind::Refused,
            format!("serving {}", target.name),
            "another program holds a lock on it, so it may be written meanwhile",
        )
        .with_remedy("end that program first")),
        // Some network file systems have no locks.
        _ => Ok(()),
    }
}
