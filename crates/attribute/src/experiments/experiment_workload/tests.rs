//! Which experiments can be made on what, and what they change.

use fathom_record::campaign::CellResult;
use fathom_record::facts::TargetFacts;
use fathom_record::workload::{Data, Verify};

use super::*;
use crate::input::{CellTelemetry, Connections, ExperimentAnswer, ExperimentResources};

/// Writes of one job or several to a target, and what is known and can be done beside them.
struct Scene {
    target: TargetFacts,
    workload: Workload,
    engine: &'static str,
    durable: bool,
    connections: Option<Connections>,
    means: ExperimentResources,
    answers: Vec<ExperimentAnswer>,
}

fn writes(kind: TargetKind, jobs: u32, depth: u32) -> Scene {
    let workload = Workload {
        mix: Mix { read_share: 0.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomCycle,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: Some(1 << 30),
        alignment_bytes: None,
        data: Data { compressible_share: 0.0, duplicate_share: 0.0, verify: Verify::Off },
        arrival: Arrival::Closed,
        jobs,
        depth,
        length: Length { time_ns: Some(1_000_000_000), ..Length::default() },
        seed: 1,
        special: None,
    };
    Scene {
        target: TargetFacts { size_bytes: 1 << 30, direct: true, ..TargetFacts::named("x", kind) },
        workload,
        engine: "uring",
        durable: false,
        connections: None,
        means: ExperimentResources::default(),
        answers: Vec::new(),
    }
}

impl Scene {
    fn trial(&self, experiment: Feature) -> Option<ExperimentTrial> {
        let cell = CellResult {
            jobs: self.workload.jobs,
            depth: self.workload.depth,
            runs: vec!["a".to_owned()],
            operations_per_s: 1000.0,
            throughput_bytes_per_s: 4_096_000.0,
            interval_share: None,
            in_flight_mean: f64::from(self.workload.jobs * self.workload.depth),
            service_mean_ns: 1e6,
            service_p50_ns: 1_000_000,
            service_p99_ns: None,
            service_p999_ns: None,
            cpu_ns_per_operation: None,
            busiest_core_share: None,
            others_cpu_share: None,
            others_device_share: None,
            disturbed_runs: Vec::new(),
            failed_checks: Vec::new(),
        };
        let cells = [cell];
        let telemetry = [CellTelemetry { connections: self.connections, ..CellTelemetry::default() }];
        let pattern = MeasuredPattern {
            title: "writes",
            target: &self.target,
            engine: self.engine,
            workload: &self.workload,
            cells: &cells,
            telemetry: &telemetry,
            focus: None,
            known: &[],
            answers: &self.answers,
            memory_bytes: None,
            queue_tags: None,
            is_drive: false,
            durable: self.durable,
            means: &self.means,
            command: &|_, _| String::new(),
        };
        trial(experiment, &pattern, &CurveShape::of(&pattern)?)
    }

    fn answered(mut self, experiment: Feature, ratio: f64) -> Self {
        self.answers.push(ExperimentAnswer {
            experiment,
            operations_per_s: 1000.0 * ratio,
            before_per_s: 1000.0,
            error_share: 0.005,
            inferred: None,
        });
        self
    }

    /// Way, jobs and depth of a trial.
    fn made(&self, experiment: Feature) -> Option<(ExperimentConditions, u32, u32)> {
        let trial = self.trial(experiment)?;
        Some((trial.way, trial.workload.jobs, trial.workload.depth))
    }
}

#[test]
fn a_second_file_takes_half_of_what_is_in_flight_and_only_files_have_one() {
    let beside = |kind, jobs, depth| {
        let mut scene = writes(kind, jobs, depth);
        scene.means.other_file = Some("folder".to_owned());
        scene.made(Feature::OtherFile)
    };
    let both = || ExperimentConditions::from(TrialTarget::Both("folder".to_owned()));
    assert_eq!(beside(TargetKind::File, 1, 8), Some((both(), 2, 4)));
    assert_eq!(beside(TargetKind::File, 4, 8), Some((both(), 4, 8)));
    assert_eq!(beside(TargetKind::File, 1, 1), None, "one I/O cannot be divided");
    assert_eq!(beside(TargetKind::BlockDevice, 4, 8), None);
    assert_eq!(writes(TargetKind::File, 4, 8).made(Feature::OtherFile), None, "there is none");
}

#[test]
fn what_waits_for_stable_storage_is_tried_without_and_the_page_cache_with() {
    let mut scene = writes(TargetKind::File, 1, 8);
    assert_eq!(scene.made(Feature::Unflushed), None);
    scene.workload.mix.flush_every_writes = 4;
    let without = scene.trial(Feature::Unflushed).unwrap();
    assert_eq!((without.way, without.workload.mix.flush_every_writes), (ExperimentConditions::default(), 0));
    scene.durable = true;
    assert_eq!(scene.trial(Feature::Unflushed).unwrap().way, TargetHandling::NotDurable.into());
    scene.workload.mix.read_share = 1.0;
    assert_eq!(scene.made(Feature::Unflushed), None, "reads wait for nothing");

    let mut cached = writes(TargetKind::File, 1, 8);
    assert_eq!(cached.made(Feature::Durable), None, "direct writes pass the page cache");
    cached.target.direct = false;
    assert_eq!(cached.made(Feature::Durable), Some((TargetHandling::Durable.into(), 1, 8)));
    cached.durable = true;
    assert_eq!(cached.made(Feature::Durable), None);
    cached.durable = false;
    cached.engine = "mmap";
    assert_eq!(cached.made(Feature::Durable), None, "stores into a mapping do not wait");
    cached.engine = "sync";
    cached.workload.mix.read_share = 1.0;
    assert_eq!(cached.made(Feature::Durable), None);
}

#[test]
fn one_connection_is_added_to_several_with_as_many_in_flight() {
    let more = |jobs, depth| {
        let mut scene = writes(TargetKind::FabricNamespace, jobs, depth);
        scene.connections = Some(Connections { least_rtt_ns: 1e5, ..Connections::default() });
        scene.made(Feature::OneConnection).map(|(_, jobs, depth)| (jobs, depth))
    };
    assert_eq!(more(4, 32), Some((5, 26)));
    assert_eq!(more(2, 32), Some((3, 21)));
    assert_eq!(more(3, 4), Some((4, 3)));
    assert_eq!(more(1, 32), None, "twice as many are an experiment of its own");
    assert_eq!(more(4, 2), None, "5 connections carry 5 or 10, and never 8");
    assert_eq!(more(64, 32), None);
    assert_eq!(writes(TargetKind::FabricNamespace, 4, 32).made(Feature::OneConnection), None);
}

#[test]
fn another_node_is_tried_where_there_is_one() {
    let mut scene = writes(TargetKind::BlockDevice, 2, 8);
    assert_eq!(scene.made(Feature::OtherNode), None);
    scene.means.other_node_cpus = Some(vec![4, 5]);
    let expected = (TargetHandling::OnProcessors(vec![4, 5]).into(), 2, 8);
    assert_eq!(scene.made(Feature::OtherNode), Some(expected));
    scene.workload.arrival = Arrival::Constant { rate_per_s: 100.0 };
    assert_eq!(scene.made(Feature::OtherNode), None, "the rate is the one that was asked for");
}

#[test]
fn many_jobs_have_as_much_in_flight_and_processors_to_run_on() {
    let many = |jobs, depth, most_jobs, deeper: Option<f64>| {
        let mut scene = writes(TargetKind::BlockDevice, jobs, depth);
        scene.means.most_jobs = most_jobs;
        let scene =
            deeper.into_iter().fold(scene, |scene, ratio| scene.answered(Feature::DoubleDepth, ratio));
        scene.made(Feature::ManyJobs).map(|(_, jobs, depth)| (jobs, depth))
    };
    assert_eq!(many(1, 64, 16, None), Some((8, 8)));
    assert_eq!(many(4, 64, 16, None), Some((16, 16)), "four times, where there are no processors for eight");
    assert_eq!(many(1, 22, u32::MAX, None), Some((8, 3)), "24 are as many as 22");
    assert_eq!(many(1, 64, 2, None), None, "there are no processors for them");
    assert_eq!(many(1, 9, 64, None), None, "9 cannot be divided");
    assert_eq!(many(1, 9, 64, Some(1.0)), Some((8, 2)), "where more change nothing");
    assert_eq!(many(1, 9, 64, Some(1.9)), None);
    assert_eq!(many(32, 64, u32::MAX, None), None, "no run has so many");
}

#[test]
fn a_far_block_is_larger_by_the_law_of_operations_and_smaller_by_that_of_bytes() {
    let far = |bytes: u64, answers: &[(Feature, f64)]| {
        let mut scene = writes(TargetKind::BlockDevice, 1, 8);
        scene.target.logical_block_bytes = 512;
        scene.workload.sizes = SizesByDirection::all(Sizes::Fixed { bytes });
        let scene = answers.iter().fold(scene, |scene, (feature, ratio)| scene.answered(*feature, *ratio));
        scene.trial(Feature::FarBlock).map(|trial| trial.workload.sizes.write.max_bytes())
    };
    let alike = [(Feature::DoubleBlock, 0.98)];
    let as_bytes = [(Feature::HalfBlock, 1.9)];
    assert_eq!(far(4096, &alike), Some(65_536));
    assert_eq!(far(128 << 10, &alike), Some(1 << 20), "larger ones are cut on the way");
    assert_eq!(far(512 << 10, &alike), None);
    assert_eq!(far(64 << 10, &as_bytes), Some(4096));
    assert_eq!(far(4096, &as_bytes), Some(512));
    assert_eq!(far(1024, &as_bytes), None, "no block is smaller");
    assert_eq!(far(4096, &[]), None, "which law is not known");
    assert_eq!(far(4096, &[(Feature::DoubleBlock, 0.7)]), None);
}
