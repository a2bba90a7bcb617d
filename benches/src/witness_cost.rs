//! A witness in the block layer: what it costs the run that it watches, and how far its account explains
//! that run's percentiles. The same load with and without it, in pairs of random order.

use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use super::alone::Finding;
use super::contender_pairs::in_random_order;
use super::fathom_contender::{self, number};
use super::markdown_table::{nanoseconds, rate};
use super::measured_load::ToolMeasurement;
use super::program_run;
use super::programs::Programs;
use super::ratio_statistics::{median, paired_ratio};
use super::task_options::Options;

/// Names of the cases: one a depth.
pub const NAMES: [&str; 3] = ["witness-d1", "witness-d32", "witness-d256"];
const DEPTHS: [u32; 3] = [1, 32, 256];

/// What may be left over of a percentile.
const LEFT_OVER_LIMIT: f64 = 0.05;
const ORDERS: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];

/// One pair of runs.
#[derive(Clone, Debug, PartialEq)]
struct Pair {
    without: ToolMeasurement,
    with: ToolMeasurement,
    account: Account,
}

/// What a record says of its witness.
#[derive(Clone, Debug, PartialEq)]
struct Account {
    lost: f64,
    ios: f64,
    /// By [`ORDERS`], where the run resolves them.
    quantiles: [Option<Quantile>; 3],
}

/// One percentile as both sides saw it, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Quantile {
    service: f64,
    block: f64,
    parts: [f64; 3],
    left_over_share: f64,
    /// What of it no I/O that was lost can explain, of the same sign.
    unexplained_share: f64,
}

impl Account {
    fn read(record: &Value) -> Result<Self, String> {
        let witness = &record["witness"];
        if witness["state"] != "seen" {
            let why = witness["reason"].as_str().unwrap_or("the record has no witness");
            return Err(format!("nobody watched: {why}"));
        }
        let direction = &witness["directions"][0];
        let listed = direction["explanation"]["quantiles"].as_array().ok_or_else(|| {
            let why = direction["unexplained"].as_str().unwrap_or("no reason is given");
            format!("the witness explains nothing: {why}")
        })?;
        let mut quantiles = [None; 3];
        for (place, (order, _)) in quantiles.iter_mut().zip(ORDERS) {
            *place = match listed.iter().find(|entry| entry["q"].as_f64() == Some(order)) {
                Some(entry) => Some(Quantile::read(entry)?),
                None => None,
            };
        }
        Ok(Self { lost: number(witness, "lost")?, ios: number(direction, "ios")?, quantiles })
    }
}

impl Quantile {
    fn read(entry: &Value) -> Result<Self, String> {
        let part = |name| number(&entry["parts"], name);
        let service = number(entry, "service_ns")?;
        let left_over_share = number(entry, "left_over_share")?;
        let end =
            |at: usize| entry["parts_range_ns"][at].as_f64().unwrap_or(service - left_over_share * service);
        let beyond = (service - end(1)).max(end(0) - service).max(0.0) / service;
        Ok(Self {
            unexplained_share: beyond.min(left_over_share.abs()).copysign(left_over_share),
            service,
            block: number(entry, "block_ns")?,
            parts: [part("before_ns")?, part("inside_ns")?, part("after_ns")?],
            left_over_share,
        })
    }
}

/// Measures a case on the target.
///
/// # Errors
/// Where a run gives no numbers, or nobody may watch here.
pub fn measure(
    case: &'static str,
    options: &Options,
    programs: &Programs,
    folder: &Path,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Finding>, String> {
    let depth = NAMES.iter().zip(DEPTHS).find(|(name, _)| **name == case).map_or(1, |(_, depth)| depth);
    let (deep, time) = (format!("--depth={depth}"), format!("--time={}s", options.seconds));
    let cpus = format!("--cpus={}", options.cpu);
    let load = ["--rw=randread", "--bs=4k", "--warmup=0s", &deep, &time, &cpus];
    let watched: Vec<&str> = load.into_iter().chain(["--witness"]).collect();
    let run = |flags: &[&str]| {
        let ended =
            program_run::run(&fathom_contender::run(&programs.fathom, &options.target, flags), folder)?;
        Ok::<_, String>((fathom_contender::read(&ended)?, fathom_contender::record(&ended)?))
    };
    let pairs = (0..options.pairs)
        .map(|_| {
            let ((without, _), (with, record)) = in_random_order(random, || run(&load), || run(&watched))?;
            Ok(Pair { without, with, account: Account::read(&record)? })
        })
        .collect::<Result<Vec<_>, String>>()?;
    let at = format!("{}, depth {depth}", options.target);
    Ok(cost(case, &at, &pairs).into_iter().chain(explained(case, &at, &pairs)).collect())
}

/// What a run loses by being watched.
fn cost(case: &'static str, at: &str, pairs: &[Pair]) -> Vec<Finding> {
    let row = |what: &str, of: &dyn Fn(&ToolMeasurement) -> Option<f64>, show: fn(f64) -> String| {
        let both: Vec<(f64, f64)> =
            pairs.iter().filter_map(|pair| of(&pair.with).zip(of(&pair.without))).collect();
        let side =
            |take: fn(&(f64, f64)) -> f64| median(both.iter().map(take)).map_or("unknown".into(), show);
        let ratio = paired_ratio(&both)
            .map_or("unknown".to_owned(), |r| format!("{:.3} ({:.3} to {:.3})", r.median, r.low, r.high));
        Finding {
            case,
            what: format!("{what}, watched against not ({at})"),
            found: format!("{ratio}: {} against {}", side(|both| both.0), side(|both| both.1)),
            asked: String::new(),
            met: None,
        }
    };
    vec![
        row("rate", &|run| Some(run.rate_per_s), rate),
        row("median latency", &|run| run.median_latency_ns, nanoseconds),
        row(
            "CPU time an I/O, whole process",
            &|run| Some(run.process.user_ns + run.process.system_ns),
            nanoseconds,
        ),
    ]
}

/// What is left over at each percentile, and what was lost.
fn explained(case: &'static str, at: &str, pairs: &[Pair]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, (_, name)) in ORDERS.into_iter().enumerate() {
        let seen: Vec<Quantile> = pairs.iter().filter_map(|pair| pair.account.quantiles[place]).collect();
        let of = |value: &dyn Fn(&Quantile) -> f64| median(seen.iter().map(value)).unwrap_or(f64::NAN);
        let shares = || seen.iter().map(|quantile| quantile.left_over_share);
        let left_over = of(&|quantile| quantile.left_over_share);
        let unexplained = of(&|quantile| quantile.unexplained_share).abs();
        let (least, most) =
            (shares().fold(f64::INFINITY, f64::min), shares().fold(f64::NEG_INFINITY, f64::max));
        let part = |at: usize| nanoseconds(of(&move |quantile| quantile.parts[at]));
        findings.push(Finding {
            case,
            what: format!("{name}: left over beside the parts ({at})"),
            found: format!(
                "{:+.2} % (runs {:+.2} to {:+.2} %), {:.2} % beyond what lost I/Os explain: {} against {} before + {} inside + {} after; block layer's own {}",
                left_over * 100.0,
                least * 100.0,
                most * 100.0,
                unexplained * 100.0,
                nanoseconds(of(&|quantile| quantile.service)),
                part(0),
                part(1),
                part(2),
                nanoseconds(of(&|quantile| quantile.block)),
            ),
            asked: format!("within {} %", LEFT_OVER_LIMIT * 100.0),
            met: Some(left_over.abs() <= LEFT_OVER_LIMIT),
        });
        if seen.is_empty() {
            let last = findings.len() - 1;
            "not resolved: --seconds more".clone_into(&mut findings[last].found);
        }
    }
    let sum = |of: fn(&Account) -> f64| pairs.iter().map(|pair| of(&pair.account)).sum::<f64>();
    findings.push(Finding {
        case,
        what: format!("I/Os that the witness lost ({at})"),
        found: format!("{} of {}", sum(|account| account.lost), sum(|account| account.ios)),
        asked: String::new(),
        met: None,
    });
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured_load::Cpu;

    fn record(left_over_share: f64) -> Value {
        serde_json::json!({ "witness": {
            "state": "seen", "lost": 2,
            "directions": [{ "ios": 1000, "explanation": { "quantiles": [{
                "q": 0.5, "service_ns": 100_000, "block_ns": 90_000, "left_over_share": left_over_share,
                "parts": { "before_ns": 2000.0, "inside_ns": 91_000.0, "after_ns": 7000.0 },
            }]}}],
        }})
    }

    fn pair(with: f64, left_over_share: f64) -> Pair {
        let run = |rate_per_s| ToolMeasurement {
            rate_per_s,
            operations: 1000.0,
            median_latency_ns: Some(100_000.0),
            own: None,
            process: Cpu { user_ns: 50.0, system_ns: 1000.0 },
        };
        let account = Account::read(&record(left_over_share)).unwrap();
        Pair { without: run(1000.0), with: run(with), account }
    }

    #[test]
    fn a_cost_is_a_paired_ratio() {
        let rows = cost("witness-d1", "x", &[pair(900.0, 0.0), pair(920.0, 0.0)]);
        assert!(rows[0].found.starts_with("0.910 ("), "{}", rows[0].found);
        assert!(rows[2].found.ends_with("1050 ns against 1050 ns"), "{}", rows[2].found);
    }

    #[test]
    fn the_median_of_what_is_left_over_is_judged() {
        let met = |shares: [f64; 3]| {
            let rows = explained("witness-d1", "x", &shares.map(|share| pair(1000.0, share)));
            assert_eq!(rows[3].found, "6 of 3000");
            (rows[0].met, rows[0].found.clone(), rows[1].met)
        };
        let (p50, found, p99) = met([0.0, -0.2, 0.03]);
        assert_eq!((p50, p99), (Some(true), Some(false)), "a percentile that no run resolves is not met");
        assert!(
            found.starts_with(
                "+0.00 % (runs -20.00 to +3.00 %), 0.00 % beyond what lost I/Os explain: 100000 ns"
            ),
            "{found}"
        );
        assert_eq!(met([0.06, 0.07, 0.0]).0, Some(false));
    }

    #[test]
    fn a_record_in_which_nobody_watched_says_why() {
        let absent = serde_json::json!({ "witness": { "state": "absent", "reason": "run it as root" } });
        assert!(Account::read(&absent).unwrap_err().contains("run it as root"));
        let mut plain = record(0.0);
        plain["witness"]["directions"][0] = serde_json::json!({ "ios": 3, "unexplained": "no places" });
        assert!(Account::read(&plain).unwrap_err().contains("no places"));
    }
}
