//! The evidence table: from `evidence.toml`, what each cause looks like and what each experiment does to it.

mod density;
mod evidence_toml;
mod feature;

use std::sync::LazyLock;

use fathom_record::error::Error;
use fathom_record::verdict::Limit;
use serde::Deserialize;

pub use density::{CUT_SHORT, Shape as Density, ln_mean_of, squared_misfit};
pub use evidence_toml::{Cause, CausePrecondition};
pub use feature::{EXPERIMENTS, Feature};

/// Deviation with which a one-sided figure may exceed 0: rounding and counters.
const EDGE: f64 = 0.03;

/// The table as it was set by hand.
static BY_HAND: LazyLock<Table> =
    LazyLock::new(|| Table::parse(include_str!("../../evidence.toml")).unwrap_or_default());
/// The same with what was fitted to drawn cases.
static FITTED: LazyLock<Table> = LazyLock::new(|| {
    let (hand, fitted) = (include_str!("../../evidence.toml"), include_str!("../../fitted.toml"));
    Table::parse_fitted(hand, fitted).unwrap_or_default()
});

/// Kinds of what is wrong in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvidenceErrorKind {
    /// It is not TOML.
    Syntax,
    /// A symptom, experiment or cause that the program does not know.
    UnknownName,
    /// A figure or text that is missing, or is not what it should be.
    Value,
}

/// Why a text is no table of evidence.
pub type EvidenceError = Error<EvidenceErrorKind>;

/// Figures that hold for all rows.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Divides the log likelihoods.
    pub temperature: f64,
    /// Widens every deviation.
    pub inflation: f64,
    /// Of the heavy-tailed density.
    pub degrees_of_freedom: f64,
    /// Deviations of the usual that an unlisted cause may be away.
    pub unknown_width: f64,
    /// Weight of an unlisted cause beside 1 of each listed one.
    pub unknown_prior: f64,
    /// Share of a cause's own cases that fit worse, below which it is not named.
    pub least_fit: f64,
}

/// Causes, symptoms and experiments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Figures that hold for all rows.
    pub calibration: Option<Calibration>,
    /// In the order of [`Limit`]'s variants as the file gives them.
    pub causes: Vec<Cause>,
    /// What a cause without a figure of its own shows, by feature.
    usual: Vec<Option<Density>>,
    /// Whether a figure above 0 contradicts every cause that does not say so, by feature.
    one_sided: Vec<bool>,
    /// Of experiments: minutes and question, by feature.
    trials: Vec<Option<ExperimentCost>>,
}

/// What an experiment costs and asks.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentCost {
    /// Minutes that it takes, waiting included.
    pub minutes: f64,
    /// What it decides.
    pub question: String,
}

/// The table as it was set by hand: for what was measured or published without experiments.
pub fn table() -> &'static Table {
    &BY_HAND
}

/// The table once experiments were made: densities that drawn cases describe better stand for those set by hand.
pub fn table_for_experiments() -> &'static Table {
    &FITTED
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// When the text is no TOML, or names a feature or cause that the program does not know; the cause says which.
    pub fn parse(text: &str) -> Result<Self, EvidenceError> {
        evidence_toml::read(text, "")
    }

    /// The same with densities and a calibration that were fitted to cases, which stand for those of the table.
    ///
    /// # Errors
    /// As [`Table::parse`]; and where something is fitted that the table does not have.
    pub fn parse_fitted(text: &str, fitted: &str) -> Result<Self, EvidenceError> {
        evidence_toml::read(text, fitted)
    }

    /// What bounds a figure from above that a cause cannot explain: it is above 0, of a one-sided feature, and
    /// the cause has no figure of its own for it. The width is that of rounding and counters.
    pub fn edge(&self, limit: Limit, feature: Feature, value: f64) -> Option<Density> {
        let is_own = self.cause(limit).is_some_and(|cause| cause.figures[feature.index()].is_some());
        let is_impossible = value > 0.0 && self.one_sided.get(feature.index()) == Some(&true);
        let is_bounded = is_impossible && !is_own && limit != Limit::Unknown;
        density::DensityPeak::new(0.0, EDGE).filter(|_| is_bounded).map(Density::One)
    }

    /// What a cause shows of a feature; of [`Limit::Unknown`] anything, widely.
    pub fn density(&self, limit: Limit, feature: Feature) -> Option<Density> {
        let usual = self.usual.get(feature.index()).copied().flatten()?;
        if limit == Limit::Unknown {
            return Some(usual.widened(self.calibration?.unknown_width));
        }
        let own = self.cause(limit).and_then(|cause| cause.figures.get(feature.index()).copied().flatten());
        Some(own.unwrap_or(usual))
    }

    /// What a cause without a figure of its own shows.
    pub fn usual(&self, feature: Feature) -> Option<Density> {
        self.usual.get(feature.index()).copied().flatten()
    }

    /// The words by which a text names a cause; the text is in lower case.
    pub fn named(&self, limit: Limit, text: &str) -> Vec<&str> {
        let names = self.cause(limit).into_iter().flat_map(|cause| &cause.names);
        names.map(String::as_str).filter(|name| names_it(text, name)).collect()
    }

    /// A cause's row; none of [`Limit::Unknown`].
    pub fn cause(&self, limit: Limit) -> Option<&Cause> {
        self.causes.iter().find(|cause| cause.limit == limit)
    }

    /// What an experiment costs and asks; `None` of what is no experiment.
    pub fn trial(&self, feature: Feature) -> Option<&ExperimentCost> {
        self.trials.get(feature.index()).and_then(Option::as_ref)
    }
}

/// Whether a text has a word, or with a star at its end a word that begins so, and does not deny it.
fn names_it(text: &str, name: &str) -> bool {
    const DENIES: [&str; 4] = ["not ", "no ", "without ", "non-"];
    let (word, is_beginning) = name.strip_suffix('*').map_or((name, false), |word| (word, true));
    let is_inside = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_inside)
            && (is_beginning || !behind.starts_with(is_inside))
            && !DENIES.iter().any(|denies| before.ends_with(denies))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_whole() {
        let (hand, fitted) = (include_str!("../../evidence.toml"), include_str!("../../fitted.toml"));
        let table = Table::parse_fitted(hand, fitted).unwrap();
        assert_eq!(table.causes.len(), 38);
        for feature in Feature::ALL {
            assert!(table.density(Limit::VolumeIops, feature).is_some(), "{feature:?} is in no table");
            assert_eq!(table.trial(feature).is_some(), EXPERIMENTS.contains(&feature), "{feature:?}");
        }
        for cause in &table.causes {
            assert!(!cause.looks.is_empty() && !cause.next.is_empty() && !cause.source.is_empty());
            assert!(cause.statement.ends_with('.'), "{}", cause.statement);
            // A row without figures that differ would be the usual by another name. What has to be stated to be
            // possible at all is told by that, and one figure says how much.
            let is_stated = cause.needs.iter().any(|need| *need >= CausePrecondition::Compared);
            let least = if is_stated { 1 } else { 3 };
            assert!(cause.figures.iter().flatten().count() >= least, "{:?}", cause.limit);
        }
    }

    #[test]
    fn the_page_for_people_says_what_the_table_says() {
        let page = include_str!("../../../../docs/attribution.md");
        for cause in &table().causes {
            let row = format!("| {} | {} |", cause.looks, cause.next);
            assert!(page.contains(&row), "docs/attribution.md lacks: {row}");
        }
        for feature in EXPERIMENTS {
            let trial = table().trial(feature).unwrap();
            let row = format!("| `{}` | {} | {} |", feature.name(), trial.question, trial.minutes);
            assert!(page.contains(&row), "docs/attribution.md lacks: {row}");
        }
    }

    #[test]
    fn words_name_causes_and_parts_of_others_do_not() {
        let is_named = |limit, text: &str| !table().named(limit, text).is_empty();
        assert!(is_named(Limit::Copies, "ec 6+2") && is_named(Limit::Copies, "3 replicas"));
        assert!(!is_named(Limit::Copies, "ec2 instance") && !is_named(Limit::Copies, "without replication"));
        assert!(
            !is_named(Limit::CacheArtefact, "arch linux") && !is_named(Limit::Thermal, "fanout of hotels")
        );
        assert!(is_named(Limit::Thermal, "heatsink, no fan") && is_named(Limit::Thermal, "bare, throttled"));
        assert!(
            !is_named(Limit::WriteCliff, "not preconditioned") && !is_named(Limit::WriteCliff, "fillseq")
        );
    }

    #[test]
    fn a_name_that_nobody_knows_is_refused() {
        let start = include_str!("../../evidence.toml");
        let broken = start.replace("[cause.link]", "[cause.lnik]");
        assert!(Table::parse(&broken).unwrap_err().cause.contains("lnik"));
        let broken = start.replace("link_use = [0.95, 0.04]", "lnk_use = [0.95, 0.04]");
        assert!(Table::parse(&broken).unwrap_err().cause.contains("lnk_use"));
        let broken = start.replace("link_use = [0.95, 0.04]", "link_use = [0.95, -1]");
        assert!(Table::parse(&broken).unwrap_err().cause.contains("link_use"));
    }

    #[test]
    fn what_was_fitted_stands_for_what_was_set_by_hand_and_nothing_else_does() {
        let hand = include_str!("../../evidence.toml");
        let of = |fitted: &str| Table::parse_fitted(hand, fitted);
        let table = of("[calibration]\ntemperature = 7\n[cause.link]\ntail = [1.5, 0.25]").unwrap();
        assert_eq!(table.calibration.unwrap().temperature, 7.0);
        let peak = density::DensityPeak::new(1.5, 0.25).unwrap();
        assert_eq!(table.density(Limit::Link, Feature::Tail), Some(Density::One(peak)));
        let by_hand = Table::parse(hand).unwrap();
        assert_eq!(table.calibration.unwrap().inflation, by_hand.calibration.unwrap().inflation);
        assert_eq!(
            table.density(Limit::Link, Feature::Corner),
            by_hand.density(Limit::Link, Feature::Corner)
        );
        for (broken, word) in [
            ("[cause.lnik]\ntail = [1, 1]", "lnik"),
            ("[cause.link]\ntial = [1, 1]", "tial"),
            ("[cause.link]\nstatement = \"x\"", "statement"),
            ("[colour]\nx = 1", "colour"),
            ("[calibration]\nheat = 1", "heat"),
            ("x = ", "fitted"),
        ] {
            assert!(of(broken).unwrap_err().to_string().contains(word), "{broken}");
        }
    }
}
