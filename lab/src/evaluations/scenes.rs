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
    pub served: &'static [Served],
}

/// Drives behind a target of fathom's own.
pub struct Served {
    /// The side that they stand for.
    pub side: &'static str,
    pub nqn: &'static str,
    /// One drive, without its seed.
    pub drive: &'static str,
    pub drives: u32,
}

/// The five. Rates that two cores cannot carry in real time are scaled down, all of a scene by one factor: conclusions
/// are about ratios.
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
    },
    Scene {
        evaluation: "windows-arm-ebs",
        devices: "a volume of 16,000 IOPS behind a small instance, in virtual time",
        words: &[
            "--target",
            "sim:gp3,iops=15700,throughput=331MiB/s,servers=64,read=500us,write=2ms,write-stream=12MB/s,size=20GiB",
        ],
        served: &[],
    },
    Scene {
        evaluation: "nvmeof-initiators",
        devices: "eight drives behind one target a side and four clients, over loopback, at a fortieth of the rates",
        words: &[
            "--local",
            "sim:ideal,servers=32,size=64GiB,read=1.07ms,read-stream=5.65MB/s,write=3.11ms,write-stream=26MB/s,throughput=166MB/s",
            "--client",
            "c1=local",
            "--client",
            "c2=local",
            "--client",
            "c3=local",
            "--client",
            "c4=local",
            "--bound",
            "the clients' network=1.25GB/s",
            "--time",
            "2s",
            "--warmup",
            "500ms",
            "--passes",
            "3",
        ],
        served: &[
            Served {
                side: "Linux",
                nqn: "nqn.2026-11.example:linux",
                drive: "sim:ideal,servers=32,size=64GiB,read=1.07ms,read-stream=5.65MB/s,write=3.11ms,write-stream=26MB/s,throughput=166MB/s,link=156.25MB/s,round-trip=20us",
                drives: 8,
            },
            Served {
                side: "StarWind",
                nqn: "nqn.2026-11.example:other",
                drive: "sim:ideal,servers=32,size=64GiB,read=1.07ms,read-stream=5.65MB/s,write=3.11ms,write-stream=26MB/s,throughput=166MB/s,link=156.25MB/s,round-trip=20us,iops=13.5k",
                drives: 8,
            },
        ],
    },
    Scene {
        evaluation: "windows-native-nvme",
        devices: "two stacks of different processor cost, in real time, at a 330th of the rates",
        words: &[
            "--target",
            "sim:ideal,size=100GiB,servers=32,write=16ms,read=3.92ms,read-stream=49MB/s,cpu=44us",
            "--target",
            "sim:ideal,size=100GiB,servers=32,write=16ms,read=2.3ms,read-stream=32.7MB/s,cpu=30us",
            "--real-time",
            "--time",
            "2s",
            "--warmup",
            "500ms",
            "--passes",
            "3",
        ],
        served: &[],
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
            "3s",
            "--warmup",
            "500ms",
            "--passes",
            "3",
        ],
        served: &[],
    },
];
