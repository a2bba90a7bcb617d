//! Jobs of fio and what they come to.

use fathom_record::workload::{Addresses, Arrival, Length, Sizes, Verify};

use super::*;
use crate::fio::cmdline;
use crate::fio::document;
use crate::fio::job::Variables;

fn around() -> Around<'static> {
    Around {
        target_bytes: &|name| name.starts_with("/dev/").then_some(1 << 40),
        log: &|name| {
            crate::demand::survey_iolog(
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
    document::jobs(&invocation, &[], &variables, &mut |_, _| Err(String::new())).expect("jobs")
}

fn mapped(words: &str) -> Mapped {
    map(&jobs(&format!("--name=j {words}"))[0], &around()).expect("a mapped job")
}

fn native(words: &str) -> Native {
    match mapped(words).doer {
        Doer::Fathom(native) => native,
        other => panic!("{words}: {other:?}"),
    }
}

fn workload(words: &str) -> Workload {
    let native = native(words);
    assert_eq!(native.runs.len(), 1, "{words}");
    native.runs[0].workload.clone()
}

fn reasons(words: &str) -> Vec<String> {
    match mapped(words).doer {
        Doer::Fio(reasons) => reasons,
        other => panic!("{words}: {other:?}"),
    }
}

#[test]
fn the_command_of_a_published_evaluation_maps_whole() {
    let words = "--directory=/mnt/x --randrepeat=1 --ioengine=libaio --direct=1 --bsrange=4k-16k,64k-64k --iodepth=64 \
                 --size=2G --readwrite=randrw --rwmixread=33 --numjobs=16 --time_based --runtime=900 --group_reporting";
    let native = native(words);
    let [run] = native.runs.as_slice() else { panic!("one run") };
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
    assert_eq!((native.settings.engine, native.settings.direct), (Some("aio"), true));
}

#[test]
fn defaults_are_fios() {
    let workload = workload("--filename=/dev/x");
    assert_eq!(workload.mix.read_share, 1.0);
    assert_eq!(workload.addresses, Addresses::Sequential);
    assert_eq!(workload.sizes.read, Sizes::Fixed { bytes: 4096 });
    assert_eq!((workload.jobs, workload.depth, workload.seed), (1, 1, 0x89));
    assert_eq!(workload.length.bytes, Some(1 << 40), "the whole target once");
    let settings = native("--filename=/dev/x").settings;
    assert_eq!((settings.engine, settings.direct, settings.keep), (Some("sync"), false, true));
}

#[test]
fn bytes_are_each_clones_size_times_its_loops() {
    let length = |words: &str| native(words).runs[0].workload.length.bytes;
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
    let runs = |words: &str| native(words).runs;
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
    let own = runs("--size=1m --rw=write --numjobs=2");
    assert_eq!((own.len(), own[0].targets.len(), own[0].workload.jobs), (1, 2, 2));
    let striped = runs("--filename=/dev/x:/dev/y --rw=read --bs=64k --runtime=1 --time_based");
    assert_eq!((striped[0].stripe_bytes, striped[0].targets.len()), (Some(65536), 2));
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
        Addresses::Strided { stride_bytes: 128 << 10 }
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
    let flow = mapped("--filename=/dev/x --flow=2 --flow_id=7 --flow_sleep=100").flow;
    assert_eq!(flow, Some(FlowShare { flow: 7, weight: 2, pause_ns: 100_000 }));
    assert_eq!(mapped("--filename=/dev/x --exitall").ends, Ends::Group);
    assert_eq!(mapped("--filename=/dev/x --exitall --exit_what=all").ends, Ends::All);
}

#[test]
fn rates_of_directions_hold_together() {
    let rate = |words: &str| workload(&format!("--filename=/dev/x --runtime=1 --time_based {words}")).arrival;
    assert_eq!(rate("--rw=randread --rate=40m --bs=4k"), Arrival::Constant { rate_per_s: 10240.0 });
    assert_eq!(
        rate("--rw=randread --rate_iops=500 --rate_process=poisson"),
        Arrival::Poisson { rate_per_s: 500.0 }
    );
    assert_eq!(
        rate("--rw=randrw --rwmixread=75 --rate_iops=300,100"),
        Arrival::Constant { rate_per_s: 400.0 }
    );
    assert_eq!(rate("--rw=randread --rate_iops=,100"), Arrival::Closed, "no writes, so no cap");
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
        ("--filename=/dev/x --bs=1000", "multiple of 512"),
        ("--rw=randread", "needs a size"),
    ] {
        let reasons = reasons(words);
        assert!(reasons.iter().any(|reason| reason.contains(about)), "{words}: {reasons:?}");
    }
    native("--filename=/dev/x --thinktime=0 --zonemode=none --flow=0 --exitall=0");
}

#[test]
fn files_of_one_name_are_one_file_of_which_each_has_its_share() {
    let one = native("--filename_format=f$jobnum --nrfiles=4 --size=1g --rw=randread --numjobs=2");
    let [run] = one.runs.as_slice() else { panic!("one run") };
    assert_eq!(run.targets, ["./f0", "./f1"]);
    assert_eq!((run.workload.span_bytes, run.stripe_bytes), (Some(256 << 20), None));
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
    let native =
        native("--ioengine=libblkio --libblkio_driver=io_uring --libblkio_path=/dev/x --rw=randread");
    assert_eq!(
        (native.settings.engine, native.runs[0].targets.as_slice()),
        (Some("uring"), &["/dev/x".to_owned()][..])
    );
    assert_eq!(native.runs[0].workload.length.bytes, Some(1 << 40));
}

#[test]
fn flags_of_single_ios_go_with_every_engine_of_calls() {
    let flags = |words: &str| native(&format!("--filename=/dev/x --direct=1 {words}")).settings.io_flags;
    assert_eq!(flags("--ioengine=libaio --nowait=1 --rw=randread"), ["nowait"]);
    assert_eq!(flags("--ioengine=libaio --atomic=1 --rw=randwrite"), ["atomic"]);
    assert!(flags("--ioengine=libaio --atomic=1 --rw=randread").is_empty(), "only writes can be atomic");
}

#[test]
fn what_is_left_out_is_told_once() {
    let mapped = mapped("--filename=/dev/x --iodepth_low=4 --iodepth_low=8 --description=x --end_fsync=1");
    assert_eq!(mapped.warnings.len(), 2, "{:?}", mapped.warnings);
    assert!(mapped.warnings[0].contains("iodepth_low=8"), "{:?}", mapped.warnings);
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
    let maps: Vec<Mapped> = jobs
        .iter()
        .map(|job| {
            let mut job = job.clone();
            job.given.extend(super::super::job::given(
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
    let native = native("--ioengine=filestat --filesize=4k --nrfiles=5 --numjobs=3 --directory=/a:b");
    let [run] = native.runs.as_slice() else { panic!("one run") };
    assert_eq!(run.targets, ["/a", "./b", "/a"]);
    let workload = &run.workload;
    assert_eq!((workload.jobs, workload.depth, &workload.addresses), (3, 1, &Addresses::Sequential));
    assert_eq!((workload.span_bytes, workload.length.bytes), (Some(5 << 12), Some(15 << 12)));
    assert_eq!((native.settings.engine, native.settings.direct), (Some("filestat"), false));
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
    let native = native(&format!("--ioengine={engine} {words}"));
    (native.runs[0].targets[0].clone(), native.runs[0].workload.clone())
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
    let place = |words: &str| native(words).runs[0].targets.clone();
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
    assert_eq!((of_job.of_job, of_job.shares.len()), (IoPriority { class: 3, level: 5, hint: 0 }, 0));
    assert_eq!(asked("--prio=5").unwrap().of_job.class, 2, "a level alone is best effort");
    let share = |write, bytes, percent, (class, level, hint)| IoPriorityShare {
        write,
        bytes,
        percent,
        priority: IoPriority { class, level, hint },
    };
    let both = asked("--ioengine=io_uring --cmdprio_percentage=20,30 --cmdprio=3").unwrap();
    assert_eq!(both.shares, [share(false, None, 20, (1, 3, 0)), share(true, None, 30, (1, 3, 0))]);
    let split =
        asked("--ioengine=libaio --cmdprio_class=2 --cmdprio_bssplit=64k/25/1/1:64k/75/3/2/9:1m/0,1m/10");
    assert_eq!(
        split.unwrap().shares,
        [
            share(false, Some(65536), 25, (1, 1, 0)),
            share(false, Some(65536), 75, (3, 2, 9)),
            share(true, Some(1 << 20), 10, (2, 0, 0))
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
    let Doer::Burner(burner) = mapped(words).doer else { panic!("{words}") };
    assert_eq!((burner.threads, burner.load_percent, burner.chunk_ns), (2, 50, 1_000_000));
    assert_eq!((burner.sorts, burner.time_ns, burner.ends_with_io), (true, Some(3_000_000_000), false));
    assert!(reasons("--ioengine=cpuio --cpuload=50")[0].contains("never end"));
    map(&jobs("--name=j --ioengine=cpuio --runtime=1")[0], &around()).unwrap_err();
}
