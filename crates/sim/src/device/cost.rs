//! What an I/O costs at each stage: from its place and length to tokens and bytes.

use fathom_record::Direction;

use super::limit::Cost;
use super::streams::Streams;
use super::token_bucket::TOKEN;
use crate::parameters::{Accounting, SimParameters};

/// Costs of one I/O.
#[derive(Clone, Copy, Debug, Default)]
pub struct IoCost {
    /// Against limits.
    pub cost: Cost,
    /// Moved over the link.
    pub wire_bytes: u64,
    /// Moved by the server.
    pub server_bytes: u64,
    /// Taken from the write cache's room: what the medium must write.
    pub medium_bytes: u64,
    /// Read by the server first, to complete units of the medium that are written partly.
    pub reads_before_writing_bytes: u64,
    /// Whether the server has to position first.
    pub positions: bool,
}

/// Computes costs; remembers where sequential streams stand.
#[derive(Clone, Debug)]
pub struct Coster {
    accounting: Accounting,
    follows_streams: bool,
    indirection_unit_bytes: u64,
    cached: bool,
    random_amplification: f64,
    reads: Streams,
    writes: Streams,
}

impl Cost {
    /// What is charged while the device runs at another speed: a token buys more when it is fast.
    #[inline]
    pub fn at_speed(self, speed: Option<f64>) -> Self {
        let Some(speed) = speed else { return self };
        let scaled = |cost: u128| (cost as f64 / speed + 0.5) as u128;
        Self { operations: scaled(self.operations), bytes: scaled(self.bytes) }
    }
}

impl Coster {
    /// Costs as the parameters set them.
    pub fn new(p: &SimParameters) -> Self {
        let random_amplification = p.write_cache.map_or(1.0, |cache| cache.random_amplification);
        let follows_streams = p.positioning.is_some()
            || p.accounting.merge_sequential
            || p.accounting.least_random_bytes > 0
            || p.indirection_unit_bytes.is_some()
            || random_amplification != 1.0;
        Self {
            accounting: p.accounting,
            follows_streams,
            indirection_unit_bytes: p.indirection_unit_bytes.unwrap_or(1),
            cached: p.write_cache.is_some(),
            random_amplification,
            reads: Streams::default(),
            writes: Streams::default(),
        }
    }

    /// Costs of the next I/O.
    #[inline]
    pub fn cost(&mut self, direction: Direction, offset: u64, bytes: u64) -> IoCost {
        let sequential = match direction {
            Direction::Flush => return IoCost::default(),
            // A trim is counted as one operation and moves nothing.
            Direction::Trim => {
                return IoCost { cost: Cost { operations: TOKEN, bytes: 0 }, ..IoCost::default() };
            }
            _ if !self.follows_streams => false,
            Direction::Read => self.reads.continues(offset, bytes),
            Direction::Write => self.writes.continues(offset, bytes),
        };
        let mut io = IoCost {
            cost: self.limit_cost(bytes, sequential),
            wire_bytes: bytes,
            server_bytes: bytes,
            medium_bytes: bytes,
            reads_before_writing_bytes: 0,
            positions: !sequential,
        };
        if direction == Direction::Write && !sequential {
            self.amplify(&mut io, offset, bytes);
        }
        io
    }

    #[inline]
    fn limit_cost(&self, bytes: u64, sequential: bool) -> Cost {
        let operations = match self.accounting.unit_bytes {
            None => TOKEN,
            Some(unit) if sequential && self.accounting.merge_sequential => {
                u128::from(bytes) * TOKEN / u128::from(unit)
            }
            Some(unit) if bytes <= unit => TOKEN,
            Some(unit) => u128::from(bytes.div_ceil(unit)) * TOKEN,
        };
        let charged = if sequential { bytes } else { bytes.max(self.accounting.least_random_bytes) };
        Cost { operations, bytes: u128::from(charged) * TOKEN }
    }

    /// A write that stands alone rewrites whole units of the medium.
    fn amplify(&self, io: &mut IoCost, offset: u64, bytes: u64) {
        let unit = self.indirection_unit_bytes;
        let end = offset.saturating_add(bytes);
        let (first, last) = (offset / unit, end.saturating_sub(1).max(offset) / unit);
        let touched_bytes = if unit > 1 { (last - first + 1).saturating_mul(unit) } else { bytes };
        io.medium_bytes = (touched_bytes as f64 * self.random_amplification) as u64;
        if !self.cached {
            // Without a cache the server does it before the write ends; with one, draining does.
            let head_partly = !offset.is_multiple_of(unit);
            let tail_partly = !end.is_multiple_of(unit) && (last > first || !head_partly);
            io.server_bytes = touched_bytes;
            io.reads_before_writing_bytes = (u64::from(head_partly) + u64::from(tail_partly)) * unit;
        }
    }
}
