//! A block of another order of size, where twice or half of it is too near to tell a limit from a device: a service of 870 us
//! and 16 us for the bytes is 2 % slower with twice the block, which is little, and a quarter slower with sixteen times.

use std::f64::consts::LN_2;

use crate::evidence::Feature;
use crate::input::{ExperimentAnswer, MeasuredPattern};

use super::block_bytes;

/// How many times as large or small a block is far away, the farthest first.
const FAR: [u64; 3] = [16, 8, 4];
/// Largest block that is one I/O to a device: what is larger is cut on the way, and counted as several.
const LARGEST_BYTES: u64 = 1 << 20;
/// Rates of two blocks that are nearer than this to a law may follow it.
const NEAR: f64 = 0.1;

/// What blocks of several sizes have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSizeLaw {
    /// The rate of operations: a larger block would show where it ends.
    Operations,
    /// The rate of bytes: a smaller one would.
    Bytes,
}

impl BlockSizeLaw {
    /// Time of an I/O by it, of a block so many times as large, over that of the block itself.
    pub const fn time(self, ratio: f64) -> f64 {
        match self {
            Self::Operations => 1.0,
            Self::Bytes => ratio,
        }
    }
}

/// The law that half or twice the block followed, as nearly as one can tell; `None` where neither was tried, and where both
/// follow neither or each another.
pub fn law(answers: &[ExperimentAnswer]) -> Option<BlockSizeLaw> {
    let of = |answer: &ExperimentAnswer| {
        let is_near = [Feature::HalfBlock, Feature::DoubleBlock].contains(&answer.experiment);
        let ln = (answer.operations_per_s / answer.before_per_s).ln().abs();
        is_near.then_some(match ln {
            ln if ln <= NEAR => Some(BlockSizeLaw::Operations),
            ln if (ln - LN_2).abs() <= NEAR => Some(BlockSizeLaw::Bytes),
            _ => None,
        })
    };
    let mut laws = answers.iter().filter(|answer| answer.inferred.is_none()).filter_map(of);
    let first = laws.next()??;
    laws.all(|other| other == Some(first)).then_some(first)
}

/// The far block, in bytes; `None` where no law is known, and where none that is far enough is one I/O.
pub fn far_block(pattern: &MeasuredPattern<'_>) -> Option<u64> {
    let bytes = block_bytes(pattern.workload)?;
    let smallest = u64::from(pattern.target.logical_block_bytes.max(1));
    match law(pattern.answers)? {
        BlockSizeLaw::Operations => {
            FAR.into_iter().filter_map(|times| bytes.checked_mul(times)).find(|far| *far <= LARGEST_BYTES)
        }
        BlockSizeLaw::Bytes => FAR
            .into_iter()
            .filter(|times| bytes.is_multiple_of(*times))
            .map(|times| bytes / times)
            .find(|far| *far >= smallest && far.is_multiple_of(smallest)),
    }
}

/// How many times the block of the workload the far one is.
pub fn far_ratio(pattern: &MeasuredPattern<'_>) -> Option<f64> {
    Some(far_block(pattern)? as f64 / block_bytes(pattern.workload)? as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(rates: &[(Feature, f64)]) -> Vec<ExperimentAnswer> {
        let answer = |(experiment, ratio): &(Feature, f64)| ExperimentAnswer {
            experiment: *experiment,
            operations_per_s: 1000.0 * ratio,
            before_per_s: 1000.0,
            error_share: 0.005,
            inferred: None,
        };
        rates.iter().map(answer).collect()
    }

    #[test]
    fn a_law_is_what_the_near_blocks_agree_on() {
        let of = |rates: &[(Feature, f64)]| law(&answers(rates));
        assert_eq!(of(&[(Feature::DoubleBlock, 0.98)]), Some(BlockSizeLaw::Operations));
        assert_eq!(of(&[(Feature::HalfBlock, 1.95)]), Some(BlockSizeLaw::Bytes));
        assert_eq!(of(&[(Feature::HalfBlock, 2.0), (Feature::DoubleBlock, 0.5)]), Some(BlockSizeLaw::Bytes));
        for none in [
            &[][..],
            &[(Feature::Reads, 1.0)],
            &[(Feature::DoubleBlock, 0.7)],
            &[(Feature::HalfBlock, 1.0), (Feature::DoubleBlock, 0.5)],
            &[(Feature::DoubleBlock, 0.0)],
        ] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }
}
