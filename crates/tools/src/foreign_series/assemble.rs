//! Series from a sheet and the meanings of its columns.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use fathom_record::telemetry::{MetricSeries, Telemetry};

use super::meaning::{Column, Label, Meaning};
use super::printed_numbers::Number;
use super::text_sheet::{Place, Report, ReportKind, Sheet};
use super::{MachineTables, Times};
use crate::Refusal;

/// Bytes of memory that series may take for each byte of text, and for a text of any length.
const BYTES_A_BYTE: usize = 72;
const BYTES_ANYWAY: usize = 256 * 1024;
/// Different columns that a text may have: a tool prints each under a header, with numbers below it.
const COLUMNS_ANYWAY: usize = 1000;
const BYTES_A_COLUMN: usize = 64;
/// What one series takes apart from its values.
const SERIES_BYTES: usize = 200;

/// What each column number means.
struct Meanings {
    /// Of each column the numbers of its metrics, and what a printed number is multiplied by.
    columns: Vec<Vec<(u32, f64)>>,
    metrics: Vec<Meaning>,
    unknown: Vec<String>,
}

/// A metric's number and a thing's.
type Key = (u32, u32);

/// Reports that are filled in together: so many values lie side by side in each series, where those of one report
/// are in as many places as there are series.
const BLOCK: usize = 64;

/// The values of one report, what is known of them beside, and its place among the samples.
struct Sample<'a> {
    place: usize,
    values: &'a [f64],
    marks: &'a [u8],
}

/// The series of one kind of report, while they are filled.
struct SeriesFiller<'a> {
    samples: usize,
    known: HashMap<Key, usize>,
    /// Values as far as they came; all behind them are absent.
    series: Vec<(Key, Vec<Option<f64>>)>,
    /// The last report whose cells were told apart, and where they go: reports mostly have the same in the same
    /// order.
    told: Option<&'a Report>,
    targets: Vec<Target>,
    repeated: u64,
}

/// Where a cell of each report goes.
struct Target {
    /// Its place in a report.
    cell: usize,
    series: usize,
    scale: f64,
    adds: bool,
}

/// Makes an observation of a sheet.
///
/// # Errors
/// When the text has no numbers that could be kept, or its things and reports would take memory out of
/// proportion to its length.
pub(crate) fn assemble(
    tool: &'static str,
    era: &'static str,
    sheet: &Sheet,
    text_bytes: usize,
    column: impl Fn(&str, &str) -> Column,
) -> Result<MachineTables, Refusal> {
    if sheet.columns.len() > COLUMNS_ANYWAY + text_bytes / BYTES_A_COLUMN {
        let cause = format!("{} different columns or events in so short a text", sheet.columns.len());
        return Err(Refusal::new(tool, cause));
    }
    let meanings = Meanings::of(sheet, column);
    let times = if interval_reports(sheet).all(|report| report.at_ns.is_some()) {
        Times::Stamped
    } else {
        Times::Counted
    };
    let at_ns = time_axis(sheet, times);
    let limit = BYTES_ANYWAY.saturating_add(text_bytes.saturating_mul(BYTES_A_BYTE));
    let count = |kind| sheet.reports.iter().filter(|report| report.kind == kind).count();
    let samples = [at_ns.len(), count(ReportKind::SinceBoot), count(ReportKind::Average)];
    let mut fillings = samples.map(SeriesFiller::of);
    let mut seen = [0; 3];
    let mut left = sheet.reports.as_slice();
    while let Some(first) = left.first() {
        let which = first.kind as usize;
        let (block, length) = block_of(sheet, (left, first), (times, &at_ns), &mut seen[which]);
        left = &left[length..];
        if !block.is_empty() {
            fillings[which].take(sheet, first, &block, &meanings);
        }
        if fillings.iter().map(SeriesFiller::bytes).sum::<usize>() > limit {
            return Err(out_of_proportion(tool, &fillings[which]));
        }
    }
    let repeated = fillings.iter().map(|filling| filling.repeated).sum();
    let [intervals, since_boot, averages] = fillings.map(|filling| filling.finish(tool, sheet, &meanings));
    if intervals.is_empty() && since_boot.is_empty() && averages.is_empty() {
        return Err(nothing_kept(tool, sheet, &meanings));
    }
    let notes = notes(sheet, times, &meanings, &since_boot, repeated);
    let first_stamp = sheet.zero.as_ref().map(|(_, text)| text.clone());
    let start_utc_s = sheet.zero.as_ref().and_then(|(stamp, _)| stamp.utc_s());
    let telemetry = Telemetry { at_ns, series: intervals, absent: Vec::new(), own_cpu_ns: None };
    let banner = sheet.banner.clone();
    Ok(MachineTables {
        tool,
        era,
        banner,
        times,
        first_stamp,
        start_utc_s,
        telemetry,
        since_boot,
        averages,
        notes,
    })
}

/// Samples of the first reports that are alike and go on in time, and how many reports these are.
fn block_of<'a>(
    sheet: &'a Sheet,
    (left, first): (&'a [Report], &'a Report),
    (times, at_ns): (Times, &[i64]),
    seen: &mut usize,
) -> (Vec<Sample<'a>>, usize) {
    let mut block = Vec::with_capacity(BLOCK);
    let goes_on = |report: &&'a Report| {
        let is_alike = report.kind == first.kind && sheet.are_alike(report, first);
        is_alike && block.len() < BLOCK && {
            let stamped = report.kind == ReportKind::Interval && times == Times::Stamped;
            let stamp = || report.at_ns.and_then(|at| at_ns.binary_search(&at).ok());
            let place = if stamped { stamp() } else { Some(*seen) };
            // Those of one moment are told apart by their order, and so are no part of one block.
            let last = block.last().map(|sample: &Sample<'_>| sample.place);
            let goes_on = place.is_none() || last.is_none() || place > last;
            if goes_on {
                *seen += 1;
                block.extend(place.map(|place| sample(sheet, report, place)));
            }
            goes_on
        }
    };
    let length = left.iter().take_while(goes_on).count();
    (block, length)
}

fn interval_reports(sheet: &Sheet) -> impl Iterator<Item = &Report> {
    sheet.reports.iter().filter(|report| report.kind == ReportKind::Interval)
}

/// The moments of all samples, each once and in order.
fn time_axis(sheet: &Sheet, times: Times) -> Vec<i64> {
    match times {
        Times::Stamped => {
            let moments: BTreeSet<i64> = interval_reports(sheet).filter_map(|report| report.at_ns).collect();
            moments.into_iter().collect()
        }
        Times::Counted => (1..=interval_reports(sheet).count() as i64).map(|n| n * 1_000_000_000).collect(),
    }
}

impl Meanings {
    fn of(sheet: &Sheet, column: impl Fn(&str, &str) -> Column) -> Self {
        let mut meanings = Self { columns: Vec::new(), metrics: Vec::new(), unknown: Vec::new() };
        let mut numbers: HashMap<(Cow<'static, str>, Label), u32> = HashMap::new();
        for number in 0..sheet.columns.len() as u32 {
            let (table, name) = sheet.column(number);
            let list = match column(table, name) {
                Column::Means(list) => list,
                Column::Nothing => Vec::new(),
                Column::Unknown => {
                    meanings.unknown.push(name.to_owned());
                    Vec::new()
                }
            };
            let mut of_column = Vec::with_capacity(list.len());
            for meaning in list {
                let scale = meaning.scale;
                let key = (meaning.metric.clone(), meaning.label.clone());
                let known = *numbers.entry(key).or_insert_with(|| {
                    meanings.metrics.push(meaning);
                    meanings.metrics.len() as u32 - 1
                });
                of_column.push((known, scale));
            }
            meanings.columns.push(of_column);
        }
        meanings
    }
}

fn sample<'a>(sheet: &'a Sheet, report: &Report, place: usize) -> Sample<'a> {
    Sample { place, values: sheet.values_of(report), marks: sheet.marks_of(report) }
}

impl<'a> SeriesFiller<'a> {
    fn of(samples: usize) -> Self {
        let (known, series, targets) = (HashMap::new(), Vec::new(), Vec::new());
        Self { samples, known, series, told: None, targets, repeated: 0 }
    }

    /// Takes reports whose cells stand at the same places, each into a sample behind the one before.
    fn take(&mut self, sheet: &Sheet, first: &'a Report, block: &[Sample<'_>], meanings: &Meanings) {
        if !self.told.is_some_and(|told| sheet.are_alike(told, first)) {
            self.tell(sheet.places_of(first), meanings);
            self.told = Some(first);
        }
        let Self { series, targets, repeated, samples, .. } = self;
        for Target { cell, series: at, scale, adds } in targets {
            let into = &mut series[*at].1;
            for Sample { place, values, marks } in block {
                let number = values.get(*cell).zip(marks.get(*cell));
                let Some(number) = number.map(|(value, mark)| Number::of_mark(*value, *mark)) else {
                    continue;
                };
                let value = number.value * if number.in_bytes { 1.0 } else { *scale };
                match into.get_mut(*place) {
                    Some(Some(sum)) if *adds => *sum += value,
                    Some(Some(_)) => *repeated += 1,
                    Some(slot) => *slot = Some(value),
                    None if place < samples => {
                        into.resize(*place, None);
                        into.push(Some(value));
                    }
                    None => {}
                }
            }
        }
    }

    /// Finds out where the cells of reports with these places go.
    fn tell(&mut self, places: &[Place], meanings: &Meanings) {
        let Self { samples, known, series, targets, .. } = self;
        targets.clear();
        for (cell, (column, thing)) in places.iter().enumerate() {
            for (metric, scale) in meanings.columns.get(*column as usize).into_iter().flatten() {
                let meaning = &meanings.metrics[*metric as usize];
                let fixed = matches!(meaning.label, Label::Fixed(_));
                let key = (*metric, if fixed { 0 } else { *thing });
                let at = *known.entry(key).or_insert_with(|| {
                    series.push((key, Vec::with_capacity(*samples)));
                    series.len() - 1
                });
                targets.push(Target { cell, series: at, scale: *scale, adds: meaning.adds });
            }
        }
    }

    fn bytes(&self) -> usize {
        self.series.len().saturating_mul(SERIES_BYTES + self.samples.saturating_mul(16))
    }

    fn finish(self, tool: &str, sheet: &Sheet, meanings: &Meanings) -> Vec<MetricSeries> {
        let mut list = Vec::with_capacity(self.series.len());
        for ((metric, thing), mut values) in self.series {
            values.resize(self.samples, None);
            let meaning = &meanings.metrics[metric as usize];
            let thing = sheet.things.word(thing);
            let label = match &meaning.label {
                Label::Row => thing.to_owned(),
                Label::Fixed(label) => (*label).to_owned(),
                Label::Part(part) if thing.is_empty() => part.clone(),
                Label::Part(part) => format!("{part} on {thing}"),
            };
            let (metric, unit) = (meaning.metric.to_string(), meaning.unit.to_owned());
            list.push(MetricSeries { metric, label, unit, source: tool.to_owned(), values });
        }
        list
    }
}

fn out_of_proportion(tool: &'static str, filling: &SeriesFiller<'_>) -> Refusal {
    let (series, samples) = (filling.series.len(), filling.samples);
    let cause =
        format!("{series} series of {samples} samples each, nearly all of them empty, for so short a text");
    Refusal::new(tool, cause).or("import the reports of fewer devices, or of a shorter time, at once")
}

fn nothing_kept(tool: &'static str, sheet: &Sheet, meanings: &Meanings) -> Refusal {
    let mut cause = "it has no number under a column that is known".to_owned();
    if !meanings.unknown.is_empty() {
        cause += &format!("; its columns are {}", list(&meanings.unknown));
    } else if let Some((_, line)) = &sheet.strange {
        cause += &format!("; its first line is `{line}`");
    }
    Refusal::new(tool, cause)
}

/// What a reader of the series has to know.
fn notes(
    sheet: &Sheet,
    times: Times,
    meanings: &Meanings,
    since_boot: &[MetricSeries],
    repeated: u64,
) -> Vec<String> {
    let mut notes = sheet.notes.clone();
    if !meanings.unknown.is_empty() {
        notes.push(format!("columns left out because they are not known: {}", list(&meanings.unknown)));
    }
    if !since_boot.is_empty() {
        notes.push(
            "the first report is taken for the mean since the machine started and kept apart".to_owned(),
        );
    }
    if times == Times::Counted && interval_reports(sheet).next().is_some() {
        notes.push("no times are stated: reports are counted, and 1 s stands for one interval".to_owned());
    }
    if let Some((stamp, text)) = sheet.zero.as_ref().filter(|(stamp, _)| stamp.utc_s().is_none()) {
        let missing = match stamp.day {
            None => "date and time zone,",
            Some(day) if day.certain().is_none() => "time zone, and the order of day and month,",
            Some(_) => "time zone,",
        };
        notes.push(format!(
            "the first stamp is {text}, without its {missing} so that no moment of the world can be given"
        ));
    }
    if repeated > 0 {
        notes.push(format!("{repeated} numbers were there twice for the same moment; the first was kept"));
    }
    if let Some((count, line)) = &sheet.strange {
        notes.push(format!(
            "{count} lines do not belong to the output and were left out; the first is `{line}`"
        ));
    }
    notes
}

fn list(names: &[String]) -> String {
    const MOST: usize = 12;
    let mut text = names.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text += &format!(" and {} more", names.len() - MOST);
    }
    text
}
