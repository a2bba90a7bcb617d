//! Named devices, each built for a size.
//!
//! Sources of limits:
//! * gp2, st1: AWS EC2 user guide (general-purpose and HDD volumes, I/O characteristics), archive
//!   of 2023-06-15. gp2: 3 IOPS/GiB from 100 to 16,000, 3,000 while there are credits, 5.4 million
//!   credits; 128 MiB/s up to 170 GiB, 250 MiB/s above. st1: 40 MiB/s per TiB, 250 MiB/s per TiB
//!   while there are credits, both at most 500; 1 TiB of credit per TiB; 500 IOPS of 1 MiB.
//! * gp3: AWS EBS user guide as of 2025-10-14: 3,000 IOPS and 125 MiB/s included at any size.
//! * io2: AWS EBS user guide (provisioned IOPS), 2025/26: up to 1,000 IOPS/GiB and 256,000,
//!   0.256 MiB/s per IOPS up to 4,000 MiB/s, mean latency under 500 us at 16 KiB.
//! * I/O accounting: EC2 user guide, I/O characteristics, 2023-06-15: units of 256 KiB (SSD) or
//!   1 MiB (HDD), sequential I/Os merged up to a unit.
//! * m6i.large: `DescribeInstanceTypes` as shipped with moto 5.2.5, 2026-10-27: 3,600 IOPS and
//!   81.25 MB/s, up to 40,000 IOPS and 1,250 MB/s for 30 minutes a day. The size of the bucket is
//!   not published and derived from those 30 minutes.
//! * nvme: a data-centre TLC drive of the class of Intel's P5510 (about 712,000 random 4 KiB reads,
//!   195,000 sustained random 4 KiB writes, 6.7 GB/s read, 3.45 GB/s sequential write).
//! * sata: Serial ATA, 6 Gbit/s with 8b/10b coding, 32 tags (native command queueing).
//! * hdd: half a turn at 7,200/min is 4.17 ms, an average seek 8.5 ms.
//!
//! Latencies of cloud volumes, and everything of `qlc` and `slc` but their kind, are representative
//! choices: the providers publish "single-digit milliseconds" at best.

use fathom_record::options::{ByteLimit, OperationLimit, Stalls};

use super::parameters::{Accounting, Instance, Link, Noise, ServiceTime, SimParameters, Work, WriteCache};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;
const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

/// A named device.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name, as after `sim:`.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its size unless another is asked for.
    pub size_bytes: u64,
    pub(super) build: fn(u64) -> SimParameters,
}

/// All of them, in the order in which they are shown.
#[rustfmt::skip]
pub const PRESETS: &[Preset] = &[
    Preset { name: "ideal", summary: "8 servers of exactly 100 us, no limits: N/R up to 80,000 IOPS", size_bytes: 64 * GIB, build: ideal },
    Preset { name: "noisy", summary: "ideal, with a speed that varies by 3 % over 10 s", size_bytes: 64 * GIB, build: noisy },
    Preset { name: "stall", summary: "one server of exactly 100 us that stands still for 1 s each minute", size_bytes: 64 * GIB, build: stall },
    Preset { name: "nvme", summary: "data-centre TLC NVMe drive: 720,000 read IOPS, 6.7 GB/s, slower random writes", size_bytes: 3_840_755_982_336, build: nvme },
    Preset { name: "qlc", summary: "data-centre QLC NVMe drive with an indirection unit of 64 KiB", size_bytes: 15_360_950_534_144, build: qlc },
    Preset { name: "slc", summary: "client NVMe drive: 24 GiB of fast SLC cache, then a cliff to 300 MB/s", size_bytes: 1_000_204_886_016, build: slc },
    Preset { name: "sata", summary: "SATA SSD: 32 tags, 550 MB/s", size_bytes: 960_197_124_096, build: sata },
    Preset { name: "hdd", summary: "7,200/min disk: 200 MB/s in sequence, about 78 random IOPS", size_bytes: 8_001_563_222_016, build: hdd },
    Preset { name: "nvmeof", summary: "nvme behind 25 Gbit/s Ethernet: bound by the link at 3 GB/s", size_bytes: 3_840_755_982_336, build: nvmeof },
    Preset { name: "gp2", summary: "AWS EBS gp2: 3 IOPS/GiB, bursts to 3,000 on 5.4 million credits", size_bytes: 100 * GIB, build: gp2 },
    Preset { name: "gp3", summary: "AWS EBS gp3: 3,000 IOPS and 125 MiB/s", size_bytes: 500 * GIB, build: gp3 },
    Preset { name: "io2", summary: "AWS EBS io2 Block Express: 32,000 IOPS and 4,000 MiB/s", size_bytes: 500 * GIB, build: io2 },
    Preset { name: "st1", summary: "AWS EBS st1: 40 MiB/s per TiB, bursts to 250, small random I/O costs 1 MiB", size_bytes: 2048 * GIB, build: st1 },
    Preset { name: "instance-capped", summary: "gp3 of 16,000 IOPS and 1,000 MiB/s on an m6i.large whose burst is spent", size_bytes: 500 * GIB, build: instance_capped },
];

fn ideal(size_bytes: u64) -> SimParameters {
    SimParameters {
        name: "ideal".to_owned(),
        size_bytes,
        logical_block_bytes: 512,
        servers: 8,
        tags: None,
        base_latency_ns: 0,
        read: Work::constant(100 * US),
        write: Work::constant(100 * US),
        trim: Work::constant(100 * US),
        flush: Work::constant(10 * US),
        positioning: None,
        cpu_ns: 0,
        lock: None,
        operations: None,
        throughput: None,
        accounting: Accounting::default(),
        instance: None,
        link: None,
        write_cache: None,
        indirection_unit_bytes: None,
        stalls: None,
        stalls_elapsed_ns: 0,
        noise: None,
        seed: 1,
    }
}

/// An ideal device under another name, to be changed.
fn named(name: &str, size_bytes: u64) -> SimParameters {
    SimParameters { name: name.to_owned(), ..ideal(size_bytes) }
}

fn noisy(size_bytes: u64) -> SimParameters {
    SimParameters {
        noise: Some(Noise { deviation_share: 0.03, correlation_ns: 10 * S }),
        ..named("noisy", size_bytes)
    }
}

fn stall(size_bytes: u64) -> SimParameters {
    SimParameters {
        servers: 1,
        stalls: Some(Stalls { every_ns: 60 * S, length_ns: S, phase_ns: 30 * S }),
        ..named("stall", size_bytes)
    }
}

fn nvme(size_bytes: u64) -> SimParameters {
    SimParameters {
        servers: 58,
        read: Work::lognormal(80 * US, 0.2).streaming(6_000_000_000),
        write: Work::lognormal(14 * US, 0.2).streaming(6_000_000_000),
        trim: Work::constant(50 * US),
        link: Some(Link { bytes_per_s: 6_700_000_000, round_trip_ns: 0 }),
        write_cache: Some(WriteCache {
            capacity_bytes: GIB,
            free_bytes: None,
            drain_bytes_per_s: 3_450_000_000,
            random_amplification: 4.3,
        }),
        ..named("nvme", size_bytes)
    }
}

fn qlc(size_bytes: u64) -> SimParameters {
    SimParameters {
        read: Work::lognormal(110 * US, 0.3).streaming(6_000_000_000),
        write: Work::lognormal(20 * US, 0.3).streaming(6_000_000_000),
        write_cache: Some(WriteCache {
            capacity_bytes: 4 * GIB,
            free_bytes: None,
            drain_bytes_per_s: 2_900_000_000,
            random_amplification: 1.5,
        }),
        indirection_unit_bytes: Some(64 << 10),
        logical_block_bytes: 4096,
        name: "qlc".to_owned(),
        ..nvme(size_bytes)
    }
}

fn slc(size_bytes: u64) -> SimParameters {
    SimParameters {
        servers: 32,
        read: Work::lognormal(60 * US, 0.3).streaming(3_000_000_000),
        write: Work::lognormal(20 * US, 0.3).streaming(3_000_000_000),
        link: Some(Link { bytes_per_s: 3_500_000_000, round_trip_ns: 0 }),
        write_cache: Some(WriteCache {
            capacity_bytes: 24 * GIB,
            free_bytes: None,
            drain_bytes_per_s: 300_000_000,
            random_amplification: 1.0,
        }),
        ..named("slc", size_bytes)
    }
}

fn sata(size_bytes: u64) -> SimParameters {
    SimParameters {
        servers: 10,
        tags: Some(32),
        read: Work::lognormal(95 * US, 0.25),
        write: Work::lognormal(40 * US, 0.25),
        link: Some(Link { bytes_per_s: 550_000_000, round_trip_ns: 0 }),
        write_cache: Some(WriteCache {
            capacity_bytes: 2 * GIB,
            free_bytes: None,
            drain_bytes_per_s: 450_000_000,
            random_amplification: 2.5,
        }),
        ..named("sata", size_bytes)
    }
}

fn hdd(size_bytes: u64) -> SimParameters {
    SimParameters {
        servers: 1,
        tags: Some(32),
        read: Work::constant(100 * US).streaming(200_000_000),
        write: Work::constant(100 * US).streaming(200_000_000),
        flush: Work::constant(8 * MS),
        positioning: Some(ServiceTime::Gamma { mean_ns: 12_670 * US, order: 8.0 }),
        ..named("hdd", size_bytes)
    }
}

fn nvmeof(size_bytes: u64) -> SimParameters {
    SimParameters {
        name: "nvmeof".to_owned(),
        // 25 Gbit/s less framing at jumbo frames.
        link: Some(Link { bytes_per_s: 3_000_000_000, round_trip_ns: 20 * US }),
        ..nvme(size_bytes)
    }
}

/// A cloud SSD volume before its limits.
fn cloud_ssd(name: &str, size_bytes: u64, read_ns: u64, write_ns: u64) -> SimParameters {
    SimParameters {
        servers: 128,
        base_latency_ns: 150 * US,
        read: Work::lognormal(read_ns, 0.3).streaming(2_000_000_000),
        write: Work::lognormal(write_ns, 0.3).streaming(2_000_000_000),
        flush: Work::constant(0),
        accounting: Accounting { unit_bytes: Some(256 << 10), merge_sequential: true, least_random_bytes: 0 },
        ..named(name, size_bytes)
    }
}

fn gp2(size_bytes: u64) -> SimParameters {
    let base = (3 * (size_bytes / GIB)).clamp(100, 16_000);
    let credits = 5_400_000;
    let operations = OperationLimit {
        operations_per_s: base,
        bucket_operations: credits,
        balance_operations: credits,
        peak_operations_per_s: Some(3000),
    };
    let mib_per_s = if size_bytes <= 170 * GIB { 128 } else { 250 };
    SimParameters {
        operations: Some(if base < 3000 { operations } else { OperationLimit::paced(base) }),
        throughput: Some(ByteLimit::paced(mib_per_s * MIB)),
        ..cloud_ssd("gp2", size_bytes, 550 * US, 650 * US)
    }
}

fn gp3(size_bytes: u64) -> SimParameters {
    SimParameters {
        operations: Some(OperationLimit::paced(3000)),
        throughput: Some(ByteLimit::paced(125 * MIB)),
        ..cloud_ssd("gp3", size_bytes, 550 * US, 650 * US)
    }
}

fn io2(size_bytes: u64) -> SimParameters {
    let iops = (1000 * (size_bytes / GIB)).clamp(100, 32_000);
    let bytes_per_s = (iops * 256 * MIB / 1000).min(4000 * MIB);
    SimParameters {
        operations: Some(OperationLimit::paced(iops)),
        throughput: Some(ByteLimit::paced(bytes_per_s)),
        ..cloud_ssd("io2", size_bytes, 130 * US, 130 * US)
    }
}

fn st1(size_bytes: u64) -> SimParameters {
    let per_tib = |mib: u64| (mib * (size_bytes / MIB) / (1 << 20) * MIB).clamp(MIB, 500 * MIB);
    let (base, peak) = (per_tib(40), per_tib(250));
    let throughput = ByteLimit {
        bytes_per_s: base,
        bucket_bytes: size_bytes,
        balance_bytes: size_bytes,
        peak_bytes_per_s: Some(peak),
    };
    SimParameters {
        servers: 32,
        read: Work::lognormal(MS, 0.3).streaming(200_000_000),
        write: Work::lognormal(MS, 0.3).streaming(200_000_000),
        positioning: Some(ServiceTime::Gamma { mean_ns: 12_670 * US, order: 8.0 }),
        operations: Some(OperationLimit::paced(500)),
        throughput: Some(if base < peak { throughput } else { ByteLimit::paced(base) }),
        accounting: Accounting { unit_bytes: Some(MIB), merge_sequential: true, least_random_bytes: MIB },
        ..cloud_ssd("st1", size_bytes, MS, MS)
    }
}

fn instance_capped(size_bytes: u64) -> SimParameters {
    let (iops, peak_iops) = (3600, 40_000);
    let (bytes, peak_bytes) = (81_250_000, 1_250_000_000);
    SimParameters {
        name: "instance-capped".to_owned(),
        operations: Some(OperationLimit::paced(16_000)),
        throughput: Some(ByteLimit::paced(1000 * MIB)),
        instance: Some(Instance {
            group: "m6i.large".to_owned(),
            operations: Some(OperationLimit {
                operations_per_s: iops,
                bucket_operations: (peak_iops - iops) * 1800,
                balance_operations: 0,
                peak_operations_per_s: Some(peak_iops),
            }),
            throughput: Some(ByteLimit {
                bytes_per_s: bytes,
                bucket_bytes: (peak_bytes - bytes) * 1800,
                balance_bytes: 0,
                peak_bytes_per_s: Some(peak_bytes),
            }),
        }),
        ..gp3(size_bytes)
    }
}
