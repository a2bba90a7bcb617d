//! Run records in forms that other tools read: CSV, Parquet, OpenMetrics, fio's JSON.
//!
//! CSV and Parquet are one table, whose columns are [`COLUMNS`]: a row for each direction of a run's
//! summary, of each of its seconds, and for each value of its telemetry. What a record does not hold is an
//! empty cell, never 0. Runs are written one after the other, so that a campaign of any length needs the
//! memory of one run; OpenMetrics alone wants each metric in one piece and keeps its text until the end.

mod csv;
mod fleet_row;
pub mod openmetrics;
mod parquet;
mod record_columns;
mod record_rows;
pub mod row_writer;

use std::io::{self, Write};

use fathom_record::RunRecord;
use fathom_tools::fio::result_forms::RunsAsJobs;

pub use fleet_row::{GroupedRow, PricedRow};
pub use record_columns::{COLUMNS, Column, Kind, Value};

/// A form that records can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One table as text, RFC 4180.
    Csv,
    /// The same table by columns, for DuckDB, pandas, Spark and their like.
    Parquet,
    /// Time series as text, for Prometheus and its like.
    OpenMetrics,
    /// fio's JSON+ output, for scripts that read fio's results.
    FioJson,
}

/// Takes runs and writes them in one form.
pub trait Exporter {
    /// Writes a run.
    ///
    /// # Errors
    /// As the output reports them.
    fn run(&mut self, run: &RunRecord) -> io::Result<()>;

    /// Writes what comes after the last run. Without this the output is not valid.
    ///
    /// # Errors
    /// As the output reports them.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl<W: Write> Exporter for RunsAsJobs<W> {
    fn run(&mut self, run: &RunRecord) -> io::Result<()> {
        RunsAsJobs::run(self, run)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        RunsAsJobs::finish(*self)
    }
}

impl Form {
    /// Whether the output is text that a terminal can show.
    pub fn is_text(self) -> bool {
        self != Self::Parquet
    }

    /// An exporter of this form that writes to `out`.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin<'a>(self, out: impl Write + 'a) -> io::Result<Box<dyn Exporter + 'a>> {
        Ok(match self {
            Self::Csv => Box::new(csv::Csv::begin(out, COLUMNS.iter().map(|column| column.name))?),
            Self::Parquet => {
                let columns =
                    COLUMNS.iter().map(|c| row_writer::Shape { name: c.name, kind: c.kind, what: c.what });
                Box::new(parquet::Parquet::begin(out, &columns.collect::<Vec<_>>())?)
            }
            Self::OpenMetrics => Box::new(openmetrics::OpenMetrics::new(out)),
            Self::FioJson => Box::new(RunsAsJobs::begin(out)?),
        })
    }
}
