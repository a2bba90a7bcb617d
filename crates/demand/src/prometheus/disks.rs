//! Disks of many machines, as the series of some answers say them.

use std::collections::BTreeMap;

use fathom_rows::counter_series::{self, Rows};
use fathom_rows::{DemandReport, Interval};
use fathom_tools::Refusal;

use super::query_result::{Series, series};
use super::{ANSWER, COUNTERS, Selection, counted, only_disk, selector};

/// All disks.
#[derive(Debug, Default)]
pub struct Disks {
    disks: BTreeMap<(String, String), Points>,
    /// What the server said that it could not read.
    warnings: Vec<String>,
}

/// What is known of one disk.
#[derive(Debug, Default)]
struct Points {
    rows: Rows,
    unusable: u64,
    origins: Vec<Origin>,
}

/// Series of one counter with the same labels: where they begin and end.
#[derive(Debug)]
struct Origin {
    flow: usize,
    labels: BTreeMap<String, String>,
    first_ns: i64,
    last_ns: i64,
}

/// One of the disks.
#[derive(Clone, Copy, Debug)]
pub struct Disk<'a> {
    /// The machine, e.g. `db1:9100`; may be empty.
    pub instance: &'a str,
    /// The disk, as `nvme0n1`.
    pub device: &'a str,
    points: &'a Points,
    warnings: &'a [String],
}

impl Disks {
    /// Adds the series of an answer: further disks, further counters of them, or a further time.
    ///
    /// # Errors
    /// When it is no such answer, or the server refused.
    pub fn add(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let (all, warnings) = series(text)?;
        for warning in warnings {
            let note = format!("The server warns that its answer may not be whole: {warning}");
            if !self.warnings.contains(&note) {
                self.warnings.push(note);
            }
        }
        for series in all {
            let Some(((instance, device), flow)) = counted(&series) else { continue };
            let key = (instance.to_owned(), device.to_owned());
            self.disks.entry(key).or_default().add(flow, series);
        }
        Ok(())
    }

    /// All of them, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = Disk<'_>> {
        let warnings = self.warnings.as_slice();
        self.disks.iter().map(move |((instance, device), points)| Disk { instance, device, points, warnings })
    }

    /// The demand on the one that is meant.
    ///
    /// # Errors
    /// When it is not there, several are meant, or one of its counters is missing.
    pub fn seen(&self, selection: &Selection<'_>) -> Result<DemandReport, Refusal> {
        let disk = self.only(selection)?;
        disk.check(selection)?;
        let mut seen = counter_series::of_counters(&disk.points.rows)?;
        seen.notes.splice(0..0, disk.warnings.iter().cloned());
        seen.notes.extend(disk.left_out());
        seen.source = "prometheus";
        seen.device = Some(match disk.instance {
            "" => disk.device.to_owned(),
            instance => format!("{} of {instance}", disk.device),
        });
        Ok(seen)
    }

    /// The one that is meant.
    ///
    /// # Errors
    /// When it is not there, or several are meant.
    pub fn only(&self, selection: &Selection<'_>) -> Result<Disk<'_>, Refusal> {
        let is_meant = |disk: &Disk<'_>| {
            selection.device.is_none_or(|asked| asked == disk.device)
                && selection.instance.is_none_or(|asked| asked == disk.instance)
        };
        only_disk(&self.all().filter(is_meant).collect::<Vec<_>>())
    }

    /// Whether none is there.
    pub fn is_empty(&self) -> bool {
        self.disks.is_empty()
    }
}

impl Points {
    fn add(&mut self, flow: usize, mut series: Series) {
        let times = || series.values.iter().map(|point| point.at_ns);
        if let (Some(first_ns), Some(last_ns)) = (times().min(), times().max()) {
            let mut labels = std::mem::take(&mut series.metric);
            ["__name__", "instance", "device"].iter().for_each(|name| drop(labels.remove(*name)));
            let alike = |origin: &&mut Origin| origin.flow == flow && origin.labels == labels;
            match self.origins.iter_mut().find(alike) {
                Some(origin) => {
                    origin.first_ns = origin.first_ns.min(first_ns);
                    origin.last_ns = origin.last_ns.max(last_ns);
                }
                None => self.origins.push(Origin { flow, labels, first_ns, last_ns }),
            }
        }
        let usable = |point: &&super::query_result::Point| point.value.is_finite();
        self.unusable += series.values.iter().filter(|point| !point.value.is_finite()).count() as u64;
        counter_series::put(
            &mut self.rows,
            flow,
            series.values.iter().filter(usable).map(|point| (point.at_ns, point.value)),
        );
    }

    /// A label that tells two series of one counter apart which were there at one time: they are not one disk's.
    fn contradiction(&self) -> Option<&str> {
        self.origins.iter().enumerate().find_map(|(at, one)| {
            let at_once = |other: &&Origin| {
                other.flow == one.flow && other.first_ns <= one.last_ns && one.first_ns <= other.last_ns
            };
            let other = self.origins[..at].iter().find(at_once)?;
            let names = one.labels.keys().chain(other.labels.keys());
            names.map(String::as_str).find(|name| one.labels.get(*name) != other.labels.get(*name))
        })
    }
}

impl Disk<'_> {
    /// Points in time.
    pub fn points(&self) -> u64 {
        self.points.rows.len() as u64
    }

    /// What it did between two points each, and what was done to find that out.
    ///
    /// # Errors
    /// When one of its counters is missing, or it is several disks of one name.
    pub fn intervals(&self) -> Result<(Vec<Interval>, Vec<String>), Refusal> {
        self.check(&Selection::default())?;
        let mut notes = self.warnings.to_vec();
        let intervals = counter_series::growths(&self.points.rows, &mut notes);
        notes.extend(self.left_out());
        Ok((intervals, notes))
    }

    fn check(&self, selection: &Selection<'_>) -> Result<(), Refusal> {
        let has = |flow: usize| self.points.rows.values().any(|row| row[flow].is_some());
        if let Some(missing) = (0..COUNTERS.len()).find(|flow| !has(*flow)) {
            let device = self.device;
            let cause = format!("a counter is missing: {} of {device}", COUNTERS[missing]);
            return Err(Refusal::new(ANSWER, cause).or(format!("query {}", selector(selection))));
        }
        if let Some(label) = self.points.contradiction() {
            let cause = format!(
                "several series of one counter are there at one time, which differ in the label {label}"
            );
            return Err(Refusal::new(ANSWER, cause)
                .or(format!("query one of them, e.g. --query '{label}=\"...\"', or dump one alone")));
        }
        Ok(())
    }

    fn left_out(&self) -> Option<String> {
        let unusable = self.points.unusable;
        (unusable > 0).then(|| format!("{unusable} values were NaN or below zero and were left out."))
    }
}
