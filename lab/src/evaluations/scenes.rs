//! What stands for the evaluations' storage: simulated devices with the articles' own figures as parameters.

/// One evaluation, and the devices on which it is repeated.
pub struct Scene {
    /// Its name in fathom.
    pub evaluation: &'static str,
    /// What the devices are, in a line.
    pub devices: &'static str,
    /// What is typed behind its name.
    pub words: &'static [&'static str],
    /// Sides whose drives fathom serves to clients over NVMe/TCP.
    pub served: &'static [ServedDrives],
    /// Conclusions that the devices say nothing about, by a part of their words, and why.
    pub apart: &'static [(&'static str, &'static str)],
}

/// Drives behind a target of fathom's own.
pub struct ServedDrives {
    /// The side that they stand for.
    pub side: &'static str,
    pub nqn: &'static str,
    /// One drive, without its seed.
    pub drive: &'static str,
    pub drives: u32,
}

/// The five. Rates that two cores cannot carry in real time are scaled down, all of a scene by one factor: conclusions
/// are about ratios. The native stack's writes are apart, which no conclusion holds against reads. Its processor cost is
/// chosen for the article's share of the machine at sequential reads; a simulated drive reads in sequence as at random, so
/// that here it has more of them than the other, and at writes, of which both have as many, its share is the smaller.
pub const SCENES: [Scene; 5] = [
    Scene {
        evaluation: "gp3-vs-local-nvme",
        devices: "the published rates, in virtual time",
        words: &[
            "--side",
            "local NVMe=sim:gp3,iops=170000,throughput=867MiB/s",
            "--side",
            "gp3=sim:gp3,iops=16000,throughput=1000MiB/s",
            "--time",
            "20s",
        ],
        served: &[],
        apart: &[],
    },
    Scene {
        evaluation: "windows-arm-ebs",
        devices: "a volume of 16,000 IOPS behind a small instance, in virtual time",
        words: &[
            "--target",
            "sim:gp3,iops=15700,throughput=331MiB/s,servers=64,read=500us,write=2ms,write-stream=12MB/s,size=20GiB",
        ],
        served: &[],
        apart: &[],
    },
    Scene {
        evaluation: "nvmeof-initiators",
        devices: "eight drives behind one target a side and four clients, over loopback, at a 400th of the rates",
        words: &[
            "--local",
            "sim:ideal,servers=32,size=64GiB,read=17.2ms,read-stream=5MB/s,write=31.1ms,write-stream=2.6MB/s,throughput=16.6MB/s",
            "--client",
            "c1=local",
            "--client",
            "c2=local",
            "--client",
            "c3=local",
            "--client",
            "c4=local",
            "--partition",
            "--bound",
            "the clients' network=125MB/s",
            "--time",
            "6s",
            "--warmup",
            "2500ms",
            "--passes",
            "3",
        ],
        served: &[
            ServedDrives {
                side: "Linux",
                nqn: "nqn.2026-11.example:linux",
                drive: "sim:ideal,servers=32,size=64GiB,read=17.2ms,read-stream=5MB/s,write=31.1ms,write-stream=2.6MB/s,throughput=16.6MB/s,link=15.625MB/s,round-trip=20us",
                drives: 8,
            },
            ServedDrives {
                side: "StarWind",
                nqn: "nqn.2026-11.example:other",
                drive: "sim:ideal,servers=32,size=64GiB,read=17.2ms,read-stream=5MB/s,write=31.1ms,write-stream=2.6MB/s,throughput=16.6MB/s,link=15.625MB/s,round-trip=20us,iops=1375",
                drives: 8,
            },
        ],
        apart: &[
            ("times the CPU", "both sides are loaded by fathom's own initiator"),
            (
                "1M reads of the Linux initiator fill",
                "a drive has 32 reads in flight, a job of each client on each, where it had 8",
            ),
            ("random 4K reads of StarWind", "it holds the article's rates against its own latencies"),
        ],
    },
    Scene {
        evaluation: "windows-native-nvme",
        devices: "two stacks of different CPU cost, in real time, reads at a 330th of the rates",
        words: &[
            "--target",
            "sim:ideal,size=100GiB,servers=32,write=7.3ms,read=3.92ms,read-stream=49MB/s,cpu=70us",
            "--target",
            "sim:ideal,size=100GiB,servers=32,write=7.3ms,read=2.3ms,read-stream=32.7MB/s,cpu=43us",
            "--real-time",
            "--time",
            "2s",
            "--warmup",
            "500ms",
            "--passes",
            "16",
        ],
        served: &[],
        apart: &[
            ("sequential 64K writes gain", "a simulated drive takes writes in sequence as it takes others"),
            ("in flight: sequential 64K writes", "it holds the article's rates against its own latencies"),
        ],
    },
    Scene {
        evaluation: "bdevperf-one-core",
        devices: "one core that saturates between the second drive and the third, in real time, at a 14th of the rates",
        words: &[
            "--engine",
            "sim",
            "--target",
            "sim:ideal,servers=64,read=100us,write=100us,iops=26k,cpu=20us,seed=1",
            "--target",
            "sim:ideal,servers=64,read=100us,write=100us,iops=26k,cpu=20us,seed=2",
            "--target",
            "sim:ideal,servers=64,read=100us,write=100us,iops=26k,cpu=20us,seed=3",
            "--real-time",
            "--time",
            "4s",
            "--warmup",
            "500ms",
            "--passes",
            "6",
            "--until",
            "0.5%",
        ],
        served: &[],
        apart: &[],
    },
];
