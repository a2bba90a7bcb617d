//! What writes do to a device: a full write cache, and blocks below its mapping unit.

use super::super::super::draw::Draw;
use super::super::case::{Case, Truth};
use super::sim_case::{Load, Medium, Sim};

/// A write cache that is full from the start, or fills up while it is measured.
pub fn cliff(draw: &mut Draw) -> Case {
    let block = draw.pick(&[4096, 16_384, 131_072]);
    let drain = draw.round(40e6, 300e6);
    let amplification = draw.pick(&[1.0, 1.5, 2.5, 4.0]);
    let random = draw.chance(0.6);
    let sustained = drain as f64 / block as f64 / if random { amplification } else { 1.0 };
    let medium = Medium::for_rate(draw, sustained * 3.0);
    // Three times the sustained rate is what the servers take at least: their I/Os are in flight.
    let in_flight = ((sustained * 3.5 * medium.lone_s(block)).ceil() as u64).clamp(16, 1024);
    let load = Load::of(draw, if random { "randwrite" } else { "write" }, block, in_flight);
    // Room for the warm-up and a part of the first measured seconds.
    let filling = sustained * 2.0 * block as f64 * if random { amplification } else { 1.0 };
    let free = if draw.chance(0.5) { 0 } else { (filling * draw.between(2.8, 4.5)) as u64 };
    let room = free.max(1 << 30);
    let device = format!(
        "{},cache={room},cache-free={free},drain={drain}B/s,amplification={amplification},noise=2%,noise-time=2s",
        medium.keys()
    );
    let sim = Sim::new(draw, &device, load).second();
    let sim = sim.with_ceiling(format!("device:iops={}", (sustained * draw.between(3.0, 5.0)) as u64));
    sim.case(Truth::one("write_cliff"))
}

/// Random writes below the unit that the device maps.
pub fn indirection(draw: &mut Draw) -> Case {
    let unit = draw.pick(&[16_384, 32_768, 65_536]);
    let block = draw.pick(&[4096, 8192]);
    let servers = draw.pick(&[4, 8, 16]);
    let (read_us, write_us) = (draw.round(60.0, 150.0), draw.round(20.0, 60.0));
    let stream = draw.pick(&["300MB/s", "500MB/s", "1GB/s"]);
    let load = Load::of(draw, "randwrite", block, servers * 4);
    let device = format!(
        "ideal,servers={servers},iu={unit},read={read_us}us,read-shape=lognormal:0.3,read-stream={stream},\
         write={write_us}us,write-shape=lognormal:0.3,write-stream={stream},noise=1%,noise-time=3s"
    );
    let sim = Sim::new(draw, &device, load).second();
    let specified = servers as f64 / (write_us as f64 / 1e6 + 1.0 / 20_000.0);
    sim.with_ceiling(format!("device:iops-write={}", specified as u64)).case(Truth::one("indirection_unit"))
}
