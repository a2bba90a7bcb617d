//! What experiments would have answered, from rows that differ from the explained one in one property.

use fathom_attribute::evidence::Feature;
use fathom_attribute::printed;
use fathom_attribute::symptoms::{ComparedRow, RateRatio, STATED_RATIO_ERROR, Symptom};

use super::PublishedRow;
use super::difference::{ComparableRow, Property};
use super::row::Order;

/// Standard error of a ratio of two published rates where the change was seen only below the explained row, where a
/// limit may not yet have been met.
const BELOW_ERROR: f64 = 0.12;
/// Growth in two steps or more is that of one with this error added for each further step.
const STEP_ERROR: f64 = 0.05;

/// Another row, and the factor of the property that it has.
pub struct ScaledRow<'a> {
    /// The row.
    pub row: &'a PublishedRow,
    /// How many times as much of the property it has.
    pub factor: f64,
}

/// Everything that other rows answer.
///
/// `is_capped` says of a row that it reached a known bound: what it grew by is then the least that it would have.
pub fn seen(
    explained: &PublishedRow,
    others: &[ComparableRow<'_>],
    is_capped: &dyn Fn(&PublishedRow) -> bool,
) -> Vec<Symptom> {
    let differing =
        |property| others.iter().filter(move |other| other.only() == Some(property)).map(|other| other.row);
    let scaled = |property, of: fn(&PublishedRow) -> Option<f64>| -> Vec<ScaledRow<'_>> {
        let factor = |row| Some(of(row)? / of(explained)?);
        let usable = |factor: &f64| factor.is_finite() && *factor > 0.0;
        differing(property)
            .filter_map(|row| Some(ScaledRow { row, factor: factor(row).filter(usable)? }))
            .collect()
    };
    let depth = scaled(Property::Concurrency, PublishedRow::concurrency);
    let jobs = scaled(Property::Jobs, |row| row.jobs);
    let devices = scaled(Property::Devices, |row| row.devices);
    let paths = scaled(Property::Connections, |row| row.connections);
    let block = scaled(Property::Block, |row| row.block_bytes);
    let span = scaled(Property::Span, |row| row.span_bytes);
    let mut found = vec![
        doubling(Feature::DoubleDepth, "concurrency", (explained, is_capped), &depth),
        doubling(Feature::DoubleJobs, "jobs, at the same concurrency,", (explained, is_capped), &jobs),
        doubling(Feature::SecondTarget, "volumes", (explained, is_capped), &devices),
        doubling(Feature::Paths, "connections", (explained, is_capped), &paths),
        sizes(Feature::HalfBlock, explained, &block),
        sizes(Feature::DoubleBlock, explained, &block),
        larger_span(explained, &span),
    ];
    found.push(sequential(explained, differing(Property::Order)));
    let fastest = fastest_other(explained, differing(Property::Software));
    found.push(fastest.and_then(|(value, row)| other_software(explained, value, row)));
    found.push(fastest.and_then(|(_, row)| software_cost(explained, row)));
    found.into_iter().flatten().collect()
}

/// Operations per second, or else bytes.
pub fn rate(row: &PublishedRow) -> Option<f64> {
    row.operations_per_s().or_else(|| row.bytes_per_s())
}

/// Standard error of a ratio of two rows: that of any published ones, or more where the runs that they are means of
/// spread further. The range of a few runs is about the root of their number of deviations.
pub fn ratio_error(explained: &PublishedRow, other: &PublishedRow) -> f64 {
    let of = |row: &PublishedRow| {
        let range = row.iops_high? / row.iops_low.filter(|low| *low > 0.0)?;
        Some(range.ln().abs() / row.repeats.unwrap_or(2.0).max(2.0))
    };
    let own = of(explained).unwrap_or(0.0).hypot(of(other).unwrap_or(0.0));
    own.max(STATED_RATIO_ERROR)
}

/// Logarithm of another row's rate over the explained one's, in operations where both have them.
pub fn growth(explained: &PublishedRow, other: &PublishedRow) -> Option<f64> {
    let operations = explained.operations_per_s().zip(other.operations_per_s());
    let (mine, its) = operations.or_else(|| explained.bytes_per_s().zip(other.bytes_per_s()))?;
    Some((its / mine).ln())
}

/// What each doubling of a property brings: from the nearest row above, or else below.
pub fn doubling(
    feature: Feature,
    what: &str,
    (explained, is_capped): (&PublishedRow, &dyn Fn(&PublishedRow) -> bool),
    rows: &[ScaledRow<'_>],
) -> Option<Symptom> {
    let above = rows.iter().filter(|beside| beside.factor > 1.0);
    let nearest = above.min_by(|a, b| a.factor.total_cmp(&b.factor));
    let is_above = nearest.is_some();
    let beside = nearest.or_else(|| rows.iter().max_by(|a, b| a.factor.total_cmp(&b.factor)))?;
    let doublings = beside.factor.log2();
    let total = growth(explained, beside.row)?;
    let least = total / doublings;
    let steps = (doublings.abs() - 1.0).max(0.0);
    let base = if is_above || least < 0.1 { STATED_RATIO_ERROR } else { BELOW_ERROR };
    let (rate, name) = (stated(beside.row), beside.row.subject());
    let other = ComparedRow { rate: &rate, name: &name };
    // Where a known bound stopped the growth, it lies between what was seen and what the bound leaves room for.
    let most = total.min(std::f64::consts::LN_2);
    let is_stopped = is_above && most > least && is_capped(beside.row) && !is_capped(explained);
    let error = if is_stopped { base } else { base + STEP_ERROR * steps };
    Symptom::doubling(feature, what, (least, error), is_stopped.then_some(most), &other)
}

/// The symptom of another row that is compared with this one by their rates.
pub fn with_ratio(
    (explained, other): (&PublishedRow, &PublishedRow),
    (ln, error): (f64, f64),
    symptom: impl Fn(&RateRatio<'_>) -> Option<Symptom>,
) -> Option<Symptom> {
    symptom(&RateRatio { ln, error, own: &stated(explained), other: &stated(other) })
}

/// Half or twice the block.
fn sizes(feature: Feature, explained: &PublishedRow, rows: &[ScaledRow<'_>]) -> Option<Symptom> {
    let is_smaller = feature == Feature::HalfBlock;
    let fits = |beside: &&ScaledRow<'_>| (beside.factor < 1.0) == is_smaller;
    let away = |beside: &ScaledRow<'_>| beside.factor.ln().abs();
    let beside = rows.iter().filter(fits).min_by(|a, b| away(a).total_cmp(&away(b)))?;
    let doublings = beside.factor.log2().abs();
    let value = growth(explained, beside.row)? / doublings;
    let error = STATED_RATIO_ERROR + STEP_ERROR * (doublings - 1.0).max(0.0);
    let block_bytes = beside.row.block_bytes? as u64;
    with_ratio((explained, beside.row), (value, error), |ratio| Symptom::resized(feature, block_bytes, ratio))
}

fn larger_span(explained: &PublishedRow, rows: &[ScaledRow<'_>]) -> Option<Symptom> {
    let beside =
        rows.iter().filter(|beside| beside.factor > 2.0).max_by(|a, b| a.factor.total_cmp(&b.factor))?;
    let value = growth(explained, beside.row)?;
    with_ratio((explained, beside.row), (value, STATED_RATIO_ERROR), |ratio| {
        Symptom::larger_span(beside.factor, ratio)
    })
}

fn sequential<'a>(
    explained: &PublishedRow,
    mut rows: impl Iterator<Item = &'a PublishedRow>,
) -> Option<Symptom> {
    // Of a sequential row, a random one beside it does not say what the experiment would.
    let is_random = explained.order == Some(Order::Random);
    let wanted = if is_random { Order::Sequential } else { Order::Random };
    let row = rows.find(|row| row.order == Some(wanted))?;
    let symptom: fn(&RateRatio<'_>) -> Option<Symptom> =
        if is_random { Symptom::sequential } else { Symptom::random_instead };
    with_ratio((explained, row), (growth(explained, row)?, STATED_RATIO_ERROR), symptom)
}

/// The fastest other software and the logarithm of what it brings; a slower one says nothing of what limits this
/// one.
fn fastest_other<'a>(
    explained: &PublishedRow,
    rows: impl Iterator<Item = &'a PublishedRow>,
) -> Option<(f64, &'a PublishedRow)> {
    let rated = rows.filter_map(|row| Some((growth(explained, row)?, row)));
    rated.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(value, _)| *value >= -2.0 * STATED_RATIO_ERROR)
}

fn other_software(explained: &PublishedRow, value: f64, row: &PublishedRow) -> Option<Symptom> {
    with_ratio((explained, row), (value, ratio_error(explained, row)), |ratio| {
        Symptom::other_software(named(row), ratio)
    })
}

/// Processor time of an I/O over that of the other software.
fn software_cost(explained: &PublishedRow, row: &PublishedRow) -> Option<Symptom> {
    let cost = |row: &PublishedRow| {
        let cost = row.cpu_percent? / rate(row)?;
        (cost.is_finite() && cost > 0.0).then_some(cost)
    };
    Symptom::software_cost(named(row), cost(explained)? / cost(row)?)
}

fn named(row: &PublishedRow) -> &str {
    row.software.as_deref().unwrap_or("other software")
}

/// A row's rate as it was published.
pub fn stated(row: &PublishedRow) -> String {
    match (row.iops, row.bytes_per_s()) {
        (Some(iops), _) => printed::iops(iops),
        (None, Some(bytes)) => printed::throughput(bytes),
        (None, None) => rate(row).map_or_else(|| "an unknown rate".to_owned(), printed::iops),
    }
}
