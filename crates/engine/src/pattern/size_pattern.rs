//! Sizes of I/Os.

use fathom_record::workload::Sizes;
use rand::Rng;

use super::seed::{below, threshold};

/// Sizes of one direction, as a value that draws the next one.
#[derive(Clone, Debug)]
pub struct SizePattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Fixed(u32),
    Range {
        min_bytes: u32,
        step_bytes: u32,
        steps: u64,
    },
    /// Cumulative thresholds, ascending, each with the size that is drawn below it. The last one takes
    /// what is left, whatever rounding did to its threshold.
    Split(Box<[(u64, u32)]>),
}

impl SizePattern {
    /// From sizes that were validated: none above `u32::MAX`, steps that lead from end to end, shares
    /// that add up to 1.
    pub fn new(sizes: &Sizes) -> Self {
        let whole = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        Self(match sizes {
            Sizes::Fixed { bytes } => Kind::Fixed(whole(*bytes)),
            Sizes::Range { min_bytes, max_bytes, .. } if min_bytes >= max_bytes => {
                Kind::Fixed(whole(*min_bytes))
            }
            Sizes::Range { min_bytes, max_bytes, step_bytes } => Kind::Range {
                min_bytes: whole(*min_bytes),
                step_bytes: whole(*step_bytes),
                steps: (max_bytes - min_bytes) / (*step_bytes).max(1) + 1,
            },
            Sizes::Split { shares } => {
                let mut sum = 0.0;
                let in_use = shares.iter().filter(|part| part.share > 0.0);
                let entries: Box<[_]> = in_use
                    .map(|part| {
                        sum += part.share;
                        (threshold(sum), whole(part.bytes))
                    })
                    .collect();
                match entries.as_ref() {
                    [] => Kind::Fixed(whole(sizes.max_bytes())),
                    [(_, only)] => Kind::Fixed(*only),
                    _ => Kind::Split(entries),
                }
            }
        })
    }

    /// The next size in bytes. A fixed size draws nothing from `random`.
    #[inline]
    pub fn next(&mut self, random: &mut impl Rng) -> u32 {
        match &self.0 {
            Kind::Fixed(bytes) => *bytes,
            Kind::Range { min_bytes, step_bytes, steps } => {
                min_bytes + below(random.next_u64(), *steps) as u32 * step_bytes
            }
            Kind::Split(entries) => {
                let draw = random.next_u64();
                let (last, rest) = entries.split_last().expect("a split has at least two sizes");
                rest.iter().find(|(limit, _)| draw < *limit).unwrap_or(last).1
            }
        }
    }
}
