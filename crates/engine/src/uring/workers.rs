//! Keeps io_uring's kernel workers off the processor of a job that has to start I/Os on time.
//!
//! A target that answers inside its submission, or that cannot be asked without waiting, is served by
//! worker threads of the kernel. On the job's own processor they hold it up by a scheduler's slice.
#![allow(unsafe_code)] // Fills in the C library's set of processors.

use fathom_record::facts::EngineFeature;
use rustix::process::getpid;
use rustix::thread::{CpuSet, sched_getaffinity};

use super::ring_queues::Queue;

/// Name of the feature in the engine's facts.
const NAME: &str = "workers_elsewhere";

/// Allows the ring's workers every processor of the process but the one that the calling thread is bound
/// to; says why not, where that cannot be.
pub fn keep_elsewhere(queue: &Queue) -> EngineFeature {
    match others() {
        Ok(set) => {
            let asked = queue.ring().submitter().register_iowq_aff(&set);
            EngineFeature::unless_refused(
                NAME,
                asked.err().map(|error| format!("refused: {error} (needs 5.14)")),
            )
        }
        Err(why) => EngineFeature::new(NAME, false, Some(why)),
    }
}

/// The process's processors without the calling thread's.
fn others() -> Result<libc::cpu_set_t, String> {
    let own = sched_getaffinity(None).map_err(|error| error.to_string())?;
    // The first thread's: jobs bind themselves alone.
    let all = sched_getaffinity(Some(getpid())).map_err(|error| error.to_string())?;
    if own.count() != 1 {
        return Err("the job is not bound to one CPU".to_owned());
    }
    let others: Vec<usize> =
        (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu) && !own.is_set(*cpu)).collect();
    if others.is_empty() {
        return Err("the process has no other CPU".to_owned());
    }
    // SAFETY: all-zero bits are an empty set, and `CPU_SET` checks its bounds.
    Ok(unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        others.into_iter().for_each(|cpu| libc::CPU_SET(cpu, &mut set));
        set
    })
}
