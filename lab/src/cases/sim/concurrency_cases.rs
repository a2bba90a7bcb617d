//! What the I/Os in flight and the device's places for them make: too few in flight, a full device, tags
//! in use; the wire before it; and a lock of the software that jobs contend for.

use super::super::super::draw::Draw;
use super::super::case::{Case, Truth};
use super::sim_case::{Load, Medium, STREAM_BYTES_PER_S, Sim};

/// A rate of 100,000 a second in all is enough: every I/O of simulated time costs real time.
const SLOWEST_US: u64 = 10;

const ANY: [&str; 4] = ["randread", "randread", "randwrite", "randrw"];

/// Far fewer I/Os than servers, and no cap near.
pub fn concurrency(draw: &mut Draw) -> Case {
    let in_flight = draw.pick(&[1, 1, 2, 3, 4, 8]);
    let block = draw.pick(&[4096, 8192, 16_384, 65_536]);
    let mut medium = Medium::for_rate(draw, 1.0);
    medium.servers = in_flight * draw.pick(&[6, 8, 16]);
    let rate = in_flight as f64 / medium.lone_s(block);
    let rw = draw.pick(&["randread", "randwrite", "randrw", "read"]);
    let load = Load::of(draw, rw, block, in_flight);
    if draw.chance(0.5) {
        // A cap far above, which is told.
        let iops = Draw::round(draw, rate * 3.5, rate * 10.0);
        let device = format!("{},iops={iops}", medium.keys());
        Sim::new(draw, &device, load).with_ceiling(format!("iops={iops}")).case(Truth::one("concurrency"))
    } else {
        Sim::new(draw, &medium.keys(), load).case(Truth::one("concurrency"))
    }
}

/// Every server busy, and far more I/Os waiting for one.
pub fn parallelism(draw: &mut Draw) -> Case {
    let servers = draw.pick(&[1, 2, 4, 8, 12]);
    let service_us = draw.round(60.0, 900.0).max(servers * SLOWEST_US);
    let block = draw.pick(&[4096, 4096, 8192, 16_384]);
    let shape = draw.pick(&["exponential", "lognormal:0.5", "gamma:2"]);
    let in_flight = servers * draw.pick(&[4, 6, 10]);
    let rw = draw.pick(&ANY);
    let load = Load::of(draw, rw, block, in_flight.max(6));
    let stream = STREAM_BYTES_PER_S / 20;
    let device = format!(
        "ideal,servers={servers},read={service_us}us,read-shape={shape},read-stream={stream}B/s,\
         write={service_us}us,write-shape={shape},write-stream={stream}B/s,noise=1%,noise-time=3s"
    );
    let rate = servers as f64 / (service_us as f64 / 1e6 + block as f64 / stream as f64);
    let sim = Sim::new(draw, &device, load).second();
    if draw.chance(0.6) {
        sim.with_ceiling(format!("device:iops={}", rate as u64)).case(Truth::one("device_parallelism"))
    } else {
        sim.case(Truth::one("device_parallelism"))
    }
}

/// More I/Os asked for than the device has tags; its servers would carry more.
pub fn tags(draw: &mut Draw) -> Case {
    let tags = draw.pick(&[4, 8, 16, 32, 64]);
    let block = draw.pick(&[4096, 8192, 16_384]);
    let mut medium = Medium::for_rate(draw, 1.0);
    medium.servers = tags * draw.pick(&[3, 4]);
    medium.service_us = medium.service_us.max(tags * SLOWEST_US);
    let rw = draw.pick(&ANY);
    let beyond = draw.between(2.0, 5.0);
    let load = Load::of(draw, rw, block, (tags as f64 * beyond) as u64);
    let device = format!("{},tags={tags}", medium.keys());
    Sim::new(draw, &device, load).second().case(Truth::one("queue_tags"))
}

/// A wire that is full of large transfers.
pub fn link(draw: &mut Draw) -> Case {
    let block = draw.pick(&[65_536, 131_072, 262_144]);
    let gbit = draw.pick(&[1.0, 5.0, 10.0, 25.0]);
    let bytes = (gbit * 1e9 / 8.0 * 0.95) as u64;
    let rate = bytes as f64 / block as f64;
    let medium = Medium::for_rate(draw, rate * 2.5);
    let needed = rate * medium.lone_s(block);
    let in_flight = (needed * draw.between(2.5, 5.0)).ceil() as u64;
    let rw = draw.pick(&["randread", "randwrite", "read", "write"]);
    let load = Load::of(draw, rw, block, in_flight.max(8));
    let trip = draw.pick(&["0us", "20us", "100us"]);
    let device = format!("{},link={bytes}B/s,round-trip={trip}", medium.keys());
    let sim = Sim::new(draw, &device, load);
    if draw.chance(0.8) {
        sim.with_ceiling(format!("link:throughput={bytes}B/s")).case(Truth::one("link"))
    } else {
        sim.case(Truth::Binds(vec!["link", "rate_cap"]))
    }
}

/// A lock that several jobs want, which costs more with each of them.
pub fn lock(draw: &mut Draw) -> Case {
    let jobs = draw.pick(&[2, 2, 2, 4]);
    let hold_us = draw.round(SLOWEST_US as f64, 60.0);
    let handover_us = ((hold_us as f64 * draw.between(0.12, 0.4)) as u64).max(1);
    let block = draw.pick(&[4096, 4096, 8192, 16_384]);
    let medium = Medium::for_rate(draw, 2e6 / hold_us as f64);
    let needed = 1e6 / hold_us as f64 * medium.lone_s(block);
    let depth = (needed * draw.between(3.0, 5.0) / jobs as f64).ceil() as u64;
    let rw = draw.pick(&ANY);
    let noise = draw.pick(&["1%", "2%", "3%"]);
    let device = format!(
        "{},lock={hold_us}us,lock-handover={handover_us}us,noise={noise},noise-time=3s",
        medium.keys()
    );
    let load = Load { rw, block_bytes: block, jobs, depth: depth.max(4).next_multiple_of(2) };
    Sim::new(draw, &device, load).case(Truth::one("software"))
}
