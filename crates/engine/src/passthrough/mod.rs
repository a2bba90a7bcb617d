//! NVMe commands through io_uring on a namespace's character device, which Linux alone has; and the statuses with
//! which commands end, as results of I/Os, which a controller on the network has too.

pub mod status_errno;

#[cfg(target_os = "linux")]
mod command;
#[cfg(target_os = "linux")]
pub(crate) mod launch;
#[cfg(target_os = "linux")]
mod polling;
#[cfg(target_os = "linux")]
mod ring;

#[cfg(target_os = "linux")]
pub use ring::Passthrough;
