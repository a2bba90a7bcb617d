//! What limits a row of a published table: its symptoms before the evidence table.

use std::collections::HashMap;

use fathom_attribute::evidence::{CausePrecondition, Feature, table};
use fathom_attribute::posterior::{CauseWeight, FeatureFigure, supports, weigh_with};
use fathom_attribute::restraint::{ConfidencePenalty, restrained};
use fathom_attribute::symptoms::Symptom;
use fathom_attribute::{VerdictWording, conclude, printed};
use fathom_record::verdict::{Claim, Evidence, Limit};
use fathom_record::{CeilingRate, CeilingScope, Verdict};

use super::cause_words::CauseWords;
use super::difference::{ComparableRow, Property};
use super::experiment::next;
use super::inferred_answers::stated;
use super::published_table::{ExplainedRow, PublishedTable};
use super::question::{Question, questions};
use super::row::Target;
use super::row::{CpuOwner, Order};
use super::row_bounds::{self, RowBound};
use super::{
    PublishedRow, concurrency_curve, inferred_answers, row_contrasts, scaling_gains, side_figures,
    underlying_device,
};

/// Whether a row's rate was held down by a known limit.
type CapTest<'a> = &'a dyn Fn(&PublishedRow) -> bool;

/// Most that a cause's probability may be by the number of independent figures that speak for it: none, one, two.
const BY_FIGURES: [f64; 3] = [0.5, 0.85, 0.94];
/// Most for one figure that shows the cause itself, as a bound that was reached or a share that was counted.
const BY_A_DIRECT_ONE: f64 = 0.9;
/// Weight of a cause that no figure of the table speaks for: authors publish what points to their cause.
const UNSPOKEN: f64 = 0.15;
/// How many times as probable a cause is that the row's own words name.
const NAMED_TIMES: f64 = 10.0;
/// From this probability on a cause is named.
const NAMED: f64 = 0.5;
/// Power of a probability before it is bounded: what is named was said less often than it is right on most parts of
/// the collected tables, and the log score is the same (docs/attribution.md).
const SHARPNESS: f64 = 1.2;

/// A row and what limits it.
#[derive(Clone, Debug)]
pub struct RowExplanation {
    /// What was asked.
    pub asked: ExplainedRow,
    /// What a reader calls it.
    pub title: String,
    /// The row, or the sum of rows.
    pub row: PublishedRow,
    /// Where its first row stands in the table.
    pub at: usize,
    /// What limits it.
    pub verdict: Verdict,
    /// Every cause with its probability, most probable first.
    pub weighed: Vec<CauseWeight>,
    /// What that rests on.
    pub seen: Vec<Symptom>,
    /// Rows that differ in concurrency alone, which are shown as its curve.
    pub curve: Vec<usize>,
}

/// Explains the rows that a table asks about, or every row with a rate.
pub fn explain_published(published: &PublishedTable) -> Vec<RowExplanation> {
    explain_published_with(published, &|limit| table().cause(limit).map_or(1.0, |cause| cause.published))
}

/// The same with other weights of causes before anything is seen, in place of those by how often each is published: for who asks
/// what the verdicts owe to them.
pub fn explain_published_with(
    published: &PublishedTable,
    weight: &dyn Fn(Limit) -> f64,
) -> Vec<RowExplanation> {
    let named = CauseWords::of(&published.rows);
    questions(published).into_iter().map(|question| one(published, (&named, weight), question)).collect()
}

fn one(
    published: &PublishedTable,
    (named, weight): (&CauseWords, &dyn Fn(Limit) -> f64),
    question: Question,
) -> RowExplanation {
    let Question { asked, places, row, title } = question;
    let at = places[0];
    let is_other = |(place, _): &(usize, &PublishedRow)| !places.contains(place);
    let all: Vec<(usize, &PublishedRow)> = published.rows.iter().enumerate().filter(is_other).collect();
    let others: Vec<ComparableRow<'_>> =
        all.iter().filter_map(|(place, other)| ComparableRow::beside(&row, *place, other)).collect();
    let every: Vec<&PublishedRow> = all.into_iter().map(|(_, other)| other).collect();
    let reached = row_bounds::reached(&row, published);
    let is_capped = |other: &PublishedRow| {
        let reached = row_bounds::reached(other, published);
        reached.iter().any(|found| found.nearness().may_be_held())
    };
    let seen = everything(&row, at, (&every, &others), (&reached, &is_capped));
    let figures: Vec<FeatureFigure> = seen.iter().map(|seen| seen.figure).collect();
    let named = named.words(&row);
    let needs = met(&row, &others, &reached, &named);
    let mut restraints = restraints(&row, &seen);
    restraints.extend(by_figures(&figures, &named));
    let times = |limit: Limit| {
        let prior = table().cause(limit).map_or(1.0, |cause| weight(limit) / cause.prior)
            * beside_figures(limit, &row, &needs, places.len() < asked.rows.len())
            * beside_versions(limit, &row, &others)
            * underlying_device::shut_out(limit, &row, &every)
            * beside_added(limit, &row, &others);
        match (named.get(&limit), figures.iter().any(|figure| supports(table(), limit, figure))) {
            (Some(_), _) => prior * NAMED_TIMES,
            (None, true) => prior,
            (None, false) => prior * UNSPOKEN,
        }
    };
    let weighed = weigh_with(table(), &figures, &needs, &times);
    let weighed = restrained(sharpened(weighed), &restraints);
    let bounds = row_bounds::bounds(&reached);
    let subject = subject(published, &row, &title);
    let next = next(&row, &weighed, &reached, &seen);
    let mut verdict = conclude(table(), &subject, &seen, &weighed, &bounds, &restraints, next);
    for claim in &mut verdict.claims {
        let lines = lines_for(claim, &seen, named.get(&claim.limit).copied());
        claim.evidence.splice(0..0, lines);
    }
    let is_deeper = |other: &&ComparableRow<'_>| other.only() == Some(Property::Concurrency);
    let curve = others.iter().filter(is_deeper).map(|other| other.place).collect();
    RowExplanation { asked, title, row, at, verdict, weighed, seen, curve }
}

/// More of a cause that is as probable as all others together: what authors publish points further than the same figures
/// of a run do. One that is less is not named, and stays so.
fn sharpened(mut weighed: Vec<CauseWeight>) -> Vec<CauseWeight> {
    if weighed.iter().any(|entry| entry.probability >= NAMED) {
        let power = |entry: &CauseWeight| entry.probability.powf(SHARPNESS);
        let all: f64 = weighed.iter().map(power).sum();
        for entry in &mut weighed {
            entry.probability = power(entry) / all;
        }
    }
    weighed
}

/// What speaks for a claim and is not among its evidence: no headline is without a line for it.
fn lines_for(claim: &Claim, seen: &[Symptom], word: Option<&str>) -> Vec<Evidence> {
    let is_told = |text: &str| claim.evidence.iter().any(|evidence| evidence.text == text);
    let speaking = seen.iter().filter(|seen| supports(table(), claim.limit, &seen.figure));
    let figures = speaking.map(|seen| seen.text.clone()).filter(|text| !is_told(text));
    let name = word.map(|word| format!("Its author names it: \"{word}\"."));
    figures.chain(name).map(|text| Evidence { supports: true, text }).collect()
}

/// One figure a feature, from every row and from those that are near: where two ways lead to one, the first counts.
fn everything(
    row: &PublishedRow,
    at: usize,
    (every, others): (&[&PublishedRow], &[ComparableRow<'_>]),
    (reached, is_capped): (&[RowBound], CapTest<'_>),
) -> Vec<Symptom> {
    let earlier: Vec<&PublishedRow> =
        others.iter().filter(|other| other.place < at).map(|other| other.row).collect();
    let mut all = row_bounds::seen(row, every, reached);
    all.extend(inferred_answers::seen(row, others, is_capped));
    all.extend(row_contrasts::seen(row, others));
    all.extend(scaling_gains::seen(row, others, reached, is_capped));
    all.extend(concurrency_curve::seen(row, at, others));
    all.extend(side_figures::seen(row));
    if reached.iter().any(|found| found.nearness().is_at()) {
        // One I/O in flight waits for whatever holds it back: a bound that it meets to the percent is no chance.
        all.retain(|seen| seen.figure.feature != Feature::InFlight);
    }
    all.extend(row_bounds::credit_time(row, &earlier, reached));
    let mut kept: Vec<Symptom> = Vec::new();
    for seen in all {
        if kept.iter().all(|earlier| earlier.figure.feature != seen.figure.feature) {
            kept.push(seen);
        }
    }
    kept
}

/// How many times as probable a cause is by what was asked and by what the row is, whatever its figures.
fn beside_figures(limit: Limit, row: &PublishedRow, met: &[CausePrecondition], is_comparison: bool) -> f64 {
    match limit {
        // A comparison asks whether there is a difference, and of what.
        Limit::NoDifference | Limit::Setting if is_comparison => 2.0,
        Limit::NoDifference => 0.35,
        // Copies are written; of reads only rebuilt parity costs more.
        Limit::Copies if row.read_share() == Some(1.0) => 0.4,
        // Who has credits says so.
        Limit::BurstCredits
            if !met.contains(&CausePrecondition::Burst) && row.target != Some(Target::Volume) =>
        {
            0.2
        }
        // Where it is stated whose the processors are, a core that nobody owns is the same cause by a coarser name.
        Limit::OneCore
            if met.contains(&CausePrecondition::Client) || met.contains(&CausePrecondition::Server) =>
        {
            0.3
        }
        // What fills up, collects garbage and gets hot is a drive.
        Limit::WriteCliff | Limit::Thermal
            if matches!(row.target, Some(Target::Volume | Target::Network)) =>
        {
            0.3
        }
        _ => 1.0,
    }
}

/// How many times as probable a cause is by where a row stands among those with more and with fewer drives or nodes.
fn beside_added(limit: Limit, row: &PublishedRow, others: &[ComparableRow<'_>]) -> f64 {
    let added = scaling_gains::added(row, others);
    let is_the_least = !added.is_empty() && added.iter().all(|beside| beside.factor > 1.0);
    match limit {
        // That more of them bring more is no answer to what limits one.
        Limit::Scales if is_the_least => 0.3,
        _ => 1.0,
    }
}

/// How many times as probable a cause is where releases of one software are compared.
fn beside_versions(limit: Limit, row: &PublishedRow, others: &[ComparableRow<'_>]) -> f64 {
    let is_of_versions = || {
        others.iter().any(|other| {
            other.only() == Some(Property::Setting)
                && row.software == other.row.software
                && row.version.is_some()
                && other.row.version.is_some()
                && row.version != other.row.version
        })
    };
    match limit {
        // A release that is slower than another is the difference that was made, whatever it changed.
        Limit::Software if is_of_versions() => 0.4,
        _ => 1.0,
    }
}

/// No cause is surer than the number of independent figures that speak for it allows.
fn by_figures(figures: &[FeatureFigure], named: &HashMap<Limit, &str>) -> Vec<ConfidencePenalty> {
    let restraint = |limit: Limit| {
        let speaking: Vec<Feature> = figures
            .iter()
            .filter(|figure| supports(table(), limit, figure))
            .map(|figure| figure.feature)
            .collect();
        let mut kinds: Vec<Feature> = speaking.iter().map(|feature| kind(*feature)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let count = kinds.len().max(usize::from(named.contains_key(&limit)));
        let most = match count {
            1 if speaking.iter().any(|feature| DIRECT.contains(feature)) => BY_A_DIRECT_ONE,
            count => *BY_FIGURES.get(count)?,
        };
        let text = match count {
            0 => "No figure of the table points to it.",
            1 => "One figure alone points to it.",
            _ => "Only two figures point to it.",
        };
        Some(ConfidencePenalty::new(most, text).touching(&[limit]))
    };
    table().causes.iter().filter_map(|cause| restraint(cause.limit)).collect()
}

/// Figures that come of one comparison count once.
const fn kind(feature: Feature) -> Feature {
    match feature {
        Feature::OtherSetting | Feature::OtherSoftware | Feature::OtherGenerator | Feature::OtherNode => {
            Feature::Apart
        }
        Feature::SecondTarget => Feature::Growth,
        Feature::ConnectionUse => Feature::LinkUse,
        Feature::Copied => Feature::DeviceRate,
        other => other,
    }
}

/// Figures that show a cause itself.
const DIRECT: [Feature; 14] = [
    Feature::VolumeIops,
    Feature::VolumeThroughput,
    Feature::Instance,
    Feature::LinkUse,
    Feature::MemoryUse,
    Feature::BusUse,
    Feature::ConnectionUse,
    Feature::CoreUse,
    Feature::BusiestCore,
    Feature::LockShare,
    Feature::Merged,
    Feature::Ended,
    Feature::Heat,
    Feature::Asked,
];

/// What is so of a row, for the causes that need it.
fn met(
    row: &PublishedRow,
    others: &[ComparableRow<'_>],
    reached: &[RowBound],
    named: &HashMap<Limit, &str>,
) -> Vec<CausePrecondition> {
    let has_scope = |scope| reached.iter().any(|found| found.known.scope == scope);
    let is_named = |limit| named.contains_key(&limit);
    let beside = |property| others.iter().any(|other| other.only() == Some(property));
    let writes = row.read_share().is_none_or(|share| share < 1.0);
    [
        (true, CausePrecondition::Device),
        (row.target != Some(Target::Drive) || beside(Property::Machine), CausePrecondition::Provisioned),
        (true, CausePrecondition::Link),
        (
            has_processors(row) || row_contrasts::has_other_generator(row, others),
            CausePrecondition::Processors,
        ),
        (writes, CausePrecondition::Writes),
        (row.target == Some(Target::FileSystem), CausePrecondition::File),
        (row.asked_iops.is_some(), CausePrecondition::Rate),
        (row.queue_tags.is_some(), CausePrecondition::Tags),
        (row_contrasts::is_compared(others), CausePrecondition::Compared),
        (!scaling_gains::added(row, others).is_empty(), CausePrecondition::Added),
        (scaling_gains::has_copies(row, others) || is_named(Limit::Copies), CausePrecondition::Copies),
        (
            row.flushes().is_some_and(|flushes| flushes > 0.0)
                || beside(Property::Flush)
                || is_named(Limit::FlushLatency),
            CausePrecondition::Flushes,
        ),
        (
            row.merged_percent.is_some()
                || (row.order == Some(Order::Sequential) && !is_above_bytes(reached)),
            CausePrecondition::Adjacent,
        ),
        (row.connections.is_some() || is_named(Limit::PerConnection), CausePrecondition::Connections),
        (
            row.devices.is_some_and(|count| count > 1.0)
                || has_scope(CeilingScope::Bus)
                || is_named(Limit::SharedPath),
            CausePrecondition::Shared,
        ),
        (has_scope(CeilingScope::Memory), CausePrecondition::Memory),
        (row.numa.is_some(), CausePrecondition::Node),
        (row.cpu_of == Some(CpuOwner::Client), CausePrecondition::Client),
        (row.cpu_of == Some(CpuOwner::Target), CausePrecondition::Server),
        (
            reached.iter().any(|found| found.known.burst) || row.credits_left_percent.is_some(),
            CausePrecondition::Burst,
        ),
        (row.ended_early, CausePrecondition::Ended),
    ]
    .into_iter()
    .filter_map(|(is_met, need)| is_met.then_some(need))
    .collect()
}

/// Whether more bytes are carried than a bound lets through: merging makes fewer operations of them, and no fewer bytes.
fn is_above_bytes(reached: &[RowBound]) -> bool {
    reached.iter().any(|found| {
        matches!(found.known.rate, CeilingRate::Throughput { .. })
            && !found.known.burst
            && found.nearness().is_beyond()
    })
}

/// Whether something is stated of the processors, without which nothing points to them.
fn has_processors(row: &PublishedRow) -> bool {
    let figures = [
        row.cores,
        row.cpu_percent,
        row.busiest_core_percent,
        row.job_user_percent,
        row.job_system_percent,
        row.lock_percent,
        row.core_iops_limit,
    ];
    figures.iter().any(Option::is_some) || row.cpu_of.is_some()
}

fn restraints(row: &PublishedRow, seen: &[Symptom]) -> Vec<ConfidencePenalty> {
    let ratio = row.other_tool_iops.zip(row.operations_per_s()).map(|(other, mine)| other / mine);
    let grew = seen.iter().find(|seen| seen.figure.feature == Feature::DoubleDepth);
    let found = [
        ratio.and_then(ConfidencePenalty::of_another_instrument),
        row.seconds.and_then(ConfidencePenalty::of_stated_seconds),
        grew.and_then(ConfidencePenalty::of_growth),
    ];
    found.into_iter().flatten().collect()
}

fn subject(published: &PublishedTable, row: &PublishedRow, title: &str) -> VerdictWording {
    let in_flight = row.in_flight().or_else(|| row.concurrency());
    VerdictWording {
        title: title.to_owned(),
        rate: stated(row),
        throughput: row.bytes_per_s().map_or_else(|| stated(row), printed::throughput),
        in_flight: in_flight.map_or_else(|| "so few".to_owned(), printed::count),
        deeper: "more would give more",
        scope: format!(
            "{} in \"{}\", from what was published alone: nothing was measured again.",
            title, published.title
        ),
    }
}
