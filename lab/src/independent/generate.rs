//! Draws set-ups from wide ranges and labels each by the stage that lets least through, before fathom is asked.

use super::device_setup::Setup;
use crate::draw::Draw;

/// A set-up with its label.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub number: usize,
    pub setup: Setup,
    /// Causes that are right; the first is the label.
    pub right: Vec<&'static str>,
}

/// The labels that are drawn in turn, so that no cause is rare.
pub const LABELS: [&str; 11] = [
    "concurrency",
    "device_parallelism",
    "queue_tags",
    "volume_iops",
    "volume_throughput",
    "instance_cap",
    "burst_credits",
    "link",
    "software",
    "write_cliff",
    "indirection_unit",
];

/// Two stages nearer to each other than this both bind.
const APART: f64 = 1.1;

/// Cases of a seed, and how many draws were left out because two stages bind.
pub fn cases(seed: u64, count: usize) -> (Vec<Case>, usize) {
    let mut draw = Draw::new(seed, 0x5ec0);
    let (mut cases, mut close) = (Vec::with_capacity(count), 0);
    while cases.len() < count {
        // The last turn is a load that reaches no limit.
        let wanted = LABELS.get(cases.len() % (LABELS.len() + 1)).copied().unwrap_or("demand");
        let setup = setup(&mut draw, wanted);
        let bounds = setup.bounds();
        let right = bounds[0].1.clone();
        if right[0] != wanted {
            continue;
        }
        if bounds[1].0 < APART * bounds[0].0 {
            close += 1;
            continue;
        }
        cases.push(Case { seed, number: cases.len(), setup, right });
    }
    (cases, close)
}

/// Anything may be there whatever is wanted; what is wanted is always there.
fn setup(draw: &mut Draw, wanted: &str) -> Setup {
    let has = |draw: &mut Draw, cause: &str| wanted == cause || draw.chance(0.15);
    let shape = draw.between(0.1, 1.2);
    let shape =
        draw.pick(&[("constant", 0.0), ("exponential", 0.0), ("lognormal", shape), ("gamma", 3.0 * shape)]);
    let mut setup = Setup {
        write: draw.chance(0.5),
        random: draw.chance(0.7),
        bytes: draw.pick(&[4, 8, 16, 32, 64, 128, 256]) << 10,
        jobs: draw.pick(&[1, 1, 2, 4, 8]),
        depth: draw.round(1.0, 128.0),
        servers: draw.round(1.0, 256.0),
        base_us: draw.round(1.0, 1000.0),
        service_us: draw.round(20.0, 2000.0),
        shape: (shape.0, (shape.1 * 100.0f64).round() / 100.0),
        stream: draw.round(5e7, 5e9),
        tags: has(draw, "queue_tags").then(|| draw.round(1.0, 256.0)),
        iops: (has(draw, "volume_iops") || wanted == "burst_credits").then(|| draw.round(200.0, 1e5)),
        throughput: has(draw, "volume_throughput").then(|| draw.round(1e7, 4e9)),
        burst: (wanted == "burst_credits").then(|| draw.round(2.0, 20.0)),
        instance_iops: has(draw, "instance_cap").then(|| draw.round(500.0, 1e5)),
        link: has(draw, "link").then(|| draw.round(1e7, 1e10)),
        lock: has(draw, "software").then(|| (draw.round(2.0, 500.0), draw.round(1.0, 100.0))),
        cache: has(draw, "write_cliff").then(|| (draw.round(1e6, 1e11), draw.round(5e6, 2e9))),
        unit: has(draw, "indirection_unit").then(|| draw.pick(&[16, 32, 64, 128]) << 10),
        rate: (wanted == "demand").then(|| draw.round(50.0, 50_000.0)),
        told: Vec::new(),
        seed: draw.seed(),
    };
    // Behind a full cache both the unit and the drain slow a small write: neither alone would be right.
    if setup.cache.is_some() {
        setup.unit = None;
    }
    tell(draw, &mut setup);
    setup
}

/// Tells limits rightly, wrongly or not at all, and now and then a data sheet that nothing has to do with.
fn tell(draw: &mut Draw, setup: &mut Setup) {
    let mut told = Vec::new();
    let limits = [
        ("iops", setup.iops, ""),
        ("throughput", setup.throughput, "B/s"),
        ("instance:iops", setup.instance_iops, ""),
        ("link:throughput", setup.link, "B/s"),
    ];
    for (name, limit, unit) in limits {
        let Some(limit) = limit.filter(|_| draw.chance(0.6)) else { continue };
        let factor = if draw.chance(0.2) { draw.pick(&[0.5, 0.8, 1.25, 2.0, 4.0]) } else { 1.0 };
        told.push(format!("{name}={}{unit}", (limit as f64 * factor) as u64));
    }
    if draw.chance(0.3) {
        told.push(format!("device:iops={}", draw.round(1e4, 1e6)));
    }
    setup.told = told;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_bound_is_that_of_the_simulated_device() {
        use fathom_record::Direction;
        use fathom_sim::{Access, Regime, Truth, parse};
        for case in cases(7, 120).0.iter().filter(|case| case.right[0] != "demand") {
            let s = &case.setup;
            let target = s.target();
            let truth = Truth::new(parse(target.trim_start_matches("sim:")).unwrap());
            let direction = if s.write { Direction::Write } else { Direction::Read };
            let access = if s.random { Access::Random } else { Access::Sequential };
            let flight = (s.jobs * s.depth) as f64;
            let mut rate = truth.closed_loop_per_s(direction, access, s.bytes, Regime::Sustained, flight);
            rate = truth.lock_per_s(s.jobs as u32).map_or(rate, |lock| lock.min(rate));
            let mine = s.bounds()[0].0;
            assert!((mine / rate - 1.0).abs() < 0.02, "{case:?}: {mine} {rate}");
        }
    }

    #[test]
    fn labels_bind_alone_and_every_cause_is_drawn() {
        let (cases, close) = cases(3, 240);
        assert!(close > 0);
        for case in &cases {
            let bounds = case.setup.bounds();
            assert!(bounds[1].0 >= APART * bounds[0].0 && bounds[0].1 == case.right);
        }
        for label in LABELS {
            assert_eq!(cases.iter().filter(|case| case.right[0] == label).count(), 20, "{label}");
        }
    }
}
