//! The experiments that can be made on a pattern, as workloads, and how to read their answers.

mod distant_block_size;
mod experiment_workload;

use fathom_order::InOrder;
use fathom_record::CeilingScope;
use fathom_record::facts::TargetKind;
use fathom_record::verdict::{Experiment, Limit};
use fathom_record::workload::{Sizes, Workload};

use crate::curve_shape::CurveShape;
use crate::evidence::{EXPERIMENTS, Feature, Table};
use crate::experiment_choice::{ChosenExperiment, choose};
use crate::input::{ExperimentAnswer, MeasuredPattern};
use crate::posterior::{CauseWeight, FeatureFigure, after};
use crate::printed;
use crate::thresholds::{CREEPS, NAMED};

pub use distant_block_size::{BlockSizeLaw, far_ratio, law};
pub use experiment_workload::{
    ExperimentConditions, ExperimentTrial, TargetHandling, TrialPreparation, TrialTarget, many_times,
};

/// Causes below this probability are not mentioned in how an answer is to be read.
const LEAST_MENTIONED: f64 = 0.05;
/// Most causes that a reading mentions.
const MOST_MENTIONED: usize = 4;

/// What no enforced limit shows and what is as flat does: a lock slows down with more jobs, a full write cache and a
/// mapping unit are the writes' own, a service asks for the bytes where they are many, and in sequence a mapping unit costs
/// nothing.
const REFUTING: [Feature; 6] = [
    Feature::ManyJobs,
    Feature::DoubleJobs,
    Feature::Reads,
    Feature::Idle,
    Feature::FarBlock,
    Feature::Sequential,
];
/// A rest that takes no longer is worth it before everything else, in minutes.
const SHORT_REST: f64 = 2.0;

/// What could refute that a rate is enforced, once other blocks have said what it counts.
fn of_a_guess(pattern: &MeasuredPattern<'_>, feasible: &[Feature]) -> Option<Feature> {
    let is_size = |feature: Feature| [Feature::HalfBlock, Feature::DoubleBlock].contains(&feature);
    if let Some(other) = other_size(pattern).filter(|other| feasible.contains(other)) {
        return Some(other);
    }
    let was_sized = pattern.answers.iter().any(|answer| is_size(answer.experiment));
    let may_refute = was_sized || !feasible.iter().any(|feature| is_size(*feature));
    let is_asked = |feature: Feature| pattern.answers.iter().any(|answer| answer.experiment == feature);
    let has_volume_limit = pattern.known.iter().any(|known| known.scope == CeilingScope::Volume);
    let tells = |feature: &Feature| match feature {
        Feature::Sequential => pattern.workload.mix.write_share() > 0.0,
        // Of a volume with a limit that was declared, another one may be what remains without credits.
        Feature::Idle => has_volume_limit && pattern.means.rest_minutes <= SHORT_REST,
        // Many of them tell more.
        Feature::DoubleJobs => !is_asked(Feature::ManyJobs) && !feasible.contains(&Feature::ManyJobs),
        _ => true,
    };
    // Whether each of many jobs costs as much.
    let fell = pattern.answers.iter().any(is_slower_with_many);
    if fell && !is_asked(Feature::DoubleJobs) && feasible.contains(&Feature::DoubleJobs) {
        return Some(Feature::DoubleJobs);
    }
    // Where the depth cannot be divided, more jobs need a target that is known to be full.
    let of_jobs = [Feature::ManyJobs, Feature::DoubleJobs];
    let needs_depth = !of_jobs.into_iter().any(|feature| is_asked(feature) || feasible.contains(&feature));
    let deeper = [Feature::DoubleDepth].into_iter().filter(|_| needs_depth);
    let first = deeper.chain(REFUTING.into_iter().filter(tells));
    first.into_iter().find(|feature| may_refute && feasible.contains(feature))
}

/// Least logarithm of a ratio by which many jobs are slower.
const SLOWER: f64 = 0.03;

fn is_slower_with_many(answer: &ExperimentAnswer) -> bool {
    answer.experiment == Feature::ManyJobs && (answer.operations_per_s / answer.before_per_s).ln() < -SLOWER
}

/// What could refute an answer that is doubtful for these reasons, the first of what can be made.
fn refuting(pattern: &MeasuredPattern<'_>, feasible: &[Feature], doubts: &[AnswerDoubt]) -> Option<Feature> {
    let first_of = |features: &[Feature]| features.iter().copied().find(|feature| feasible.contains(feature));
    doubts.iter().find_map(|doubt| match doubt {
        AnswerDoubt::Guess => of_a_guess(pattern, feasible),
        AnswerDoubt::Credits => first_of(&[Feature::Idle]),
        AnswerDoubt::Lock => first_of(&[Feature::ManyJobs, Feature::DoubleJobs, Feature::DoubleDepth]),
        AnswerDoubt::LastJobs => first_of(&[Feature::DoubleJobs]),
        AnswerDoubt::Depth => first_of(&[Feature::DoubleDepth]),
        AnswerDoubt::OneSize => other_size(pattern).filter(|other| feasible.contains(other)),
    })
}

/// Least logarithm of a ratio by which a block of another size is neither counted alike nor as its bytes.
const OFF_A_LAW: f64 = 0.03;

/// The other size, where one of them went neither at the same rate of operations nor of bytes: at the corner of two limits
/// the other one does, and in a device whose service takes a time for itself and one for the bytes it does not.
fn other_size(pattern: &MeasuredPattern<'_>) -> Option<Feature> {
    let of = |feature: Feature| {
        let answer = pattern.answers.iter().find(|answer| answer.experiment == feature)?;
        Some((answer.operations_per_s / answer.before_per_s).ln().abs())
    };
    let is_between = |ln: f64| (OFF_A_LAW..std::f64::consts::LN_2 - OFF_A_LAW).contains(&ln);
    match (of(Feature::HalfBlock), of(Feature::DoubleBlock)) {
        (Some(half), None) if is_between(half) => Some(Feature::DoubleBlock),
        (None, Some(double)) if is_between(double) => Some(Feature::HalfBlock),
        _ => None,
    }
}

/// What makes an answer doubtful, however sure it seems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerDoubt {
    /// It is a volume's limit that was declared, and reached or passed: the same figure is what a volume sustains without
    /// credits.
    Credits,
    /// It is software, and nothing was seen that is its own: no other number of jobs, no lock.
    Lock,
    /// It is software, because many times the jobs were slower: the last of them may have filled what does not bind now.
    LastJobs,
    /// It is too few I/Os in flight, and more were not tried.
    Depth,
    /// It is a device, and one other block was tried, which went neither at the same operations nor at the same bytes: so it
    /// does beyond the corner of two limits.
    OneSize,
    /// It is a limit that nobody declared.
    Guess,
}

impl AnswerDoubt {
    /// Whether it is to be settled however probable the answer is.
    pub const fn insists(self) -> bool {
        !matches!(self, Self::Guess)
    }
}

/// The experiment that is expected to decide most for its time, ready to be made; `None` where none would. What could refute a
/// doubtful answer is asked first; of one that is sure, nothing else is.
pub fn next(
    table: &Table,
    pattern: &MeasuredPattern<'_>,
    shape: &CurveShape<'_>,
    weighed: &[CauseWeight],
    doubts: &[AnswerDoubt],
    is_open: bool,
) -> Option<(ChosenExperiment, ExperimentTrial)> {
    let is_bound = |answer: &ExperimentAnswer| answer.inferred.is_some_and(|inferred| inferred.is_bound);
    let made = |feature: &Feature| {
        pattern.answers.iter().any(|answer| answer.experiment == *feature && !is_bound(answer))
    };
    let trials: Vec<(Feature, ExperimentTrial)> = EXPERIMENTS
        .into_iter()
        .filter(|feature| !made(feature))
        .filter_map(|feature| Some((feature, experiment_workload::trial(feature, pattern, shape)?)))
        .filter(|(_, trial)| pattern.means.minutes_left.is_none_or(|left| trial.minutes() <= left))
        .collect();
    let feasible: Vec<Feature> = trials.iter().map(|(feature, _)| *feature).collect();
    let rest = pattern.means.rest_minutes;
    let minutes = |feature| (feature == Feature::Idle && rest > 0.0).then_some(rest + 1.0);
    let refuting = refuting(pattern, &feasible, doubts);
    // A limit that is claimed while the rate still climbed is refuted first by more in flight.
    let climbs = shape.growth.is_some_and(|growth| !shape.grows_above && growth > CREEPS);
    let deeper = Some(Feature::DoubleDepth).filter(|depth| is_open && climbs && feasible.contains(depth));
    let to_refute = deeper.or(refuting).map(|experiment| {
        let unexpected = ChosenExperiment { experiment, information_nats: 0.0, minutes: 1.0 };
        choose(table, weighed, &[experiment], minutes).unwrap_or(unexpected)
    });
    if !is_open && to_refute.is_none() {
        return None;
    }
    let telling = could_refute(table, weighed, &feasible);
    let chosen = to_refute
        .or_else(|| choose(table, weighed, &telling, minutes))
        .or_else(|| choose(table, weighed, &feasible, minutes))?;
    let trial = trials.into_iter().find(|(feature, _)| *feature == chosen.experiment)?.1;
    Some((chosen, trial))
}

/// Causes beside the leading one that an experiment is held against.
const RIVALS: usize = 3;
/// How many times less probable than before an answer must make a cause to refute it.
const REFUTES: f64 = 3.0;

/// The experiments whose answer could refute the leading cause: what one of its rivals shows makes it several times less
/// probable. All of them, where no cause leads.
pub fn could_refute(table: &Table, weighed: &[CauseWeight], feasible: &[Feature]) -> Vec<Feature> {
    let listed: Vec<&CauseWeight> = weighed.iter().filter(|w| w.limit != Limit::Unknown).collect();
    let Some((leading, others)) = listed.split_first().filter(|(leading, _)| leading.probability >= NAMED)
    else {
        return feasible.to_vec();
    };
    let is_lost = |feature: Feature, value: f64| {
        let figure = FeatureFigure { feature, value, error: 0.0, at_least: None };
        let left = after(table, weighed, &figure).into_iter().find(|w| w.limit == leading.limit);
        left.is_some_and(|left| left.probability * REFUTES <= leading.probability)
    };
    let rivals = || others.iter().take(RIVALS);
    let could = |feature: &Feature| {
        let shown = rivals().filter_map(|rival| table.density(rival.limit, *feature));
        shown.flat_map(|density| density.peaks().collect::<Vec<_>>()).any(|peak| is_lost(*feature, peak.mean))
    };
    feasible.iter().copied().filter(could).collect()
}

/// The experiment as a reader gets it: question, command and what each answer would mean.
pub fn described(
    table: &Table,
    pattern: &MeasuredPattern<'_>,
    shape: &CurveShape<'_>,
    weighed: &[CauseWeight],
    chosen: &ChosenExperiment,
    trial: &ExperimentTrial,
) -> Experiment {
    let question = table.trial(chosen.experiment).map(|t| t.question.clone()).unwrap_or_default();
    Experiment {
        question,
        command: trial.command(pattern),
        reading: reading(table, (pattern, shape), weighed, chosen.experiment),
    }
}

/// Answers that some causes show: the logarithms of the least and the highest rate over the present one.
struct PredictedAnswer {
    least: f64,
    most: f64,
    names: Vec<&'static str>,
}

/// What each cause that is left predicts: `About 20 k IOPS: too few I/Os in flight. ...`
fn reading(
    table: &Table,
    (pattern, shape): (&MeasuredPattern<'_>, &CurveShape<'_>),
    weighed: &[CauseWeight],
    experiment: Feature,
) -> String {
    let mut groups: Vec<PredictedAnswer> = Vec::new();
    let left = weighed.iter().filter(|w| w.limit != Limit::Unknown && w.probability >= LEAST_MENTIONED);
    for cause in left.take(MOST_MENTIONED) {
        let Some(density) = table.density(cause.limit, experiment) else { continue };
        let name = cause.limit.in_words();
        for peak in density.peaks() {
            match groups.iter_mut().find(|group| (group.least - peak.mean).abs() < 0.1) {
                Some(group) if group.names.contains(&name) => {}
                Some(group) => group.names.push(name),
                None => groups.push(PredictedAnswer { least: peak.mean, most: peak.mean, names: vec![name] }),
            }
        }
    }
    groups.put_in_order_by(|a, b| b.least.total_cmp(&a.least));
    // Neighbours that mean the same are one answer.
    groups.dedup_by(|lower, higher| {
        let is_same = lower.names == higher.names;
        if is_same {
            higher.least = lower.least;
        }
        is_same
    });
    // A far block's figure is its time over that of the law.
    let far = law(pattern.answers).zip(far_ratio(pattern)).filter(|_| experiment == Feature::FarBlock);
    let of = |figure: f64| far.map_or(figure, |(law, ratio)| -figure - law.time(ratio).ln());
    let rate = |figure: f64| printed::iops(shape.focus.x_per_s * of(figure).exp());
    let sentence = |shown: &PredictedAnswer| {
        let (least, most, names) = (rate(shown.least), rate(shown.most), shown.names.join(", or "));
        let between = if least == most { format!("About {least}") } else { format!("{least} to {most}") };
        format!("{between}: {names}.")
    };
    let otherwise = (groups.len() == 1).then(|| "Any other rate speaks against that.".to_owned());
    groups.iter().map(sentence).chain(otherwise).collect::<Vec<_>>().join(" ")
}

/// What was done.
pub fn what_was_done(experiment: Feature) -> &'static str {
    words(experiment).0
}

/// The same as the beginning of a sentence about the rate.
pub(crate) fn done(experiment: Feature) -> String {
    let (what, gave) = words(experiment);
    format!("{what}{gave}")
}

/// What was done, and what makes it the beginning of a sentence about the rate.
fn words(experiment: Feature) -> (&'static str, &'static str) {
    const GAVE: &str = " gave";
    const IT_GAVE: &str = " it gave";
    match experiment {
        Feature::DoubleDepth => ("Twice the depth", GAVE),
        Feature::DoubleJobs => ("Twice the jobs at half the depth", GAVE),
        Feature::ManyJobs => ("Many times the jobs with as many in flight", GAVE),
        Feature::HalfBlock => ("Half the block size", GAVE),
        Feature::DoubleBlock => ("Twice the block size", GAVE),
        Feature::FarBlock => ("A block of another order of size", GAVE),
        Feature::Sequential => ("Sequential addresses", GAVE),
        Feature::Reads => ("Reads in place of writes", GAVE),
        Feature::Repeat => ("The same again", GAVE),
        Feature::LargerSpan => ("Eight times the span", GAVE),
        Feature::RawDevice => ("The device below the file system", GAVE),
        Feature::SecondTarget => ("Together with a second target", IT_GAVE),
        Feature::Idle => ("After a rest", IT_GAVE),
        Feature::Purge => ("After trimming everything", IT_GAVE),
        Feature::OtherFile => ("Spread over a second file on the same path", IT_GAVE),
        Feature::Unflushed => ("Without waiting for stable storage", IT_GAVE),
        Feature::Durable => ("With each write made durable", IT_GAVE),
        Feature::OneConnection => ("One connection more, with as many in flight", ", gave"),
        Feature::OtherNode => ("On CPUs of another NUMA node", IT_GAVE),
        _ => ("It", GAVE),
    }
}

/// The one block size of a workload; `None` where sizes vary.
fn block_bytes(workload: &Workload) -> Option<u64> {
    match (&workload.sizes.read, &workload.sizes.write) {
        (Sizes::Fixed { bytes: read }, Sizes::Fixed { bytes: write }) if read == write => Some(*read),
        _ => None,
    }
}

/// Whether a target can take I/O from a second program's point of view at all.
fn is_storage(pattern: &MeasuredPattern<'_>) -> bool {
    !matches!(pattern.target.kind, TargetKind::Null | TargetKind::Memory | TargetKind::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{table, table_for_experiments};

    /// A leading cause, a rival, and a little of all others.
    fn led(leading: Limit, rival: Limit) -> Vec<CauseWeight> {
        let all: Vec<Limit> = table().causes.iter().map(|cause| cause.limit).collect();
        let rest = 0.1 / all.len() as f64;
        let of = |limit: Limit| match limit {
            _ if limit == leading => 0.6,
            _ if limit == rival => 0.3,
            _ => rest,
        };
        let mut weighed: Vec<CauseWeight> =
            all.into_iter().map(|limit| CauseWeight { limit, probability: of(limit) }).collect();
        weighed.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        weighed
    }

    #[test]
    fn what_is_proposed_could_refute_the_leading_cause_wherever_something_could() {
        const LIVE: [Limit; 9] = [
            Limit::VolumeIops,
            Limit::VolumeThroughput,
            Limit::BurstCredits,
            Limit::Link,
            Limit::Concurrency,
            Limit::DeviceParallelism,
            Limit::Software,
            Limit::WriteCliff,
            Limit::IndirectionUnit,
        ];
        for table in [table(), table_for_experiments()] {
            for leading in LIVE {
                for rival in LIVE.into_iter().filter(|rival| *rival != leading) {
                    let weighed = led(leading, rival);
                    let telling = could_refute(table, &weighed, &EXPERIMENTS);
                    assert!(!telling.is_empty(), "nothing could refute {leading:?} beside {rival:?}");
                    let chosen = choose(table, &weighed, &telling, |_| None).unwrap().experiment;
                    let worst =
                        EXPERIMENTS.into_iter().filter(|feature| *feature == chosen).flat_map(|feature| {
                            let peaks = weighed.iter().skip(1).take(RIVALS);
                            let means = peaks.flat_map(|w| {
                                table.density(w.limit, feature).unwrap().peaks().collect::<Vec<_>>()
                            });
                            means
                                .map(|peak| {
                                    let figure = FeatureFigure {
                                        feature,
                                        value: peak.mean,
                                        error: 0.0,
                                        at_least: None,
                                    };
                                    let left = after(table, &weighed, &figure);
                                    left.iter().find(|w| w.limit == leading).unwrap().probability
                                })
                                .collect::<Vec<_>>()
                        });
                    let least = worst.fold(1.0, f64::min);
                    assert!(least <= 0.2 + 1e-9, "{chosen:?} leaves {leading:?} {least} beside {rival:?}");
                }
            }
        }
    }

    #[test]
    fn where_no_cause_leads_everything_may_be_asked() {
        let even: Vec<CauseWeight> = [Limit::VolumeIops, Limit::Link, Limit::Software]
            .map(|limit| CauseWeight { limit, probability: 0.33 })
            .to_vec();
        assert_eq!(could_refute(table(), &even, &EXPERIMENTS), EXPERIMENTS);
        // A limit on bytes and a link answer to other blocks alike.
        let alike = [(Limit::VolumeThroughput, 0.6), (Limit::Link, 0.4)];
        let alike = alike.map(|(limit, probability)| CauseWeight { limit, probability });
        let telling = could_refute(table(), &alike, &EXPERIMENTS);
        assert!(
            !telling.contains(&Feature::DoubleBlock) && !telling.contains(&Feature::Repeat),
            "{telling:?}"
        );
    }
}
