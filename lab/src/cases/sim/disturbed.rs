//! Devices whose speed something else takes: noise of neighbours, and stalls.

use super::super::super::draw::Draw;
use super::super::case::{Case, Truth};
use super::sim_case::{Load, Medium, Sim};

/// A speed that wanders, or stands still again and again.
pub fn interference(draw: &mut Draw) -> Case {
    let servers = draw.pick(&[4, 8, 16]);
    let block = draw.pick(&[4096, 16_384]);
    let mut medium = Medium::for_rate(draw, 1.0);
    medium.servers = servers;
    medium.base_us = 0;
    // At most 100,000 a second, which is enough.
    medium.service_us = medium.service_us.max(servers * 10);
    let rw = draw.pick(&["randread", "randwrite", "randrw"]);
    let times = draw.between(2.5, 5.0);
    let load = Load::of(draw, rw, block, (servers as f64 * times) as u64);
    let disturbance = if draw.chance(0.5) {
        let (share, time) = (draw.pick(&[18, 25, 35]), draw.pick(&["500ms", "1s", "2s"]));
        format!("noise={share}%,noise-time={time}")
    } else {
        // Of a few a run, so that seconds with and without them differ.
        let every = draw.pick(&[1300, 1700, 2300]);
        let length = (f64::from(every) * draw.between(0.15, 0.35)) as u64;
        let phase = (f64::from(every) * draw.between(0.0, 1.0)) as u64;
        format!("stall-every={every}ms,stall-length={length}ms,stall-phase={phase}ms,noise=3%,noise-time=1s")
    };
    let device = format!("{},{disturbance}", medium.keys());
    Sim::new(draw, &device, load).case(Truth::one("interference"))
}
