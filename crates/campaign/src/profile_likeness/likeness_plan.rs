//! What a plan asks for to be like a profile.

use fathom_order::InOrder;
use fathom_record::ProfileRecord;
use fathom_record::error::Error;
use fathom_record::profile_record::{AccessProfile, SizeMix};
use fathom_sizing::Demand;
use fathom_sizing::demand::Flow;
use fathom_sizing::demand_profile::demand_of;

use super::{LikeRequest, text};
use fathom_plan::{RawPlan, Text};

/// The stretch that is made like where no time is asked for: what a guide to sizing runs, 20 to 30 minutes.
const STRETCH_S: u64 = 1800;
/// A trace with this share of sequential I/Os is followed by laps with jumps; with less by random addresses.
const SEQUENTIAL: f64 = 0.5;
/// The busiest tenth of the blocks takes more than this share: they are a hot spot.
const HOT: f64 = 0.2;
/// Sizes are multiples of this.
const SECTOR: u64 = 512;
/// Listed sizes that hold this share of the I/Os suffice.
const ENOUGH: f64 = 0.999;

/// Kinds of profiles that make no workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LikeErrorKind {
    /// Its series is damaged.
    Damaged,
    /// It holds no I/O.
    Idle,
}

/// Why a profile makes no workload; its place is the profile's file.
pub type LikeError = Error<LikeErrorKind>;

/// What a run like a profile is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetDemand {
    /// The profile's file.
    pub name: String,
    /// First tick of the stretch, in seconds from the series' start.
    pub from_s: u64,
    /// Length of a tick, in seconds.
    pub tick_s: u32,
    /// I/Os a second in each tick.
    pub rates_per_s: Vec<f64>,
    /// Share of the I/Os that read.
    pub read_share: f64,
    /// Mean bytes of a read and of a write; absent for a direction without I/Os.
    pub mean_bytes: [Option<f64>; 2],
    /// Times the demand.
    pub scale: f64,
    pub(super) directions_known: bool,
    pub(super) sizes: [Option<Text>; 2],
    pub(super) sizes_exact: bool,
    pub(super) access: Option<AccessProfile>,
    /// Shares of sequential reads and writes, where they are known.
    pub(super) sequential: Option<[f64; 2]>,
    pub(super) gaps: bool,
}

impl TargetDemand {
    pub(super) fn of(like: &LikeRequest<'_>) -> Result<Self, LikeError> {
        let profile = like.profile;
        let refused = |kind, cause: String| {
            LikeError::new(kind, like.name, cause)
                .with_remedy("make a profile: fathom profile SOURCE --json FILE.json")
        };
        let demand = demand_of(&profile.series).map_err(|error| {
            let cause = format!("its series is not a usable demand: {error}");
            refused(LikeErrorKind::Damaged, cause).with_source(error)
        })?;
        let asked_s = like.time_ns.map_or(STRETCH_S, |ns| ns.div_ceil(1_000_000_000));
        let ticks = usize::try_from(asked_s.div_ceil(u64::from(demand.tick_s))).unwrap_or(usize::MAX);
        let from = busiest(&demand, ticks.clamp(1, demand.ticks()));
        let stretch = from..from + ticks.clamp(1, demand.ticks());
        let operations = demand.operations();
        let tick_s = f64::from(demand.tick_s);
        let rates_per_s = operations[stretch.clone()].iter().map(|&count| count as f64 / tick_s * like.scale);
        let sum = |values: &[u64]| values[stretch.clone()].iter().sum::<u64>();
        let mean = |flow: &Flow| {
            let (count, bytes) = (sum(&flow.operations), sum(&flow.bytes));
            (count > 0 && bytes > 0).then(|| bytes as f64 / count as f64)
        };
        let all = sum(&operations);
        if all == 0 {
            return Err(refused(LikeErrorKind::Idle, "there is no I/O in it to be like".to_owned()));
        }
        let mean_bytes = [mean(&demand.read), mean(&demand.write)];
        let mixes = [profile.read_sizes.as_ref(), profile.write_sizes.as_ref()];
        let known = |at: usize| mean_bytes[at].map(|mean| sizes(mean, mixes[at]));
        Ok(Self {
            name: like.name.to_owned(),
            from_s: from as u64 * u64::from(demand.tick_s),
            tick_s: demand.tick_s,
            rates_per_s: rates_per_s.collect(),
            read_share: sum(&demand.read.operations) as f64 / all as f64,
            sizes: [known(0), known(1)],
            sizes_exact: mixes.iter().flatten().all(|mix| mix.exact),
            mean_bytes,
            scale: like.scale,
            directions_known: profile.directions_known,
            access: profile.access.clone(),
            sequential: sequential(profile),
            gaps: demand.gaps.iter().any(|gap| gap.start < stretch.end && gap.end > stretch.start),
        })
    }

    /// The plan's values; time and target are the user's.
    pub(super) fn raw(&self) -> RawPlan {
        let (random, addresses) = self.addresses();
        let kind = match self.read_share {
            share if share >= 1.0 => "read",
            share if share <= 0.0 => "write",
            _ => "rw",
        };
        let total_s = self.rates_per_s.len() as u64 * u64::from(self.tick_s);
        RawPlan {
            rw: text(format!("{}{kind}", if random { "rand" } else { "" })),
            read_share: (kind == "rw").then(|| text(format!("{}%", self.read_share * 100.0))).flatten(),
            read_bs: self.sizes[0].clone(),
            write_bs: self.sizes[1].clone(),
            bs: self.sizes[0].clone().or_else(|| self.sizes[1].clone()),
            addresses,
            rates: text(fathom_plan::write_rates(&self.rates_per_s)),
            rate_step: text(format!("{}s", self.tick_s)),
            time: text(format!("{total_s}s")),
            warmup: text("0s"),
            ..RawPlan::default()
        }
    }

    /// Whether addresses are random, and which.
    fn addresses(&self) -> (bool, Option<Text>) {
        if let Some([reads, writes]) = self.sequential {
            let sequential = reads * self.read_share + writes * (1.0 - self.read_share);
            if sequential >= SEQUENTIAL {
                return (false, text(format!("laps:jumps={}%", (1.0 - sequential) * 100.0)));
            }
        }
        let Some(access) = &self.access else { return (true, None) };
        match access.top_10_percent_share {
            Some(share) if share > HOT => (true, text(format!("hotspot:{}%/10%", share.min(0.999) * 100.0))),
            _ => (true, text("independent")),
        }
    }
}

/// Shares of sequential reads and writes, of a trace or as programs in the kernel saw them.
fn sequential(profile: &ProfileRecord) -> Option<[f64; 2]> {
    let traced =
        profile.access.as_ref().map(|seen| [seen.read_sequential_share, seen.write_sequential_share]);
    let counted =
        || profile.block_layer.as_ref().map(|seen| [seen.read_sequential_share, seen.write_sequential_share]);
    traced.or_else(counted).map(|shares| shares.map(|share| share.unwrap_or(0.0)))
}

/// First tick of the stretch with the most I/Os; of equal ones the first.
fn busiest(demand: &Demand, ticks: usize) -> usize {
    let operations = demand.operations();
    let mut sum: u128 = operations[..ticks].iter().map(|&count| u128::from(count)).sum();
    let mut best = (sum, 0);
    for end in ticks..operations.len() {
        sum = sum + u128::from(operations[end]) - u128::from(operations[end - ticks]);
        if sum > best.0 {
            best = (sum, end + 1 - ticks);
        }
    }
    best.1
}

/// Sizes with a mean: those of a trace, or the two powers of two around the mean.
fn sizes(mean: f64, mix: Option<&SizeMix>) -> Text {
    let parts = mix.filter(|mix| mix.exact && !mix.frequent.is_empty()).map_or_else(|| around(mean), listed);
    match parts.as_slice() {
        [(bytes, _)] => Text(bytes.to_string()),
        parts => {
            let part = |(bytes, share): &(u64, f64)| format!("{bytes}:{}%", share * 100.0);
            Text(parts.iter().map(part).collect::<Vec<_>>().join(","))
        }
    }
}

fn around(mean: f64) -> Vec<(u64, f64)> {
    let mut low = SECTOR;
    while (low * 2) as f64 <= mean {
        low *= 2;
    }
    let above = ((mean - low as f64) / low as f64).clamp(0.0, 1.0);
    // Less than a thousandth of the I/Os is below what a run of thousands can show.
    if above < 0.001 { vec![(low, 1.0)] } else { vec![(low, 1.0 - above), (low * 2, above)] }
}

/// The listed sizes, with what is not listed as one size of its own that keeps the mean.
fn listed(mix: &SizeMix) -> Vec<(u64, f64)> {
    let counted: u64 = mix.frequent.iter().map(|size| size.operations).sum();
    let bytes: u64 = mix.frequent.iter().map(|size| size.operations.saturating_mul(size.bytes)).sum();
    let whole = |bytes: f64| ((bytes / SECTOR as f64).round().max(1.0) as u64) * SECTOR;
    // What share of the I/Os the list holds follows from the mean of all only if the rest's mean were known:
    // the list is cut after 16 sizes, so a short one is whole.
    let short = mix.frequent.len() < 16;
    let mut parts: Vec<(u64, f64)> = mix
        .frequent
        .iter()
        .map(|size| (whole(size.bytes as f64), size.operations as f64 / counted.max(1) as f64))
        .collect();
    let listed_mean = bytes as f64 / counted.max(1) as f64;
    if !short && (listed_mean / mix.mean_bytes - 1.0).abs() > 1.0 - ENOUGH {
        // One further size takes up the difference of the means, at a tenth of the I/Os.
        let rest = (mix.mean_bytes - 0.9 * listed_mean) / 0.1;
        parts.iter_mut().for_each(|part| part.1 *= 0.9);
        parts.push((whole(rest.max(SECTOR as f64)), 0.1));
    }
    merged(parts)
}

/// Equal sizes as one, with shares that add up to 1 exactly enough to be read.
fn merged(mut parts: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    parts.put_in_order_by_key(|part| part.0);
    parts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    let sum: f64 = parts.iter().map(|part| part.1).sum();
    parts.into_iter().map(|(bytes, share)| (bytes, share / sum)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sizes_keep_a_mean() {
        for mean in [512.0, 4096.0, 51_200.0, 65_535.0, 100_000.0] {
            let parts = around(mean);
            let found: f64 = parts.iter().map(|(bytes, share)| *bytes as f64 * share).sum();
            assert!((found / mean - 1.0).abs() < 0.002, "{mean}: {parts:?}");
        }
        assert_eq!(around(4096.0), [(4096, 1.0)]);
    }

    #[test]
    fn the_busiest_stretch_is_found() {
        let operations = vec![1, 9, 2, 8, 8, 0, 16, 0];
        let zeros = Flow { operations: vec![0; 8], bytes: vec![0; 8] };
        let read = Flow { bytes: operations.iter().map(|o| o * 512).collect(), operations };
        let demand = Demand { tick_s: 1, read, write: zeros, gaps: vec![], counted: None };
        assert_eq!([1, 2, 3, 8].map(|ticks| busiest(&demand, ticks)), [6, 3, 4, 0]);
    }
}
