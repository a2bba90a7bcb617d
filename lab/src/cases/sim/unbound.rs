//! Cases without a cause that fathom could name: a rate that is carried, and causes outside its list.

use super::super::super::draw::Draw;
use super::super::case::{Case, Truth};
use super::sim_case::{Load, Medium, Sim};

/// An open rate below everything.
pub fn demand(draw: &mut Draw) -> Case {
    let rate = draw.round(300.0, 20_000.0);
    let block = draw.pick(&[4096, 8192, 65_536]);
    let medium = Medium::for_rate(draw, rate as f64);
    let rw = draw.pick(&["randread", "randwrite", "randrw"]);
    let load = Load { rw, block_bytes: block, jobs: 1, depth: 256 };
    let iops = (rate as f64 * draw.between(1.6, 4.0)) as u64;
    let device = format!("{},iops={iops}", medium.keys());
    let arrival = draw.pick(&["constant", "poisson"]);
    let sim = Sim::new(draw, &device, load).with(format!("--rate {rate} --arrival {arrival}"));
    let sim = if draw.chance(0.6) { sim.with_ceiling(format!("iops={iops}")) } else { sim };
    sim.case(Truth::Nothing)
}

/// A volume that charges small random I/Os as large ones: neither limit is reached by what is asked, and
/// the charge is in no list of causes.
pub fn charged(draw: &mut Draw) -> Case {
    let block = draw.pick(&[8192, 16_384, 65_536]);
    let mib = draw.round(40.0, 250.0);
    let medium = Medium::for_rate(draw, mib as f64);
    let needed = mib as f64 * medium.lone_s(block);
    let load = Load::of(draw, "randread", block, ((needed * 4.0).ceil() as u64).max(16));
    let device = format!("{},throughput={mib}MiB/s,unit=1MiB,merge=on,random-charge=1MiB", medium.keys());
    let sim = Sim::new(draw, &device, load).with_ceiling(format!("throughput={mib}MiB/s"));
    sim.case(Truth::Outside(vec!["rate_cap", "volume_throughput", "volume_iops"]))
}
