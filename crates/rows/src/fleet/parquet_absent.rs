//! Row groups of Parquet files in a build that does not read them: every file is refused.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::sync::Arc;

use fathom_tools::Refusal;

use super::{Layout, RunSink, WholeColumn, WholeKind};
use crate::Hints;

/// What a file's footer says: nothing, because none is opened.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Which column means what.
    pub layout: Layout,
    never: Infallible,
}

impl Groups {
    /// Refuses the file.
    ///
    /// # Errors
    /// Always.
    pub fn open_one(_file: &File, _hints: &Hints<'_>) -> Result<Self, Refusal> {
        Err(refusal().or(
            "build it with cargo build --release --features columnar, or write the table as CSV: duckdb -c \"COPY 'FILE.parquet' TO 'FILE.csv'\"",
        ))
    }

    /// Refuses the file.
    ///
    /// # Errors
    /// Always.
    pub fn open(file: &File, hints: &Hints<'_>) -> Result<Self, Refusal> {
        Self::open_one(file, hints)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self.never {}
    }

    /// Rows of all of them.
    pub fn rows(&self) -> u64 {
        match self.never {}
    }

    /// Reads a row group.
    ///
    /// # Errors
    /// None: there is no such file.
    pub fn read(&self, _file: File, _group: usize, _taker: &mut impl RunSink) -> io::Result<()> {
        match self.never {}
    }
}

/// Refuses the file.
///
/// # Errors
/// Always.
pub fn whole_columns(
    _file: &Arc<File>,
    _wanted: &[(&str, WholeKind)],
    _rows_max: u64,
) -> Result<Vec<Option<WholeColumn>>, Refusal> {
    Err(refusal().or("build it with cargo build --release --features columnar"))
}

fn refusal() -> Refusal {
    Refusal::new("a Parquet table", "this build does not read Parquet")
}
