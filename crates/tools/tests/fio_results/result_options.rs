//! What an import makes of the options in a result: as `fathom fio` reads them in a job.

use fathom_record::engine_list;
use fathom_record::run_record::RunRecord;
use fathom_record::workload::{Addresses, Arrival, Sizes, Verify, Zone};
use fathom_tools::fio::fio_json_results;
use fathom_tools::fio::option_tables::all_engines;
use fathom_tools::result_import::Context;

/// The run of a result whose only job has these options beside those of its global section.
fn run(global: &str, own: &str) -> RunRecord {
    let object = |options: &str| {
        let option = |word: &str| {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            format!("{name:?}: {value:?}")
        };
        options.split_whitespace().map(option).collect::<Vec<_>>().join(", ")
    };
    let flow = r#"{ "io_bytes": 409600, "total_ios": 100, "runtime": 1000, "bw_bytes": 409600, "bw": 400,
        "iops": 100.0, "lat_ns": { "min": 100, "max": 300, "mean": 200.0, "stddev": 1.0, "N": 100 } }"#;
    let text = format!(
        r#"{{ "fio version": "fio-3.33", "timestamp": 1700000000, "global options": {{ {} }},
            "jobs": [ {{ "jobname": "a", "groupid": 0, "error": 0, "elapsed": 2, "job options": {{ {} }},
                "read": {flow} }} ] }}"#,
        object(global),
        object(own),
    );
    let context = Context { file_name: "a.json".to_owned(), changed_at: "2020-01-01T00:00:00Z".to_owned() };
    let mut runs = fio_json_results::runs(&mut text.as_bytes(), &context)
        .unwrap_or_else(|error| panic!("{own}: {error}"));
    assert_eq!(runs.len(), 1, "{own}");
    let run = runs.remove(0);
    let written = serde_json::to_vec(&run).unwrap();
    assert_eq!(fathom_record::parse_run(&written).unwrap(), run, "{own} does not read back");
    run
}

fn of(own: &str) -> RunRecord {
    run("ioengine=libaio iodepth=8 randseed=1", own)
}

/// Why a field is absent; nothing where it is told.
fn why(run: &RunRecord, field: &str) -> String {
    run.origin.as_ref().unwrap().why_absent(field).unwrap_or_default().to_owned()
}

/// Whether all that the options say is told.
fn is_whole(run: &RunRecord) -> bool {
    !run.origin.as_ref().unwrap().absent.iter().any(|absent| absent.field.starts_with("workload"))
}

#[test]
fn what_is_verified_goes_by_the_direction_and_by_whether_it_is_asked_for() {
    for (own, expected) in [
        ("rw=randread verify=md5", Verify::OnRead),
        ("rw=randread verify=md5 do_verify=0", Verify::Off),
        ("rw=randwrite verify=md5", Verify::AtEnd),
        ("rw=randwrite verify=md5 do_verify=0", Verify::OnRead),
        ("rw=randrw verify=crc32c", Verify::AtEnd),
        ("rw=randwrite verify=null", Verify::Off),
        ("rw=randwrite verify=0", Verify::Off),
        ("rw=randwrite verify=md5 verify_only", Verify::OnRead),
        ("rw=randtrim verify=md5", Verify::Off),
        ("rw=randwrite", Verify::Off),
    ] {
        let run = of(own);
        assert_eq!(run.workload.data.verify, expected, "{own}");
        assert!(is_whole(&run), "{own}: {:?}", run.origin);
    }
    assert!(why(&of("verify=md5"), "workload.data.verify").contains("verify=md5"));
}

#[test]
fn what_follows_rw_and_a_colon_is_held_or_named() {
    let addresses = |own: &str| {
        let run = of(own);
        (run.workload.addresses.clone(), why(&run, "workload.addresses"))
    };
    let parts = Addresses::Parts { part_bytes: 4096, gap_bytes: 4096 };
    assert_eq!(addresses("rw=read:4k bs=4k"), (parts.clone(), String::new()));
    assert_eq!(addresses("rw=rw:4k bs=4k"), (parts, String::new()));
    let back = Addresses::Backwards { step_bytes: 4096 };
    assert_eq!(addresses("rw=write:-8k bs=4k"), (back, String::new()));
    assert_eq!(addresses("rw=read"), (Addresses::Sequential, String::new()));
    assert_eq!(addresses("rw=randread:1"), (Addresses::RandomCycle, String::new()));
    let (found, why) = addresses("rw=randread:8");
    assert!(found == Addresses::RandomCycle && why.contains("rw=randread:8"), "{why}");
    let (_, why) = addresses("rw=read:4k bsrange=4k-16k");
    assert!(why.contains("several sizes"), "{why}");
    let (_, why) = addresses("rw=read:x");
    assert!(why.contains('x'), "{why}");
}

#[test]
fn rates_and_pauses_are_arrivals() {
    for (own, expected) in [
        ("rw=randread rate_iops=500", Arrival::Constant { rate_per_s: 500.0 }),
        ("rw=randread rate_iops=500 numjobs=4", Arrival::Constant { rate_per_s: 2000.0 }),
        ("rw=randread bs=4k rate=4m", Arrival::Constant { rate_per_s: 1024.0 }),
        ("rw=randread rate_iops=500 rate_process=poisson", Arrival::Poisson { rate_per_s: 500.0 }),
        (
            "rw=randrw bs=4k,8k rate=4m,8k numjobs=2",
            Arrival::PerDirection { read_per_s: Some(2048.0), write_per_s: Some(2.0), poisson: false },
        ),
        (
            "rw=randrw rate_iops=,100",
            Arrival::PerDirection { read_per_s: None, write_per_s: Some(100.0), poisson: false },
        ),
        ("rw=read thinktime=10", Arrival::Pausing { after_operations: 1, pause_ns: 10_000 }),
        (
            "rw=read thinktime=2ms thinktime_blocks=16",
            Arrival::Pausing { after_operations: 16, pause_ns: 2_000_000 },
        ),
        ("rw=read rate=0 thinktime=0 latency_target=0", Arrival::Closed),
    ] {
        let run = of(own);
        assert_eq!(run.workload.arrival, expected, "{own}");
        assert!(is_whole(&run), "{own}: {:?}", run.origin);
        assert_eq!(run.summary.in_flight_requested.is_some(), expected == Arrival::Closed, "{own}");
    }
}

#[test]
fn what_holds_a_loop_back_and_is_no_arrival_is_named() {
    for (own, told) in [
        ("rw=randread latency_target=5000", "latency_target=5000"),
        ("rw=randread thinktime=1ms thinktime_iotime=9", "thinktime_iotime=9"),
        ("rw=randread thinktime=1ms thinktime_blocks_type=issue", "thinktime_blocks_type"),
        ("rw=randread thinktime=1ms rate_iops=10", "thinktime"),
        ("rw=randread rate_iops=x", "rate_iops"),
        ("rw=sidewise rate_iops=10", "rate_iops=10"),
    ] {
        let run = of(own);
        assert!(why(&run, "workload.arrival").contains(told), "{own}: {:?}", run.origin);
        assert_eq!(run.summary.in_flight_requested, None, "{own}");
    }
}

#[test]
fn addresses_and_sizes_have_what_a_job_of_fathom_has() {
    let addresses = |own: &str| of(own).workload.addresses;
    let laps = Addresses::Laps { step_bytes: None, apart_bytes: 0, jump_share: 0.25 };
    assert_eq!(addresses("rw=randread percentage_random=25"), laps);
    let parts = Addresses::Parts { part_bytes: 1 << 20, gap_bytes: 3 << 20 };
    assert_eq!(addresses("rw=read zonemode=strided zonesize=1m zonerange=4m"), parts);
    assert_eq!(addresses("rw=randread ba=512"), Addresses::RandomIndependent, "the map is off");
    let zipf = addresses("rw=randread random_distribution=zipf");
    assert_eq!(zipf, Addresses::Zipf { exponent: 1.1 });
    let zone = |access_share, span_share| Zone { access_share, span_share };
    let zones = addresses("rw=randread random_distribution=zoned:75/25:25/");
    assert_eq!(zones, Addresses::Zoned { zones: vec![zone(0.75, 0.25), zone(0.25, 0.75)] });
    let Addresses::Normal { deviation } = addresses("rw=randread random_distribution=normal:0") else {
        panic!("not normal")
    };
    assert!((deviation - 1.0 / 12.0).abs() < 1e-9, "fio's mean of twelve numbers: {deviation}");
    for odd in ["zipf:nan", "pareto:inf", "zoned:nan/50:50/50", "zoned:50/0:50/0", "sideways"] {
        let run = of(&format!("rw=randread random_distribution={odd}"));
        assert!(why(&run, "workload.addresses").contains("random_distribution"), "{odd}: {:?}", run.origin);
        assert_eq!(run.workload.addresses, Addresses::RandomCycle, "{odd}: as where nothing is known");
    }
    let run = of("rw=randread bsrange=4k-10k");
    assert_eq!(run.workload.sizes.read, Sizes::Range { min_bytes: 4096, max_bytes: 8192, step_bytes: 4096 });
    assert!(why(&run, "workload.sizes").contains("not a multiple"));
}

#[test]
fn the_part_of_the_target_and_the_length_are_those_of_the_job() {
    const GIB: u64 = 1 << 30;
    for (own, part, bytes, seconds) in [
        ("rw=read size=1g", (0, Some(GIB)), Some(GIB), None),
        ("rw=read size=1g offset=2g io_size=3g", (2 * GIB, Some(GIB)), Some(3 * GIB), None),
        ("rw=read size=1g loops=3", (0, Some(GIB)), Some(3 * GIB), None),
        ("rw=randread size=1g runtime=10 time_based", (0, Some(GIB)), None, Some(10)),
        ("rw=randread size=1g runtime=10", (0, Some(GIB)), Some(GIB), Some(10)),
        ("rw=randwrite filesize=4g size=1g", (0, Some(4 * GIB)), Some(GIB), None),
        ("rw=randread size=100% filename=/dev/x runtime=10 time_based", (0, None), None, Some(10)),
        ("rw=randread size=1g numjobs=4 filename=/dev/x", (0, Some(GIB)), Some(4 * GIB), None),
        ("rw=randread nrfiles=4 size=4g", (0, Some(4 * GIB)), Some(4 * GIB), None),
    ] {
        let run = of(own);
        assert_eq!((run.workload.offset_bytes, run.workload.span_bytes), part, "{own}");
        let length = run.workload.length;
        assert_eq!((length.bytes, length.time_ns), (bytes, seconds.map(|s: u64| s * 1_000_000_000)), "{own}");
        assert!(is_whole(&run), "{own}: {:?}", run.origin);
    }
    let files = of("rw=randread nrfiles=4 size=4g").workload.special.unwrap().files.unwrap();
    assert_eq!((files.files, files.file_bytes), (4, GIB));
    assert!(of("rw=randwrite end_fsync=1").workload.special.unwrap().flush_at_end);
    let is_direct = |own: &str| of(own).target.direct;
    assert!(is_direct("rw=read direct=1") && is_direct("rw=read buffered=0"));
    assert!(!is_direct("rw=read") && !is_direct("rw=read direct=1 buffered=1"));
}

#[test]
fn clones_go_over_one_file_each_for_itself_or_have_a_part_each() {
    let laps = Addresses::Laps { step_bytes: None, apart_bytes: 0, jump_share: 0.0 };
    for (own, addresses, span) in [
        ("rw=read size=1g numjobs=4 filename=/dev/x", laps, 1 << 30),
        ("rw=read size=1g numjobs=4", Addresses::Sequential, 1 << 30),
        ("rw=read size=1g numjobs=4 filename=/dev/x offset_increment=1g", Addresses::Sequential, 4 << 30),
    ] {
        let run = of(own);
        assert_eq!((&run.workload.addresses, run.workload.span_bytes), (&addresses, Some(span)), "{own}");
        assert!(is_whole(&run), "{own}: {:?}", run.origin);
    }
    for own in ["rw=read", "rw=randread"] {
        let run = of(&format!("{own} size=1g numjobs=4 filename=/dev/x offset_increment=2g"));
        assert!(why(&run, "workload.offset_bytes").contains("offset_increment"), "{own}: {:?}", run.origin);
    }
    let run = of("rw=read:4k bs=4k size=1g numjobs=4 filename=/dev/x");
    assert!(why(&run, "workload.addresses").contains("each clone"), "{:?}", run.origin);
}

#[test]
fn no_option_that_is_refused_in_a_job_keeps_a_result_from_being_read() {
    for own in [
        "rw=randread kb_base=7",
        "rw=randread bs=0 rate=5m",
        "rw=randread bsrange=0-4k rate=5m",
        "rw=randread bsrange=9223372036854775808-18446744073709551615 rate=1",
        "rw=randread bssplit=4k/60 rate_iops=10",
        "rw=randrw rwmixread=200",
        "rw= bs= verify= rate=",
        "rw=read:-1 percentage_random=200 zonemode=zbd",
        "no_such_option=1 rw=read",
        "rw=randread buffer_compress_percentage=x verify=md5",
        "rw=randwrite dedupe_percentage=900 iodepth=99999999999",
        "rw=read bs=7 size=18446744073709551615 offset=18446744073709551615 io_size=18446744073709551615 loops=99",
        "rw=read:1 bs=0 size=18446744073709551615 numjobs=4294967295 filename=a:b directory=c:d nrfiles=99999",
        "rw=randread size=20% filesize=1-2 offset=z numjobs=3 filename=-",
    ] {
        run("", own);
        of(own);
    }
}

#[test]
fn engines_that_do_one_io_at_a_time_have_one_in_flight() {
    let depth = |engine: &str| run("", &format!("rw=randread iodepth=32 ioengine={engine}")).workload.depth;
    for engine in ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "falloc", "ftruncate", "filecreate"]
    {
        assert_eq!(depth(engine), 1, "{engine}");
    }
    for engine in ["splice", "libpmem", "dev-dax", "http"] {
        assert_eq!(depth(engine), 1, "{engine}, which fathom has no counterpart of");
    }
    for engine in ["libaio", "io_uring", "posixaio", "windowsaio", "null", "rbd", "nfs", "unheard-of"] {
        assert_eq!(depth(engine), 32, "{engine}");
    }
    for row in all_engines() {
        let known = row.fathom.is_none_or(|name| name == "none" || engine_list::named(name).is_some());
        assert!(known, "{} is carried out by no engine of fathom", row.name);
    }
}
