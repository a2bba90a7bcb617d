//! A table of published results as a spreadsheet writes it: a line of names, and a line for each row.

use fathom_tools::Refusal;
use toml::{Table, Value};

use super::published_table::PublishedTable;
use super::row::PublishedRow;
use super::table_refusal::refused;
use super::table_validation::{self, EXPECTED};

/// What separates values, as spreadsheets of several languages write them.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// Whether a text begins with the names of a table's columns: one of them is `pattern`.
pub fn is_separated(text: &str) -> bool {
    names(text).is_some()
}

/// The separator, and the names of the columns.
fn names(text: &str) -> Option<(u8, Vec<String>)> {
    let first = text.trim_start_matches('\u{feff}').lines().next()?;
    let of = |separator: u8| -> Vec<String> {
        first.split(char::from(separator)).map(|name| name.trim().trim_matches('"').to_lowercase()).collect()
    };
    let all = SEPARATORS.into_iter().map(|separator| (separator, of(separator)));
    all.filter(|(_, names)| names.iter().any(|name| name == "pattern")).max_by_key(|(_, names)| names.len())
}

/// Reads rows, of which empty values are not stated. Where values are not separated by commas, a comma in a number is
/// the decimal point.
///
/// # Errors
/// When a line has more or fewer values than names, names a column that rows do not have, or states what no run gives.
pub fn parse_separated(text: &str, title: &str) -> Result<PublishedTable, Refusal> {
    let text = text.trim_start_matches('\u{feff}');
    let Some((separator, names)) = names(text) else {
        return Err(Refusal::new(EXPECTED, "its first line names no column \"pattern\"")
            .or("write pattern,block_bytes,read_percent,iops and a line for each row"));
    };
    let has_decimal_commas = separator != b',' && has_decimal_commas(text, separator);
    let may_be_thousands = separator == b';' && !has_decimal_commas && !has_decimal_points(text);
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).from_reader(text.as_bytes());
    let mut rows: Vec<PublishedRow> = Vec::new();
    for (at, record) in reader.records().enumerate() {
        let line = format!("line {}", at + 2);
        let record = record.map_err(|error| Refusal::caused_by(EXPECTED, error).at(line.as_str()))?;
        if record.iter().all(|value| value.trim().is_empty()) {
            continue;
        }
        if let Some(value) = record.iter().find(|value| may_be_thousands && is_grouped(value)) {
            let cause = format!("{value} is a thousand times as much where points part thousands");
            let remedy = format!("write {} or {}", value.replace('.', ""), value.replacen('.', ",", 1));
            return Err(Refusal::new(EXPECTED, cause).at(line).or(remedy));
        }
        rows.push(row(&names, &record, has_decimal_commas).map_err(|refusal| refusal.at(line))?);
    }
    if rows.is_empty() {
        return Err(Refusal::new(EXPECTED, "it has no row below its names"));
    }
    let found = PublishedTable { title: title.to_owned(), rows, ..PublishedTable::default() };
    table_validation::figures(&found, "")?;
    Ok(found)
}

fn row(
    names: &[String],
    record: &csv::StringRecord,
    has_decimal_commas: bool,
) -> Result<PublishedRow, Refusal> {
    let mut table = Table::new();
    for (name, value) in names.iter().zip(record) {
        let value = value.trim();
        if !value.is_empty() && !name.is_empty() {
            table.insert(name.clone(), typed(name, value, has_decimal_commas));
        }
    }
    fathom_toml::of_values(table).map_err(|fault| refused(fault, ""))
}

/// Whether a number of the rows is written with a point that parts no thousands, so that all points are decimal ones.
fn has_decimal_points(text: &str) -> bool {
    let values = text.lines().skip(1).flat_map(|line| line.split(';')).map(str::trim);
    values.filter(|value| value.contains('.') && value.parse::<f64>().is_ok()).any(|value| !is_grouped(value))
}

/// Whether a point stands before three digits, as it does where it parts thousands.
fn is_grouped(value: &str) -> bool {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    value.trim().split_once('.').is_some_and(|(before, after)| {
        is_digits(before)
            && !before.starts_with('0')
            && before.len() <= 3
            && is_digits(after)
            && after.len() == 3
    })
}

/// Whether a file writes numbers with a decimal comma: then its points part thousands, in all of its numbers.
fn has_decimal_commas(text: &str, separator: u8) -> bool {
    let is_number = |value: &str| value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-'));
    let values = text.lines().skip(1).flat_map(|line| line.split(char::from(separator))).map(str::trim);
    values.filter(|value| value.contains(',')).any(is_number)
}

/// Columns whose values are words even where they look like numbers.
const WORDS: [&str; 9] =
    ["pattern", "side", "host", "software", "version", "setting", "phase", "unit", "numa"];

/// A value as its text says: a number, a truth, or words.
fn typed(name: &str, value: &str, has_decimal_commas: bool) -> Value {
    if WORDS.contains(&name) {
        return Value::String(value.to_owned());
    }
    let number = || {
        let plain = value.parse::<f64>().ok();
        let decimal = || value.replace('.', "").replace(',', ".").parse::<f64>().ok();
        if has_decimal_commas { decimal() } else { plain }
    };
    match (value, number()) {
        (_, Some(number)) => Value::Float(number),
        ("true", _) => Value::Boolean(true),
        ("false", _) => Value::Boolean(false),
        _ => Value::String(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        parse_separated(text, "t").map_or_else(|refusal| refusal.to_string(), |_| "read".to_owned())
    }

    #[test]
    fn rows_of_a_spreadsheet_are_those_of_a_table() {
        let text = "pattern,block_bytes,order,read_percent,depth,iops,below\na,4096,random,100,32,3000,\nb,4096,random,100,64,3000,true\n";
        assert!(is_separated(text));
        let found = parse_separated(text, "t").unwrap();
        assert_eq!(found.rows.len(), 2);
        assert_eq!((found.rows[0].iops, found.rows[0].below), (Some(3000.0), false));
        assert!(found.rows[1].below);
    }

    #[test]
    fn decimals_of_another_language_are_read_where_commas_separate_nothing() {
        let text = "pattern;latency_us;throughput;unit;version;iops\na;1.234,5;3,25;MB/s;1,2;12.000\n";
        let row = &parse_separated(text, "t").unwrap().rows[0];
        assert_eq!((row.latency_us, row.throughput), (Some(1234.5), Some(3.25)));
        assert_eq!((row.version.as_deref(), row.iops), (Some("1,2"), Some(12_000.0)));
        for unclear in ["pattern;iops\na;12.000\n", "pattern;depth;iops\na;8;3.000\nb;4;900\n"] {
            let said = said(unclear);
            assert!(
                said.contains("line 2") && said.contains("thousand") && said.contains("000 or "),
                "{said}"
            );
        }
        for (clear, rate) in
            [("pattern;latency_us;iops\na;1.5;12.000\n", 12.0), ("pattern;iops\na;0.125\n", 0.125)]
        {
            assert_eq!(parse_separated(clear, "t").unwrap().rows[0].iops, Some(rate));
        }
        let plain = "pattern;latency_us\na;1.5\n";
        assert_eq!(parse_separated(plain, "t").unwrap().rows[0].latency_us, Some(1.5));
    }

    #[test]
    fn what_is_no_such_table_is_refused_by_line_and_name() {
        assert!(!is_separated("time,iops\n1,2\n"));
        assert!(said("pattern,ipos\na,3\n").contains("did you mean \"iops\"?"));
        assert!(said("pattern,iops\na,3,4\n").contains("line 2"));
        assert!(said("pattern,depth\na,-1\n").contains("depth = -1"));
        assert!(said("pattern,iops\na,many\n").contains("line 2"));
        assert!(said("pattern,iops\n").contains("no row"));
        assert!(said("pattern,label\na,link\n").contains("label"));
    }
}
