//! Which column of a table means what: by usual names, or as the user says.

use fathom_record::shell::is_obeyed;
use fathom_tools::{Fault, Refusal};

/// Letters of a header that a refusal shows.
const SHOWN_LETTERS: usize = 300;

/// Whether a table's values are rates or counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Per second.
    PerSecond,
    /// Per row: counts since the row before.
    PerRow,
}

/// What a column means, and the names that are taken for it.
const MEANINGS: [(&str, &[&str]); 5] = [
    ("time", &["time", "timestamp", "ts", "unix_time", "datetime", "date", "epoch"]),
    ("reads", &["reads", "read_ops", "read_iops", "riops", "r/s", "reads_per_s", "volumereadops"]),
    ("writes", &["writes", "write_ops", "write_iops", "wiops", "w/s", "writes_per_s", "volumewriteops"]),
    ("read_bytes", &["read_bytes", "rbytes", "read_bytes_per_s", "read_throughput", "volumereadbytes"]),
    ("write_bytes", &["write_bytes", "wbytes", "write_bytes_per_s", "write_throughput", "volumewritebytes"]),
];

/// Positions of the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// In the order of time, reads, writes, read bytes, write bytes.
    pub at: [usize; 5],
    /// What the values are, where a name tells.
    pub told: Option<Values>,
}

impl Columns {
    /// Finds the columns of a header; `mapping` is `reads=COLUMN,...` as the user typed it, or empty.
    ///
    /// # Errors
    /// When a column is missing or not known, with what to type.
    pub fn find(header: &[String], mapping: &str) -> Result<Self, Refusal> {
        let refused = |cause: String| {
            let columns: String =
                header.join(", ").chars().filter(|c| !is_obeyed(*c)).take(SHOWN_LETTERS).collect();
            Refusal::new("a table of demand", cause).at("the header").or(format!(
                "name the columns, e.g. --columns time=...,reads=...,writes=...,read_bytes=...,write_bytes=...; it has {columns}"
            ))
        };
        if let Some(refusal) = divided_otherwise(header) {
            return Err(refusal);
        }
        let mut own = Vec::new();
        for part in mapping.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let pair = part.split_once('=').map(|(meaning, name)| (meaning.trim(), name.trim()));
            match pair.filter(|(meaning, _)| MEANINGS.iter().any(|(known, _)| known == meaning)) {
                Some(pair) => own.push(pair),
                None => return Err(refused(format!("{part:?} maps nothing that is known"))),
            }
        }
        let mut at = [0; 5];
        for (place, (meaning, usual)) in at.iter_mut().zip(MEANINGS) {
            let found = match own.iter().find(|(of, _)| *of == meaning) {
                Some((_, wanted)) => column(header, &[*wanted]),
                None => column(header, usual),
            };
            let found = found.map_err(|fault| refused(fault.cause))?;
            *place = found.ok_or_else(|| refused(format!("no column for {meaning}")))?;
        }
        if let Some(twice) = (1..at.len()).find(|later| at[..*later].contains(&at[*later])) {
            let cause = format!("its column {} is given two meanings", header[at[twice]]);
            return Err(refused(cause));
        }
        Ok(Self { at, told: told(header, &at[1..]) })
    }
}

/// That a table's cells are not divided by commas, where its header shows that.
pub fn divided_otherwise(header: &[String]) -> Option<Refusal> {
    let [only] = header else { return None };
    let (_, word, to_type) = [('\t', "tabs", "\\t"), (';', "semicolons", ";"), ('|', "bars", "|")]
        .into_iter()
        .find(|(sign, _, _)| only.contains(*sign))?;
    let refusal = Refusal::new("a table", format!("its cells are divided by {word}, and commas are needed"));
    Some(refusal.at("the header").or(format!(
        "where no cell holds a comma: tr '{to_type}' ',' < table > table.csv; otherwise: duckdb -c \"COPY (FROM read_csv('table', delim='{to_type}')) TO 'table.csv'\""
    )))
}

/// The column of the first of some names that there is one of, so that `time` comes before `date`.
///
/// # Errors
/// When several columns have that name.
pub fn column(header: &[String], names: &[&str]) -> Result<Option<usize>, Fault> {
    for wanted in names {
        let mut columns =
            header.iter().enumerate().filter(|(_, name)| name.trim().eq_ignore_ascii_case(wanted));
        if let Some((at, name)) = columns.next() {
            return match columns.next() {
                Some(_) => Err(format!("several of its columns are called {}", name.trim()).into()),
                None => Ok(Some(at)),
            };
        }
    }
    Ok(None)
}

/// What the names of some columns say of their values; nothing where they contradict each other.
fn told(header: &[String], at: &[usize]) -> Option<Values> {
    let mut kinds = at.iter().filter_map(|at| kind(&header[*at]));
    let first = kinds.next()?;
    kinds.all(|kind| kind == first).then_some(first)
}

/// What a column's name says of its values.
fn kind(name: &str) -> Option<Values> {
    let name = name.to_ascii_lowercase();
    if name.starts_with("volume") {
        return Some(Values::PerRow);
    }
    let rate = ["/s", "per_s", "iops", "_rate", "throughput"].iter().any(|mark| name.contains(mark));
    rate.then_some(Values::PerSecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &str, mapping: &str) -> Result<Columns, Refusal> {
        let header: Vec<String> = header.split(',').map(str::to_owned).collect();
        Columns::find(&header, mapping)
    }

    #[test]
    fn a_day_s_date_is_no_row_s_time_where_there_is_one() {
        let found = find("date,reads,writes,read_bytes,write_bytes,timestamp", "").unwrap();
        assert_eq!(found.at, [5, 1, 2, 3, 4]);
        assert_eq!(find("date,reads,writes,read_bytes,write_bytes", "").unwrap().at[0], 0);
    }

    #[test]
    fn columns_that_are_not_told_apart_are_refused() {
        for (header, mapping, told) in [
            ("time,reads,Reads,writes,read_bytes,write_bytes", "", "several of its columns are called reads"),
            ("time\treads\twrites", "", "divided by tabs"),
            ("time;reads;writes", "", "divided by semicolons"),
            ("time,ops,read_bytes,write_bytes", "reads=ops,writes=ops", "ops is given two meanings"),
        ] {
            let refused = find(header, mapping).unwrap_err();
            assert!(refused.cause.contains(told), "{refused}");
        }
    }

    #[test]
    fn names_that_contradict_each_other_tell_nothing() {
        assert_eq!(
            find("time,read_iops,write_iops,read_bytes,write_bytes", "").unwrap().told,
            Some(Values::PerSecond)
        );
        assert_eq!(find("time,VolumeReadOps,VolumeWriteOps,read_throughput,wbytes", "").unwrap().told, None);
    }
}
