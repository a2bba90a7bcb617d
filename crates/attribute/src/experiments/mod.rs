//! The experiments that can be made on a pattern, as workloads, and how to read their answers.

mod workload;

use fathom_record::facts::TargetKind;
use fathom_record::verdict::{Experiment, Limit};
use fathom_record::workload::{Sizes, Workload};

use crate::choice::{Chosen, choose};
use crate::evidence::{EXPERIMENTS, Feature, Table};
use crate::input::Pattern;
use crate::posterior::Weighed;
use crate::shape::Shape;
use crate::words;

pub use workload::{Before, Trial, Where};

/// Causes below this probability are not mentioned in how an answer is to be read.
const LEAST_MENTIONED: f64 = 0.05;
/// Most causes that a reading mentions.
const MOST_MENTIONED: usize = 4;

/// What no enforced limit shows and what is as flat does: a lock slows down with more jobs, a full write cache and a
/// mapping unit are the writes' own, and in sequence a mapping unit costs nothing.
const REFUTING: [Feature; 3] = [Feature::DoubleJobs, Feature::Reads, Feature::Sequential];

/// What could refute that a rate is enforced, once other blocks have said what it counts.
fn refuting(pattern: &Pattern<'_>, feasible: &[Feature]) -> Option<Feature> {
    let is_size = |feature: Feature| [Feature::HalfBlock, Feature::DoubleBlock].contains(&feature);
    let was_sized = pattern.answers.iter().any(|answer| is_size(answer.experiment));
    let may_refute = was_sized || !feasible.iter().any(|feature| is_size(*feature));
    let tells =
        |feature: &Feature| *feature != Feature::Sequential || pattern.workload.mix.write_share() > 0.0;
    // Where the depth cannot be halved, twice the jobs need a target that is known to be full.
    let is_unasked = |feature: Feature| !pattern.answers.iter().any(|answer| answer.experiment == feature);
    let needs_depth = is_unasked(Feature::DoubleJobs) && !feasible.contains(&Feature::DoubleJobs);
    let deeper = [Feature::DoubleDepth].into_iter().filter(|_| needs_depth);
    let first = deeper.chain(REFUTING.into_iter().filter(tells));
    first.into_iter().find(|feature| may_refute && feasible.contains(feature))
}

/// What makes an answer doubtful, however sure it seems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing.
    None,
    /// It is a limit that nobody declared.
    Guess,
    /// It is a volume's limit that was declared and reached: the same figure is what a volume sustains without credits.
    Credits,
}

/// The experiment that is expected to decide most for its time, ready to be made; `None` where none would. What could refute a
/// doubtful answer is asked first.
pub fn next(
    table: &Table,
    pattern: &Pattern<'_>,
    shape: &Shape<'_>,
    weighed: &[Weighed],
    doubt: Doubt,
) -> Option<(Chosen, Trial)> {
    let made = |feature: &Feature| pattern.answers.iter().any(|answer| answer.experiment == *feature);
    let trials: Vec<(Feature, Trial)> = EXPERIMENTS
        .into_iter()
        .filter(|feature| !made(feature))
        .filter_map(|feature| Some((feature, workload::trial(feature, pattern, shape)?)))
        .filter(|(_, trial)| pattern.means.minutes_left.is_none_or(|left| trial.minutes() <= left))
        .collect();
    let feasible: Vec<Feature> = trials.iter().map(|(feature, _)| *feature).collect();
    let rest = pattern.means.rest_minutes;
    let minutes = |feature| (feature == Feature::Idle && rest > 0.0).then_some(rest + 1.0);
    let refuting = match doubt {
        Doubt::None => None,
        Doubt::Guess => refuting(pattern, &feasible),
        Doubt::Credits => Some(Feature::Idle).filter(|idle| feasible.contains(idle)),
    };
    let to_refute = refuting.map(|experiment| {
        let unexpected = Chosen { experiment, information_nats: 0.0, minutes: 1.0 };
        choose(table, weighed, &[experiment], minutes).unwrap_or(unexpected)
    });
    let chosen = to_refute.or_else(|| choose(table, weighed, &feasible, minutes))?;
    let trial = trials.into_iter().find(|(feature, _)| *feature == chosen.experiment)?.1;
    Some((chosen, trial))
}

/// The experiment as a reader gets it: question, command and what each answer would mean.
pub fn described(
    table: &Table,
    pattern: &Pattern<'_>,
    shape: &Shape<'_>,
    weighed: &[Weighed],
    chosen: &Chosen,
    trial: &Trial,
) -> Experiment {
    let question = table.trial(chosen.experiment).map(|t| t.question.clone()).unwrap_or_default();
    Experiment {
        question,
        command: trial.command(pattern),
        reading: reading(table, shape, weighed, chosen.experiment),
    }
}

/// What each cause that is left predicts: `About 20 k IOPS: too few I/Os in flight. ...`
fn reading(table: &Table, shape: &Shape<'_>, weighed: &[Weighed], experiment: Feature) -> String {
    let mut groups: Vec<(f64, Vec<&'static str>)> = Vec::new();
    let left = weighed.iter().filter(|w| w.limit != Limit::Unknown && w.probability >= LEAST_MENTIONED);
    for cause in left.take(MOST_MENTIONED) {
        let Some(density) = table.density(cause.limit, experiment) else { continue };
        for peak in density.peaks() {
            let near = groups.iter_mut().find(|(mean, _)| (mean - peak.mean).abs() < 0.1);
            match near {
                Some((_, names)) => names.push(cause.limit.in_words()),
                None => groups.push((peak.mean, vec![cause.limit.in_words()])),
            }
        }
    }
    groups.sort_by(|a, b| b.0.total_cmp(&a.0));
    let sentence = |(mean, names): &(f64, Vec<&str>)| {
        format!("About {}: {}.", words::iops(shape.focus.x_per_s * mean.exp()), names.join(", or "))
    };
    let otherwise = (groups.len() == 1).then(|| "Any other rate speaks against that.".to_owned());
    groups.iter().map(sentence).chain(otherwise).collect::<Vec<_>>().join(" ")
}

/// What was done, as the beginning of a sentence about the rate.
pub fn done(experiment: Feature) -> &'static str {
    match experiment {
        Feature::DoubleDepth => "Twice the depth gave",
        Feature::DoubleJobs => "Twice the jobs at half the depth gave",
        Feature::HalfBlock => "Half the block size gave",
        Feature::DoubleBlock => "Twice the block size gave",
        Feature::Sequential => "Sequential addresses gave",
        Feature::Reads => "Reads in place of writes gave",
        Feature::Repeat => "The same again gave",
        Feature::LargerSpan => "Eight times the span gave",
        Feature::RawDevice => "The device below the file system gave",
        Feature::SecondTarget => "Together with a second target it gave",
        Feature::Idle => "After a rest it gave",
        Feature::Purge => "After trimming everything it gave",
        _ => "It gave",
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
fn is_storage(pattern: &Pattern<'_>) -> bool {
    !matches!(pattern.target.kind, TargetKind::Null | TargetKind::Memory | TargetKind::Unknown)
}
