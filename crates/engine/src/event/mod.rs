//! What an engine rings when an I/O may have ended: an event of the system, for which a thread can wait together with
//! whatever else it waits for.

#[cfg_attr(target_os = "linux", path = "event_linux.rs")]
#[cfg_attr(windows, path = "event_windows.rs")]
mod platform;

pub use platform::EventHandle;
