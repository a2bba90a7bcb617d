//! Which side of a pair runs first: a fair coin a pair, from a seed, so that a resumed campaign goes on
//! with the order it was in.

use fathom_record::comparison::Side;

/// The side that runs first in a pair.
pub fn first_side(seed: u64, pair: u32) -> Side {
    // The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit depends on all of the input.
    let mut x = seed.wrapping_add(u64::from(pair).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    if (x ^ (x >> 31)) & 1 == 0 { Side::A } else { Side::B }
}
