//! Time that stands still: from work and its start to its end, when nothing is served in stalls.

use fathom_record::options::Stalls;

/// The schedule, or none.
#[derive(Clone, Debug)]
pub struct StallClock {
    stalls: Option<Stalls>,
    /// How much of it is over at time 0.
    elapsed_ns: u64,
}

impl StallClock {
    /// A schedule whose stalls are shorter than their period, and how much of it is over at time 0.
    pub fn new(stalls: Option<Stalls>, elapsed_ns: u64) -> Self {
        Self { stalls, elapsed_ns }
    }

    /// When work of `work_ns` that could start at `from_ns` is done. Work under way when a stall
    /// begins rests and goes on after it.
    #[inline]
    pub fn after(&self, from_ns: u64, work_ns: u64) -> u64 {
        match &self.stalls {
            None => from_ns.saturating_add(work_ns),
            // What has no work left has nothing to rest from.
            Some(_) if work_ns == 0 => from_ns,
            Some(stalls) => {
                let end_ns = after(stalls, from_ns.saturating_add(self.elapsed_ns), work_ns);
                end_ns.saturating_sub(self.elapsed_ns)
            }
        }
    }

    /// How much of the schedule is over at a time; whole periods are left out, so that a device in use for
    /// years is as any other.
    pub fn elapsed_at(&self, now_ns: u64) -> u64 {
        let Some(stalls) = self.stalls else { return 0 };
        let over_ns = self.elapsed_ns.saturating_add(now_ns);
        match over_ns.checked_sub(stalls.phase_ns) {
            Some(since_ns) => stalls.phase_ns + since_ns % stalls.every_ns,
            None => over_ns,
        }
    }
}

/// See [`StallClock::after`]; times are those of the schedule.
fn after(stalls: &Stalls, from_ns: u64, work_ns: u64) -> u64 {
    if from_ns < stalls.phase_ns {
        let before_first_ns = stalls.phase_ns - from_ns;
        return match work_ns.checked_sub(before_first_ns) {
            Some(rest_ns) if rest_ns > 0 => after(stalls, stalls.phase_ns, rest_ns),
            _ => from_ns + work_ns,
        };
    }
    // Counted in working time: each period works for `every - length`, after its stall.
    let since_ns = from_ns - stalls.phase_ns;
    let working_ns = stalls.every_ns - stalls.length_ns;
    let (period, within_ns) = (since_ns / stalls.every_ns, since_ns % stalls.every_ns);
    let total_ns = within_ns.saturating_sub(stalls.length_ns).saturating_add(work_ns);
    // Work that fills a working stretch to its last nanosecond ends there, not after the stall.
    let whole = if total_ns <= working_ns { 0 } else { (total_ns - 1) / working_ns };
    let rest_ns = total_ns - whole * working_ns;
    (period + whole)
        .saturating_mul(stalls.every_ns)
        .saturating_add(stalls.phase_ns + stalls.length_ns)
        .saturating_add(rest_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn work_rests_in_a_stall() {
        let clock = StallClock::new(Some(Stalls { every_ns: 60, length_ns: 10, phase_ns: 30 }), 0);
        assert_eq!(clock.after(0, 30), 30, "ends as the stall begins");
        assert_eq!(clock.after(0, 31), 41);
        assert_eq!(clock.after(35, 1), 41, "arrives in the stall");
        assert_eq!(clock.after(35, 0), 35, "nothing to do");
        assert_eq!(clock.after(89, 1), 90);
        assert_eq!(clock.after(89, 2), 101);
        assert_eq!(clock.after(40, 120), 40 + 120 + 2 * 10);
    }

    proptest! {
        #[test]
        fn as_many_nanoseconds_are_worked_as_asked(
            from in 0u64..500, work in 1u64..500, every in 2u64..60, length in 1u64..59, phase in 0u64..100,
            elapsed in 0u64..200, later in 0u64..300,
        ) {
            prop_assume!(length < every);
            let stalls = Stalls { every_ns: every, length_ns: length, phase_ns: phase };
            let stalled = |t: u64| t + elapsed >= phase && (t + elapsed - phase) % every < length;
            let clock = StallClock::new(Some(stalls), elapsed);
            let end = clock.after(from, work);
            let worked = (from..end).filter(|&t| !stalled(t)).count() as u64;
            prop_assert_eq!(worked, work);
            prop_assert!(!stalled(end - 1), "the last nanosecond is one of work");
            // Taken up later it is the same schedule.
            let taken_up = StallClock::new(Some(stalls), clock.elapsed_at(later));
            prop_assert_eq!(taken_up.after(from, work) + later, clock.after(later + from, work));
        }
    }
}
