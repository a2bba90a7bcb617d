//! Where I/Os go.

use serde::{Deserialize, Serialize};

/// Address pattern over the span, in units of the alignment ("blocks").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "pattern", rename_all = "snake_case", deny_unknown_fields)]
pub enum Addresses {
    /// Each block once in a random order, then again: what fio does with its random map.
    RandomCycle,
    /// Every choice independent of all others.
    RandomIndependent,
    /// One after the other; each job in its own equal part of the span.
    Sequential,
    /// One after the other; all jobs share one position, as diskspd's `-si`.
    Interlocked,
    /// Each job over the whole span on its own, forward from a start of its own and then over from the span's
    /// start, as diskspd's `-s` and the jobs of fio do; jumps to blocks drawn by chance may interrupt it.
    Laps {
        /// Distance of two starts, in bytes; absent: the I/O's own length.
        step_bytes: Option<u64>,
        /// How far each job starts behind the one before it, in bytes.
        apart_bytes: u64,
        /// Share of I/Os that jump, 0 to 1; the next one follows where the jump went.
        jump_share: f64,
    },
    /// Every so many bytes from the last, wrapping one block further.
    Strided {
        /// Distance of two starts, in bytes.
        stride_bytes: u64,
    },
    /// From the end of the span to its start, each I/O so many bytes before the last, and again from the end.
    /// The first one starts a step and its own length before the end, as fio's does.
    Backwards {
        /// Distance of two starts, in bytes.
        step_bytes: u64,
    },
    /// One after the other within a part of the span, then over a gap to the next part, and again from the start,
    /// as fio's strided zones.
    Parts {
        /// Length of a part, in bytes.
        part_bytes: u64,
        /// What lies between two parts, in bytes.
        gap_bytes: u64,
    },
    /// Zipf: the block of rank k is chosen in proportion to k^-exponent; ranks are scattered over the span.
    Zipf {
        /// Greater than 0; 0.99 is what YCSB uses.
        exponent: f64,
    },
    /// Pareto ("80/20"): a share `1 - skew` of the accesses goes to a share `skew` of the blocks.
    Pareto {
        /// Between 0 and 0.5.
        skew: f64,
    },
    /// Normal around the middle of the span.
    Normal {
        /// Standard deviation as a share of the span, 0 to 1.
        deviation: f64,
    },
    /// A part of the span takes a given share of the accesses, independently and uniformly.
    HotSpot(HotSpot),
    /// Consecutive parts of the span, each with its share of the accesses.
    Zoned {
        /// From the start of the span on; shares of accesses and of the span each add up to 1.
        zones: Vec<Zone>,
    },
    /// Those of a trace, which says each I/O's direction and size as well: mix and sizes tell what it holds.
    Traced(TraceSource),
}

impl Addresses {
    /// Whether addresses are drawn, as fio's `randread` does, rather than walked through, as its `read` does. A
    /// trace's count as drawn.
    pub fn is_random(&self) -> bool {
        !matches!(
            self,
            Self::Sequential
                | Self::Interlocked
                | Self::Strided { .. }
                | Self::Backwards { .. }
                | Self::Parts { .. }
                | Self::Laps { .. }
        )
    }

    /// Whether a device can foresee each next address: a walk that nothing interrupts.
    pub fn is_foreseeable(&self) -> bool {
        let jumps = matches!(self, Self::Laps { jump_share, .. } if *jump_share > 0.0);
        !self.is_random() && !jumps
    }

    /// The trace that they are of.
    pub fn traced(&self) -> Option<&TraceSource> {
        if let Self::Traced(traced) = self { Some(traced) } else { None }
    }
}

/// A trace of single I/Os, and how its addresses come to lie on the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TraceSource {
    /// The trace's file.
    pub file: String,
    /// The disk that is meant, of a trace of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Names of a table's columns, e.g. `time=when,offset=where`; empty for the usual ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub columns: String,
    /// What becomes of addresses beyond the span.
    pub fit: TraceFit,
    /// End of the I/O that reaches furthest, in bytes; 0 before the trace was read.
    pub extent_bytes: u64,
}

/// What becomes of a trace's addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TraceFit {
    /// They stay; those beyond the span begin again at its start, so that what was sequential stays so.
    #[default]
    Wrap,
    /// All are multiplied so that the trace's extent becomes the span.
    Scale,
}

/// A hot part of the span.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HotSpot {
    /// Share of the span that is hot, 0 to 1; it starts at the span's start.
    pub span_share: f64,
    /// Share of the accesses that go there, 0 to 1.
    pub access_share: f64,
}

/// One zone of a zoned pattern.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Share of the accesses, 0 to 1.
    pub access_share: f64,
    /// Share of the span, 0 to 1.
    pub span_share: f64,
}
