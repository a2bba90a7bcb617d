//! Rows of a CSV file as named cells, with a place for every complaint.

use std::collections::HashMap;

use fathom_record::error::Error;

/// Kinds of what is wrong in a file of limits or prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogueErrorKind {
    /// It is not CSV.
    Syntax,
    /// A row lacks a value, or has one that it cannot have.
    Value,
}

/// Why a file of limits or prices is not one. Its place is the file and its line, from 1; 0 for the whole file.
pub type CatalogueError = Error<CatalogueErrorKind>;

/// One row.
pub struct Row<'a> {
    file: &'a str,
    line: u64,
    columns: &'a HashMap<String, usize>,
    cells: csv::StringRecord,
}

fn place(file: &str, line: u64) -> String {
    format!("{file}, line {line}")
}

/// Reads each row of a file with a header, in order.
pub fn read<T>(
    file: &str,
    text: &str,
    mut row: impl FnMut(&Row<'_>) -> Result<T, CatalogueError>,
) -> Result<Vec<T>, CatalogueError> {
    let broken = |error: csv::Error| {
        let place = place(file, error.position().map_or(0, csv::Position::line));
        CatalogueError::new(CatalogueErrorKind::Syntax, place, error.to_string()).with_source(error)
    };
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text.as_bytes());
    let header = reader.headers().map_err(broken)?.clone();
    let columns = header.iter().enumerate().map(|(at, name)| (name.to_owned(), at)).collect();
    let mut rows = Vec::new();
    for cells in reader.records() {
        let cells = cells.map_err(broken)?;
        let line = cells.position().map_or(0, csv::Position::line);
        rows.push(row(&Row { file, line, columns: &columns, cells })?);
    }
    Ok(rows)
}

impl Row<'_> {
    /// A complaint about this row.
    pub fn wrong(&self, cause: impl Into<String>) -> CatalogueError {
        CatalogueError::new(CatalogueErrorKind::Value, place(self.file, self.line), cause)
    }

    /// A cell; empty where the column is missing.
    pub fn text(&self, column: &str) -> &str {
        self.columns.get(column).and_then(|at| self.cells.get(*at)).unwrap_or("")
    }

    /// A cell that must hold something.
    pub fn required(&self, column: &str) -> Result<&str, CatalogueError> {
        match self.text(column) {
            "" => Err(self.wrong(format!("no {column}"))),
            text => Ok(text),
        }
    }

    /// A number without a sign; absent where the cell is empty.
    pub fn number(&self, column: &str) -> Result<Option<f64>, CatalogueError> {
        let text = self.text(column);
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => Ok(Some(value)),
            _ => Err(self.wrong(format!("{column} is not a usable number: {text:?}"))),
        }
    }

    /// A whole number; absent where the cell is empty.
    pub fn whole(&self, column: &str) -> Result<Option<u64>, CatalogueError> {
        let text = self.text(column);
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.wrong(format!("{column} is not a whole number: {text:?}")))
    }
}
