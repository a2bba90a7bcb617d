//! fio's histogram: 64 buckets to each power of two, which are two of fathom's each.

/// Buckets of a power of two, as a power of two.
const BITS: u32 = 6;
/// Groups of buckets; values beyond are counted in the last one.
const GROUPS: u32 = 29;
const LAST: usize = ((GROUPS as usize) << BITS) - 1;

/// The bucket that fio counts a latency in.
pub fn bin_of(value_ns: u64) -> usize {
    let top = 63 - (value_ns | 1).leading_zeros();
    if top <= BITS {
        return value_ns as usize;
    }
    let shift = top - BITS;
    let base = ((shift + 1) as usize) << BITS;
    let offset = (value_ns >> shift) as usize & ((1 << BITS) - 1);
    (base + offset).min(LAST)
}

/// The latency that fio writes for a bucket: its middle.
pub fn bin_value(bin: usize) -> u64 {
    let bin = bin as u64;
    if bin < 2 << BITS {
        return bin;
    }
    let shift = (bin >> BITS) as u32 - 1;
    let base = 1u64 << (shift + BITS);
    let half = (1u64 << shift) / 2;
    base + ((bin & ((1 << BITS) - 1)) << shift) + half
}
