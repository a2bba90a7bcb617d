//! What an instance lets through beside what its volumes have bought and what they did together.

use std::collections::{BTreeMap, HashMap};

use fathom_order::InOrder;
use fathom_record::account_record::AtInstance;
use fathom_rows::{Interval, Values, of_intervals};
use fathom_sizing::choice::OfferJudge;
use fathom_sizing::fleet_volumes::headroom;
use fathom_sizing::offer::Settings;
use fathom_sizing::requirement::{Precision, requirement};
use fathom_sizing::{Limits, Offer, StorageRequirement};

use super::AccountTerms;

/// Instances whose volumes are looked at together: the rows of one come one after the other.
#[derive(Debug)]
pub struct InstancePass<'a> {
    terms: AccountTerms<'a>,
    bought: BTreeMap<&'a str, BoughtTotals>,
    /// The instance whose rows are coming, and what all of its volumes did by time.
    open: Option<(String, BTreeMap<i64, Interval>)>,
    found: Vec<AtInstance>,
    done: HashMap<String, CombinedPeak>,
}

/// What an instance's volumes have bought.
#[derive(Clone, Copy, Debug, Default)]
struct BoughtTotals {
    volumes: u64,
    iops: u64,
    bytes_per_s: u64,
    /// Whether fewer I/Os a second of one of them would cost less.
    pays_iops: bool,
    /// Bytes a second of those of which fewer would cost less: with others they come with the I/Os or the size.
    paid_bytes_per_s: u64,
}

/// What its volumes did together.
#[derive(Clone, Copy, Debug)]
struct CombinedPeak {
    iops: u64,
    bytes_per_s: u64,
    headroom: u32,
}

impl<'a> InstancePass<'a> {
    pub fn new(terms: AccountTerms<'a>, offers: &BTreeMap<&'a str, Offer>) -> Self {
        let mut bought: BTreeMap<&str, BoughtTotals> = BTreeMap::new();
        for (volume, offer) in offers {
            let Some(instance) = terms.inventory.holder(volume) else { continue };
            let of = bought.entry(instance).or_default();
            of.volumes += 1;
            of.iops += offer.each.iops;
            of.bytes_per_s += offer.each.bytes_per_s;
            let costs_less = |settings: Settings| {
                let least = terms.market.configured(&offer.volume, settings);
                least.is_some_and(|least| least.month < offer.month)
            };
            of.pays_iops |= costs_less(Settings { iops: 0, ..offer.each });
            if costs_less(Settings { bytes_per_s: 0, ..offer.each }) {
                of.paid_bytes_per_s += offer.each.bytes_per_s;
            }
        }
        Self { terms, bought, open: None, found: Vec::new(), done: HashMap::new() }
    }

    /// Adds what a volume did to what the others of its instance did at the same times.
    pub fn put(&mut self, instance: &str, series: &[Interval]) {
        if self.open.as_ref().is_none_or(|(open, _)| open != instance) {
            self.close();
            self.open = Some((instance.to_owned(), BTreeMap::new()));
        }
        let Some((_, together)) = &mut self.open else { return };
        for one in series {
            let sum =
                together.entry(one.end_ns).or_insert(Interval { end_ns: one.end_ns, ..Interval::default() });
            sum.reads += one.reads;
            sum.writes += one.writes;
            sum.read_bytes += one.read_bytes;
            sum.write_bytes += one.write_bytes;
        }
    }

    fn close(&mut self) {
        let Some((instance, together)) = self.open.take() else { return };
        let Some(limits) = self.limits(&instance) else { return };
        let Ok(seen) = of_intervals(together.into_values().collect(), Values::PerRow) else { return };
        let demand = &seen.demand;
        if demand.read.is_empty() && demand.write.is_empty() {
            return;
        }
        let patience = self.terms.asked.patience(demand.tick_s);
        let needs = requirement(demand, patience, Precision::Margin);
        let mut judge = OfferJudge::new(StorageRequirement { demand, size_gib: 1, patience, instance: None });
        let headroom = headroom(&mut judge, &limits);
        let together =
            CombinedPeak { iops: needs.operations_per_s, bytes_per_s: needs.bytes_per_s, headroom };
        self.done.insert(instance, together);
    }

    fn limits(&self, instance: &str) -> Option<Limits> {
        let instance = self.terms.inventory.instance(instance)?;
        self.terms.catalogue.instance(&instance.instance_type)?.ebs
    }

    /// The instances of which something has to be said, the furthest beyond their limits first.
    pub fn finish(mut self) -> Vec<AtInstance> {
        self.close();
        for (id, bought) in std::mem::take(&mut self.bought) {
            let found = self.found(id, bought);
            self.found.extend(found);
        }
        let beyond = |at: &AtInstance| at.bought_iops as f64 / at.most_iops.max(1) as f64;
        self.found.put_in_order_by(|a, b| {
            beyond(b).total_cmp(&beyond(a)).then_with(|| a.instance.cmp(&b.instance))
        });
        self.found
    }

    fn found(&self, id: &str, bought: BoughtTotals) -> Option<AtInstance> {
        let limits = self.limits(id)?;
        let instance = self.terms.inventory.instance(id)?;
        let together = self.done.get(id);
        let (most_iops, most_bytes) = (limits.operations.peak_per_s, limits.bytes.peak_per_s);
        let mut finding = Vec::new();
        if bought.pays_iops && bought.iops > most_iops {
            finding.push(format!(
                "its volumes have bought {} IOPS more than it ever lets through",
                bought.iops - most_iops
            ));
        }
        if bought.paid_bytes_per_s > most_bytes {
            finding.push(format!(
                "its volumes have bought {} MiB/s more than it ever lets through",
                (bought.paid_bytes_per_s - most_bytes) >> 20
            ));
        }
        if together.is_some_and(|together| together.headroom < 1000) {
            finding.push("what its volumes did together is more than it sustains: a larger instance, not larger volumes".to_owned());
        }
        (!finding.is_empty()).then(|| AtInstance {
            instance: id.to_owned(),
            name: instance.name().map(str::to_owned),
            instance_type: instance.instance_type.clone(),
            volumes: bought.volumes,
            bought_iops: bought.iops,
            bought_bytes_per_s: bought.bytes_per_s,
            most_iops,
            most_bytes_per_s: most_bytes,
            needs_iops: together.map(|together| together.iops),
            needs_bytes_per_s: together.map(|together| together.bytes_per_s),
            headroom: together.map(|together| f64::from(together.headroom) / 1e3),
            finding: finding.join("; "),
        })
    }
}
