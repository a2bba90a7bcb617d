//! A measured pattern made from a known truth: a curve over jobs x depth, and what was seen beside it.

use fathom_attribute::evidence::Feature;
use fathom_attribute::{
    CellTelemetry, ExperimentAnswer, ExperimentConditions, ExperimentResources, MeasuredPattern,
    TargetHandling, TrialTarget, attribute,
};
use fathom_record::campaign::CellResult;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::verdict::{Confidence, Limit, Verdict};
use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Verify, Workload,
};
use fathom_record::{CeilingRate, KnownCeiling};
use fathom_stats::{MeasuredCell, peak};

/// Cells of a typical search, of which the curve gives the rates.
const CELLS: [(u32, u32); 9] = [(1, 1), (1, 4), (2, 4), (2, 8), (4, 8), (8, 8), (4, 16), (8, 32), (16, 32)];

pub struct Scene {
    pub target: TargetFacts,
    pub workload: Workload,
    pub cells: Vec<CellResult>,
    pub telemetry: Vec<CellTelemetry>,
    pub declared: Vec<KnownCeiling>,
    pub memory_bytes: Option<u64>,
    pub focus: Option<usize>,
    pub answers: Vec<ExperimentAnswer>,
    pub means: ExperimentResources,
    pub durable: bool,
}

pub fn target(kind: TargetKind) -> TargetFacts {
    TargetFacts {
        size_bytes: 1 << 40,
        logical_block_bytes: 512,
        physical_block_bytes: Some(4096),
        direct: true,
        ..TargetFacts::named("/dev/nvme1n1", kind)
    }
}

fn workload() -> Workload {
    Workload {
        mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomCycle,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: Some(1 << 30),
        alignment_bytes: None,
        data: Data { compressible_share: 0.0, duplicate_share: 0.0, verify: Verify::Off },
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 1,
        length: Length { time_ns: Some(1_000_000_000), ..Length::default() },
        seed: 1,
        special: None,
    }
}

pub fn cell(jobs: u32, depth: u32, x_per_s: f64) -> CellResult {
    let in_flight = f64::from(jobs) * f64::from(depth);
    let service_mean_ns = in_flight / x_per_s * 1e9;
    CellResult {
        jobs,
        depth,
        runs: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
        operations_per_s: x_per_s,
        throughput_bytes_per_s: x_per_s * 4096.0,
        interval_share: Some(0.006),
        in_flight_mean: in_flight,
        service_mean_ns,
        service_p50_ns: (service_mean_ns * 0.95) as u64,
        service_p99_ns: Some((service_mean_ns * 2.0) as u64),
        service_p999_ns: Some((service_mean_ns * 3.0) as u64),
        cpu_ns_per_operation: Some(3000.0),
        busiest_core_share: Some(0.3),
        others_cpu_share: None,
        others_device_share: None,
        disturbed_runs: Vec::new(),
        failed_checks: Vec::new(),
    }
}

/// A quiet machine of eight processors.
pub fn quiet(variation: f64) -> CellTelemetry {
    CellTelemetry {
        seconds: 12.0,
        core_busy_shares: vec![0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
        generator_busy_share: Some(0.25),
        generator_user_share: Some(0.3),
        rate_variation: Some(variation),
        device_bytes_share: Some(1.0),
        steal_share: Some(0.0),
        ..CellTelemetry::default()
    }
}

impl Scene {
    /// Rates by jobs and depth, with 1-s rates that vary by `variation`.
    pub fn new(curve: impl Fn(f64, f64) -> f64, variation: f64) -> Self {
        let cells = CELLS.map(|(jobs, depth)| cell(jobs, depth, curve(f64::from(jobs), f64::from(depth))));
        Self {
            target: target(TargetKind::BlockDevice),
            workload: workload(),
            telemetry: vec![quiet(variation); cells.len()],
            cells: cells.to_vec(),
            declared: Vec::new(),
            memory_bytes: Some(64 << 30),
            focus: None,
            answers: Vec::new(),
            means: ExperimentResources::default(),
            durable: false,
        }
    }

    pub fn each(mut self, change: impl Fn(&mut CellResult, &mut CellTelemetry)) -> Self {
        self.cells.iter_mut().zip(&mut self.telemetry).for_each(|(cell, seen)| change(cell, seen));
        self
    }

    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub fn declare_iops(mut self, operations_per_s: f64) -> Self {
        self.declared.push(KnownCeiling::declared(CeilingRate::Iops { operations_per_s }));
        self
    }

    pub fn declare_throughput(mut self, bytes_per_s: f64) -> Self {
        self.declared.push(KnownCeiling::declared(CeilingRate::Throughput { bytes_per_s }));
        self
    }

    /// What an experiment gave, against the rate at the peak.
    pub fn answered(mut self, experiment: Feature, ratio: f64) -> Self {
        let before_per_s = self.cells.iter().map(|cell| cell.operations_per_s).fold(0.0, f64::max);
        let operations_per_s = ratio * before_per_s;
        self.answers.push(ExperimentAnswer {
            experiment,
            operations_per_s,
            before_per_s,
            error_share: 0.003,
            inferred: None,
        });
        self
    }

    /// The verdict at the peak.
    pub fn verdict(&self) -> Verdict {
        let observed: Vec<MeasuredCell> = self
            .cells
            .iter()
            .map(|c| MeasuredCell {
                jobs: c.jobs,
                depth: c.depth,
                x_per_s: c.operations_per_s,
                r_ns: c.service_mean_ns,
                quantile_ns: None,
            })
            .collect();
        let command = |w: &Workload, way: &ExperimentConditions| {
            let place = match &way.place {
                TrialTarget::Target => String::new(),
                TrialTarget::Both(other) => format!(" and {other}"),
                TrialTarget::Below(device) => format!(" below, {device}"),
            };
            let manner = match &way.manner {
                TargetHandling::Same => String::new(),
                TargetHandling::Durable => " durable".to_owned(),
                TargetHandling::NotDurable => " not durable".to_owned(),
                TargetHandling::OnProcessors(cpus) => format!(" on {cpus:?}"),
            };
            format!(
                "fathom run --target x{place}{manner} --bs {} --jobs {} --depth {} --time {}",
                w.sizes.read.min_bytes(),
                w.jobs,
                w.depth,
                w.length.time_ns.unwrap_or(0)
            )
        };
        attribute(&MeasuredPattern {
            title: "4 KiB random read",
            target: &self.target,
            engine: "uring",
            workload: &self.workload,
            cells: &self.cells,
            telemetry: &self.telemetry,
            focus: self.focus.or_else(|| peak(&observed).map(|p| p.index)),
            known: &self.declared,
            answers: &self.answers,
            memory_bytes: self.memory_bytes,
            queue_tags: None,
            is_drive: false,
            durable: self.durable,
            means: &self.means,
            command: &command,
        })
        .verdict
    }
}

/// The claims as pairs, in order.
pub fn claims(verdict: &Verdict) -> Vec<(Limit, Confidence)> {
    verdict.claims.iter().map(|c| (c.limit, c.confidence)).collect()
}
