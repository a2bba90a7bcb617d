//! Files and devices on Linux: their engines, and the lock that keeps writers away.

use std::sync::Arc;

use fathom_engine::engine_kinds::EngineKind;
use fathom_engine::stripe::{Shape, Stripe, Volume};
use fathom_engine::sync::{self, Sync as SyncEngine};
use fathom_engine::uring::{self, Uring};
use fathom_engine::{Engine, EngineError, ErrorKind};
use fathom_measure::WallClock;
use fathom_record::options::IoFlags;
use fathom_target::{Handle, Target};
use rustix::fs::{FlockOperation, flock};

/// An engine of `depth` slots of `bytes` for one file or device.
///
/// # Errors
/// When memory or a ring cannot be had, or the engine serves no files.
pub fn on_file(
    kind: EngineKind,
    file: &Arc<Handle>,
    (depth, bytes): (u32, u32),
    clock: WallClock,
) -> Result<Box<dyn Engine>, EngineError> {
    let (file, bytes) = (Arc::clone(file), u64::from(bytes));
    match kind.name() {
        uring::NAME => Ok(Box::new(Uring::new(file, depth, bytes, uring::Options::default(), clock)?)),
        sync::NAME => Ok(Box::new(SyncEngine::with_flags(file, (depth, bytes), IoFlags::default(), clock)?)),
        _ => Err(serves_nothing(kind)),
    }
}

/// The same for several files or devices as one, in chunks of whole blocks.
///
/// # Errors
/// When memory or a ring cannot be had, or the engine serves no files.
pub fn on_stripe(
    kind: EngineKind,
    Volume { files, layout }: &Volume,
    (depth, buffer_bytes, block_bytes): (u32, u32, u32),
    clock: WallClock,
) -> Result<Box<dyn Engine>, EngineError> {
    let bytes = u64::from(buffer_bytes);
    let shape = Shape::new(layout, depth, (buffer_bytes, u64::from(block_bytes)), true)?;
    match kind.name() {
        uring::NAME => {
            let inner = Uring::over(files, shape.slots(), bytes, uring::Options::default(), clock)?;
            Ok(Box::new(Stripe::new(inner, *layout, shape, clock)))
        }
        sync::NAME => {
            let inner = SyncEngine::over(files, (shape.slots(), bytes), IoFlags::default(), clock)?;
            Ok(Box::new(Stripe::new(inner, *layout, shape, clock)))
        }
        _ => Err(serves_nothing(kind)),
    }
}

/// Of an engine that was chosen for a file and is neither the default nor what is taken instead of it.
fn serves_nothing(kind: EngineKind) -> EngineError {
    let cause = "files and devices are served by uring or sync";
    EngineError::new(ErrorKind::Unsupported, format!("starting engine {}", kind.name()), cause)
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
