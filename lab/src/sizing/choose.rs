//! The cheapest volume of each type that serves a demand, by trying volumes one by one.

use super::catalogue_facts::Catalogue;
use super::counting::{self, CountingRule};
use super::drawn_demand::Demand;
use super::slow_simulator::{LateCounts, Limit, Line, together};
use super::volume_offers::{Kind, MIB, MILLI, Rules, Volume};

/// Steps in which operations and bytes are bought.
const IOPS_STEP: u64 = 100;
const MIBPS_STEP: u64 = 5;
/// Bytes a second of a million bits.
const BYTES_OF_MBIT: u64 = 125_000;
/// Half an hour at the most is what a burst is taken to hold.
const BURST_S: u64 = 1800;

/// What serves a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServingVolume {
    pub volume: Volume,
    pub late: u64,
    /// In 10^-12 of the currency's unit.
    pub month: u64,
}

/// A demand before one type, counted in one way.
pub struct Trial<'a> {
    demand: &'a Demand,
    catalogue: &'a Catalogue,
    pub rules: Rules,
    operations: Line,
    bytes: Line,
    /// Late before the instance's limits, whatever the volume is.
    instance: Vec<LateCounts>,
    /// All I/Os, and how many of them may be late.
    pub ios: u64,
    pub allowed: u64,
}

impl<'a> Trial<'a> {
    /// Puts the demand before a type.
    ///
    /// # Errors
    /// Where the catalogue lacks a limit of it.
    pub fn new(
        demand: &'a Demand,
        kind: Kind,
        counting: CountingRule,
        catalogue: &'a Catalogue,
    ) -> Result<Self, String> {
        let line = |pieces| Line {
            pieces,
            ticks: demand.ticks(),
            tick_s: demand.tick_s,
            patience: demand.patience(),
        };
        let operations = line(counting::operations(demand, kind, counting));
        let ios = operations.pieces.iter().map(|piece| piece.ios).sum();
        let mut instance = Vec::new();
        if let Some(name) = demand.instance {
            let limits = catalogue.instance(name).ok_or_else(|| format!("{name} is not in the catalogue"))?;
            let burst = |base: u64, most: u64| Limit {
                base: base * MILLI,
                peak: most * MILLI,
                bucket: (most - base) * BURST_S * MILLI,
            };
            let all = line(counting::operations(demand, Kind::Gp3, counting));
            instance.push(all.serve(burst(limits.base_iops, limits.most_iops)));
            let bytes = line(counting::bytes(demand, Kind::Gp3, counting));
            let rate = |mbps: u64| mbps * BYTES_OF_MBIT;
            instance.push(bytes.serve(burst(rate(limits.base_mbps), rate(limits.most_mbps))));
        }
        Ok(Self {
            demand,
            catalogue,
            rules: Rules::of(kind, catalogue)?,
            bytes: line(counting::bytes(demand, kind, counting)),
            instance,
            ios,
            allowed: (u128::from(ios) * u128::from(demand.late_ppm) / 1_000_000) as u64,
            operations,
        })
    }

    /// I/Os that are late on a volume.
    pub fn late(&self, volume: &Volume) -> u64 {
        self.late_of(&self.operations.serve(self.rules.operations(volume)), volume)
    }

    fn late_of(&self, operations: &LateCounts, volume: &Volume) -> u64 {
        let bytes = self.bytes.serve(self.rules.bytes(volume));
        let all: Vec<&LateCounts> = [operations, &bytes].into_iter().chain(&self.instance).collect();
        together(&all)
    }

    /// What a volume costs a month, in 10^-12 of the currency's unit; nothing where it is not sold.
    pub fn month(&self, volume: &Volume) -> Option<u64> {
        self.rules.month(volume, self.demand.region, self.catalogue)
    }

    /// Whether no more are late than may be.
    pub fn serves(&self, volume: &Volume) -> bool {
        self.late(volume) <= self.allowed
    }

    /// The cheapest volume of the type that serves; nothing where none does or it is not sold there.
    pub fn cheapest(&self) -> Option<ServingVolume> {
        self.month(&self.rules.volume(self.demand.size_gib, self.rules.least_iops, 0))?;
        if self.demand.size_gib > self.rules.most_gib
            || together(&self.instance.iter().collect::<Vec<_>>()) > self.allowed
        {
            return None;
        }
        let volume = match self.rules.kind {
            Kind::Gp3 => self.cheapest_gp3()?,
            Kind::Io1 | Kind::Io2 => {
                let steps = (self.rules.most_iops - self.rules.least_iops) / IOPS_STEP;
                let of = |step| {
                    self.rules.volume(self.demand.size_gib, self.rules.least_iops + step * IOPS_STEP, 0)
                };
                of(first(steps, |step| self.serves(&of(step)))?)
            }
            Kind::Gp2 | Kind::St1 | Kind::Sc1 => {
                let least = self.demand.size_gib.max(self.rules.least_gib);
                let of = |step| self.rules.volume(least + step, 0, 0);
                of(first(self.rules.most_gib - least, |step| self.serves(&of(step)))?)
            }
        };
        let fits = volume.gib <= self.rules.most_gib;
        fits.then(|| Some(ServingVolume { volume, late: self.late(&volume), month: self.month(&volume)? }))
            .flatten()
    }

    /// Operations and bytes are bought apart, and a little more of the one may save much of the other: for each rate
    /// of bytes the fewest operations.
    fn cheapest_gp3(&self) -> Option<Volume> {
        let rules = &self.rules;
        let of = |iops, mibps| rules.volume(self.demand.size_gib, iops, mibps);
        let most_iops = rules.most_iops;
        let least_mibps = 125;
        let steps = (rules.most_mibps - least_mibps) / MIBPS_STEP;
        let mibps = |step| least_mibps + step * MIBPS_STEP;
        // With all operations that there are.
        let free = self.operations.serve(rules.operations(&of(most_iops, least_mibps)));
        let first = first(steps, |step| self.late_of(&free, &of(most_iops, mibps(step))) <= self.allowed)?;
        let mut best: Option<(u64, Volume)> = None;
        // Fewer operations than those that serve with all bytes that there are never do.
        let fewest = self.fewest_iops(mibps(steps), rules.least_iops, rules.least_iops)?;
        for step in first..=steps {
            let bound = of(fewest.max(at_least(mibps(step))), mibps(step));
            if best.as_ref().is_some_and(|(month, _)| self.month(&bound).is_none_or(|least| least >= *month))
            {
                break;
            }
            let Some(iops) = self.fewest_iops(mibps(step), fewest, at_least(mibps(step))) else { continue };
            let volume = of(iops, mibps(step));
            let Some(month) = self.month(&volume) else { continue };
            if best.as_ref().is_none_or(|(least, _)| month < *least) {
                best = Some((month, volume));
            }
        }
        best.map(|(_, volume)| volume)
    }

    /// The fewest operations that serve with so many bytes, from the larger of two numbers on.
    fn fewest_iops(&self, mibps: u64, from: u64, and: u64) -> Option<u64> {
        let from = from.max(and);
        let bytes = self.bytes.serve(Limit::even(mibps * MIB * MILLI));
        let serves = |step| {
            let volume = self.rules.volume(self.demand.size_gib, from + step * IOPS_STEP, mibps);
            let operations = self.operations.serve(self.rules.operations(&volume));
            let all: Vec<&LateCounts> = [&operations, &bytes].into_iter().chain(&self.instance).collect();
            together(&all) <= self.allowed
        };
        let steps = (self.rules.most_iops - from) / IOPS_STEP;
        Some(from + first(steps, serves)? * IOPS_STEP)
    }
}

/// The first step that serves, of which the one before does not. More of anything never makes more late, so that
/// halves can be left out.
fn first(most: u64, serves: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (0, most);
    if !serves(high) {
        return None;
    }
    while low < high {
        let middle = low.midpoint(high);
        if serves(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

/// Operations that must be bought with so many bytes.
fn at_least(mibps: u64) -> u64 {
    (4 * mibps).max(3000).next_multiple_of(IOPS_STEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::counting::Bound;
    use crate::sizing::drawn_demand::tests::of;
    use crate::sizing::drawn_demand::{Form, Sum};
    use std::path::Path;

    fn demand(counts: &[(u64, u64)]) -> Demand {
        let row = |(ios, bytes): &(u64, u64)| Some([Sum { ios: *ios, bytes: ios * bytes }, Sum::default()]);
        of(Form::Table(counts.iter().map(row).collect()))
    }

    fn cheapest(demand: &Demand, kind: Kind, bound: Bound) -> Option<Volume> {
        let catalogue = Catalogue::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap();
        Trial::new(demand, kind, CountingRule::of(bound), &catalogue)
            .unwrap()
            .cheapest()
            .map(|served| served.volume)
    }

    #[test]
    fn even_demands_have_the_answer_that_can_be_worked_out_by_hand() {
        let even = demand(&[(5000, 4096); 100]);
        // 500 may be late, and all may wait for a tick. With 4,900 far more are late; steps are of 100.
        let gp3 = cheapest(&even, Kind::Gp3, Bound::Least).unwrap();
        assert_eq!((gp3.gib, gp3.iops, gp3.mibps), (100, 5000, 125));
        assert_eq!(cheapest(&even, Kind::Io1, Bound::Least).unwrap().iops, 5000);
        // gp2 has three for each GiB, and earns nothing without a rest. With 4,950 a second 50 of the last tick are
        // late; with three fewer 353 of it and 300 of the one before.
        assert_eq!(cheapest(&even, Kind::Gp2, Bound::Least).unwrap().gib, 1650);
        assert_eq!(cheapest(&even, Kind::St1, Bound::Least), None, "500 operations are all that it has");
    }

    #[test]
    fn large_ios_count_several_times_and_bytes_bring_operations() {
        // 4,000 of 384 KiB are 6,000 units and 1,500 MiB/s, of which 61 ticks carry what 60 bring.
        let large = demand(&[(4000, 393_216); 60]);
        let least = cheapest(&large, Kind::Gp3, Bound::Least).unwrap();
        let most = cheapest(&large, Kind::Gp3, Bound::Most).unwrap();
        assert_eq!((least.iops, least.mibps, most.mibps), (5900, 1475, 1475));
        assert!((9800..=9900).contains(&most.iops), "{most}");
    }

    #[test]
    fn an_instance_below_the_demand_leaves_nothing() {
        let mut busy = demand(&[(9000, 4096); 60]);
        assert!(cheapest(&busy, Kind::Gp3, Bound::Least).is_some());
        busy.instance = Some("m6i.large");
        assert_eq!(cheapest(&busy, Kind::Gp3, Bound::Least), None);
    }
}
