//! The evidence table: from `evidence.toml`, what each cause looks like and what each experiment does to it.

mod density;
mod feature;
mod row;

use std::sync::LazyLock;

use fathom_record::verdict::Limit;
use serde::Deserialize;

pub use density::{Shape as Density, ln_mean_of, squared_misfit};
pub use feature::{EXPERIMENTS, Feature};
pub use row::{Cause, Need};

/// Deviation with which a one-sided figure may exceed 0: rounding and counters.
const EDGE: f64 = 0.03;

/// The table that this build was made with.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(include_str!("../../evidence.toml")).unwrap_or_default());

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
    trials: Vec<Option<Trial>>,
}

/// What an experiment costs and asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Minutes that it takes, waiting included.
    pub minutes: f64,
    /// What it decides.
    pub question: String,
}

/// The table that this build was made with.
pub fn table() -> &'static Table {
    &TABLE
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// When the text is no TOML, or names a feature or cause that the program does not know; says which.
    pub fn parse(text: &str) -> Result<Self, String> {
        row::read(text)
    }

    /// What bounds a figure from above that a cause cannot explain: it is above 0, of a one-sided feature, and
    /// the cause has no figure of its own for it. The width is that of rounding and counters.
    pub fn edge(&self, limit: Limit, feature: Feature, value: f64) -> Option<Density> {
        let is_own = self.cause(limit).is_some_and(|cause| cause.figures[feature.index()].is_some());
        let is_impossible = value > 0.0 && self.one_sided.get(feature.index()) == Some(&true);
        let is_bounded = is_impossible && !is_own && limit != Limit::Unknown;
        density::Peak::new(0.0, EDGE).filter(|_| is_bounded).map(Density::One)
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
        let begins = |word: &str| {
            let mut from = 0;
            while let Some(at) = text[from..].find(word).map(|at| at + from) {
                let before = &text[..at];
                if !before.ends_with(|c: char| c.is_ascii_alphanumeric()) && !before.ends_with("not ") {
                    return true;
                }
                from = at + word.len();
            }
            false
        };
        let names = self.cause(limit).into_iter().flat_map(|cause| &cause.names);
        names.map(String::as_str).filter(|word| begins(word)).collect()
    }

    /// A cause's row; none of [`Limit::Unknown`].
    pub fn cause(&self, limit: Limit) -> Option<&Cause> {
        self.causes.iter().find(|cause| cause.limit == limit)
    }

    /// What an experiment costs and asks; `None` of what is no experiment.
    pub fn trial(&self, feature: Feature) -> Option<&Trial> {
        self.trials.get(feature.index()).and_then(Option::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_whole() {
        let table = Table::parse(include_str!("../../evidence.toml")).unwrap();
        assert_eq!(table.causes.len(), 33);
        for feature in Feature::ALL {
            assert!(table.density(Limit::VolumeIops, feature).is_some(), "{feature:?} is in no table");
            assert_eq!(table.trial(feature).is_some(), EXPERIMENTS.contains(&feature), "{feature:?}");
        }
        for cause in &table.causes {
            assert!(!cause.looks.is_empty() && !cause.next.is_empty() && !cause.source.is_empty());
            assert!(cause.statement.ends_with('.'), "{}", cause.statement);
            // A row without a figure that differs would be the usual by another name.
            assert!(cause.figures.iter().flatten().count() >= 1, "{:?}", cause.limit);
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
    fn a_name_that_nobody_knows_is_refused() {
        let start = include_str!("../../evidence.toml");
        let broken = start.replace("[cause.link]", "[cause.lnik]");
        assert!(Table::parse(&broken).unwrap_err().contains("lnik"));
        let broken = start.replace("link_use = [0.95, 0.04]", "lnk_use = [0.95, 0.04]");
        assert!(Table::parse(&broken).unwrap_err().contains("lnk_use"));
        let broken = start.replace("link_use = [0.95, 0.04]", "link_use = [0.95, -1]");
        assert!(Table::parse(&broken).unwrap_err().contains("link_use"));
    }
}
