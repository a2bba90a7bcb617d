//! A fixed number of places, each taken until a known time: servers and tags.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Places as the times at which they become free, the earliest first.
#[derive(Clone, Debug)]
pub struct Places {
    free_at_ns: BinaryHeap<Reverse<u64>>,
}

impl Places {
    /// `count` places, all free.
    ///
    /// # Panics
    /// If `count` is 0.
    pub fn new(count: u32) -> Self {
        assert!(count > 0, "there is at least one place");
        Self { free_at_ns: (0..count).map(|_| Reverse(0)).collect() }
    }

    /// When the next place becomes free.
    #[inline]
    pub fn earliest(&self) -> u64 {
        self.free_at_ns.peek().map_or(0, |place| place.0)
    }

    /// Takes that place until `until_ns`.
    #[inline]
    pub fn take(&mut self, until_ns: u64) {
        if let Some(mut place) = self.free_at_ns.peek_mut() {
            *place = Reverse(until_ns);
        }
    }
}
