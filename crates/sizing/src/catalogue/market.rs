//! Types of volumes as families of offers, by the formulas of the providers' guides.
//!
//! Sources: EBS user guide (gp3, io2 as of 2025-10), EC2 user guide archive of 2023-06-15 (gp2, st1, sc1,
//! io1), Azure's "Managed disk types" (2026-08-11) and "Managed disk bursting" (2025-01-14), Compute Engine's pages on each
//! type of Hyperdisk and on Persistent Disk performance (2024 to 2026); the numbers themselves are rows of
//! `catalog/volumes.csv`. What nobody gives a price of in a region is not sold there. A family is a set of lines; along a
//! line every limit and the price only grow, so that the first offer that holds is the line's cheapest.

use std::sync::Arc;

use super::kind::{ChoiceBasis, Facts, KINDS, Tier, VolumeKind};
use super::machine_types::{Caps, Machines};
use super::offer_requirements::{ExcludedType, OfferRequirements};
use super::price::{self, Price};
use super::{Catalogue, Component, Fact};
use crate::money::Money;
use crate::offer::{Limits, Offer, Settings};
use crate::shaper::Shaper;

const MIB: u64 = 1 << 20;
/// I/Os a second between two offers of a line: what a person would type.
const IOPS_STEP: u64 = 100;
/// Throughput between two lines, in MiB/s or MB/s.
const THROUGHPUT_STEP: u64 = 5;
/// Size between two offers where size is what is bought, in GiB.
const SIZE_STEP: u64 = 1;

/// One type of volume, in stripes of one width, for one size.
#[derive(Clone, Debug)]
pub struct Family {
    sold: Arc<RegionalOffer>,
    members: u32,
    /// Of each member.
    size_gib: u64,
}

/// Every type of volume that a region sells, with limits and prices looked up once for many questions.
#[derive(Clone, Debug)]
pub struct Market {
    sold: Vec<Arc<RegionalOffer>>,
    wanted: OfferRequirements,
    /// Types that are offered for no demand.
    left_out: Vec<ExcludedType>,
    machines: Arc<Machines>,
    /// The machine that everything lies behind, with the key of its limits' source.
    machine: Option<(String, String)>,
}

/// One type of volume as a region sells it.
#[derive(Clone, Debug)]
struct RegionalOffer {
    kind: VolumeKind,
    facts: Facts,
    prices: Vec<Price>,
    /// Its sizes, of a type that is sold in fixed ones.
    tiers: Vec<Tier>,
    /// What the machine lets through to all volumes of the type, where it limits each type by itself.
    caps: Option<Caps>,
}

/// Offers with one throughput, or with none to choose; limits and price grow along it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    family: &'a Family,
    /// MiB/s, or MB/s, bought for each member, where it is bought.
    throughput: u64,
    /// What is chosen of it at its start, and how much more from one offer to the next.
    least: u64,
    step: u64,
    len: usize,
}

impl Market {
    /// What a region sells.
    pub fn of(catalogue: &Catalogue, region: &str) -> Self {
        let sold = KINDS.into_iter().filter_map(|kind| {
            let tiers = Tier::priced(catalogue, region, kind);
            let facts = match kind {
                VolumeKind::Premium => Facts::of_tiers(&tiers)?,
                _ if kind.is_sold(catalogue, region) => Facts::of(catalogue, kind)?,
                _ => return None,
            };
            let names = std::iter::once(kind.name()).chain(tiers.iter().map(|tier| tier.name.as_str()));
            let prices = names.flat_map(|name| catalogue.prices.of(region, name)).cloned().collect();
            Some(Arc::new(RegionalOffer { kind, facts, prices, tiers, caps: None }))
        });
        Self {
            sold: sold.collect(),
            wanted: OfferRequirements::default(),
            left_out: Vec::new(),
            machines: Arc::clone(&catalogue.machines),
            machine: None,
        }
    }

    /// The same market for a machine that limits each type of volume by itself; `None` where no such limits are known of it
    /// for anything that is sold here. Types without such limits are not offered.
    pub fn behind(&self, machine: &str) -> Option<Self> {
        let caps = |sold: &Arc<RegionalOffer>| self.machines.caps(machine, sold.kind.name());
        let source = self.sold.iter().find_map(caps)?.source.clone();
        let mut left_out = self.left_out.clone();
        let sold = self.sold.iter().map(|sold| {
            let volume = sold.kind.name();
            let Some(caps) = caps(sold) else {
                if left_out.iter().all(|left| left.volume != volume) {
                    let reason = format!("what {machine} lets through to it is not known");
                    left_out.push(ExcludedType { volume, reason });
                }
                return Arc::clone(sold);
            };
            Arc::new(RegionalOffer { caps: Some(caps.clone()), ..RegionalOffer::clone(sold) })
        });
        let sold = sold.collect();
        let machine = Some((machine.to_owned(), source));
        Some(Self { sold, left_out, machine, ..self.clone() })
    }

    /// The machine that it is for, and the key of its limits' source, where it is for one.
    pub fn machine(&self) -> Option<(&str, &str)> {
        self.machine.as_ref().map(|(name, source)| (name.as_str(), source.as_str()))
    }

    /// The same market with only some types to offer. What is in use today may be of any.
    #[must_use]
    pub fn only(self, catalogue: &Catalogue, wanted: OfferRequirements) -> Self {
        let reason = |kind: VolumeKind| wanted.refuses(kind.name(), kind.facts(), &catalogue.volumes);
        let left_out = self.sold.iter().filter_map(|sold| {
            reason(sold.kind).map(|reason| ExcludedType { volume: sold.kind.name(), reason })
        });
        Self { left_out: left_out.collect(), wanted, ..self }
    }

    /// What is documented of the latency of the types that are sold, where a latency was asked for.
    pub fn latencies<'a>(
        &'a self,
        catalogue: &'a Catalogue,
    ) -> impl Iterator<Item = (&'static str, &'a Fact)> {
        let asked = self.sold.iter().filter(|_| self.wanted.latency_ns.is_some());
        asked.filter_map(|sold| {
            Some((sold.kind.name(), catalogue.volumes.fact(sold.kind.facts(), "latency_below")?))
        })
    }

    /// Types that are sold, in the order in which they are tried.
    pub fn types(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.sold.iter().map(|sold| sold.kind.name())
    }

    /// Types that are sold and not offered for a demand that is sequential or not, with the reasons.
    pub fn left_out(&self, sequential: bool) -> Vec<ExcludedType> {
        let reason = |sold: &Arc<RegionalOffer>| {
            let volume = sold.kind.name();
            let known = self.left_out.iter().find(|left| left.volume == volume).cloned();
            known.or_else(|| self.seeks(sold, sequential).map(|reason| ExcludedType { volume, reason }))
        };
        self.sold.iter().filter_map(reason).collect()
    }

    fn seeks(&self, sold: &RegionalOffer, sequential: bool) -> Option<String> {
        sold.kind.seeks().then(|| self.wanted.refuses_seeks(sold.kind.name(), sequential))?
    }

    /// Every family that can hold so many GiB and is offered for a demand that is sequential or not, with stripes
    /// of 1 to `stripes` members.
    pub fn families(&self, gib: u64, stripes: u32, sequential: bool) -> Vec<Family> {
        let offered = |sold: &&Arc<RegionalOffer>| {
            let left_out = self.left_out.iter().any(|left| left.volume == sold.kind.name());
            !left_out && self.seeks(sold, sequential).is_none()
        };
        let offered = self.sold.iter().filter(offered);
        let widest = |sold: &Arc<RegionalOffer>| if sold.kind.shares_rates() { 1 } else { stripes.max(1) };
        let wide = offered.flat_map(|sold| (1..=widest(sold)).map(move |members| (sold, members)));
        wide.filter_map(|(sold, members)| Family::new(sold, members, gib)).collect()
    }

    /// One volume with given settings, as it is in use somewhere; `None` for a type that is not known or
    /// not priced in the region, or settings that it cannot have.
    pub fn configured(&self, volume: &str, settings: Settings) -> Option<Offer> {
        let (sold, tier) = self.named(volume)?;
        let family = Family::new(sold, 1, tier.map_or(settings.size_gib, |tier| tier.each.size_gib))?;
        let throughput = settings.bytes_per_s.div_ceil(sold.kind.megabyte());
        let line = family.line(throughput.max(family.facts().baseline_throughput));
        let amount = match sold.kind.chosen_by() {
            ChoiceBasis::Operations => settings.iops.clamp(family.least_iops(0), family.facts().max_iops),
            ChoiceBasis::Throughput => {
                throughput.max(family.least_throughput()).min(family.facts().max_throughput)
            }
            ChoiceBasis::Size => settings.size_gib,
            ChoiceBasis::Tier => 0,
        };
        Some(line.made(line.with(amount)))
    }

    /// Bytes of what the throughput of a type is stated in: MB on Azure, MiB elsewhere.
    pub fn megabyte(&self, volume: &str) -> u64 {
        self.named(volume).map_or(MIB, |(sold, _)| sold.kind.megabyte())
    }

    /// A type by its name, or by that of one of its sizes.
    fn named(&self, volume: &str) -> Option<(&Arc<RegionalOffer>, Option<&Tier>)> {
        self.sold.iter().find_map(|sold| {
            let tier = sold.tiers.iter().find(|tier| tier.name == volume);
            (tier.is_some() || sold.kind.name() == volume).then_some((sold, tier))
        })
    }
}

impl Catalogue {
    /// As [`Market::families`], for one question; all types.
    pub fn families(&self, region: &str, gib: u64, stripes: u32) -> Vec<Family> {
        Market::of(self, region).families(gib, stripes, true)
    }

    /// Regions in which a type of volume is sold, sorted.
    pub fn regions(&self) -> Vec<&str> {
        let sold = |region: &&str| KINDS.iter().any(|kind| kind.is_sold(self, region));
        self.prices.regions().into_iter().filter(sold).collect()
    }

    /// As [`Market::configured`], for one question.
    pub fn configured(&self, region: &str, volume: &str, settings: Settings) -> Option<Offer> {
        Market::of(self, region).configured(volume, settings)
    }
}

impl Family {
    fn new(sold: &Arc<RegionalOffer>, members: u32, gib: u64) -> Option<Self> {
        let size_gib = gib.div_ceil(u64::from(members)).max(sold.facts.min_size);
        (size_gib <= sold.facts.max_size).then(|| Self { sold: Arc::clone(sold), members, size_gib })
    }

    /// Type of volume, e.g. `gp3`.
    pub fn volume(&self) -> &'static str {
        self.sold.kind.name()
    }

    /// Volumes in each stripe.
    pub fn members(&self) -> u32 {
        self.members
    }

    fn facts(&self) -> &Facts {
        &self.sold.facts
    }

    /// Lines by ascending throughput: each lets at least as much through as the one before.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> {
        let (least, most) = match self.sold.kind {
            VolumeKind::Gp3 | VolumeKind::PremiumV2 | VolumeKind::HyperdiskBalanced => {
                (self.facts().baseline_throughput, self.facts().max_throughput)
            }
            _ => (0, 0),
        };
        let lines = most.saturating_sub(least) / THROUGHPUT_STEP + 1;
        (0..usize::try_from(lines).unwrap_or(0)).map(move |at| self.line(least + at as u64 * THROUGHPUT_STEP))
    }

    fn line(&self, throughput: u64) -> Line<'_> {
        let (least, most, step) = match self.sold.kind.chosen_by() {
            ChoiceBasis::Operations => {
                let most = match self.sold.kind {
                    // So many I/Os a second want some throughput to be bought with them.
                    VolumeKind::HyperdiskBalanced => {
                        throughput.saturating_mul(self.facts().iops_per_throughput_max)
                    }
                    _ => u64::MAX,
                };
                (self.least_iops(throughput), self.facts().max_iops.min(most), IOPS_STEP)
            }
            ChoiceBasis::Throughput => {
                (self.least_throughput(), self.facts().max_throughput, THROUGHPUT_STEP)
            }
            ChoiceBasis::Size => (self.size_gib, self.facts().max_size, SIZE_STEP),
            ChoiceBasis::Tier => {
                return Line { family: self, throughput, least: 0, step: 1, len: self.tiers().len() };
            }
        };
        let len = (most + step).saturating_sub(least) / step;
        Line { family: self, throughput, least, step, len: usize::try_from(len).unwrap_or(0) }
    }

    /// The fixed sizes that hold what each member has to store.
    fn tiers(&self) -> &[Tier] {
        let tiers = &self.sold.tiers;
        &tiers[tiers.partition_point(|tier| tier.each.size_gib < self.size_gib)..]
    }

    /// Throughput has to be carried by I/Os: 4 for each MiB/s on gp3 and Hyperdisk Balanced, and for each MB/s on Premium SSD v2.
    fn least_iops(&self, throughput: u64) -> u64 {
        match self.sold.kind {
            VolumeKind::Gp3 | VolumeKind::PremiumV2 | VolumeKind::HyperdiskBalanced => {
                (throughput * 4).next_multiple_of(IOPS_STEP).max(self.facts().baseline_iops)
            }
            VolumeKind::HyperdiskExtreme => {
                let of_size = self.size_gib.saturating_mul(self.facts().iops_per_gib_min);
                of_size.next_multiple_of(IOPS_STEP).max(self.facts().min_iops).min(self.facts().max_iops)
            }
            _ => self.facts().min_iops,
        }
    }

    /// The least that has to be bought of it, in MiB/s, where throughput is all that is bought.
    fn least_throughput(&self) -> u64 {
        let of_size = (self.size_gib * self.facts().min_throughput_per_tib).div_ceil(1024);
        of_size.max(self.facts().min_throughput)
    }

    /// Rates without credits.
    fn plain(&self, settings: Settings) -> Limits {
        Limits {
            operations: Shaper::cap(settings.iops),
            bytes: Shaper::cap(settings.bytes_per_s),
            accounting: self.sold.kind.accounting(),
        }
    }

    fn price(&self, settings: Settings, throughput: u64) -> Money {
        let month = |component, units| price::month(self.sold.prices.iter(), component, units);
        let one = match self.sold.kind {
            VolumeKind::Gp3 | VolumeKind::PremiumV2 | VolumeKind::HyperdiskBalanced => {
                month(Component::Capacity, settings.size_gib)
                    + month(Component::Iops, settings.iops)
                    + month(Component::Throughput, throughput)
            }
            VolumeKind::Io1 | VolumeKind::Io2 | VolumeKind::HyperdiskExtreme => {
                month(Component::Capacity, settings.size_gib) + month(Component::Iops, settings.iops)
            }
            VolumeKind::HyperdiskThroughput => {
                month(Component::Capacity, settings.size_gib)
                    + month(Component::Throughput, settings.bytes_per_s / MIB)
            }
            VolumeKind::Gp2
            | VolumeKind::St1
            | VolumeKind::Sc1
            | VolumeKind::PdBalanced
            | VolumeKind::PdSsd
            | VolumeKind::PdStandard => month(Component::Capacity, settings.size_gib),
            VolumeKind::Premium => {
                let name = self.tier_of(settings).map_or("", |tier| tier.name.as_str());
                let of_size = self.sold.prices.iter().filter(|price| price.volume == name);
                price::month(of_size, Component::Disk, 1)
            }
        };
        one.times(u64::from(self.members))
    }

    fn tier_of(&self, settings: Settings) -> Option<&Tier> {
        self.sold.tiers.iter().find(|tier| tier.each.size_gib == settings.size_gib)
    }

    /// What all members let through together, behind the machine where it limits them.
    fn total(&self, each: Limits) -> Limits {
        let all = each.times(u64::from(self.members));
        self.sold.caps.as_ref().map_or(all, |caps| all.behind(caps.iops, caps.bytes_per_s))
    }

    fn offer(&self, settings: Settings, limits: Limits, throughput: u64) -> Offer {
        let tier = self.tier_of(settings).map(|tier| tier.name.as_str());
        Offer {
            provider: self.sold.kind.provider().to_owned(),
            volume: tier.unwrap_or(self.sold.kind.name()).to_owned(),
            members: self.members,
            each: settings,
            limits: self.total(limits),
            month: self.price(settings, throughput),
        }
    }
}

impl Line<'_> {
    /// Offers on it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One offer, by its place from the cheapest on.
    pub fn offer(&self, at: usize) -> Offer {
        self.made(self.place(at))
    }

    /// A month of one offer, as [`Self::offer`] has it.
    pub fn month(&self, at: usize) -> Money {
        self.family.price(self.place(at).0, self.throughput)
    }

    /// What one offer lets through, as [`Self::offer`] has it.
    pub fn limits(&self, at: usize) -> Limits {
        self.family.total(self.place(at).1)
    }

    fn made(&self, (settings, limits): (Settings, Limits)) -> Offer {
        self.family.offer(settings, limits, self.throughput)
    }

    /// What each member of an offer is and lets through.
    fn place(&self, at: usize) -> (Settings, Limits) {
        self.with(self.least + at as u64 * self.step)
    }

    /// The same of a member with so much of what its type is chosen by; of a fixed size, its place among them.
    fn with(&self, amount: u64) -> (Settings, Limits) {
        let kind = self.family.sold.kind;
        match kind.chosen_by() {
            ChoiceBasis::Operations => self.provisioned(amount),
            ChoiceBasis::Throughput => self.by_throughput(amount),
            ChoiceBasis::Size => match kind {
                VolumeKind::Gp2 => self.gp2(amount),
                VolumeKind::St1 | VolumeKind::Sc1 => self.disk(amount),
                _ => self.by_size(amount),
            },
            ChoiceBasis::Tier => {
                let tier = &self.family.tiers()[amount as usize];
                (tier.each, tier.limits)
            }
        }
    }

    /// I/Os a second are bought; they may need a larger volume to be had.
    fn provisioned(&self, iops: u64) -> (Settings, Limits) {
        let family = self.family;
        let given = match family.sold.kind {
            // Its smallest volumes have fewer I/Os a second than larger ones are given.
            VolumeKind::HyperdiskBalanced => 0,
            _ => family.facts().baseline_iops,
        };
        let size_gib = family.size_gib.max(size_for(iops, family.facts().iops_per_gib_max, given));
        let bytes_per_s = match family.sold.kind {
            kind @ (VolumeKind::Gp3 | VolumeKind::PremiumV2 | VolumeKind::HyperdiskBalanced) => {
                self.throughput * kind.megabyte()
            }
            VolumeKind::HyperdiskExtreme => (family.facts().max_throughput * MIB)
                .min(iops * MIB * family.facts().throughput_per_1000_iops / 1000),
            VolumeKind::Io1 if iops <= 32_000 => (500 * MIB).min(iops * (256 << 10)),
            VolumeKind::Io1 => (1000 * MIB).min((500 * MIB).max(iops * (16 << 10))),
            // 0.256 MiB/s for each I/O a second.
            _ => (family.facts().max_throughput * MIB).min(iops * MIB * 256 / 1000),
        };
        let settings = Settings { size_gib, iops, bytes_per_s };
        (settings, family.plain(settings))
    }

    /// Throughput is bought; it brings I/Os, and may need a larger volume to be had.
    fn by_throughput(&self, mib_per_s: u64) -> (Settings, Limits) {
        let family = self.family;
        let least = (mib_per_s * 1024).div_ceil(family.facts().throughput_per_tib_max.max(1));
        let settings = Settings {
            size_gib: family.size_gib.max(least),
            iops: mib_per_s * family.facts().iops_per_throughput,
            bytes_per_s: mib_per_s * MIB,
        };
        (settings, family.plain(settings))
    }

    /// I/Os a second and throughput grow with the size, from what every volume is given.
    fn by_size(&self, size_gib: u64) -> (Settings, Limits) {
        let facts = self.family.facts();
        let iops = facts.baseline_iops + size_gib * facts.iops_per_gib_hundredths / 100;
        let bytes =
            facts.baseline_throughput * MIB + size_gib * MIB * facts.throughput_per_gib_hundredths / 100;
        let settings = Settings {
            size_gib,
            iops: iops.min(facts.max_iops),
            bytes_per_s: bytes.min(facts.max_throughput * MIB),
        };
        (settings, self.family.plain(settings))
    }

    /// I/Os a second grow with the size, and credits let small volumes burst.
    fn gp2(&self, size_gib: u64) -> (Settings, Limits) {
        let family = self.family;
        let base = (size_gib * family.facts().baseline_iops_per_gib)
            .clamp(family.facts().min_baseline_iops, family.facts().max_iops);
        let peak = family.facts().burst_iops.max(base);
        let bucket = if base < peak { family.facts().credit_bucket } else { 0 };
        // Between 170 and 334 GiB the higher throughput holds only while there are credits.
        let throughput = if size_gib < 334 { 128 } else { family.facts().max_throughput };
        let settings = Settings { size_gib, iops: base, bytes_per_s: throughput * MIB };
        let limits = Limits {
            operations: Shaper { base_per_s: base, peak_per_s: peak, bucket },
            bytes: Shaper::cap(throughput * MIB),
            accounting: family.sold.kind.accounting(),
        };
        (settings, limits)
    }

    /// Throughput grows with the size, and credits of the volume's own size let it burst.
    fn disk(&self, size_gib: u64) -> (Settings, Limits) {
        let family = self.family;
        let per_tib = |mib_per_s: u64| mib_per_s * MIB * size_gib / 1024;
        let most = family.facts().max_throughput * MIB;
        // The guide's table ends at 16 TiB, where sc1's base is 192 MiB/s.
        let base = per_tib(family.facts().baseline_throughput_per_tib).min(most);
        let peak = per_tib(family.facts().burst_throughput_per_tib).min(most).max(base);
        let bucket = if base < peak { size_gib << 30 } else { 0 };
        let iops = family.facts().max_iops;
        let settings = Settings { size_gib, iops, bytes_per_s: base };
        let limits = Limits {
            operations: Shaper::cap(iops),
            bytes: Shaper { base_per_s: base, peak_per_s: peak, bucket },
            accounting: family.sold.kind.accounting(),
        };
        (settings, limits)
    }
}

/// The least size that so many I/Os a second can be bought for; the given ones need none.
fn size_for(iops: u64, per_gib: u64, given: u64) -> u64 {
    if iops <= given { 0 } else { iops.div_ceil(per_gib.max(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(catalogue: &Catalogue, volume: &str, gib: u64) -> Offer {
        let families = catalogue.families("us-east-1", gib, 1);
        let family = families.iter().find(|f| f.volume() == volume).unwrap();
        family.lines().next().unwrap().offer(0)
    }

    #[test]
    fn limits_are_those_of_the_guide() {
        let catalogue = Catalogue::built_in().unwrap();
        let gp2 = first(&catalogue, "gp2", 100).limits;
        assert_eq!(gp2.operations, Shaper { base_per_s: 300, peak_per_s: 3000, bucket: 5_400_000 });
        let gp2 = first(&catalogue, "gp2", 5334).limits;
        assert_eq!(gp2.operations, Shaper::cap(16_000));
        // 5 TiB of st1 scan in about three hours at their burst rate.
        let st1 = first(&catalogue, "st1", 5 * 1024).limits.bytes;
        assert_eq!((st1.base_per_s / MIB, st1.peak_per_s / MIB, st1.bucket >> 40), (200, 500, 5));
        let sc1 = first(&catalogue, "sc1", 16 * 1024).limits.bytes;
        assert_eq!((sc1.base_per_s / MIB, sc1.peak_per_s / MIB), (192, 250));
        let gp3 = first(&catalogue, "gp3", 1000);
        assert_eq!(
            (gp3.each.iops, gp3.each.bytes_per_s / MIB, gp3.month.to_string()),
            (3000, 125, "80.00".to_owned())
        );
    }

    #[test]
    fn everything_grows_along_a_line() {
        let mut catalogue = Catalogue::built_in().unwrap();
        let all = KINDS.iter().flat_map(|kind| {
            ["capacity", "iops", "throughput"].map(|of| format!("own,here,{},{of},0.01\n", kind.name()))
        });
        let list = "provider,region,type,component,price\n".to_owned() + &all.collect::<String>();
        catalogue.prices = super::super::Prices::read("own.csv", &list).unwrap();
        let families = catalogue.families("here", 500, 3);
        assert!(families.iter().any(|family| family.volume() == "hyperdisk-balanced"));
        for family in families {
            for line in family.lines().step_by(37) {
                for at in (1..line.len()).step_by(97) {
                    let (less, more) = (line.offer(at - 1), line.offer(at));
                    assert!(less.month <= more.month, "{less:?} {more:?}");
                    for (less, more) in [
                        (less.limits.operations, more.limits.operations),
                        (less.limits.bytes, more.limits.bytes),
                    ] {
                        assert!(less.base_per_s <= more.base_per_s && less.peak_per_s <= more.peak_per_s);
                        assert!(less.bucket <= more.bucket || more.base_per_s == more.peak_per_s);
                    }
                }
            }
        }
    }
}
