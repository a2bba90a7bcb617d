//! What is asked of a fleet, as Python hands it over: words as they are typed to the program, with the same meaning.

use std::str::FromStr;

use fathom_demand::price_list;
use fathom_fleet::{check_region, current, market};
use fathom_measure::{Bytes, Nanos, Share};
use fathom_rows::{Hints, Values};
use fathom_sizing::catalogue::{OfferRequirements, Prices};
use fathom_sizing::margin::{Margin, USUAL};
use fathom_sizing::{Catalogue, Market};
use fathom_tools::Refusal;
use serde::Deserialize;

use super::volume_stream::StreamOptions;

/// Rows that one volume may have: 2.4 GB at the peak of its judgement, 231 days of seconds.
const MOST_ROWS: u64 = 20_000_000;

/// Words, most of which may be left out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    #[serde(default)]
    region: String,
    #[serde(default)]
    wait: Option<String>,
    #[serde(default)]
    late: Option<String>,
    #[serde(default)]
    risk: Option<String>,
    #[serde(default)]
    margin: Option<f64>,
    #[serde(default)]
    columns: String,
    #[serde(default)]
    values: Option<String>,
    /// Times that the share of the volumes whose growth is wanted was halved.
    #[serde(default)]
    pub halvings: u32,
    #[serde(default = "most_rows")]
    max_rows: u64,
    /// Whether a volume that cannot be judged is named in its row, in place of ending all.
    #[serde(default)]
    pub keep_going: bool,
    #[serde(default)]
    size: Option<String>,
    /// What volumes are today whose rows do not say.
    #[serde(default)]
    pub current: Option<String>,
    /// The instance of volumes whose rows name none.
    #[serde(default)]
    pub instance: Option<String>,
    #[serde(default = "one")]
    stripes: u32,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    latency: Option<String>,
    #[serde(default)]
    boot: bool,
    /// A price list's text.
    #[serde(default)]
    prices: Option<String>,
    /// What the rows were read from, for the summary.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The day, e.g. `2026-01-31`, for the summary.
    #[serde(default)]
    pub today: String,
    /// Rows of the input, for the summary.
    #[serde(default)]
    pub rows: Option<u64>,
}

fn one() -> u32 {
    1
}

fn most_rows() -> u64 {
    MOST_ROWS
}

/// What decides a fleet's margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MarginChoice {
    /// It is stated.
    Margin(Margin),
    /// The chance that a volume needs more, in millionths.
    Risk(u32),
}

/// What may be bought where.
#[derive(Debug)]
pub struct OfferSource {
    /// The catalogue, with own prices.
    pub catalogue: Catalogue,
    /// What is on offer.
    pub market: Market,
}

impl Question {
    /// From JSON.
    ///
    /// # Errors
    /// When a key is not known.
    pub fn of_text(text: &str) -> Result<Self, Refusal> {
        serde_json::from_str(text).map_err(|error| Refusal::caused_by("a question", error))
    }

    /// Where it is bought.
    pub fn region(&self) -> &str {
        &self.region
    }

    /// How long an I/O may wait, in seconds, and what share may wait longer, in millionths.
    ///
    /// # Errors
    /// When the words are no time or share.
    pub fn lateness(&self) -> Result<(f64, u64), Refusal> {
        let wait = typed::<Nanos>("--wait", self.wait.as_deref().unwrap_or("1s"), "a time, e.g. 1s")?;
        let late = typed::<Share>("--late", self.late.as_deref().unwrap_or("0.1%"), "a share, e.g. 0.1%")?;
        Ok((wait.as_seconds(), (late.0 * 1e6).round() as u64))
    }

    /// What decides the fleet's margin.
    ///
    /// # Errors
    /// When it is no margin or share.
    pub fn margin(&self) -> Result<MarginChoice, Refusal> {
        let Some(factor) = self.margin else {
            let risk =
                typed::<Share>("--risk", self.risk.as_deref().unwrap_or("10%"), "a share, e.g. 10%")?.0;
            return Ok(MarginChoice::Risk((risk * 1e6).round() as u32));
        };
        if !(0.5..=100.0).contains(&factor) {
            return Err(Refusal::new("a margin", format!("{factor} is not a valid margin"))
                .at("--margin")
                .or("give a factor from 0.5 to 100, e.g. 1.3"));
        }
        let thousandths = (factor * 1000.0).round() as u32;
        let is_usual = thousandths == USUAL.thousandths();
        Ok(MarginChoice::Margin(if is_usual { USUAL } else { Margin::Uncalibrated { thousandths } }))
    }

    /// What is read of a stream, after so many halvings of the share of the volumes.
    ///
    /// # Errors
    /// When its values are neither rates nor counts.
    pub fn reading(&self, halvings: u32) -> Result<StreamOptions<'_>, Refusal> {
        let values = match self.values.as_deref() {
            None => None,
            Some("per-second") => Some(Values::PerSecond),
            Some("per-row") => Some(Values::PerRow),
            Some(other) => {
                return Err(Refusal::new("what values are", format!("unknown value {other:?}"))
                    .at("--values")
                    .or("say per-second or per-row"));
            }
        };
        let hints = Hints { columns: &self.columns, values, ..Hints::default() };
        Ok(StreamOptions { hints, halvings, most_rows: self.max_rows, keeps_going: self.keep_going })
    }

    /// Widest stripe.
    ///
    /// # Errors
    /// When it is not from 1 to 8.
    pub fn stripes(&self) -> Result<u32, Refusal> {
        if (1..=8).contains(&self.stripes) {
            return Ok(self.stripes);
        }
        let cause = format!("{} is not a valid number of volumes in a stripe", self.stripes);
        Err(Refusal::new("a stripe", cause).at("--stripes").or("give a number from 1 to 8"))
    }

    /// Size of volumes whose rows state none, in GiB.
    ///
    /// # Errors
    /// When the words are no size.
    pub fn size_gib(&self) -> Result<Option<u64>, Refusal> {
        let size = self.size.as_deref().map(|text| typed::<Bytes>("--size", text, "a size, e.g. 1TiB"));
        Ok(size.transpose()?.map(|bytes| bytes.0.div_ceil(1 << 30).max(1)))
    }

    /// What is on offer, once what holds for all volumes is known to make sense.
    ///
    /// # Errors
    /// When a region, a type, an instance, a price or today's volume makes no sense.
    pub fn offered(&self) -> Result<OfferSource, Refusal> {
        let broken = |error: fathom_sizing::catalogue::CatalogueError| {
            let place = error.place.clone();
            Refusal::new("a price list", error.cause.clone())
                .at(place)
                .or("put that row right")
                .with_source(error)
        };
        let mut catalogue = Catalogue::built_in().map_err(broken)?;
        if let Some(text) = &self.prices {
            let own = Prices::read("prices", &price_list(text)?).map_err(broken)?;
            catalogue.prices = catalogue.prices.after(own);
        }
        check_region(&catalogue, &self.region)?;
        let latency =
            self.latency.as_deref().map(|text| typed::<Nanos>("--latency", text, "a time, e.g. 2ms"));
        let latency_ns = latency.transpose()?.map(|latency| latency.0);
        let wanted = OfferRequirements { types: self.types.clone(), latency_ns, boots: self.boot };
        let market = market(&catalogue, &self.region, wanted)?;
        let is_known = |name: &str| catalogue.instance(name).is_some() || market.behind(name).is_some();
        if let Some(name) = self.instance.as_deref().filter(|name| !is_known(name)) {
            let remedy = match catalogue.similar_instances(name).as_slice() {
                [] => "leave it out to size the volumes alone".to_owned(),
                known => format!("known of that family: {}", known.join(", ")),
            };
            let cause = format!("the catalogue has no {name}");
            return Err(Refusal::new("an instance", cause).at("--instance").or(remedy));
        }
        if let Some(text) = &self.current {
            current(&market, self.size_gib()?.unwrap_or(1024), text)?;
        }
        Ok(OfferSource { catalogue, market })
    }
}

fn typed<T: FromStr>(flag: &str, text: &str, form: &'static str) -> Result<T, Refusal> {
    let refused =
        |_| Refusal::new(form, format!("{text:?} is not {form}")).at(flag).or(format!("type {form}"));
    text.parse().map_err(refused)
}
