//! A trace: single I/Os with their times, addresses and sizes, and the demand that they add up to.

use fathom_record::Fault;

use crate::demand::{Demand, Flow, no_tick};
use crate::tick_counts::Counter;

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedIo {
    /// When it came, in nanoseconds from the first I/O of the trace.
    pub at_ns: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes; at least 1.
    pub bytes: u64,
    /// Whether it wrote; otherwise it read.
    pub write: bool,
}

/// Single I/Os, ascending in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The I/Os.
    pub ios: Vec<TracedIo>,
}

/// Nanoseconds of a second: the tick of a trace's demand.
const SECOND_NS: u64 = 1_000_000_000;
/// Seconds that a trace may last: four years.
const MOST_S: u64 = 1 << 27;
/// A demand has at most so many ticks, or so many for each I/O: two I/Os far apart would take memory for all
/// that lies between them.
const FEW_TICKS: u64 = 1 << 15;
const TICKS_AN_IO: u64 = 100;

impl Trace {
    /// The I/Os of each tick: a second, or longer where there are few I/Os in a long time.
    ///
    /// # Errors
    /// When there is no I/O, or the trace lasts longer than any does.
    pub fn demand(&self) -> Result<Demand, Fault> {
        let last_s = self.ios.last().ok_or_else(no_tick)?.at_ns / SECOND_NS;
        if last_s >= MOST_S {
            return Err(Fault::from(format!("the I/Os span {last_s} s")));
        }
        let most = FEW_TICKS.max(TICKS_AN_IO.saturating_mul(self.ios.len() as u64));
        // Below 2^27, as the time in seconds is.
        let tick_s = (last_s / most + 1) as u32;
        let tick_ns = u64::from(tick_s) * SECOND_NS;
        let ticks = (last_s / u64::from(tick_s)) as usize + 1;
        let flow = || Flow { operations: vec![0; ticks], bytes: vec![0; ticks] };
        let mut demand = Demand { tick_s, read: flow(), write: flow(), gaps: Vec::new(), counted: None };
        let mut counter = Counter::new(ticks);
        for io in &self.ios {
            let flow = if io.write { &mut demand.write } else { &mut demand.read };
            let Some(at) = usize::try_from(io.at_ns / tick_ns).ok().filter(|at| *at < ticks) else {
                continue;
            };
            flow.operations[at] += 1;
            flow.bytes[at] = flow.bytes[at].saturating_add(io.bytes);
            counter.put(at, io);
        }
        demand.counted = Some(counter.finish());
        demand.check()?;
        Ok(demand)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ios_in_a_long_time_take_little_memory() {
        let io = |at_s: u64| TracedIo { at_ns: at_s * SECOND_NS, offset: 0, bytes: 512, write: false };
        let trace = |seconds: &[u64]| Trace { ios: seconds.iter().map(|at| io(*at)).collect() };
        let long = trace(&[0, 1, 100_000_000]).demand().unwrap();
        assert_eq!((long.tick_s, long.read.operations.len()), (3052, 32_766));
        assert_eq!(long.read.operations.iter().sum::<u64>(), 3);
        let short = trace(&[0, 7200]).demand().unwrap();
        assert_eq!((short.tick_s, short.read.operations.len()), (1, 7201));
    }
}
