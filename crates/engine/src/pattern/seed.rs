//! One independent random stream for each job and purpose, derived from the workload's seed.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a random stream is used for. Each purpose has its own stream, so that a change of one pattern
/// leaves the choices of the others as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Directions and sizes.
    Mix = 1,
    /// Addresses of one job.
    Address = 2,
    /// Which blocks are the popular ones: the same for all jobs of a run.
    Layout = 3,
    /// Intended starts.
    Arrival = 4,
    /// Content of one job's writes.
    Data = 5,
    /// Content that repeats: the same for all jobs of a run.
    Duplicate = 6,
    /// Delays that a decorator adds to one job's I/Os.
    Delay = 7,
    /// Which of one job's I/Os have a priority of their own.
    Priority = 8,
    /// Which of several files one job's next I/O goes to.
    Files = 9,
}

/// One step of SplitMix64: a bijection that scatters neighbouring numbers over all of `u64`.
/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014.
pub(super) const fn splitmix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Seed of one stream of one job; `job` is 0 for streams that all jobs share.
pub const fn seed_of(workload_seed: u64, purpose: Purpose, job: u32) -> u64 {
    splitmix(splitmix(workload_seed) ^ ((purpose as u64) << 32 | job as u64))
}

/// The stream itself.
pub fn random_of(workload_seed: u64, purpose: Purpose, job: u32) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed_of(workload_seed, purpose, job))
}

/// A whole number below `bound`, from 64 random bits, without division; 0 for a bound of 0.
/// The bias is below `bound / 2^64`.
#[inline(always)]
pub(super) fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

/// The threshold that a random `u64` stays below with probability `share`; `u64::MAX` for 1.
pub(super) fn threshold(share: f64) -> u64 {
    // The conversion saturates, which is what 1 asks for.
    (share.clamp(0.0, 1.0) * 2f64.powi(64)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn streams_of_jobs_purposes_and_seeds_all_differ() {
        let purposes = [Purpose::Mix, Purpose::Address, Purpose::Layout, Purpose::Arrival, Purpose::Data];
        let mut seen = HashSet::new();
        for seed in [0, 1, 2, u64::MAX] {
            for purpose in purposes {
                for job in 0..100 {
                    assert!(seen.insert(seed_of(seed, purpose, job)), "{seed} {purpose:?} {job}");
                }
            }
        }
    }

    #[test]
    fn thresholds_cover_the_ends() {
        assert_eq!(threshold(0.0), 0);
        assert_eq!(threshold(0.5), 1 << 63);
        assert_eq!(threshold(1.0), u64::MAX);
        assert_eq!((below(u64::MAX, 7), below(0, 7), below(u64::MAX, 0)), (6, 0, 0));
    }
}
