//! Sources on trees of files that stand for machines: rates, resets, devices that come and go.
#![allow(clippy::unwrap_used, clippy::panic)] // A tree that cannot be made fails its test where it stands.

use fathom_record::telemetry::Telemetry;
use fathom_telemetry::{Collector, Root, SamplerPlan};
use proptest::prelude::*;

/// A machine made of files.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, path: &str, text: &str) -> &Self {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Written in place: a source keeps the file open, as it does with the kernel's.
        std::fs::write(path, text).unwrap();
        self
    }

    fn collector(&self, devices: &[&str]) -> Collector {
        let devices = devices.iter().map(|device| (*device).to_owned()).collect();
        Collector::new(&SamplerPlan { root: Root::at(self.0.path()), devices, ..SamplerPlan::default() })
    }
}

fn values(telemetry: &Telemetry, metric: &str, label: &str) -> Vec<Option<f64>> {
    telemetry.find(metric, label).unwrap_or_else(|| panic!("{metric} {label}")).values.clone()
}

const SECOND_NS: u64 = 1_000_000_000;

#[test]
fn disk_rates_waits_and_queue_follow_from_two_samples() {
    let machine = Machine::new();
    machine.put("proc/diskstats", " 259 0 nvme0n1 100 1 800 50 200 2 1600 100 0 1000 150 0 0 0 0 10 5\n");
    let mut collector = machine.collector(&["nvme0n1"]);
    collector.tick(5 * SECOND_NS);
    // Two seconds: 4000 reads of 4 KiB in 2000 ms, 1000 writes, 7 in flight, 1 s busy, 4 s in the queue.
    machine.put(
        "proc/diskstats",
        " 259 0 nvme0n1 4100 11 32800 2050 1200 2 9600 3100 7 2000 4150 4 0 64 8 30 45\n",
    );
    collector.tick(7 * SECOND_NS);
    let telemetry = collector.finish(6 * SECOND_NS, None);
    assert_eq!(telemetry.at_ns, [SECOND_NS as i64], "the baseline is no sample");
    for (metric, expected) in [
        ("disk.reads", 2000.0),
        ("disk.writes", 500.0),
        ("disk.discards", 2.0),
        ("disk.flushes", 10.0),
        ("disk.read_bytes", 32_000.0 * 512.0 / 2.0),
        ("disk.write_bytes", 8_000.0 * 512.0 / 2.0),
        ("disk.discard_bytes", 64.0 * 512.0 / 2.0),
        ("disk.reads_merged", 5.0),
        ("disk.writes_merged", 0.0),
        ("disk.read_wait", 500_000.0),
        ("disk.write_wait", 3_000_000.0),
        ("disk.discard_wait", 2_000_000.0),
        ("disk.flush_wait", 2_000_000.0),
        ("disk.in_flight", 7.0),
        ("disk.queue", 2.0),
        ("disk.utilisation", 0.5),
    ] {
        assert_eq!(values(&telemetry, metric, "nvme0n1"), [Some(expected)], "{metric}");
    }
}

#[test]
fn a_device_that_resets_wraps_or_vanishes_shows_no_false_rates() {
    let machine = Machine::new();
    let line = |operations: u64, ms: u64| format!("8 0 sda {operations} 0 0 {ms} 0 0 0 0 0 {ms} {ms}\n");
    let mut collector = machine.collector(&["sda"]);
    let steps = [
        line(1000, 4_294_967_000),
        line(1100, 204), // The time wrapped at 2^32: 500 ms passed.
        line(10, 20),    // The device was plugged anew.
        line(20, 40),    // 10 more in 20 ms.
        "8 16 sdb 1 2 3 4 5 6 7 8 9 10 11\n".to_owned(), // Gone.
        line(50, 50),    // Back: a new baseline.
        line(70, 90),    // 20 more.
    ];
    for (second, text) in steps.iter().enumerate() {
        machine.put("proc/diskstats", text);
        collector.tick((second as u64 + 1) * SECOND_NS);
    }
    let telemetry = collector.finish(0, None);
    let reads = values(&telemetry, "disk.reads", "sda");
    assert_eq!(reads, [Some(100.0), None, Some(10.0), None, None, Some(20.0)]);
    let busy = values(&telemetry, "disk.utilisation", "sda");
    assert_eq!(busy, [Some(0.5), None, Some(0.02), None, None, Some(0.04)]);
    let queue = values(&telemetry, "disk.in_flight", "sda");
    assert_eq!(queue[3], None, "what is gone has no state");
    assert!(telemetry.absent.iter().any(|a| a.source == "disk" && a.reason.contains("sda: vanished")));
    // An 11-column kernel counts no discards and no flushes: there is no such series.
    assert!(telemetry.find("disk.flushes", "sda").is_none());
}

#[test]
fn the_other_sources_read_their_files() {
    let machine = Machine::new();
    let stat =
        |user: u64, idle: u64| format!("cpu {user} 0 0 {idle} 0 0 0 0 0 0\ncpu0 {user} 0 0 {idle}\nintr 5\n");
    let net = |bytes: u64| format!("x\ny\neth0: {bytes} 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    machine
        .put("proc/stat", &stat(0, 0))
        .put("proc/net/dev", &net(1000))
        .put("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 10 1\n")
        .put(
            "proc/pressure/io",
            "some avg10=5.00 avg60=0 avg300=0 total=100\nfull avg10=1.00 avg60=0 avg300=0 total=0\n",
        )
        .put(
            "proc/meminfo",
            "MemTotal: 100 kB\nMemFree: 10 kB\nDirty: 3 kB\nSwapTotal: 8 kB\nSwapFree: 6 kB\n",
        )
        .put("proc/self/status", "Threads:\t3\nVmRSS:\t8 kB\n")
        .put("sys/class/hwmon/hwmon0/name", "k10temp")
        .put("sys/class/hwmon/hwmon0/temp1_label", "Tctl")
        .put("sys/class/hwmon/hwmon0/temp1_input", "61500");
    let mut collector = machine.collector(&[]);
    collector.tick(SECOND_NS);
    machine
        .put("proc/stat", &stat(75, 25))
        .put("proc/net/dev", &net(3000))
        .put("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 110 3\n")
        .put(
            "proc/pressure/io",
            "some avg10=5.00 avg60=0 avg300=0 total=250100\nfull avg10=1.00 avg60=0 avg300=0 total=0\n",
        );
    collector.tick(2 * SECOND_NS);
    let telemetry = collector.finish(0, Some(77));
    for (metric, label, expected) in [
        ("cpu.user", "", 0.75),
        ("cpu.idle", "0", 0.25),
        ("cpu.busy", "0", 0.75),
        ("net.received_bytes", "eth0", 2000.0),
        ("net.tcp_sent", "", 100.0),
        ("net.tcp_retransmits", "", 2.0),
        ("pressure.some", "io", 0.25),
        ("pressure.full", "io", 0.0),
        ("pressure.some_avg10", "io", 0.05),
        ("memory.free", "", 10_240.0),
        ("memory.dirty", "", 3072.0),
        ("memory.swap_used", "", 2048.0),
        ("process.threads", "", 3.0),
        ("process.resident", "", 8192.0),
        ("thermal.temperature", "k10temp Tctl", 61.5),
    ] {
        assert_eq!(values(&telemetry, metric, label), [Some(expected)], "{metric} {label}");
    }
    assert_eq!(telemetry.own_cpu_ns, Some(77));
    assert!(telemetry.find("memory.cached", "").is_none(), "what the kernel does not say is not made up");
}

#[test]
fn an_empty_machine_says_why_each_source_gives_nothing() {
    let machine = Machine::new();
    let mut collector = machine.collector(&["sda", "nvme0n1"]);
    for second in 1..4 {
        collector.tick(second * SECOND_NS);
    }
    let telemetry = collector.finish(0, None);
    for source in ["cpu", "process", "disk", "net", "nvme", "pressure", "memory", "thermal"] {
        let reasons = telemetry.absent.iter().filter(|a| a.source == source).count();
        assert!((1..=4).contains(&reasons), "{source}: {:?}", telemetry.absent);
    }
    let reason = |source: &str| &telemetry.absent.iter().find(|a| a.source == source).unwrap().reason;
    assert!(reason("pressure").contains("psi=1") && reason("pressure").contains("/proc/pressure/cpu"));
    assert!(telemetry.series.iter().all(|series| series.values.len() == 2));
}

#[test]
fn garbage_in_every_file_harms_nobody() {
    let machine = Machine::new();
    let garbage =
        "cpu cpu0 -1 99999999999999999999999 \u{fffd}\u{0} : : Tcp:\nTcp: x\nsome total=\nMemFree:\n";
    for path in [
        "proc/stat",
        "proc/diskstats",
        "proc/net/dev",
        "proc/net/snmp",
        "proc/pressure/io",
        "proc/pressure/cpu",
        "proc/pressure/memory",
        "proc/meminfo",
        "proc/self/status",
        "sys/class/hwmon/hwmon0/temp1_input",
        "sys/class/thermal/thermal_zone0/temp",
    ] {
        machine.put(path, garbage);
    }
    let mut collector = machine.collector(&["sda"]);
    collector.tick(1);
    collector.tick(1);
    collector.tick(2);
    let telemetry = collector.finish(u64::MAX, None);
    assert_eq!(telemetry.at_ns.len(), 1, "a sample at the same time as the one before is not taken");
    assert!(!telemetry.series.iter().any(|s| s.metric.starts_with("cpu.") || s.metric.starts_with("disk.")));
}

#[test]
fn every_series_of_a_run_is_declared() {
    let mut collector = Collector::new(&SamplerPlan::default());
    collector.tick(1);
    // The time itself is needed: counters of the kernel move in ticks of up to 10 ms; what stands still has no share.
    std::thread::sleep(std::time::Duration::from_millis(30));
    collector.tick(30_000_001);
    for series in &collector.finish(0, None).series {
        let declared =
            fathom_telemetry::sources::find(&series.metric).unwrap_or_else(|| panic!("{}", series.metric));
        assert_eq!((declared.unit, declared.source), (series.unit.as_str(), series.source.as_str()));
    }
}

/// Text that looks like the kernel's, or nearly.
fn kernel_text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("cpu"),
        Just("cpu0"),
        Just("sda"),
        Just("8"),
        Just("0"),
        Just("18446744073709551615"),
        Just("-1"),
        Just("Tcp:"),
        Just("OutSegs"),
        Just("RetransSegs"),
        Just("eth0:"),
        Just("some"),
        Just("full"),
        Just("avg10=nan"),
        Just("total=1e9"),
        Just("total=7"),
        Just("MemFree:"),
        Just("SwapTotal:"),
        Just("\n"),
        Just("\n"),
        Just("4294967295"),
        Just("inf"),
    ];
    proptest::collection::vec(word, 0..120).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_files_hold_values_are_finite_and_shares_are_shares(texts in proptest::collection::vec(kernel_text(), 3)) {
        let machine = Machine::new();
        let mut collector = machine.collector(&["sda"]);
        for (second, text) in texts.iter().enumerate() {
            for path in ["stat", "diskstats", "net/dev", "net/snmp", "pressure/io", "meminfo", "self/status"] {
                machine.put(&format!("proc/{path}"), text);
            }
            collector.tick((second as u64 + 1) * SECOND_NS);
        }
        for series in collector.finish(0, None).series {
            prop_assert_eq!(series.values.len(), 2);
            for value in series.values.iter().flatten() {
                prop_assert!(value.is_finite() && *value >= 0.0, "{}", series.metric);
                if series.metric.starts_with("cpu.") || series.metric == "disk.utilisation" {
                    prop_assert!(*value <= 1.0 + 1e-9, "{} {}", series.metric, value);
                }
            }
        }
    }
}
