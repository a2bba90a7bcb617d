//! The best point that `fathom assess` finds, held against all points of a grid on the same simulated device.

use serde_json::Value;

use super::Bench;
use super::json_queries;
use super::section::Section;
use crate::draw::Draw;

/// What the point that was found may lack of the grid's best.
const LACKS: f64 = 0.03;

/// A device; one in four has a lock that jobs contend for.
fn target(seed: u64, number: usize) -> String {
    let mut draw = Draw::new(seed, 8000 + number as u64);
    let servers = draw.pick(&[1u64, 4, 8, 16, 32, 64, 128]);
    let read_us = draw.round(50.0, 4000.0);
    let shape = draw.pick(&["constant", "exponential", "lognormal:0.4", "gamma:4"]);
    let base_us = draw.below(200);
    let mut text = format!(
        "sim:ideal,servers={servers},read={read_us}us,read-shape={shape},base={base_us}us,noise=none"
    );
    if number % 4 == 3 {
        text += &format!(",lock={}us,lock-handover={}us", draw.round(2.0, 100.0), draw.round(1.0, 30.0));
    } else if draw.chance(0.4) {
        let rate = servers as f64 * 1e6 / read_us as f64;
        text += &format!(",iops={}", (rate * draw.between(0.2, 0.9)).ceil());
    } else if draw.chance(0.3) {
        text += &format!(",tags={}", draw.pick(&[1, 2, 8, 32, 128]));
    }
    text
}

/// The highest rate of a sweep's points, with its jobs and depth.
fn best(sweep: &Value) -> Option<(f64, String)> {
    let results = sweep["cells"].as_array()?.iter().map(|cell| &cell["result"]);
    results.filter_map(rate).max_by(|a, b| a.0.total_cmp(&b.0))
}

fn rate(cell: &Value) -> Option<(f64, String)> {
    Some((
        cell["operations_per_s"].as_f64()?,
        format!("{} x {}", cell["jobs"].as_u64()?, cell["depth"].as_u64()?),
    ))
}

/// The highest rate of the points that an assessment publishes.
fn found(assessment: &Value) -> Option<(f64, String)> {
    let pattern = assessment["patterns"].get(0)?;
    let points = pattern["operating_points"].as_array()?.iter();
    let cells = points.filter_map(|point| rate(pattern["cells"].get(point["cell"].as_u64()? as usize)?));
    cells.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Searches every device and visits its grid.
///
/// # Errors
/// None of its own; what fathom does not answer is a difference.
pub fn run(bench: &Bench) -> Result<Section, String> {
    let mut section = Section::new(format!("the search against a full grid, seed {}", bench.options.seed));
    let mut locks = (0, 0);
    let mut others = (0, 0);
    for number in 0..bench.options.devices {
        let name = format!("search-{number:03}");
        if bench.stop.is_asked() || !name.contains(&bench.options.only) {
            continue;
        }
        let target = target(bench.options.seed, number);
        let tally = if target.contains("lock=") { &mut locks } else { &mut others };
        tally.1 += 1;
        match one(bench, &target, number) {
            Ok(()) => {
                section.equal += 1;
                tally.0 += 1;
            }
            Err(how) => section.unexplained.push(format!("{name}: {how}")),
        }
    }
    section.figures.push(format!(
        "within {:.0} % of the grid's best: {} of {} without a lock, {} of {} with one",
        LACKS * 100.0,
        others.0,
        others.1,
        locks.0,
        locks.1
    ));
    Ok(section)
}

fn one(bench: &Bench, target: &str, number: usize) -> Result<(), String> {
    let seed = number.to_string();
    let assess =
        ["assess", target, "--patterns", "randread-4k", "--budget", "5m", "--seed", &seed].map(str::to_owned);
    let grid =
        ["sweep", "--over", "jobs=1..16", "--over", "depth=1..256", "--passes", "1", "--target", target]
            .into_iter()
            .chain(["--rw", "randread", "--bs", "4k", "--time", "4s", "--warmup", "4s", "--seed", &seed])
            .map(str::to_owned)
            .collect::<Vec<_>>();
    let ask = |words: &[String]| json_queries::json(&bench.fathom, &bench.folder, words);
    let (searched, swept) = (ask(&assess)?, ask(&grid)?);
    let (reached, at) = found(&searched).ok_or("the assessment has no point")?;
    let (most, there) = best(&swept).ok_or("the sweep has no point")?;
    if reached >= most * (1.0 - LACKS) {
        return Ok(());
    }
    Err(format!(
        "{reached:.0} IOPS at {at}, {:.0} % of {most:.0} at {there}\n  `{}`\n  `{}`",
        100.0 * reached / most,
        json_queries::typed(&assess),
        json_queries::typed(&grid)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_best_of_both_is_found() {
        let cell = |jobs: u64, depth: u64, rate: f64| json!({"jobs": jobs, "depth": depth, "operations_per_s": rate});
        let sweep =
            json!({"cells": [{"result": cell(1, 1, 5.0)}, {"result": cell(1, 2, 9.0)}, {"result": null}]});
        assert_eq!(best(&sweep), Some((9.0, "1 x 2".to_owned())));
        let assessment = json!({"patterns": [{
            "cells": [cell(1, 1, 5.0), cell(2, 4, 8.0), cell(4, 4, 9.5)],
            "operating_points": [{"kind": "balanced", "cell": 0}, {"kind": "peak", "cell": 1}],
        }]});
        assert_eq!(found(&assessment), Some((8.0, "2 x 4".to_owned())), "the third is not published");
        assert_eq!((best(&json!({})), found(&json!({}))), (None, None));
    }

    #[test]
    fn a_quarter_of_the_devices_has_a_lock() {
        let locks = (0..40).filter(|number| target(1, *number).contains("lock=")).count();
        assert_eq!(locks, 10);
    }
}
