//! Facts about types of volumes, as the sources give them.

use super::csv_rows::{self, CatalogueError};

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Provider, as `AWS`.
    pub provider: String,
    /// Type, e.g. `gp3`.
    pub volume: String,
    /// When it held, or for which variant; empty: always.
    pub period: String,
    /// What it is about, as `max_iops`.
    pub attribute: String,
    /// Its value as text.
    pub value: String,
    /// Unit of the value; empty for words.
    pub unit: String,
    /// `sure`, or how far from it.
    pub certainty: String,
    /// Key of its source.
    pub source: String,
}

/// All facts about volumes.
#[derive(Clone, Debug, Default)]
pub struct Volumes {
    facts: Vec<Fact>,
}

impl Volumes {
    pub(super) fn read(text: &str) -> Result<Self, CatalogueError> {
        let facts = csv_rows::read("volumes.csv", text, |row| {
            Ok(Fact {
                provider: row.required("provider")?.to_owned(),
                volume: row.required("type")?.to_owned(),
                period: row.text("period").to_owned(),
                attribute: row.required("attribute")?.to_owned(),
                value: row.required("value")?.to_owned(),
                unit: row.text("unit").to_owned(),
                certainty: row.required("certainty")?.to_owned(),
                source: row.required("source")?.to_owned(),
            })
        })?;
        Ok(Self { facts })
    }

    /// All facts, in the order of the file.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// One fact; of several periods the first, which is the present one.
    pub fn fact(&self, volume: &str, attribute: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.volume == volume && fact.attribute == attribute)
    }

    /// A fact that is a whole number.
    pub fn whole(&self, volume: &str, attribute: &str) -> Option<u64> {
        self.fact(volume, attribute)?.value.parse().ok()
    }

    /// A fact that is a number with two decimals at most, in hundredths.
    pub fn hundredths(&self, volume: &str, attribute: &str) -> Option<u64> {
        let value: f64 = self.fact(volume, attribute)?.value.parse().ok()?;
        (0.0..1e12).contains(&value).then(|| (value * 100.0).round() as u64)
    }
}
