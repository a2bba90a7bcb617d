//! Files, drives and volumes as Windows opens them: judged by what it answers about their handles.

mod call;
mod dos_names;
mod drivers;
mod drives;
mod file_space;
mod folder;
mod glimpse;
mod handle;
mod in_use;
mod open;
mod raw;
mod unasked;
mod valid;
mod volumes;

pub use dos_names::has_drive;
pub use drives::{capture, class_driver, devices, polled_queues};
pub use file_space::{FileExt, allocate, space, written_share};
pub use glimpse::Glimpse;
pub use handle::{Handle, Lane, OverlappedLane, lane, overlapped_lane};
pub use open::{OpenedPath, open_path};
pub use unasked::{advise, cached_share, drop_cached, forget, generic_of, is_block_device, stretches};
