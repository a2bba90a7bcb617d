//! The kernel's policies of scheduling.
#![allow(unsafe_code)] // Two calls of the C library.

use fathom_record::facts::EngineFeature;

use super::{NAME, kept};

/// Asks for the batch policy on the calling thread, where it has the default one.
pub fn prefer_batches() -> EngineFeature {
    // SAFETY: the call takes a number, 0 for the calling thread, and returns one.
    let policy = unsafe { libc::sched_getscheduler(0) };
    if policy != libc::SCHED_OTHER {
        return kept(format!("the process was started with scheduling policy {}", named(policy)));
    }
    // SAFETY: an all-zero `sched_param` is the priority that this policy takes, and the structure is
    // read during the call only; 0 is the calling thread.
    let outcome = unsafe {
        let parameters: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters)
    };
    let refusal = (outcome != 0).then(|| format!("refused: {}", std::io::Error::last_os_error()));
    EngineFeature::unless_refused(NAME, refusal)
}

fn named(policy: i32) -> String {
    match policy & !libc::SCHED_RESET_ON_FORK {
        libc::SCHED_FIFO => "fifo".to_owned(),
        libc::SCHED_RR => "rr".to_owned(),
        libc::SCHED_BATCH => "batch".to_owned(),
        libc::SCHED_IDLE => "idle".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Demand, prefer_batches};

    fn policy() -> i32 {
        // SAFETY: the call takes a number, 0 for the calling thread, and returns one.
        unsafe { libc::sched_getscheduler(0) }
    }

    /// On a thread of its own, because a policy belongs to a thread.
    fn on_a_thread<T: Send>(body: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(body).join().unwrap())
    }

    const DEEP: Demand = Demand { is_closed: true, depth: 32, punctual: false };

    #[test]
    fn only_a_deep_closed_loop_without_moments_of_its_own_is_batched() {
        let chosen = |demand| on_a_thread(|| (prefer_batches(demand).used, policy()));
        if policy() != libc::SCHED_OTHER {
            fathom_skips::skipped("no default scheduling policy here");
            return;
        }
        assert_eq!(chosen(DEEP), (true, libc::SCHED_BATCH));
        for other in [
            Demand { is_closed: false, ..DEEP },
            Demand { depth: 1, ..DEEP },
            Demand { punctual: true, ..DEEP },
        ] {
            assert_eq!(chosen(other), (false, libc::SCHED_OTHER), "{other:?}");
        }
    }

    #[test]
    fn a_policy_that_was_given_stays() {
        let (given, feature, after) = on_a_thread(|| {
            // SAFETY: an all-zero `sched_param` is the priority that this policy takes.
            let given = unsafe {
                let parameters: libc::sched_param = std::mem::zeroed();
                libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters)
            };
            (given, prefer_batches(DEEP), policy())
        });
        assert_eq!((given, after), (0, libc::SCHED_IDLE));
        assert!(!feature.used && feature.note.unwrap().ends_with("policy idle"));
    }
}
