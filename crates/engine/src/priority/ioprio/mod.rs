//! The numbers of priorities as Linux has them, and a thread that takes one.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

use fathom_record::options::Priority;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::set_of_thread;
#[cfg(target_os = "linux")]
pub use linux::set_of_thread;

/// A priority as the kernel takes it. Parts beyond their range are cut to it.
pub fn number(priority: Priority) -> u16 {
    let Priority { class, level, hint } = priority;
    u16::from(class & 7) << 13 | (hint & 0x3ff) << 3 | u16::from(level & 7)
}
