//! Processors that the jobs' threads may use, and when those threads wake up.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(windows)]
use windows as platform;

use crate::{EngineError, ErrorKind};

pub(super) use platform::wake_on_time;
pub use platform::{allowed_cpus, bind};

fn no_such_cpu(cpu: u32, cause: &str) -> EngineError {
    EngineError::new(ErrorKind::Plan, format!("binding a thread to CPU {cpu}"), cause)
        .with_remedy(platform::CHOICE)
}
