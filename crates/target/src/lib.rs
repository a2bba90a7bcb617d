//! What is measured: named, found, guarded, opened and described.
//!
//! This is the part that stands between a run and somebody's data. [`guard`] holds the judgement,
//! [`signature`] recognises what a device holds, the folder of each platform finds out what uses it,
//! and [`Target::open`] lets a run have only what passed.

pub mod arena;
mod device_listing;
pub mod device_mark;
pub mod drives;
pub mod durability;
pub mod filling;
pub mod guard;
mod name;
pub mod origin;
pub mod remote;
pub mod scratch;
pub mod signature;
mod stretch;
mod target_opening;
mod target_set;
mod usable;
pub mod wall;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as platform;

// What is pure of another platform is tried here too.
#[cfg(all(test, not(windows)))]
#[path = "windows/dos_names.rs"]
mod dos_names;
#[cfg(all(test, not(windows)))]
#[path = "windows/in_use.rs"]
mod in_use;
#[cfg(all(test, not(windows)))]
#[path = "windows/valid.rs"]
mod valid;

#[cfg(test)]
mod tests;

pub use arena::Arena;
pub use device_listing::{Claims, Device};
pub use device_mark::MarkId;
pub use fathom_record::error::{EngineError as Error, ErrorKind};
pub use guard::{Hold, Identity, Permit, Reason, Verdict};
pub use name::TargetName;
pub use origin::Origin;
#[cfg(target_os = "linux")]
pub use platform::namespace;
pub use platform::{
    Handle, Lane, advise, cached_share, capture, class_driver, devices, drop_cached, forget, generic_of,
    is_block_device, lane, polled_queues, stretches, written_share,
};
#[cfg(windows)]
pub use platform::{OverlappedLane, overlapped_lane};
pub use stretch::Stretch;
pub use target_opening::{OpenRequest, Preparation, Target};
pub use target_set::{AdmissionSummary, admit_all, named_by};
