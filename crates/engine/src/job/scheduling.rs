//! How the kernel schedules a job's thread.
#![allow(unsafe_code)] // One call of the C library.

use fathom_record::facts::Feature;

/// Name of the feature in the engine's facts.
const NAME: &str = "batch_scheduling";

/// Asks for the batch policy on the calling thread where it helps: a closed loop that keeps several I/Os
/// in flight.
///
/// Under the default policy each completion that a kernel worker posts wakes the job, which takes the
/// processor from that worker before it can post the next; under the batch policy the job waits its
/// turn and finds several. Open arrivals must start on time, and a lone I/O has nothing to wait for, so
/// they keep the default. No privilege is needed.
pub fn prefer_batches(is_closed: bool, depth: u32) -> Feature {
    if !is_closed || depth == 1 {
        let note = "only for closed loops with several I/Os in flight".to_owned();
        return Feature { name: NAME.to_owned(), used: false, note: Some(note) };
    }
    // SAFETY: an all-zero `sched_param` is the priority that this policy takes, and the structure is
    // read during the call only; 0 is the calling thread.
    let outcome = unsafe {
        let parameters: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters)
    };
    let note = (outcome != 0).then(|| format!("refused: {}", std::io::Error::last_os_error()));
    Feature { name: NAME.to_owned(), used: outcome == 0, note }
}
