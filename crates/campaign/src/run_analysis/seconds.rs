//! The seconds of one run, and what they say.

use fathom_record::analysis_record::Level;
use fathom_record::distribution::{Cliff, Mode, ModeExplanation, QuantileInterval};
use fathom_record::exposure_guard::ExposureGuard;
use fathom_record::steadiness::Steadiness;
use fathom_record::{Direction, Interval};
use fathom_stats::shape::{cliffs, explain, modes};
use fathom_stats::steady::{SteadyRule, judge, segments};
use fathom_stats::tail::{LatencySeries, quantile_interval};
use fathom_store::{Store, StoreError, StoreErrorKind};

/// An interval this long, in nanoseconds, is a whole second.
pub const WHOLE_SECOND_NS: u64 = 990_000_000;
/// Quantiles that are stated where the run resolves them.
const QUANTILES: [f64; 5] = [0.5, 0.99, 0.999, 0.9999, 0.99999];

/// What one pass over a run's intervals keeps.
pub struct Seconds {
    /// I/Os per second of the whole seconds after the warm-up.
    pub rates: Vec<f64>,
    /// Latencies by direction; flushes and trims carry no data and are left out where there is any other.
    parts: Vec<(Direction, LatencySeries)>,
}

/// The latencies of a run.
pub struct Latencies {
    pub quantiles: Vec<QuantileInterval>,
    pub cliffs: Vec<Cliff>,
    pub modes: Vec<Mode>,
    pub explanations: Vec<ModeExplanation>,
}

impl Seconds {
    /// Reads the seconds of a run; response latencies or service latencies.
    ///
    /// # Errors
    /// What is wrong with them, with the run as its place.
    pub fn read(store: &Store, run: &str, response: bool) -> Result<Self, StoreError> {
        let mut measured: Vec<Interval> = Vec::new();
        store
            .visit_intervals(run, |interval| {
                if !interval.warmup {
                    measured.push(interval);
                }
            })
            .map_err(|error| {
                let place = format!("run {run}: {}", error.place);
                error.at(place)
            })?;
        let whole = measured.iter().filter(|interval| interval.duration_ns >= WHOLE_SECOND_NS);
        let rates = whole.map(|i| i.operations() as f64 / (i.duration_ns as f64 / 1e9)).collect();
        let data = [Direction::Read, Direction::Write];
        let moved = |direction: Direction| {
            measured.iter().any(|i| i.directions.iter().any(|d| d.direction == direction && d.operations > 0))
        };
        let mut wanted: Vec<Direction> = data.into_iter().filter(|direction| moved(*direction)).collect();
        if wanted.is_empty() {
            wanted.extend([Direction::Trim].into_iter().filter(|direction| moved(*direction)));
        }
        let series = |direction: Direction| {
            if response {
                LatencySeries::response(&measured, direction)
            } else {
                LatencySeries::service(&measured, direction)
            }
        };
        let parts = wanted
            .into_iter()
            .map(|direction| Ok((direction, series(direction)?)))
            .collect::<Result<Vec<_>, &str>>()
            .map_err(|cause| StoreError::new(StoreErrorKind::BadRecord, format!("run {run}"), cause))?;
        Ok(Self { rates, parts })
    }

    /// Whether the seconds are steady.
    pub fn judged(&self, guard: &ExposureGuard) -> Steadiness {
        judge(&self.rates, guard, &SteadyRule::default())
    }

    /// Stretches between changes of the level.
    pub fn levels(&self) -> Vec<Level> {
        segments::split(&self.rates, SteadyRule::default().tolerance_share)
            .into_iter()
            .map(|s| Level { from_s: s.from as u32, to_s: s.to as u32, rate_per_s: s.mean })
            .collect()
    }

    /// What all latencies together say, on a clock that resolves so many nanoseconds.
    pub fn latencies(&self, resolution_ns: u64) -> Latencies {
        let none = || Latencies {
            quantiles: Vec::new(),
            cliffs: Vec::new(),
            modes: Vec::new(),
            explanations: Vec::new(),
        };
        let Some(((_, first), others)) = self.parts.split_first() else { return none() };
        let merged = (!others.is_empty()).then(|| {
            let mut all = first.clone();
            others.iter().for_each(|(_, other)| all.merge(other));
            all
        });
        let whole = merged.as_ref().unwrap_or(first);
        let cliffs = cliffs(whole, resolution_ns);
        let modes = modes(whole, resolution_ns);
        let parts: Vec<(Direction, &LatencySeries)> =
            self.parts.iter().map(|(direction, series)| (*direction, series)).collect();
        Latencies {
            quantiles: QUANTILES.iter().filter_map(|q| quantile_interval(whole, *q, &cliffs).ok()).collect(),
            explanations: explain(&modes, whole, &parts),
            cliffs,
            modes,
        }
    }
}
