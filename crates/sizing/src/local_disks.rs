//! Disks inside the machine as an offer: instances whose own disks hold the data and the demand.
//!
//! Their rates are published for 4 KiB alone, reads and writes apart. Counted in units of 4 KiB a demand
//! is held for certain; where only that fails, and counting I/Os whole does not, nobody has published
//! whether it is held.

use std::sync::Arc;

use crate::catalogue::{Catalogue, Instance, LocalDisks};
use crate::demand::{Demand, Flow};
use crate::lateness::{Arrivals, Patience};
use crate::money::Money;
use crate::shaper::Shaper;

/// What published rates are of.
const UNIT: u64 = 4096;
/// Disks are sold in GB.
const GB: u64 = 1_000_000_000;

/// An instance whose disks were judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalInstance<'a> {
    /// The instance.
    pub instance: &'a Instance,
    /// Its disks.
    pub disks: LocalDisks,
    /// A month of it.
    pub month: Money,
    /// Whether it holds the demand; absent where that is not known.
    pub holds: Option<bool>,
}

/// Size of all disks together, in GiB.
pub fn size_gib(disks: &LocalDisks) -> u64 {
    disks.disks.saturating_mul(disks.disk_gb).saturating_mul(GB) >> 30
}

/// The cheapest instance in a region that is like the given one or larger, whose local NVMe holds so many GiB
/// and the demand for certain; where none does for certain, the cheapest of which it is not known.
pub fn cheapest<'a>(
    catalogue: &'a Catalogue,
    region: &str,
    like: &Instance,
    (demand, size, patience): (&Demand, u64, Patience),
) -> Option<LocalInstance<'a>> {
    let fits = |instance: &&Instance| {
        instance.arch == like.arch && instance.vcpus >= like.vcpus && instance.memory_gib >= like.memory_gib
    };
    let mut candidates: Vec<(Money, &Instance, LocalDisks)> = catalogue
        .instances
        .iter()
        .filter(fits)
        .filter_map(|instance| {
            let disks = instance.local.filter(|disks| disks.nvme && size_gib(disks) >= size)?;
            Some((instance.month(region)?.0, instance, disks))
        })
        .collect();
    candidates.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    let mut unknown = None;
    for (month, instance, disks) in candidates {
        match holds(&disks, demand, patience) {
            Some(true) => return Some(LocalInstance { instance, disks, month, holds: Some(true) }),
            None => unknown = unknown.or(Some(LocalInstance { instance, disks, month, holds: None })),
            Some(false) => {}
        }
    }
    unknown
}

/// Whether disks hold a demand, as far as their published rates tell.
fn holds(disks: &LocalDisks, demand: &Demand, patience: Patience) -> Option<bool> {
    let all: u64 = demand.operations().iter().sum();
    let allowed = patience.allowed(all);
    let late = |units: fn(&Flow) -> Vec<u64>| -> Option<bool> {
        let mut left = allowed;
        for (flow, rate) in [(&demand.read, disks.read_iops_4k?), (&demand.write, disks.write_iops_4k?)] {
            let ios: Arc<[u64]> = flow.operations.clone().into();
            let arrivals = Arrivals::new(demand.tick_s, units(flow), ios);
            match arrivals.late(&Shaper::cap(rate), patience.ticks, left) {
                Some(late) => left -= late.total(),
                None => return Some(false),
            }
        }
        Some(true)
    };
    if late(in_units)? {
        return Some(true);
    }
    if late(|flow| flow.operations.clone())? { None } else { Some(false) }
}

fn in_units(flow: &Flow) -> Vec<u64> {
    flow.operations.iter().zip(&flow.bytes).map(|(&count, bytes)| count.max(bytes.div_ceil(UNIT))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(writes: u64, bytes: u64) -> Demand {
        let flow = |rate: u64| Flow { operations: vec![rate; 60], bytes: vec![rate * bytes; 60] };
        Demand { tick_s: 1, read: flow(0), write: flow(writes), gaps: vec![], counted: None }
    }

    #[test]
    fn the_same_machine_with_disks_is_found() {
        let catalogue = Catalogue::built_in().unwrap();
        let like = catalogue.instance("r6i.4xlarge").unwrap();
        let patience = Patience { ticks: 1, late_millionths: 1000 };
        let found = |writes, bytes, size| {
            cheapest(&catalogue, "eu-central-1", like, (&demand(writes, bytes), size, patience))
        };
        let small = found(10_000, 4096, 500).unwrap();
        assert_eq!(small.holds, Some(true));
        assert!(
            small.instance.vcpus >= 16 && small.instance.memory_gib >= 128.0 && size_gib(&small.disks) >= 500
        );
        assert!(small.month >= like.month("eu-central-1").unwrap().0);
        assert_eq!(found(10_000, 4096, 10_000_000), None, "nothing has so large disks");
    }

    #[test]
    fn what_is_not_published_is_not_claimed() {
        let disks = LocalDisks {
            disks: 1,
            disk_gb: 950,
            nvme: true,
            read_iops_4k: Some(1000),
            write_iops_4k: Some(1000),
        };
        let patience = Patience { ticks: 1, late_millionths: 0 };
        let of = |writes, bytes| holds(&disks, &demand(writes, bytes), patience);
        assert_eq!((of(1000, 4096), of(1000, 8192), of(3000, 4096)), (Some(true), None, Some(false)));
        let silent = LocalDisks { write_iops_4k: None, ..disks };
        assert_eq!(holds(&silent, &demand(1, 4096), patience), None);
    }
}
