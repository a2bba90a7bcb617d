//! How the kernel schedules a job's thread, from what the job waits for.

#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod platform;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;

use fathom_record::facts::EngineFeature;

/// Name of the feature in the engine's facts.
const NAME: &str = "batch_scheduling";

/// What decides whether a job's thread takes turns with others in batches.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Whether an I/O follows the end of another, and not a schedule.
    pub is_closed: bool,
    /// I/Os in flight.
    pub depth: u32,
    /// Whether the engine has moments of its own to meet ([`CrewPlan::punctual`](super::crew::CrewPlan)).
    pub punctual: bool,
}

/// Asks for the batch policy on the calling thread where it helps: a closed loop that keeps several I/Os
/// in flight.
///
/// Under the default policy each completion that a kernel worker posts wakes the job, which takes the
/// processor from that worker before it can post the next; under the batch policy the job waits its
/// turn and finds several. The price is that a thread which wakes up by its timer waits too, for up to a
/// tick (4 ms) of whoever has the processor. So open arrivals and engines that let I/Os go at a moment of
/// their own keep the default, as does a lone I/O, which has nothing to wait for. A policy that somebody
/// gave the process (`chrt`) stays. No privilege is needed.
pub fn prefer_batches(demand: Demand) -> EngineFeature {
    if !demand.is_closed || demand.depth == 1 {
        return kept("only for closed loops with several I/Os in flight".to_owned());
    }
    if demand.punctual {
        return kept("I/Os are let go at moments of their own, for which the thread wakes up".to_owned());
    }
    platform::prefer_batches()
}

/// The policy stays what it is.
fn kept(note: String) -> EngineFeature {
    EngineFeature::new(NAME, false, Some(note))
}
