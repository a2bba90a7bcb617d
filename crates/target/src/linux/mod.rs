//! Devices and files as Linux shows them: `/sys`, `/proc`, `ioctl` and the flags of `open`.

mod admission;
mod cache;
mod chain;
mod character_device;
mod content;
mod device_discovery;
mod device_number;
mod emptiness;
mod extents;
mod file_mount;
mod file_signature;
mod glimpse;
mod handle;
mod hardware_queues;
mod identity;
mod in_use;
mod inspect;
mod io_alignment;
mod ioctl;
mod kernel_initiator;
mod machine;
mod mounts;
pub mod namespace;
mod open_refusals;
mod origin;
mod path_opening;
mod scratch;
mod sysfs;
mod users;

#[cfg(test)]
mod tests;

pub use cache::{advise, cached_share, drop_cached, forget, is_block_device};
pub use character_device::generic_of;
pub use device_discovery::{capture, class_driver, devices};
pub use extents::{stretches, written_share};
pub use file_mount::space;
pub use glimpse::Glimpse;
pub use handle::{Handle, Lane, lane};
pub use hardware_queues::polled_queues;
pub use path_opening::{OpenedPath, open_path};
pub use scratch::allocate;
pub use std::os::unix::fs::FileExt;

/// Whether a name begins with a drive: there are none.
pub fn has_drive(_: &str) -> bool {
    false
}
