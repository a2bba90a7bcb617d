//! What another tool saw of a machine, as fathom's own telemetry series.
//!
//! A tool's folder reads its text into a [`Sheet`] in the tool's own words (its columns, its devices, its
//! stamps), and says of each column what it [means](Meaning). This folder makes series of the two: in
//! fathom's units, on one time axis, with what could not be kept named in a note.

mod assemble;
mod banner;
mod contradiction;
mod json_tree;
mod meaning;
mod printed_numbers;
mod report_time;
mod stamped_lines;
mod terminal_codes;
mod text_sheet;

use fathom_record::telemetry::{MetricSeries, Telemetry};

pub use banner::{Banner, banner};
pub use contradiction::{Contradiction, Contradictions, Row, rows};
pub use json_tree::{Tree, parse_json};
pub use meaning::{Column, Label, Meaning, bytes, bytes_per_s, none, plain, share, time_ms};
pub use printed_numbers::{Number, bare_number, decimal, number};
pub use report_time::{Day, Stamp, Timeline, stamp};
pub use stamped_lines::{Grammar, read_stamped};
pub use terminal_codes::{plain_text, without_colours};
pub use text_sheet::{Cell, Cells, Names, Report, ReportKind, Sheet};

pub(crate) use assemble::assemble;

/// How a text's reports lie in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// The text states when each report was made, or how long after the start.
    Stamped,
    /// It states none: `at_ns` counts reports, one second each, and is no time.
    Counted,
}

/// What one text of another tool says of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineTables {
    /// The tool, as `iostat`.
    pub tool: &'static str,
    /// Which of its versions print such a text, where the columns tell; empty otherwise.
    pub era: &'static str,
    /// The machine, as the text's first line names it.
    pub banner: Option<Banner>,
    /// Whether `telemetry.at_ns` is time.
    pub times: Times,
    /// The first stamp as the text has it; local time of an unknown zone unless `start_utc_s` is there.
    pub first_stamp: Option<String>,
    /// Seconds from 1970 to the zero of `telemetry.at_ns`, where date and zone are stated.
    pub start_utc_s: Option<i64>,
    /// The series, one value a report.
    pub telemetry: Telemetry,
    /// Means since the machine's start, from a first report that the tool makes of the counters
    /// themselves: one value each, kept apart from what was measured.
    pub since_boot: Vec<MetricSeries>,
    /// The tool's own means over all its reports: one value each, to hold the series against.
    pub averages: Vec<MetricSeries>,
    /// What was left out, read with doubt, or not stated, a sentence each.
    pub notes: Vec<String>,
}
