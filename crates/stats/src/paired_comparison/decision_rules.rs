//! What a comparison counts as a difference, and how much error it allows.

use fathom_record::error::Error;

/// Settings of a comparison; relative sizes are shares, 0.01 is 1 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A difference surely below this is not called one.
    pub materiality: f64,
    /// Sides that differ by less than this, shown by two one-sided tests, are equivalent.
    pub margin: f64,
    /// The difference that the number of pairs is planned to find.
    pub detect: f64,
    /// Chance of finding it.
    pub power: f64,
    /// Chance that identical sides are called different, over all looks and primary metrics.
    pub alpha: f64,
    /// Pairs before anything is planned.
    pub pilot: u32,
    /// Pairs at most.
    pub max_pairs: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            materiality: 0.01,
            margin: 0.03,
            detect: 0.02,
            power: 0.8,
            alpha: 0.05,
            pilot: 5,
            max_pairs: 40,
        }
    }
}

/// Kind of a setting that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesErrorKind {
    /// A share is not between 0 and 1, both excluded.
    NotAShare,
    /// The margin is below the materiality, so a difference could be both.
    MarginBelowMateriality,
    /// Fewer than three pilot pairs show no error; fewer pairs than the pilot are no plan.
    TooFewPairs,
    /// More than three primary metrics, or none.
    PrimaryMetrics,
}

/// A setting that makes no sense; its place is the setting's name.
pub type RulesError = Error<RulesErrorKind>;

impl Rules {
    /// Checks the settings.
    ///
    /// # Errors
    /// The first that makes no sense.
    pub fn validate(&self) -> Result<(), RulesError> {
        let shares = [
            ("materiality", self.materiality),
            ("margin", self.margin),
            ("detect", self.detect),
            ("power", self.power),
            ("alpha", self.alpha),
        ];
        if let Some((name, _)) = shares.iter().find(|(_, v)| !(*v > 0.0 && *v < 1.0)) {
            let cause = "it must lie between 0 and 1, e.g. 0.02 for 2 %";
            return Err(RulesError::new(RulesErrorKind::NotAShare, *name, cause));
        }
        if self.margin < self.materiality {
            let cause = "that of equivalence must not be below the materiality";
            return Err(RulesError::new(RulesErrorKind::MarginBelowMateriality, "margin", cause));
        }
        if self.pilot < 3 || self.max_pairs < self.pilot {
            let cause = "a comparison needs 3 pilot pairs or more, and no fewer pairs than its pilot";
            return Err(RulesError::new(RulesErrorKind::TooFewPairs, "pilot", cause));
        }
        Ok(())
    }

    pub(super) fn ln_materiality(&self) -> f64 {
        self.materiality.ln_1p()
    }

    pub(super) fn ln_margin(&self) -> f64 {
        self.margin.ln_1p()
    }

    pub(super) fn ln_detect(&self) -> f64 {
        self.detect.ln_1p()
    }
}
