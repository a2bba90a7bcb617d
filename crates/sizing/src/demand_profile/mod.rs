//! A profile from a demand: how it came, in numbers that a token bucket or a benchmark can be made of.
//!
//! One pure function a volume: the same input gives the same profile, wherever it runs.

mod access;
mod burstiness;
mod demand_plateau;
mod demand_series;
mod envelope;
mod resolution;
mod size_mix;

use fathom_record::ProfileRecord;
use fathom_record::profile_record::ThrottlingReport;

use crate::catalogue::{Catalogue, Instance};
use crate::demand::Demand;
use crate::trace::Trace;
use crate::windows;

pub use demand_plateau::{TickPeak, tops_of};
pub use demand_series::{demand_of, series_of};
pub use size_mix::of_counts as mix_of_counts;

/// What is profiled.
#[derive(Clone, Copy, Debug)]
pub struct ProfileSubject<'a> {
    /// The demand; of a trace, the one that it adds up to.
    pub demand: &'a Demand,
    /// Single I/Os, where they are known.
    pub trace: Option<&'a Trace>,
    /// Name of what it was read from, for people.
    pub from: &'a str,
    /// Kind of the source, as `iostat`.
    pub source: &'a str,
    /// The disk, where the source names one.
    pub device: Option<&'a str>,
    /// Start of the first tick, in seconds since 1970.
    pub start_unix_s: Option<i64>,
    /// Whether the source tells reads from writes.
    pub directions_known: bool,
    /// What the source says of throttling.
    pub throttled: &'a [ThrottlingReport],
    /// The instance that the volume is attached to, for its limits.
    pub instance: Option<&'a Instance>,
}

/// What is said where reads and writes are one number.
const UNTOLD: &str = "The source counts reads and writes together: they were divided in proportion to their bytes. Totals are right; the I/Os of each direction are not known.";

/// The profile of a demand; `notes` are what reading it left to say.
pub fn profile(catalogue: &Catalogue, subject: &ProfileSubject<'_>, notes: Vec<String>) -> ProfileRecord {
    let (demand, told) = (subject.demand, subject.directions_known);
    let summary = windows::summary(demand, subject.from);
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let plateaus = demand_plateau::plateaus(demand, catalogue, subject.instance);
    let resolution = resolution::resolution(demand, subject.trace);
    let mut record = ProfileRecord {
        format: ProfileRecord::FORMAT.to_owned(),
        version: ProfileRecord::VERSION,
        command: None,
        source: subject.source.to_owned(),
        device: subject.device.map(str::to_owned),
        start_unix_s: subject.start_unix_s,
        directions_known: told,
        read_share: share(summary.read.operations, summary.total.operations).filter(|_| told),
        read_bytes_share: share(summary.read.bytes, summary.total.bytes),
        read_sizes: size_mix::mix(&demand.read, subject.trace, false).filter(|_| told),
        write_sizes: size_mix::mix(&demand.write, subject.trace, true).filter(|_| told),
        burstiness: burstiness::burstiness(demand, subject.trace),
        operations_envelope: envelope::envelope(demand, &demand.operations()),
        bytes_envelope: envelope::envelope(demand, &demand.bytes()),
        resolution,
        plateaus,
        throttled: subject.throttled.to_vec(),
        access: subject.trace.and_then(access::access),
        block_layer: None,
        series: series_of(demand),
        demand: summary,
        notes,
    };
    if !told {
        record.notes.push(UNTOLD.to_owned());
    }
    record.notes.extend(demand_plateau::notes(&record));
    record.notes.extend(resolution::note(demand, subject.trace.is_some()));
    record
}
