//! Outputs made by running Debian 12's tools: sysstat 12.6.1, procps 4.0.2, perf 6.1.

use fathom_tools::foreign_series::{MachineTables, Times};
use fathom_tools::observers::{observe, observer};
use fathom_tools::perf_stat;

fn read(bytes: &[u8], tool: &str) -> MachineTables {
    assert_eq!(observer(bytes).unwrap().name, tool);
    let observed = observe(bytes).unwrap();
    assert!(!observed.notes.iter().any(|note| note.contains("not known")), "{:?}", observed.notes);
    observed
}

fn value(observed: &MachineTables, metric: &str, label: &str, at: usize) -> f64 {
    observed.telemetry.find(metric, label).unwrap_or_else(|| panic!("{metric} {label}")).values[at].unwrap()
}

#[test]
fn iostat_with_stamps() {
    let read = read(include_bytes!("own/iostat-x.txt"), "iostat");
    assert_eq!(
        (read.times, read.telemetry.at_ns.as_slice()),
        (Times::Stamped, &[1_000_000_000, 2_000_000_000][..])
    );
    assert_eq!(read.first_stamp.as_deref(), Some("11/20/26 22:28:20"));
    assert_eq!(read.start_utc_s, None, "no zone is stated");
    assert_eq!(value(&read, "disk.read_bytes", "vda", 0), 16_500.0 * 1024.0);
    assert_eq!(value(&read, "disk.write_size", "vda", 0), 868.85 * 1024.0);
    assert_eq!(value(&read, "disk.flush_wait", "vda", 0), 0.31e6);
    let boot = read.since_boot.iter().find(|s| s.metric == "disk.reads" && s.label == "vda").unwrap();
    assert_eq!(boot.values, [Some(1538.62)]);
    assert_eq!(
        (observer(include_bytes!("own/iostat-x.txt")).unwrap().audit)(include_bytes!("own/iostat-x.txt")),
        Ok(vec![])
    );
}

#[test]
fn iostat_in_iso_time_and_json() {
    let iso = read(include_bytes!("own/iostat-iso.txt"), "iostat");
    assert_eq!(iso.start_utc_s, Some(20_777 * 86_400 + 22 * 3600 + 28 * 60 + 24));
    assert_eq!(value(&iso, "disk.transfers", "vda", 0), 14_440.0);
    let json = read(include_bytes!("own/iostat.json"), "iostat");
    assert_eq!(json.telemetry.at_ns, [1_000_000_000]);
    assert!((value(&json, "cpu.busy", "", 0) - 1.0).abs() < 1e-9);
    assert_eq!(json.banner.unwrap().processors, Some(2));
}

#[test]
fn mpstat_in_text_and_json() {
    let text = read(include_bytes!("own/mpstat.txt"), "mpstat");
    assert_eq!(text.telemetry.at_ns, [1_000_000_000, 2_000_000_000]);
    assert!((value(&text, "cpu.user", "1", 0) - 0.6).abs() < 1e-9);
    assert!((value(&text, "cpu.softirq", "1", 0) - 0.1).abs() < 1e-9);
    for average in &text.averages {
        let mean = text.telemetry.find(&average.metric, &average.label).unwrap().mean().unwrap();
        assert!((mean - average.values[0].unwrap()).abs() < 1.1e-4, "{} {}", average.metric, average.label);
    }
    let json = read(include_bytes!("own/mpstat.json"), "mpstat");
    assert_eq!(json.telemetry.at_ns.len(), 2);
    let numbered = include_str!("own/mpstat.json").replace("\"all\"", "\"-1\"");
    assert_eq!(
        read(numbered.as_bytes(), "mpstat").telemetry,
        json.telemetry,
        "the machine's number in old versions"
    );
}

#[test]
fn sar_and_sadf() {
    let sar = read(include_bytes!("own/sar-mixed.txt"), "sar");
    assert_eq!(sar.telemetry.at_ns, [1_000_000_000, 2_000_000_000, 3_000_000_000]);
    assert_eq!(value(&sar, "memory.free", "", 0), 14_568_300.0 * 1024.0);
    assert_eq!(value(&sar, "io.write_bytes", "", 0), 1008.0 * 512.0);
    assert_eq!(value(&sar, "load.average_1m", "", 0), 4.5);
    assert!((value(&sar, "cpu.nice", "", 0) - 0.1106).abs() < 1e-9);
    assert!(sar.telemetry.find("net.received_bytes", "eth0").is_some());
    let sadf = read(include_bytes!("own/sadf.json"), "sadf");
    assert_eq!(sadf.first_stamp.as_deref(), Some("2026-11-20T22:55:08Z"));
    assert_eq!(value(&sadf, "disk.write_bytes", "vda", 0), 2712.0 * 512.0);
    assert!((value(&sadf, "cpu.kernel", "", 0) - 0.0201).abs() < 1e-9);
    let disks = read(include_bytes!("own/sar-d.txt"), "sar");
    assert_eq!(disks.telemetry.at_ns.len(), 2);
}

#[test]
fn binary_files_are_refused_with_how_to_convert_them() {
    let sar = observe(&[0x96, 0xd5, 0x75, 0x21, 0, 1, 2]).unwrap_err();
    assert!(sar.remedy.contains("sadf -j FILE"), "{sar}");
    let perf = observe(b"PERFILE2\0\0").unwrap_err();
    assert!(perf.cause.contains("samples"), "{perf}");
}

#[test]
fn vmstat_with_stamps_and_wide() {
    let stamped = read(include_bytes!("own/vmstat-t.txt"), "vmstat");
    assert_eq!(stamped.telemetry.at_ns, [1_000_000_000, 2_000_000_000]);
    assert_eq!(value(&stamped, "paging.out_bytes", "", 0), 282_872.0 * 1024.0);
    assert!((value(&stamped, "cpu.kernel", "", 0) - 0.09).abs() < 1e-9);
    let wide = read(include_bytes!("own/vmstat-w.txt"), "vmstat");
    assert_eq!(value(&wide, "memory.cached", "", 0), 3_909_640.0 * 1024.0);
    let totals =
        observe(b"disk- ------------reads------------ ------------writes----------- -----IO------\n")
            .unwrap_err();
    assert!(totals.cause.contains("totals"), "{totals}");
}

#[test]
fn perf_stat_in_all_its_forms() {
    let text = read(include_bytes!("own/perf.txt"), "perf stat");
    // 0.78 ms of one processor in 0.201577495 s.
    assert!((value(&text, "perf.task_clock", "", 0) - 0.78e-3 / 0.201577495).abs() < 1e-9);
    assert!((value(&text, "perf.page_faults", "", 0) - 76.0 / 0.201577495).abs() < 1e-6);
    for bytes in [
        &include_bytes!("own/perf-I.txt")[..],
        include_bytes!("own/perf-I.csv"),
        include_bytes!("own/perf-I.json"),
    ] {
        let intervals = read(bytes, "perf stat");
        assert!(intervals.telemetry.at_ns.len() >= 2, "{:?}", intervals.telemetry.at_ns);
        assert!(intervals.telemetry.absent.iter().any(|absent| absent.source == "perf cycles"));
        let clock = intervals.telemetry.find("perf.task_clock", "").unwrap();
        assert_eq!(clock.unit, "cores");
        assert!(clock.values.iter().flatten().all(|cores| (0.0..0.1).contains(cores)));
    }
    let repeated = perf_stat::read(include_bytes!("own/perf-r.txt")).unwrap();
    assert_eq!(
        (repeated.elapsed_s, repeated.events[1].counted),
        (Some(0.10554), perf_stat::EventCount::Number(75.0))
    );
    let processors = read(include_bytes!("own/perf-A.txt"), "perf stat");
    assert!(value(&processors, "perf.task_clock", "1", 0) > 0.9);
    // Without the time elapsed a count is no rate.
    let csv = read(include_bytes!("own/perf.csv"), "perf stat");
    assert_eq!(csv.telemetry.find("perf.page_faults", "").unwrap().unit, "events");
}

#[test]
fn unknown_columns_are_named_and_not_guessed() {
    let text = b"Device r/s zork/s rkB/s\nsda 1.00 7.00 8.00\n";
    let observed = observe(text).unwrap();
    assert!(observed.notes.iter().any(|note| note.contains("`zork/s`")), "{:?}", observed.notes);
    assert_eq!(observed.telemetry.series.len(), 2);
}

#[test]
fn a_line_that_does_not_fit_its_header_shifts_nothing() {
    let text = b"Device r/s w/s\nsda 1.00\nsdb 1.00 2.00\nSegmentation fault\n";
    let observed = observe(text).unwrap();
    assert_eq!(observed.telemetry.series.len(), 2, "{:?}", observed.telemetry.series);
    assert!(observed.notes.iter().any(|note| note.starts_with("2 lines")), "{:?}", observed.notes);
}
