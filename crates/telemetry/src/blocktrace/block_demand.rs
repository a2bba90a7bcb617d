//! What everybody asks of one block device, counted by programs in the kernel: sizes, sequential starts, gaps
//! between arrivals, and who asked.

use super::platform;
use crate::TelemetryError;

/// Sizes up to this many sectors are told apart by the programs.
pub const EXACT_SECTORS: u64 = 1024;
/// Above it by steps of so many sectors.
pub const STEP_SECTORS: u64 = 256;
/// Bytes of a sector.
const SECTOR_BYTES: u64 = 512;

/// A device that is being watched.
pub struct DemandTrace(platform::Demand);

/// One direction's I/Os.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionDemand {
    /// I/Os.
    pub operations: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Those that start within 128 KiB behind the end of one of the last 32 I/Os.
    pub sequential: u64,
    /// Sizes in bytes with how often each came, ascending; those from 512 KiB on in steps of 128 KiB.
    pub sizes: Vec<(u64, u64)>,
}

/// One process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submitter {
    /// Its number.
    pub process: u32,
    /// Its name, up to 15 letters.
    pub name: String,
    /// Reads and writes as they were queued, before merging.
    pub operations: [u64; 2],
    /// Bytes of both.
    pub bytes: [u64; 2],
}

/// What a device was asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockDemand {
    /// Reads, then writes.
    pub directions: [DirectionDemand; 2],
    /// Gaps between arrivals in nanoseconds: lower and upper end of a bucket, and how many lie in it.
    pub gaps: Vec<(u64, u64, u64)>,
    /// Sum of all gaps, in nanoseconds.
    pub gap_sum_ns: u64,
    /// Who asked, in no order.
    pub submitters: Vec<Submitter>,
    /// Whether requests were counted, after merging; otherwise bios.
    pub requests: bool,
    /// Seconds that were watched.
    pub seconds: u64,
    /// Runs of the programs that did not take place, because one was running there.
    pub missed: u64,
    /// What the programs cost; absent where the kernel does not time them.
    pub cost: Option<TracingCost>,
}

/// The kernel's own timing of the programs, in some seconds of the watch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TracingCost {
    /// How long they were timed, in nanoseconds.
    pub timed_ns: u64,
    /// How often they ran in that time.
    pub runs: u64,
    /// Processor time in them, the reading of the clock for the timing included, in nanoseconds.
    pub time_ns: u64,
}

impl BlockDemand {
    /// How often the programs ran for this device: for other devices' I/Os they only look at the number.
    pub fn runs(&self) -> u64 {
        let queued: u64 = self.submitters.iter().flat_map(|submitter| submitter.operations).sum();
        let issued: u64 = self.directions.iter().map(|direction| direction.operations).sum();
        if self.requests { queued + issued } else { queued }
    }

    /// Processor time of the programs over the watch, as a share of one processor: their runs times what one took
    /// where the kernel timed them. Absent where it timed none.
    pub fn cost_share(&self) -> Option<f64> {
        let cost = self.cost.filter(|cost| cost.runs > 0 && self.seconds > 0)?;
        Some(self.runs() as f64 * cost.time_ns as f64 / cost.runs as f64 / (self.seconds as f64 * 1e9))
    }
}

impl DemandTrace {
    /// Begins to watch the device of a kernel name, as `nvme0n1` or `sda1`.
    ///
    /// # Errors
    /// Why the kernel takes no programs here, and what would help.
    pub fn start(device: &str) -> Result<Self, TelemetryError> {
        platform::Demand::start(device).map(Self)
    }

    /// To be called about once a second: now and then it lets the kernel time the programs for a second.
    pub fn second(&mut self) {
        self.0.second();
    }

    /// Ends watching.
    ///
    /// # Errors
    /// When the programs' maps cannot be read.
    pub fn finish(self) -> Result<BlockDemand, TelemetryError> {
        self.0.finish()
    }
}

/// The size that a place among the sizes stands for, in bytes.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "programs count on Linux only"))]
pub(super) fn size_at(place: usize) -> u64 {
    let place = place as u64;
    let sectors = if place < EXACT_SECTORS { place } else { (place - EXACT_SECTORS) * STEP_SECTORS };
    sectors * SECTOR_BYTES
}

/// Ends of a bucket of gaps, in nanoseconds: four for each doubling, from 8 ns on. The program puts a bit in where
/// there is none, so that shorter gaps share the first buckets in no order.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "programs count on Linux only"))]
pub(super) fn gap_at(bucket: usize) -> (u64, u64) {
    let (power, part) = (bucket / 4, (bucket % 4) as u64);
    if power <= 2 {
        return (0, 8);
    }
    let quarter = 1u64 << (power - 2);
    let low = (4 + part).saturating_mul(quarter);
    (low, low.saturating_add(quarter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_lie_side_by_side() {
        assert_eq!((size_at(8), size_at(1023), size_at(1024 + 4)), (4096, 523_776, 524_288));
        for bucket in 11..255 {
            let ((_, high), (low, next)) = (gap_at(bucket), gap_at(bucket + 1));
            assert_eq!(high, low, "{bucket}");
            assert!(next > low, "{bucket}");
        }
        // 1 ms is in a bucket that is a quarter of it wide at most.
        let of = |gap: u64| {
            let power = 63 - (gap | 4).leading_zeros() as usize;
            gap_at(power * 4 + (gap >> (power - 2) & 3) as usize)
        };
        for gap in [8, 9, 15, 1000, 999_999, 1_000_000, 1 << 40] {
            let (low, high) = of(gap);
            assert!(low <= gap && gap < high && high - low <= gap.div_ceil(4), "{gap}: {low} {high}");
        }
        for gap in 0..8 {
            assert_eq!(of(gap), (0, 8), "{gap}");
        }
    }
}
