//! A cap on the bytes that are written, which many jobs and runs share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes that may still be written. Clones share them.
#[derive(Clone, Debug)]
pub struct WearLimit(Arc<Allowance>);

#[derive(Debug)]
struct Allowance {
    limit_bytes: u64,
    left_bytes: AtomicU64,
    is_met: AtomicBool,
}

impl WearLimit {
    /// Allows `limit_bytes` in all.
    pub fn new(limit_bytes: u64) -> Self {
        Self(Arc::new(Allowance {
            limit_bytes,
            left_bytes: AtomicU64::new(limit_bytes),
            is_met: AtomicBool::new(false),
        }))
    }

    /// Takes the bytes of one write, or of a file that is laid out. `false` where fewer are left: nothing may be
    /// written then, and the limit is met from then on.
    pub fn take(&self, bytes: u64) -> bool {
        let taken = self
            .0
            .left_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
            .is_ok();
        if !taken {
            self.0.is_met.store(true, Ordering::Relaxed);
        }
        taken
    }

    /// Whether a write was held back because of it.
    pub fn is_met(&self) -> bool {
        self.0.is_met.load(Ordering::Relaxed)
    }

    /// What it allows in all.
    pub fn limit_bytes(&self) -> u64 {
        self.0.limit_bytes
    }

    /// What it still allows.
    pub fn left_bytes(&self) -> u64 {
        self.0.left_bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_beyond_the_limit_is_allowed_however_many_ask() {
        let limit = WearLimit::new(1_000_000);
        let allowed: u64 = std::thread::scope(|scope| {
            let asks = (0..4).map(|_| {
                let limit = limit.clone();
                scope.spawn(move || (0..1000).filter(|_| limit.take(4096)).count() as u64)
            });
            asks.collect::<Vec<_>>().into_iter().map(|ask| ask.join().expect("it asks")).sum()
        });
        assert_eq!(allowed, 1_000_000 / 4096);
        assert!(limit.is_met() && limit.left_bytes() < 4096);
        assert!(limit.take(limit.left_bytes()) && !limit.take(1));
    }
}
