//! Several targets in one run: admitted together, loaded each by its own jobs, told apart in the record.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scene that cannot be set is a failed test")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fathom_campaign::{CampaignError, NoProgress, run_once};
use fathom_plan::{PlanSource, RunPlan, plan_of_record};
use fathom_record::RunRecord;
use fathom_record::facts::TargetKind;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

/// A plan over these targets with further keys, as a plan file says it.
fn plan(targets: &[&str], keys: &str) -> RunPlan {
    let text = format!("target = {targets:?}\n{keys}\n");
    PlanSource::from_toml(&text, "plan.toml").unwrap().resolve(1).unwrap()
}

fn run(targets: &[&str], keys: &str) -> Result<RunRecord, CampaignError> {
    run_once(&plan(targets, keys), &mut NoProgress, &AtomicBool::new(false))
}

/// A folder on storage more often than the system's temporary one.
fn folder() -> TempDir {
    tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap()
}

fn written(dir: &Path, name: &str, bytes: u64) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, (0..bytes).map(|at| at as u8).collect::<Vec<_>>()).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    path
}

#[test]
fn each_target_has_its_own_jobs_and_its_own_numbers() {
    let record = run(
        &["sim:nvme,size=1GiB", "sim:hdd,size=1GiB"],
        "jobs = 3\ndepth = 4\ntime = \"2s\"\nwarmup = \"1s\"",
    )
    .unwrap();
    let [fast, slow] = record.targets.as_slice() else { panic!("{:?}", record.targets) };
    assert_eq!((fast.name.as_str(), fast.jobs), ("sim:nvme,size=1GiB", 2));
    assert_eq!((slow.name.as_str(), slow.jobs), ("sim:hdd,size=1GiB", 1));
    let p50 = |at: usize| {
        let service = record.targets[at].directions[0].service.clone().unwrap();
        service.quantile_ns(0.5).unwrap()
    };
    assert!(p50(1) > 20 * p50(0), "{} and {}", p50(0), p50(1));
    assert!(fast.directions[0].operations_per_s > 20.0 * slow.directions[0].operations_per_s);
    // What the targets did is what the jobs did is what the run did.
    let of_targets: u64 = record.targets.iter().map(|target| target.directions[0].operations.unwrap()).sum();
    let of_jobs: u64 = record.jobs.iter().map(|job| job.operations.unwrap()).sum();
    assert_eq!((Some(of_targets), of_jobs), (record.summary.directions[0].operations, of_targets));
    assert_eq!(record.jobs.iter().map(|job| job.target).collect::<Vec<_>>(), [Some(0), Some(1), Some(0)]);
    let in_flight: f64 = record.targets.iter().map(|target| target.in_flight_mean.unwrap()).sum();
    assert!((in_flight - record.summary.in_flight_mean.unwrap()).abs() < 1e-6, "{in_flight}");
    let rate = |job: &fathom_record::run_record::JobSummary| job.operations_per_s.unwrap();
    let rates: f64 = record.jobs.iter().map(rate).sum();
    assert!((rates / record.summary.operations_per_s() - 1.0).abs() < 1e-9);
    assert_eq!(record.ledger.span_bytes, Some(2 << 30));
    assert_eq!(record.target.members.len(), 2);
    assert!(record.target.members.iter().all(|member| member.simulated.is_some()));
    // The plan that made it, again.
    let again = plan_of_record(&record);
    assert_eq!(again.targets, ["sim:nvme,size=1GiB", "sim:hdd,size=1GiB"]);
}

#[test]
fn one_target_is_no_list_of_one() {
    let record = run(&["sim:nvme"], "time = \"1s\"").unwrap();
    assert!(record.targets.is_empty() && record.target.members.is_empty());
    assert_eq!(record.jobs[0].target, None);
}

#[test]
fn sequential_jobs_cover_each_target_once_and_what_they_wrote_is_there() {
    let dir = folder();
    let name = dir.path().to_str().unwrap();
    let keys = "rw = \"write\"\nbs = \"64k\"\nsize = \"1m\"\njobs = 5\ndepth = 2\nbytes = \"2560k\"\nverify = \"at-end\"";
    let record = run(&[name, name], keys).unwrap();
    assert!(record.target.scratch && record.target.kind == TargetKind::File);
    assert_eq!(record.ledger.bytes_written, Some(2560 << 10));
    assert_eq!(record.ledger.span_bytes, Some(2 * MIB));
    let verification =
        record.checks.iter().find(|check| check.name == fathom_record::CheckName::Verification).unwrap();
    assert_eq!(verification.outcome, fathom_record::CheckOutcome::Pass, "{}", verification.explanation);
}

#[test]
fn a_stripe_is_one_target_and_what_was_written_through_it_is_there() {
    let dir = folder();
    let (first, second) =
        (written(dir.path(), "first", 5 * MIB), written(dir.path(), "second", 3 * MIB + 5000));
    let names = [first.to_str().unwrap(), second.to_str().unwrap()];
    let tail = fs::read(&first).unwrap().split_off(3 * MIB as usize);
    for (engine, rest) in [
        ("uring", "rw = \"randwrite\"\nbs = \"4k-192k/4k\"\nflush-every = 16\ndepth = 8"),
        ("aio", "rw = \"write\"\nbs = \"96k\"\naddresses = \"interlocked\"\ndepth = 4"),
        ("sync", "rw = \"randrw\"\nbs = \"68k\"\nalign = \"4k\"\ndepth = 2"),
    ] {
        let keys = format!(
            "stripe = \"64k\"\njobs = 2\nbytes = \"12m\"\nverify = \"at-end\"\nengine = \"{engine}\"\n\
             destroy = [\"first\", \"second\"]\ncpus = \"any\"\n{rest}"
        );
        let record = match run(&names, &keys) {
            Err(CampaignError::Engine(error)) if error.kind == fathom_engine::ErrorKind::Unsupported => {
                continue;
            }
            other => other.unwrap(),
        };
        let target = &record.target;
        assert_eq!((target.stripe_bytes, target.members.len()), (Some(64 << 10), 2));
        // Of each as many chunks as the smaller one holds.
        assert_eq!((target.size_bytes, record.ledger.span_bytes), (6 * MIB, Some(6 * MIB)));
        assert!(record.targets.is_empty() && record.jobs.iter().all(|job| job.target.is_none()));
        assert!(record.engine.features.iter().any(|feature| feature.name == "stripe" && feature.used));
        assert_eq!(
            record.summary.directions.iter().map(|direction| direction.errors).sum::<Option<u64>>(),
            Some(0)
        );
        let verification =
            record.checks.iter().find(|check| check.name == fathom_record::CheckName::Verification).unwrap();
        assert_eq!(
            verification.outcome,
            fathom_record::CheckOutcome::Pass,
            "{engine}: {}",
            verification.explanation
        );
        let again = plan_of_record(&record);
        assert_eq!((again.options.stripe_bytes, again.targets.len()), (Some(64 << 10), 2));
    }
    assert_eq!(fs::read(&first).unwrap().split_off(3 * MIB as usize), tail, "beyond the stripe");
}

#[test]
fn a_stripe_over_scratch_files_shares_its_size_among_them() {
    let dir = folder();
    let name = dir.path().to_str().unwrap();
    let record =
        run(&[name, name, name], "stripe = \"16k\"\nsize = \"1m\"\ncount = 64\nbs = \"32k\"").unwrap();
    // 64 chunks are 22 on the first.
    assert!(record.target.members.iter().all(|member| member.size_bytes == 22 << 14));
    assert_eq!((record.target.size_bytes, record.ledger.span_bytes), (66 << 14, Some(MIB)));
    assert_eq!((record.jobs.len(), record.summary.directions[0].operations), (1, Some(64)));
}

#[test]
fn what_makes_no_stripe_is_refused() {
    let refusal = |targets: &[&str], keys: &str| run(targets, keys).unwrap_err().to_string();
    for target in ["null:", "memory:", "sim:nvme"] {
        let error = refusal(&[target, target], "stripe = \"64k\"");
        assert!(error.contains("--stripe with target") && error.contains("leave --stripe out"), "{error}");
    }
    let dir = folder();
    let (large, small) = (written(dir.path(), "large", MIB), written(dir.path(), "small", 40_960));
    let names = [large.to_str().unwrap(), small.to_str().unwrap()];
    let error = refusal(&names, "stripe = \"64k\"");
    assert!(error.contains("40960") && error.contains("65536"), "{error}");
    let error = refusal(&names, "stripe = \"16k\"\nengine = \"mmap\"\nbuffered = true");
    assert!(error.contains("one mapping"), "{error}");
    let error = refusal(&names, "stripe = \"16k\"\nrw = \"randwrite\"\ndestroy = \"large\"");
    assert!(error.contains("--destroy small"), "each member is guarded: {error}");
    let error = refusal(&names, "stripe = \"4k\"\nbs = \"16m\"\ndepth = 1000");
    assert!(error.contains("hold") || error.contains("bytes"), "{error}");
}

#[test]
fn the_same_file_twice_is_refused_for_writing_and_noted_for_reading() {
    let dir = folder();
    let path = written(dir.path(), "data", MIB);
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let (path, link) = (path.to_str().unwrap(), link.to_str().unwrap());
    let keys = "count = 16\ndepth = 1";
    let record = run(&[path, link], keys).unwrap();
    assert!(record.notes.iter().any(|note| note.contains("share bytes")), "{:?}", record.notes);
    let error = run(&[path, link], &format!("{keys}\nrw = \"randwrite\"\ndestroy = \"data\"")).unwrap_err();
    assert!(error.to_string().contains("share bytes"), "{error}");
}

#[test]
fn nothing_is_laid_out_or_written_before_all_are_admitted() {
    let dir = folder();
    let (first, second) = (written(dir.path(), "first", MIB), written(dir.path(), "second", MIB));
    let before = fs::read(&first).unwrap();
    let (first_name, second_name) = (first.to_str().unwrap(), second.to_str().unwrap());
    let keys = "rw = \"randwrite\"\ncount = 16\ndepth = 1";
    // Permission names the first alone.
    let one = format!("{keys}\ndestroy = \"first\"");
    let error = run(&[first_name, second_name], &one).unwrap_err().to_string();
    assert!(error.contains("--destroy second"), "{error}");
    assert_eq!(fs::read(&first).unwrap(), before);
    // A file that would be made first is not.
    let kept = dir.path().join("made");
    let keep = format!("{keys}\nsize = \"1m\"");
    run(&[kept.to_str().unwrap(), second_name], &keep).unwrap_err();
    assert!(!kept.exists());
    // Permission that names nobody stops all; both named, both are written.
    let stranger = format!("{keys}\ndestroy = [\"first\", \"second\", \"third\"]");
    let error = run(&[first_name, second_name], &stranger).unwrap_err().to_string();
    assert!(error.contains("`--destroy third` names none"), "{error}");
    let both = format!("{keys}\ndestroy = [\"first\", \"second\"]");
    let record = run(&[first_name, second_name], &both).unwrap();
    assert!(record.targets.iter().all(|target| target.directions[0].operations == Some(8)));
    assert_ne!(fs::read(&first).unwrap(), before);
}

#[test]
fn what_cannot_go_together_is_refused() {
    let error = run(&["null:", "memory:"], "time = \"1s\"").unwrap_err().to_string();
    assert!(error.contains("no engine carries both null: and memory:"), "{error}");
    let text = "target = [\"null:\", \"null:\", \"null:\"]\njobs = 2\n";
    let error = PlanSource::from_toml(text, "plan.toml").unwrap().resolve(1).unwrap_err().to_string();
    assert!(error.contains("at least 3"), "{error}");
    let dir = folder();
    let (large, small) = (written(dir.path(), "large", MIB), written(dir.path(), "small", 4096));
    let names = [large.to_str().unwrap(), small.to_str().unwrap()];
    let error = run(&names, "bs = \"64k\"\ncount = 2").unwrap_err().to_string();
    assert!(error.contains("small"), "{error}");
}
