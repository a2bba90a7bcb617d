//! The A/A control: a side against itself, and the second run of a pair against the first.

use fathom_record::comparison::{Ratio, Side, UndecidedReason};

use super::{LogRatios, first_side};
use crate::student::CONFIDENCE;

/// Fewest pairs of a control.
const MIN_PAIRS: usize = 5;

/// What a control shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Pairs.
    pub pairs: u32,
    /// Ratio with its 95 % interval. One in twenty sound controls excludes "no difference" by chance.
    pub ratio: Ratio,
    /// Relative half-width of the interval: differences below it are noise.
    pub noise_floor: f64,
}

impl Control {
    /// From pairs of runs that should not differ.
    ///
    /// # Errors
    /// Fewer than five pairs, a value without a ratio, or no variation.
    pub fn of(pairs: &[(f64, f64)], resolution: f64) -> Result<Self, UndecidedReason> {
        let ratios = LogRatios::of(pairs, resolution, MIN_PAIRS)?;
        Ok(Self {
            pairs: pairs.len() as u32,
            ratio: ratios.ratio(CONFIDENCE),
            noise_floor: ratios.half_width(CONFIDENCE).exp_m1(),
        })
    }
}

/// Pairs of one side's own runs, neighbours in time, each in a random order: a control that costs no run.
/// Its runs lie further apart than those of a pair, so it shows at least the noise of the comparison.
pub fn pairs_of_one_side(runs: &[f64], seed: u64) -> Vec<(f64, f64)> {
    let (pairs, _) = runs.as_chunks::<2>();
    pairs
        .iter()
        .enumerate()
        .map(|(at, [x, y])| if first_side(seed, at as u32) == Side::A { (*x, *y) } else { (*y, *x) })
        .collect()
}

/// The second run of each pair over the first, whichever side it was: carry-over shows here, as warmth or a
/// device that the first run filled. Each entry is the side that ran first, and the values of A and B.
///
/// # Errors
/// As [`Control::of`].
pub fn order_effect(pairs: &[(Side, f64, f64)], resolution: f64) -> Result<Control, UndecidedReason> {
    let by_order: Vec<(f64, f64)> =
        pairs.iter().map(|(first, a, b)| if *first == Side::A { (*a, *b) } else { (*b, *a) }).collect();
    Control::of(&by_order, resolution)
}
