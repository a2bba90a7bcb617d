//! Writes that end only when they are durable.

use crate::facts::EngineFeature;

/// What is durable when a write ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The data, and what is needed to find it: `O_DSYNC`.
    Data,
    /// All metadata too: `O_SYNC`.
    All,
}

impl Durability {
    /// Each with what people type.
    pub const NAMES: [(&'static str, Self); 2] = [("data", Self::Data), ("all", Self::All)];

    /// What is typed for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::All => "all",
        }
    }

    /// What an engine's facts say of it.
    pub fn feature(self) -> EngineFeature {
        let (name, note) = match self {
            Self::Data => ("opened_o_dsync", "a write ends when its data is durable"),
            Self::All => ("opened_o_sync", "a write ends when its data and all metadata are durable"),
        };
        EngineFeature::new(name, true, Some(note.to_owned()))
    }

    /// What an engine's facts say was in force.
    pub fn of_features(features: &[EngineFeature]) -> Option<Self> {
        let all = [Self::Data, Self::All];
        let found = |durable: &Self| {
            let own = durable.feature();
            features.iter().any(|known| known.used && known.name == own.name)
        };
        all.into_iter().find(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_features_lead_back() {
        for (name, durable) in Durability::NAMES {
            assert_eq!(durable.name(), name);
            assert_eq!(Durability::of_features(&[durable.feature()]), Some(durable));
        }
        assert_eq!(Durability::of_features(&[]), None);
    }
}
