//! Draws demands: how they come over time, how large their I/Os are, and on which terms they are sized.

use super::drawn_demand::{Demand, Form, Io, Sum};
use super::volume_offers::Kind;
use crate::draw::Draw;

const REGIONS: [&str; 4] = ["us-east-1", "eu-central-1", "ap-southeast-1", "sa-east-1"];
/// Types with a burst and without one.
const INSTANCES: [&str; 6] =
    ["m6i.large", "c7g.xlarge", "r5d.4xlarge", "m6i.4xlarge", "m5.24xlarge", "r6i.8xlarge"];
const TICKS_S: [u64; 4] = [1, 10, 60, 300];
const SHAPES: [&str; 9] =
    ["bursty", "diurnal", "constant", "tiny", "huge", "mostly large", "mixed sizes", "gaps", "heavy tails"];
/// I/Os that a trace has about at most: each is served by itself, for every configuration.
const TRACED: f64 = 40_000.0;

/// Sizes in bytes and their weights.
type Sizes = Vec<(u64, f64)>;

/// The demand of a number; the same seed draws the same one.
pub fn draw(seed: u64, number: usize) -> Demand {
    let mut draw = Draw::new(seed, number as u64);
    let shape = SHAPES[number % SHAPES.len()];
    let tick_s = TICKS_S[(number / SHAPES.len()) % TICKS_S.len()];
    let trace = shape != "gaps" && draw.chance(0.3);
    let sizes = sizes(shape, &mut draw);
    let form = if trace {
        Form::Trace(ios(shape, &sizes, &mut draw))
    } else {
        Form::Table(rows(shape, tick_s, &sizes, &mut draw))
    };
    let size_gib = draw.round(20.0, 4000.0);
    let region = draw.pick(&REGIONS);
    let current = draw.chance(0.3).then(|| current(size_gib, region, &mut draw));
    Demand {
        name: format!("size-{number:03}"),
        shape,
        // A trace is looked at second by second.
        tick_s: if trace { 1 } else { tick_s },
        form,
        region,
        instance: draw.chance(0.4).then(|| draw.pick(&INSTANCES)),
        margin_percent: draw.pick(&[100, 110, 130, 130, 150, 200]),
        late_ppm: draw.pick(&[1000, 1000, 1000, 100, 10_000]),
        wait_s: draw.pick(&[1, 1, 1, 5, 60]),
        size_gib,
        current,
    }
}

/// What is in use today: sold there in that size, and no more operations than the smallest one allows.
fn current(size_gib: u64, region: &str, draw: &mut Draw) -> String {
    let sold = |kind: &Kind| match kind {
        Kind::Io2 => region != "sa-east-1",
        kind => !kind.is_disk() || size_gib >= 125,
    };
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(sold).collect();
    let kind = draw.pick(&kinds);
    match kind {
        Kind::Gp3 => {
            format!("gp3:iops={},throughput={}", 3000 + 100 * draw.below(70), 125 + 5 * draw.below(120))
        }
        Kind::Io1 | Kind::Io2 => format!("{}:iops={}", kind.name(), 100 * (1 + draw.below(10))),
        _ => kind.name().to_owned(),
    }
}

fn sizes(shape: &str, draw: &mut Draw) -> Sizes {
    const SMALL: [u64; 6] = [512, 4096, 8192, 16_384, 32_768, 65_536];
    const LARGE: [u64; 8] = [131_072, 262_144, 266_240, 307_200, 393_216, 1_048_576, 2_097_152, 4_194_304];
    match shape {
        "mostly large" => {
            vec![(draw.pick(&LARGE), 0.6), (draw.pick(&LARGE), 0.3), (draw.pick(&SMALL), 0.1)]
        }
        "mixed sizes" => {
            let large = draw.between(0.02, 0.5);
            vec![(draw.pick(&SMALL), 1.0 - large), (draw.pick(&LARGE), large)]
        }
        _ if draw.chance(0.3) => {
            vec![(draw.pick(&SMALL), 0.7), (draw.pick(&SMALL), 0.25), (draw.pick(&LARGE), 0.05)]
        }
        _ => vec![(draw.pick(&SMALL), 0.8), (draw.pick(&SMALL), 0.2)],
    }
}

fn mean(sizes: &Sizes) -> f64 {
    sizes.iter().map(|(bytes, weight)| *bytes as f64 * weight).sum()
}

/// I/Os a second, tick by tick.
fn rates(shape: &str, ticks: usize, size: f64, draw: &mut Draw) -> Vec<f64> {
    let base = match shape {
        "tiny" => draw.between(0.01f64.ln(), 20f64.ln()).exp(),
        "huge" => draw.round(20_000.0, 100_000.0) as f64,
        _ => draw.round(50.0, 6000.0) as f64,
    };
    // No more than 3 GB/s, or nothing that is on offer meets it.
    let base = base.min(3e9 / size);
    let (turns, depth) = (draw.between(1.0, 7.0), draw.between(0.3, 0.95));
    let (chance, factor, stay) =
        (draw.between(0.002, 0.03), draw.between(3.0, 20.0), draw.between(0.3, 0.95));
    let (alpha, noise) = (draw.between(1.2, 2.2), draw.between(0.0, 0.3));
    let mut in_burst = false;
    (0..ticks)
        .map(|tick| {
            in_burst = draw.chance(if in_burst { stay } else { chance });
            let wave = (std::f64::consts::TAU * turns * tick as f64 / ticks as f64).sin();
            let level = match shape {
                "diurnal" => 1.0 + depth * wave,
                "bursty" | "gaps" | "mostly large" | "mixed sizes" if in_burst => factor,
                "heavy tails" => (1.0 - draw.between(0.0, 1.0)).powf(-1.0 / alpha).min(300.0) / 2.0,
                _ => 1.0,
            };
            let shake = if shape == "constant" { 1.0 } else { 1.0 + noise * draw.between(-1.0, 1.0) };
            base * level * shake
        })
        .collect()
}

fn rows(shape: &str, tick_s: u64, sizes: &Sizes, draw: &mut Draw) -> Vec<Option<[Sum; 2]>> {
    let ticks = match tick_s {
        1 => 900 + draw.below(1500),
        10 => 720 + draw.below(700),
        60 => 1440,
        _ => 2016,
    };
    let read = draw.between(0.0, 1.0);
    let missing = if shape == "gaps" { draw.between(0.01, 0.2) } else { 0.0 };
    // Rows that are missing one by one, or in long stretches.
    let stays = draw.pick(&[0.0, 0.9]);
    let mut is_missing = false;
    let rates = rates(shape, ticks, mean(sizes), draw);
    let mut rows: Vec<Option<[Sum; 2]>> = rates
        .into_iter()
        .map(|rate| {
            is_missing = draw.chance(if is_missing { stays } else { missing * (1.0 - stays) });
            if is_missing {
                return None;
            }
            let ios = rate * tick_s as f64;
            // What is below one I/O becomes one now and then.
            let ios = ios.floor() as u64 + u64::from(draw.chance(ios.fract()));
            let reads = (ios as f64 * read).round() as u64;
            Some([reads, ios - reads].map(|ios| Sum { ios, bytes: bytes(ios, sizes, draw) }))
        })
        .collect();
    // A series begins and ends with rows.
    let full = Some([Sum { ios: 1, bytes: 4096 }, Sum::default()]);
    if let [first, .., last] = rows.as_mut_slice() {
        *first = first.or(full);
        *last = last.or(full);
    }
    rows
}

/// Bytes of so many I/Os, whose mix varies from tick to tick.
fn bytes(ios: u64, sizes: &Sizes, draw: &mut Draw) -> u64 {
    let mut left = ios;
    let mut sum = 0;
    for (bytes, weight) in &sizes[1..] {
        let these = (ios as f64 * weight * draw.between(0.7, 1.3)).round() as u64;
        let these = these.min(left);
        left -= these;
        sum += these * bytes;
    }
    sum + left * sizes[0].0
}

fn ios(shape: &str, sizes: &Sizes, draw: &mut Draw) -> Vec<Io> {
    let seconds = if shape == "huge" { 5 + draw.below(4) } else { 60 + draw.below(180) };
    let mut rates = rates(shape, seconds, mean(sizes), draw);
    let sum: f64 = rates.iter().sum();
    let scale = (TRACED / sum).min(1.0);
    rates.iter_mut().for_each(|rate| *rate *= if shape == "huge" { 1.0 } else { scale });
    let (read, sequential) =
        (draw.between(0.0, 1.0), if draw.chance(0.25) { draw.between(0.3, 1.0) } else { 0.0 });
    let mut ios = vec![Io { at_us: 0, bytes: sizes[0].0, offset: 0, writes: false }];
    let mut next = 0;
    for (second, rate) in rates.iter().enumerate() {
        let count = rate.floor() as usize + usize::from(draw.chance(rate.fract()));
        let mut times: Vec<u64> = (0..count).map(|_| draw.below(1_000_000) as u64).collect();
        times.sort_unstable();
        for at in times {
            let bytes = size(sizes, draw);
            let offset = if draw.chance(sequential) { next } else { draw.below(1 << 24) as u64 * 4096 };
            next = offset + bytes;
            ios.push(Io { at_us: second as u64 * 1_000_000 + at, bytes, offset, writes: !draw.chance(read) });
        }
    }
    ios
}

fn size(sizes: &Sizes, draw: &mut Draw) -> u64 {
    let mut left = draw.between(0.0, 1.0);
    for (bytes, weight) in sizes {
        left -= weight;
        if left < 0.0 {
            return *bytes;
        }
    }
    sizes[0].0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_drawn_again_by_their_seed_and_are_of_every_kind() {
        let drawn: Vec<Demand> = (0..72).map(|number| draw(1, number)).collect();
        assert_eq!(drawn[7], draw(1, 7));
        assert_ne!(drawn[7].form, draw(2, 7).form);
        assert!(SHAPES.iter().all(|shape| drawn.iter().any(|demand| demand.shape == *shape)));
        assert!(TICKS_S.iter().all(|tick| drawn.iter().any(|demand| demand.tick_s == *tick)));
        assert!(REGIONS.iter().all(|region| drawn.iter().any(|demand| demand.region == *region)));
        let traces: Vec<&Demand> = drawn.iter().filter(|demand| demand.is_trace()).collect();
        assert!(traces.len() > 10);
        let large = |demand: &&Demand| matches!(&demand.form, Form::Trace(ios) if ios.iter().any(|io| io.bytes > 1 << 18));
        assert!(traces.iter().any(large), "above the unit that counts");
        assert!(drawn.iter().any(|demand| demand.instance.is_some() && demand.current.is_some()));
    }

    #[test]
    fn times_are_in_order_and_bytes_are_whole_sectors() {
        for number in 0..36 {
            match draw(3, number).form {
                Form::Trace(ios) => assert!(ios.is_sorted_by_key(|io| io.at_us)),
                Form::Table(rows) => {
                    let sums = rows.iter().flatten().flatten();
                    assert!(sums.clone().all(|sum| sum.bytes >= 512 * sum.ios && sum.bytes % 512 == 0));
                    assert!(rows[0].is_some() && rows.iter().flatten().count() * 2 > rows.len());
                }
            }
        }
    }
}
