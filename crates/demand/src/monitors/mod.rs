//! Demand from what the monitoring of other clouds prints: Azure Monitor, Google Cloud Monitoring, and Datadog.
//!
//! Each form gives series of reads, writes or their bytes, as counts or as rates, with what names their disk; here the
//! four of one disk are put together.

mod azure;
mod datadog;
mod google;

use std::collections::{BTreeMap, BTreeSet};

use fathom_rows::counter_series::{self, FLOWS, Rows};
use fathom_rows::{DemandReport, Values, ticks};
use fathom_tools::Refusal;

use crate::cloudwatch::is_named;

/// Disks that a refusal lists.
const LISTED: usize = 8;
const SECOND_NS: f64 = 1e9;

/// Whose monitoring it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monitor {
    /// `az monitor metrics list`.
    Azure,
    /// `projects.timeSeries.list`.
    Google,
    /// `GET /api/v1/query`.
    Datadog,
}

/// One flow of one disk.
#[derive(Clone, Debug, PartialEq)]
struct Series {
    /// What names the disk: resource and labels.
    words: String,
    /// Kind of metric; series of one kind belong together.
    family: &'static str,
    /// Place in [`FLOWS`].
    flow: usize,
    /// Whether values are of a second, and not of the period.
    is_rate: bool,
    /// Whether a point's time is its period's end, and not its start.
    ends: bool,
    /// Times in nanoseconds since 1970, and values.
    points: Vec<(i64, f64)>,
}

impl Monitor {
    /// Whose a text is by its beginning, which is JSON.
    pub fn of(start: &str) -> Option<Self> {
        if azure::recognise(start) {
            Some(Self::Azure)
        } else if google::recognise(start) {
            Some(Self::Google)
        } else if datadog::recognise(start) {
            Some(Self::Datadog)
        } else {
            None
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Azure => "metrics of Azure Monitor",
            Self::Google => "metrics of Google Cloud Monitoring",
            Self::Datadog => "metrics of Datadog",
        }
    }

    /// As records name it.
    fn source(self) -> &'static str {
        match self {
            Self::Azure => "azure",
            Self::Google => "google",
            Self::Datadog => "datadog",
        }
    }

    /// What to ask for.
    fn asks(self) -> &'static str {
        match self {
            Self::Azure => azure::ASKS,
            Self::Google => google::ASKS,
            Self::Datadog => datadog::ASKS,
        }
    }

    fn series(self, text: &[u8], values: Option<Values>) -> Result<Vec<Series>, Refusal> {
        match self {
            Self::Azure => azure::series(text),
            Self::Google => google::series(text, values),
            Self::Datadog => datadog::series(text),
        }
    }

    fn refused(self, cause: impl Into<String>) -> Refusal {
        Refusal::new(self.words(), cause)
    }
}

/// Reads answers that together hold the reads, writes and bytes of one disk.
///
/// # Errors
/// When one is no such answer, a flow is missing, or several disks are in it and none is meant.
pub fn read(
    monitor: Monitor,
    texts: &[&[u8]],
    device: Option<&str>,
    values: Option<Values>,
) -> Result<DemandReport, Refusal> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(monitor.series(text, values)?);
    }
    let meant = |series: &&Series| device.is_none_or(|device| is_named(&series.words, device));
    let meant: Vec<&Series> = all.iter().filter(meant).collect();
    let families: BTreeSet<&str> = meant.iter().map(|series| series.family).collect();
    // A disk's own metrics may stand beside those of its machine: the kind that has most flows is read.
    let flows = |family: &str| {
        let of = meant.iter().filter(|series| series.family == family).map(|series| series.flow);
        of.collect::<BTreeSet<usize>>().len()
    };
    let Some(family) = families.into_iter().max_by_key(|family| flows(family)) else {
        let cause = match device {
            Some(device) if !all.is_empty() => {
                format!("nothing of {device} is in it; it has {}", disks(&all))
            }
            _ => "no reads and writes of a disk are in it".to_owned(),
        };
        return Err(monitor.refused(cause).or(monitor.asks()));
    };
    let of_family: Vec<&Series> = meant.into_iter().filter(|series| series.family == family).collect();
    let names: BTreeSet<&str> = of_family.iter().map(|series| series.words.as_str()).collect();
    if names.len() > 1 {
        let cause = format!("several disks are in it: {}", disks(of_family.iter().copied()));
        return Err(monitor.refused(cause).or("name one of them: --device 'NAME'"));
    }
    let mut notes = Vec::new();
    let (rows, period_ns) = rows(monitor, &of_family, &mut notes)?;
    let mut seen = counter_series::of_periods(&rows, period_ns)?;
    seen.notes.splice(0..0, notes);
    seen.source = monitor.source();
    seen.device = names.first().map(|name| (*name).to_owned()).filter(|name| !name.is_empty());
    Ok(seen)
}

/// The disks' names, as far as there is room.
fn disks<'a>(series: impl IntoIterator<Item = &'a Series>) -> String {
    let names: BTreeSet<&str> = series.into_iter().map(|series| series.words.as_str()).collect();
    let listed: Vec<String> = names.iter().take(LISTED).map(|name| format!("'{name}'")).collect();
    let more = names.len().saturating_sub(LISTED);
    listed.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// Counts of all four flows by the start of their periods, and the period in nanoseconds.
fn rows(monitor: Monitor, series: &[&Series], notes: &mut Vec<String>) -> Result<(Rows, i64), Refusal> {
    let mut rows = Rows::new();
    let mut period_ns = None;
    for (flow, name) in FLOWS.iter().enumerate() {
        let of_flow: Vec<&&Series> = series.iter().filter(|series| series.flow == flow).collect();
        let Some(first) = of_flow.first() else {
            return Err(monitor.refused(format!("{name} are missing")).or(monitor.asks()));
        };
        if of_flow.iter().any(|series| (series.is_rate, series.ends) != (first.is_rate, first.ends)) {
            let cause = format!("{name} are counts in one answer and rates in another");
            return Err(monitor.refused(cause).or("ask for all of the time in one way"));
        }
        let points = joined(monitor, name, of_flow.iter().flat_map(|series| &series.points), notes)?;
        let Some(step_ns) = ticks::step_ns(points.keys()) else {
            return Err(monitor.refused(format!("{name} have fewer than two points")).or(monitor.asks()));
        };
        if *period_ns.get_or_insert(step_ns) != step_ns {
            let cause = format!("its periods differ: those of {name} are of {} s", step_ns / 1_000_000_000);
            return Err(monitor.refused(cause).or("ask for all metrics with one interval"));
        }
        let count = |value: f64| if first.is_rate { value * step_ns as f64 / SECOND_NS } else { value };
        let start = |at_ns: i64| if first.ends { at_ns.saturating_sub(step_ns) } else { at_ns };
        counter_series::put(
            &mut rows,
            flow,
            points.into_iter().map(|(at_ns, value)| (start(at_ns), count(value))),
        );
    }
    let period_ns = period_ns.ok_or_else(|| monitor.refused("no points are in it"))?;
    Ok((rows, period_ns))
}

/// One value for each time; of two that differ the larger, as of rows of a table.
fn joined<'a>(
    monitor: Monitor,
    name: &str,
    points: impl Iterator<Item = &'a (i64, f64)>,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<i64, f64>, Refusal> {
    let mut joined: BTreeMap<i64, f64> = BTreeMap::new();
    let mut differ = 0usize;
    for (at_ns, value) in points {
        let known = joined.entry(*at_ns).or_insert(*value);
        differ += usize::from(*known != *value);
        *known = known.max(*value);
    }
    if differ * ticks::TIMES_A_CONTRADICTION > joined.len() {
        let cause = format!("several values of {name} are there for one time, at {differ} times");
        return Err(monitor.refused(cause).or("give the answers of one disk"));
    }
    if differ > 0 {
        notes.push(format!("Two answers differ in {name} at {differ} times: the larger value was taken."));
    }
    Ok(joined)
}

#[cfg(test)]
mod tests;
