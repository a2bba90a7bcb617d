//! How much of the span a number of I/Os has touched, for the ledger.

use fathom_record::workload::{Addresses, Sizes, Workload, Zone};

use super::Geometry;
use super::address_pattern::zones_of;
use super::geometry::{direction_shares, sizes_of};

/// Share of the span's blocks, 0 to 1, that `ios` I/Os of all jobs together have touched at least once
/// (flushes not counted), and how that is known: `exact`, or `expected` where chance decides or where
/// it matters how the I/Os were spread over jobs and sizes; then jobs are taken to be equally fast.
pub fn expected_touched_share(workload: &Workload, geometry: &Geometry, ios: u64) -> (f64, &'static str) {
    if workload.sizes.rewrites_trimmed {
        // Writes go where the trims before them went.
        let mut trims = workload.clone();
        trims.mix.trim_share = 1.0;
        trims.sizes.rewrites_trimmed = false;
        return expected_touched_share(&trims, geometry, ios.div_ceil(2));
    }
    let exposure = CoverageFigures::of(workload, geometry, ios);
    let share = if ios == 0 { 0.0 } else { exposure.touched(&workload.addresses).clamp(0.0, 1.0) };
    let known = ios == 0 || share == 1.0 && exposure.is_certain_at_the_end(&workload.addresses);
    let exact = known || exposure.regular && exposure.is_deterministic(&workload.addresses);
    (share, if exact { "exact" } else { "expected" })
}

/// The numbers that the share depends on, in units of the geometry.
struct CoverageFigures {
    ios: f64,
    units: f64,
    unit_bytes: f64,
    jobs: f64,
    /// Units that a mean I/O covers, at least 1.
    units_per_io: f64,
    /// The same for the direction that moves forward the most, times its share of the I/Os.
    furthest_units_per_io: f64,
    /// Largest share of a direction.
    furthest_share: f64,
    /// One direction, one size: all I/Os are alike.
    regular: bool,
}

impl CoverageFigures {
    fn of(workload: &Workload, geometry: &Geometry, ios: u64) -> Self {
        let unit_bytes = geometry.unit_bytes() as f64;
        let in_use: Vec<(&Sizes, f64)> = direction_shares(workload)
            .into_iter()
            .filter(|&(_, share)| share > 0.0)
            .map(|(direction, share)| (sizes_of(workload, direction), share))
            .collect();
        let covered = |(sizes, share): &(&Sizes, f64)| share * (sizes.mean_bytes() / unit_bytes).max(1.0);
        Self {
            ios: ios as f64,
            units: geometry.units() as f64,
            unit_bytes,
            jobs: f64::from(workload.jobs.max(1)),
            units_per_io: in_use.iter().map(covered).sum::<f64>().max(1.0),
            furthest_units_per_io: in_use.iter().map(covered).fold(0.0, f64::max),
            furthest_share: in_use.iter().map(|(_, share)| *share).fold(0.0, f64::max),
            regular: in_use.len() == 1 && geometry.smallest_io_bytes == geometry.largest_io_bytes,
        }
    }

    /// Whether no chance is in the pattern, for I/Os that are all alike.
    fn is_deterministic(&self, addresses: &Addresses) -> bool {
        match addresses {
            Addresses::Interlocked => true,
            Addresses::Sequential | Addresses::RandomCycle => self.jobs == 1.0,
            Addresses::Laps { step_bytes, jump_share, .. } => {
                self.jobs == 1.0 && *jump_share == 0.0 && step_bytes.is_none()
            }
            Addresses::Strided { stride_bytes } => {
                self.jobs == 1.0 && (*stride_bytes as f64 / self.unit_bytes).fract() == 0.0
            }
            _ => false,
        }
    }

    /// Whether a share of 1 can be known and not only come near.
    fn is_certain_at_the_end(&self, addresses: &Addresses) -> bool {
        // Other jobs add to a cycle that one job has ended; how far each is, is not known.
        matches!(addresses, Addresses::RandomCycle) && self.jobs == 1.0
    }

    fn touched(&self, addresses: &Addresses) -> f64 {
        let per_unit = self.ios / self.units;
        match addresses {
            Addresses::Sequential => per_unit * self.furthest_units_per_io,
            Addresses::Interlocked => per_unit * self.units_per_io,
            Addresses::Strided { stride_bytes } => {
                per_unit * self.furthest_units_per_io.min(*stride_bytes as f64 / self.unit_bytes)
            }
            // Going over the same ground again adds nothing.
            Addresses::Backwards { step_bytes } => {
                let step = *step_bytes as f64 / self.unit_bytes;
                per_unit * self.furthest_units_per_io.min(self.furthest_share * step)
            }
            Addresses::Parts { part_bytes, gap_bytes } => {
                let share = *part_bytes as f64 / (part_bytes.saturating_add(*gap_bytes)) as f64;
                (per_unit * self.furthest_units_per_io).min(share)
            }
            Addresses::Laps { step_bytes, apart_bytes, jump_share } => {
                let step = step_bytes.map_or(f64::MAX, |bytes| bytes as f64 / self.unit_bytes);
                if *jump_share > 0.0 {
                    // Each jump begins a stretch as long as the I/Os until the next one reach.
                    let stretch = step.min(self.units_per_io) / jump_share;
                    return 1.0 - self.untouched(stretch / self.units, self.ios * jump_share);
                }
                // From one start all jobs go over the same; apart, each over something else, as far as that goes.
                let laps = per_unit / self.jobs * self.units_per_io.min(step);
                let fresh = (*apart_bytes as f64 / self.unit_bytes / self.units).min(laps);
                laps + fresh * (self.jobs - 1.0)
            }
            Addresses::RandomCycle => {
                let started = (per_unit / self.jobs).min(1.0);
                1.0 - (1.0 - started).powf(self.jobs * self.units_per_io)
            }
            Addresses::RandomIndependent => 1.0 - self.untouched(self.units_per_io / self.units, self.ios),
            Addresses::Zipf { exponent } => {
                let exponent = *exponent;
                self.scattered(|first, end| zipf_mass(exponent, first, end))
            }
            Addresses::Pareto { skew } => {
                let power = (1.0 - skew).ln() / skew.ln();
                self.scattered(|first, end| (end / self.units).powf(power) - (first / self.units).powf(power))
            }
            Addresses::Normal { deviation } => self.normal(*deviation),
            Addresses::HotSpot(spot) => self.zoned(&zones_of(spot)),
            Addresses::Zoned { zones } => self.zoned(zones),
            // Nothing is known of where its I/Os go.
            Addresses::Traced(_) => 0.0,
        }
    }

    /// Probability that a unit is still untouched after `ios`, each of which hits it with `hit`.
    fn untouched(&self, hit: f64, ios: f64) -> f64 {
        (ios * (-hit.min(1.0)).ln_1p()).exp()
    }

    fn zoned(&self, zones: &[Zone]) -> f64 {
        let touched = |zone: &Zone| {
            let units = (zone.span_share * self.units).max(1.0);
            zone.span_share * (1.0 - self.untouched(zone.access_share * self.units_per_io / units, self.ios))
        };
        zones.iter().map(touched).sum()
    }

    /// Units by rank, from the most popular on, in groups that grow with the rank: within a group all
    /// are taken as equally popular. `mass` is the weight of the ranks from one number to before
    /// another, counted from 0, in any measure.
    fn scattered(&self, mass: impl Fn(f64, f64) -> f64) -> f64 {
        let groups = || {
            let mut first = 0.0f64;
            std::iter::from_fn(move || {
                let end = (first + (first / 64.0).floor().max(1.0)).min(self.units);
                let group = (first, end);
                first = end;
                (group.0 < group.1).then_some(group)
            })
        };
        let whole: f64 = groups().map(|(first, end)| mass(first, end)).sum();
        let untouched: f64 = groups()
            .map(|(first, end)| {
                let hit = mass(first, end) / whole / (end - first);
                (end - first) * self.untouched(hit, self.ios)
            })
            .sum();
        // The neighbours that a longer I/O covers are of any rank.
        1.0 - (untouched / self.units).powf(self.units_per_io)
    }

    /// The density over eight deviations on either side, as far as the span goes, in equal slices.
    fn normal(&self, deviation: f64) -> f64 {
        const SLICES: usize = 2000;
        let reach = (8.0 * deviation).min(0.5);
        let width = 2.0 * reach / SLICES as f64;
        let density = |slice: usize| {
            let place = (slice as f64 + 0.5) * width - reach;
            (-0.5 * (place / deviation).powi(2)).exp()
        };
        let whole: f64 = (0..SLICES).map(density).sum();
        let touched = |slice| {
            let units = (width * self.units).max(1.0);
            let hit = density(slice) / whole * self.units_per_io / units;
            width * (1.0 - self.untouched(hit, self.ios))
        };
        (0..SLICES).map(touched).sum()
    }
}

/// Sum of `k^-exponent` over the ranks from `first` to before `end`, counted from 0: one term exactly,
/// more by the integral between the half ranks, which is off by less than 10^-4 from rank 128 on.
fn zipf_mass(exponent: f64, first: f64, end: f64) -> f64 {
    if end - first <= 1.0 {
        return (first + 1.0).powf(-exponent);
    }
    let (low, high) = (first + 0.5, end + 0.5);
    let power = 1.0 - exponent;
    if power.abs() < 1e-9 {
        return (high / low).ln();
    }
    (high.powf(power) - low.powf(power)) / power
}

#[cfg(test)]
#[path = "span_coverage_tests.rs"]
mod tests;
