//! Carries I/O to a target.
//!
//! The contract is one small trait, [`Engine`]; its rules are written on it. Engines are folders
//! beside this file, decorators wrap an engine and are engines. What to do next, arrival, address,
//! size and data, are values with one method each ([`pattern`]). One loop ([`job`]) drives them all,
//! on the wall clock or on a virtual one.

#[cfg(target_os = "linux")]
pub mod aio;
pub mod contract;
pub mod decorate;
pub mod delay;
pub mod engine_kinds;
mod event;
pub mod fault;
pub mod io_flags;
#[cfg(windows)]
pub mod iocp;
// What is pure of it is tried everywhere.
mod free_memory;
#[cfg(all(test, not(windows)))]
#[path = "iocp/inside.rs"]
mod inside;
pub mod job;
pub mod launch;
pub mod memory_target;
pub mod metadata;
#[cfg(target_os = "linux")]
pub mod mmap;
pub mod null;
pub mod nvme_tcp;
mod os_error;
pub mod passthrough;
pub mod pattern;
pub mod placement;
mod poll_queues;
pub mod precise_sleep;
pub mod priority;
pub mod readback;
pub mod simulated;
pub mod stripe;
pub mod sync;
pub mod tap;
pub mod throttle;
pub mod uring;
pub mod verify;

pub use contract::{Completion, Engine, Io, Stamps, Submission, Wait};
pub use event::EventHandle;
pub use fathom_record::error::{EngineError, ErrorKind};
pub use fathom_target::Arena;

/// What launches runs on each engine of the [list](fathom_record::engine_list::ENGINES): the folders beside this file.
const LAUNCHERS: &[launch::Launcher] = &[
    #[cfg(target_os = "linux")]
    uring::launch::LAUNCHER,
    #[cfg(target_os = "linux")]
    aio::launch::LAUNCHER,
    #[cfg(windows)]
    iocp::launch::LAUNCHER,
    sync::launch::LAUNCHER,
    #[cfg(target_os = "linux")]
    mmap::launch::LAUNCHER,
    #[cfg(target_os = "linux")]
    metadata::launch::LAUNCHER,
    #[cfg(target_os = "linux")]
    passthrough::launch::LAUNCHER,
    nvme_tcp::launch::LAUNCHER,
    memory_target::launch::LAUNCHER,
    null::launch::LAUNCHER,
    simulated::launch::LAUNCHER,
];
