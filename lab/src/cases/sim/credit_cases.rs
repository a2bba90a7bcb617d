//! Burst credits that are gone from the start, and credits that run out while it is measured.

use super::super::super::draw::Draw;
use super::super::case::{Case, Truth};
use super::sim_case::{Load, Medium, Sim};

/// Sustained rate, peak, block and whether bytes are counted.
struct Bucket {
    sustained: u64,
    peak: u64,
    block: u64,
    by_bytes: bool,
}

impl Bucket {
    fn draw(draw: &mut Draw) -> Self {
        let by_bytes = draw.chance(0.4);
        let block = if by_bytes { draw.pick(&[65_536, 262_144]) } else { draw.pick(&[4096, 8192, 16_384]) };
        let sustained = draw.round(200.0, 3000.0);
        Self { sustained, peak: (sustained as f64 * draw.between(2.5, 10.0)) as u64, block, by_bytes }
    }

    /// Keys of a bucket with credits for so many operations, and room for many more.
    fn keys(&self, balance: u64) -> String {
        let Self { sustained, peak, block, .. } = self;
        let room = peak * 3600;
        if self.by_bytes {
            let [sustained, peak, room, balance] = [sustained, peak, &room, &balance].map(|n| n * block);
            format!(
                "throughput={sustained}B/s,throughput-peak={peak}B/s,throughput-bucket={room},\
                 throughput-balance={balance}"
            )
        } else {
            format!("iops={sustained},iops-peak={peak},iops-bucket={room},iops-balance={balance}")
        }
    }

    /// The sustained ceiling and that of a burst.
    fn with_ceilings(&self, sim: Sim) -> Sim {
        let Self { sustained, peak, block, .. } = self;
        if self.by_bytes {
            let sim = sim.with_ceiling(format!("throughput={}B/s", sustained * block));
            sim.with_ceiling(format!("throughput-burst={}B/s", peak * block))
        } else {
            sim.with_ceiling(format!("iops={sustained}")).with_ceiling(format!("iops-burst={peak}"))
        }
    }
}

fn on(draw: &mut Draw, bucket: &Bucket, balance: u64) -> Sim {
    let medium = Medium::for_rate(draw, bucket.peak as f64);
    let needed = bucket.peak as f64 * medium.lone_s(bucket.block);
    let in_flight = ((needed * draw.between(2.5, 6.0)).ceil() as u64).max(8);
    let rw = draw.pick(&["randread", "randwrite", "randrw"]);
    let load = Load::of(draw, rw, bucket.block, in_flight);
    let device = format!("{},{}", medium.keys(), bucket.keys(balance));
    Sim::new(draw, &device, load).second()
}

/// No credits from the start. What a volume of this kind sustains and bursts to is told.
pub fn gone(draw: &mut Draw) -> Case {
    let bucket = Bucket::draw(draw);
    let sim = on(draw, &bucket, 0);
    bucket.with_ceilings(sim).case(Truth::one("burst_credits"))
}

/// Credits that end within the first measured seconds.
pub fn running_out(draw: &mut Draw) -> Case {
    let bucket = Bucket::draw(draw);
    let seconds = draw.between(2.8, 4.5);
    let balance = ((bucket.peak - bucket.sustained) as f64 * seconds) as u64;
    let sim = on(draw, &bucket, balance);
    let told = draw.chance(0.6);
    let sim = if told { bucket.with_ceilings(sim) } else { sim };
    sim.case(Truth::one("burst_credits"))
}
