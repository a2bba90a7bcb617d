//! What a fleet is judged by, as text that goes from one machine to another: its margin and how its volumes grew.

use fathom_fleet::{FleetGrowths, margin_of};
use fathom_sizing::Catalogue;
use fathom_sizing::fleet_volumes::{Growth, History, RequirementClass, hash};
use fathom_sizing::margin::{Margin, USUAL};
use fathom_tools::Refusal;
use serde::{Deserialize, Serialize};

use super::fleet_question::MarginChoice;

const TERMS: &str = "a fleet's terms";

/// The terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Version of the package that made them.
    pub fathom: String,
    /// Its catalogue, as [`catalogue`] names it.
    pub catalogue: String,
    /// Buy so many thousandths of what is needed.
    pub margin_thousandths: u32,
    /// Chance that a volume needs more, in millionths; absent where the margin is not the fleet's own.
    pub risk_millionths: Option<u32>,
    /// Growths in thousandths with their classes, ascending.
    pub growths: Vec<(u32, String)>,
    /// Half of the usual history, in seconds.
    pub horizon_s: Option<u64>,
    /// Rows that were read for them.
    pub rows: u64,
    /// Of all that stands above.
    pub digest: String,
}

impl Terms {
    /// From a fleet's growths, for a risk in millionths or with a margin that was asked for.
    pub fn new(growths: FleetGrowths, rows: u64, wish: MarginChoice) -> Self {
        let (growths, horizon_s) = growths.finish();
        let margin = match wish {
            MarginChoice::Margin(margin) => margin,
            MarginChoice::Risk(millionths) => margin_of(&History::new(growths.iter().copied()), millionths),
        };
        let risk_millionths = match margin {
            Margin::Calibrated { risk_millionths, .. } => Some(risk_millionths),
            Margin::Uncalibrated { .. } => None,
        };
        let mut terms = Self {
            fathom: env!("CARGO_PKG_VERSION").to_owned(),
            catalogue: catalogue(),
            margin_thousandths: margin.thousandths(),
            risk_millionths,
            growths: growths
                .iter()
                .map(|growth| (growth.thousandths, growth.class.words().to_owned()))
                .collect(),
            horizon_s,
            rows,
            digest: String::new(),
        };
        terms.digest = terms.digest_of();
        terms
    }

    /// As text says them.
    ///
    /// # Errors
    /// When it is damaged, or of another version of this package.
    pub fn of_text(text: &str) -> Result<Self, Refusal> {
        let refused = |cause: String| Refusal::new(TERMS, cause).or("make them again with fathom.margin");
        let terms: Self =
            serde_json::from_str(text).map_err(|error| refused(error.to_string()).with_source(error))?;
        let own = (env!("CARGO_PKG_VERSION"), catalogue());
        if (terms.fathom.as_str(), terms.catalogue.as_str()) != (own.0, own.1.as_str()) {
            let cause = format!(
                "they are of fathom {} with catalogue {}, and this is {} with {}",
                terms.fathom, terms.catalogue, own.0, own.1
            );
            return Err(Refusal::new(TERMS, cause).or("install one version on all machines"));
        }
        if terms.digest != terms.digest_of() {
            return Err(refused("they were changed since they were made".to_owned()));
        }
        Ok(terms)
    }

    /// As text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("numbers and text have a form in JSON")
    }

    /// How the fleet's volumes grew.
    ///
    /// # Errors
    /// When a class is not known.
    pub fn history(&self) -> Result<History, Refusal> {
        let growth = |(thousandths, words): &(u32, String)| {
            let class = RequirementClass::of_words(words)
                .ok_or_else(|| Refusal::new(TERMS, format!("{words:?} is not a valid class of growths")))?;
            Ok(Growth { thousandths: *thousandths, class })
        };
        Ok(History::new(self.growths.iter().map(growth).collect::<Result<Vec<_>, Refusal>>()?))
    }

    /// The margin.
    pub fn margin(&self) -> Margin {
        let thousandths = self.margin_thousandths;
        match self.risk_millionths {
            Some(risk_millionths) => {
                Margin::Calibrated { thousandths, risk_millionths, volumes: self.growths.len() as u32 }
            }
            None if thousandths == USUAL.thousandths() => USUAL,
            None => Margin::Uncalibrated { thousandths },
        }
    }

    fn digest_of(&self) -> String {
        let bare = Self { digest: String::new(), ..self.clone() };
        format!("{:016x}", hash(bare.text().as_bytes()))
    }
}

/// The catalogue that is built in.
pub fn catalogue() -> String {
    format!("{:016x}", Catalogue::built_in_hash())
}
