//! Cases for fitting: devices on which one stage is drawn to bind and the others are put above it, by any distance. They are
//! other draws than those of `lab independent`, with noise, second volumes and rests, and share with it what a device can
//! carry in closed form.

use super::super::draw::Draw;
use super::super::independent::Setup;

/// A case with what is right of it.
pub struct Case {
    pub id: String,
    pub arguments: Vec<String>,
    /// The first is the cause; the others are as right.
    pub right: Vec<String>,
}

/// Causes that are drawn in turn.
const CAUSES: [&str; 12] = [
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
    "demand",
];
/// Another stage that is nearer binds too, and the case has no one label.
const APART: f64 = 1.15;
/// Most operations a second that a case is drawn with: each costs time to simulate.
const MOST: f64 = 60_000.0;

/// So many cases of a seed.
pub fn cases(seed: u64, count: usize) -> Vec<Case> {
    let mut draw = Draw::new(seed, 0xf17);
    let mut cases = Vec::with_capacity(count);
    while cases.len() < count {
        let cause = CAUSES[cases.len() % CAUSES.len()];
        let setup = drawn(&mut draw, cause);
        let bounds = setup.bounds();
        let is_one = bounds[0].1[0] == cause && bounds[1].0 >= APART * bounds[0].0 && bounds[0].0 <= MOST;
        if is_one {
            let right = bounds[0].1.iter().map(|cause| (*cause).to_owned()).collect();
            let id = format!("{cause}/{seed}/{}", cases.len());
            cases.push(Case { id, arguments: arguments(&mut draw, &setup), right });
        }
    }
    cases
}

/// What fathom is asked: the device with noise or without, and what it may use.
fn arguments(draw: &mut Draw, setup: &Setup) -> Vec<String> {
    let mut words = setup.arguments();
    if draw.chance(0.5) {
        let share = draw.pick(&["0.3%", "1%", "2%", "3%"]);
        words[0] += &format!(",noise={share},noise-time={}s", draw.round(1.0, 10.0));
    }
    if draw.chance(0.4) {
        let second = words[0].clone();
        words.extend(["--second".to_owned(), second]);
    }
    if draw.chance(0.3) {
        words.extend(["--rest", "15m", "--budget", "90m"].map(str::to_owned));
    }
    words
}

/// A device whose medium carries a drawn rate, the wanted stage in front of it, and as much in flight as fills that.
fn drawn(draw: &mut Draw, cause: &str) -> Setup {
    let mut setup = medium(draw, cause);
    let bytes = setup.bytes as f64;
    let full = setup.bounds().iter().map(|(rate, _)| *rate).fold(f64::INFINITY, f64::min);
    let share = draw.between(0.05f64.ln(), 0.85f64.ln()).exp();
    let rate = (full * share).max(20.0);
    let whole = |value: f64| value.max(1.0) as u64;
    match cause {
        "volume_iops" => setup.iops = Some(whole(rate)),
        "burst_credits" => (setup.iops, setup.burst) = (Some(whole(rate)), Some(draw.round(2.0, 12.0))),
        "volume_throughput" => setup.throughput = Some(whole(rate * bytes)),
        "instance_cap" => setup.instance_iops = Some(whole(rate)),
        "link" => setup.link = Some(whole(rate * bytes)),
        "write_cliff" => setup.cache = Some((draw.round(1e7, 1e11), whole(rate * bytes))),
        "software" => {
            let hold = whole(1e6 / rate / draw.between(1.0, 2.5)).max(2);
            let handover = (hold as f64 * draw.between(0.05f64.ln(), 0.0).exp()) as u64;
            setup.lock = Some((hold, handover.max(1)));
        }
        "queue_tags" => {
            setup.servers = setup.servers.max(4);
            setup.tags = Some(whole(setup.servers as f64 * share));
        }
        "demand" => setup.rate = Some(whole(rate)),
        _ => {}
    }
    let bounds = setup.bounds();
    let in_flight = (setup.jobs * setup.depth) as f64;
    let alone_s =
        bounds.iter().find(|(_, causes)| causes[0] == "concurrency").map_or(0.0, |one| in_flight / one.0);
    let least = bounds.iter().filter(|(_, causes)| causes[0] != "concurrency").map(|(rate, _)| *rate);
    let wanted = least.fold(f64::INFINITY, f64::min) * alone_s;
    let times = if cause == "concurrency" { draw.between(0.02, 0.8) } else { draw.between(1.2, 8.0) };
    setup.depth = ((wanted * times / setup.jobs as f64).round() as u64).clamp(1, 512);
    tell(draw, &mut setup);
    setup
}

/// Servers, their times and the load, with one I/O for each job in flight.
fn medium(draw: &mut Draw, cause: &str) -> Setup {
    let sigma = draw.between(0.1, 1.0);
    let shape = draw.pick(&[
        ("constant", 0.0),
        ("exponential", 0.0),
        ("exponential", 0.0),
        ("lognormal", sigma),
        ("lognormal", sigma),
        ("gamma", 0.5 + 6.0 * sigma),
    ]);
    let needs_unit = cause == "indirection_unit";
    let writes = needs_unit || cause == "write_cliff" || draw.chance(0.4);
    Setup {
        write: writes,
        random: needs_unit || draw.chance(0.75),
        bytes: draw.pick(if needs_unit { &[4, 8, 16] } else { &[4, 4, 8, 16, 32, 64, 128] }) << 10,
        jobs: draw.pick(&[1, 1, 2, 3, 4, 8]),
        depth: 1,
        servers: draw.round(1.0, 128.0),
        base_us: draw.pick(&[0, 0, 50, 200, 600]),
        service_us: draw.round(20.0, 3000.0),
        shape: (shape.0, (shape.1 * 100.0f64).round() / 100.0),
        stream: draw.round(1e8, 1e10),
        tags: None,
        iops: None,
        throughput: None,
        burst: None,
        instance_iops: None,
        link: None,
        lock: None,
        cache: None,
        unit: needs_unit.then(|| draw.pick(&[16, 32, 64]) << 10),
        rate: None,
        told: Vec::new(),
        seed: draw.seed(),
    }
}

/// Limits are told, wrongly told or not; and a data sheet, right or of other conditions.
fn tell(draw: &mut Draw, setup: &mut Setup) {
    let limits = [
        ("iops", setup.iops, ""),
        ("throughput", setup.throughput, "B/s"),
        ("instance:iops", setup.instance_iops, ""),
        ("link:throughput", setup.link, "B/s"),
    ];
    let mut told = Vec::new();
    for (name, limit, unit) in limits {
        let Some(limit) = limit.filter(|_| draw.chance(0.5)) else { continue };
        let factor = if draw.chance(0.15) { draw.between(0.4, 3.0) } else { 1.0 };
        told.push(format!("{name}={}{unit}", ((limit as f64 * factor) as u64).max(1)));
    }
    if draw.chance(0.35) {
        let servers = setup.servers as f64 / (setup.service_us.max(1) as f64 * 1e-6);
        let factor = if draw.chance(0.6) { draw.between(0.85, 1.2) } else { draw.between(0.5, 6.0) };
        told.push(format!("device:iops={}", ((servers * factor) as u64).max(1)));
    }
    setup.told = told;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_take_turns_and_a_seed_draws_its_cases_again() {
        let drawn = cases(5, 48);
        for (at, case) in drawn.iter().enumerate() {
            assert_eq!(case.right[0], CAUSES[at % CAUSES.len()], "{}", case.id);
        }
        let again = cases(5, 48);
        assert!(drawn.iter().zip(&again).all(|(a, b)| a.arguments == b.arguments));
        assert!(drawn.iter().zip(&cases(6, 48)).all(|(a, b)| a.arguments != b.arguments));
        let is = |word: &str| drawn.iter().filter(|c| c.arguments.iter().any(|a| a.contains(word))).count();
        assert!(is("noise=") > 10 && is("--second") > 5 && is("--ceiling") > 5);
    }
}
