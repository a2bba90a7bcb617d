//! The catalogue: dated and sourced limits and prices, built into the program, and the user's own prices.

use std::sync::Arc;

mod csv_rows;
mod fact_sources;
mod instance;
mod kind;
mod machine_types;
mod market;
mod offer_requirements;
mod price;
mod volume;

pub use csv_rows::{CatalogueError, CatalogueErrorKind};
pub use fact_sources::{Source, Sources};
pub use instance::{Instance, LocalDisks};
pub use machine_types::{Caps, Machines};
pub use market::{Family, Line, Market};
pub use offer_requirements::{ExcludedType, OfferRequirements};
pub use price::{Component, Price, Prices};
pub use volume::{Fact, Volumes};

const INSTANCES: &str = include_str!("../../../../catalog/instances.csv");
const MACHINES: &str = include_str!("../../../../catalog/machines.csv");
const VOLUMES: &str = include_str!("../../../../catalog/volumes.csv");
const PRICES: &str = include_str!("../../../../catalog/prices.csv");
const SOURCES: &str = include_str!("../../../../catalog/sources.csv");

/// Everything that is known of what can be bought.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Types of instances, by name.
    pub instances: Vec<Instance>,
    /// Limits of machines on each type of volume by itself.
    pub machines: Arc<Machines>,
    /// Facts about types of volumes.
    pub volumes: Volumes,
    /// Prices of volumes by region.
    pub prices: Prices,
    /// Where each row is from.
    pub sources: Sources,
}

impl Catalogue {
    /// The catalogue of this build.
    ///
    /// # Errors
    /// When a file of the build is damaged, which a test excludes.
    pub fn built_in() -> Result<Self, CatalogueError> {
        Ok(Self {
            instances: instance::read(INSTANCES)?,
            machines: Arc::new(Machines::read(MACHINES)?),
            volumes: Volumes::read(VOLUMES)?,
            prices: Prices::read("prices.csv", PRICES)?,
            sources: Sources::read(SOURCES)?,
        })
    }

    /// A number that two builds share only if their catalogues are the same.
    pub fn built_in_hash() -> u64 {
        let texts = [INSTANCES, MACHINES, VOLUMES, PRICES, SOURCES];
        crate::fleet_volumes::hash(texts.join("\0").as_bytes())
    }

    /// An instance type by its name.
    pub fn instance(&self, name: &str) -> Option<&Instance> {
        self.instances.iter().find(|instance| instance.name == name)
    }

    /// Instance types whose names are nearest to one that is not known, for an error's advice.
    pub fn similar_instances(&self, name: &str) -> Vec<&str> {
        let family = name.split('.').next().unwrap_or(name);
        let known = self.instances.iter().map(|instance| instance.name.as_str());
        known.filter(|known| known.split('.').next() == Some(family)).collect()
    }
}
