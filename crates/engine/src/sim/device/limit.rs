//! Limits of a volume or an instance: several buckets that an I/O passes at one moment.

use super::bucket::Bucket;
use crate::sim::parameters::{ByteLimit, OperationLimit};

/// What an I/O costs, in billionths of a token.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Of the buckets on operations.
    pub operations: u128,
    /// Of the buckets on bytes.
    pub bytes: u128,
}

/// Sustained and peak buckets on operations and bytes. An I/O passes when all allow it, and later
/// ones wait behind it.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    operations: Option<Pair>,
    bytes: Option<Pair>,
    last_ns: u64,
}

/// The bucket of the sustained rate, and the one that paces its spending.
#[derive(Clone, Debug)]
struct Pair {
    sustained: Bucket,
    peak: Option<Bucket>,
}

impl Pair {
    #[inline]
    fn earliest(&self, from_ns: u64, cost: u128) -> u64 {
        let at_ns = self.sustained.earliest(from_ns, cost);
        match &self.peak {
            Some(peak) => at_ns.max(peak.earliest(from_ns, cost)),
            None => at_ns,
        }
    }

    #[inline]
    fn take(&mut self, at_ns: u64, cost: u128) {
        self.sustained.take(at_ns, cost);
        if let Some(peak) = &mut self.peak {
            peak.take(at_ns, cost);
        }
    }
}

impl Limits {
    /// Limits with their balances at time 0.
    pub fn new(operations: Option<OperationLimit>, bytes: Option<ByteLimit>) -> Self {
        let pair = |per_s, size, balance, peak: Option<u64>| Pair {
            sustained: Bucket::new(per_s, size, balance),
            peak: peak.map(|peak| Bucket::new(peak, 0, 0)),
        };
        Self {
            operations: operations.map(|limit| {
                pair(
                    limit.operations_per_s,
                    limit.bucket_operations,
                    limit.balance_operations,
                    limit.peak_operations_per_s,
                )
            }),
            bytes: bytes.map(|limit| {
                pair(limit.bytes_per_s, limit.bucket_bytes, limit.balance_bytes, limit.peak_bytes_per_s)
            }),
            last_ns: 0,
        }
    }

    /// When an I/O that arrives at `from_ns` passes; takes its cost then.
    #[inline]
    pub fn admit(&mut self, from_ns: u64, cost: Cost) -> u64 {
        // All buckets are asked from the same moment and charged at the same moment: none is charged
        // for I/Os that still wait for another.
        let from_ns = from_ns.max(self.last_ns);
        let mut at_ns = from_ns;
        if let Some(pair) = &self.operations {
            at_ns = at_ns.max(pair.earliest(from_ns, cost.operations));
        }
        if let Some(pair) = &self.bytes {
            at_ns = at_ns.max(pair.earliest(from_ns, cost.bytes));
        }
        if let Some(pair) = &mut self.operations {
            pair.take(at_ns, cost.operations);
        }
        if let Some(pair) = &mut self.bytes {
            pair.take(at_ns, cost.bytes);
        }
        self.last_ns = at_ns;
        at_ns
    }

    /// Whole tokens left on operations; `None` without such a limit.
    pub fn operation_tokens_at(&self, at_ns: u64) -> Option<u64> {
        self.operations.as_ref().map(|pair| pair.sustained.tokens_at(at_ns))
    }

    /// Whole tokens left on bytes; `None` without such a limit.
    pub fn byte_tokens_at(&self, at_ns: u64) -> Option<u64> {
        self.bytes.as_ref().map(|pair| pair.sustained.tokens_at(at_ns))
    }
}
