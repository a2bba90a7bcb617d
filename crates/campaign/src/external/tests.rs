//! The installed fio, and bdevperf where `FATHOM_BDEVPERF` names it, driven by plans.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fathom_record::run_record::RunEnding;
use fathom_record::{Direction, RunRecord};
use fathom_tools::result_import::by_name;

use super::{ToolEngine, run_external};
use crate::error::CampaignError;
use crate::progress::NoProgress;
use fathom_plan::PlanSource;

/// Runs a plan with another tool in a folder of its own; the target `data.bin` is there with so many bytes.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(bytes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8 + 1).collect();
        std::fs::write(folder.path().join("data.bin"), content).unwrap();
        Self { folder }
    }

    fn run(&self, keys: &str, stop: &AtomicBool) -> Result<RunRecord, CampaignError> {
        let target = self.folder.path().join("data.bin");
        let text = format!("target = {:?}\n{keys}", target.display().to_string());
        let plan = PlanSource::from_toml(&text, "plan.toml")?.resolve(7)?;
        let external = ToolEngine::of(plan.engine.as_deref().unwrap()).unwrap();
        run_external(&plan, &external, &self.folder.path().join("raw"), &mut NoProgress, stop)
    }

    /// What the tool was given and printed, by file name.
    fn kept(&self, record: &RunRecord, file: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("raw").join(&record.id).join(file)).unwrap()
    }
}

fn has_fio() -> bool {
    let there = Command::new("fio").arg("--version").output().is_ok_and(|output| output.status.success());
    let read = by_name("fio-json").is_some();
    if !there || !read {
        fathom_skips::skipped("fio is not installed, or its JSON is not read");
    }
    there && read
}

/// Bytes that programs which work below a folder have read so far.
fn bytes_read_below(folder: &Path) -> u64 {
    let folder = folder.canonicalize().unwrap();
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let of_process = |process: &Path| -> Option<u64> {
        let works_in = std::fs::read_link(process.join("cwd")).ok()?;
        let counts = std::fs::read_to_string(process.join("io")).ok()?;
        let bytes = counts.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse::<u64>().ok());
        bytes.filter(|_| works_in.starts_with(&folder))
    };
    processes.flatten().filter_map(|entry| of_process(&entry.path())).sum()
}

static NEVER: AtomicBool = AtomicBool::new(false);

#[test]
fn fio_runs_a_plan_and_its_result_is_a_record() {
    if !has_fio() {
        return;
    }
    let bench = Bench::new(8 << 20);
    let keys = "engine = \"fio\"\nbuffered = true\nrw = \"randread\"\ndepth = 4\njobs = 2\ntime = \"2s\"\nwarmup = \"0s\"";
    let record = bench.run(keys, &NEVER).unwrap();
    let read = record.summary.direction(Direction::Read).unwrap();
    assert!(read.operations.unwrap() > 100);
    assert_eq!(read.bytes, read.operations.map(|count| count * 4096));
    assert_eq!((record.tool.name.as_str(), record.workload.jobs, record.workload.depth), ("fio", 2, 4));
    assert_eq!(record.target.size_bytes, 8 << 20);
    assert!(!record.telemetry.series.is_empty(), "the machine was watched beside it");
    assert!(bench.kept(&record, "job.fio").contains("iodepth=4"));
    assert!(bench.kept(&record, "fio.json").contains("\"jobs\""));
    assert!(record.origin.as_ref().unwrap().why_absent("workload").is_none(), "the plan says it");
}

#[test]
fn an_interrupted_fio_leaves_what_it_measured() {
    if !has_fio() {
        return;
    }
    let bench = Bench::new(8 << 20);
    let stop = AtomicBool::new(false);
    let record = std::thread::scope(|scope| {
        scope.spawn(|| {
            // Before its first I/O it reads some tens of KiB. One that cannot be seen to read is stopped all the same.
            for _ in 0..1000 {
                if bytes_read_below(bench.folder.path()) > 4 << 20 {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            stop.store(true, Ordering::Relaxed);
        });
        let keys = "engine = \"fio\"\nbuffered = true\ndepth = 1\ntime = \"60s\"\nwarmup = \"0s\"";
        bench.run(keys, &stop).unwrap()
    });
    assert_eq!(record.ending, RunEnding::Interrupted);
    assert!(record.summary.duration_ns < 30_000_000_000);
    assert!(record.summary.operations().unwrap() > 0);
}

#[test]
fn the_guard_comes_before_the_tool() {
    let bench = Bench::new(1 << 20);
    let error = bench
        .run("engine = \"fio\"\nbuffered = true\nrw = \"randwrite\"\ntime = \"1s\"", &NEVER)
        .unwrap_err();
    assert!(error.to_string().contains("--destroy data.bin"), "{error}");
    let blind = bench.run(
        "engine = \"diskspd:no-such-reach\"\nrw = \"randwrite\"\naddresses = \"independent\"\ntime = \"1s\"",
        &NEVER,
    );
    assert!(blind.unwrap_err().to_string().contains("cannot be inspected from here"));
}

#[test]
fn what_a_tool_cannot_do_is_refused_before_it_starts() {
    let bench = Bench::new(1 << 20);
    for (keys, told) in [
        ("engine = \"fio\"\nrw = \"read\"\naddresses = \"interlocked\"\njobs = 2", "share no position"),
        ("engine = \"fio\"\nwitness = \"auto\"", "--witness with engine fio"),
        ("engine = \"fio\"\nrw = \"write\"\nverify = \"at-end\"", "--verify with engine fio"),
        ("engine = \"fio@host\"", "add --size"),
        ("engine = \"bdevperf\"\nbs = \"4k-64k\"", "one size"),
        ("engine = \"bdevperf\"\nrate = \"5k\"", "at no rate"),
        ("engine = \"bdevperf-uring\"\nrw = \"randread\"", "for writing"),
        ("engine = \"fio:/no/such/fio\"\ntime = \"1s\"", "no such program"),
    ] {
        let keys = format!("{keys}\nbuffered = {}", !keys.contains("bdevperf"));
        match bench.run(&keys, &NEVER) {
            Err(error) => assert!(error.to_string().contains(told), "{keys}: {error}"),
            Ok(record) => panic!("{keys}: {:?}", record.notes),
        }
    }
}

#[test]
fn bdevperf_runs_a_plan_where_it_is_named() {
    let Ok(path) = std::env::var("FATHOM_BDEVPERF") else {
        fathom_skips::skipped("FATHOM_BDEVPERF names no bdevperf");
        return;
    };
    let bench = Bench::new(64 << 20);
    let keys =
        format!("engine = \"bdevperf:{path}\"\nrw = \"randread\"\ndepth = 8\ntime = \"2s\"\nwarmup = \"0s\"");
    let record = bench.run(&keys, &NEVER).unwrap();
    assert!(record.summary.operations_per_s() > 100.0);
    assert_eq!((record.tool.name.as_str(), record.workload.depth), ("bdevperf", 8));
    assert_ne!(record.tool.version, "unknown");
    assert!(bench.kept(&record, "bdev.json").contains("bdev_aio_create"));
    assert!(bench.kept(&record, "stdout.txt").contains("Device Information"));
}

#[test]
fn bdevperf_asks_by_io_uring_where_one_built_with_it_is_named() {
    let Ok(path) = std::env::var("FATHOM_BDEVPERF_URING") else {
        fathom_skips::skipped("FATHOM_BDEVPERF_URING names no bdevperf that was built with io_uring");
        return;
    };
    let bench = Bench::new(64 << 20);
    std::fs::remove_file(bench.folder.path().join("data.bin")).unwrap();
    let keys = format!(
        "engine = \"bdevperf-uring:{path}\"\nrw = \"randrw\"\ndepth = 8\ntime = \"2s\"\nwarmup = \"0s\"\nsize = \"64MiB\""
    );
    let record = bench.run(&keys, &NEVER).unwrap();
    assert!(record.summary.operations_per_s() > 100.0);
    assert!(bench.kept(&record, "bdev.json").contains("bdev_uring_create"));
}
