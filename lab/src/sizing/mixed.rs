//! Mixed sizes on the simulated gp3: a rate within both limits is served, one above a limit is served as far as that
//! limit goes.

use super::Bench;
use super::drawn_demand::Io;
use super::json_queries;
use super::moments;
use super::section::Section;
use super::volume_offers::{Kind, Rules, Volume};
use crate::draw::Draw;

const SIZES: [u64; 11] =
    [512, 4096, 16_384, 65_536, 131_072, 262_144, 266_240, 393_216, 524_288, 1_048_576, 4_194_304];
const SECONDS: u64 = 20;
/// Rates may be off by this much: sizes are drawn, and the last I/Os end behind the end.
const OFF: f64 = 0.01;
/// The same where a limit holds them back: a mix that is drawn has other means than its weights.
const OFF_ABOVE: f64 = 0.04;

/// A mix of sizes at a rate, on a volume.
struct Case {
    name: String,
    sizes: Vec<(u64, u64)>,
    rate: u64,
    volume: Volume,
    /// Of the limit that is nearest.
    load: f64,
    writes: bool,
}

impl Case {
    /// A case; one in four asks for more than there is.
    fn draw(seed: u64, number: usize) -> Self {
        let mut draw = Draw::new(seed, 5000 + number as u64);
        let percent = 5 * (1 + draw.below(18) as u64);
        let first = draw.below(6);
        let sizes = vec![
            (SIZES[first], percent),
            (SIZES[first + 1 + draw.below(SIZES.len() - first - 1)], 100 - percent),
        ];
        let mean = |of: fn(u64) -> f64| {
            sizes.iter().map(|(bytes, percent)| of(*bytes) * *percent as f64 / 100.0).sum::<f64>()
        };
        let (units, bytes) = (mean(|bytes| bytes.div_ceil(1 << 18) as f64), mean(|bytes| bytes as f64));
        // No more than a volume may have.
        let most = (9000.0 / units).min(1.2e9 / bytes).max(20.0);
        let rate = draw.round(most / 20.0, most).max(10);
        let load = if number % 4 == 3 { draw.between(1.1, 1.5) } else { draw.between(0.7, 0.93) };
        // One limit is that near, the other as near or further off.
        let spare = [1.0, draw.between(1.0, 2.0)];
        let turn = draw.below(2);
        let iops = (rate as f64 * units / load * spare[turn]).ceil() as u64;
        let mibps = (rate as f64 * bytes / load / f64::from(1 << 20) * spare[1 - turn]).ceil() as u64;
        let volume = Volume { kind: Kind::Gp3, gib: 1024, iops: iops.max(10), mibps: mibps.max(2) };
        // Whole numbers of small limits are further off.
        let load =
            (rate as f64 * units / volume.iops as f64).max(rate as f64 * bytes / (volume.mibps << 20) as f64);
        Self { name: format!("mixed-{number:03}"), sizes, rate, volume, load, writes: draw.chance(0.3) }
    }

    fn words(&self, seed: u64) -> Vec<String> {
        let size = |bytes: u64| {
            if bytes.is_multiple_of(1024) { format!("{}k", bytes / 1024) } else { bytes.to_string() }
        };
        let sizes: Vec<String> =
            self.sizes.iter().map(|(bytes, percent)| format!("{}:{percent}%", size(*bytes))).collect();
        let (iops, mibps) = (self.volume.iops, self.volume.mibps);
        [
            "run",
            "--target",
            &format!("sim:gp3,size=1TiB,iops={iops},throughput={mibps}MiB,seed={seed}"),
            "--rw",
            if self.writes { "randwrite" } else { "randread" },
            "--bs",
            &sizes.join(","),
            "--rate",
            &self.rate.to_string(),
            "--time",
            &format!("{SECONDS}s"),
            "--depth",
            "4096",
            "--seed",
            &seed.to_string(),
        ]
        .map(str::to_owned)
        .to_vec()
    }

    /// Whether the slow simulator serves such a mix, each I/O within a second.
    fn is_served(&self, bench: &Bench, seed: u64) -> Result<bool, String> {
        let mut draw = Draw::new(seed, 6000);
        let ios: Vec<Io> = (0..self.rate * SECONDS)
            .map(|number| {
                let drawn = draw.below(100) as u64;
                let bytes = if drawn < self.sizes[0].1 { self.sizes[0].0 } else { self.sizes[1].0 };
                Io { at_us: number * 1_000_000 / self.rate, bytes, offset: 0, writes: self.writes }
            })
            .collect();
        let rules = Rules::of(Kind::Gp3, &bench.catalogue)?;
        let limits = [rules.operations(&self.volume), rules.bytes(&self.volume)];
        Ok(moments::late(&ios, Kind::Gp3, &limits, 100, 1) == 0)
    }
}

/// Runs every case.
///
/// # Errors
/// Where the catalogue lacks a limit.
pub fn run(bench: &Bench) -> Result<Section, String> {
    let cases = bench.options.devices;
    let mut section = Section::new(format!("mixed sizes on sim:gp3, seed {}", bench.options.seed));
    let mut within = (0, 0);
    let mut above = (0, 0);
    for number in 0..cases {
        let case = Case::draw(bench.options.seed, number);
        if bench.stop.is_asked() || !case.name.contains(&bench.options.only) {
            continue;
        }
        let seed = bench.options.seed + number as u64;
        let words = case.words(seed);
        let mine = case.is_served(bench, seed)?;
        let tally = if case.load < 1.0 { &mut within } else { &mut above };
        tally.1 += 1;
        match verdict(&case, mine, json_queries::json(&bench.fathom, &bench.folder, &words)) {
            Ok(()) => {
                section.equal += 1;
                tally.0 += 1;
            }
            Err(said) => {
                section.unexplained.push(format!(
                    "{}: {said}\n  `{}`",
                    case.name,
                    json_queries::typed(&words)
                ));
            }
        }
    }
    section
        .figures
        .push(format!("within both limits: {} of {} served as by the simulator", within.0, within.1));
    section.figures.push(format!("above a limit: {} of {} held to it", above.0, above.1));
    Ok(section)
}

fn verdict(case: &Case, mine: bool, answer: Result<serde_json::Value, String>) -> Result<(), String> {
    let answer = answer?;
    let rate = answer["summary"]["directions"]
        .as_array()
        .and_then(|directions| {
            directions.iter().map(|direction| direction["operations_per_s"].as_f64()).sum::<Option<f64>>()
        })
        .ok_or("the record has no rate")?;
    let asked = case.rate as f64;
    if mine != (case.load < 1.0) {
        return Err(format!("the simulator and the sums disagree at a load of {:.2}", case.load));
    }
    let (expected, off) = if mine { (asked, OFF) } else { (asked / case.load, OFF_ABOVE) };
    if (rate / expected - 1.0).abs() <= off {
        return Ok(());
    }
    Err(format!(
        "{rate:.0} of {asked} I/Os a second at {:.0} % of the nearest limit, {expected:.0} expected",
        case.load * 100.0
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rate_is_held_against_what_the_limits_let_through() {
        let volume = Volume { kind: Kind::Gp3, gib: 1024, iops: 100, mibps: 100 };
        let mut case =
            Case { name: "m".to_owned(), sizes: Vec::new(), rate: 100, volume, load: 0.9, writes: false };
        let answer = |rate: f64| Ok(json!({"summary": {"directions": [{"operations_per_s": rate}]}}));
        assert!(verdict(&case, true, answer(99.5)).is_ok());
        assert!(verdict(&case, true, answer(72.0)).unwrap_err().contains("72 of 100"));
        case.load = 1.25;
        assert!(verdict(&case, false, answer(80.0)).is_ok());
        assert!(verdict(&case, false, answer(100.0)).is_err(), "more than the limit");
        assert!(verdict(&case, true, answer(80.0)).unwrap_err().contains("disagree"));
        assert!(verdict(&case, false, Err("no answer".to_owned())).is_err());
    }

    #[test]
    fn most_cases_are_within_their_limits_and_some_are_not() {
        let cases: Vec<Case> = (0..40).map(|number| Case::draw(1, number)).collect();
        let above = cases.iter().filter(|case| case.load > 1.05).count();
        assert_eq!((above, cases.iter().filter(|case| case.load < 0.95).count()), (10, 30));
        assert!(cases.iter().any(|case| case.sizes[1].0 > 1 << 18));
    }
}
