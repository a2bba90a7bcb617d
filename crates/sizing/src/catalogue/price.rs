//! Prices of volumes by region: components with marginal tiers, from the catalogue or the user's own file.

use super::csv_rows::{self, CatalogueError, Row};
use crate::money::Money;

/// What a price is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// A GB (10^9 or 2^30 bytes: providers bill GiB under this name) for a month.
    Capacity,
    /// An I/O a second for a month.
    Iops,
    /// A MiB/s (AWS) or MB/s (Azure) for a month.
    Throughput,
    /// A whole disk of a fixed size for a month.
    Disk,
}

/// One tier of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// Provider, as `AWS`.
    pub provider: String,
    /// Region, as `eu-central-1`.
    pub region: String,
    /// Type of volume, e.g. `gp3`.
    pub volume: String,
    /// What for.
    pub component: Component,
    /// First unit that it holds for; units below are free or in another tier.
    pub tier_from: u64,
    /// Last unit that it holds for.
    pub tier_to: u64,
    /// Billionths of the currency a unit and month.
    pub nanos: u64,
    /// Currency, as `USD`.
    pub currency: String,
    /// Day that it is of.
    pub as_of: String,
    /// How sure: `high`, `medium`, `low`, or `own` from a user's file.
    pub confidence: String,
    /// Key of its source, or the user's file.
    pub source: String,
}

/// A list of prices.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    prices: Vec<Price>,
}

impl Prices {
    /// Reads a price list: the columns of `catalog/prices.csv`, of which provider, region, type,
    /// component and price are required.
    ///
    /// # Errors
    /// When a row makes no sense; the error names its line.
    pub fn read(file: &str, text: &str) -> Result<Self, CatalogueError> {
        let rows = csv_rows::read(file, text, |row| price(file, row))?;
        Ok(Self { prices: rows.into_iter().flatten().collect() })
    }

    /// The user's own prices before these: a type that the user prices in a region is priced by the user alone.
    #[must_use]
    pub fn after(self, own: Self) -> Self {
        let theirs = |price: &Price| {
            own.prices.iter().any(|mine| mine.region == price.region && mine.volume == price.volume)
        };
        let rest: Vec<Price> = self.prices.into_iter().filter(|price| !theirs(price)).collect();
        Self { prices: own.prices.into_iter().chain(rest).collect() }
    }

    /// All rows.
    pub fn rows(&self) -> &[Price] {
        &self.prices
    }

    /// Rows of one type in one region.
    pub fn of<'a>(&'a self, region: &'a str, volume: &'a str) -> impl Iterator<Item = &'a Price> {
        self.prices.iter().filter(move |price| price.region == region && price.volume == volume)
    }

    /// Whether a type has a price in a region.
    pub fn knows(&self, region: &str, volume: &str) -> bool {
        self.of(region, volume).any(|price| price.component == Component::Capacity)
    }

    /// Whether a disk of a fixed size has a price in a region.
    pub fn sells_disk(&self, region: &str, volume: &str) -> bool {
        self.of(region, volume).any(|price| price.component == Component::Disk)
    }

    /// Regions with any price, sorted.
    pub fn regions(&self) -> Vec<&str> {
        let mut regions: Vec<&str> = self.prices.iter().map(|price| price.region.as_str()).collect();
        regions.sort_unstable();
        regions.dedup();
        regions
    }

    /// A month of so many units of one component of a type in a region.
    pub fn month(&self, region: &str, volume: &str, component: Component, units: u64) -> Money {
        month(self.of(region, volume), component, units)
    }
}

/// A month of so many units of one component: each tier's price for the units inside it.
pub(super) fn month<'a>(tiers: impl Iterator<Item = &'a Price>, component: Component, units: u64) -> Money {
    let tiers = tiers.filter(|price| price.component == component);
    tiers.map(|tier| Money::of(tier.units(units), tier.nanos)).sum()
}

impl Price {
    /// How many of so many units lie in this tier.
    fn units(&self, units: u64) -> u64 {
        (units.min(self.tier_to) + 1).saturating_sub(self.tier_from.max(1))
    }
}

/// A row; `None` for components that no offer is priced by, as snapshots are.
fn price(file: &str, row: &Row<'_>) -> Result<Option<Price>, CatalogueError> {
    let component = match row.required("component")? {
        "capacity" => Component::Capacity,
        "iops" => Component::Iops,
        "throughput" => Component::Throughput,
        "disk" => Component::Disk,
        _ => return Ok(None),
    };
    let unit = row.text("unit");
    if !unit.is_empty() && !unit.ends_with("-month") {
        return Ok(None);
    }
    let price = row.number("price")?.ok_or_else(|| row.wrong("no price"))?;
    if price >= 1e6 {
        return Err(row.wrong(format!("{price} per unit and month is not a valid price")));
    }
    let or = |column: &str, otherwise: &str| match row.text(column) {
        "" => otherwise.to_owned(),
        text => text.to_owned(),
    };
    Ok(Some(Price {
        provider: row.required("provider")?.to_owned(),
        region: row.required("region")?.to_owned(),
        volume: row.required("type")?.to_owned(),
        component,
        tier_from: row.whole("tier_from")?.unwrap_or(0),
        tier_to: row.whole("tier_to")?.unwrap_or(u64::MAX - 1),
        nanos: (price * 1e9).round() as u64,
        currency: or("currency", "USD"),
        as_of: or("as_of", "undated"),
        confidence: or("confidence", "own"),
        source: or("source", file),
    }))
}
