//! What limits a row of a published table: its symptoms before the evidence table.

use fathom_attribute::evidence::{Feature, Need, table};
use fathom_attribute::posterior::{Figure, Weighed, weigh};
use fathom_attribute::restraint::{Restraint, restrained};
use fathom_attribute::symptoms::Seen;
use fathom_attribute::{Subject, conclude, words};
use fathom_record::Verdict;
use fathom_record::verdict::Limit;

use super::answers::stated;
use super::difference::properties;
use super::experiment::next;
use super::limits::{self, Reached};
use super::published_table::{Asked, Published};
use super::question::{Question, questions};
use super::row::Target;
use super::{PublishedRow, answers, curve, side_figures};

/// Whether a row's rate was held down by a known limit.
type IsCapped<'a> = &'a dyn Fn(&PublishedRow) -> bool;

/// Most that a probability may be for a row that nothing stands beside.
const ALONE: f64 = 0.94;
/// Most that it may be where the rate still grew at the end of what was measured.
const STILL_GROWING: f64 = 0.5;
/// Growth for each doubling that is still growing: a tenth.
const GROWS: f64 = 0.1;
/// Most that it may be where two instruments give different rates for one run.
const CONTRADICTED: f64 = 0.45;
/// Rates of two instruments that agree.
const AGREE: std::ops::RangeInclusive<f64> = 0.8..=1.25;
/// From this share of a bound on, a row is at it.
const AT_BOUND: f64 = 0.93;
/// A row this far above a bound was not held by it.
const ABOVE_BOUND: f64 = 1.1;

/// A row and what limits it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// What was asked.
    pub asked: Asked,
    /// What a reader calls it.
    pub title: String,
    /// The row, or the sum of rows.
    pub row: PublishedRow,
    /// Where its first row stands in the table.
    pub at: usize,
    /// What limits it.
    pub verdict: Verdict,
    /// Every cause with its probability, most probable first.
    pub weighed: Vec<Weighed>,
    /// What that rests on.
    pub seen: Vec<Seen>,
    /// Rows that differ in one property or in concurrency alone, which are shown beside it.
    pub beside: Vec<usize>,
}

/// Explains the rows that a table asks about, or every row with a rate.
pub fn explain_published(published: &Published) -> Vec<Explained> {
    questions(published).into_iter().map(|question| one(published, question)).collect()
}

fn one(published: &Published, question: Question) -> Explained {
    let Question { asked, places, row, title } = question;
    let at = places[0];
    let is_other = |(place, _): &(usize, &PublishedRow)| !places.contains(place);
    let others: Vec<(usize, &PublishedRow)> = published.rows.iter().enumerate().filter(is_other).collect();
    let reached = limits::reached(&row, published);
    let is_capped = |other: &PublishedRow| {
        let reached = limits::reached(other, published);
        reached.iter().any(|found| (AT_BOUND..ABOVE_BOUND).contains(&found.share))
    };
    let seen = everything(&row, at, &others, (&reached, &is_capped));
    let restraints = restraints(&row, &seen);
    let figures: Vec<Figure> = seen.iter().map(|seen| seen.figure).collect();
    let weighed = restrained(weigh(table(), &figures, &met(&row)), &restraints);
    let bounds = limits::bounds(&reached);
    let subject = subject(published, &row, &title);
    let next = next(&row, &weighed, &reached, &seen);
    let verdict = conclude(table(), &subject, &seen, &weighed, &bounds, &restraints, next);
    let close =
        |(place, other): &(usize, &PublishedRow)| (properties(&row, other).len() <= 1).then_some(*place);
    let beside = others.iter().filter_map(close).collect();
    Explained { asked, title, row, at, verdict, weighed, seen, beside }
}

/// One figure a feature: where two ways lead to one, the first counts.
fn everything(
    row: &PublishedRow,
    at: usize,
    others: &[(usize, &PublishedRow)],
    (reached, is_capped): (&[Reached], IsCapped<'_>),
) -> Vec<Seen> {
    let rows: Vec<&PublishedRow> = others.iter().map(|(_, row)| *row).collect();
    let earlier: Vec<&PublishedRow> =
        others.iter().filter(|(place, _)| *place < at).map(|(_, row)| *row).collect();
    let mut all = limits::seen(row, &rows, reached);
    all.extend(answers::seen(row, &rows, is_capped));
    all.extend(curve::seen(row, at, others));
    all.extend(side_figures::seen(row));
    all.extend(limits::credit_time(row, &earlier, reached));
    let mut kept: Vec<Seen> = Vec::new();
    for seen in all {
        if kept.iter().all(|earlier| earlier.figure.feature != seen.figure.feature) {
            kept.push(seen);
        }
    }
    kept
}

/// What is so of a row, for the causes that need it.
fn met(row: &PublishedRow) -> Vec<Need> {
    let writes = row.read_share().is_none_or(|share| share < 1.0);
    [
        (true, Need::Device),
        (row.target != Some(Target::Drive), Need::Provisioned),
        (true, Need::Processors),
        (writes, Need::Writes),
        (row.target == Some(Target::FileSystem), Need::File),
        (row.asked_iops.is_some(), Need::Rate),
    ]
    .into_iter()
    .filter_map(|(is_met, need)| is_met.then_some(need))
    .collect()
}

fn restraints(row: &PublishedRow, seen: &[Seen]) -> Vec<Restraint> {
    let mut found = Vec::new();
    let mut add = |most: f64, text: String, spared: &[Limit]| {
        found.push(Restraint { spared: spared.to_vec(), ..Restraint::new(most, text) });
    };
    let ratio = row.other_tool_iops.zip(row.operations_per_s()).map(|(other, mine)| other / mine);
    if let Some(ratio) = ratio.filter(|ratio| !AGREE.contains(ratio)) {
        let text = format!(
            "Another instrument saw {} of this rate in the same run: until it is known which is right, no cause is.",
            if ratio < 1.0 { words::percent(ratio) } else { words::times(ratio) }
        );
        add(CONTRADICTED, text, &[]);
    }
    let grew = seen.iter().find(|seen| seen.figure.feature == Feature::DoubleDepth);
    if let Some(grew) = grew.filter(|seen| seen.figure.value > GROWS) {
        let text = format!("The rate still grew with concurrency. {}", grew.text);
        add(STILL_GROWING, text, &[Limit::Concurrency, Limit::Demand]);
    }
    if seen.len() < 3 {
        let text = "The table says little besides this row: another concurrency, block size or the CPUs' load would show more.";
        add(ALONE, text.to_owned(), &[]);
    }
    found
}

fn subject(published: &Published, row: &PublishedRow, title: &str) -> Subject {
    let in_flight = row.in_flight().or_else(|| row.concurrency());
    Subject {
        title: title.to_owned(),
        rate: stated(row),
        throughput: row.bytes_per_s().map_or_else(|| stated(row), words::throughput),
        in_flight: in_flight.map_or_else(|| "so few".to_owned(), words::count),
        deeper: "more would give more",
        scope: format!(
            "{} in \"{}\", from what was published alone: nothing was measured again.",
            title, published.title
        ),
    }
}
