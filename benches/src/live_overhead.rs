//! What `fathom profile --live` costs the load that it watches: the same load with and without it, in pairs of
//! random order, at 100,000 I/Os a second and as fast as it goes.

use std::path::Path;
use std::process::{Child, Command, Stdio};

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

/// Names of the cases.
pub const NAMES: [&str; 2] = ["live-100k", "live-full"];

/// What the programs may take of the rate at 100,000 I/Os a second.
const COST_LIMIT: f64 = 0.02;

/// One pair of runs, with what the tracer says of its own cost.
#[derive(Clone, Debug, PartialEq)]
struct Pair {
    without: ToolMeasurement,
    with: ToolMeasurement,
    /// Share of one processor during the run: how often programs run a second, times what a run takes.
    own_share: f64,
    /// Time of one run of a program, in nanoseconds.
    run_ns: f64,
    /// I/Os that it saw, over those that the run did.
    seen: f64,
}

/// Measures a case on the target.
///
/// # Errors
/// Where a run gives no numbers, or the kernel takes no programs here.
pub fn measure(
    case: &'static str,
    options: &Options,
    programs: &Programs,
    folder: &Path,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Finding>, String> {
    let (time, cpus) = (format!("--time={}s", options.seconds), format!("--cpus={}", options.cpu));
    let pace = if case == NAMES[0] { "--rate=100k" } else { "--depth=32" };
    let load = ["--rw=randread", "--bs=4k", "--warmup=0s", "--engine=uring", pace, &time, &cpus];
    let run = || {
        fathom_contender::read(&program_run::run(
            &fathom_contender::run(&programs.fathom, &options.target, &load),
            folder,
        )?)
    };
    let watched = || {
        let tracer = Tracer::start(programs, options, folder)?;
        let measured = run()?;
        Ok::<_, String>((measured, tracer.finish()?))
    };
    let pairs = (0..options.pairs)
        .map(|_| {
            let (without, (with, profile)) = in_random_order(random, run, watched)?;
            Pair::of(without, with, &profile)
        })
        .collect::<Result<Vec<_>, String>>()?;
    Ok(findings(case, &options.target, &pairs))
}

/// `fathom profile --live`, from before a run to after it.
struct Tracer {
    child: Child,
    profile: std::path::PathBuf,
}

impl Tracer {
    fn start(programs: &Programs, options: &Options, folder: &Path) -> Result<Self, String> {
        let profile = folder.join("live.json");
        let child = Command::new(&programs.fathom)
            .args(["profile", "--live", &options.target])
            // It ends by itself should nobody end it.
            .arg(format!("--time={}s", options.seconds + 2))
            .arg(format!("--json={}", profile.display()))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("fathom profile cannot be started: {error}"))?;
        // Programs are loaded and attached by then.
        std::thread::sleep(std::time::Duration::from_millis(500));
        Ok(Self { child, profile })
    }

    fn finish(mut self) -> Result<Value, String> {
        self.child.wait().map_err(|error| format!("fathom profile: {error}"))?;
        let text = std::fs::read_to_string(&self.profile);
        let text = text.map_err(|error| format!("fathom profile wrote nothing: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("fathom profile's JSON: {error}"))
    }
}

impl Pair {
    fn of(without: ToolMeasurement, with: ToolMeasurement, profile: &Value) -> Result<Self, String> {
        let layer = &profile["block_layer"];
        if layer.is_null() {
            return Err(format!("nobody counted: {}", profile["notes"]));
        }
        let seen = number(layer, "operations")? / with.operations.max(1.0);
        let run_ns = number(layer, "run_ns")?;
        // A bio, and a request where the device has them.
        let runs = if layer["after_merging"] == true { 2.0 } else { 1.0 };
        let own_share = with.rate_per_s * runs * run_ns / 1e9;
        Ok(Self { without, with, own_share, run_ns, seen })
    }
}

fn findings(case: &'static str, target: &str, pairs: &[Pair]) -> Vec<Finding> {
    let compared = |of: &dyn Fn(&ToolMeasurement) -> f64| -> Vec<(f64, f64)> {
        pairs.iter().map(|pair| (of(&pair.with), of(&pair.without))).collect()
    };
    let side = |both: &[(f64, f64)], take: fn(&(f64, f64)) -> f64, show: fn(f64) -> String| {
        median(both.iter().map(take)).map_or("unknown".into(), show)
    };
    let row = |what: &str, both: Vec<(f64, f64)>, show: fn(f64) -> String, judged: bool| {
        let ratio = paired_ratio(&both);
        let text = ratio
            .as_ref()
            .map_or("unknown".to_owned(), |r| format!("{:.3} ({:.3} to {:.3})", r.median, r.low, r.high));
        Finding {
            case,
            what: format!("{what}, traced against not ({target})"),
            found: format!("{text}: {} against {}", side(&both, |b| b.0, show), side(&both, |b| b.1, show)),
            asked: if judged { "at least 0.98".to_owned() } else { String::new() },
            met: ratio.filter(|_| judged).map(|ratio| ratio.median >= 1.0 - COST_LIMIT),
        }
    };
    let own = median(pairs.iter().map(|pair| pair.own_share)).unwrap_or(f64::NAN);
    let run = median(pairs.iter().map(|pair| pair.run_ns)).unwrap_or(f64::NAN);
    let seen = median(pairs.iter().map(|pair| pair.seen)).unwrap_or(f64::NAN);
    let at_rate = case == NAMES[0];
    vec![
        row("rate", compared(&|run| run.rate_per_s), rate, at_rate),
        row(
            "CPU time an I/O, whole process",
            compared(&|run| run.process.user_ns + run.process.system_ns),
            nanoseconds,
            false,
        ),
        Finding {
            case,
            what: format!(
                "share of one CPU in the programs, as the kernel timed them, its clock included ({target})"
            ),
            found: format!(
                "{:.2} %: {run:.0} ns a run; {:.2} % of the I/Os were seen",
                own * 100.0,
                seen * 100.0
            ),
            asked: String::new(),
            met: None,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured_load::Cpu;

    fn run(rate_per_s: f64) -> ToolMeasurement {
        ToolMeasurement {
            rate_per_s,
            operations: 1000.0,
            median_latency_ns: None,
            own: None,
            process: Cpu { user_ns: 50.0, system_ns: 1000.0 },
        }
    }

    #[test]
    fn a_cost_is_judged_at_the_rate_that_is_asked_for() {
        let profile =
            serde_json::json!({"block_layer": {"operations": 1000, "after_merging": true, "run_ns": 150.0}});
        let pairs = [990.0, 995.0].map(|rate| Pair::of(run(1000.0), run(rate), &profile).unwrap());
        let rows = findings(NAMES[0], "x", &pairs);
        assert_eq!((rows[0].met, rows[2].met), (Some(true), None), "{rows:?}");
        // A thousand I/Os a second are two thousand runs.
        assert!(rows[2].found.starts_with("0.03 %: 150 ns a run; 100.00 %"), "{}", rows[2].found);
        let slow = [900.0, 905.0].map(|rate| Pair::of(run(1000.0), run(rate), &profile).unwrap());
        assert_eq!(findings(NAMES[0], "x", &slow)[0].met, Some(false));
        assert_eq!(findings(NAMES[1], "x", &slow)[0].met, None);
        let counters = serde_json::json!({"notes": ["run it as root"]});
        assert!(Pair::of(run(1.0), run(1.0), &counters).unwrap_err().contains("run it as root"));
    }
}
