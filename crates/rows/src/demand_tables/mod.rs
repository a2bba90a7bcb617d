//! Demands of many volumes from long tables: rows of one volume after the other, in pieces that are read by
//! themselves.
//!
//! A piece is a stretch of a text or a row group of a Parquet file. Its first and last volume may go on in
//! the pieces beside it, so a reader hands over [`Run`]s of rows, and whoever reads all pieces joins them.
//! Memory is that of the runs that are held, whatever the size of the table.

mod cell_numbers;
mod column_block;
mod column_cell;
mod csv_stretch;
mod latest_facts;
mod moment;
mod row_groups;
mod run_block;
mod run_builder;
mod single_volume;
mod volume_columns;
mod whole_column;

use fathom_record::shell::shell_word;
use fathom_tools::Refusal;
use fathom_tools::result_import::{is_wide, packed};

use crate::{DemandReport, Interval, Values};
pub use cell_numbers::number;
pub use column_block::{RowBlock, spans};
pub use column_cell::{Cell, Cells, is_usable};
pub use csv_stretch::{Header, header, read_text};
pub use latest_facts::Latest;
pub use moment::moment_ns;
pub use row_groups::{Groups, whole_columns};
pub use run_block::{Blocks, put_block, run_of};
pub use run_builder::{RowGatherer, SizeCell};
pub use single_volume::of_parquet;
pub use volume_columns::Layout;
pub use whole_column::{WholeColumn, WholeKind, WordColumn};

/// Whether a file that begins so is Parquet, with a footer that may be read or one that is encrypted.
pub fn is_parquet(start: &[u8]) -> bool {
    start.starts_with(b"PAR1") || start.starts_with(b"PARE")
}

/// Why a file that begins so is neither a table nor a dump as it stands; `name` is what to type for it.
pub fn is_packed(start: &[u8], name: &str) -> Option<Refusal> {
    const EXPECTED: &str = "a table of demand";
    let wide = || {
        let remedy = format!("write it as UTF-8: iconv -f UTF-16 -t UTF-8 {}", shell_word(name));
        is_wide(start).then(|| Refusal::new(EXPECTED, "text in UTF-16").or(remedy))
    };
    packed(start, name).map(|packed| packed.of(EXPECTED)).or_else(wide)
}

/// One row in so many may make no sense and is left out; of a volume with more nothing is believed.
const WRONG_ONE_IN: u64 = 20;

/// Rows of one volume that follow each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The volume's name.
    pub volume: String,
    /// Its size in GiB; none without such a column.
    pub size_gib: Latest<f64>,
    /// Rows whose size is no number from 0 up.
    pub wrong_sizes: u64,
    /// What it is today, e.g. `gp3:iops=6000`; none where the table does not say.
    pub current: Latest<String>,
    /// The instance that it is attached to; none where the table does not say.
    pub instance: Latest<String>,
    /// What it is added up with; none where the table does not say.
    pub group: Latest<String>,
    /// What its cells count, where that is known already; a run of a piece is of the piece's table.
    pub values: Option<Values>,
    /// Whether some of its rows are counts and others rates.
    pub is_mixed: bool,
    /// What its rows hold, as they are in the table.
    pub intervals: Vec<Interval>,
    /// Rows, those that were left out included.
    pub rows: u64,
    /// Rows with an empty cell, which were left out.
    pub empty: u64,
    /// Rows that make no sense, which were left out.
    pub wrong: u64,
    /// What is wrong: of rows the first that makes no sense, with its place. Without such a row, why there are none.
    pub trouble: Option<String>,
    /// What was done to make rows of what is no table, a sentence each.
    pub notes: Vec<String>,
}

/// What to do with a volume when its first row is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Read its rows.
    Rows,
    /// Only say that it is there.
    Name,
}

/// Takes the runs of a piece in their order, and says which volumes are of interest.
pub trait RunSink {
    /// Whether the rows of a volume are wanted.
    fn interest(&self, volume: &[u8]) -> Interest;

    /// Takes a run.
    fn take(&mut self, run: Run);
}

impl Run {
    /// Further rows of the same volume.
    pub fn append(&mut self, next: Self) {
        self.size_gib.merge(next.size_gib);
        self.wrong_sizes += next.wrong_sizes;
        self.current.merge(next.current);
        self.instance.merge(next.instance);
        self.group.merge(next.group);
        self.intervals.extend(next.intervals);
        self.rows += next.rows;
        self.empty += next.empty;
        self.wrong += next.wrong;
        // Which of several is told does not depend on the order that runs come in.
        self.trouble = match (self.trouble.take(), next.trouble) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        };
        self.notes.extend(next.notes);
        self.is_mixed |= next.is_mixed || self.values.zip(next.values).is_some_and(|(a, b)| a != b);
        self.values = self.values.or(next.values);
    }

    /// The demand that its rows add up to; `values` says what they are where they do not say so themselves.
    ///
    /// # Errors
    /// When a row makes no sense, or the rows are no demand.
    pub fn demand(&mut self, values: Values) -> Result<DemandReport, Refusal> {
        let refused = |cause: &str| Refusal::new("a demand", cause);
        if self.is_mixed {
            return Err(refused("its rows are counts in one table and rates in another")
                .or("say --values per-second or per-row where one of them has the wrong names"));
        }
        let few = self.wrong > 0 && self.wrong * (WRONG_ONE_IN - 1) <= self.intervals.len() as u64;
        if let Some(trouble) = self.trouble.as_ref().filter(|_| !few) {
            return Err(refused(trouble));
        }
        let values = self.values.unwrap_or(values);
        let mut seen = crate::of_intervals(std::mem::take(&mut self.intervals), values)?;
        seen.notes.splice(0..0, std::mem::take(&mut self.notes));
        if let Some(trouble) = &self.trouble {
            seen.notes.push(format!("{} rows were left out, the first of them: {trouble}.", self.wrong));
        }
        if self.empty > 0 {
            seen.notes.push(format!("{} rows have an empty cell and were left out.", self.empty));
        }
        Ok(seen)
    }
}

/// A cell's words. Bytes that are no text stay apart from each other, so that no two names become one.
fn words_of(cell: &[u8]) -> String {
    match std::str::from_utf8(cell) {
        Ok(text) => text.to_owned(),
        Err(_) => cell.escape_ascii().to_string(),
    }
}
