//! A seed for those who named none.

use std::hash::{BuildHasher, RandomState};

/// A number that is new each time. 32 bits are short to type again, and exact in any JSON reader.
pub fn new_seed() -> u64 {
    RandomState::new().hash_one("fathom") >> 32
}
