//! The cases in virtual machines: what the guest sets up, and what fathom is asked there.

use super::super::case::Truth;

/// One case. Its `line` may name what the set-up left in shell variables.
#[derive(Clone, Copy)]
pub struct VmCase {
    pub id: &'static str,
    /// The causes that are right first; none where nothing binds.
    pub binds: &'static [&'static str],
    /// Shell words of the guest; a status other than 0 means that the guest lacks something.
    pub set_up: &'static str,
    pub line: &'static str,
    pub take_down: &'static str,
    /// Whether it belongs to the short lab.
    pub short: bool,
}

/// Bytes of the emulated controllers' namespaces.
pub const NAMESPACE_BYTES: u64 = 128 << 20;

/// An emulated NVMe controller.
pub struct EmulatedController {
    pub serial: &'static str,
    /// How QEMU throttles its drive, which the guest cannot see. Drives of one group share its limit.
    pub throttle: &'static str,
    /// More of the controller's own properties.
    pub properties: &'static str,
}

const fn throttled(serial: &'static str, throttle: &'static str) -> EmulatedController {
    EmulatedController { serial, throttle, properties: "" }
}

/// All of them. The hot one warns of its temperature, as a drive does that slows itself for heat.
pub const CONTROLLERS: [EmulatedController; 7] = [
    throttled("CAPIOPS", "throttling.iops-total=400"),
    throttled("CAPBYTES", "throttling.bps-total=16000000"),
    throttled("SHARED1", "throttling.iops-total=500,throttling.group=instance"),
    throttled("SHARED2", "throttling.iops-total=500,throttling.group=instance"),
    throttled(
        "BURST",
        "throttling.iops-total=100,throttling.iops-total-max=800,throttling.iops-total-max-length=4",
    ),
    throttled("PLAIN", ""),
    EmulatedController {
        serial: "HOT",
        throttle: "throttling.iops-total=350,throttling.iops-total-max=700,throttling.iops-total-max-length=4",
        properties: ",smart_critical_warning=2",
    },
];

impl VmCase {
    pub fn truth(&self) -> Truth {
        if self.binds.is_empty() { Truth::Nothing } else { Truth::Binds(self.binds.to_vec()) }
    }
}

/// All of them.
pub const ALL: [VmCase; 13] = [
    VmCase {
        id: "nvme-iops",
        binds: &["volume_iops"],
        set_up: "device=$(namespace CAPIOPS)",
        line: "$device --rw randread --bs 4k --depth 16 --ceiling iops=400",
        take_down: "true",
        short: true,
    },
    VmCase {
        id: "nvme-iops-untold",
        binds: &["volume_iops", "rate_cap"],
        set_up: "device=$(namespace CAPIOPS)",
        line: "$device --rw randread --bs 8k --depth 32",
        take_down: "true",
        short: false,
    },
    VmCase {
        id: "nvme-bytes",
        binds: &["volume_throughput"],
        set_up: "device=$(namespace CAPBYTES)",
        line: "$device --rw randread --bs 64k --depth 8 --ceiling iops=2000 --ceiling throughput=16MB/s",
        take_down: "true",
        short: false,
    },
    VmCase {
        id: "nvme-shared",
        binds: &["instance_cap", "rate_cap"],
        set_up: "device=$(namespace SHARED1) second=$(namespace SHARED2)",
        line: "$device --second $second --rw randread --bs 4k --depth 16",
        take_down: "true",
        short: false,
    },
    VmCase {
        id: "nvme-burst",
        binds: &["burst_credits"],
        set_up: "device=$(namespace BURST)",
        line: "$device --rw randread --bs 4k --depth 16 --ceiling iops=100 --ceiling iops-burst=800",
        take_down: "true",
        short: false,
    },
    VmCase {
        id: "nvme-rate",
        binds: &[],
        set_up: "device=$(namespace PLAIN)",
        line: "$device --rw randread --bs 4k --rate 60",
        take_down: "true",
        short: false,
    },
    VmCase {
        id: "nvme-hot",
        binds: &["thermal"],
        set_up: "device=$(namespace HOT)",
        line: "$device --rw randread --bs 4k --depth 16",
        take_down: "true",
        short: false,
    },
    VmCase {
        id: "null-latency",
        binds: &["concurrency"],
        set_up: "device=$(null_device 64 completion_nsec=8000000 hw_queue_depth=256)",
        line: "$device --rw randread --bs 4k --depth 2",
        take_down: "null_gone",
        short: true,
    },
    VmCase {
        id: "null-tags",
        binds: &["queue_tags"],
        set_up: "device=$(null_device 64 completion_nsec=20000000 hw_queue_depth=8)",
        line: "$device --rw randread --bs 4k --depth 32",
        take_down: "null_gone",
        short: true,
    },
    VmCase {
        id: "null-bytes",
        binds: &["volume_throughput"],
        // The driver lets whole I/Os through 50 times a second: small ones leave little of its budget over.
        set_up: "device=$(null_device 64 completion_nsec=100000 hw_queue_depth=128 mbps=12)",
        line: "$device --rw randread --bs 4k --depth 16 --ceiling throughput=12MiB/s",
        take_down: "null_gone",
        short: false,
    },
    VmCase {
        id: "null-processors",
        binds: &["all_cores", "one_core", "software", "generator"],
        set_up: "device=$(null_device 64 completion_nsec=0 hw_queue_depth=256)",
        line: "$device --rw randread --bs 4k --jobs 2 --depth 8",
        take_down: "null_gone",
        short: false,
    },
    VmCase {
        id: "dm-delay",
        binds: &["concurrency"],
        set_up: "device=$(delayed 12)",
        line: "$device --rw randread --bs 4k --depth 3",
        take_down: "delay_gone",
        short: false,
    },
    VmCase {
        id: "nvme-tcp-link",
        binds: &["link", "rate_cap"],
        set_up: "device=$(remote 64mbit)",
        line: "$device --rw randread --bs 64k --depth 16 --ceiling link:throughput=8MB/s",
        take_down: "remote_gone",
        short: false,
    },
];
