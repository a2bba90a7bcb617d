//! Which column of a table means what: by usual names, or as the user says.

use crate::Refusal;

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
            let columns = header.join(", ");
            Refusal::new("a table of demand", cause).at("the header").or(format!(
                "name the columns, as --columns time=...,reads=...,writes=...,read_bytes=...,write_bytes=...; it has {columns}"
            ))
        };
        let mut own = Vec::new();
        for part in mapping.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let pair = part.split_once('=').map(|(meaning, name)| (meaning.trim(), name.trim()));
            match pair.filter(|(meaning, _)| MEANINGS.iter().any(|(known, _)| known == meaning)) {
                Some(pair) => own.push(pair),
                None => return Err(refused(format!("{part:?} maps nothing that is known"))),
            }
        }
        let mut at = [0; 5];
        let mut told = None;
        for (place, (meaning, usual)) in at.iter_mut().zip(MEANINGS) {
            let is = |name: &str, wanted: &str| name.trim().eq_ignore_ascii_case(wanted);
            let found = match own.iter().find(|(of, _)| *of == meaning) {
                Some((_, wanted)) => header.iter().position(|name| is(name, wanted)),
                None => header.iter().position(|name| usual.iter().any(|wanted| is(name, wanted))),
            };
            *place = found.ok_or_else(|| refused(format!("no column for {meaning}")))?;
            told = told.or(kind(&header[*place]));
        }
        Ok(Self { at, told })
    }
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
