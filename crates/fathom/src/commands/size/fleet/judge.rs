//! What is done with a fleet's volumes: how each one's requirement grew, and each one's verdict.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use fathom_interop::demand::Values;
use fathom_interop::fleet::Run;
use fathom_record::fleet::FleetRow;
use fathom_sizing::fleet::{Asked, Sample, Volume, growth, hash, horizon_s, row, unjudged, verdict};
use fathom_sizing::offer::Limits;
use fathom_sizing::{Catalogue, Market};

use super::super::current;
use super::pass::Work;

/// A volume's growth.
pub struct Grown {
    /// Of its name.
    pub hash: u64,
    /// In thousandths.
    pub growth: u32,
    /// Half of its history.
    pub horizon_s: u64,
}

/// How requirements grew, of a sample of the volumes.
pub struct Growths<'a> {
    asked: Asked<'a>,
    halvings: AtomicU32,
}

impl<'a> Growths<'a> {
    /// Of all volumes so far.
    pub fn new(asked: Asked<'a>) -> Self {
        Self { asked, halvings: AtomicU32::new(0) }
    }

    /// Reads no more volumes than the sample takes after so many halvings.
    pub fn halve(&self, halvings: u32) {
        self.halvings.store(halvings, Ordering::Relaxed);
    }
}

impl Work for Growths<'_> {
    type Found = Option<Grown>;

    fn wants(&self, hash: u64) -> bool {
        Sample::holds(hash, self.halvings.load(Ordering::Relaxed))
    }

    fn judge(&self, mut run: Run, values: Values) -> Option<Grown> {
        if run.intervals.is_empty() {
            return None;
        }
        let hash = hash(run.volume.as_bytes());
        let demand = run.demand(values).ok()?.demand;
        let growth = growth(&demand, self.asked.patience(demand.tick_s))?;
        Some(Grown { hash, growth, horizon_s: horizon_s(&demand) })
    }
}

/// What is known of volumes beside their rows.
pub struct Known<'a> {
    market: &'a Market,
    /// Limits of instance types; a type without is not in the catalogue.
    instances: HashMap<&'a str, Option<Limits>>,
    size_gib: Option<u64>,
    current: Option<&'a str>,
    instance: Option<&'a str>,
}

impl<'a> Known<'a> {
    /// The catalogue, and what holds for volumes whose rows do not say.
    pub fn new(
        catalogue: &'a Catalogue,
        market: &'a Market,
        size_gib: Option<u64>,
        current: Option<&'a str>,
        instance: Option<&'a str>,
    ) -> Self {
        let instances = catalogue.instances.iter().map(|instance| (instance.name.as_str(), instance.ebs));
        Self { market, instances: instances.collect(), size_gib, current, instance }
    }
}

/// Verdicts.
pub struct Verdicts<'a> {
    /// What is asked.
    pub asked: Asked<'a>,
    /// What is known.
    pub known: &'a Known<'a>,
}

impl Work for Verdicts<'_> {
    type Found = FleetRow;

    fn wants(&self, _hash: u64) -> bool {
        true
    }

    fn judge(&self, mut run: Run, values: Values) -> FleetRow {
        let judged = self.judged(&mut run, values);
        judged.unwrap_or_else(|reason| unjudged(&run.volume, &reason))
    }
}

impl Verdicts<'_> {
    fn judged(&self, run: &mut Run, values: Values) -> Result<FleetRow, String> {
        let seen = run.demand(values).map_err(|refusal| refusal.cause)?;
        let known = self.known;
        let in_table = run.size_gib.filter(|gib| (0.0..1e9).contains(gib)).map(|gib| gib.ceil() as u64);
        let size_gib = in_table.filter(|gib| *gib > 0).or(known.size_gib);
        let words = if run.current.is_empty() { known.current } else { Some(run.current.as_str()) };
        // Where nobody else knows the size, the words of what it is today may.
        let offer = words.map(|words| current(known.market, size_gib.unwrap_or(0), words));
        let offer = offer.transpose().map_err(|failure| format!("what it is today: {}", failure.cause))?;
        let size_gib = size_gib
            .or(offer.as_ref().map(|offer| offer.each.size_gib))
            .ok_or("its size is not known: give a column size (GiB), or --size for all")?;
        let named = if run.instance.is_empty() { known.instance } else { Some(run.instance.as_str()) };
        let instance = match named {
            None => None,
            Some(name) => *known
                .instances
                .get(name)
                .ok_or_else(|| format!("the catalogue has no instance type {name}"))?,
        };
        let volume = Volume { demand: &seen.demand, size_gib, current: offer.as_ref(), instance };
        Ok(row(&run.volume, &volume, &verdict(&self.asked, &volume)))
    }
}
