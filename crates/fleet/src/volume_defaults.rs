//! What is known of volumes beside their rows: instance types by their names, and what holds for volumes whose rows do
//! not say.

use std::collections::HashMap;

use fathom_sizing::offer::Limits;
use fathom_sizing::{Catalogue, Market};

/// What is known of every volume.
#[derive(Clone, Debug)]
pub struct VolumeDefaults<'a> {
    /// What is on offer.
    pub market: &'a Market,
    /// Size of volumes whose rows state none, in GiB.
    pub size_gib: Option<u64>,
    /// What volumes are today whose rows do not say.
    pub current: Option<&'a str>,
    /// The instance of volumes whose rows name none.
    pub instance: Option<&'a str>,
    /// Limits of instance types; those of a type without any are not published.
    instances: HashMap<&'a str, Option<Limits>>,
}

impl<'a> VolumeDefaults<'a> {
    /// The catalogue, and nothing that holds for all volumes.
    pub fn new(catalogue: &'a Catalogue, market: &'a Market) -> Self {
        let instances = catalogue.instances.iter().map(|instance| (instance.name.as_str(), instance.ebs));
        Self { market, size_gib: None, current: None, instance: None, instances: instances.collect() }
    }

    /// What an instance lets through; absent without one.
    ///
    /// # Errors
    /// When the catalogue has none of that name, in words.
    pub(crate) fn limits(&self, instance: Option<&str>) -> Result<Option<Limits>, String> {
        let Some(name) = instance else { return Ok(None) };
        let known = self.instances.get(name);
        known.copied().ok_or_else(|| format!("the catalogue has no instance type {name}"))
    }
}
