//! Rows of any table in forms that other tools read: CSV, Parquet, and JSON lines.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::csv::Csv;
use super::parquet::Parquet;
use super::record_columns::{Kind, Value};

/// A column as a file names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its name, with the unit.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What that is, for people.
    pub what: &'static str,
}

/// A form of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowForm {
    /// Text with a header, RFC 4180.
    Csv,
    /// A JSON document a line.
    JsonLines,
    /// By columns.
    Parquet,
}

impl RowForm {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// Rows that are columns and documents at once.
pub trait Row: Serialize {
    /// Its columns.
    fn shapes() -> Vec<Shape>;

    /// Its values, in the columns' order.
    fn values(&self) -> Vec<Value>;
}

/// Writes rows in one form.
pub enum RowWriter<W: Write> {
    /// Text.
    Csv(Csv<W>),
    /// Documents.
    JsonLines(W),
    /// Columns.
    Parquet(Parquet<W>),
}

impl<W: Write> RowWriter<W> {
    /// Writes what comes before the first row.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin<R: Row>(form: RowForm, out: W) -> io::Result<Self> {
        Ok(match form {
            RowForm::Csv => Self::Csv(Csv::begin(out, R::shapes().into_iter().map(|shape| shape.name))?),
            RowForm::JsonLines => Self::JsonLines(out),
            RowForm::Parquet => Self::Parquet(Parquet::begin(out, &R::shapes())?),
        })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn row<R: Row>(&mut self, row: &R) -> io::Result<()> {
        match self {
            Self::Csv(table) => table.row(row.values().into_iter()),
            Self::JsonLines(out) => {
                serde_json::to_writer(&mut *out, row)?;
                out.write_all(b"\n")
            }
            Self::Parquet(table) => table.row(row.values().into_iter()),
        }
    }

    /// Writes what comes behind the last row. Without this the file is not whole.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Csv(mut table) => table.end(),
            Self::JsonLines(mut out) => out.flush(),
            Self::Parquet(mut table) => table.end(),
        }
    }
}
