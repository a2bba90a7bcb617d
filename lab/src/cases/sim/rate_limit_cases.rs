//! Limits on operations and bytes: of the volume, of both at once, of the instance, and of a throttle that
//! fathom itself puts before the target.

use super::super::super::draw::Draw;
use super::super::case::{Case, Truth};
use super::sim_case::{Load, Medium, Sim};

const RANDOM: [&str; 4] = ["randread", "randread", "randwrite", "randrw"];
const ANY: [&str; 5] = ["randread", "randwrite", "randrw", "read", "write"];

/// In-flight I/Os that a cap makes wait: some times those that a rate needs at a lone I/O's latency.
fn beyond(draw: &mut Draw, medium: &Medium, block_bytes: u64, rate: f64) -> u64 {
    let needed = rate * medium.lone_s(block_bytes);
    ((needed * draw.between(2.5, 7.0)).ceil() as u64).clamp(4, 2048)
}

fn noise(draw: &mut Draw) -> &'static str {
    draw.pick(&["", "", ",noise=0.5%,noise-time=5s"])
}

/// The volume's limit on operations; its limit on bytes is some way above.
pub fn volume_iops(draw: &mut Draw) -> Case {
    let iops = draw.round(400.0, 40_000.0);
    let block = draw.pick(&[4096, 4096, 8192, 16_384]);
    let medium = Medium::for_rate(draw, iops as f64);
    let bytes = (iops * block) as f64 * draw.between(1.8, 6.0);
    let bytes = Draw::round(draw, bytes, bytes * 1.2);
    let rw = draw.pick(&RANDOM);
    let in_flight = beyond(draw, &medium, block, iops as f64);
    let load = Load::of(draw, rw, block, in_flight);
    let device = format!("{},iops={iops},throughput={bytes}B/s{}", medium.keys(), noise(draw));
    let sim = Sim::new(draw, &device, load).second();
    if draw.chance(0.7) {
        let sim = sim.with_ceiling(format!("iops={iops}")).with_ceiling(format!("throughput={bytes}B/s"));
        sim.case(Truth::one("volume_iops"))
    } else {
        sim.case(Truth::Binds(vec!["volume_iops", "rate_cap"]))
    }
}

/// The volume's limit on bytes; its limit on operations is some way above.
pub fn volume_throughput(draw: &mut Draw) -> Case {
    let block = draw.pick(&[32_768, 65_536, 131_072, 262_144]);
    let bytes = draw.round(40e6, 2e9);
    let rate = bytes as f64 / block as f64;
    let iops = Draw::round(draw, rate * 2.2, rate * 8.0);
    let medium = Medium::for_rate(draw, rate * 2.0);
    let rw = draw.pick(&ANY);
    let in_flight = beyond(draw, &medium, block, rate);
    let load = Load::of(draw, rw, block, in_flight);
    let device = format!("{},iops={iops},throughput={bytes}B/s{}", medium.keys(), noise(draw));
    let sim = Sim::new(draw, &device, load).second();
    if draw.chance(0.7) {
        let sim = sim.with_ceiling(format!("iops={iops}")).with_ceiling(format!("throughput={bytes}B/s"));
        sim.case(Truth::one("volume_throughput"))
    } else {
        sim.case(Truth::Binds(vec!["volume_throughput", "rate_cap"]))
    }
}

/// Both limits of the volume at once: the block is where they cross.
pub fn both(draw: &mut Draw) -> Case {
    let block = draw.pick(&[16_384, 32_768, 65_536]);
    let iops = draw.round(800.0, 12_000.0);
    let bytes = iops * block;
    let medium = Medium::for_rate(draw, iops as f64);
    let rw = draw.pick(&RANDOM);
    let in_flight = beyond(draw, &medium, block, iops as f64);
    let load = Load::of(draw, rw, block, in_flight);
    let device = format!("{},iops={iops},throughput={bytes}B/s", medium.keys());
    let sim = Sim::new(draw, &device, load).second();
    let sim = sim.with_ceiling(format!("iops={iops}")).with_ceiling(format!("throughput={bytes}B/s"));
    sim.case(Truth::Binds(vec!["volume_iops", "volume_throughput"]))
}

/// A limit of the instance, below those of the volume.
pub fn instance(draw: &mut Draw) -> Case {
    let by_bytes = draw.chance(0.5);
    let block = if by_bytes { draw.pick(&[65_536, 131_072]) } else { draw.pick(&[4096, 8192]) };
    let rate = if by_bytes { draw.round(400.0, 8000.0) } else { draw.round(1500.0, 30_000.0) } as f64;
    let medium = Medium::for_rate(draw, rate * 2.0);
    let (bytes, iops) = (rate * block as f64, rate);
    // Twice as large or more, so that two volumes need not both be loaded to reach the instance's.
    let above = draw.between(2.2, 4.0);
    let (volume_iops, volume_bytes) = ((iops * above) as u64, (bytes * above) as u64);
    let (own, told) = if by_bytes {
        (
            format!("instance-throughput={}B/s", bytes as u64),
            format!("instance:throughput={}B/s", bytes as u64),
        )
    } else {
        (format!("instance-iops={}", iops as u64), format!("instance:iops={}", iops as u64))
    };
    let rw = draw.pick(&RANDOM);
    let in_flight = beyond(draw, &medium, block, rate);
    let load = Load::of(draw, rw, block, in_flight);
    let keys = medium.keys();
    let device = format!("{keys},iops={volume_iops},throughput={volume_bytes}B/s,instance=host,{own}");
    let sim = Sim::new(draw, &device, load).second();
    let sim =
        sim.with_ceiling(format!("iops={volume_iops}")).with_ceiling(format!("throughput={volume_bytes}B/s"));
    if draw.chance(0.6) {
        sim.with_ceiling(told).case(Truth::one("instance_cap"))
    } else {
        sim.case(Truth::Binds(vec!["instance_cap", "rate_cap"]))
    }
}

/// A throttle of fathom's own before the target.
pub fn throttle(draw: &mut Draw) -> Case {
    let by_bytes = draw.chance(0.4);
    let block = if by_bytes { 65_536 } else { 4096 };
    let rate = draw.round(500.0, 8000.0);
    let medium = Medium::for_rate(draw, rate as f64 * 2.5);
    let (limit, cause) = if by_bytes {
        (format!("throughput={}B/s", rate * block), "volume_throughput")
    } else {
        (format!("iops={rate}"), "volume_iops")
    };
    let rw = draw.pick(&RANDOM);
    let in_flight = beyond(draw, &medium, block, rate as f64);
    let load = Load::of(draw, rw, block, in_flight);
    let sim = Sim::new(draw, &medium.keys(), load).with(format!("--throttle {limit}"));
    sim.case(Truth::Binds(vec![cause, "rate_cap"]))
}
