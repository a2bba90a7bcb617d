//! How large I/Os are.

use serde::{Deserialize, Serialize};

/// Sizes of one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sizes {
    /// Always the same.
    Fixed {
        /// Bytes.
        bytes: u64,
    },
    /// Uniform over the multiples of the step from the smallest to the largest.
    Range {
        /// Smallest, in bytes.
        min_bytes: u64,
        /// Largest, in bytes.
        max_bytes: u64,
        /// Sizes are multiples of this.
        step_bytes: u64,
    },
    /// One of a few, each with its share.
    Split {
        /// Shares add up to 1.
        shares: Vec<SizeShare>,
    },
}

/// A size and how often it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// Bytes.
    pub bytes: u64,
    /// Share of the I/Os of this direction, 0 to 1.
    pub share: f64,
}

/// Sizes for each direction that moves or names data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SizesByDirection {
    /// Of reads.
    pub read: Sizes,
    /// Of writes.
    pub write: Sizes,
    /// Of trims.
    pub trim: Sizes,
    /// Whether each direction's random offsets are also multiples of its own smallest size, where that is a
    /// multiple of the alignment, as fio has them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own_alignment: bool,
    /// Whether each write has the place and the size of the trim before it; trims and writes then take turns.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rewrites_trimmed: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl SizesByDirection {
    /// The same sizes for every direction.
    pub fn all(sizes: Sizes) -> Self {
        Self {
            read: sizes.clone(),
            write: sizes.clone(),
            trim: sizes,
            own_alignment: false,
            rewrites_trimmed: false,
        }
    }
}

impl Sizes {
    /// Smallest size that can be drawn, in bytes.
    pub fn min_bytes(&self) -> u64 {
        match self {
            Sizes::Fixed { bytes } => *bytes,
            Sizes::Range { min_bytes, .. } => *min_bytes,
            Sizes::Split { shares } => shares.iter().map(|s| s.bytes).min().unwrap_or(0),
        }
    }

    /// Largest size that can be drawn, in bytes.
    pub fn max_bytes(&self) -> u64 {
        match self {
            Sizes::Fixed { bytes } => *bytes,
            Sizes::Range { max_bytes, .. } => *max_bytes,
            Sizes::Split { shares } => shares.iter().map(|s| s.bytes).max().unwrap_or(0),
        }
    }

    /// Mean size in bytes.
    pub fn mean_bytes(&self) -> f64 {
        match self {
            Sizes::Fixed { bytes } => *bytes as f64,
            Sizes::Range { min_bytes, max_bytes, .. } => (*min_bytes as f64 + *max_bytes as f64) / 2.0,
            Sizes::Split { shares } => shares.iter().map(|s| s.bytes as f64 * s.share).sum(),
        }
    }
}
