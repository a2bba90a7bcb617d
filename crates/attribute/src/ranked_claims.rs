//! From what was seen to the verdict: claims with probability and evidence, and the next experiment.

use fathom_order::InOrder;
use fathom_record::Verdict;
use fathom_record::verdict::{Claim, Confidence, Evidence, Experiment, Limit};

use crate::curve_shape::CurveShape;
use crate::evidence::{Feature, Table, table, table_for_experiments};
use crate::experiment_choice::ChosenExperiment;
use crate::experiments::{self, AnswerDoubt, ExperimentTrial};
use crate::input::MeasuredPattern;
use crate::limit_conflicts;
use crate::posterior::{CauseWeight, FeatureFigure, ln_density, weigh};
use crate::printed;
use crate::rate_bounds::{Bound, Kind, THROTTLE, bounds};
use crate::restraint::{self, ConfidencePenalty};
use crate::symptoms::{self, Symptom};
use crate::thresholds::{LIKELY, LONE, NAMED, POSSIBLE, STRONG};

/// A claim is listed from this probability on.
const LISTED: f64 = 0.02;
/// Most claims that are listed.
const MOST_CLAIMS: usize = 6;
/// Most pieces of evidence of a claim.
const MOST_EVIDENCE: usize = 8;
/// Difference of log density, in nats, from which on a figure speaks for or against a cause.
const SPEAKS: f64 = 0.4;

/// Causes that enforce a rate.
const ENFORCED: [Limit; 5] =
    [Limit::VolumeIops, Limit::VolumeThroughput, Limit::InstanceCap, Limit::BurstCredits, Limit::Link];
/// A volume's own.
const VOLUMES: [Limit; 2] = [Limit::VolumeIops, Limit::VolumeThroughput];
/// From this probability of one of them on, it is said whose rate it is.
const TELLS: f64 = 0.8;
/// The same where a limit of its kind is known and was reached.
const TELLS_KNOWN: f64 = 0.5;
/// From this probability of all of them on, that a rate is enforced is said even where it is not known whose.
const MOSTLY_ENFORCED: f64 = 0.87;
/// The same where other blocks were tried, and whose it is remains open.
const ENFORCED_BY_BLOCKS: f64 = 0.6;

/// Most that is said of a fixed rate that nobody declared: a device of so many servers, a lock or a cache that drains
/// evenly is as flat and as sharp.
const UNDECLARED: f64 = 0.75;

/// What was concluded, and the experiment that would decide more, ready to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// For the record.
    pub verdict: Verdict,
    /// Every cause with its probability, most probable first.
    pub weighed: Vec<CauseWeight>,
    /// What the probabilities rest on.
    pub seen: Vec<Symptom>,
    /// The next experiment; `None` where none would tell more.
    pub next: Option<(ChosenExperiment, ExperimentTrial)>,
}

/// The words of a verdict that do not depend on the cause.
pub struct VerdictWording {
    /// What was measured, e.g. "4 KiB random read".
    pub title: String,
    /// Rate, for statements.
    pub rate: String,
    /// Throughput, for statements.
    pub throughput: String,
    /// I/Os in flight, for statements.
    pub in_flight: String,
    /// What more of them would give, as the end of a statement.
    pub deeper: &'static str,
    /// What the claims cover.
    pub scope: String,
}

/// Says what limits a pattern at the cell in question.
///
/// Claims are ordered by probability. Unless one is clearly the best, the first claim is that the limit is
/// unknown, and what is possible follows it. Figures that are not numbers are treated as not measured.
pub fn attribute(pattern: &MeasuredPattern<'_>) -> Conclusion {
    // What was fitted was fitted to cases with experiments; what a finished result shows alone is left to the other.
    let is_asked = pattern.answers.iter().any(|answer| answer.experiment != Feature::Repeat);
    let table = if is_asked { table_for_experiments() } else { table() };
    let Some(shape) = CurveShape::of(pattern) else { return nothing_measured(pattern) };
    let bounds = bounds(pattern, &shape);
    let seen = symptoms::seen(pattern, &shape, &bounds);
    let mut restraints = restraint::of(pattern, &shape);
    restraints.extend(limit_conflicts::of(pattern, &shape, &bounds));
    restraints.extend(undeclared(&seen, &bounds));
    restraints.extend(of_writes_alone(&seen));
    restraints.extend(after_a_rest(&seen));
    restraints.extend(nothing_waits(&shape, &seen));
    let figures: Vec<FeatureFigure> = seen.iter().map(|seen| seen.figure).collect();
    let weighed = weigh(table, &figures, &symptoms::met(pattern, &shape, &bounds));
    let weighed = restraint::restrained(weighed, &restraints);
    let is_open =
        weighed.first().is_none_or(|best| best.limit == Limit::Unknown || best.probability < STRONG);
    let doubts: Vec<AnswerDoubt> = doubts(&weighed, &seen, &bounds);
    let insisted: Vec<AnswerDoubt> =
        doubts.iter().copied().filter(|doubt| is_open || doubt.insists()).collect();
    let next = experiments::next(table, pattern, &shape, &weighed, &insisted, is_open);
    let described = next
        .as_ref()
        .map(|(chosen, trial)| experiments::described(table, pattern, &shape, &weighed, chosen, trial));
    let subject = subject(pattern, &shape);
    let verdict = conclude(table, &subject, &seen, &weighed, &bounds, &restraints, described);
    Conclusion { verdict, weighed, seen, next }
}

/// What only software shows. That its seconds are even or its latency long, anything that is full shows as well.
const OF_SOFTWARE: [Feature; 9] = [
    Feature::DoubleJobs,
    Feature::ManyJobs,
    Feature::LockShare,
    Feature::SoftwareLatency,
    Feature::SoftwareCost,
    Feature::OtherSoftware,
    Feature::OtherFile,
    Feature::RawDevice,
    Feature::OtherSetting,
];
/// What other blocks are no law of.
const LAWLESS: [Limit; 4] =
    [Limit::DeviceParallelism, Limit::QueueTags, Limit::Software, Limit::Interference];

/// Every reason to doubt the leading cause, the first to be settled first.
fn doubts(weighed: &[CauseWeight], seen: &[Symptom], bounds: &[Bound]) -> Vec<AnswerDoubt> {
    let is_seen = |features: &[Feature]| seen.iter().any(|seen| features.contains(&seen.figure.feature));
    let is_slower =
        seen.iter().any(|seen| seen.figure.feature == Feature::ManyJobs && seen.figure.value < 0.0);
    let best = weighed.first().map(|best| best.limit);
    let leads = |limits: &[Limit]| best.is_some_and(|best| limits.contains(&best));
    let is_guess = sum(weighed, &ENFORCED) >= ENFORCED_BY_BLOCKS
        && !ENFORCED.iter().any(|limit| is_at_known(*limit, bounds));
    [
        (leads(&VOLUMES) && best.is_some_and(|best| is_met(bounds, best)), AnswerDoubt::Credits),
        (leads(&[Limit::Software]) && !is_seen(&OF_SOFTWARE), AnswerDoubt::Lock),
        (leads(&[Limit::Software]) && !is_seen(&[Feature::DoubleJobs]) && is_slower, AnswerDoubt::LastJobs),
        (
            leads(&[Limit::Concurrency]) && !is_seen(&[Feature::DoubleDepth, Feature::Climb]),
            AnswerDoubt::Depth,
        ),
        (leads(&LAWLESS), AnswerDoubt::OneSize),
        (is_guess, AnswerDoubt::Guess),
    ]
    .into_iter()
    .filter_map(|(is_so, doubt)| is_so.then_some(doubt))
    .collect()
}

/// Writes a verdict from weighed causes.
pub fn conclude(
    table: &Table,
    subject: &VerdictWording,
    seen: &[Symptom],
    weighed: &[CauseWeight],
    bounds: &[Bound],
    restraints: &[ConfidencePenalty],
    next_experiment: Option<Experiment>,
) -> Verdict {
    let together = binding_together(weighed, bounds);
    let mut claims: Vec<Claim> = weighed
        .iter()
        .filter(|w| w.limit != Limit::Unknown && (w.probability >= LISTED || is_met(bounds, w.limit)))
        .take(MOST_CLAIMS)
        .map(|w| {
            // Where two limits bind at once, either is right as often as one of them is.
            let probability =
                if together.contains(&w.limit) { sum(weighed, &together) } else { w.probability };
            let mut evidence = evidence(table, seen, weighed, w.limit);
            for other in together.iter().filter(|limit| **limit != w.limit && together.contains(&w.limit)) {
                let text = format!("At the same time {} was reached: both limit the rate.", other.in_words());
                evidence.push(Evidence { supports: true, text });
            }
            evidence
                .extend(restraints.iter().filter(|r| r.applies(w.limit)).map(ConfidencePenalty::evidence));
            Claim {
                limit: w.limit,
                statement: statement(table, subject, w.limit, bounds),
                confidence: confidence(probability),
                probability: Some(probability),
                evidence,
                scope: subject.scope.clone(),
            }
        })
        .collect();
    claims.put_in_order_by(|a, b| b.probability.unwrap_or(0.0).total_cmp(&a.probability.unwrap_or(0.0)));
    let best = claims.first().and_then(|claim| claim.probability).unwrap_or(0.0);
    let unknown = weighed.iter().find(|w| w.limit == Limit::Unknown).map_or(1.0, |w| w.probability);
    let most = restraints.iter().filter(|r| r.applies(Limit::RateCap)).map(|r| r.most).fold(1.0, f64::min);
    let is_any_known = ENFORCED.iter().any(|limit| is_at_known(*limit, bounds));
    let enforced = sum(weighed, &ENFORCED).min(most);
    let said = if is_any_known { enforced } else { enforced.min(UNDECLARED) };
    let is_enforced = claims.first().is_some_and(|claim| ENFORCED.contains(&claim.limit));
    // A rate at a known limit is that limit's; without one it takes experiments to say whose it is.
    let is_known = claims.first().is_some_and(|claim| is_at_known(claim.limit, bounds));
    let has_blocks =
        seen.iter().any(|seen| [Feature::HalfBlock, Feature::DoubleBlock].contains(&seen.figure.feature));
    let mostly = if has_blocks { ENFORCED_BY_BLOCKS } else { MOSTLY_ENFORCED };
    let tells = if is_known { TELLS_KNOWN } else { TELLS };
    if is_enforced && best < tells && enforced >= mostly.max(best + 0.1) {
        claims.insert(0, fixed_rate(subject, seen, weighed, said));
    } else if best < NAMED || unknown >= best {
        claims.insert(0, undecided(subject, seen, bounds, restraints, unknown, claims.len()));
    }
    let ceilings = bounds.iter().map(|bound| bound.ceiling.clone()).collect();
    Verdict { claims, ceilings, next_experiment }
}

/// Limits of a rate that nobody declared and no counter told of are no surer than that there is one at all.
fn undeclared(seen: &[Symptom], bounds: &[Bound]) -> Option<ConfidencePenalty> {
    const COUNTERS: [Feature; 3] =
        [Feature::VolumeIopsExceeded, Feature::VolumeThroughputExceeded, Feature::InstanceExceeded];
    let is_counted =
        seen.iter().any(|seen| COUNTERS.contains(&seen.figure.feature) && seen.figure.value > 0.2);
    // Credits that ran out show a drop, which flatness alone does not.
    let limits =
        ENFORCED.iter().filter(|limit| **limit != Limit::BurstCredits && !is_at_known(**limit, bounds));
    let touched: Vec<Limit> = limits.copied().collect();
    let text = "No such limit was declared: a full device, a lock or a cache that drains evenly is as flat.";
    (!is_counted && !touched.is_empty()).then(|| ConfidencePenalty::new(UNDECLARED, text).touching(&touched))
}

/// Writes that are slower than reads and nothing else: a provider may limit them alone, as a full cache does.
fn of_writes_alone(seen: &[Symptom]) -> Option<ConfidencePenalty> {
    /// From this logarithm of a ratio on it is another rate.
    const OTHER: f64 = 0.15;
    let value =
        |feature: Feature| seen.iter().find(|s| s.figure.feature == feature).map_or(0.0, |s| s.figure.value);
    let fell = value(Feature::Drop) < -OTHER || value(Feature::Repeat) < -OTHER;
    let text =
        "Reads are faster, and nothing was seen to fill up: whoever limits writes alone does the same.";
    (value(Feature::Reads) > OTHER && !fell)
        .then(|| ConfidencePenalty::new(UNDECLARED, text).touching(&[Limit::WriteCliff]))
}

/// Most that is said of a cause which a law speaks against.
const AGAINST_A_LAW: f64 = 0.1;

/// A rate that a rest brought more than: a limit without credits never gives more.
fn after_a_rest(seen: &[Symptom]) -> Option<ConfidencePenalty> {
    /// From this logarithm of a ratio on it is more.
    const MORE: f64 = 0.04;
    let rested = seen.iter().find(|seen| seen.figure.feature == Feature::Idle)?.figure;
    let is_more = rested.at_least.is_none() && rested.value - 2.0 * rested.error > MORE;
    let text = "After a rest it did more: a limit without credits gives none for it.";
    let limits =
        [Limit::VolumeIops, Limit::VolumeThroughput, Limit::Link, Limit::InstanceCap, Limit::QueueTags];
    is_more.then(|| ConfidencePenalty::new(AGAINST_A_LAW, text).touching(&limits).giving(Limit::BurstCredits))
}

/// As long for an I/O as for a lone one, or a lone one that more in flight gave more beside: nothing is full, wherever it is.
fn nothing_waits(shape: &CurveShape<'_>, seen: &[Symptom]) -> Option<ConfidencePenalty> {
    /// From this logarithm of a latency's factor on something waits.
    const WAITS: f64 = 0.02;
    /// From this logarithm of a ratio on more in flight gives more.
    const MORE: f64 = 0.1;
    const FULL: [Limit; 7] = [
        Limit::DeviceParallelism,
        Limit::QueueTags,
        Limit::Software,
        Limit::VolumeIops,
        Limit::VolumeThroughput,
        Limit::InstanceCap,
        Limit::Link,
    ];
    let of =
        |feature: Feature| seen.iter().find(|seen| seen.figure.feature == feature).map(|seen| seen.figure);
    let is_as_alone =
        of(Feature::Waiting).is_some_and(|waiting| waiting.value.abs() <= WAITS && waiting.error <= WAITS);
    let is_lone =
        shape.focus.in_flight < LONE && of(Feature::DoubleDepth).is_some_and(|more| more.value > MORE);
    let text = "An I/O takes as long as a lone one, so that nothing is full.";
    (is_as_alone || is_lone)
        .then(|| ConfidencePenalty::new(AGAINST_A_LAW, text).touching(&FULL).giving(Limit::Concurrency))
}

/// That somebody enforces a rate, where it is not known who.
fn fixed_rate(
    subject: &VerdictWording,
    seen: &[Symptom],
    weighed: &[CauseWeight],
    probability: f64,
) -> Claim {
    let candidates: Vec<String> = weighed
        .iter()
        .filter(|w| ENFORCED.contains(&w.limit) && w.probability >= LISTED)
        .map(|w| format!("{} {}", w.limit.in_words(), printed::percent(w.probability)))
        .collect();
    let text = format!("Whose it is, is not decided: {}.", candidates.join(", "));
    Claim {
        limit: Limit::RateCap,
        statement: match seen.iter().any(|seen| seen.figure.feature == Feature::DoubleDepth) {
            true => format!("A fixed rate is enforced: {} and no more, whatever is in flight.", subject.rate),
            false => format!("A fixed rate seems to be enforced: {}.", subject.rate),
        },
        confidence: confidence(probability),
        probability: Some(probability),
        evidence: vec![Evidence { supports: true, text }],
        scope: subject.scope.clone(),
    }
}

/// The words for a probability.
fn confidence(probability: f64) -> Confidence {
    match probability {
        p if p >= STRONG => Confidence::Strong,
        p if p >= LIKELY => Confidence::Likely,
        p if p >= POSSIBLE => Confidence::Possible,
        _ => Confidence::None,
    }
}

fn sum(weighed: &[CauseWeight], limits: &[Limit]) -> f64 {
    weighed.iter().filter(|w| limits.contains(&w.limit)).map(|w| w.probability).sum::<f64>().min(1.0)
}

/// Whether a bound that was known before was reached or passed: it is spoken of, however improbable it is.
fn is_met(bounds: &[Bound], limit: Limit) -> bool {
    let is_known = |bound: &Bound| matches!(bound.kind, Kind::Known { .. });
    bounds.iter().any(|b| b.ceiling.limit == limit && is_known(b) && b.nearness().is_reached())
}

/// Limits whose known bounds are both reached, and that are the most probable ones.
fn binding_together(weighed: &[CauseWeight], bounds: &[Bound]) -> Vec<Limit> {
    let named = weighed.iter().filter(|w| w.probability >= 0.15 && w.limit != Limit::Unknown).take(2);
    let both: Vec<Limit> = named.map(|w| w.limit).filter(|limit| is_at_known(*limit, bounds)).collect();
    if both.len() == 2 { both } else { Vec::new() }
}

/// Whether a known bound of this kind was reached.
fn is_at_known(limit: Limit, bounds: &[Bound]) -> bool {
    bounds.iter().any(|b| b.ceiling.limit == limit && b.binds() && matches!(b.kind, Kind::Known { .. }))
}

fn statement(table: &Table, subject: &VerdictWording, limit: Limit, bounds: &[Bound]) -> String {
    let throttle = bounds
        .iter()
        .find(|b| b.ceiling.limit == limit && b.binds() && b.ceiling.source.starts_with(THROTTLE));
    if let Some(throttle) = throttle {
        return format!(
            "Limited by the throttle in front of the target ({}): {} was reached. This is not a limit of the target.",
            subject.rate, throttle.ceiling.name
        );
    }
    let template = table.cause(limit).map_or("", |cause| cause.statement.as_str());
    template
        .replace("{rate}", &subject.rate)
        .replace("{throughput}", &subject.throughput)
        .replace("{in_flight}", &subject.in_flight)
        .replace("{deeper}", subject.deeper)
}

/// The figures that tell a cause from the others, strongest first.
fn evidence(table: &Table, seen: &[Symptom], weighed: &[CauseWeight], limit: Limit) -> Vec<Evidence> {
    let mut found: Vec<(f64, &Symptom)> =
        seen.iter().map(|seen| (weight_of(table, &seen.figure, weighed, limit), seen)).collect();
    found.retain(|(weight, _)| weight.abs() >= SPEAKS);
    found.put_in_order_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let evidence =
        |(weight, seen): (f64, &Symptom)| Evidence { supports: weight > 0.0, text: seen.text.clone() };
    found.into_iter().take(MOST_EVIDENCE).map(evidence).collect()
}

/// Log density under a cause less that under all others together, as probable as they are without it.
fn weight_of(table: &Table, figure: &FeatureFigure, weighed: &[CauseWeight], limit: Limit) -> f64 {
    let floor = 0.2 / weighed.len().max(1) as f64;
    let others: Vec<(f64, f64)> = weighed
        .iter()
        .filter(|w| w.limit != limit)
        .map(|w| (w.probability + floor, ln_density(table, w.limit, figure)))
        .collect();
    let total: f64 = others.iter().map(|(p, _)| p).sum();
    let mean: f64 = others.iter().map(|(p, ln)| p / total * ln.exp()).sum();
    ln_density(table, limit, figure) - mean.max(f64::MIN_POSITIVE).ln()
}

fn undecided(
    subject: &VerdictWording,
    seen: &[Symptom],
    bounds: &[Bound],
    restraints: &[ConfidencePenalty],
    probability: f64,
    candidates: usize,
) -> Claim {
    let mut evidence: Vec<Evidence> = Vec::new();
    let mut say = |supports: bool, text: String| evidence.push(Evidence { supports, text });
    let known = bounds.iter().filter(|b| matches!(b.kind, Kind::Known { .. }));
    match known.max_by(|a, b| a.ceiling.reached_share.total_cmp(&b.ceiling.reached_share)) {
        Some(bound) => say(
            !bound.binds(),
            format!(
                "Of \"{}\" {} was reached.",
                bound.ceiling.name,
                printed::percent(bound.ceiling.reached_share)
            ),
        ),
        None => say(true, "No limit of the storage is known: give what you know with --ceiling.".to_owned()),
    }
    for missing in restraint::missing(seen) {
        say(true, missing.to_owned());
    }
    // What holds for single causes says nothing of why none is named.
    evidence.extend(restraints.iter().filter(|r| r.touched.is_none()).map(ConfidencePenalty::evidence));
    let reason = match candidates {
        0 => "nothing that was measured points to a limit",
        1 => "one limit is possible, but not shown",
        _ => "several limits are possible, and what was measured does not distinguish them",
    };
    Claim {
        limit: Limit::Unknown,
        statement: format!("What limits {} at {} is not decided: {reason}.", subject.title, subject.rate),
        confidence: Confidence::None,
        probability: Some(probability),
        evidence,
        scope: subject.scope.clone(),
    }
}

fn nothing_measured(pattern: &MeasuredPattern<'_>) -> Conclusion {
    let has_rate = pattern.cells.iter().any(|cell| cell.operations_per_s > 0.0);
    let reason = match has_rate {
        true => "no run states a latency with its rate",
        false => "no run gave a usable rate",
    };
    let claim = Claim {
        limit: Limit::Unknown,
        statement: format!("What limits {} is not decided: {reason}.", pattern.title),
        confidence: Confidence::None,
        probability: Some(1.0),
        evidence: Vec::new(),
        scope: format!("{} on {}.", pattern.title, pattern.target.name),
    };
    let verdict = Verdict { claims: vec![claim], ceilings: Vec::new(), next_experiment: None };
    let weighed = vec![CauseWeight { limit: Limit::Unknown, probability: 1.0 }];
    Conclusion { verdict, weighed, seen: Vec::new(), next: None }
}

fn subject(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> VerdictWording {
    let bytes = crate::rate_bounds::mean_bytes(pattern, shape);
    VerdictWording {
        title: pattern.title.to_owned(),
        rate: printed::iops(shape.focus.x_per_s),
        throughput: Some(shape.focus.x_per_s * bytes)
            .filter(|rate| rate.is_finite())
            .map_or_else(|| "a throughput that is not known".to_owned(), printed::throughput),
        in_flight: printed::count(shape.focus.in_flight),
        deeper: deeper(pattern, shape),
        scope: scope(pattern, shape),
    }
}

/// What more I/Os in flight would give: as far as it was measured.
fn deeper(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> &'static str {
    let was_answered = pattern.answers.iter().any(|answer| answer.experiment == Feature::DoubleDepth);
    match shape.grows_above || was_answered {
        true => "more give more",
        false => "whether more give more was not measured",
    }
}

/// What the claims cover, and what they do not.
fn scope(pattern: &MeasuredPattern<'_>, shape: &CurveShape<'_>) -> String {
    let CurveShape { focus, telemetry, cell, .. } = shape;
    let runs = match cell.runs.len() {
        0 => "no recorded run".to_owned(),
        1 => "one run".to_owned(),
        runs => format!("{runs} runs"),
    };
    let mut text = format!(
        "{} on {} by the {} engine, {} x depth {}, {runs}",
        pattern.title,
        pattern.target.name,
        pattern.engine,
        if focus.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", focus.jobs) },
        focus.depth
    );
    if let Some(decorated) = &pattern.target.decorated {
        text += &format!(", behind {}: nothing is shown for the target alone", decorated.words());
    }
    if telemetry.seconds > 0.0 {
        let seconds = format!("{:.0} s", telemetry.seconds.max(1.0));
        text += &format!(
            ", {seconds} under load. Not covered: what takes longer than {seconds} to show, as burst credits \
             running out, caches filling or rare stalls"
        );
    }
    text + "."
}
