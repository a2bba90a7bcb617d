//! Jobs of fio and what they come to.

use fathom_record::Direction;
use fathom_record::options::{Priority, PriorityRule};
use fathom_record::workload::{
    AccessHint, Addresses, Arrival, CacheAdvice, ConstantContent, FileOrder, Length, Sizes, SpecialFeatures,
    Verify,
};

use super::*;
use crate::fio::cmdline;
use crate::fio::fio_job::Variables;
use crate::fio::job_expansion;

fn around() -> JobContext<'static> {
    JobContext {
        target_bytes: &|name| name.starts_with("/dev/").then_some(1 << 40),
        log: &|name| {
            crate::fio::read_iolog::survey(
                LOGS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text).as_bytes(),
            )
        },
        new_seed: 7,
    }
}

/// Logs that jobs name.
const LOGS: [(&str, &str); 2] = [
    ("timed", "fio version 3 iolog\n0 data add\n0 data open\n0 data read 0 4096\n9 data write 8192 8192\n"),
    ("old", "fio version 2 iolog\ndata add\ndata open\ndata read 0 4096\ndata read 512 512\n"),
];

fn jobs(words: &str) -> Vec<Job> {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let invocation = cmdline::parse(&words).expect("a command line");
    let variables = Variables { environment: &|_| None, processors: 1, page_bytes: 4096, memory_mib: 1 };
    job_expansion::jobs(&invocation, &[], &variables, &mut |_, _| Err(std::io::ErrorKind::NotFound.into()))
        .expect("jobs")
}

fn mapped(words: &str) -> MappedJob {
    map(&jobs(&format!("--name=j {words}"))[0], &around()).expect("a mapped job")
}

fn runs(words: &str) -> Vec<RunPlan> {
    match mapped(words).doer {
        Executor::Fathom(runs) => runs,
        other => panic!("{words}: {other:?}"),
    }
}

fn workload(words: &str) -> Workload {
    let [run] = <[RunPlan; 1]>::try_from(runs(words)).expect(words);
    run.workload
}

fn reasons(words: &str) -> Vec<String> {
    match mapped(words).doer {
        Executor::Fio(reasons) => reasons,
        other => panic!("{words}: {other:?}"),
    }
}

#[test]
fn the_command_of_a_published_evaluation_maps_whole() {
    let words = "--directory=/mnt/x --randrepeat=1 --ioengine=libaio --direct=1 --bsrange=4k-16k,64k-64k --iodepth=64 \
                 --size=2G --readwrite=randrw --rwmixread=33 --numjobs=16 --time_based --runtime=900 --group_reporting";
    let runs = runs(words);
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.targets.len(), 16);
    assert_eq!((run.targets[0].as_str(), run.targets[15].as_str()), ("/mnt/x/j.0.0", "/mnt/x/j.15.0"));
    let workload = &run.workload;
    assert_eq!((workload.jobs, workload.depth), (16, 64));
    assert_eq!(workload.sizes.read, Sizes::Range { min_bytes: 4096, max_bytes: 16384, step_bytes: 4096 });
    assert_eq!(workload.sizes.write, Sizes::Fixed { bytes: 65536 });
    assert!(workload.sizes.own_alignment, "each direction has its own grid in fio");
    assert_eq!(workload.mix.read_share, 0.33);
    assert_eq!(workload.addresses, Addresses::RandomCycle);
    assert_eq!(workload.span_bytes, Some(2 << 30));
    assert_eq!(workload.length, Length { time_ns: Some(900_000_000_000), ..Length::default() });
    assert_eq!((run.engine.as_deref(), run.options.direct), (Some("aio"), true));
}

#[test]
fn defaults_are_fios() {
    let workload = workload("--filename=/dev/x");
    assert_eq!(workload.mix.read_share, 1.0);
    assert_eq!(workload.addresses, Addresses::Sequential);
    assert_eq!(workload.sizes.read, Sizes::Fixed { bytes: 4096 });
    assert_eq!((workload.jobs, workload.depth, workload.seed), (1, 1, 0x89));
    assert_eq!(workload.length.bytes, Some(1 << 40), "the whole target once");
    let run = &runs("--filename=/dev/x")[0];
    assert_eq!((run.engine.as_deref(), run.options.direct, run.options.keep), (Some("sync"), false, true));
}

#[test]
fn bytes_are_each_clones_size_times_its_loops() {
    let length = |words: &str| runs(words)[0].workload.length.bytes;
    assert_eq!(length("--size=1m --rw=randread --numjobs=4 --loops=3"), Some(12 << 20));
    assert_eq!(length("--size=1m --rw=read --numjobs=4 --filename=/dev/x"), Some(1 << 20), "one run a clone");
    assert_eq!(length("--size=1m --io_size=4m --rw=randread"), Some(4 << 20));
    assert_eq!(length("--size=1m --io_size=50% --rw=randread"), Some(1 << 19));
    assert_eq!(length("--filesize=1m --nrfiles=4 --rw=read --bs=4k"), Some(4 << 20));
    assert_eq!(length("--filename=/dev/x --size=50% --rw=read"), Some(1 << 39));
    assert_eq!(length("--filename=/dev/x --runtime=10 --time_based"), None);
}

#[test]
fn clones_are_spread_as_fio_spreads_them() {
    let shared = runs("--filename=/dev/x --rw=randread --numjobs=4 --runtime=1 --time_based --rate_iops=100");
    assert_eq!((shared.len(), shared[0].workload.jobs, shared[0].targets.len()), (1, 4, 1));
    assert_eq!(shared[0].workload.arrival, Arrival::Constant { rate_per_s: 400.0 });
    let in_order = runs("--filename=/dev/x --rw=read --numjobs=3 --runtime=1 --time_based");
    assert_eq!(in_order.len(), 3, "each clone reads all from the start");
    let apart = runs("--filename=/dev/x --rw=read --numjobs=2 --offset_increment=1g --size=1g --offset=4k");
    assert_eq!(
        apart.iter().map(|run| run.workload.offset_bytes).collect::<Vec<_>>(),
        [4096, 4096 + (1 << 30)]
    );
    let laps = runs("--filename=/dev/x --rw=randread --percentage_random=50 --size=1m --numjobs=3");
    assert_eq!(
        (laps.len(), laps[0].workload.jobs),
        (1, 3),
        "each job has laps of its own, as fio's clones do"
    );
    let own = runs("--size=1m --rw=write --numjobs=2");
    assert_eq!((own.len(), own[0].targets.len(), own[0].workload.jobs), (1, 2, 2));
    let striped = runs("--filename=/dev/x:/dev/y --rw=read --bs=64k --runtime=1 --time_based");
    assert_eq!((striped[0].options.stripe_bytes, striped[0].targets.len()), (Some(1 << 40), 2));
    let special = striped[0].workload.special.as_deref().expect("files in turn");
    let turns = special.files.expect("files in turn");
    assert_eq!((turns.files, turns.file_bytes, turns.order), (2, 1 << 40, FileOrder::RoundRobin { ios: 1 }));
}

#[test]
fn sizes_have_fios_forms() {
    let sizes = |words: &str| workload(&format!("--filename=/dev/x --rw=randrw {words}")).sizes;
    assert_eq!(sizes("--bs=4k,8k").write, Sizes::Fixed { bytes: 8192 });
    assert_eq!(sizes("--bs=,8k").read, Sizes::Fixed { bytes: 4096 });
    let Sizes::Split { shares } = sizes("--bs=1m --bssplit=4k/10:64k/50:32k/").read else {
        panic!("a split")
    };
    assert_eq!(
        shares.iter().map(|part| (part.share * 100.0).round()).collect::<Vec<_>>(),
        [10.0, 50.0, 40.0]
    );
    assert_eq!(sizes("--bs=8k,64k --bs_is_seq_rand=1").read, Sizes::Fixed { bytes: 65536 });
    assert!(matches!(sizes("--bsrange=512:1M").read, Sizes::Range { min_bytes: 512, .. }));
}

#[test]
fn distributions_have_fathoms_names() {
    let addresses = |words: &str| workload(&format!("--filename=/dev/x --rw=randread {words}")).addresses;
    assert_eq!(addresses("--norandommap"), Addresses::RandomIndependent);
    assert!(
        matches!(addresses("--percentage_random=85"), Addresses::Laps { jump_share, .. } if jump_share == 0.85)
    );
    assert_eq!(addresses("--random_distribution=zipf:1.2"), Addresses::Zipf { exponent: 1.2 });
    assert_eq!(addresses("--random_distribution=pareto:0.3"), Addresses::Pareto { skew: 0.3 });
    let Addresses::Zoned { zones } = addresses("--random_distribution=zoned:50/5:30/15:20/") else {
        panic!("zones")
    };
    assert_eq!(
        zones.iter().map(|zone| (zone.span_share * 100.0).round()).collect::<Vec<_>>(),
        [5.0, 15.0, 80.0]
    );
    assert_eq!(
        workload("--filename=/dev/x --rw=write:112k --bs=16k").addresses,
        Addresses::Parts { part_bytes: 16 << 10, gap_bytes: 112 << 10 }
    );
}

#[test]
fn what_is_left_out_between_two_ios_is_mapped() {
    let one = |words: &str| workload(&format!("--filename=/dev/x {words}"));
    assert_eq!(one("--rw=read:-8k").addresses, Addresses::Backwards { step_bytes: 4096 });
    let parts = Addresses::Parts { part_bytes: 1 << 20, gap_bytes: 3 << 20 };
    assert_eq!(one("--zonemode=strided --zonesize=1m --zoneskip=3m").addresses, parts);
    assert_eq!(one("--zonesize=1m --zonerange=2m --zoneskip=2m").addresses, parts);
    assert_eq!(
        one("--thinktime=5 --thinktime_blocks=8").arrival,
        Arrival::Pausing { after_operations: 8, pause_ns: 5000 }
    );
    let by_issue = "--thinktime=5 --thinktime_blocks=8 --thinktime_blocks_type=issue --iodepth=4";
    let pausing = Arrival::Pausing { after_operations: 8, pause_ns: 5000 };
    assert_eq!(
        one(&format!("{by_issue} --ioengine=psync")).arrival,
        pausing,
        "one at a time, whatever is asked"
    );
    let many = reasons(&format!("--filename=/dev/x --rw=read {by_issue} --ioengine=libaio"));
    assert!(many.iter().any(|reason| reason.contains("thinktime_blocks_type=issue")), "{many:?}");
    let flow = mapped("--filename=/dev/x --flow=2 --flow_id=7 --flow_sleep=100").flow;
    assert_eq!(flow, Some(FlowShare { flow: 7, weight: 2, pause_ns: 100_000 }));
}

#[test]
fn exitall_of_one_job_counts_for_all() {
    let of = |first: &str, second: &str| {
        let mut jobs = [first, second].map(|words| mapped(&format!("--filename=/dev/x {words}")));
        spread_exitall(&mut jobs);
        jobs.map(|job| job.ends)
    };
    assert_eq!(of("", "--exit_what=all"), [ExitScope::Nobody, ExitScope::Nobody]);
    assert_eq!(of("--exitall", ""), [ExitScope::Group, ExitScope::Group]);
    assert_eq!(of("--exit_what=stonewall", "--exitall --exit_what=all"), [ExitScope::Stage, ExitScope::All]);
}

#[test]
fn each_direction_has_its_own_rate() {
    let rate = |words: &str| workload(&format!("--filename=/dev/x --runtime=1 --time_based {words}")).arrival;
    assert_eq!(rate("--rw=randread --rate=40m --bs=4k"), Arrival::Constant { rate_per_s: 10240.0 });
    assert_eq!(
        rate("--rw=randread --rate_iops=500 --rate_process=poisson"),
        Arrival::Poisson { rate_per_s: 500.0 }
    );
    assert_eq!(
        rate("--rw=randrw --rwmixread=75 --rate_iops=300,100"),
        Arrival::PerDirection { read_per_s: Some(300.0), write_per_s: Some(100.0), poisson: false }
    );
    assert_eq!(
        rate("--rw=randrw --rate=,512k --bs=4k --rate_process=poisson"),
        Arrival::PerDirection { read_per_s: None, write_per_s: Some(128.0), poisson: true }
    );
    assert_eq!(rate("--rw=write --rate_iops=80 --fsync=8"), Arrival::Constant { rate_per_s: 90.0 });
    assert_eq!(rate("--rw=randread --rate_iops=,100"), Arrival::Closed, "no writes, so no cap");
}

fn special(words: &str) -> SpecialFeatures {
    *workload(&format!("--filename=/dev/x {words}")).special.expect("something special")
}

/// By strace of fio 3.33: with `loops` it opens the file again for each, and with `time_based` it drops the cache where
/// the map of blocks, or the file, is through.
#[test]
fn the_page_cache_is_told_what_fio_tells_it() {
    let cache = |words: &str| special(&format!("--size=1m --bs=4k {words}")).cache;
    let once = |hint| CacheAdvice { drop: true, hint: Some(hint), ..CacheAdvice::default() };
    let timed = "--time_based --runtime=1";
    assert_eq!(cache("--rw=randread"), Some(once(AccessHint::Random)));
    assert_eq!(cache("--rw=read"), Some(once(AccessHint::Sequential)));
    let pass = |hint| CacheAdvice { pass_bytes: Some(1 << 20), ..once(hint) };
    assert_eq!(cache(&format!("--rw=randread {timed}")), Some(pass(AccessHint::Random)));
    assert_eq!(cache(&format!("--rw=randread {timed} --direct=1")), Some(once(AccessHint::Random)));
    assert_eq!(cache(&format!("--rw=randread {timed} --norandommap")), Some(once(AccessHint::Random)));
    let own = CacheAdvice { own_passes: true, ..pass(AccessHint::Sequential) };
    assert_eq!(cache(&format!("--rw=rw {timed}")), Some(own));
    let again = CacheAdvice { hint_again: true, ..pass(AccessHint::Random) };
    assert_eq!(cache("--rw=randread --loops=3"), Some(again));
    assert_eq!(cache("--rw=randread --io_size=4m"), Some(again));
    let hint_alone = CacheAdvice { drop: false, ..once(AccessHint::Random) };
    assert_eq!(cache("--rw=randread --invalidate=0"), Some(hint_alone));
    assert_eq!(
        cache("--rw=randread --fadvise_hint=sequential --invalidate=0").and_then(|cache| cache.hint),
        Some(AccessHint::Sequential)
    );
    let none = workload("--filename=/dev/x --rw=read --invalidate=0 --fadvise_hint=0").special;
    assert_eq!(none.and_then(|special| special.cache), None);
}

#[test]
fn flushes_are_of_the_kind_that_was_asked_for() {
    let all = special("--rw=write --fsync=8");
    assert!(all.flush_metadata && !all.flush_at_end);
    assert!(!special("--rw=write --fdatasync=8").flush_metadata);
    assert!(special("--rw=write --end_fsync=1").flush_at_end);
    assert!(!special("--rw=read --end_fsync=1").flush_at_end, "nothing was written");
}

/// Counts as fio 3.33 has them on a file of 4 MiB with `bs=4k`, by strace.
#[test]
fn holes_end_a_job_where_they_end_it_in_fio() {
    let around = JobContext { target_bytes: &|_| Some(4 << 20), ..around() };
    for (words, ios) in [
        ("--rw=read:8k", 342),
        ("--rw=read:4k", 1024),
        ("--rw=read:8k --size=1m", 86),
        ("--rw=read:4k --size=1m", 128),
        ("--rw=read:8k --loops=2", 684),
    ] {
        let mapped = map(&jobs(&format!("--name=j --filename=f --bs=4k {words}"))[0], &around).unwrap();
        let Executor::Fathom(runs) = mapped.doer else { panic!("{words}") };
        assert_eq!(runs[0].workload.length.bytes, Some(ios * 4096), "{words}");
    }
}

#[test]
fn sizes_and_offsets_of_any_number_of_bytes_are_taken() {
    let one = workload("--size=10000 --bs=4k --rw=write");
    assert_eq!((one.span_bytes, one.length.bytes), (Some(10_000), Some(8192)), "fio does no part of an I/O");
    assert!(special("--offset=5000 --size=20000 --rw=read").blocks_from_offset);
    assert!(!special("--offset=8192 --size=20000 --rw=read").blocks_from_offset);
    assert_eq!(workload("--filename=/dev/x --size=64k:128k --rw=read").span_bytes, Some(128 << 10));
    let log = workload("--rw=write --ioengine=sync --fdatasync=1 --size=22m --bs=2300");
    assert_eq!((log.sizes.write, log.mix.flush_every_writes), (Sizes::Fixed { bytes: 2300 }, 1));
}

#[test]
fn content_is_what_was_asked_for() {
    let content = |words: &str| special(&format!("--rw=write {words}")).content;
    let pattern = Some(ConstantContent::of_pattern(&[0xde, 0xad, 0xbe, 0xef]));
    assert_eq!(content("--buffer_pattern=0xdeadbeef"), pattern);
    assert_eq!(content("--verify=pattern --verify_pattern=0xdeadbeef"), pattern);
    assert_eq!(content("--verify_pattern=0xdeadbeef"), None, "nothing is verified");
    assert_eq!(content("--scramble_buffers=0"), Some(ConstantContent::Kept));
    assert_eq!(content("--scramble_buffers=0 --refill_buffers=1"), None);
}

#[test]
fn a_share_of_random_ios_has_its_own_size() {
    let words = "--filename=/dev/x --rw=randread --bs=4k,64k --bs_is_seq_rand=1 --percentage_random=50";
    let one = workload(words);
    assert_eq!(one.sizes.read, Sizes::Fixed { bytes: 4096 });
    assert_eq!(one.special.unwrap().jump_sizes, Some(Sizes::Fixed { bytes: 65536 }));
}

#[test]
fn files_take_turns_as_the_job_says() {
    let order = |words: &str| {
        let one = workload(&format!("--nrfiles=4 --filesize=1m --rw=read {words}"));
        one.special.and_then(|special| special.files).map(|turns| turns.order)
    };
    assert_eq!(order(""), Some(FileOrder::RoundRobin { ios: 1 }));
    assert_eq!(order("--file_service_type=roundrobin:8"), Some(FileOrder::RoundRobin { ios: 8 }));
    assert_eq!(order("--file_service_type=sequential"), Some(FileOrder::Sequential));
    assert_eq!(order("--file_service_type=random"), Some(FileOrder::Random));
    assert_eq!(order("--file_service_type=zipf:1.2"), Some(FileOrder::Zipf { exponent: 1.2 }));
    map(&jobs("--name=j --nrfiles=4 --filesize=1m --file_service_type=oddly")[0], &around()).unwrap_err();
}

#[test]
fn queues_are_filled_as_deep_as_the_job_says() {
    let both = |words: &str| {
        let one = special(&format!("--ioengine=libaio --iodepth=8 --rw=read {words}"));
        (one.batch, one.refill_at)
    };
    assert_eq!(both(""), (None, None));
    assert_eq!(both("--iodepth_batch=4 --iodepth_batch_complete_min=4"), (Some(4), Some(4)));
    assert_eq!(both("--iodepth_low=2"), (None, Some(2)));
    assert_eq!(both("--iodepth_batch_complete_min=16"), (None, Some(0)));
}

#[test]
fn values_that_fio_reads_in_its_own_way_are_read_so() {
    let flow = mapped("--filename=/dev/x --flow=-8");
    assert_eq!(flow.flow.map(|flow| flow.weight), Some(u32::MAX - 7));
    assert!(flow.warnings.iter().any(|words| words.contains("4294967288")), "{:?}", flow.warnings);
    assert!(!mapped("--filename=/dev/x --per_job_logs=0/1").reporting.log_per_job);
    let unset = mapped("--filename=/dev/x --write_bw_log=${OUTPUT}");
    assert_eq!(unset.reporting.logs[0].prefix, "j", "nothing stands for it, and the log has the job's name");
    assert!(unset.warnings.iter().any(|words| words.contains("not set")), "{:?}", unset.warnings);
    let polled = &runs("--filename=/dev/x --ioengine=pvsync2 --hipri=1")[0].options;
    assert_eq!((polled.polled, polled.io_flags.names()), (false, vec!["hipri"]));
    let windows = |words: &str| {
        mapped(&format!("--filename=/dev/x --write_lat_log=l {words}")).reporting.logs[0].window_ms
    };
    assert_eq!((windows(""), windows("--log_avg_msec=500")), (None, Some(500)));
}

#[test]
fn what_changes_the_io_goes_to_fio_with_its_reason() {
    for (words, about) in [
        ("--ioengine=rbd --size=1g", "ioengine=rbd"),
        ("--ioengine=unheard --size=1g", "ioengine=unheard"),
        ("--filename=/dev/x --thinktime=5 --rate_iops=9", "thinktime with a rate"),
        ("--filename=/dev/x --rw=trimwrite --fsync=1", "trimwrite"),
        ("--filename=/dev/x --rw=read:-4k", "backwards"),
        ("--filename=/dev/x --rw=randread --zonesize=1m", "strided"),
        ("--filename=/dev/x --zonemode=zbd", "zonemode"),
        ("--ioengine=libblkio --libblkio_driver=nvme-io_uring --libblkio_path=/dev/x", "libblkio_driver"),
        ("--ioengine=mmap --size=1g --rw=write --atomic=1", "atomic"),
        ("--filename_format=f$jobnum --nrfiles=4 --size=1g --rw=read", "of one name"),
        (
            "--filename_format=f$jobnum --nrfiles=4 --size=1g --rw=randread --percentage_random=50",
            "of one name",
        ),
        ("--filename=/dev/x --bs=0", "not 0"),
        ("--filename=/dev/x --rw=write --fsync=8 --fdatasync=1", "one of the two"),
        ("--filename=/dev/x --rw=write --buffer_pattern='file'", "neither a file"),
        ("--rw=randread", "needs a size"),
    ] {
        let reasons = reasons(words);
        assert!(reasons.iter().any(|reason| reason.contains(about)), "{words}: {reasons:?}");
    }
    runs("--filename=/dev/x --thinktime=0 --zonemode=none --flow=0 --exitall=0");
}

#[test]
fn files_of_one_name_are_one_file_of_which_each_has_its_share() {
    let one = runs("--filename_format=f$jobnum --nrfiles=4 --size=1g --rw=randread --numjobs=2");
    let [run] = one.as_slice() else { panic!("one run") };
    assert_eq!(run.targets, ["./f0", "./f1"]);
    assert_eq!((run.workload.span_bytes, run.options.stripe_bytes), (Some(256 << 20), None));
    assert_eq!(run.workload.length.bytes, Some(2 << 30), "each clone goes over its file four times");
}

#[test]
fn what_is_trimmed_is_written_next_and_counts_twice() {
    let one = workload("--filename=/dev/x --size=1m --rw=randtrimwrite --bs=4k,64k,8k --number_ios=6");
    assert!(one.sizes.rewrites_trimmed);
    assert_eq!((one.mix.read_share, one.mix.trim_share), (0.0, 0.5));
    assert_eq!(one.sizes.write, Sizes::Fixed { bytes: 8192 }, "a write has the size of its trim");
    assert_eq!((one.length.bytes, one.length.operations), (Some(2 << 20), Some(12)));
    assert_eq!(workload("--filename=/dev/x --rw=trimwrite").addresses, Addresses::Sequential);
}

#[test]
fn libblkios_io_uring_is_fathoms() {
    let run = &runs("--ioengine=libblkio --libblkio_driver=io_uring --libblkio_path=/dev/x --rw=randread")[0];
    assert_eq!((run.engine.as_deref(), run.targets.as_slice()), (Some("uring"), &["/dev/x".to_owned()][..]));
    assert_eq!(run.workload.length.bytes, Some(1 << 40));
}

#[test]
fn flags_of_single_ios_go_with_every_engine_of_calls() {
    let flags =
        |words: &str| runs(&format!("--filename=/dev/x --direct=1 {words}"))[0].options.io_flags.names();
    assert_eq!(flags("--ioengine=libaio --nowait=1 --rw=randread"), ["nowait"]);
    assert_eq!(flags("--ioengine=libaio --atomic=1 --rw=randwrite"), ["atomic"]);
    assert!(flags("--ioengine=libaio --atomic=1 --rw=randread").is_empty(), "only writes can be atomic");
}

#[test]
fn what_is_left_out_is_told_once() {
    let mapped = mapped("--filename=/dev/x --nice=4 --nice=8 --description=x --write_hint=short");
    assert_eq!(mapped.warnings.len(), 2, "{:?}", mapped.warnings);
    assert!(mapped.warnings[0].contains("nice=8"), "{:?}", mapped.warnings);
}

#[test]
fn what_an_earlier_job_wrote_is_checked_by_its_stamps() {
    let mapped = mapped("--filename=/dev/x --rw=randread --verify=md5");
    assert!(mapped.warnings.iter().any(|words| words.contains("--engine=fio")), "{:?}", mapped.warnings);
    assert_eq!(workload("--filename=/dev/x --rw=randread --verify=md5").data.verify, Verify::OnRead);
    let plain = workload("--filename=/dev/x --rw=read --verify=md5 --do_verify=0");
    assert_eq!(plain.data.verify, Verify::Off);
    let again = workload("--filename=/dev/x --rw=write --bs=4k,64k --verify=md5 --verify_only");
    assert_eq!((again.mix.read_share, again.data.verify), (1.0, Verify::OnRead));
    assert_eq!(again.sizes.read, Sizes::Fixed { bytes: 64 << 10 });
}

#[test]
fn what_a_run_writes_is_read_back_at_its_end() {
    assert_eq!(workload("--filename=/dev/x --rw=randwrite --verify=crc32c").data.verify, Verify::AtEnd);
    assert_eq!(
        workload("--filename=/dev/x --rw=write --verify=md5 --do_verify=0").data.verify,
        Verify::OnRead
    );
    assert_eq!(workload("--ioengine=null --size=1g --rw=write --verify=md5").data.verify, Verify::Off);
}

#[test]
fn a_stonewall_or_a_further_file_begins_a_stage() {
    let jobs = jobs("--name=a --name=b --name=c --stonewall --name=d");
    let maps: Vec<MappedJob> = jobs
        .iter()
        .map(|job| {
            let mut job = job.clone();
            job.options.extend(super::super::fio_job::option_of(
                &super::super::jobfile::Assignment {
                    key: "filename".into(),
                    value: Some("/dev/x".into()),
                    place: String::new(),
                },
                &Variables { environment: &|_| None, processors: 1, page_bytes: 4096, memory_mib: 1 },
            ));
            map(&job, &around()).expect("a mapped job")
        })
        .collect();
    let stages = stages(&jobs, &maps).expect("stages");
    assert_eq!(stages.iter().map(|stage| stage.jobs.clone()).collect::<Vec<_>>(), [vec![0, 1], vec![2, 3]]);
}

#[test]
fn values_that_make_no_sense_are_refused_with_their_option() {
    for (words, option) in [
        ("--rw=sideways", "rw"),
        ("--bs=4x", "bs"),
        ("--runtime=30sec", "runtime"),
        ("--bssplit=4k/60:8k/60", "bssplit"),
        ("--sync=perhaps", "sync"),
        ("--percentile_list=101", "percentile_list"),
    ] {
        let refusal = map(&jobs(&format!("--name=j --filename=/dev/x {words}"))[0], &around()).unwrap_err();
        assert!(refusal.place.ends_with(option), "{refusal}");
    }
}

#[test]
fn calls_about_names_are_one_a_file_in_folders_of_their_own() {
    let runs = runs("--ioengine=filestat --filesize=4k --nrfiles=5 --numjobs=3 --directory=/a:b");
    let [run] = runs.as_slice() else { panic!("one run") };
    assert_eq!(run.targets, ["/a", "./b", "/a"]);
    let workload = &run.workload;
    assert_eq!((workload.jobs, workload.depth, &workload.addresses), (3, 1, &Addresses::Sequential));
    assert_eq!((workload.span_bytes, workload.length.bytes), (Some(5 << 12), Some(15 << 12)));
    assert_eq!((run.engine.as_deref(), run.options.direct), (Some("filestat"), false));
    let created = workload_of("filecreate", "--size=4k --filename=x/one --rw=write");
    assert_eq!((created.0, created.1.mix.read_share), ("./x".to_owned(), 0.0));
    for (words, reason) in [
        ("--ioengine=filedelete --nrfiles=2 --time_based --runtime=1", "second pass"),
        ("--ioengine=filestat --filename=x --numjobs=2", "one another's names"),
        ("--ioengine=filestat --filesize=5k", "power of two"),
        ("--ioengine=dircreate --rw=trim", "not trimmed"),
        ("--ioengine=falloc --filename=/dev/x --rw=read", "reads alone"),
        ("--ioengine=ftruncate --filename=/dev/x --rw=rw", "writes alone"),
    ] {
        assert!(reasons(words).iter().any(|found| found.contains(reason)), "{words}");
    }
}

fn workload_of(engine: &str, words: &str) -> (String, Workload) {
    let run = &runs(&format!("--ioengine={engine} {words}"))[0];
    (run.targets[0].clone(), run.workload.clone())
}

#[test]
fn a_log_is_replayed_at_its_times_or_one_after_the_other() {
    let timed = workload("--read_iolog=timed --rw=read --replay_time_scale=200");
    assert_eq!(timed.arrival, Arrival::Traced { speed: 2.0 });
    assert_eq!((timed.mix.read_share, timed.length.operations), (0.5, Some(2)));
    assert_eq!((timed.sizes.write.clone(), timed.span_bytes), (Sizes::Fixed { bytes: 8192 }, Some(16384)));
    let Addresses::Traced(traced) = &timed.addresses else { panic!("{timed:?}") };
    assert_eq!((traced.file.as_str(), traced.extent_bytes), ("timed", 16384));
    assert_eq!(workload("--read_iolog=timed --replay_no_stall=1").arrival, Arrival::Closed);
    let old = workload("--read_iolog=old --iodepth=4 --ioengine=libaio");
    assert_eq!((old.arrival, old.alignment_bytes, old.depth), (Arrival::Closed, Some(512), 4));
    let place = |words: &str| runs(words)[0].targets.clone();
    assert_eq!(place("--read_iolog=timed --directory=/a --filename=other"), ["/a/data"]);
    assert_eq!(place("--read_iolog=timed --replay_redirect=/dev/x"), ["/dev/x"]);
    assert_eq!(place("--read_iolog=timed --ioengine=null"), ["null:"]);
    for (words, reason) in [
        ("--read_iolog=binary", "blkparse"),
        ("--read_iolog=timed --numjobs=2", "clones"),
        ("--read_iolog=timed --replay_scale=2", "as it is"),
        ("--read_iolog=timed --verify=md5", "holds no data"),
    ] {
        assert!(reasons(words).iter().any(|found| found.contains(reason)), "{words}");
    }
}

#[test]
fn priorities_are_of_the_job_and_of_shares_of_its_ios() {
    let asked = |words: &str| mapped(&format!("--filename=/dev/x {words}")).priorities;
    assert_eq!(asked("--rw=randrw"), None);
    let of_job = asked("--prioclass=3 --prio=5").unwrap();
    assert_eq!((of_job.of_jobs, of_job.rules.len()), (Priority { class: 3, level: 5, hint: 0 }, 0));
    assert_eq!(asked("--prio=5").unwrap().of_jobs.class, 2, "a level alone is best effort");
    let share = |direction, bytes, percent, (class, level, hint)| PriorityRule {
        direction,
        bytes,
        percent,
        priority: Priority { class, level, hint },
    };
    let both = asked("--ioengine=io_uring --cmdprio_percentage=20,30 --cmdprio=3").unwrap();
    assert_eq!(
        both.rules,
        [share(Direction::Read, None, 20, (1, 3, 0)), share(Direction::Write, None, 30, (1, 3, 0))]
    );
    let split =
        asked("--ioengine=libaio --cmdprio_class=2 --cmdprio_bssplit=64k/25/1/1:64k/75/3/2/9:1m/0,1m/10");
    assert_eq!(
        split.unwrap().rules,
        [
            share(Direction::Read, Some(65536), 25, (1, 1, 0)),
            share(Direction::Read, Some(65536), 75, (3, 2, 9)),
            share(Direction::Write, Some(1 << 20), 10, (2, 0, 0))
        ]
    );
    assert_eq!(asked("--ioengine=psync --cmdprio_percentage=20"), None, "it is of other engines");
    assert!(
        reasons("--filename=/dev/x --ioengine=io_uring_cmd --cmdprio_percentage=20")[0].contains("cmdprio")
    );
    for words in [
        "--prioclass=4",
        "--ioengine=libaio --cmdprio_bssplit=4k/60:4k/60",
        "--ioengine=libaio --cmdprio_percentage=101",
    ] {
        map(&jobs(&format!("--name=j --filename=/dev/x {words}"))[0], &around()).unwrap_err();
    }
}

#[test]
fn a_job_that_burns_does_no_io() {
    let words = "--ioengine=cpuio --cpuload=50 --cpuchunks=1000 --cpumode=qsort --numjobs=2 --runtime=3";
    let Executor::Burner(burner) = mapped(words).doer else { panic!("{words}") };
    assert_eq!((burner.threads, burner.load_percent, burner.chunk_ns), (2, 50, 1_000_000));
    assert_eq!((burner.sorts, burner.time_ns, burner.ends_with_io), (true, Some(3_000_000_000), false));
    assert!(reasons("--ioengine=cpuio --cpuload=50")[0].contains("never end"));
    map(&jobs("--name=j --ioengine=cpuio --runtime=1")[0], &around()).unwrap_err();
}

#[test]
fn what_is_no_whole_number_of_ios_ends_as_in_fio() {
    let of = |words: &str| {
        let workload = workload(&format!("--size=10000 --bs=4k {words}"));
        (workload.span_bytes, workload.length.bytes)
    };
    assert_eq!(of("--filename=/dev/x --rw=read"), (Some(12288), Some(12288)), "there is room behind it");
    assert_eq!(of("--filename=/dev/x --rw=rw"), (Some(12288), Some(12288)));
    assert_eq!(of("--rw=write"), (Some(10000), Some(8192)), "a file that is made ends there");
    assert_eq!(of("--filename=/dev/x --rw=randread"), (Some(10000), Some(8192)), "the map has two blocks");
    assert_eq!(of("--filename=/dev/x --rw=randread --norandommap"), (Some(10000), Some(12288)));
}

#[test]
fn a_name_that_is_given_again_is_one_more_file() {
    let run = &runs("--filename=/dev/x --filename=/dev/y --size=1m --direct=1 --ioengine=libaio")[0];
    assert_eq!(run.targets, ["/dev/x", "/dev/y"]);
    assert_eq!(run.workload.span_bytes, Some(1 << 20), "half of it each");
    let same = workload("--filename=/dev/x --filename=/dev/x --size=1m --rw=randread");
    assert_eq!((same.span_bytes, same.length.bytes), (Some(1 << 19), Some(1 << 20)), "twice over half of it");
    let in_order = reasons("--filename=/dev/x --filename=/dev/x --size=1m --rw=read");
    assert!(in_order[0].contains("2 files of one name"), "{in_order:?}");
    let words = mapped("--filename=/dev/x --filename=/dev/y --size=1m").warnings;
    assert!(words.iter().any(|words| words.contains("/dev/x and /dev/y, as in fio")), "{words:?}");
}

#[test]
fn what_fio_does_otherwise_is_told() {
    let told = |words: &str, part: &str| {
        let warnings = mapped(words).warnings;
        assert!(warnings.iter().any(|words| words.contains(part)), "{words}: {warnings:?}");
    };
    told("--filename=/dev/x --rw=randrw --bs=4k,64k --size=4m", "fio 3.33 ends it early");
    told(
        "--filename=/dev/x --rw=randread --bs=4k,64k --bs_is_seq_rand=1 --percentage_random=50 --size=4m",
        "fio 3.33 ends it early",
    );
    told("--filename=/dev/x --rw=randread --bsrange=4k-16k --size=4m", "fio cuts it short");
    told("--filename=/dev/x --rw=trimwrite --direct=1 --size=4m", "leaves O_DIRECT out");
    told("--filename=data --rw=trim --size=4m", "fio 3.33 fails with error 25");
    told("--filename=/dev/x --rw=write --verify=md5 --numjobs=2 --size=4m", "fail with error 84");
    told(
        "--filename=/dev/x --rw=write --verify=md5 --loops=2 --size=4m",
        "read back once, after the last one",
    );
    told("--filename=new --rw=write --size=4m", "written throughout before the run");
    told("--filename=/dev/x --rw=write --size=4m", "each write has noise of its own");
    told("--filename=/dev/x --ioengine=pvsync2 --hipri=1 --direct=1", "two reads of the first block");
    told("--filename=/dev/x --rw=randrw --fsync=4 --size=4m", "flushes again after each read");
    told("--filename=/dev/x --rw=write --fdatasync=4 --size=4m", "counts those of fsync alone");
    assert!(mapped("--filename=/dev/x --rw=randread --fdatasync=4 --size=4m").warnings.is_empty());
}

#[test]
fn options_are_reported_by_the_names_that_fio_has_for_them() {
    let options =
        mapped("--filename=/dev/x --allrandrepeat=1 --randrepeat=0 --blocksize=8k").reporting.options;
    assert!(options.contains(&("allrandrepeat".to_owned(), "1".to_owned())), "{options:?}");
    assert_eq!(workload("--filename=/dev/x --rw=randread --allrandrepeat=1 --randrepeat=0").seed, 0x89);
}
