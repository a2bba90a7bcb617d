//! The environment of trees of files that stand for whole machines.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // A tree that cannot be made fails its test where it stands.

use std::os::unix::fs::symlink;
use std::path::Path;

use fathom_record::environment_facts::{Environment, Severity};
use fathom_record::facts::DeviceFacts;
use fathom_telemetry::{Root, environment};

fn put(tree: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn link(tree: &Path, to: &str, at: &str) {
    let at = tree.join(at);
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    symlink(to, at).unwrap();
}

fn describe(tree: &Path, devices: &[&str]) -> Environment {
    let devices: Vec<DeviceFacts> = devices
        .iter()
        .map(|name| DeviceFacts { name: (*name).to_owned(), ..DeviceFacts::default() })
        .collect();
    environment::collect_in(&Root::at(tree), None, &devices, None)
}

fn value<'a>(found: &'a Environment, group: &str, label: &str, name: &str) -> Option<&'a str> {
    found
        .facts
        .iter()
        .find(|f| f.group == group && f.label == label && f.name == name)
        .map(|f| f.value.as_str())
}

fn severity(found: &Environment, setting: &str) -> Option<Severity> {
    found.preflight.iter().find(|finding| finding.setting == setting).map(|finding| finding.severity)
}

/// A server with a drive on a link of half its speed, a busy clock and a slow governor.
fn server(tree: &Path) {
    let function = "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0";
    put(
        tree,
        &[
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 12\"\n"),
            ("proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
            ("proc/cmdline", "root=/dev/sda secret=token mitigations=auto idle=poll -- nosmt\n"),
            ("boot/config-6.8.0-45-generic", "CONFIG_HZ_250=y\nCONFIG_HZ=250\n"),
            ("proc/cpuinfo", "processor : 0\nmodel name : Xeon\nflags : fpu\nprocessor : 1\n"),
            ("sys/devices/system/cpu/online", "0-3,8\n"),
            ("sys/devices/system/node/online", "0-1\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "0"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "133"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C6"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state2/latency", "900"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "1"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
            ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet\n"),
            ("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n"),
            (
                "proc/meminfo",
                "MemTotal: 1048576 kB\nMemAvailable: 524288 kB\nSwapTotal: 4 kB\nSwapFree: 4 kB\n",
            ),
            ("sys/class/dmi/id/sys_vendor", "Dell Inc.\n"),
            ("sys/class/dmi/id/chassis_asset_tag", "INVENTORY-77\n"),
            (&format!("{function}/current_link_speed"), "8.0 GT/s PCIe\n"),
            (&format!("{function}/max_link_speed"), "16.0 GT/s PCIe\n"),
            (&format!("{function}/current_link_width"), "4\n"),
            (&format!("{function}/max_link_width"), "4\n"),
            (&format!("{function}/nvme/nvme0/model"), "FAST DRIVE  \n"),
            (&format!("{function}/nvme/nvme0/nvme0n1/queue/scheduler"), "[none] mq-deadline\n"),
            (&format!("{function}/nvme/nvme0/nvme0n1/queue/iostats"), "1\n"),
            (&format!("{function}/nvme/nvme0/nvme0n1/mq/0/x"), ""),
            (&format!("{function}/nvme/nvme0/nvme0n1/mq/1/x"), ""),
            (&format!("{function}/nvme/nvme0/nvme0n1/nvme0n1p1/partition"), "1"),
            (&format!("{function}/nvme/nvme0/nvme0n1/nvme0n1p1/start"), "2048"),
            ("sys/bus/pci/drivers/nvme/x", ""),
            ("sys/module/nvme/version", "1.0\n"),
            ("dev/nvme0", "not a controller"),
        ],
    );
    let namespace = "../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/nvme0n1";
    link(tree, namespace, "sys/class/block/nvme0n1");
    link(tree, &format!("{namespace}/nvme0n1p1"), "sys/class/block/nvme0n1p1");
    link(tree, "../../nvme0", &format!("{function}/nvme/nvme0/nvme0n1/device"));
    link(tree, "../../../0000:01:00.0", &format!("{function}/nvme/nvme0/device"));
    link(tree, "../../../../bus/pci/drivers/nvme", &format!("{function}/driver"));
    std::fs::create_dir_all(tree.join("sys/class/nvme")).unwrap();
    link(tree, "../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0", "sys/class/nvme/nvme0");
}

#[test]
fn a_server_is_described_down_to_its_drive_s_link() {
    let tree = tempfile::tempdir().unwrap();
    server(tree.path());
    let found = describe(tree.path(), &["nvme0n1p1", "nvme0n1"]);
    assert_eq!((found.os.as_str(), found.kernel.as_str()), ("Some Linux 12", "6.8.0-45-generic"));
    assert_eq!((found.cpu_model.as_deref(), found.cpus, found.numa_nodes), (Some("Xeon"), 5, 2));
    assert_eq!(
        (found.memory_bytes, found.virtualization.as_deref(), found.instance.as_deref()),
        (1 << 30, None, None)
    );
    for (group, label, name, expected) in [
        ("kernel", "", "timer_hz", "250"),
        ("kernel", "", "parameters", "mitigations=auto idle=poll"),
        ("cpu", "", "governor", "powersave"),
        ("cpu", "", "deepest_idle_wakeup_us", "133"),
        ("cpu", "", "deepest_idle_state", "C6"),
        ("device", "nvme0n1", "driver", "nvme"),
        ("device", "nvme0n1", "driver_version", "1.0"),
        ("device", "nvme0n1", "hardware_queues", "2"),
        ("device", "nvme0n1p1", "partition_start_sectors", "2048"),
        ("pcie", "nvme0n1", "address", "0000:01:00.0"),
        ("pcie", "nvme0n1", "current_link_speed", "8.0 GT/s PCIe"),
        ("nvme", "nvme0n1", "model", "FAST DRIVE"),
        ("firmware", "", "sys_vendor", "Dell Inc."),
    ] {
        assert_eq!(value(&found, group, label, name), Some(expected), "{group} {label} {name}");
    }
    assert!(value(&found, "nvme", "nvme0n1", "identify").unwrap().contains("not readable"));
    let all = format!("{found:?}");
    assert!(!all.contains("secret") && !all.contains("INVENTORY"), "what is nobody's business stays out");
    for (setting, expected) in [
        ("nvme0n1: PCIe link speed", Severity::Warning),
        ("nvme0n1: PCIe link width", Severity::Good),
        ("nvme0n1: scheduler", Severity::Good),
        ("cpu: governor", Severity::Warning),
        ("cpu: deepest idle state", Severity::Note),
        ("kernel: clock source", Severity::Warning),
        ("kernel: meltdown", Severity::Note),
        ("machine: swap", Severity::Good),
    ] {
        assert_eq!(severity(&found, setting), Some(expected), "{setting}");
    }
    let clock = found.preflight.iter().find(|f| f.setting == "kernel: clock source").unwrap();
    assert!(clock.remedy.as_deref().unwrap().contains("echo tsc >"), "the kernel offers it");
}

#[test]
fn limits_of_both_kinds_of_control_group_are_found_in_parents_too() {
    let tree = tempfile::tempdir().unwrap();
    put(
        tree.path(),
        &[
            ("sys/class/block/vda/dev", "254:0\n"),
            (
                "proc/self/mountinfo",
                "30 1 0:1 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
                 31 1 0:2 /docker/abc /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
                 32 1 0:3 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
            ),
            ("proc/self/cgroup", "4:blkio:/docker/abc/inner\n3:cpu,cpuacct:/\n0::/user.slice/shell.scope\n"),
            (
                "sys/fs/cgroup/unified/user.slice/io.max",
                "254:0 rbps=1048576 wbps=max riops=max wiops=120\n8:0 rbps=5\n",
            ),
            ("sys/fs/cgroup/unified/user.slice/shell.scope/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/unified/user.slice/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/blkio/inner/blkio.throttle.read_iops_device", "254:0 300\n8:0 1\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ],
    );
    let found = describe(tree.path(), &["vda"]);
    let limits: Vec<(&str, &str, &str)> = found
        .facts
        .iter()
        .filter(|fact| fact.group == "cgroup")
        .map(|fact| (fact.label.as_str(), fact.name.as_str(), fact.value.as_str()))
        .collect();
    assert_eq!(
        limits,
        [
            ("vda", "read_bytes_per_s", "1048576"),
            ("vda", "write_operations_per_s", "120"),
            ("", "cpu_cores", "1.50"),
            ("vda", "read_operations_per_s", "300"),
        ]
    );
    let warnings = found.preflight.iter().filter(|finding| finding.severity == Severity::Warning).count();
    assert_eq!(warnings, 4, "{:#?}", found.preflight);
}

#[test]
fn the_least_quota_is_kept_and_none_is_absent() {
    let tree = tempfile::tempdir().unwrap();
    put(
        tree.path(),
        &[
            ("proc/self/mountinfo", "30 1 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/cpu.max", "50500 100000\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
        ],
    );
    assert_eq!(describe(tree.path(), &[]).cpu_quota_cores, Some(0.505));
    put(tree.path(), &[("sys/fs/cgroup/a/b/cpu.max", "20000 0\n"), ("sys/fs/cgroup/a/cpu.max", "max\n")]);
    assert_eq!(describe(tree.path(), &[]).cpu_quota_cores, None);
}

#[test]
fn requests_at_once_are_those_of_all_queues_of_all_disks() {
    let tree = tempfile::tempdir().unwrap();
    let tags = |device: &str, queue: &str| format!("sys/class/block/{device}/mq/{queue}/nr_tags");
    put(
        tree.path(),
        &[
            (&tags("nvme0n1", "0"), "1023\n"),
            (&tags("nvme0n1", "1"), "1023\n"),
            (&tags("sda", "0"), "256\n"),
            ("sys/class/block/sda/device/queue_depth", "32\n"),
            (&tags("loop0", "0"), "128\n"),
            ("sys/class/block/md0/slaves/nvme0n1", ""),
            ("sys/class/block/md0/slaves/sda", ""),
            ("sys/class/block/sda1/partition", "1\n"),
        ],
    );
    let of = |devices: &[&str]| describe(tree.path(), devices).queue_tags;
    assert_eq!(of(&["nvme0n1"]), Some(2046));
    assert_eq!(of(&["sda1", "sda"]), Some(32), "what the disk takes, not what its adapter has");
    assert_eq!(of(&["md0", "nvme0n1", "sda"]), Some(2078));
    assert_eq!(of(&["loop0", "sda"]), Some(32));
    assert_eq!(of(&["loop0", "nvme0n1"]), Some(128), "a loop device above takes less");
    assert_eq!(of(&["nvme0n1", "zram0"]), None, "one does not say");
    assert_eq!(of(&[]), None);
    let polled = |queues| {
        let disk =
            DeviceFacts { name: "nvme0n1".to_owned(), polled_queues: queues, ..DeviceFacts::default() };
        environment::collect_in(&Root::at(tree.path()), None, &[disk], None).queue_tags
    };
    assert_eq!(polled(Some(1)), Some(1023), "no other I/O takes a polled queue's");
    assert_eq!(polled(Some(9)), None, "the queues are others than those that were found");
}

#[test]
fn links_are_found_from_disks_and_from_addresses() {
    let tree = tempfile::tempdir().unwrap();
    let tree = tree.path();
    let route = format!(
        "Iface Destination Gateway Flags RefCnt Use Metric Mask\neth0 00000000 00000000 3 0 0 100 00000000\n{}",
        "eth1 zz\n"
    );
    put(
        tree,
        &[
            ("sys/devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/model", "x"),
            ("sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n"),
            ("sys/devices/virtual/nvme-fabrics/ctl/nvme4/address", "traddr=10.0.0.7,trsvcid=4420\n"),
            ("proc/net/route", &route),
            ("sys/class/net/eth0/speed", "25000\n"),
            ("sys/class/net/eth0/mtu", "9001\n"),
            ("sys/class/block/.keep", ""),
            ("sys/class/nvme/.keep", ""),
        ],
    );
    std::fs::create_dir_all(tree.join("sys/class/block/sda")).unwrap();
    std::fs::create_dir_all(tree.join("sys/class/block/nvme4n1")).unwrap();
    let disk = "../../../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0";
    link(tree, disk, "sys/class/block/sda/device");
    link(tree, "../../../devices/virtual/nvme-fabrics/ctl/nvme4", "sys/class/block/nvme4n1/device");
    link(tree, "../../devices/virtual/nvme-fabrics/ctl/nvme4", "sys/class/nvme/nvme4");
    let found = describe(tree, &["sda", "nvme4n1"]);
    let value = |group: &str, name: &str| {
        let fact = found.facts.iter().find(|fact| fact.group == group && fact.name == name);
        fact.map(|fact| (fact.label.as_str(), fact.value.as_str()))
    };
    assert_eq!(value("sata", "sata_spd"), Some(("sda", "6.0 Gbps")));
    assert_eq!(value("network", "interface"), Some(("nvme4n1", "eth0")));
    assert_eq!(value("network", "speed_mbit_per_s"), Some(("nvme4n1", "25000")));
    assert_eq!(value("network", "mtu_bytes"), Some(("nvme4n1", "9001")));
}

#[test]
fn a_cloud_instance_is_named_with_what_lies_under_it() {
    let tree = tempfile::tempdir().unwrap();
    put(
        tree.path(),
        &[
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
            ("sys/class/dmi/id/product_name", "m7i.large\n"),
            ("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n"),
        ],
    );
    let found = describe(tree.path(), &[]);
    assert_eq!(found.instance.as_deref(), Some("AWS EC2 m7i.large"));
    assert_eq!(found.virtualization.as_deref(), Some("Nitro"));
}

#[test]
fn a_machine_without_files_is_described_as_unknown() {
    let tree = tempfile::tempdir().unwrap();
    let found = describe(tree.path(), &["sda", "nvme0n1", "../../etc"]);
    assert_eq!((found.cpus, found.numa_nodes, found.kernel.as_str()), (1, 1, "unknown"));
    assert_eq!((found.memory_bytes, found.preflight.len()), (0, 0));
}
