//! The lines of the table: a run's summary by direction, its seconds by direction, its telemetry by sample.

use std::io;

use fathom_measure::Histogram;
use fathom_record::run_record::DirectionSummary;
use fathom_record::series::DirectionInterval;
use fathom_record::telemetry::MetricSeries;
use fathom_record::{Interval, LatencySummary, RunRecord, SparseHistogram};

/// One line of the table.
pub struct Line<'a> {
    /// Of which run.
    pub run: &'a RunRecord,
    /// Of what in it.
    pub place: Place<'a>,
}

/// What a line is of.
pub enum Place<'a> {
    /// One direction over the measured window; absent for a run in which nothing ended.
    Summary(Option<&'a DirectionSummary>),
    /// One direction in one second.
    Second(&'a Interval, &'a DirectionInterval, Box<Latencies>),
    /// One value of one series: which, when it ended, and how long it covers, in nanoseconds.
    Sample(&'a MetricSeries, f64, i64, Option<i64>),
}

/// Latencies of one second.
pub struct Latencies {
    /// From the submission.
    pub service: Option<LatencySummary>,
    /// From the intended start.
    pub response: Option<LatencySummary>,
}

/// Hands over all lines of a run.
///
/// # Errors
/// As the taker reports them.
pub fn lines<'a>(run: &'a RunRecord, take: &mut dyn FnMut(&Line<'a>) -> io::Result<()>) -> io::Result<()> {
    if run.summary.directions.is_empty() {
        take(&Line { run, place: Place::Summary(None) })?;
    }
    for direction in &run.summary.directions {
        take(&Line { run, place: Place::Summary(Some(direction)) })?;
    }
    for interval in &run.intervals {
        for direction in &interval.directions {
            let service = summary(Some(&direction.service));
            let response = summary(direction.response.as_ref());
            let latencies = Box::new(Latencies { service, response });
            take(&Line { run, place: Place::Second(interval, direction, latencies) })?;
        }
    }
    let at_ns = &run.telemetry.at_ns;
    for series in &run.telemetry.series {
        for (number, (at, value)) in at_ns.iter().zip(&series.values).enumerate() {
            let Some(value) = value else { continue };
            let before = number.checked_sub(1).and_then(|before| at_ns.get(before));
            let covers = before.map(|before| at - before);
            take(&Line { run, place: Place::Sample(series, *value, *at, covers) })?;
        }
    }
    Ok(())
}

/// A distribution in a few numbers; absent where it cannot be read.
pub fn summary(sparse: Option<&SparseHistogram>) -> Option<LatencySummary> {
    LatencySummary::of(&Histogram::try_from(sparse?).ok()?)
}
