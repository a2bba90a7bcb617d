//! A trace: single I/Os with their times, addresses and sizes, and the demand that they add up to.

use crate::demand::{Demand, DemandError, Flow};

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

impl Trace {
    /// The I/Os of each second.
    ///
    /// # Errors
    /// When there is no I/O, or the trace lasts longer than any does.
    pub fn demand(&self) -> Result<Demand, DemandError> {
        let last_s = self.ios.last().ok_or(DemandError::Empty)?.at_ns / SECOND_NS;
        if last_s >= MOST_S {
            return Err(DemandError::TooLong(last_s));
        }
        let ticks = last_s as usize + 1;
        let flow = || Flow { operations: vec![0; ticks], bytes: vec![0; ticks] };
        let mut demand = Demand { tick_s: 1, read: flow(), write: flow(), gaps: Vec::new() };
        for io in &self.ios {
            let flow = if io.write { &mut demand.write } else { &mut demand.read };
            let Some(at) = usize::try_from(io.at_ns / SECOND_NS).ok().filter(|at| *at < ticks) else {
                continue;
            };
            flow.operations[at] += 1;
            flow.bytes[at] = flow.bytes[at].saturating_add(io.bytes);
        }
        demand.check()?;
        Ok(demand)
    }
}
