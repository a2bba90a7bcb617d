//! Accuracy on the wall clock: the latency that fathom reports for delays of known distributions, held
//! against their closed form, and beside it what a bare loop on the same processor leads one to expect.

use std::path::Path;

use super::alone::Finding;
use super::fathom_contender::{self, quantile};
use super::gaps::Gaps;
use super::program_run;
use super::programs::Programs;
use super::ratio_statistics::median;
use super::task_options::Options;

/// Names of the cases: one a depth, so that each is short.
pub const NAMES: [&str; 3] = ["accuracy-d1", "accuracy-d32", "accuracy-d1024"];

/// Allowed deviation of the median, beside the clock's cost.
const MEDIAN_LIMIT: f64 = 0.01;
/// Allowed deviation of the 99.9th percentile.
const TAIL_LIMIT: f64 = 0.02;
/// Quantiles of the standard normal distribution: 50th, 99th and 99.9th percentile.
const NORMAL: [f64; 3] = [0.0, 2.326_347_9, 3.090_232_3];
const ORDERS: [f64; 3] = [0.5, 0.99, 0.999];
const ORDER_NAMES: [&str; 3] = ["p50", "p99", "p99.9"];
const RUNS: usize = 3;
/// Length of the bare loop beside each run.
const BARE_SECONDS: u64 = 1;

/// Depth and scales of the delay of each case. One thread has a scale over the depth for each I/O, so deep
/// loops need long delays; and a 99.9th percentile needs 10,000 I/Os, so a lone one short delays.
const CELLS: [(u32, &[u64]); 3] =
    [(1, &[10_000, 100_000]), (32, &[10_000, 100_000, 1_000_000]), (1024, &[1_000_000])];

/// A family of delays: how one of a scale is written, and its quantiles as multiples of the scale.
struct Family {
    write: fn(u64) -> String,
    quantiles: [f64; 3],
    /// Any quantile but the least and the greatest, as a multiple of the scale.
    at: fn(f64) -> f64,
}

fn families() -> [Family; 5] {
    [
        Family { write: |ns| format!("constant:{ns}ns"), quantiles: [1.0; 3], at: |_| 1.0 },
        Family {
            write: |ns| format!("uniform:{}ns-{}ns", ns / 2, ns / 2 * 3),
            quantiles: ORDERS.map(|q| 0.5 + q),
            at: |q| 0.5 + q,
        },
        Family {
            write: |ns| format!("exponential:{ns}ns"),
            quantiles: ORDERS.map(|q| -(1.0 - q).ln()),
            at: |q| -(1.0 - q).ln(),
        },
        Family {
            write: |ns| format!("lognormal:{ns}ns/0.5"),
            quantiles: NORMAL.map(|z| (0.5 * z).exp()),
            at: |q| (0.5 * normal(q)).exp(),
        },
        Family {
            write: |ns| format!("bimodal:{ns}ns/{}ns/2%", ns * 10),
            quantiles: [1.0, 10.0, 10.0],
            at: |q| if q < 0.98 { 1.0 } else { 10.0 },
        },
    ]
}

/// Quantile of the standard normal distribution, within 0.00045 (Abramowitz and Stegun, 26.2.23).
fn normal(q: f64) -> f64 {
    let t = (-2.0 * q.min(1.0 - q).ln()).sqrt();
    let above = ((0.010_328 * t + 0.802_853) * t + 2.515_517)
        / (((0.001_308 * t + 0.189_269) * t + 1.432_788) * t + 1.0);
    if q < 0.5 { above - t } else { t - above }
}

/// One run: the record's quantiles, and the cost of a look at the clock.
struct Run {
    found_ns: [f64; 3],
    ios: f64,
    clock_ns: f64,
    in_flight: f64,
}

/// Standard deviation of the quantile of order `q` of so many draws, as a share of it: what a run cannot
/// resolve, however well it measures.
fn sampling_share(at: fn(f64) -> f64, q: f64, draws: f64) -> f64 {
    let deviation = (q * (1.0 - q) / draws).sqrt();
    (at((q + deviation).min(1.0 - 1e-9)) - at(q - deviation)) / 2.0 / at(q)
}

/// Measures every family at a case's depth on the null target.
///
/// # Errors
/// Where a run gives no numbers.
pub fn measure(
    case: &'static str,
    options: &Options,
    programs: &Programs,
    folder: &Path,
) -> Result<Vec<Finding>, String> {
    let (mut findings, mut everything) = (Vec::new(), Gaps::default());
    let cells = NAMES.iter().zip(CELLS).filter(|(name, _)| **name == case);
    for (depth, scale_ns) in
        cells.flat_map(|(_, (depth, scales))| scales.iter().map(move |&scale| (depth, scale)))
    {
        for family in families() {
            let delay = (family.write)(scale_ns);
            let (mut runs, mut gaps) = (Vec::new(), Gaps::default());
            for _ in 0..RUNS {
                gaps.add(Gaps::measure(options.cpu, BARE_SECONDS, folder)?);
                runs.push(run(options, programs, folder, &delay, depth)?);
            }
            let truth_ns = family.quantiles.map(|q| q * scale_ns as f64);
            let expected_ns = gaps.expected_ns(ORDERS[2], &|q| (family.at)(q) * scale_ns as f64);
            let ios = median(runs.iter().map(|run| run.ios)).unwrap_or(f64::NAN);
            let apart = (expected_ns, sampling_share(family.at, ORDERS[2], ios));
            findings.push(judge(case, (&delay, depth), &truth_ns, apart, &runs));
            everything.add(gaps);
        }
    }
    findings.push(Finding {
        case,
        what: format!("a bare loop that reads the clock on CPU {}", options.cpu),
        found: everything.summary(),
        asked: String::new(),
        met: None,
    });
    Ok(findings)
}

fn run(
    options: &Options,
    programs: &Programs,
    folder: &Path,
    delay: &str,
    depth: u32,
) -> Result<Run, String> {
    let (delay, depth) = (format!("--delay={delay}"), format!("--depth={depth}"));
    let (time, cpus) = (format!("--time={}s", options.seconds), format!("--cpus={}", options.cpu));
    let flags = ["--rw=randread", "--bs=4k", "--warmup=200ms", &delay, &depth, &time, &cpus];
    let record = fathom_contender::record(&program_run::run(
        &fathom_contender::run(&programs.fathom, "null:", &flags),
        folder,
    )?)?;
    let service = &record["summary"]["directions"][0]["service"];
    let mut found_ns = [0.0; 3];
    for (found, (q, name)) in found_ns.iter_mut().zip(ORDERS.iter().zip(ORDER_NAMES)) {
        *found = quantile(service, *q).ok_or_else(|| format!("the record has no {name}: --seconds more"))?;
    }
    Ok(Run {
        found_ns,
        ios: fathom_contender::number(service, "count")?,
        clock_ns: fathom_contender::number(&record["clock"], "read_cost_ns")?,
        in_flight: fathom_contender::number(&record["summary"], "in_flight_mean")?,
    })
}

/// Nothing is subtracted: the deviation is that of the record's own figures, each the median of the runs.
/// `expected_ns` is the 99.9th percentile that the bare loop's gaps alone would give, `sampling` how far chance
/// alone moves that of one run, as a share.
fn judge(
    case: &'static str,
    (delay, depth): (&str, u32),
    truth_ns: &[f64; 3],
    (expected_ns, sampling): (f64, f64),
    runs: &[Run],
) -> Finding {
    let of = |value: &dyn Fn(&Run) -> f64| median(runs.iter().map(value)).unwrap_or(f64::NAN);
    let deviation = |index: usize| of(&|run| run.found_ns[index]) / truth_ns[index] - 1.0;
    // A stamp is read at both ends of a latency.
    let clock_share = 2.0 * of(&|run| run.clock_ns) / truth_ns[0];
    let shares: Vec<String> = ORDER_NAMES
        .iter()
        .enumerate()
        .map(|(index, name)| format!("{name} {:+.2} %", deviation(index) * 100.0))
        .collect();
    let met = deviation(0).abs() <= MEDIAN_LIMIT + clock_share && deviation(2).abs() <= TAIL_LIMIT;
    Finding {
        case,
        what: format!("{delay}, depth {depth}"),
        found: format!(
            "{}; p99.9 by the bare loop's gaps alone {:+.2} %, by chance {:.2} % either way ({:.1} in flight)",
            shares.join(", "),
            (expected_ns / truth_ns[2] - 1.0) * 100.0,
            sampling * 100.0,
            of(&|run| run.in_flight)
        ),
        asked: format!(
            "p50 within {:.2} %, p99.9 within {} %",
            (MEDIAN_LIMIT + clock_share) * 100.0,
            TAIL_LIMIT * 100.0
        ),
        met: Some(met),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_of(found_ns: [f64; 3]) -> Run {
        Run { found_ns, ios: 1e6, clock_ns: 20.0, in_flight: 1.0 }
    }

    #[test]
    fn a_deviation_is_judged_by_its_medians_and_the_clock() {
        let truth = [10_000.0, 46_050.0, 69_080.0];
        let met = |p50: f64, p999: f64, others: f64| {
            let runs = [p50, p50, p50 * others].map(|p50| run_of([p50, 46_050.0, p999]));
            judge("accuracy-d1", ("exponential:10us", 1), &truth, (69_080.0, 0.0), &runs).met
        };
        // 1 % and two clock reads of 20 ns in 10 us: 1.4 %.
        assert_eq!(met(10_139.0, 69_080.0, 1.0), Some(true));
        assert_eq!(met(10_141.0, 69_080.0, 1.0), Some(false));
        assert_eq!(met(9_859.0, 69_080.0, 1.0), Some(false));
        assert_eq!(met(10_000.0, 70_500.0, 1.0), Some(false));
        assert_eq!(met(10_000.0, 69_080.0, 9.0), Some(true), "one run of three does not decide");
        let runs = [run_of([10_100.0, 46_050.0, 69_080.0])];
        let finding = judge("accuracy-d1", ("exponential:10us", 1), &truth, (1.01 * truth[2], 0.005), &runs);
        assert_eq!(
            finding.found,
            "p50 +1.00 %, p99 +0.00 %, p99.9 +0.00 %; p99.9 by the bare loop's gaps alone +1.00 %, by chance 0.50 % either way (1.0 in flight)"
        );
    }

    #[test]
    fn chance_moves_the_tail_of_few_draws() {
        let [constant, _, exponential, ..] = families();
        // Of 20,000 draws 20 lie beyond: one over the root of 20, over ln 1000.
        let share = sampling_share(exponential.at, 0.999, 20_000.0);
        assert!((share - 0.0324).abs() < 0.001, "{share}");
        assert!(sampling_share(exponential.at, 0.999, 2e6) < 0.004);
        assert_eq!(sampling_share(constant.at, 0.999, 10.0), 0.0);
    }

    #[test]
    fn quantiles_of_the_families_are_those_of_their_distributions() {
        let near =
            |found: [f64; 3], truth: [f64; 3]| found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1e-3);
        let [constant, uniform, exponential, lognormal, bimodal] = families();
        assert!(near(constant.quantiles, [1.0, 1.0, 1.0]));
        assert!(near(uniform.quantiles, [1.0, 1.49, 1.499]));
        assert!(near(exponential.quantiles, [std::f64::consts::LN_2, 4.6052, 6.9078]));
        assert!(near(lognormal.quantiles, [1.0, 3.2001, 4.6885]));
        assert!(near(bimodal.quantiles, [1.0, 10.0, 10.0]));
        for family in families() {
            assert!(near(ORDERS.map(family.at), family.quantiles), "{}", (family.write)(1));
        }
        assert_eq!((uniform.write)(10_000), "uniform:5000ns-15000ns");
        assert_eq!((bimodal.write)(10_000), "bimodal:10000ns/100000ns/2%");
    }
}
