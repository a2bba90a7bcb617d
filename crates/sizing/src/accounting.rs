//! What a provider counts: I/Os cut into units, and small I/Os on disks that turn.
//!
//! Source: Amazon EC2 user guide, "I/O characteristics and monitoring" (archive of 2023-06-15):
//! solid-state volumes count an I/O in units of 256 KiB, disk volumes in units of 1 MiB, where a random
//! I/O also costs a whole unit of throughput credit. Merging of neighbours before the volume is seen
//! in the counts already, because they are taken below the block layer.

use crate::demand::{Demand, Flow};

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
    pub const SOLID_STATE: Self = Self { unit_bytes: 256 << 10, random_costs_a_unit: false };
    /// Disk volumes of EBS (st1, sc1).
    pub const DISK: Self = Self { unit_bytes: 1 << 20, random_costs_a_unit: true };

    /// I/Os as they are counted, tick by tick, both directions together.
    ///
    /// Only the mean size of a tick and direction is known, so a tick whose mean exceeds the unit is
    /// counted as if all its I/Os had that size: the least that its bytes can count.
    pub fn operations(&self, demand: &Demand) -> Vec<u64> {
        let read = self.counted(&demand.read);
        let write = self.counted(&demand.write);
        read.zip(write).map(|(r, w)| r + w).collect()
    }

    /// Bytes as they are counted, tick by tick, both directions together: on disks every I/O is taken
    /// to be random, which is the most that they can cost.
    pub fn bytes(&self, demand: &Demand) -> Vec<u64> {
        if !self.random_costs_a_unit {
            return demand.bytes();
        }
        let charged = self.operations(demand);
        demand.bytes().iter().zip(charged).map(|(&bytes, count)| bytes.max(count * self.unit_bytes)).collect()
    }

    fn counted<'a>(&'a self, flow: &'a Flow) -> impl Iterator<Item = u64> + 'a {
        // Most ticks need no division: their mean size is within the unit.
        let counted = move |(&count, &bytes): (&u64, &u64)| {
            if bytes <= count.saturating_mul(self.unit_bytes) {
                count
            } else {
                bytes.div_ceil(self.unit_bytes)
            }
        };
        flow.operations.iter().zip(&flow.bytes).map(counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_tick(operations: u64, bytes: u64) -> Demand {
        let read = Flow { operations: vec![operations], bytes: vec![bytes] };
        let write = Flow { operations: vec![0], bytes: vec![0] };
        Demand { tick_s: 1, read, write, gaps: Vec::new() }
    }

    #[test]
    fn large_ios_are_cut_and_small_ones_are_not_joined() {
        let ssd = Accounting::SOLID_STATE;
        assert_eq!(ssd.operations(&one_tick(1, 1 << 20)), [4]);
        assert_eq!(ssd.operations(&one_tick(8, 8 << 15)), [8]);
        assert_eq!(ssd.bytes(&one_tick(8, 8 << 15)), [8 << 15]);
        let disk = Accounting::DISK;
        assert_eq!(disk.operations(&one_tick(8, 8 << 17)), [8]);
        assert_eq!(disk.bytes(&one_tick(8, 8 << 17)), [8 << 20]);
    }
}
