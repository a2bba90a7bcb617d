//! Whether anybody's results can be what they say: figures held against each other, with what follows.
//!
//! Nothing is measured here, and nothing is decided that the figures do not carry: a finding gives the figures,
//! and says which of them cannot stand beside which. Pure.

pub mod law;
mod run_audit;
pub mod throughput_units;

pub use run_audit::audit_run;

/// One thing that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is about, as `write sequential 64K` or `read`.
    pub subject: String,
    /// The rule that was applied.
    pub rule: Rule,
    /// What it means for the figures.
    pub weight: Weight,
    /// The figures, and what follows.
    pub text: String,
}

/// What figures are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// I/Os in flight are rate times mean latency (Little 1961).
    LittlesLaw,
    /// Two sides are compared at the same number of I/Os in flight.
    SameConcurrency,
    /// Throughput is rate times size, in the unit that stands beside it.
    Units,
    /// A total is the sum of its parts, and a rate its count over its time.
    Totals,
    /// Percentiles rise, and mean and percentiles lie between the smallest and the largest value.
    Percentiles,
    /// What lies above the end of a tool's histogram is not known.
    HistogramCap,
    /// A known upper bound is not exceeded, and one that is nearly reached explains a result.
    Ceiling,
    /// I/Os ended well.
    Errors,
}

impl Rule {
    /// The rule in a few words.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::LittlesLaw => "Little's law",
            Rule::SameConcurrency => "same concurrency",
            Rule::Units => "units",
            Rule::Totals => "totals",
            Rule::Percentiles => "percentiles",
            Rule::HistogramCap => "histogram cap",
            Rule::Ceiling => "ceiling",
            Rule::Errors => "errors",
        }
    }
}

/// What a finding means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Figures agree, or give one that was not stated.
    Note,
    /// The figures may stand, but mean something else than they seem to.
    Caution,
    /// The figures cannot all be right.
    Contradiction,
}

impl Weight {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Weight::Note => "note",
            Weight::Caution => "caution",
            Weight::Contradiction => "contradiction",
        }
    }
}

/// A number as people read it: three digits, or all of a whole one.
pub fn figure(value: f64) -> String {
    if value.abs() >= 100.0 || value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
