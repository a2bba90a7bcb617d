//! What an attribution starts from: one pattern's cells and what was seen beside them.

use fathom_record::KnownCeiling;
use fathom_record::Workload;
use fathom_record::campaign::CellResult;
use fathom_record::facts::TargetFacts;

/// One pattern of an assessment.
pub struct Pattern<'a> {
    /// In words, as "4 KiB random read".
    pub title: &'a str,
    /// The target as it was opened.
    pub target: &'a TargetFacts,
    /// The engine that carried the I/O.
    pub engine: &'a str,
    /// The workload; jobs, depth and length are those of the cells.
    pub workload: &'a Workload,
    /// Every cell that was measured.
    pub cells: &'a [CellResult],
    /// What was seen beside each cell, in the order of `cells`; missing entries were not seen.
    pub telemetry: &'a [CellTelemetry],
    /// The cell that the verdict is about, as an index into `cells`: the peak. Absent: the fastest.
    pub focus: Option<usize>,
    /// Limits that were known before.
    pub known: &'a [KnownCeiling],
    /// Memory of the machine, which bounds its page cache.
    pub memory_bytes: Option<u64>,
    /// Writes the command line that runs a workload on this target with this engine.
    pub command: &'a dyn Fn(&Workload) -> String,
}

/// What was seen beside one cell, over all of its runs. A figure that is absent was not measured; one that
/// is not a number, or negative, is treated as absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellTelemetry {
    /// Measured time of all its runs, in seconds.
    pub seconds: f64,
    /// Busy share of each processor, 0 to 1, mean over the measured time; all kinds of work but idle and
    /// waiting for I/O. Empty where not known.
    pub core_busy_shares: Vec<f64>,
    /// Share of the time that the generator's threads were not waiting, mean over jobs.
    pub generator_busy_share: Option<f64>,
    /// Share of the generator's processor time that was spent in user mode, 0 to 1.
    pub generator_user_share: Option<f64>,
    /// Coefficient of variation of the 1-s rates inside the runs, warm-up excluded.
    pub rate_variation: Option<f64>,
    /// Bytes that the disks under the target moved, over the bytes of the workload.
    pub device_bytes_share: Option<f64>,
    /// Share of the processors' time that a hypervisor gave to others.
    pub steal_share: Option<f64>,
    /// Whether time was simulated: processors then play no part in the rate.
    pub simulated_time: bool,
}
