//! The table as text: a header, commas, quotes where a text needs them (RFC 4180, lines end with `\n`).

use std::fmt::Write as _;
use std::io::{self, Write};

use csv::{ErrorKind, Writer};
use fathom_record::RunRecord;

use super::Exporter;
use super::record_columns::{COLUMNS, Value};
use super::record_rows::lines;

/// Writes a table as text.
pub struct Csv<W: Write> {
    out: Writer<W>,
    /// The number that is being written.
    number: String,
}

impl<W: Write> Csv<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin(out: W, names: impl Iterator<Item = &'static str>) -> io::Result<Self> {
        let mut out = Writer::from_writer(out);
        out.write_record(names.map(str::as_bytes)).map_err(cause)?;
        Ok(Self { out, number: String::new() })
    }

    /// Writes a row: a value for each column, in their order.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn row(&mut self, values: impl Iterator<Item = Value>) -> io::Result<()> {
        values.into_iter().try_for_each(|value| self.cell(&value))?;
        self.out.write_record(None::<&[u8]>).map_err(cause)
    }

    /// Writes what waits.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn cell(&mut self, value: &Value) -> io::Result<()> {
        self.number.clear();
        let written = match value {
            Value::Text(text) => return self.out.write_field(text).map_err(cause),
            Value::Integer(number) => write!(self.number, "{number}"),
            // The shortest form that reads back as the same number.
            Value::Real(number) if number.is_finite() => write!(self.number, "{number}"),
            Value::Flag(flag) => write!(self.number, "{flag}"),
            Value::Absent | Value::Real(_) => Ok(()),
        };
        written.map_err(io::Error::other)?;
        self.out.write_field(&self.number).map_err(cause)
    }
}

impl<W: Write> Exporter for Csv<W> {
    fn run(&mut self, run: &RunRecord) -> io::Result<()> {
        lines(run, &mut |line| self.row(COLUMNS.iter().map(|column| column.of(line))))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.end()
    }
}

/// What the output reported; a reader that has gone is told from other failures by it.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let text = |text: &str| Value::Text(text.to_owned());
        let mut out = Vec::new();
        let mut table = Csv::begin(&mut out, ["a", "b_us", "c"].into_iter()).unwrap();
        let rows = [
            [text("a,\"b\""), text(" plain "), text("two\nlines")],
            [Value::Real(0.1 + 0.2), Value::Real(f64::NAN), Value::Absent],
            [Value::Real(1e21), Value::Integer(u64::MAX), Value::Flag(true)],
            [Value::Absent, text(""), text("\r")],
        ];
        rows.into_iter().for_each(|row| table.row(row.into_iter()).unwrap());
        table.end().unwrap();
        drop(table);
        let wanted = "a,b_us,c\n\"a,\"\"b\"\"\", plain ,\"two\nlines\"\n0.30000000000000004,,\n\
                      1000000000000000000000,18446744073709551615,true\n,,\"\r\"\n";
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }

    #[test]
    fn a_reader_that_has_gone_is_seen() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut table = Csv::begin(Gone, ["a"].into_iter()).unwrap();
        let long = Value::Text("x".repeat(100_000));
        assert_eq!(table.row([long].into_iter()).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
