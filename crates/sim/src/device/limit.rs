//! Limits of a volume or an instance: buckets side by side, each with a queue of its own, that an I/O has all
//! to be admitted by.

use super::token_bucket::Bucket;
use fathom_record::options::{ByteLimit, OperationLimit};

/// What an I/O costs, in billionths of a token.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Of the buckets on operations.
    pub operations: u128,
    /// Of the buckets on bytes.
    pub bytes: u128,
}

/// Sustained and peak buckets on operations and bytes. Each admits I/Os in the order of their arrival, and an
/// I/O passes when the slower one has admitted it.
///
/// An I/O that waits for bytes has its operation counted already, so that operations earned meanwhile are
/// not lost: buckets without depth would otherwise serve a mix of sizes at less than either limit allows.
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
    /// When an I/O that arrives at `from_ns` is admitted; takes its cost then. The spending is paced at the moment
    /// that the credits are spent: both buckets are charged together.
    #[inline]
    fn admit(&mut self, from_ns: u64, cost: u128) -> u64 {
        let mut at_ns = self.sustained.earliest(from_ns, cost);
        if let Some(peak) = &self.peak {
            at_ns = at_ns.max(peak.earliest(from_ns, cost));
        }
        self.sustained.take(at_ns, cost);
        if let Some(peak) = &mut self.peak {
            peak.take(at_ns, cost);
        }
        at_ns
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
        // What costs one bucket nothing still passes behind those that came before it.
        let mut at_ns = from_ns.max(self.last_ns);
        if let Some(pair) = &mut self.operations {
            at_ns = at_ns.max(pair.admit(from_ns, cost.operations));
        }
        if let Some(pair) = &mut self.bytes {
            at_ns = at_ns.max(pair.admit(from_ns, cost.bytes));
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
