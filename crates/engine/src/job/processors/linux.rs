//! Affinities and timers of threads as the kernel has them.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};

use super::no_such_cpu;
use crate::{EngineError, ErrorKind};

/// What a user can choose from.
pub const CHOICE: &str = "choose from the CPUs that `lscpu -e` lists as online";

/// Has the calling thread wake up when its timer says, not when it suits the kernel to batch wake-ups. Harmless if
/// refused.
pub fn wake_on_time() {
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// Binds the calling thread to one processor; to none, it leaves it where it may run.
///
/// # Errors
/// When there is no such processor, or the process may not use it.
pub fn bind(cpu: Option<u32>) -> Result<(), EngineError> {
    let Some(cpu) = cpu else { return Ok(()) };
    let mut set = CpuSet::new();
    if cpu as usize >= CpuSet::MAX_CPU {
        return Err(no_such_cpu(cpu, "its number is beyond what the kernel can name"));
    }
    set.set(cpu as usize);
    sched_setaffinity(None, &set).map_err(|errno| no_such_cpu(cpu, &errno.to_string()))
}

/// The processors that this process may use: what it was started with, by a cpuset or `taskset`.
///
/// # Errors
/// [`ErrorKind::Permission`] where threads may not be bound.
pub fn allowed_cpus() -> Result<BTreeSet<u32>, EngineError> {
    let refused = |errno: rustix::io::Errno| {
        EngineError::new(ErrorKind::Permission, "looking for CPUs", errno.to_string())
            .with_remedy("use --cpus any")
            .with_source(std::io::Error::from(errno))
    };
    let set = sched_getaffinity(None).map_err(refused)?;
    // What is set already is set again: it changes nothing, and shows whether it would be allowed.
    sched_setaffinity(None, &set).map_err(refused)?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect())
}
