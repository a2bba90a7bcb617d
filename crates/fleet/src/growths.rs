//! What a fleet's own history says: how the requirements of a sample of its volumes grew, and over what time.

use fathom_rows::Values;
use fathom_rows::demand_tables::Run;
use fathom_sizing::fleet_volumes::{
    Growth, History, Sample, SampleSize, SizingPolicy, growth, hash, horizon_s,
};

/// One volume's growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeGrowth {
    /// Of its name.
    pub hash: u64,
    /// How its requirement grew.
    pub growth: Growth,
    /// Half of its history, in seconds.
    pub horizon_s: u64,
}

/// How a volume's requirement grew; absent where it has no name, is no demand, or its history says nothing.
pub fn grown(asked: &SizingPolicy<'_>, mut run: Run) -> Option<VolumeGrowth> {
    if run.intervals.is_empty() || run.volume.is_empty() {
        return None;
    }
    let hash = hash(run.volume.as_bytes());
    let demand = run.demand(Values::PerRow).ok()?.demand;
    let growth = growth(&demand, asked.patience(demand.tick_s))?;
    Some(VolumeGrowth { hash, growth, horizon_s: horizon_s(&demand) })
}

/// Growths of a sample of the volumes, which depends on their names alone.
#[derive(Clone, Debug)]
pub struct FleetGrowths {
    growths: Sample<Growth>,
    horizons: Sample<u32>,
}

impl Default for FleetGrowths {
    fn default() -> Self {
        Self { growths: Sample::of(SampleSize::default()), horizons: Sample::of(SampleSize::default()) }
    }
}

impl FleetGrowths {
    /// Puts in a volume's.
    pub fn put(&mut self, grown: &VolumeGrowth) {
        self.growths.put(grown.hash, grown.growth);
        self.horizons.put(grown.hash, u32::try_from(grown.horizon_s).unwrap_or(u32::MAX));
    }

    /// Times that the share of the volumes that are sampled was halved.
    pub fn halvings(&self) -> u32 {
        self.growths.halvings()
    }

    /// The growths, and half of the usual history, in seconds.
    pub fn finish(self) -> (Vec<Growth>, Option<u64>) {
        let horizons = self.horizons.sorted();
        let horizon_s = horizons.get(horizons.len() / 2).map(|seconds| u64::from(*seconds));
        (self.growths.sorted(), horizon_s)
    }

    /// The same as a history.
    pub fn into_history(self) -> (History, Option<u64>) {
        let (growths, horizon_s) = self.finish();
        (History::new(growths), horizon_s)
    }
}

#[cfg(test)]
mod tests {
    use fathom_sizing::fleet_volumes::RequirementClass;

    use super::*;

    #[test]
    fn growths_of_any_order_are_the_same() {
        let volume = |number: u32| VolumeGrowth {
            hash: hash(format!("vol-{number}").as_bytes()),
            growth: Growth {
                thousandths: 900 + number % 700,
                class: RequirementClass::ALL[number as usize % 4],
            },
            horizon_s: 86_400 * u64::from(1 + number % 9),
        };
        let of = |order: &mut dyn Iterator<Item = u32>| {
            let mut growths = FleetGrowths::default();
            order.for_each(|number| growths.put(&volume(number)));
            (growths.halvings(), growths.into_history())
        };
        let forward = of(&mut (0..30_000));
        assert_eq!(forward, of(&mut (0..30_000).rev()));
        let (halvings, (history, horizon_s)) = forward;
        assert_eq!((halvings, horizon_s), (2, Some(5 * 86_400)));
        assert!((7000..=8192).contains(&history.all().len()), "{}", history.all().len());
        let (none, horizon_s) = FleetGrowths::default().into_history();
        assert_eq!((none.all().len(), horizon_s), (0, None));
    }
}
