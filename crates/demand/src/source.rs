//! Demand from texts of any kind that is known: told apart by their content, put together where several
//! texts are parts of one.

use fathom_record::{Direction, parse_profile, parse_run};
use fathom_rows::trace_demand::{self, TraceSelection};
use fathom_rows::{DemandReport, Hints, Interval, of_counts, rows, ticks};
use fathom_sizing::demand_profile::demand_of;
use fathom_tools::foreign_series::MachineTables;
use fathom_tools::result_import::{narrow, packed};
use fathom_tools::{Refusal, observers};

use crate::monitors::{self, Monitor};
use crate::observed_disk::Disk;
use crate::prometheus::Selection;
use crate::{cloudwatch, prometheus, text_diagnosis};

/// Bytes at the start of a text that tell its kind.
const START_BYTES: usize = 32 * 1024;

/// One text with the name of its file.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// For messages.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Profile,
    Run,
    Prometheus,
    CloudWatch,
    Monitored(Monitor),
    Observed,
    Trace,
    Table,
}

/// How a run record says what it is.
const RUN: &str = "\"format\":\"fathom.run\"";
/// How it begins with its result in front.
const RESULT: &str = "{\"result\":{\"valid\":";

/// Whether a text is a run record behind its result.
fn begins_run(start: &str) -> bool {
    start.chars().filter(|c| !c.is_whitespace()).collect::<String>().contains(RUN)
}

impl Kind {
    /// Of text in UTF-8.
    fn of(bytes: &[u8], hints: &Hints<'_>) -> Self {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START_BYTES)]);
        let start = start.trim_start_matches('\u{feff}');
        let is_json = start.trim_start().starts_with(['{', '[']);
        let squeezed: String = start.chars().filter(|c| !c.is_whitespace()).take(60).collect();
        if is_json && squeezed.contains("\"format\":\"fathom.profile\"") {
            Self::Profile
        } else if is_json && (squeezed.contains(RUN) || squeezed.starts_with(RESULT) && begins_run(start)) {
            Self::Run
        } else if is_json && let Some(monitor) = Monitor::of(start) {
            Self::Monitored(monitor)
        } else if is_json && prometheus::recognise(start) {
            Self::Prometheus
        } else if is_json && cloudwatch::recognise(start) {
            Self::CloudWatch
        } else if observers::observer(bytes).is_some() {
            Self::Observed
        } else if trace_demand::recognise(start) || trace_demand::recognise_table(start, hints.columns) {
            Self::Trace
        } else {
            Self::Table
        }
    }

    /// In words, where it is a demand by its content and not only by its shape.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Profile => Some("fathom's own profile"),
            Self::Prometheus => Some("an answer of Prometheus"),
            Self::CloudWatch => Some("metrics of CloudWatch"),
            Self::Monitored(monitor) => Some(monitor.words()),
            Self::Trace => Some("a block trace"),
            Self::Run | Self::Observed | Self::Table => None,
        }
    }
}

/// What demand the start of a text is known for, in words; absent for what is none, and for telemetry and runs.
pub fn what(start: &[u8]) -> Option<&'static str> {
    Kind::of(start, &Hints::default()).word()
}

/// The demand in some texts, which must be of one kind, in UTF-8 or by its byte order mark in UTF-16.
///
/// # Errors
/// When they are of several kinds, one is of none, or no demand is in them; the place begins with the
/// text's name where there are several.
pub fn read(texts: &[Text<'_>], hints: &Hints<'_>) -> Result<DemandReport, Refusal> {
    for text in texts {
        if let Some(packed) = packed(text.bytes, text.name) {
            return Err(placed(packed.of("a demand"), text, texts.len()));
        }
    }
    let narrowed: Vec<_> = texts.iter().map(|text| (text.name, narrow(text.bytes))).collect();
    let texts: Vec<Text<'_>> = narrowed.iter().map(|(name, bytes)| Text { name, bytes }).collect();
    let first = texts.first().ok_or_else(|| Refusal::new("a demand", "no file is named"))?;
    let kind = Kind::of(first.bytes, hints);
    if let Some(other) = texts.iter().find(|text| Kind::of(text.bytes, hints) != kind) {
        let cause = format!("{} is of another kind than {}", other.name, first.name);
        return Err(Refusal::new("a demand", cause).or("give files of one kind at a time"));
    }
    if let Some(host) = hints.instance
        && !matches!(kind, Kind::Prometheus | Kind::Trace | Kind::Observed)
    {
        let cause = format!("it names no host, and so none called {host}");
        return Err(Refusal::new("a demand", cause).or("leave --host out"));
    }
    of_kind(kind, &texts, hints)
}

fn of_kind(kind: Kind, texts: &[Text<'_>], hints: &Hints<'_>) -> Result<DemandReport, Refusal> {
    let bytes: Vec<&[u8]> = texts.iter().map(|text| text.bytes).collect();
    match kind {
        Kind::Profile => match texts {
            [only] => profile(only.bytes),
            _ => Err(Refusal::new("a profile", "several are named").or("name one")),
        },
        Kind::Run => match texts {
            [only] => run(only.bytes),
            _ => Err(Refusal::new("a run", "several are named").or("name one")),
        },
        Kind::Prometheus => {
            let selection = Selection { device: hints.device, instance: hints.instance, matchers: "" };
            prometheus::read(&bytes, &selection)
        }
        Kind::CloudWatch => cloudwatch::read(&bytes, hints.device),
        Kind::Monitored(monitor) => monitors::read(monitor, &bytes, hints.device, hints.values),
        Kind::Observed => observed(texts, hints),
        Kind::Trace => {
            let texts: Vec<_> = bytes.iter().map(|bytes| fathom_tools::result_import::lossy(bytes)).collect();
            let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            trace_demand::read(
                &texts,
                TraceSelection { host: hints.instance, device: hints.device, columns: hints.columns },
            )
        }
        Kind::Table => tables(texts, hints),
    }
}

fn profile(bytes: &[u8]) -> Result<DemandReport, Refusal> {
    let broken = |cause: String| Refusal::new("a profile", cause).or("make it again with fathom profile");
    let record = parse_profile(bytes).map_err(|error| broken(error.cause.clone()).with_source(error))?;
    Ok(DemandReport {
        demand: demand_of(&record.series).map_err(|error| broken(error.to_string()).with_source(error))?,
        notes: record.notes,
        start_unix_s: record.start_unix_s,
        source: "profile",
        device: record.device,
        directions_known: record.directions_known,
        throttled: record.throttled,
        trace: None,
    })
}

/// The seconds of a run, warm-up included: what its target was asked to do.
fn run(bytes: &[u8]) -> Result<DemandReport, Refusal> {
    let record = parse_run(bytes).map_err(|error| {
        Refusal::new("a run record", error.cause.clone()).or(error.remedy.clone()).with_source(error)
    })?;
    let interval = |interval: &fathom_record::series::Interval| {
        let of = |direction: Direction| {
            let entry = interval.directions.iter().find(|entry| entry.direction == direction);
            entry.map_or((0.0, 0.0), |entry| (entry.operations as f64, entry.bytes as f64))
        };
        let ((reads, read_bytes), (writes, write_bytes)) = (of(Direction::Read), of(Direction::Write));
        let end_ns = i64::try_from(interval.start_ns + interval.duration_ns).unwrap_or(i64::MAX);
        Interval { end_ns, reads, writes, read_bytes, write_bytes }
    };
    let whole = |interval: &&fathom_record::series::Interval| interval.duration_ns >= SHORTEST_NS;
    let intervals = record.intervals.iter().filter(whole).map(interval).collect();
    let seen = ticks::regular(Some(0), intervals)?;
    Ok(DemandReport { source: "run", device: Some(record.target.name), ..seen })
}

/// A run's last interval may be cut short; less than this is no second.
const SHORTEST_NS: u64 = 500_000_000;

/// Of several texts each must say its date: otherwise nobody knows how they follow each other.
fn observed(texts: &[Text<'_>], hints: &Hints<'_>) -> Result<DemandReport, Refusal> {
    let mut all = Vec::new();
    let mut notes = Vec::new();
    let (mut start, mut device, mut tool, mut directions_known) = (None, None, "", true);
    let mut dated = true;
    for text in texts {
        let placed = |refusal: Refusal| placed(refusal, text, texts.len());
        let observed = observers::observe(text.bytes).map_err(placed)?;
        refuse_other_host(&observed, hints.instance).map_err(placed)?;
        let base_ns = match observed.start_utc_s {
            Some(seconds) => seconds.saturating_mul(1_000_000_000),
            None if texts.len() == 1 => 0,
            None => {
                let cause = "it states no date with a zone, so the order of the files is not known";
                return Err(placed(
                    Refusal::new(observed.tool, cause).or("give one file, or tables with times"),
                ));
            }
        };
        let disk = Disk::of(&observed, hints.device).map_err(placed)?;
        start = start.or(disk.start_ns.map(|start| start.saturating_add(base_ns)));
        all.extend(disk.intervals.into_iter().map(|mut interval| {
            interval.end_ns = interval.end_ns.saturating_add(base_ns);
            interval
        }));
        notes.extend(observed.notes);
        notes.extend(disk.notes);
        (device, tool) = (Some(disk.name), observed.tool);
        directions_known &= disk.directions_known;
        dated &= observed.start_utc_s.is_some();
    }
    let first_ns = all.iter().map(|interval| interval.end_ns).min();
    // The start of an only interval is its length; of several their distance is.
    let mut seen = ticks::regular(start.filter(|_| all.len() == 1), all)?;
    seen.notes.splice(0..0, notes);
    let tick_s = i64::from(seen.demand.tick_s);
    seen.start_unix_s =
        first_ns.filter(|_| dated).map(|end| end.div_euclid(1_000_000_000).saturating_sub(tick_s));
    Ok(DemandReport { source: tool, device, directions_known, ..seen })
}

/// A text of one machine is of no other one.
fn refuse_other_host(observed: &MachineTables, asked: Option<&str>) -> Result<(), Refusal> {
    let Some(asked) = asked else { return Ok(()) };
    let cause = match observed.banner.as_ref().map(|banner| banner.host.as_str()) {
        Some(host) if host == asked => return Ok(()),
        Some(host) if !host.is_empty() => format!("it is of host {host}, and not of {asked}"),
        _ => format!("it names no host, and so none called {asked}"),
    };
    Err(Refusal::new("a demand", cause).or("leave --host out"))
}

fn tables(texts: &[Text<'_>], hints: &Hints<'_>) -> Result<DemandReport, Refusal> {
    if hints.device.is_some() {
        let no_table =
            texts.iter().find_map(|text| Some(placed(text_diagnosis::refusal(text)?, text, texts.len())));
        return Err(no_table.unwrap_or_else(|| {
            Refusal::new("a table of demand", "a table holds one disk").or("leave --device out")
        }));
    }
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for text in texts {
        let rows = rows(&String::from_utf8_lossy(text.bytes), hints.columns, hints.values);
        let (rows, of_file) = rows
            .map_err(|refusal| placed(text_diagnosis::refusal(text).unwrap_or(refusal), text, texts.len()))?;
        all.extend(rows);
        notes.extend(of_file);
    }
    let first = all.iter().map(|row| row.end_ns).min();
    let mut seen = of_counts(all)?;
    seen.notes.splice(0..0, notes);
    let start = first.map(|end| end.div_euclid(1_000_000_000) - i64::from(seen.demand.tick_s));
    // Times that count from zero are no dates.
    Ok(DemandReport { start_unix_s: start.filter(|start| *start > 100_000_000), ..seen })
}

/// The refusal with the text's name, where there are several.
fn placed(mut refusal: Refusal, text: &Text<'_>, texts: usize) -> Refusal {
    if texts > 1 {
        refusal.place = [text.name, &refusal.place]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
    }
    refusal
}
