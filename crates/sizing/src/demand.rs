//! Demand: I/Os and bytes that were wanted, tick by tick, with the ticks that nobody saw.

use fathom_record::Fault;

use crate::accounting::DISK_UNIT;
use crate::tick_counts::TickCounts;

/// One direction's demand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// I/Os in each tick.
    pub operations: Vec<u64>,
    /// Bytes in each tick.
    pub bytes: Vec<u64>,
}

/// Demand on one volume, or on several together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Length of a tick, in seconds; at least 1.
    pub tick_s: u32,
    /// What was read.
    pub read: Flow,
    /// What was written.
    pub write: Flow,
    /// Ranges of ticks that were not seen; they hold no I/O, and nothing is claimed of them.
    pub gaps: Vec<std::ops::Range<usize>>,
    /// I/Os as providers count them, where the size of each I/O is known; otherwise only means are.
    pub counted: Option<TickCounts>,
}

/// I/Os and bytes of one tick that no device reaches; sums over a year of ticks still fit.
const MOST_PER_TICK: u64 = 1 << 55;

impl Flow {
    /// Whether the flow holds nothing.
    pub fn is_empty(&self) -> bool {
        self.operations.iter().all(|&count| count == 0)
    }

    fn check(&self) -> Result<(), Fault> {
        if self.operations.len() != self.bytes.len() {
            return Err(unequal(self.operations.len(), self.bytes.len()));
        }
        for (tick, (&operations, &bytes)) in self.operations.iter().zip(&self.bytes).enumerate() {
            if operations > MOST_PER_TICK || bytes > MOST_PER_TICK {
                return Err(beyond_any_device(tick));
            }
            if operations == 0 && bytes > 0 {
                return Err(Fault::from(format!("tick {tick}: {operations} I/Os carried {bytes} bytes")));
            }
        }
        Ok(())
    }
}

impl Demand {
    /// Checks that the numbers can be a demand.
    ///
    /// # Errors
    /// When they cannot; the cause names the tick, and whoever read the numbers from somewhere adds the place.
    pub fn check(&self) -> Result<(), Fault> {
        if self.tick_s == 0 {
            return Err(Fault::from("a tick of 0 s"));
        }
        self.read.check()?;
        self.write.check()?;
        let (read, write) = (self.read.operations.len(), self.write.operations.len());
        if read != write {
            return Err(unequal(read, write));
        }
        if read == 0 {
            return Err(no_tick());
        }
        for units in self.counted.iter().flat_map(|counted| [&counted.solid_state, &counted.disk]) {
            if units.len() != read {
                return Err(unequal(read, units.len()));
            }
            if let Some(tick) = units.iter().position(|units| *units > MOST_PER_TICK) {
                return Err(beyond_any_device(tick));
            }
        }
        let mut behind = 0;
        for gap in &self.gaps {
            if gap.start < behind || gap.start >= gap.end || gap.end > read {
                let std::ops::Range { start, end } = gap;
                return Err(Fault::from(format!("a gap from tick {start} to {end} in {read} ticks")));
            }
            behind = gap.end;
        }
        Ok(())
    }

    /// Whether each tick was seen.
    pub fn seen(&self) -> Vec<bool> {
        let mut seen = vec![true; self.ticks()];
        for gap in &self.gaps {
            seen[gap.clone()].fill(false);
        }
        seen
    }

    /// Ticks.
    pub fn ticks(&self) -> usize {
        self.read.operations.len()
    }

    /// Ticks that were seen.
    pub fn ticks_seen(&self) -> usize {
        self.ticks() - self.gaps.iter().map(ExactSizeIterator::len).sum::<usize>().min(self.ticks())
    }

    /// I/Os of both directions, tick by tick.
    pub fn operations(&self) -> Vec<u64> {
        sums(&self.read.operations, &self.write.operations)
    }

    /// Bytes of both directions, tick by tick.
    pub fn bytes(&self) -> Vec<u64> {
        sums(&self.read.bytes, &self.write.bytes)
    }

    /// The same demand grown by a factor, given in thousandths; fractions of an I/O count as one.
    #[must_use]
    pub fn grown(&self, thousandths: u32) -> Self {
        let grow_one = |value: u64| match value.checked_mul(u64::from(thousandths)) {
            Some(product) => product.div_ceil(1000),
            None => (u128::from(value) * u128::from(thousandths)).div_ceil(1000) as u64,
        };
        let grow = |values: &[u64]| -> Vec<u64> { values.iter().map(|&value| grow_one(value)).collect() };
        let flow = |flow: &Flow| Flow { operations: grow(&flow.operations), bytes: grow(&flow.bytes) };
        Self {
            tick_s: self.tick_s,
            read: flow(&self.read),
            write: flow(&self.write),
            gaps: self.gaps.clone(),
            counted: self.counted.as_ref().map(|counted| TickCounts {
                solid_state: grow(&counted.solid_state),
                disk: grow(&counted.disk),
                seeks: grow_one(counted.seeks),
            }),
        }
    }

    /// Whether its I/Os are large or follow each other, so that disks with seek times serve them at their rates:
    /// by its I/Os where each is known, otherwise only where they have 1 MiB on average.
    pub fn is_sequential(&self) -> bool {
        let sum = |read: &[u64], write: &[u64]| {
            let both = read.iter().zip(write).map(|(read, write)| read.saturating_add(*write));
            both.map(u128::from).sum::<u128>()
        };
        let ios = sum(&self.read.operations, &self.write.operations);
        match &self.counted {
            Some(counted) => counted.is_sequential(u64::try_from(ios).unwrap_or(u64::MAX)),
            None => sum(&self.read.bytes, &self.write.bytes) >= ios * u128::from(DISK_UNIT),
        }
    }
}

/// There is nothing to size for.
pub(crate) fn no_tick() -> Fault {
    Fault::from("the series holds no tick")
}

/// Series of one demand belong together.
fn unequal(one: usize, other: usize) -> Fault {
    Fault::from(format!("series of different lengths: {one} and {other} ticks"))
}

/// Beyond what sums can hold.
fn beyond_any_device(tick: usize) -> Fault {
    Fault::from(format!("tick {tick}: more I/Os or bytes than any device moves"))
}

fn sums(left: &[u64], right: &[u64]) -> Vec<u64> {
    left.iter().zip(right).map(|(a, b)| a.saturating_add(*b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(operations: &[u64], bytes: &[u64]) -> Demand {
        let nothing = Flow { operations: vec![0; operations.len()], bytes: vec![0; operations.len()] };
        let read = Flow { operations: operations.to_vec(), bytes: bytes.to_vec() };
        Demand { tick_s: 1, read, write: nothing, gaps: Vec::new(), counted: None }
    }

    #[test]
    fn numbers_that_are_no_demand_are_named() {
        assert_eq!(demand(&[], &[]).check(), Err(no_tick()));
        let impossible = demand(&[1, 0], &[4096, 5]).check().unwrap_err();
        assert_eq!(impossible.cause, "tick 1: 0 I/Os carried 5 bytes");
        assert_eq!(demand(&[1, u64::MAX], &[4096, 5]).check(), Err(beyond_any_device(1)));
        assert_eq!(demand(&[1], &[4096]).check(), Ok(()));
    }

    #[test]
    fn growth_rounds_up() {
        assert_eq!(demand(&[1, 10], &[100, 1000]).grown(1300).read.operations, [2, 13]);
    }
}
