//! Parts of the span, each with its share of the accesses; a hot spot is two of them.

use fathom_record::workload::{HotSpot, Zone};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::extent::Extent;
use crate::pattern::Geometry;
use crate::pattern::seed::{Purpose, below, random_of, threshold};

/// Draws a zone, then a unit in it uniformly.
#[derive(Clone, Debug)]
pub(super) struct ZonedAddresses {
    extent: Extent,
    unit_bytes: u64,
    zones: Box<[Part]>,
    random: Xoshiro256PlusPlus,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    /// A draw below this, and not below that of the part before, is for this part.
    below: u64,
    first_unit: u64,
    units: u64,
}

/// The two zones that a hot spot stands for.
pub(in crate::pattern) fn zones_of(spot: &HotSpot) -> [Zone; 2] {
    let cold = Zone { access_share: 1.0 - spot.access_share, span_share: 1.0 - spot.span_share };
    [Zone { access_share: spot.access_share, span_share: spot.span_share }, cold]
}

impl ZonedAddresses {
    pub fn new(geometry: &Geometry, job: u32, seed: u64, zones: &[Zone]) -> Self {
        let units = geometry.units();
        let (mut accesses, mut span, mut first_unit) = (0.0, 0.0, 0);
        let mut parts = Vec::with_capacity(zones.len());
        for zone in zones {
            accesses += zone.access_share;
            span += zone.span_share;
            let end = ((span * units as f64).round() as u64).min(units);
            if zone.access_share > 0.0 {
                // A zone thinner than a unit takes the unit that it lies in.
                let first = first_unit.min(units - 1);
                let part = Part {
                    below: threshold(accesses),
                    first_unit: first,
                    units: end.saturating_sub(first).max(1),
                };
                parts.push(part);
            }
            first_unit = first_unit.max(end);
        }
        if parts.is_empty() {
            parts.push(Part { below: u64::MAX, first_unit: 0, units });
        }
        Self {
            extent: Extent::whole(geometry),
            unit_bytes: geometry.unit_bytes(),
            zones: parts.into_boxed_slice(),
            random: random_of(seed, Purpose::Address, job),
        }
    }

    #[inline]
    pub fn next(&mut self, bytes: u32) -> u64 {
        let draw = self.random.next_u64();
        let (last, rest) = self.zones.split_last().expect("there is at least one zone");
        let zone = rest.iter().find(|zone| draw < zone.below).unwrap_or(last);
        let unit = zone.first_unit + below(self.random.next_u64(), zone.units);
        self.extent.fit(bytes);
        self.extent.first_byte + (unit * self.unit_bytes).min(self.extent.last_start)
    }
}
