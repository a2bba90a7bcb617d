//! What takes confidence away, whatever the figures say: failed self-checks, too few runs, short runs, and
//! what stands before the target. It never adds any.

use fathom_order::InOrder;
use fathom_record::verdict::{Evidence, Limit};

use crate::curve_shape::{CurveShape, share};
use crate::evidence::Feature;
use crate::input::MeasuredPattern;
use crate::posterior::CauseWeight;
use crate::printed;
use crate::symptoms::Symptom;
use crate::thresholds::{CREEPS, LIKELY, MIN_SECONDS, MOSTLY_WRITTEN, STRONG};

/// Most that a probability may be once a self-check has failed.
const CHECK_FAILED: f64 = 0.5;
/// Most that a probability may be for what a decorator hides.
const DECORATED: f64 = 0.5;
/// Most that a probability may be where the rate still grew at the end of what was measured.
const STILL_GROWING: f64 = 0.5;
/// Busy share of threads without time to spare.
const FULL: f64 = 0.93;
/// Gain from twice the jobs that shows nothing.
const INDIFFERENT: f64 = 1.05;
/// Most that a busy thread's probability may be where more jobs bring nothing.
const JOBS_INDIFFERENT: f64 = 0.5;

/// Most that a probability may be for processors that other programs used too.
const SHARED_PROCESSORS: f64 = 0.5;
/// Most that a probability may be where two instruments give different rates for one run.
const CONTRADICTED: f64 = 0.45;
/// Rates of two instruments that agree.
const AGREE: std::ops::RangeInclusive<f64> = 0.8..=1.25;
/// Seconds below which a run that states nothing else of its seconds says little of what lasts.
const SHORT_S: f64 = 10.0;
/// Causes by which more would come of more in flight, of more asked for, of jobs that end together, or of more of what
/// carries the load.
const OF_TOO_LITTLE: [Limit; 5] =
    [Limit::Concurrency, Limit::RoundTrip, Limit::Demand, Limit::EndedEarly, Limit::Scales];
/// Causes that are the processors' own.
const OF_PROCESSORS: [Limit; 3] = [Limit::OneCore, Limit::AllCores, Limit::Generator];

/// A reason for less confidence.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfidencePenalty {
    /// Most that a claim's probability may be.
    pub most: f64,
    /// Who gets what is taken away.
    pub instead: Limit,
    /// The reason, as a sentence.
    pub text: String,
    /// The causes that it does not touch.
    pub spared: Vec<Limit>,
    /// The only causes that it touches; absent: all that are not spared.
    pub touched: Option<Vec<Limit>>,
}

impl ConfidencePenalty {
    /// Nothing above `most`, for this reason.
    pub fn new(most: f64, text: impl Into<String>) -> Self {
        Self { most, instead: Limit::Unknown, text: text.into(), spared: Vec::new(), touched: None }
    }

    /// The same for these causes alone.
    pub fn touching(self, touched: &[Limit]) -> Self {
        Self { touched: Some(touched.to_vec()), ..self }
    }

    /// What is taken away goes to this cause, where it is weighed.
    pub fn giving(self, instead: Limit) -> Self {
        Self { instead, ..self }
    }

    fn sparing(self, spared: &[Limit]) -> Self {
        Self { spared: spared.to_vec(), ..self }
    }

    /// Too few seconds.
    fn short(seconds: f64) -> Self {
        let text = format!("Only {seconds:.1} s were measured; 10 s or more say how even the rate is.");
        Self::new(LIKELY - 0.01, text)
    }

    /// A run that states its length and nothing of its seconds, where that is short.
    pub fn of_stated_seconds(seconds: f64) -> Option<Self> {
        let spared = [Limit::CacheArtefact, Limit::EndedEarly];
        (seconds < SHORT_S).then(|| Self::short(seconds).sparing(&spared))
    }

    /// Another instrument's rate of a run over the stated one, where they differ.
    pub fn of_another_instrument(ratio: f64) -> Option<Self> {
        let seen = if ratio < 1.0 { printed::percent(ratio) } else { printed::times(ratio) };
        let text = format!(
            "Another instrument saw {seen} of this rate in the same run: until it is known which is right, no cause is."
        );
        (!AGREE.contains(&ratio)).then(|| Self::new(CONTRADICTED, text))
    }

    /// More concurrency that still gave more, by what each doubling of it brought.
    pub fn of_growth(grew: &Symptom) -> Option<Self> {
        let is_growing = grew.figure.value > CREEPS * std::f64::consts::LN_2;
        let text = format!("The rate still grew with concurrency. {}", grew.text);
        is_growing.then(|| Self::new(STILL_GROWING, text).sparing(&OF_TOO_LITTLE))
    }

    /// Whether it touches a cause.
    pub fn applies(&self, limit: Limit) -> bool {
        let is_touched = self.touched.as_ref().is_none_or(|touched| touched.contains(&limit));
        limit != Limit::Unknown && is_touched && !self.spared.contains(&limit)
    }

    /// As evidence against a claim.
    pub fn evidence(&self) -> Evidence {
        Evidence { supports: false, text: self.text.clone() }
    }
}

/// Every reason that holds for a pattern.
pub fn of(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> Vec<ConfidencePenalty> {
    let mut found = Vec::new();
    for check in &shape.cell.failed_checks {
        found.push(ConfidencePenalty::new(CHECK_FAILED, format!("A self-check failed: {check}")));
    }
    let telemetry = &shape.telemetry;
    if telemetry.seconds > 0.0 && telemetry.seconds < MIN_SECONDS {
        found.push(ConfidencePenalty::short(telemetry.seconds));
    } else if shape.cell.runs.len() < 2 && pattern.answers.is_empty() && shape.points.len() < 3 {
        let text = "One run alone: a second one, or an experiment, would show whether it repeats.";
        found.push(ConfidencePenalty::new(STRONG - 0.01, text));
    }
    let is_answered = pattern.answers.iter().any(|answer| answer.experiment == Feature::DoubleDepth);
    let grew = shape.growth.filter(|growth| !shape.grows_above && !is_answered && *growth > CREEPS);
    if let Some(growth) = grew {
        let text = format!(
            "Up to the highest concurrency that was measured, doubling it still added {:.0} % of rate.",
            (growth * std::f64::consts::LN_2).exp_m1() * 100.0
        );
        found.push(ConfidencePenalty::new(STILL_GROWING, text).sparing(&OF_TOO_LITTLE));
    }
    found.extend(of_others(shape));
    // More jobs take work off a submitting thread, but not off a processor that serves interrupts.
    let is_full = telemetry.generator_busy_share.is_some_and(|share| share >= FULL);
    if is_full && shape.more_jobs_factor().is_some_and(|factor| factor <= INDIFFERENT) {
        let text = "The generator's threads were busy, but more jobs reach no higher rate.";
        found.push(
            ConfidencePenalty::new(JOBS_INDIFFERENT, text).touching(&[Limit::OneCore, Limit::Generator]),
        );
    }
    if let Some(delay) = pattern.target.decorated.as_ref().and_then(|decorated| decorated.delay.as_ref()) {
        let text = format!("The latency includes the delay {delay}, which was added on purpose.");
        found.push(ConfidencePenalty::new(DECORATED, text).sparing(&OF_TOO_LITTLE));
    }
    let reads = pattern.workload.mix.read_share > 0.0;
    let written = share(pattern.target.written_share).filter(|share| reads && *share < MOSTLY_WRITTEN);
    if let Some(written) = written {
        let text = format!(
            "Only {:.0} % of the span held data, so reads may not have reached the device.",
            written * 100.0
        );
        found.push(
            ConfidencePenalty::new(LIKELY - 0.01, text).sparing(&[Limit::CacheArtefact, Limit::Demand]),
        );
    }
    found
}

/// Other programs on the machine, and others on the target's device: what was measured is shared.
fn of_others(shape: &CurveShape<'_>) -> Vec<ConfidencePenalty> {
    let mut found = Vec::new();
    if let Some(used) = share(shape.cell.busy_with_others()) {
        let text = format!("Other programs used {} of the CPU.", printed::percent(used));
        let others = [OF_PROCESSORS.as_slice(), &[Limit::Interference]].concat();
        found.push(ConfidencePenalty::new(LIKELY - 0.01, text.clone()).sparing(&others));
        let shared = ConfidencePenalty::new(SHARED_PROCESSORS, text).touching(&OF_PROCESSORS);
        found.push(shared.giving(Limit::Interference));
    }
    if let Some(moved) = shape.cell.others_device_share.filter(|moved| moved.is_finite() && *moved > 0.0) {
        let text = format!(
            "Other programs transferred {} of these runs' bytes on the device.",
            printed::percent(moved)
        );
        found.push(ConfidencePenalty::new(LIKELY - 0.01, text).sparing(&[Limit::Interference]));
    }
    found
}

/// Lowers what is above what the restraints allow, and gives the rest to whom they name.
pub fn restrained(mut weighed: Vec<CauseWeight>, restraints: &[ConfidencePenalty]) -> Vec<CauseWeight> {
    let mut freed: Vec<(Limit, f64)> = Vec::new();
    for entry in weighed.iter_mut() {
        let applying = restraints.iter().filter(|restraint| restraint.applies(entry.limit));
        let Some(tightest) = applying.min_by(|a, b| a.most.total_cmp(&b.most)) else { continue };
        if entry.probability > tightest.most {
            freed.push((tightest.instead, entry.probability - tightest.most));
            entry.probability = tightest.most;
        }
    }
    for (instead, probability) in freed {
        let is_weighed = weighed.iter().any(|entry| entry.limit == instead);
        let limit = if is_weighed { instead } else { Limit::Unknown };
        if let Some(entry) = weighed.iter_mut().find(|entry| entry.limit == limit) {
            entry.probability += probability;
        }
    }
    weighed.put_in_order_by(|a, b| b.probability.total_cmp(&a.probability).then(a.limit.cmp(&b.limit)));
    weighed
}

/// What was not seen, and how to get it.
pub fn missing(seen: &[Symptom]) -> impl Iterator<Item = &'static str> {
    let is_seen = |feature: Feature| match feature {
        // At the top of a climb the growth stands for both.
        Feature::Waiting | Feature::DoubleDepth => {
            seen.iter().any(|seen| [feature, Feature::Climb].contains(&seen.figure.feature))
        }
        _ => seen.iter().any(|seen| seen.figure.feature == feature),
    };
    let processors = if is_seen(Feature::MeanCore) || is_seen(Feature::GeneratorBusy) {
        "How busy the busiest CPU core was is not known."
    } else {
        "The CPUs' load was not measured, or time was simulated."
    };
    let wanted = [
        (Feature::Waiting, "Latency at one job and depth 1 was not measured alongside."),
        (Feature::DoubleDepth, "No concurrency near it was measured to see whether the rate grows."),
        (Feature::BusiestCore, processors),
        (Feature::Unevenness, "Too few seconds were seen to say how even the rate is."),
    ];
    wanted.into_iter().filter(move |(feature, _)| !is_seen(*feature)).map(|(_, text)| text)
}
