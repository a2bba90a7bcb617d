//! A plain workload for tests to change.

use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Workload};

/// 4 KiB random reads of the whole target by one job.
pub(crate) fn plain() -> Workload {
    Workload {
        mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomCycle,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 1,
        length: Length { time_ns: Some(1), ..Length::default() },
        seed: 1,
        special: None,
    }
}
