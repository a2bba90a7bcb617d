//! How a volume's requirement grew from the first two thirds of its history to the last third.
//!
//! What is bought rests on the whole history and has to hold for a time half as long. So it is calibrated on
//! parts of the same proportion: a requirement over two thirds, and what the last third then needed. The
//! score is that of split-conformal prediction; see [`crate::margin`].

use std::sync::Arc;

use super::class::RequirementClass;
use super::growth_history::Growth;
use crate::accounting::Accounting;
use crate::demand::Demand;
use crate::lateness::{Arrivals, Patience};
use crate::margin;
use crate::requirement::{Precision, least};

/// Thirds of a history that the requirement is taken from; the rest judges it.
pub const HISTORY_OF_THREE: usize = 2;

/// Seconds that each part must have been seen: a course of the day must be in both.
const LEAST_SEEN_S: u64 = 86_400;
/// Rates below a tenth of what the smallest gp3 volume includes (3,000 IOPS, 125 MiB/s) count as these:
/// tenfold growth of them changes no purchase.
const LEAST_OPERATIONS_PER_S: u64 = 300;
const LEAST_BYTES_PER_S: u64 = 12_500 << 10;

/// For how long a purchase is judged: half as long as the history that it rests on, in seconds.
pub fn horizon_s(demand: &Demand) -> u64 {
    demand.ticks() as u64 * u64::from(demand.tick_s) / HISTORY_OF_THREE as u64
}

/// By how many thousandths the last third needed more than the first two thirds, of I/Os or of bytes,
/// whichever grew more, and what the requirement of the first two rests on. Absent where a part was seen for less than
/// a day, and where the first part needed so little that its growth tells nothing.
pub fn growth(demand: &Demand, patience: Patience) -> Option<Growth> {
    let cut = demand.ticks() * HISTORY_OF_THREE / 3;
    let unseen = |part: std::ops::Range<usize>| -> usize {
        let in_part =
            |gap: &std::ops::Range<usize>| gap.end.min(part.end).saturating_sub(gap.start.max(part.start));
        demand.gaps.iter().map(in_part).sum()
    };
    let seen_s = |part: std::ops::Range<usize>| {
        let ticks = part.len() - unseen(part.clone()).min(part.len());
        ticks as u64 * u64::from(demand.tick_s)
    };
    if seen_s(0..cut) < LEAST_SEEN_S || seen_s(cut..demand.ticks()) < LEAST_SEEN_S {
        return None;
    }
    let ios = demand.operations();
    let parts: [Arc<[u64]>; 2] = [ios[..cut].into(), ios[cut..].into()];
    let accounting = Accounting::SOLID_STATE;
    let grown = |units: &[u64], floor: u64| {
        let needs = [(&units[..cut], &parts[0]), (&units[cut..], &parts[1])].map(|(units, ios)| {
            let arrivals = Arrivals::new(demand.tick_s, units.to_vec(), Arc::clone(ios));
            least(&arrivals, patience, Precision::Margin)
        });
        (needs[0] >= floor, margin::growth(needs[0].max(floor), needs[1].max(floor)))
    };
    let (operations, bytes) = (accounting.operations(demand), accounting.bytes(demand));
    let (much_io, more_io) = grown(&operations, LEAST_OPERATIONS_PER_S);
    let (many_bytes, more_bytes) = grown(&bytes, LEAST_BYTES_PER_S);
    let thousandths = more_io?.max(more_bytes?);
    let class = || RequirementClass::of_counts(&operations[..cut], &bytes[..cut]);
    (much_io || many_bytes).then(|| Growth { thousandths, class: class() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Flow;

    const PATIENCE: Patience = Patience { ticks: 1, late_millionths: 1000 };

    /// Six days of minutes, the last two at another rate.
    fn demand(before: u64, after: u64) -> Demand {
        let ticks = 6 * 1440;
        let operations: Vec<u64> =
            (0..ticks).map(|tick| 60 * if tick < 4 * 1440 { before } else { after }).collect();
        let write = Flow { bytes: operations.iter().map(|o| o * 4096).collect(), operations };
        let read = Flow { operations: vec![0; ticks], bytes: vec![0; ticks] };
        Demand { tick_s: 60, read, write, gaps: Vec::new(), counted: None }
    }

    #[test]
    fn the_last_third_is_held_against_the_rest() {
        let found = growth(&demand(1000, 1500), PATIENCE).unwrap().thousandths;
        assert!((1499..=1502).contains(&found), "{found}");
        assert!((999..=1001).contains(&growth(&demand(1000, 1000), PATIENCE).unwrap().thousandths));
        assert_eq!(horizon_s(&demand(1, 1)), 3 * 86_400);
    }

    #[test]
    fn little_and_short_histories_tell_nothing() {
        assert_eq!(growth(&demand(5, 50), PATIENCE), None, "from 5 to 50 IOPS changes no purchase");
        let mut short = demand(1000, 1000);
        short.gaps.push(4 * 1440..5 * 1440 + 10);
        assert_eq!(growth(&short, PATIENCE), None, "less than a day of the last third was seen");
    }
}
