//! Figures of fathom alone: open arrivals, the cost of telemetry and of a witness, memory, accuracy, and
//! the time to the first I/O.

use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use super::fathom_contender::{self, number, quantile};
use super::measured_load::Interface;
use super::program_run::{self, ProgramEnd};
use super::programs::Programs;
use super::ratio_statistics::median;
use super::task_options::Options;
use super::{
    accuracy, import_rates, live_overhead, reanalysis_cost, sizing_throughput, watched, watched_turns,
    witness_cost,
};

/// Names of all cases here.
pub const NAMES: [&str; 21] = [
    "open-loop",
    "telemetry",
    "memory",
    accuracy::NAMES[0],
    accuracy::NAMES[1],
    accuracy::NAMES[2],
    witness_cost::NAMES[0],
    witness_cost::NAMES[1],
    witness_cost::NAMES[2],
    live_overhead::NAMES[0],
    live_overhead::NAMES[1],
    watched::NAMES[0],
    watched::NAMES[1],
    watched_turns::NAME,
    "start",
    reanalysis_cost::NAME,
    import_rates::NAME,
    sizing_throughput::NAMES[0],
    sizing_throughput::NAMES[1],
    sizing_throughput::NAMES[2],
    sizing_throughput::NAMES[3],
];
/// Jobs and depth of the run whose memory is measured.
const MEMORY_FLAGS: [&str; 6] =
    ["--rw=randread", "--bs=4k", "--jobs=16", "--depth=256", "--time=3s", "--warmup=0s"];
const MEMORY_LIMIT_BYTES: f64 = 200e6;
const START_LIMIT_S: f64 = 0.2;
const LATER_LIMIT_S: f64 = 0.01;
/// Starts of each target; pairs of them beside an earlier build.
const STARTS: usize = 15;
const RATE_LIMIT: f64 = 0.001;
const LAG_FLOOR_NS: f64 = 5000.0;
const LAG_SHARE: f64 = 0.01;
const TELEMETRY_LIMIT: f64 = 0.01;
/// Open arrivals may have so many I/Os in flight.
const OPEN_CAP: u32 = 256;

/// One figure: what it is, what was found, what was asked, and whether it was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub case: &'static str,
    pub what: String,
    pub found: String,
    pub asked: String,
    /// `None` where nothing was asked.
    pub met: Option<bool>,
}

/// Measures the cases that are asked for; a case that fails gives its reason in place of its findings.
pub fn measure(
    options: &Options,
    programs: &Programs,
    folder: &Path,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<(&'static str, Result<Vec<Finding>, String>)> {
    let bench = AloneBench { options, programs, folder };
    NAMES
        .into_iter()
        .filter(|name| options.wants(name))
        .map(|name| {
            eprintln!("{name} ...");
            let found = match name {
                "open-loop" => bench.open_loops(),
                "telemetry" => bench.telemetry(),
                "memory" => bench.memory(),
                case if accuracy::NAMES.contains(&case) => accuracy::measure(case, options, programs, folder),
                case if witness_cost::NAMES.contains(&case) => {
                    witness_cost::measure(case, options, programs, folder, random)
                }
                case if live_overhead::NAMES.contains(&case) => {
                    live_overhead::measure(case, options, programs, folder, random)
                }
                case if watched::NAMES.contains(&case) => {
                    watched::measure(case, options, programs, folder, random)
                }
                watched_turns::NAME => watched_turns::measure(options, programs, folder, random),
                reanalysis_cost::NAME => reanalysis_cost::measure(programs, folder, options.store.as_ref()),
                import_rates::NAME => import_rates::measure(programs, folder),
                case if sizing_throughput::NAMES.contains(&case) => {
                    sizing_throughput::measure(case, programs, folder)
                }
                _ => bench.start(),
            };
            (name, found)
        })
        .collect()
}

struct AloneBench<'a> {
    options: &'a Options,
    programs: &'a Programs,
    folder: &'a Path,
}

/// What one open-loop run says of its generator.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OpenLoopResult {
    /// Achieved over offered rate, less one, without sign.
    rate_error: f64,
    lag_p99_ns: f64,
    response_p50_ns: f64,
    delayed: f64,
}

impl OpenLoopResult {
    fn read(record: &Value) -> Result<Self, String> {
        let summary = &record["summary"];
        let direction = &summary["directions"][0];
        let offered = number(summary, "offered_per_s")?;
        let need = |name: &str, value: Option<f64>| value.ok_or_else(|| format!("the record has no {name}"));
        Ok(Self {
            rate_error: (number(direction, "operations_per_s")? / offered - 1.0).abs(),
            lag_p99_ns: need("generator lag", quantile(&summary["generator_lag"], 0.99))?,
            response_p50_ns: need("response latency", quantile(&direction["response"], 0.5))?,
            delayed: number(summary, "delayed_arrivals")?,
        })
    }
}

impl AloneBench<'_> {
    fn run(&self, target: &str, flags: &[&str]) -> Result<ProgramEnd, String> {
        program_run::run(&fathom_contender::run(&self.programs.fathom, target, flags), self.folder)
    }

    fn open_loops(&self) -> Result<Vec<Finding>, String> {
        let mut findings = Vec::new();
        let devices = [(self.options.target.as_str(), None), ("sim:nvme", Some("--real-time"))];
        for (target, real_time) in devices {
            for arrival in ["constant", "poisson"] {
                findings.extend(self.open_loop(target, real_time, arrival)?);
            }
        }
        Ok(findings)
    }

    fn open_loop(
        &self,
        target: &str,
        real_time: Option<&str>,
        arrival: &str,
    ) -> Result<Vec<Finding>, String> {
        let time = format!("--time={}s", self.options.seconds);
        let cpus = format!("--cpus={}", self.options.cpu);
        let mut common = vec!["--rw=randread", "--bs=4k", "--warmup=1s", time.as_str(), cpus.as_str()];
        common.extend(real_time);
        let peak = self.peak(target, &common)?;
        let (rate, cap) = (format!("--rate={}", (peak / 2.0).round() as u64), format!("--depth={OPEN_CAP}"));
        let arrival_flag = format!("--arrival={arrival}");
        let mut flags = common.clone();
        flags.extend([rate.as_str(), cap.as_str(), arrival_flag.as_str()]);
        let runs = (0..self.options.pairs)
            .map(|_| OpenLoopResult::read(&fathom_contender::record(&self.run(target, &flags)?)?))
            .collect::<Result<Vec<_>, _>>()?;
        let at = format!("{target}, {arrival}, {} of a peak of {}", short(peak / 2.0), short(peak));
        Ok(judge_open(&at, arrival, &runs))
    }

    /// Median closed-loop rate of three runs on the same processor.
    fn peak(&self, target: &str, common: &[&str]) -> Result<f64, String> {
        let mut flags = common.to_vec();
        flags.push("--depth=32");
        let rates = (0..3)
            .map(|_| fathom_contender::read(&self.run(target, &flags)?).map(|measured| measured.rate_per_s))
            .collect::<Result<Vec<_>, _>>()?;
        median(rates).ok_or_else(|| "no run".to_owned())
    }

    /// Processor time of the sampling, and of everything that is not the generator.
    fn telemetry(&self) -> Result<Vec<Finding>, String> {
        let load = self.options.load(Interface::Uring, 32);
        let seconds = (self.options.seconds * 4) as f64;
        let time = format!("--time={seconds}s");
        let cpus = format!("--cpus={}", self.options.cpu);
        let (mut sampling, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let ended = self.run(&load.target, &["--rw=randread", "--bs=4k", "--warmup=0s", &time, &cpus])?;
            let record = fathom_contender::record(&ended)?;
            sampling.push(number(&record["telemetry"], "own_cpu_ns")? / (seconds * 1e9));
            let generator =
                number(&record["summary"], "cpu_user_ns")? + number(&record["summary"], "cpu_system_ns")?;
            let whole = (ended.usage.user_ns + ended.usage.system_ns) as f64;
            beside.push((whole - generator) / (seconds * 1e9));
        }
        let finding = |what: &str, shares: Vec<f64>, limit: Option<f64>| {
            let share = median(shares).unwrap_or(f64::NAN);
            Finding {
                case: "telemetry",
                what: what.to_owned(),
                found: format!("{:.3} % of one core", share * 100.0),
                asked: limit.map_or(String::new(), |limit| format!("under {} %", limit * 100.0)),
                met: limit.map(|limit| share < limit),
            }
        };
        Ok(vec![
            finding("sampling once a second", sampling, Some(TELEMETRY_LIMIT)),
            finding("all but the generator, start and end of the process included", beside, None),
        ])
    }

    fn memory(&self) -> Result<Vec<Finding>, String> {
        let target = &self.options.target;
        let ended = self.run(target, &MEMORY_FLAGS)?;
        fathom_contender::record(&ended)?;
        let bytes = ended.usage.peak_rss_bytes as f64;
        Ok(vec![Finding {
            case: "memory",
            what: format!("peak resident memory, {target}, 16 jobs x depth 256"),
            found: format!("{:.0} MB", bytes / 1e6),
            asked: format!("under {:.0} MB", MEMORY_LIMIT_BYTES / 1e6),
            met: Some(bytes < MEMORY_LIMIT_BYTES),
        }])
    }

    /// From starting the process to its end with one I/O in between: an upper bound of the time to it.
    fn start(&self) -> Result<Vec<Finding>, String> {
        let mut findings = Vec::new();
        for target in ["null:", self.options.target.as_str()] {
            let life = |program: &Path| {
                let command = fathom_contender::run(program, target, &["--count=1", "--warmup=0s"]);
                let ended = program_run::run(&command, self.folder)?;
                fathom_contender::record(&ended)?;
                Ok::<_, String>(ended.wall.as_secs_f64())
            };
            let (mut walls, mut later) = (Vec::new(), Vec::new());
            for _ in 0..STARTS {
                let wall = life(&self.programs.fathom)?;
                walls.push(wall);
                if let Some(earlier) = &self.programs.earlier {
                    later.push(wall - life(earlier)?);
                }
            }
            let wall = median(walls).unwrap_or(f64::NAN);
            findings.push(Finding {
                case: "start",
                what: format!("whole life of a run of one I/O, {target} (start to first I/O is less)"),
                found: format!("{:.0} ms", wall * 1e3),
                asked: format!("first I/O under {:.0} ms", START_LIMIT_S * 1e3),
                met: Some(wall < START_LIMIT_S),
            });
            findings.extend(median(later).map(|later| Finding {
                case: "start",
                what: format!("the same, later than the earlier build, {target}"),
                found: format!("{:.1} ms", later * 1e3),
                asked: format!("at most {:.0} ms", LATER_LIMIT_S * 1e3),
                met: Some(later <= LATER_LIMIT_S),
            }));
        }
        Ok(findings)
    }
}

fn judge_open(at: &str, arrival: &str, runs: &[OpenLoopResult]) -> Vec<Finding> {
    let of = |value: fn(&OpenLoopResult) -> f64| median(runs.iter().map(value)).unwrap_or(f64::NAN);
    let (error, lag, response) =
        (of(|run| run.rate_error), of(|run| run.lag_p99_ns), of(|run| run.response_p50_ns));
    let lag_limit = LAG_FLOOR_NS.max(LAG_SHARE * response);
    let worst = runs.iter().map(|run| run.lag_p99_ns).fold(0.0, f64::max);
    // A random process misses its mean by chance: the figure is asked of the constant one.
    let rate_is_exact = arrival == "constant";
    vec![
        Finding {
            case: "open-loop",
            what: format!("achieved against offered rate ({at})"),
            found: format!("{:.4} % apart", error * 100.0),
            asked: if rate_is_exact { format!("within {} %", RATE_LIMIT * 100.0) } else { String::new() },
            met: rate_is_exact.then_some(error <= RATE_LIMIT),
        },
        Finding {
            case: "open-loop",
            what: format!("generator lag p99 ({at})"),
            found: format!(
                "{:.2} us (worst run {:.1} us; median response {:.1} us; arrivals delayed by the cap {:.0})",
                lag / 1e3,
                worst / 1e3,
                response / 1e3,
                of(|run| run.delayed)
            ),
            asked: format!("at most {:.1} us", lag_limit / 1e3),
            met: Some(lag <= lag_limit),
        },
    ]
}

fn short(rate: f64) -> String {
    super::markdown_table::rate(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_run_is_judged_by_its_medians() {
        let record = serde_json::json!({ "summary": {
            "offered_per_s": 1000.0, "delayed_arrivals": 3,
            "generator_lag": { "quantiles": [{ "q": 0.99, "value_ns": 4000 }] },
            "directions": [{
                "operations_per_s": 999.5, "response": { "quantiles": [{ "q": 0.5, "value_ns": 90_000 }] },
            }],
        }});
        let run = OpenLoopResult::read(&record).unwrap();
        assert!((run.rate_error - 0.0005).abs() < 1e-12 && run.lag_p99_ns == 4000.0 && run.delayed == 3.0);

        let stalled = OpenLoopResult { lag_p99_ns: 9e6, rate_error: 0.1, ..run };
        let met = |runs: &[OpenLoopResult], arrival| -> Vec<_> {
            judge_open("x", arrival, runs).into_iter().map(|finding| finding.met).collect()
        };
        assert_eq!(met(&[run, stalled, run], "constant"), [Some(true), Some(true)]);
        assert_eq!(met(&[run, stalled, stalled], "constant"), [Some(false), Some(false)]);
        assert_eq!(met(&[stalled], "poisson"), [None, Some(false)]);
        // A slow device allows more lag: 1 % of its median response.
        let slow = OpenLoopResult { lag_p99_ns: 9000.0, response_p50_ns: 1e6, ..run };
        assert_eq!(met(&[slow], "constant"), [Some(true), Some(true)]);
    }

    #[test]
    fn a_closed_record_is_no_open_run() {
        let record = serde_json::json!({ "summary": { "directions": [{}], "offered_per_s": null } });
        assert!(OpenLoopResult::read(&record).unwrap_err().contains("offered_per_s"));
    }
}
