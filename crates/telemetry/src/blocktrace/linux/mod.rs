//! Chooses between programs in the kernel and the text of tracefs.

mod bpf;
mod demand_counters;
mod device_set;
mod follower;
mod tracefs;

use fathom_record::options::WitnessSource;
use rustix::time::{ClockId, clock_gettime};

use self::bpf::Bpf;
pub use self::demand_counters::Demand;
pub use self::device_set::DeviceSet;
use self::tracefs::Tracefs;
use super::TraceSummary;
use super::sampling::Thinning;
use crate::TelemetryError;

/// A source that watches.
pub enum Watch {
    Bpf(Box<Bpf>),
    Tracefs(Tracefs),
}

impl Watch {
    /// Begins to watch; I/Os are kept one by one as `thinning` says.
    pub fn start(
        watched: &DeviceSet,
        direct: bool,
        source: WitnessSource,
        thinning: &Thinning,
    ) -> Result<Self, TelemetryError> {
        let bpf = || Bpf::start(watched, direct, thinning.clone()).map(|bpf| Self::Bpf(Box::new(bpf)));
        let text = || Tracefs::start(watched, direct, thinning.clone()).map(Self::Tracefs);
        match source {
            WitnessSource::Bpf => bpf(),
            WitnessSource::Tracefs => text(),
            WitnessSource::Any => bpf().or_else(|bpf| {
                text().map_err(|mut text| {
                    text.cause = format!("{}; {}", bpf.cause, text.cause);
                    text
                })
            }),
        }
    }

    pub fn name(&self) -> &'static str {
        let source = match self {
            Self::Bpf(_) => WitnessSource::Bpf,
            Self::Tracefs(_) => WitnessSource::Tracefs,
        };
        source.name()
    }

    pub fn resolution_ns(&self) -> u64 {
        match self {
            Self::Bpf(_) => 1,
            Self::Tracefs(_) => tracefs::RESOLUTION_NS,
        }
    }

    pub fn finish(self) -> Result<TraceSummary, TelemetryError> {
        match self {
            Self::Bpf(bpf) => (*bpf).finish(),
            Self::Tracefs(text) => text.finish(),
        }
    }
}

/// The clock that the kernel stamps block events with.
pub fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    // Both fields are non-negative for a clock that counts from boot.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
