//! Devices that stand still for a while again and again: does the interval that `fathom assess` states hold the rate
//! that such a device has in the long run? And is the error still reached on the same devices where they never stall?

use serde_json::Value;

use super::Bench;
use super::json_queries;
use super::section::Section;
use crate::draw::Draw;

/// Intervals are of 95 %; fewer than this many that hold are too few.
const COVERED: f64 = 0.9;
/// The error that is asked for.
const TARGET: f64 = 0.02;
/// Of devices that never stall at most so many may be said to be unknown.
const UNKNOWN: f64 = 0.03;

/// Which devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Stalls,
    /// The same without their stalls.
    Healthy,
}

/// A device whose every I/O takes as long, and which stands still for a part of each period.
struct Device {
    name: String,
    servers: u64,
    read_us: u64,
    every_s: u64,
    length_s: u64,
    phase_s: u64,
    noisy: bool,
}

impl Device {
    fn draw(seed: u64, number: usize, health: Health) -> Self {
        let mut device = Self::stalling(seed, number);
        if health == Health::Healthy {
            (device.name, device.length_s) = (format!("healthy-{number:03}"), 0);
        }
        device
    }

    fn stalling(seed: u64, number: usize) -> Self {
        let mut draw = Draw::new(seed, 7000 + number as u64);
        let every_s = draw.round(20.0, 1200.0);
        Self {
            name: format!("stalls-{number:03}"),
            servers: draw.pick(&[1, 2, 4, 8, 16]),
            read_us: draw.round(500.0, 8000.0),
            every_s,
            length_s: ((every_s as f64 * draw.between(0.05, 0.4)) as u64).max(1),
            phase_s: draw.below(every_s as usize) as u64,
            noisy: draw.chance(0.5),
        }
    }

    fn target(&self) -> String {
        let Self { servers, read_us, every_s, length_s, phase_s, .. } = self;
        let noise = if self.noisy { "noise=1%,noise-time=5s" } else { "noise=none" };
        let stalls = match length_s {
            0 => String::new(),
            _ => format!(",stall-every={every_s}s,stall-length={length_s}s,stall-phase={phase_s}s"),
        };
        format!("sim:ideal,servers={servers},base=0us,read={read_us}us,read-shape=constant,{noise}{stalls}")
    }

    /// I/Os a second in the long run, with so many in flight: none while it stands still.
    fn rate(&self, in_flight: u64) -> f64 {
        let moving = 1.0 - self.length_s as f64 / self.every_s as f64;
        self.servers.min(in_flight) as f64 * 1e6 / self.read_us as f64 * moving
    }
}

/// What an assessment says of its point that was repeated.
#[derive(Debug, PartialEq, Eq)]
enum AssessmentClaim {
    /// The interval holds the truth.
    Covers,
    /// It does not, and the error that was asked for is said to be reached.
    Misses(String),
    /// The error that was asked for is not said to be reached.
    DoesNotKnow,
}

fn said(device: &Device, answer: &Value) -> Option<AssessmentClaim> {
    // The point with most I/Os a second is the one that is published.
    let points = answer["points"].as_array()?.iter();
    let point = points.max_by(|a, b| {
        let mean = |point: &Value| point["precision"]["mean"].as_f64().unwrap_or(0.0);
        mean(a).total_cmp(&mean(b))
    })?;
    let truth = device.rate(point["jobs"].as_u64()? * point["depth"].as_u64()?);
    let precision = &point["precision"];
    if precision["decision"]["kind"] == "unusable" {
        // Windows without any I/O have no common mean.
        return Some(AssessmentClaim::DoesNotKnow);
    }
    let (mean, half) = (precision["mean"].as_f64()?, precision["half_width"].as_f64());
    // A device that takes equally long for each I/O has an interval of no width, and an I/O is counted whole: where
    // nothing stalls, being as near as was asked for is enough.
    let least = if device.length_s == 0 { TARGET * truth } else { 0.0 };
    if half.is_some_and(|half| (mean - truth).abs() <= half.max(least)) {
        return Some(AssessmentClaim::Covers);
    }
    if precision["decision"]["kind"] != "reached" {
        return Some(AssessmentClaim::DoesNotKnow);
    }
    Some(AssessmentClaim::Misses(format!(
        "{mean:.0} ± {:.1} IOPS, {} ({}), where {truth:.0} last",
        half.unwrap_or(0.0),
        precision["decision"]["kind"].as_str().unwrap_or("?"),
        point["steadiness"]["verdict"].as_str().unwrap_or("?")
    )))
}

/// Assesses every device.
///
/// # Errors
/// None of its own; what fathom does not answer is a difference.
pub fn run(bench: &Bench, health: Health) -> Result<Section, String> {
    let word = match health {
        Health::Stalls => "that stall",
        Health::Healthy => "that never stall",
    };
    let mut section = Section::new(format!("intervals on devices {word}, seed {}", bench.options.seed));
    let (mut covers, mut knows_not, mut missed) = (0, 0, Vec::new());
    for number in 0..bench.options.devices {
        let device = Device::draw(bench.options.seed, number, health);
        if bench.stop.is_asked() || !device.name.contains(&bench.options.only) {
            continue;
        }
        let (words, answer) = assess(bench, &device, number);
        let said = |how: &str| format!("{}: {how}\n  `{}`", device.name, json_queries::typed(&words));
        match answer {
            Ok(AssessmentClaim::Covers) => covers += 1,
            Ok(AssessmentClaim::DoesNotKnow) if health == Health::Healthy => {
                knows_not += 1;
                section.figures.push(format!("* unknown: {}", said("the error is not reached")));
            }
            Ok(AssessmentClaim::DoesNotKnow) => knows_not += 1,
            Ok(AssessmentClaim::Misses(how)) | Err(how) => missed.push(said(&how)),
        }
    }
    let all = covers + knows_not + missed.len();
    section.figures.push(format!(
        "of {all}: {covers} intervals hold the long-run rate, {knows_not} say that the error is not reached, {} miss it; \
         {:.0} % are to hold it or say so{}",
        missed.len(),
        COVERED * 100.0,
        if health == Health::Healthy { ", and at most 3 % to say so" } else { "" }
    ));
    section.equal = covers;
    if knows_not > 0 {
        section.explained.insert("the result says that the error is not reached", knows_not);
    }
    let enough = (all - missed.len()) as f64 >= COVERED * all as f64;
    if enough && !missed.is_empty() {
        section.explained.insert("an interval of 95 % misses now and then", missed.len());
        section.figures.extend(missed.into_iter().map(|missed| format!("* missed: {missed}")));
    } else {
        section.unexplained = missed;
    }
    if health == Health::Healthy && knows_not as f64 > UNKNOWN * all as f64 {
        section.unexplained.push(format!("{knows_not} of {all} healthy devices are said to be unknown"));
    }
    Ok(section)
}

/// Assesses one device; with what was typed.
fn assess(bench: &Bench, device: &Device, number: usize) -> (Vec<String>, Result<AssessmentClaim, String>) {
    let (target, seed) = (device.target(), number.to_string());
    let words =
        ["assess", &target, "--patterns", "randread-4k", "--until", "2%", "--budget", "30m", "--seed", &seed];
    let words = words.map(str::to_owned).to_vec();
    let answer = json_queries::json(&bench.fathom, &bench.folder, &words)
        .and_then(|answer| said(device, &answer).ok_or_else(|| "no point was repeated".to_owned()));
    (words, answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_interval_holds_the_truth_or_says_that_it_is_not_reached() {
        let device = Device {
            name: "d".to_owned(),
            servers: 8,
            read_us: 8000,
            every_s: 180,
            length_s: 45,
            phase_s: 146,
            noisy: false,
        };
        assert_eq!((device.rate(64), device.rate(2)), (750.0, 187.5));
        let answer = |mean: f64, half: f64, kind: &str| {
            json!({"points": [{"jobs": 4, "depth": 4, "steadiness": {"verdict": "steady"},
                "precision": {"mean": mean, "half_width": half, "decision": {"kind": kind}}}]})
        };
        assert_eq!(said(&device, &answer(760.0, 20.0, "reached")), Some(AssessmentClaim::Covers));
        assert_eq!(said(&device, &answer(1001.0, 4.0, "budget")), Some(AssessmentClaim::DoesNotKnow));
        assert!(
            matches!(said(&device, &answer(1001.0, 4.0, "reached")), Some(AssessmentClaim::Misses(how)) if how.contains("750 last"))
        );
        let nothing = json!({"points": [{"jobs": 4, "depth": 4,
            "precision": {"mean": null, "half_width": null, "decision": {"kind": "unusable", "reason": "no I/O"}}}]});
        assert_eq!(said(&device, &nothing), Some(AssessmentClaim::DoesNotKnow));
        assert_eq!(said(&device, &json!({"points": []})), None);
    }

    #[test]
    fn devices_stand_still_for_less_than_their_period() {
        for number in 0..100 {
            let device = Device::draw(1, number, Health::Stalls);
            assert!(
                device.length_s < device.every_s && device.phase_s < device.every_s,
                "{}",
                device.target()
            );
            let healthy = Device::draw(1, number, Health::Healthy);
            assert!(!healthy.target().contains("stall") && healthy.rate(1) > device.rate(1));
        }
    }
}
