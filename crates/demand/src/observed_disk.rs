//! One disk's intervals from what a tool of telemetry saw.

use std::collections::HashMap;

use fathom_record::telemetry::MetricSeries;
use fathom_rows::{Interval, as_counts, disk_choices};
use fathom_tools::Refusal;
use fathom_tools::foreign_series::{MachineTables, Times};

/// The metrics that make a demand, as rates.
const METRICS: [&str; 4] = ["disk.reads", "disk.writes", "disk.read_bytes", "disk.write_bytes"];

/// Both directions' I/Os, where a tool does not tell them apart.
const TRANSFERS: &str = "disk.transfers";

/// One disk of what a tool saw.
pub(crate) struct Disk {
    /// Its name in the text.
    pub name: String,
    /// As counts.
    pub intervals: Vec<Interval>,
    /// Where the first of them begins, where the text says it.
    pub start_ns: Option<i64>,
    /// Whether reads were told from writes.
    pub directions_known: bool,
    /// What was left out, a sentence each.
    pub notes: Vec<String>,
}

impl Disk {
    /// The disk of that name, or the only one.
    ///
    /// # Errors
    /// When there is none, there are several and none is named, or a figure that a demand needs is missing.
    pub fn of(observed: &MachineTables, device: Option<&str>) -> Result<Self, Refusal> {
        let telemetry = &observed.telemetry;
        let directions_known = telemetry.all(METRICS[1]).next().is_some();
        let name = named(observed, if directions_known { &METRICS[..2] } else { &[TRANSFERS] }, device)?;
        let rates_of = |metric: &str| {
            let missing = || Refusal::new("a demand", format!("{metric} of {name} is missing"));
            telemetry.find(metric, &name).map(|series| &series.values).ok_or_else(missing)
        };
        let operations = if directions_known {
            [rates_of(METRICS[0])?, rates_of(METRICS[1])?]
        } else {
            [rates_of(TRANSFERS)?; 2]
        };
        let bytes = [rates_of(METRICS[2])?, rates_of(METRICS[3])?];
        let at = &telemetry.at_ns;
        let rate = |i: usize| {
            let of = |rates: &[Option<f64>]| rates.get(i).copied().flatten();
            let (read_bytes, write_bytes) = (of(bytes[0])?, of(bytes[1])?);
            let (mut reads, mut writes) = (of(operations[0])?, of(operations[1])?);
            if !directions_known {
                let moved = read_bytes + write_bytes;
                reads *= if moved > 0.0 { read_bytes / moved } else { 0.0 };
                writes -= reads;
            }
            Some(Interval { end_ns: at[i], reads, writes, read_bytes, write_bytes })
        };
        let mut intervals: Vec<Interval> = (0..at.len()).filter_map(rate).collect();
        let mut notes = Vec::new();
        if intervals.len() < at.len() {
            let (lacking, all) = (at.len() - intervals.len(), at.len());
            notes.push(format!("{lacking} of {all} reports have no figures of {name} and were left out."));
        }
        let first_ns = intervals.first().map(|interval| interval.end_ns);
        let start_ns = start_of(observed).filter(|_| first_ns == at.first().copied());
        notes.extend(as_counts(start_ns, &mut intervals)?);
        Ok(Self { name, intervals, start_ns, directions_known, notes })
    }
}

/// Where the first interval begins: at the zero of its times, which is the stamp of sar's header or of iostat's
/// report since the machine started. Where the first stamp is the first interval's own end, nothing says it.
fn start_of(observed: &MachineTables) -> Option<i64> {
    let first_ns = *observed.telemetry.at_ns.first()?;
    let states_zero = observed.times == Times::Counted || observed.first_stamp.is_some();
    (states_zero && first_ns > 0).then_some(0)
}

/// The disk that is meant, of those that have a metric.
fn named(observed: &MachineTables, metrics: &[&str], asked: Option<&str>) -> Result<String, Refusal> {
    let expected = "a demand";
    let busy = |series: &MetricSeries| series.values.iter().flatten().sum::<f64>();
    let mut known: Vec<(String, f64)> = Vec::new();
    let mut place: HashMap<&str, usize> = HashMap::new();
    for series in metrics.iter().flat_map(|metric| observed.telemetry.all(metric)) {
        let at = *place.entry(&series.label).or_insert_with(|| {
            known.push((series.label.clone(), 0.0));
            known.len() - 1
        });
        known[at].1 += busy(series);
    }
    let is_since_boot = || observed.since_boot.iter().any(|series| series.metric.starts_with("disk."));
    match (asked, known.as_slice()) {
        (_, []) if is_since_boot() => {
            let cause = "its only report is the mean since the machine started, which is not an interval";
            Err(Refusal::new(expected, cause).or("give an interval, as iostat -x 1 does"))
        }
        (_, []) => {
            Err(Refusal::new(expected, "no disk's I/Os and bytes are in it").or("run iostat -x 1, or sar -d"))
        }
        (None, [(only, _)]) => Ok(only.clone()),
        (Some(asked), known) if known.iter().any(|(name, _)| name == asked) => Ok(asked.to_owned()),
        (asked, _) => {
            let cause = match asked {
                Some(asked) => format!("no disk {asked} is in it"),
                None => format!("{} disks are in it", known.len()),
            };
            Err(Refusal::new(expected, cause)
                .or(format!("name one with --device: {}", disk_choices::listed(known))))
        }
    }
}
