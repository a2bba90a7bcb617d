//! Tables by whole numbers that a trace of many millions of I/Os is looked up in: quicker than the library's own, and no
//! more open to numbers that were chosen to fall together.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// A table by a whole number.
pub type NumberMap<V> = HashMap<u64, V, NumberHasher>;

/// The finaliser of SplitMix64: one to one, and every bit depends on every bit.
#[inline]
pub fn spread(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Spreads numbers under a secret of its own, so that nobody can write a file whose numbers all fall together.
#[derive(Clone, Copy, Debug)]
pub struct NumberHasher {
    secret: u64,
}

impl Default for NumberHasher {
    fn default() -> Self {
        Self { secret: RandomState::new().hash_one(0u64) }
    }
}

impl BuildHasher for NumberHasher {
    type Hasher = Spreading;

    fn build_hasher(&self) -> Spreading {
        Spreading(self.secret)
    }
}

/// The spread of what was written so far.
#[derive(Clone, Copy, Debug)]
pub struct Spreading(u64);

impl Hasher for Spreading {
    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = spread(self.0 ^ number);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_a_place_of_its_own() {
        let mut table: NumberMap<u64> = NumberMap::default();
        (0..10_000).for_each(|at| *table.entry(at * 4096).or_default() += at);
        assert_eq!(table.len(), 10_000);
        assert!((0..10_000).all(|at| table.get(&(at * 4096)) == Some(&at)));
    }

    #[test]
    fn two_tables_have_two_secrets() {
        assert_ne!(NumberHasher::default().hash_one(7u64), NumberHasher::default().hash_one(7u64));
    }
}
