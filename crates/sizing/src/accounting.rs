//! What a provider counts: I/Os cut into units, and small I/Os on disks that turn.
//!
//! Source: Amazon EC2 user guide, "I/O characteristics and monitoring" (archive of 2023-06-15):
//! solid-state volumes count an I/O in units of 256 KiB, disk volumes in units of 1 MiB, where a random
//! I/O also costs a whole unit of throughput credit. Where each I/O's size is known, each is counted by
//! itself. Of a tick's mean size only bounds are known, and purchases rest on the upper one.

use crate::demand::{Demand, Flow};
use crate::tick_counts::TickCounts;

/// Unit of solid-state volumes, in bytes.
pub const SOLID_STATE_UNIT: u64 = 256 << 10;
/// Unit of disk volumes, in bytes.
pub const DISK_UNIT: u64 = 1 << 20;
/// The smallest I/O of a block device, in bytes.
const SECTOR: u64 = 512;

/// How one kind of volume counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accounting {
    /// Largest I/O that counts as one, in bytes.
    pub unit_bytes: u64,
    /// Whether a random I/O costs a whole unit of bytes.
    pub random_costs_a_unit: bool,
}

impl Accounting {
    /// Solid-state volumes of EBS.
    pub const SOLID_STATE: Self = Self { unit_bytes: SOLID_STATE_UNIT, random_costs_a_unit: false };
    /// Disk volumes of EBS (st1, sc1).
    pub const DISK: Self = Self { unit_bytes: DISK_UNIT, random_costs_a_unit: true };

    /// I/Os as they are counted, tick by tick, both directions together: exact where each I/O's size is known, and
    /// otherwise the most that a tick's I/Os and bytes can count: `I/Os + (bytes - 512 x I/Os) / unit`. An I/O has a
    /// sector of 512 bytes at least, and of what it has beyond its first sector each whole unit counts once more.
    pub fn operations(&self, demand: &Demand) -> Vec<u64> {
        if let Some(counted) = &demand.counted {
            return self.of_counted(counted).to_vec();
        }
        // Units are powers of two: a shift, not a division, for each tick of a fleet.
        let shift = self.unit_bytes.ilog2();
        let most = move |(&count, &bytes): (&u64, &u64)| match count {
            0 => 0,
            count => {
                // Rates times lengths, and margins, leave parts of a sector, which count as one.
                let beyond = bytes.saturating_add(SECTOR - 1).saturating_sub(count.saturating_mul(SECTOR));
                count.saturating_add(beyond >> shift)
            }
        };
        both(demand, most)
    }

    /// The least that they can count, where only bounds are known: one for each I/O, and enough for the bytes.
    pub fn least_operations(&self, demand: &Demand) -> Vec<u64> {
        if let Some(counted) = &demand.counted {
            return self.of_counted(counted).to_vec();
        }
        let shift = self.unit_bytes.ilog2();
        let part = self.unit_bytes - 1;
        both(demand, move |(&count, &bytes)| count.max((bytes >> shift) + u64::from(bytes & part > 0)))
    }

    /// Bytes as they are counted, tick by tick, both directions together: on disks each unit that is counted
    /// costs all its bytes.
    pub fn bytes(&self, demand: &Demand) -> Vec<u64> {
        if !self.random_costs_a_unit {
            return demand.bytes();
        }
        let charged = self.operations(demand);
        let charge = |(&bytes, count): (&u64, u64)| bytes.max(count.saturating_mul(self.unit_bytes));
        demand.bytes().iter().zip(charged).map(charge).collect()
    }

    fn of_counted<'a>(&self, counted: &'a TickCounts) -> &'a [u64] {
        if self.random_costs_a_unit { &counted.disk } else { &counted.solid_state }
    }
}

fn both(demand: &Demand, counted: impl Fn((&u64, &u64)) -> u64 + Copy) -> Vec<u64> {
    let of = |flow: &'_ Flow| -> Vec<u64> { flow.operations.iter().zip(&flow.bytes).map(counted).collect() };
    let (mut units, writes) = (of(&demand.read), of(&demand.write));
    units.iter_mut().zip(writes).for_each(|(sum, write)| *sum = sum.saturating_add(write));
    units
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one_tick(operations: u64, bytes: u64) -> Demand {
        let read = Flow { operations: vec![operations], bytes: vec![bytes] };
        let write = Flow { operations: vec![0], bytes: vec![0] };
        Demand { tick_s: 1, read, write, gaps: Vec::new(), counted: None }
    }

    #[test]
    fn means_leave_bounds_and_the_upper_one_counts() {
        let ssd = Accounting::SOLID_STATE;
        let bounds = |operations, bytes| {
            let demand = one_tick(operations, bytes);
            (ssd.least_operations(&demand)[0], ssd.operations(&demand)[0])
        };
        assert_eq!(bounds(1, 1 << 20), (4, 4), "the size of a single I/O is known");
        assert_eq!(bounds(1, (1 << 18) + 1), (2, 2), "nor is a part of a sector lost");
        assert_eq!(bounds(4000, 4000 * (384 << 10)), (6000, 9992), "384 KiB each would be 8,000");
        assert_eq!(bounds(8, 8 << 15), (8, 8), "seven of a sector leave less than 256 KiB for the last");
        assert_eq!(bounds(8, (8 << 15) + 7 * 512), (8, 8));
        assert_eq!(
            bounds(8, (8 << 15) + 8 * 512),
            (8, 9),
            "seven of a sector, and one of 256 KiB and a sector"
        );
        assert_eq!(bounds(8, 8 * 100), (8, 8), "smaller than sectors: one each");
        assert_eq!(bounds(0, 0), (0, 0));
        assert_eq!(ssd.bytes(&one_tick(8, 8 << 15)), [8 << 15]);
        let disk = Accounting::DISK;
        assert_eq!(disk.operations(&one_tick(8, (8 << 17) + 4096)), [9]);
        assert_eq!(disk.bytes(&one_tick(8, (8 << 17) + 4096)), [9 << 20]);
    }

    proptest! {
        /// Whatever the sizes were, the bounds of their sum hold what each of them counts.
        #[test]
        fn bounds_hold_what_is_counted(sectors in prop::collection::vec(1u64..5000, 1..200)) {
            let bytes: Vec<u64> = sectors.iter().map(|sectors| sectors * 512).collect();
            let demand = one_tick(bytes.len() as u64, bytes.iter().sum());
            for accounting in [Accounting::SOLID_STATE, Accounting::DISK] {
                let truth: u64 = bytes.iter().map(|bytes| bytes.div_ceil(accounting.unit_bytes)).sum();
                prop_assert!(accounting.least_operations(&demand)[0] <= truth);
                prop_assert!(truth <= accounting.operations(&demand)[0]);
            }
        }
    }
}
