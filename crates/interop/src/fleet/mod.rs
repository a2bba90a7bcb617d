//! Demands of many volumes from long tables: rows of one volume after the other, in pieces that are read by
//! themselves.
//!
//! A piece is a stretch of a text or a row group of a Parquet file. Its first and last volume may go on in
//! the pieces beside it, so a reader hands over [`Run`]s of rows, and whoever reads all pieces joins them.
//! Memory is that of the runs that are held, whatever the size of the table.

mod dump;
mod gather;
mod layout;
mod moment;
mod number;
mod one;
#[cfg(feature = "columnar")]
mod parquet;
#[cfg(not(feature = "columnar"))]
#[path = "parquet_absent.rs"]
mod parquet;
mod rows;
mod text;

use crate::Refusal;
use crate::demand::{Interval, Seen, Values};

pub use dump::{Dumps, is_dump};
pub use layout::Layout;
pub use one::of_parquet;
pub use parquet::Groups;
pub use text::{Header, header, read_text};

/// Whether a file that begins so is Parquet, with a footer that may be read or one that is encrypted.
pub fn is_parquet(start: &[u8]) -> bool {
    start.starts_with(b"PAR1") || start.starts_with(b"PARE")
}

/// Rows of one volume that follow each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The volume's name.
    pub volume: String,
    /// Its size in GiB as the last row has it; absent without such a column.
    pub size_gib: Option<f64>,
    /// What it is today, as `gp3:iops=6000`; empty where the table does not say.
    pub current: String,
    /// The instance that it is attached to; empty where the table does not say.
    pub instance: String,
    /// What its rows hold, as they are in the table.
    pub intervals: Vec<Interval>,
    /// Rows, those that were left out included.
    pub rows: u64,
    /// Rows with an empty cell, which were left out.
    pub empty: u64,
    /// The first row that makes no sense, with its place.
    pub trouble: Option<String>,
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
pub trait Taker {
    /// Whether the rows of a volume are wanted.
    fn interest(&self, volume: &[u8]) -> Interest;

    /// Takes a run.
    fn take(&mut self, run: Run);
}

impl Run {
    /// The rows of the next piece, of the same volume.
    pub fn append(&mut self, next: Self) {
        self.size_gib = next.size_gib.or(self.size_gib);
        if !next.current.is_empty() {
            self.current = next.current;
        }
        if !next.instance.is_empty() {
            self.instance = next.instance;
        }
        self.intervals.extend(next.intervals);
        self.rows += next.rows;
        self.empty += next.empty;
        self.trouble = self.trouble.take().or(next.trouble);
    }

    /// The demand that its rows add up to.
    ///
    /// # Errors
    /// When a row makes no sense, or the rows are no demand.
    pub fn demand(&mut self, values: Values) -> Result<Seen, Refusal> {
        if let Some(trouble) = &self.trouble {
            return Err(Refusal::new("a demand", trouble.clone()));
        }
        let mut seen = crate::demand::of_intervals(std::mem::take(&mut self.intervals), values)?;
        if self.empty > 0 {
            seen.notes.push(format!("{} rows have an empty cell and were left out.", self.empty));
        }
        Ok(seen)
    }
}
