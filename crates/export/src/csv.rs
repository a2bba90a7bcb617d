//! The table as text: a header, commas, quotes where a text needs them (RFC 4180, lines end with `\n`).

use std::io::{self, Write};

use fathom_record::RunRecord;

use super::Exporter;
use super::record_columns::{COLUMNS, Value};
use super::record_rows::lines;

/// Writes the table as text.
pub struct Csv<W> {
    out: W,
}

impl<W: Write> Csv<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin(mut out: W) -> io::Result<Self> {
        let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(Self { out })
    }
}

impl<W: Write> Exporter for Csv<W> {
    fn run(&mut self, run: &RunRecord) -> io::Result<()> {
        lines(run, &mut |line| {
            for (number, column) in COLUMNS.iter().enumerate() {
                if number > 0 {
                    self.out.write_all(b",")?;
                }
                cell(&mut self.out, &column.of(line))?;
            }
            self.out.write_all(b"\n")
        })
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

pub(super) fn cell(out: &mut impl Write, value: &Value) -> io::Result<()> {
    match value {
        Value::Absent => Ok(()),
        Value::Text(text) if text.contains(['"', ',', '\n', '\r']) => {
            write!(out, "\"{}\"", text.replace('"', "\"\""))
        }
        Value::Text(text) => write!(out, "{text}"),
        Value::Integer(number) => write!(out, "{number}"),
        // The shortest form that reads back as the same number.
        Value::Real(number) if number.is_finite() => write!(out, "{number}"),
        Value::Real(_) => Ok(()),
        Value::Flag(flag) => write!(out, "{flag}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let written = |value: Value| {
            let mut out = Vec::new();
            cell(&mut out, &value).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(Value::Text("a,\"b\"".to_owned())), "\"a,\"\"b\"\"\"");
        assert_eq!(written(Value::Text("plain".to_owned())), "plain");
        assert_eq!(written(Value::Real(0.1 + 0.2)), "0.30000000000000004");
        assert_eq!(written(Value::Real(f64::NAN)), "");
        assert_eq!(written(Value::Absent), "");
        assert_eq!(written(Value::Integer(u64::MAX)), "18446744073709551615");
    }
}
